//! "Hello World" on hyper, as its guides build a server, on async-io and an executor whose threads are the program's own.
//! The accept loop, which they write out too, is in [`accept`].

mod accept;

use std::convert::Infallible;
use std::future::pending;
use std::thread;

use async_executor::StaticExecutor;
use async_io::{Async, block_on};
use hello::Tasks;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

static EXECUTOR: StaticExecutor = StaticExecutor::new();

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
    let args = hello::args!(8112);
    let tasks = Tasks::default();
    let stopped = tasks.clone();
    hello::on_stop(move || stopped.stop())?;
    let listener = Async::new(hello::listen(&args)?)?;

    let serving = EXECUTOR.spawn(accept::serve(&EXECUTOR, listener, tasks));
    for _ in 1..args.workers {
        thread::spawn(|| block_on(EXECUTOR.run(pending::<()>())));
    }
    block_on(EXECUTOR.run(serving));
    Ok(())
}
