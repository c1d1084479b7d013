//! Hello World on smol: a task per connection, on one executor that all threads run.

mod accept;
mod connection;

use std::future::pending;
use std::thread;

use hello::{Tasks, args, listen, on_stop};
use smol::net::TcpListener;
use smol::{Async, Executor};

static EXECUTOR: Executor = Executor::new();

fn main() -> hello::Result {
    let args = args!(8106);
    let tasks = Tasks::default();
    let stopped = tasks.clone();
    on_stop(move || stopped.stop())?;
    let listener = TcpListener::from(Async::new(listen(&args)?)?);

    EXECUTOR.spawn(accept::accept(&EXECUTOR, listener, tasks.clone())).detach();
    for _ in 1..args.workers {
        thread::spawn(|| smol::block_on(EXECUTOR.run(pending::<()>())));
    }
    smol::block_on(EXECUTOR.run(tasks.finished()));
    Ok(())
}
