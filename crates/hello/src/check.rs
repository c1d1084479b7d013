//! One request and the agreed response: `--check URL` of every server, and what the harness builds its checks on.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, SystemTime};

use crate::response::{BODY, CONTENT_TYPE};

/// How long a connect, a read or a write may take.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// No agreed response is larger; more than this is not read.
const MAX_REPLY: u64 = 64 * 1024;

/// How far a `Date` may be from this machine's clock: servers cache it for up to a second.
const DATE_TOLERANCE: Duration = Duration::from_secs(5);

/// A response as it came over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The minor HTTP version: 0 or 1.
    pub version: u8,
    /// The status code.
    pub status: u16,
    /// Header fields in the order in which they came; names in lower case.
    pub fields: Vec<(String, String)>,
    /// Length of the status line and header fields, with the empty line that ends them, in bytes.
    pub head_len: usize,
    /// What followed the head, up to the end of the connection.
    pub rest: Vec<u8>,
}

impl Reply {
    /// Parses one response head; everything behind it is `rest`.
    ///
    /// # Errors
    /// In words, when the bytes are not the head of an HTTP/1 response.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut fields = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut fields);
        match response.parse(bytes) {
            Ok(httparse::Status::Complete(head_len)) => Ok(Self {
                version: response.version.unwrap_or_default(),
                status: response.code.unwrap_or_default(),
                fields: response
                    .headers
                    .iter()
                    .map(|f| (f.name.to_ascii_lowercase(), String::from_utf8_lossy(f.value).into_owned()))
                    .collect(),
                head_len,
                rest: bytes[head_len..].to_vec(),
            }),
            Ok(httparse::Status::Partial) if bytes.is_empty() => {
                Err("the connection was closed without an answer".into())
            }
            Ok(httparse::Status::Partial) => Err("the answer ends within its header".into()),
            Err(error) => Err(format!("the answer is not HTTP: {error}")),
        }
    }

    /// The value of the only field of this name (given in lower case).
    ///
    /// # Errors
    /// In words, when there is none or more than one.
    pub fn field(&self, name: &str) -> Result<&str, String> {
        let mut values = self.fields.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (Some(value), None) => Ok(value),
            (None, _) => Err(format!("no {name} field")),
            (Some(_), Some(_)) => Err(format!("more than one {name} field")),
        }
    }
}

/// One point in which a reply is not the agreed response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which point: `status`, `content-type`, `content-length`, `date`, `body`.
    pub point: &'static str,
    /// What came instead, in words.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.point, self.what)
    }
}

/// Every point in which `reply` is not the agreed response to `GET /`, or to `HEAD /` if `head`.
#[must_use]
pub fn differences(reply: &Reply, head: bool, now: SystemTime) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut note = |point, what: Result<(), String>| {
        if let Err(what) = what {
            found.push(Difference { point, what });
        }
    };
    note("status", equal(&reply.status, &200));
    note(
        "content-type",
        reply.field("content-type").and_then(|value| {
            let essence = value.split(';').next().unwrap_or_default().trim();
            equal(essence.to_ascii_lowercase().as_str(), CONTENT_TYPE)
        }),
    );
    note(
        "content-length",
        reply.field("content-length").and_then(|value| equal(value, BODY.len().to_string().as_str())),
    );
    note("date", reply.field("date").and_then(|value| current(value, now)));
    let body: &[u8] = if head { b"" } else { BODY.as_bytes() };
    note("body", if reply.rest == body { Ok(()) } else { Err(format!("{:?}", Excerpt(&reply.rest))) });
    found
}

fn equal<T: PartialEq + fmt::Display + ?Sized>(came: &T, agreed: &T) -> Result<(), String> {
    if came == agreed { Ok(()) } else { Err(format!("{came} instead of {agreed}")) }
}

fn current(value: &str, now: SystemTime) -> Result<(), String> {
    let date = httpdate::parse_http_date(value).map_err(|_| format!("{value:?} is not an HTTP date"))?;
    let distance = now.duration_since(date).unwrap_or_else(|ahead| ahead.duration());
    if distance <= DATE_TOLERANCE { Ok(()) } else { Err(format!("{value:?} is {} s off", distance.as_secs())) }
}

/// The beginning of some bytes, for a message.
struct Excerpt<'a>(&'a [u8]);

impl fmt::Debug for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.0[..self.0.len().min(40)];
        write!(f, "{:?}", String::from_utf8_lossy(shown))?;
        if shown.len() < self.0.len() { write!(f, "… ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}

/// Sends `request` on a connection of its own and reads until the server closes it (or `MAX_REPLY`).
///
/// # Errors
/// Those of the socket; a read that takes longer than [`TIMEOUT`] among them.
pub fn exchange(address: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(request)?;
    let mut reply = Vec::new();
    stream.take(MAX_REPLY).read_to_end(&mut reply)?;
    Ok(reply)
}

/// Asks `url` once and holds what comes against the agreed response.
///
/// # Errors
/// In one line: that the URL cannot be used, that nothing answers, or every difference.
pub fn check(url: &str) -> Result<(), String> {
    let (address, host, path) = parse_url(url)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let bytes = exchange(address, request.as_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => format!("no answer within {} s", TIMEOUT.as_secs()),
        _ => error.to_string(),
    })?;
    let found = differences(&Reply::parse(&bytes)?, false, SystemTime::now());
    if found.is_empty() {
        return Ok(());
    }
    Err(found.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "))
}

/// `http://ADDRESS[:PORT][/PATH]` → address, `Host` field, path. The address is parsed, not resolved, so that a
/// static binary needs no resolver.
fn parse_url(url: &str) -> Result<(SocketAddr, &str, &str), String> {
    let wanted = || "a URL such as http://127.0.0.1:8101/ is wanted".to_owned();
    let rest = url.strip_prefix("http://").ok_or_else(wanted)?;
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    };
    if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(wanted());
    }
    let numeric = authority.replacen("localhost", &Ipv4Addr::LOCALHOST.to_string(), 1);
    let address = numeric
        .parse()
        .or_else(|_| {
            numeric.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 80))
        })
        .map_err(|_| wanted())?;
    Ok((address, authority, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    const GOOD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 12\r\n\
                        Date: Thu, 01 Jan 1970 00:00:10 GMT\r\n\r\nHello World\n";

    fn points(reply: &str, head: bool) -> Vec<&'static str> {
        let now = UNIX_EPOCH + Duration::from_secs(11);
        differences(&Reply::parse(reply.as_bytes()).unwrap(), head, now).iter().map(|d| d.point).collect()
    }

    #[test]
    fn the_agreed_response_has_no_difference() {
        assert_eq!(points(GOOD, false), [] as [&str; 0]);
    }

    #[test]
    fn each_point_is_looked_at() {
        assert_eq!(points(&GOOD.replace("200 OK", "302 Found"), false), ["status"]);
        assert_eq!(points(&GOOD.replace("text/plain", "text/html"), false), ["content-type"]);
        assert_eq!(points(&GOOD.replace("Length: 12", "Length: 13"), false), ["content-length"]);
        assert_eq!(points(&GOOD.replace("00:00:10", "00:10:10"), false), ["date"]);
        assert_eq!(points(&GOOD.replace("Date:", "X-Date:"), false), ["date"]);
        assert_eq!(points(&GOOD.replace("World\n", "World!"), false), ["body"]);
        assert_eq!(points(GOOD, true), ["body"]);
        assert_eq!(points(&GOOD.replace("\r\n\r\n", "\r\nDate: x\r\n\r\n"), false), ["date"]);
    }

    #[test]
    fn what_is_not_http_is_said_in_words() {
        assert!(Reply::parse(b"").unwrap_err().contains("without an answer"));
        assert!(Reply::parse(b"HTTP/1.1 200 OK\r\nDa").unwrap_err().contains("within its header"));
        assert!(Reply::parse(b"220 mail ready\r\n\r\n").unwrap_err().contains("not HTTP"));
    }

    #[test]
    fn urls_are_addresses() {
        let (address, host, path) = parse_url("http://localhost:8101").unwrap();
        assert_eq!((address.to_string().as_str(), host, path), ("127.0.0.1:8101", "localhost:8101", "/"));
        assert_eq!(parse_url("http://[::1]:80/x").unwrap().0.to_string(), "[::1]:80");
        assert_eq!(parse_url("http://127.0.0.1/").unwrap().0.port(), 80);
        for bad in ["127.0.0.1:8101", "https://127.0.0.1/", "http://example.com/", "http://127.0.0.1:80/a b", ""] {
            assert!(parse_url(bad).is_err(), "{bad}");
        }
    }
}
