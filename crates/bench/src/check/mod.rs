//! Is it the agreed response? Asked before, during the warm-up and after every slice, and point by point by `verify`.

mod client;
mod points;

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

use hello::check::{Difference, Reply, differences};

use crate::targets::Target;
use points::DATE;

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

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it sends a `Date`: a server that does not, and says so, is held to the rest of the agreed response.
    pub dated: bool,
}

impl Peer {
    /// Who is asked when this target is.
    pub fn of(target: &Target) -> Self {
        Self { address: target.address(), dated: !target.description.cannot.contains_key(DATE) }
    }

    /// In what an answer of this peer differs from the agreed response.
    fn differences(self, reply: &Reply, head: bool) -> Result<(), String> {
        let mut found = differences(reply, head, SystemTime::now());
        let without = !self.dated && reply.field("date").is_err();
        found.retain(|difference| difference.point != "date" || !without);
        if found.is_empty() {
            return Ok(());
        }
        Err(found.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "))
    }
}

impl From<SocketAddr> for Peer {
    fn from(address: SocketAddr) -> Self {
        Self { address, dated: true }
    }
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
pub fn agreed(peer: impl Into<Peer>, dialect: Dialect, keep: bool) -> Result<Answer, String> {
    let peer = peer.into();
    let mut client = Client::connect(peer.address, TIMEOUT)?;
    client.send(request(dialect, peer.address, keep).as_bytes())?;
    let answer = receive(&mut client, peer)?;
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
pub fn pipelined(peer: impl Into<Peer>, depth: u32) -> Result<Answer, String> {
    let peer = peer.into();
    let mut client = Client::connect(peer.address, TIMEOUT)?;
    client.send(request(Dialect::Http11, peer.address, true).repeat(depth as usize).as_bytes())?;
    let mut next = |n| receive(&mut client, peer).map_err(|what| format!("answer {n} of {depth} pipelined: {what}"));
    for n in 1..depth {
        next(n)?;
    }
    next(depth)
}

/// How long a warm-up may take as a whole.
const WARM_UP_LIMIT: Duration = Duration::from_secs(30);

/// Asks at least `count` times for the agreed response, on so many connections at once as the load tool will use, and on
/// kept ones where the server keeps them: a server that answers well to one client alone is found here. Gives how often
/// it asked.
///
/// # Errors
/// As [`agreed`], for the first answer that differs; and when it takes too long.
pub fn warm_up(
    peer: impl Into<Peer>,
    dialect: Dialect,
    keep: bool,
    connections: u32,
    count: u32,
) -> Result<u32, String> {
    let peer = peer.into();
    let until = Instant::now() + WARM_UP_LIMIT;
    let mut kept: Vec<Client> = Vec::new();
    let mut asked = 0;
    while asked < count {
        let mut clients: Vec<(Client, bool)> = kept.drain(..).map(|client| (client, true)).collect();
        while clients.len() < connections as usize {
            clients.push((Client::connect(peer.address, TIMEOUT)?, false));
        }
        for (client, is_kept) in &mut clients {
            client.send(request(dialect, peer.address, keep).as_bytes()).map_err(|why| of(*is_kept, why))?;
        }
        for (n, (mut client, is_kept)) in clients.into_iter().enumerate() {
            let answer = receive(&mut client, peer)
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
    Ok(asked)
}

fn of(is_kept: bool, why: String) -> String {
    if is_kept { format!("on a connection that it said it keeps: {why}") } else { why }
}

fn receive(client: &mut Client, peer: Peer) -> Result<Answer, String> {
    let reply = client.receive(false)?;
    peer.differences(&reply, false)?;
    Ok(Answer { bytes: (reply.head_len + reply.rest.len()) as u64, kept: client::keeps(&reply) })
}
