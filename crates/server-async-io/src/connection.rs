//! One connection: moves bytes between the socket and the HTTP/1.1 connection of `hello`.

use std::io::Result;
use std::net::{Shutdown, TcpStream};

use async_io::{Async, Timer};
use futures_lite::FutureExt;
use futures_lite::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use hello::Task;
use hello::http1::{Connection, Next, limits};

pub(crate) async fn serve(mut stream: Async<TcpStream>, mut task: Task) {
    // What fails is the client's own connection: there is nobody to tell.
    if let Ok(Next::Linger) = converse(&mut stream, &mut task).await {
        let _ = linger(&mut stream).await;
    }
}

async fn converse(stream: &mut Async<TcpStream>, task: &mut Task) -> Result<Next> {
    stream.get_ref().set_nodelay(true)?;
    let mut connection = Connection::new();
    let mut input = [0; 4096];
    let mut output = Vec::new();
    loop {
        let len = match task.unless_stopped(stream.read(&mut input)).await {
            Some(len) => len?,
            None if connection.is_idle() => return Ok(Next::Close),
            None => stream.read(&mut input).await?,
        };
        if len == 0 {
            return Ok(Next::Close);
        }
        if task.is_stopping() {
            connection.finish();
        }
        let next = connection.receive(&input[..len], &mut output);
        stream.write_all(&output).await?;
        output.clear();
        if next != Next::Read {
            return Ok(next);
        }
    }
}

/// See [`Next::Linger`].
async fn linger(stream: &mut Async<TcpStream>) -> Result<()> {
    stream.get_ref().shutdown(Shutdown::Write)?;
    let time_is_up = async {
        Timer::after(limits::LINGER).await;
        Ok(0)
    };
    copy(stream.take(limits::LINGER_BYTES), sink()).or(time_is_up).await.map(drop)
}
