//! "Hello World" on actix-web, with `HttpServer` as its documentation shows it.

use actix_web::{App, HttpServer, Responder, web};
use tokio_util::sync::CancellationToken;

async fn hello() -> impl Responder {
    hello::response::BODY
}

#[actix_web::main]
async fn main() -> hello::Result {
    let args = hello::args!(8104);
    let listener = hello::listen(&args)?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    hello::on_stop(move || stopping.cancel())?;

    let root = || web::resource("/").route(web::get().to(hello)).route(web::head().to(hello));
    HttpServer::new(move || App::new().service(root()))
        .workers(args.workers)
        .tcp_nodelay(true)
        .shutdown_signal(stop.cancelled_owned())
        .listen(listener)?
        .run()
        .await?;
    Ok(())
}
