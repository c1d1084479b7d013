//! An HTTP/1.1 server connection without I/O: bytes in, bytes out, and whether to go on.
//!
//! It is what every server here uses whose runtime brings no HTTP of its own, so that these differ in nothing but how
//! they wait and move bytes. It reads no socket, starts no task, and asks nobody but its clock.
//!
//! ```
//! use hello::http1::{Connection, Next};
//!
//! let mut connection = Connection::new();
//! let mut output = Vec::new();
//! assert_eq!(connection.receive(b"GET / HTTP/1.1\r\nHo", &mut output), Next::Read);
//! assert!(output.is_empty() && !connection.is_idle());
//! assert_eq!(connection.receive(b"st: localhost\r\n\r\n", &mut output), Next::Read);
//! assert!(output.starts_with(b"HTTP/1.1 200 OK\r\n") && connection.is_idle());
//! ```

mod answer;
mod body;
mod date;
mod field;
mod head;
pub mod limits;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::mem;
use std::time::SystemTime;

use answer::{Persistence, Status};
use body::Body;
use date::Date;
use head::{Request, Search};

/// What tells a connection the time for its `Date` fields.
pub type Clock = fn() -> SystemTime;

/// What to do when the output has been written.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Read on.
    Read,
    /// Close the connection: the client has sent all that it will send.
    Close,
    /// Close the sending side only, read until the client closes its own or [`limits::LINGER`] or
    /// [`limits::LINGER_BYTES`] is reached, then close: the client may still be sending, and a socket closed with
    /// unread input sends a reset, which can take the last answer from the client (RFC 9112 §9.6).
    Linger,
}

/// One connection of a client.
#[derive(Debug)]
pub struct Connection {
    /// What the next byte belongs to.
    state: State,
    /// The beginning of a head whose end has not come; nothing else is ever kept. Less than [`limits::HEAD`] long.
    kept: Vec<u8>,
    /// How far `kept` has been looked at.
    search: Search,
    /// Whether the next answer is the last one by the server's own wish.
    last: bool,
    /// Where `Date` comes from.
    clock: Clock,
}

#[derive(Debug)]
enum State {
    Head,
    /// The body of a request, which is answered when all of it has come.
    Body(Request, Body),
    /// Nothing is interpreted any more.
    Closed,
}

impl Default for Connection {
    fn default() -> Self {
        Self::new()
    }
}

impl Connection {
    /// A connection that was just accepted.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(SystemTime::now)
    }

    /// The same with a clock of one's own, for tests.
    #[must_use]
    pub fn with_clock(clock: Clock) -> Self {
        Self { state: State::Head, kept: Vec::new(), search: Search::default(), last: false, clock }
    }

    /// Whether nothing of a request has come that was not answered: such a connection may be closed at any time.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Head) && self.kept.is_empty()
    }

    /// Makes the next answer the last one: it says `Connection: close`.
    pub fn finish(&mut self) {
        self.last = true;
    }

    /// Takes what was read, and appends what is to be written: the answers to all requests that it completes.
    ///
    /// The input may be split in any way. A request that is complete in it is parsed where it stands.
    pub fn receive(&mut self, input: &[u8], output: &mut Vec<u8>) -> Next {
        if self.kept.is_empty() {
            let (used, next) = self.advance(input, output);
            if next == Next::Read {
                self.kept.extend_from_slice(&input[used..]);
            }
            return next;
        }
        let mut kept = mem::take(&mut self.kept);
        kept.extend_from_slice(input);
        let (used, next) = self.advance(&kept, output);
        if next == Next::Read && used < kept.len() {
            kept.drain(..used);
            self.kept = kept;
        }
        next
    }

    /// Interprets as much of `input` as can be, and says how much that was. The rest is the beginning of a head.
    fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Next) {
        let date = date::date((self.clock)());
        let mut used = 0;
        let next = self.answer_all(input, &mut used, &date, output).unwrap_or_else(|status| {
            // Where the next request would begin is not known after an error.
            answer::write(output, status, false, Persistence::Closed, &date);
            Next::Linger
        });
        (used, next)
    }

    fn answer_all(
        &mut self,
        input: &[u8],
        used: &mut usize,
        date: &Date,
        output: &mut Vec<u8>,
    ) -> Result<Next, Status> {
        loop {
            // Closed, unless what follows says otherwise: so it is after every error.
            let request = match mem::replace(&mut self.state, State::Closed) {
                State::Closed => return Ok(Next::Close),
                State::Head => {
                    let (len, request) = self.head(&input[*used..])?;
                    *used += len;
                    let Some(mut request) = request else {
                        self.state = State::Head;
                        return Ok(Next::Read);
                    };
                    if let Some(body) = request.body.take() {
                        // Whose body is on its way needs no invitation (RFC 9110 §10.1.1).
                        if request.expects_continue && *used == input.len() {
                            output.extend_from_slice(answer::CONTINUE);
                        }
                        self.state = State::Body(request, body);
                        continue;
                    }
                    request
                }
                State::Body(request, mut body) => {
                    let skipped = body.skip(&input[*used..])?;
                    *used += skipped.used;
                    if !skipped.complete {
                        self.state = State::Body(request, body);
                        return Ok(Next::Read);
                    }
                    request
                }
            };
            let persistence = if self.last { Persistence::Closed } else { request.persistence };
            answer::write(output, request.status, request.is_head, persistence, date);
            if persistence == Persistence::Closed {
                // A client that asked for the close sends nothing after its request.
                let is_expected = request.persistence == Persistence::Closed && *used == input.len();
                return Ok(if is_expected { Next::Close } else { Next::Linger });
            }
            self.state = State::Head;
        }
    }

    /// The head at the beginning of `input`, and how much of it was used (by empty lines, if the head is not all there).
    fn head(&mut self, input: &[u8]) -> Result<(usize, Option<Request>), Status> {
        let empty = self.search.skip_empty_lines(input)?;
        if empty == input.len() {
            return Ok((empty, None));
        }
        let Some((len, request)) = self.search.take(&input[empty..])? else { return Ok((empty, None)) };
        self.search.reset();
        Ok((empty + len, Some(request)))
    }
}
