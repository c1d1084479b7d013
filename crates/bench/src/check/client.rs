//! A connection that sends bytes as they are given and reads answers one by one.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use hello::check::Reply;

use crate::interrupt;

/// No answer of a target is larger.
const MAX_ANSWER: usize = 64 * 1024;

/// What is said of a connection that was reset, whoever finds out: who sends or who reads.
pub(super) const RESET: &str = "the connection was reset";

/// One connection to a target.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    timeout: Duration,
    /// When what is under way must have come: a byte a second must not keep anybody waiting for ever.
    deadline: Instant,
    received: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// In words, when nothing answers there.
    pub fn connect(address: SocketAddr, timeout: Duration) -> Result<Self, String> {
        let stream = TcpStream::connect_timeout(&address, timeout).map_err(|error| match error.kind() {
            ErrorKind::ConnectionRefused => "nothing answers".to_owned(),
            ErrorKind::TimedOut => format!("no connection within {timeout:?}"),
            _ => format!("it cannot be connected to: {error}"),
        })?;
        let set = |error: std::io::Error| error.to_string();
        stream.set_nodelay(true).map_err(set)?;
        stream.set_write_timeout(Some(timeout)).map_err(set)?;
        Ok(Self { stream, timeout, deadline: Instant::now() + timeout, received: Vec::new() })
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// In words, when the server does not take them.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.deadline = Instant::now() + self.timeout;
        self.stream.write_all(bytes).map_err(|error| match error.kind() {
            ErrorKind::ConnectionReset => format!("it does not take the request: {RESET}"),
            _ => format!("it does not take the request: {error}"),
        })
    }

    /// Reads one answer with its body, as its Content-Length says; without one the body ends with the connection.
    /// An answer to HEAD, and a 1xx, 204 or 304, has none (RFC 9112 §6.3).
    ///
    /// # Errors
    /// In words, when no whole answer comes.
    pub fn receive(&mut self, to_head: bool) -> Result<Reply, String> {
        self.deadline = Instant::now() + self.timeout;
        loop {
            if let Some(reply) = self.whole(to_head, false)? {
                return Ok(reply);
            }
            if !self.read()? {
                return self
                    .whole(to_head, true)?
                    .map_or_else(|| Err("the connection ended within the body".into()), Ok);
            }
        }
    }

    /// An answer that is there in full, taken off what was received.
    fn whole(&mut self, to_head: bool, ended: bool) -> Result<Option<Reply>, String> {
        let head_end = self.received.windows(4).position(|window| window == b"\r\n\r\n");
        if head_end.is_none() && !ended {
            return Ok(None);
        }
        let mut reply = Reply::parse(&self.received)?;
        let bodiless = to_head || matches!(reply.status, 100..=199 | 204 | 304);
        let len = match reply.field("content-length") {
            _ if bodiless => 0,
            Ok(value) => value.parse().map_err(|_| format!("its Content-Length is {value:?}"))?,
            Err(_) if reply.field("transfer-encoding").is_ok() => {
                return Err("its body comes in chunks (Transfer-Encoding), not with Content-Length: 12".into());
            }
            Err(_) if ended => reply.rest.len(),
            Err(_) => return Ok(None),
        };
        if reply.rest.len() < len {
            return Ok(None);
        }
        self.received.drain(..reply.head_len + len);
        reply.rest.truncate(len);
        Ok(Some(reply))
    }

    /// Reads once; `false` at the end of the connection.
    fn read(&mut self) -> Result<bool, String> {
        if self.received.len() > MAX_ANSWER {
            return Err(format!("its answer is over {MAX_ANSWER} bytes"));
        }
        let late = || format!("no answer within {:?}", self.timeout);
        let mut buffer = [0; 4096];
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        self.stream.set_read_timeout(Some(left)).map_err(|error| error.to_string())?;
        match self.stream.read(&mut buffer) {
            Ok(0) => Ok(false),
            Ok(n) => {
                self.received.extend_from_slice(&buffer[..n]);
                Ok(true)
            }
            // A signal of the user's is seen by whoever waits for all of it.
            Err(error) if error.kind() == ErrorKind::Interrupted && !interrupt::asked() => Ok(true),
            Err(error) => Err(match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => late(),
                ErrorKind::ConnectionReset => RESET.to_owned(),
                _ => error.to_string(),
            }),
        }
    }

    /// Reads every answer until the server closes the connection.
    ///
    /// # Errors
    /// In words, when it does not, or what comes is no answer.
    pub fn receive_all(&mut self) -> Result<Vec<Reply>, String> {
        self.deadline = Instant::now() + self.timeout;
        while self.read()? {}
        let mut replies = Vec::new();
        while !self.received.is_empty() {
            replies.push(self.receive(false)?);
        }
        Ok(replies)
    }

    /// Waits for the server to close the connection.
    ///
    /// # Errors
    /// In words, when it does not, or sends more.
    pub fn expect_end(&mut self) -> Result<(), String> {
        self.deadline = Instant::now() + self.timeout;
        if self.received.is_empty() {
            match self.read() {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(why) if why.starts_with("no answer") => {
                    return Err("it does not close the connection".into());
                }
                Err(why) => return Err(format!("instead of a clean end: {why}")),
            }
        }
        Err(format!("it sends {} bytes more than the answer", self.received.len()))
    }
}

/// Whether an answer says that the connection is kept (RFC 9112 §9.3).
pub fn keeps(reply: &Reply) -> bool {
    let says = |token: &str| {
        reply
            .fields
            .iter()
            .filter(|(name, _)| name == "connection")
            .flat_map(|(_, value)| value.split(','))
            .any(|part| part.trim().eq_ignore_ascii_case(token))
    };
    if reply.version == 0 { says("keep-alive") } else { !says("close") }
}
