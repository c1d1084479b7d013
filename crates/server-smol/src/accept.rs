//! Accepts connections until the server is stopped.

use hello::{Tasks, pause_after};
use smol::net::TcpListener;
use smol::{Executor, Timer};

use crate::connection;

pub(crate) async fn accept(executor: &Executor<'static>, listener: TcpListener, tasks: Tasks) {
    let mut task = tasks.enter();
    while !task.is_stopping()
        && let Some(accepted) = task.unless_stopped(listener.accept()).await
    {
        match accepted {
            Ok((stream, _)) => {
                executor.spawn(connection::serve(stream, tasks.enter())).detach();
            }
            Err(error) => {
                Timer::after(pause_after(&error)).await;
            }
        }
    }
}
