//! Hello World on std alone: one thread, one connection at a time, one request on each.

use hello::blocking::Server;
use hello::{Workers, args};

fn main() -> hello::Result {
    let args = args!(8108, Workers::Fixed("one thread serves one connection at a time"), stack = "ulimit -s");
    let server = Server::listen(&args)?;
    let serve = move || server.clients().for_each(|client| client.serve(|| false));
    // The process's own thread has its stack from whoever started it.
    match args.stack_bytes {
        None => serve(),
        Some(_) => args.thread().spawn(serve)?.join().expect("serving does not panic"),
    }
    Ok(())
}
