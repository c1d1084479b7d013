//! Accepts connections until the server is stopped.

use hello::{Tasks, pause_after};
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::connection;

pub(crate) async fn accept(listener: TcpListener, tasks: Tasks) {
    let mut task = tasks.enter();
    while !task.is_stopping()
        && let Some(accepted) = task.unless_stopped(listener.accept()).await
    {
        match accepted {
            Ok((stream, _)) => {
                tokio::spawn(connection::serve(stream, tasks.enter()));
            }
            Err(error) => {
                sleep(pause_after(&error)).await;
            }
        }
    }
}
