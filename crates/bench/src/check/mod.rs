//! Is it the agreed response? Asked before, during the warm-up and after every slice, and point by point by `verify`.

mod client;
mod points;

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use hello::check::{Difference, differences};

pub use client::Client;
pub use points::{Finding, POINTS, Point, verify};

/// How long one answer may take.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// Which HTTP version a load tool speaks: a server answers each in its own way, also in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// As ab: a connection closes unless both sides say that they keep it.
    Http10,
    /// As wrk: a connection is kept unless one side says that it closes it.
    Http11,
}

/// A good answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its head and body, in bytes on the wire.
    pub bytes: u64,
    /// Whether the server means to keep the connection.
    pub kept: bool,
}

/// The request for `/` in this dialect, which asks to keep the connection or to close it.
pub fn request(dialect: Dialect, address: SocketAddr, keep: bool) -> String {
    let (version, connection) = match (dialect, keep) {
        (Dialect::Http11, true) => ("1.1", ""),
        (Dialect::Http11, false) => ("1.1", "Connection: close\r\n"),
        (Dialect::Http10, true) => ("1.0", "Connection: Keep-Alive\r\n"),
        (Dialect::Http10, false) => ("1.0", ""),
    };
    format!("GET / HTTP/{version}\r\nHost: {address}\r\n{connection}\r\n")
}

/// Asks once on a connection of its own, and holds the answer against the agreed response.
///
/// # Errors
/// In words: nothing answers, every difference, or a connection that is not closed when it should be.
pub fn agreed(address: SocketAddr, dialect: Dialect, keep: bool) -> Result<Answer, String> {
    let mut client = Client::connect(address, TIMEOUT)?;
    let answer = ask(&mut client, address, dialect, keep)?;
    if !keep {
        client.expect_end()?;
    }
    Ok(answer)
}

/// Sends `depth` requests at once on a connection of its own, and holds every answer against the agreed response;
/// gives the last one.
///
/// # Errors
/// As [`agreed`], and which answer it was.
pub fn pipelined(address: SocketAddr, depth: u32) -> Result<Answer, String> {
    let mut client = Client::connect(address, TIMEOUT)?;
    client.send(request(Dialect::Http11, address, true).repeat(depth as usize).as_bytes())?;
    let mut next = |n| receive(&mut client).map_err(|what| format!("answer {n} of {depth} pipelined: {what}"));
    for n in 1..depth {
        next(n)?;
    }
    next(depth)
}

/// Asks `count` times for the agreed response, on kept connections where the server keeps them.
///
/// # Errors
/// As [`agreed`], for the first answer that differs.
pub fn warm_up(address: SocketAddr, dialect: Dialect, keep: bool, count: u32) -> Result<(), String> {
    let mut client: Option<Client> = None;
    for _ in 0..count {
        let (mut current, kept) = match client.take() {
            Some(client) => (client, true),
            None => (Client::connect(address, TIMEOUT)?, false),
        };
        let answer = ask(&mut current, address, dialect, keep)
            .map_err(|why| if kept { format!("on a connection that it said it keeps: {why}") } else { why })?;
        client = (keep && answer.kept).then_some(current);
    }
    Ok(())
}

fn ask(client: &mut Client, address: SocketAddr, dialect: Dialect, keep: bool) -> Result<Answer, String> {
    client.send(request(dialect, address, keep).as_bytes())?;
    receive(client)
}

fn receive(client: &mut Client) -> Result<Answer, String> {
    let reply = client.receive(false)?;
    let found = differences(&reply, false, SystemTime::now());
    if !found.is_empty() {
        return Err(found.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "));
    }
    Ok(Answer { bytes: (reply.head_len + reply.rest.len()) as u64, kept: client::keeps(&reply) })
}
