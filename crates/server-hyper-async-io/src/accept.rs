//! The accept loop: hyper speaks HTTP on a connection, and leaves it to its user to accept connections and to end them.

use std::net::TcpListener;

use async_executor::StaticExecutor;
use async_io::{Async, Timer};
use hello::{Tasks, pause_after};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::server::graceful::GracefulShutdown;
use smol_hyper::rt::{FuturesIo, SmolTimer};

/// Serves each connection in a task of its own until it is stopped, then closes those that are idle and waits for the
/// rest.
pub(crate) async fn serve(executor: &'static StaticExecutor, listener: Async<TcpListener>, tasks: Tasks) {
    let connections = GracefulShutdown::new();
    let mut task = tasks.enter();
    while !task.is_stopping()
        && let Some(accepted) = task.unless_stopped(listener.accept()).await
    {
        match accepted {
            Ok((stream, _)) => {
                stream.get_ref().set_nodelay(true).ok();
                // The timer is what hyper's time-out for reading a header, 30 s, runs on; `pipeline_flush` stays off, as
                // it does on tokio.
                let connection = http1::Builder::new()
                    .timer(SmolTimer::new())
                    .serve_connection(FuturesIo::new(stream), service_fn(crate::hello));
                executor.spawn(connections.watch(connection)).detach();
            }
            Err(error) => {
                Timer::after(pause_after(&error)).await;
            }
        }
    }
    drop(listener);
    connections.shutdown().await;
}
