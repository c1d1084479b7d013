//! Hello World on async-io: a task per connection, on an executor whose threads are the program's own.

mod accept;
mod connection;

use std::future::pending;
use std::thread;

use async_executor::StaticExecutor;
use async_io::{Async, block_on};
use hello::{Tasks, args, listen, on_stop};

static EXECUTOR: StaticExecutor = StaticExecutor::new();

fn main() -> hello::Result {
    let args = args!(8107);
    let tasks = Tasks::default();
    let stopped = tasks.clone();
    on_stop(move || stopped.stop())?;
    let listener = Async::new(listen(&args)?)?;

    EXECUTOR.spawn(accept::accept(&EXECUTOR, listener, tasks.clone())).detach();
    for _ in 1..args.workers {
        thread::spawn(|| block_on(EXECUTOR.run(pending::<()>())));
    }
    block_on(EXECUTOR.run(tasks.finished()));
    Ok(())
}
