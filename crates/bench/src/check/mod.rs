//! Is it the agreed response? Asked before, during the warm-up and after every slice, and point by point by `verify`.

mod client;
mod points;

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

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

/// How long a warm-up may take as a whole.
const WARM_UP_LIMIT: Duration = Duration::from_secs(30);

/// Asks at least `count` times for the agreed response, on so many connections at once as the load tool will use, and on
/// kept ones where the server keeps them: a server that answers well to one client alone is found here.
///
/// # Errors
/// As [`agreed`], for the first answer that differs; and when it takes too long.
pub fn warm_up(address: SocketAddr, dialect: Dialect, keep: bool, connections: u32, count: u32) -> Result<(), String> {
    let until = Instant::now() + WARM_UP_LIMIT;
    let mut kept: Vec<Client> = Vec::new();
    let mut asked = 0;
    while asked < count {
        let mut clients: Vec<(Client, bool)> = kept.drain(..).map(|client| (client, true)).collect();
        while clients.len() < connections as usize {
            clients.push((Client::connect(address, TIMEOUT)?, false));
        }
        for (client, is_kept) in &mut clients {
            client.send(request(dialect, address, keep).as_bytes()).map_err(|why| of(*is_kept, why))?;
        }
        for (n, (mut client, is_kept)) in clients.into_iter().enumerate() {
            let answer = receive(&mut client)
                .map_err(|why| format!("{} (connection {} of {connections})", of(is_kept, why), n + 1))?;
            if keep && answer.kept {
                kept.push(client);
            }
            asked += 1;
            if Instant::now() >= until {
                return Err(format!("{asked} of {count} requests to warm up took {WARM_UP_LIMIT:?}"));
            }
        }
    }
    Ok(())
}

fn of(is_kept: bool, why: String) -> String {
    if is_kept { format!("on a connection that it said it keeps: {why}") } else { why }
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
