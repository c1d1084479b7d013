//! The accept loop: hyper speaks HTTP on a connection, and leaves it to its user to accept connections and to end them.

use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long to wait, when a connection cannot be accepted, for others to be closed: mostly the process is out of file
/// descriptors, and the next try would fail at once.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves each connection in a task of its own until `stop`, then closes those that are idle and waits for the rest.
pub(crate) async fn serve(listener: std::net::TcpListener, stop: CancellationToken) -> hello::Result {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let connections = GracefulShutdown::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let Ok((stream, _)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        stream.set_nodelay(true).ok();
        // The timer is what hyper's time-out for reading a header, 30 s, runs on. `pipeline_flush` stays off: with it,
        // a connection that is closed with input unread loses its last response (hyper 1.12.0).
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service_fn(crate::hello));
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    connections.shutdown().await;
    Ok(())
}
