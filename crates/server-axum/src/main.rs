//! "Hello World" on axum, with `axum::serve` as its documentation shows it.

use axum::serve::ListenerExt;
use axum::{Router, routing::get};
use tokio::{net::TcpListener, runtime};
use tokio_util::sync::CancellationToken;

async fn hello() -> &'static str {
    hello::response::BODY
}

async fn serve(listener: std::net::TcpListener, stop: CancellationToken) -> hello::Result {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?.tap_io(|stream| {
        stream.set_nodelay(true).ok();
    });
    let app = Router::new().route("/", get(hello));
    Ok(axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await?)
}

fn main() -> hello::Result {
    let args = hello::args!(8103);
    let listener = hello::listen(&args)?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    hello::on_stop(move || stopping.cancel())?;
    runtime::Builder::new_multi_thread()
        .worker_threads(args.workers)
        .enable_all()
        .build()?
        .block_on(serve(listener, stop))
}
