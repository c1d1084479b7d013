//! "Hello World" on may_minihttp. What its user has to add about connections is in [`connection`].

mod connection;

use std::io;

use connection::Connection;
use may_minihttp::{HttpService, HttpServiceFactory, Request, Response};

struct Hello(Connection);

impl HttpService for Hello {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        self.0.answer(request, response, |path, method, response| match (path, method) {
            ("/", "GET") => response.header("Content-Type: text/plain").body(hello::response::BODY),
            ("/", "HEAD") => response.header("Content-Type: text/plain").body(""),
            ("/", _) => response.status_code(405, "Method Not Allowed").header("Allow: GET, HEAD").body(""),
            _ => response.status_code(404, "Not Found").body(""),
        });
        Ok(())
    }
}

struct HelloFactory;

impl HttpServiceFactory for HelloFactory {
    type Service = Hello;

    fn new_service(&self, id: usize) -> Hello {
        Hello(Connection::new(id))
    }
}

fn main() -> hello::Result {
    let args = hello::args!(8105, hello::Workers::Cores, stack = "32KiB");
    // may binds with SO_REUSEPORT, which lets a second server share a port without a word: bind plainly first.
    let address = hello::listen(&args)?.local_addr()?;
    may::config().set_workers(args.workers).set_worker_pin(false);
    if let Some(bytes) = args.stack_bytes {
        // It counts in words.
        may::config().set_stack_size(bytes / size_of::<usize>());
    }
    connection::serve_until_stopped(HelloFactory.start(address)?)
}
