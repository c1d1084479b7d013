//! "Hello World" on hyper, as its guides build a server: an accept loop, and a task for each connection.

use std::convert::Infallible;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::{net::TcpListener, runtime, time::sleep};
use tokio_util::sync::CancellationToken;

async fn hello(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::default();
    match (request.uri().path(), request.method()) {
        ("/", &Method::GET | &Method::HEAD) => {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(hello::response::CONTENT_TYPE));
            *response.body_mut() = Full::from(hello::response::BODY);
        }
        ("/", _) => {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        }
        _ => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    Ok(response)
}

async fn serve(listener: std::net::TcpListener, stop: CancellationToken) -> hello::Result {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let connections = GracefulShutdown::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        // Out of file descriptors, for one: wait until some are closed.
        let Ok((stream, _)) = accepted else {
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        stream.set_nodelay(true).ok();
        let connection =
            http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service_fn(hello));
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    connections.shutdown().await;
    Ok(())
}

fn main() -> hello::Result {
    let args = hello::args!(8102);
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
