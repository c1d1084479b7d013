//! Accepts connections until the server is stopped.

use std::net::TcpListener;

use async_executor::StaticExecutor;
use async_io::{Async, Timer};
use hello::{Tasks, pause_after};

use crate::connection;

pub(crate) async fn accept(executor: &'static StaticExecutor, listener: Async<TcpListener>, tasks: Tasks) {
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
