//! Hello World on std alone: one thread, one connection at a time, one request on each.

use hello::blocking::Server;
use hello::{Workers, args};

fn main() -> hello::Result {
    let args = args!(8108, Workers::Fixed("one thread serves one connection at a time"));
    let server = Server::listen(&args)?;
    for client in server.clients() {
        client.serve(|| false);
    }
    Ok(())
}
