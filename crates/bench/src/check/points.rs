//! The agreed behaviour of a target, point by point.

use std::thread::sleep;
use std::time::{Duration, SystemTime};

use hello::check::Reply;

use super::client::{RESET, keeps};
use super::{Client, Dialect, Peer, TIMEOUT, agreed, request};
use crate::targets::Target;

/// One point of the agreed behaviour.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Its name, as a target's `cannot` has it.
    pub name: &'static str,
    /// What is agreed.
    pub agreed: &'static str,
    holds: fn(Peer) -> Result<(), String>,
}

/// How a target stands to one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It does as agreed.
    Holds,
    /// It does not, as it says itself; with its reason.
    Cannot(String),
    /// It does not; with what happened.
    Differs(String),
    /// It says that it cannot, but does.
    HoldsAfterAll,
}

impl Finding {
    /// Whether somebody has to look at it.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Differs(_) | Self::HoldsAfterAll)
    }
}

/// Asks a running target for every point.
pub fn verify(target: &Target) -> Vec<(Point, Finding)> {
    let stand = |point: &Point| stand(point, Peer::of(target), target.description.cannot.get(point.name));
    POINTS.iter().map(|point| (*point, stand(point))).collect()
}

/// How often a point has to hold before it is said that a target can do what it says it cannot: whether a reset comes
/// before or after the end of a connection, say, is not up to the server.
const TRIES: usize = 8;

fn stand(point: &Point, to: Peer, cannot: Option<&String>) -> Finding {
    match (cannot, (point.holds)(to)) {
        (None, Ok(())) => Finding::Holds,
        (None, Err(what)) => Finding::Differs(what),
        (Some(_), Ok(())) if (1..TRIES).all(|_| (point.holds)(to).is_ok()) => Finding::HoldsAfterAll,
        (Some(reason), _) => Finding::Cannot(reason.clone()),
    }
}

/// The point that a server without a `Date` cannot give.
pub const DATE: &str = "date-moves";

/// Every point, the response first.
pub const POINTS: &[Point] = &[
    Point { name: "get", agreed: "GET / gives the agreed response", holds: get },
    Point { name: "query", agreed: "a query string is still /", holds: |to| ok(to, "GET /?a=/b HTTP/1.1") },
    Point { name: "head", agreed: "HEAD / gives the same without a body", holds: head },
    Point { name: "not-found", agreed: "another path gives 404", holds: |to| status(to, "GET /other HTTP/1.1", 404) },
    Point { name: "method", agreed: "another method on / gives 405", holds: |to| status(to, "DELETE / HTTP/1.1", 405) },
    Point { name: DATE, agreed: "Date moves with the clock", holds: date_moves },
    Point { name: "split", agreed: "a request may come in pieces", holds: split },
    Point { name: "keep-alive", agreed: "a connection serves request after request", holds: keep_alive },
    Point { name: "pipelining", agreed: "requests may be sent before their answers came", holds: pipelining },
    Point { name: "close", agreed: "Connection: close is done", holds: |to| closes(to, Dialect::Http11) },
    Point { name: "http10-close", agreed: "HTTP/1.0 closes", holds: |to| closes(to, Dialect::Http10) },
    Point { name: "http10-keep-alive", agreed: "HTTP/1.0 keeps if asked, and says so", holds: http10_keep_alive },
    Point { name: "malformed", agreed: "malformed input gives 400 and close", holds: malformed },
    Point { name: "header-too-large", agreed: "too large a header gives 431 or 414 and close", holds: too_large },
    Point { name: "body-length", agreed: "a body with a length is never read as a request", holds: body_length },
    Point { name: "body-chunked", agreed: "a chunked body is never read as a request", holds: body_chunked },
    Point { name: "length-invalid", agreed: "an invalid Content-Length gives 400 and close", holds: length_invalid },
    Point { name: "framing-twice", agreed: "two framings at once give 400 and close", holds: framing_twice },
];

fn connect(to: Peer) -> Result<Client, String> {
    Client::connect(to.address, TIMEOUT)
}

fn has_status(reply: &Reply, wanted: &[u16]) -> Result<(), String> {
    if wanted.contains(&reply.status) {
        return Ok(());
    }
    let wanted: Vec<String> = wanted.iter().map(u16::to_string).collect();
    Err(format!("{} instead of {}", reply.status, wanted.join(" or ")))
}

fn get(to: Peer) -> Result<(), String> {
    agreed(to, Dialect::Http11, true).map(drop)
}

fn one(to: Peer, line: &str, to_head: bool) -> Result<Reply, String> {
    let mut client = connect(to)?;
    client.send(format!("{line}\r\nHost: {}\r\n\r\n", to.address).as_bytes())?;
    client.receive(to_head)
}

fn ok(to: Peer, line: &str) -> Result<(), String> {
    to.differences(&one(to, line, false)?, false)
}

fn status(to: Peer, line: &str, wanted: u16) -> Result<(), String> {
    has_status(&one(to, line, false)?, &[wanted])
}

fn head(to: Peer) -> Result<(), String> {
    let mut client = connect(to)?;
    client.send(format!("HEAD / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", to.address).as_bytes())?;
    let mut reply = client.receive(true)?;
    // Whatever follows an answer to HEAD would be taken for the next answer.
    if let Err(what) = client.expect_end() {
        reply.rest = what.into_bytes();
    }
    to.differences(&reply, true)
}

fn date_moves(to: Peer) -> Result<(), String> {
    let date = || -> Result<SystemTime, String> {
        let reply = one(to, "GET / HTTP/1.1", false)?;
        httpdate::parse_http_date(reply.field("date")?).map_err(|error| error.to_string())
    };
    let first = date()?;
    // Longer than the second that servers cache it for, and the one that its resolution takes.
    sleep(Duration::from_millis(2100));
    if date()? > first { Ok(()) } else { Err("the same after 2.1 s".into()) }
}

fn split(to: Peer) -> Result<(), String> {
    let mut client = connect(to)?;
    for piece in ["GE", "T / HT", "TP/1.1\r", "\nHost: a", "\r\n\r", "\n"] {
        client.send(piece.as_bytes())?;
        sleep(Duration::from_millis(5));
    }
    to.differences(&client.receive(false)?, false)
}

fn keep_alive(to: Peer) -> Result<(), String> {
    let mut client = connect(to)?;
    for _ in 0..3 {
        client.send(request(Dialect::Http11, to.address, true).as_bytes())?;
        to.differences(&client.receive(false)?, false)?;
    }
    Ok(())
}

fn pipelining(to: Peer) -> Result<(), String> {
    const DEPTH: usize = 8;
    let mut client = connect(to)?;
    client.send(request(Dialect::Http11, to.address, true).repeat(DEPTH).as_bytes())?;
    for n in 1..=DEPTH {
        let reply = client.receive(false).map_err(|what| format!("answer {n} of {DEPTH}: {what}"))?;
        to.differences(&reply, false)?;
    }
    Ok(())
}

fn closes(to: Peer, dialect: Dialect) -> Result<(), String> {
    agreed(to, dialect, false).map(drop)
}

fn http10_keep_alive(to: Peer) -> Result<(), String> {
    let mut client = connect(to)?;
    for _ in 0..2 {
        client.send(request(Dialect::Http10, to.address, true).as_bytes())?;
        let reply = client.receive(false)?;
        to.differences(&reply, false)?;
        let says = reply.field("connection").unwrap_or("nothing");
        if !says.eq_ignore_ascii_case("keep-alive") {
            return Err(format!("it says {says} of the connection"));
        }
    }
    Ok(())
}

/// Sends what is no good request, and wants one of these answers, once, and the end of the connection.
fn refused(to: Peer, bytes: &[u8], wanted: &[u16]) -> Result<(), String> {
    let mut client = connect(to)?;
    // A server may answer and close before it has taken all of a long request.
    let sent = client.send(bytes);
    let replies = client.receive_all().map_err(|what| match &sent {
        Ok(()) => what,
        Err(unsent) => format!("{what}; {unsent}"),
    })?;
    // What was reported to the sender is not reported again to the reader, who finds a clean end.
    if let Err(unsent) = sent
        && unsent.contains(RESET)
    {
        return Err(unsent);
    }
    match replies.as_slice() {
        [] => Err("it closes without an answer".into()),
        [reply] => has_status(reply, wanted),
        more => Err(format!("{} answers to one request", more.len())),
    }
}

fn malformed(to: Peer) -> Result<(), String> {
    refused(to, b"GET / HTTP/1.1\r\nHost: a\r\nno colon here\r\n\r\n", &[400])
}

fn too_large(to: Peer) -> Result<(), String> {
    let fields = format!("X-Field: {}\r\n", "x".repeat(8000)).repeat(80);
    refused(to, format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n").as_bytes(), &[431, 414])
}

fn length_invalid(to: Peer) -> Result<(), String> {
    for value in ["+5", "abc", "5, 6"] {
        let request = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {value}\r\n\r\nhello");
        refused(to, request.as_bytes(), &[400]).map_err(|what| format!("Content-Length: {value}: {what}"))?;
    }
    Ok(())
}

fn framing_twice(to: Peer) -> Result<(), String> {
    let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    refused(to, request.as_bytes(), &[400])
}

/// The body of a POST that looks like a request, then a request: that may be answered or the connection closed, but the
/// body must not be answered.
fn body_is_skipped(to: Peer, framing: &str, body: &str) -> Result<(), String> {
    let mut client = connect(to)?;
    client.send(format!("POST / HTTP/1.1\r\nHost: a\r\n{framing}\r\n\r\n{body}").as_bytes())?;
    let first = match client.receive(false) {
        Err(what) if is_closed(&what) => return Ok(()),
        first => first?,
    };
    if first.status == 200 {
        return Err("200 to a POST".into());
    }
    if !keeps(&first) {
        return client.receive_all().and_then(|more| if more.is_empty() { Ok(()) } else { Err(read_as(&more)) });
    }
    client.send(b"HEAD /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")?;
    match client.receive(true) {
        Ok(last) if last.status == 404 => client.expect_end(),
        Ok(other) => Err(read_as(&[other])),
        // Closed without saying so: no answer to the body, at least.
        Err(what) if is_closed(&what) => Ok(()),
        Err(what) => Err(what),
    }
}

/// Closed without an answer, which is no answer to the body either.
fn is_closed(what: &str) -> bool {
    what.contains("without an answer") || what.contains(RESET)
}

fn read_as(more: &[Reply]) -> String {
    format!("the body was read as a request and answered with {}", more[0].status)
}

const SMUGGLED: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

fn body_length(to: Peer) -> Result<(), String> {
    body_is_skipped(to, &format!("Content-Length: {}", SMUGGLED.len()), SMUGGLED)
}

fn body_chunked(to: Peer) -> Result<(), String> {
    let body = format!("{:x}\r\n{SMUGGLED}\r\n0\r\n\r\n", SMUGGLED.len());
    body_is_skipped(to, "Transfer-Encoding: chunked", &body)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread::spawn;

    use super::*;

    const TOO_LARGE: &[u8] = b"HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    /// Reads all of the request before it answers and closes.
    fn cleanly(mut client: TcpStream) {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        while !all.ends_with(b"\r\n\r\n") {
            let len = client.read(&mut buffer).unwrap();
            all.extend_from_slice(&buffer[..len]);
        }
        client.write_all(TOO_LARGE).unwrap();
    }

    /// Leaves most of the request unread, so that closing resets the connection.
    fn with_a_reset(mut client: TcpStream) {
        client.read_exact(&mut [0; 1]).unwrap();
        client.write_all(TOO_LARGE).unwrap();
    }

    /// Serves a connection in each of these ways, and then refuses them.
    fn serving(ways: Vec<fn(TcpStream)>) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = Peer::from(listener.local_addr().unwrap());
        spawn(move || ways.into_iter().for_each(|way| way(listener.accept().unwrap().0)));
        peer
    }

    fn stands(ways: Vec<fn(TcpStream)>, cannot: Option<&String>) -> Finding {
        let point = POINTS.iter().find(|point| point.name == "header-too-large").unwrap();
        stand(point, serving(ways), cannot)
    }

    #[test]
    fn what_a_target_cannot_do_reliably_it_cannot_do() {
        let why = "resets the connection, now and then".to_owned();
        assert_eq!(stands(vec![cleanly, with_a_reset], Some(&why)), Finding::Cannot(why.clone()));
        assert_eq!(stands(vec![cleanly; TRIES], Some(&why)), Finding::HoldsAfterAll);
        assert_eq!(stands(vec![cleanly], None), Finding::Holds);
        assert!(matches!(stands(vec![with_a_reset], None), Finding::Differs(_)));
    }

    #[test]
    fn a_reset_is_one_also_where_the_sender_meets_it() {
        let peer = serving(vec![with_a_reset]);
        // More than the kernel takes of a request that nobody reads: it is still being sent when the answer comes.
        let what = refused(peer, &vec![b'x'; 64 << 20], &[431]).unwrap_err();
        assert!(what.contains(RESET), "{what}");
    }
}
