//! Hello World on tokio: a task per connection, on a work-stealing pool of threads.

mod accept;
mod connection;

use hello::{Tasks, args, listen, on_stop};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

fn main() -> hello::Result {
    let args = args!(8101);
    let tasks = Tasks::default();
    let stopped = tasks.clone();
    on_stop(move || stopped.stop())?;
    let listener = listen(&args)?;
    listener.set_nonblocking(true)?;

    let runtime = Builder::new_multi_thread().worker_threads(args.workers).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        tokio::spawn(accept::accept(listener, tasks.clone()));
        tasks.finished().await;
        Ok(())
    })
}
