//! "Hello World" on hyper, as its guides build a server. The accept loop, which they write out too, is in [`accept`].

mod accept;

use std::convert::Infallible;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
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

fn main() -> hello::Result {
    let args = hello::args!(8102);
    let listener = hello::listen(&args)?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    hello::on_stop(move || stopping.cancel())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(args.workers).enable_all().build()?;
    runtime.block_on(accept::serve(listener, stop))
}
