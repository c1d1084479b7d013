//! Hello World on std alone: a thread per connection.

use std::thread::sleep;

use hello::blocking::Server;
use hello::{Workers, args, pause_after};

fn main() -> hello::Result {
    let args = args!(8109, Workers::Fixed("every connection has a thread of its own"), stack = "2MiB");
    let server = Server::listen(&args)?;
    for client in server.clients() {
        // Without a thread for it the client is turned away, and the next one waits a little.
        if let Err(error) = args.thread().spawn(|| client.serve(|| true)) {
            sleep(pause_after(&error));
        }
    }
    server.finish();
    Ok(())
}
