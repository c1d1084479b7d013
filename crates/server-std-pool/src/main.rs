//! Hello World on std alone: a bounded pool of threads, and a queue before it that never drops anybody.

mod queue;

use std::sync::Arc;
use std::time::Duration;

use hello::blocking::Server;
use hello::{Workers, args};
use queue::Queue;

/// How long a kept connection may be silent while others wait for a thread.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> hello::Result {
    let args = args!(8110, Workers::Default(10), stack = "2MiB");
    let server = Server::listen(&args)?;
    let queue = Arc::new(Queue::default());
    for _ in 0..args.workers {
        let queue = Arc::clone(&queue);
        args.thread().spawn(move || {
            loop {
                let client = queue.take();
                if client.set_patience(PATIENCE).is_ok() {
                    client.serve(|| queue.is_served());
                }
            }
        })?;
    }
    server.clients().for_each(|client| queue.put(client));
    server.finish();
    Ok(())
}
