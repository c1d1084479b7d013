//! What may_minihttp leaves to its user about a connection, and an HTTP server cannot do without.
//!
//! may_minihttp parses requests and writes responses. By itself it never closes a connection and never sends
//! `Connection`, so that an HTTP/1.0 client such as ab waits for ever, with `-k` and without; it takes the body of a
//! request that was not read for the next request; and it panics on a Content-Length that is not a number. All it
//! gives its user to mend this is the request, and the connection's file descriptor.

use std::net::Shutdown;
use std::os::fd::{BorrowedFd, RawFd};

use may::coroutine::{Coroutine, JoinHandle};
use may_minihttp::{Request, Response};
use socket2::SockRef;

/// One connection, as long as may_minihttp serves it.
pub(crate) struct Connection {
    fd: RawFd,
    /// A request was refused: where the next one begins is not known.
    refused: bool,
}

/// How a request wants the connection to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Persistence {
    /// HTTP/1.1: kept, and nothing need be said.
    Kept,
    /// HTTP/1.0 that asked to keep the connection: kept, and told so.
    KeptAsAsked,
    /// Closed after the response.
    Closed,
}

/// Status and reason of a request that is not served.
type Refusal = (usize, &'static str);

impl Connection {
    /// The connection that `HttpServiceFactory::new_service` is given the `id` of, which is its descriptor.
    pub(crate) fn new(id: usize) -> Self {
        let fd = RawFd::try_from(id).expect("a file descriptor");
        let connection = Self { fd, refused: false };
        // A connection that is gone already is may_minihttp's to notice.
        SockRef::from(&connection.socket()).set_tcp_nodelay(true).ok();
        connection
    }

    /// Answers a request with what `route` makes of path and method, reads over its body, and has the connection
    /// closed if that was the last one.
    pub(crate) fn answer(
        &mut self,
        request: Request,
        response: &mut Response,
        route: impl FnOnce(&str, &str, &mut Response),
    ) {
        if self.refused {
            // It was read together with a refused request, and may be its body. may_minihttp would send an answer.
            return self.shutdown(Shutdown::Both);
        }
        let fields = request.headers().iter().map(|field| (field.name, field.value));
        let persistence = match look_at(request.version(), fields) {
            Ok(persistence) => persistence,
            Err((status, reason)) => {
                self.refused = true;
                response.status_code(status, reason).header("Connection: close");
                return self.shutdown(Shutdown::Read);
            }
        };
        let path = request.path();
        route(path.split_once('?').map_or(path, |(path, _)| path), request.method(), response);
        drop(request.body());
        match persistence {
            Persistence::Kept => {}
            Persistence::KeptAsAsked => {
                response.header("Connection: keep-alive");
            }
            Persistence::Closed => {
                response.header("Connection: close");
                self.shutdown(Shutdown::Read);
            }
        }
    }

    /// `Read` makes may_minihttp find the end of the input once it has sent its responses, and close.
    fn shutdown(&self, how: Shutdown) {
        // It fails only if the client was faster.
        SockRef::from(&self.socket()).shutdown(how).ok();
    }

    #[allow(unsafe_code)]
    fn socket(&self) -> BorrowedFd<'_> {
        // SAFETY: the descriptor is open for as long as this `Connection` lives. may_minihttp's `start` reads it from
        // the `TcpStream` that it holds while it calls `new_service`, then moves that stream and the service into one
        // closure, which lends the stream to `each_connection_loop` and gives it the service: the service, and with it
        // this `Connection`, which nothing else has or can copy, is dropped there, before the stream.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

/// Looks at the version and the header fields of a request before may_minihttp acts on them.
///
/// Refused are (RFC 9112 §6.3) a body of which may_minihttp would not find the end, and a length that it would panic on.
fn look_at<'a>(version: u8, fields: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<Persistence, Refusal> {
    const BAD_REQUEST: Refusal = (400, "Bad Request");
    const LENGTH_REQUIRED: Refusal = (411, "Length Required");

    let mut has_length = false;
    let mut has_coding = false;
    let (mut keep_alive, mut close) = (false, false);
    for (name, value) in fields {
        if name.eq_ignore_ascii_case("content-length") {
            if has_length || !is_length(value) {
                return Err(BAD_REQUEST);
            }
            has_length = true;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            has_coding = true;
        } else if name.eq_ignore_ascii_case("connection") {
            for option in value.split(|&byte| byte == b',') {
                keep_alive |= option.trim_ascii().eq_ignore_ascii_case(b"keep-alive");
                close |= option.trim_ascii().eq_ignore_ascii_case(b"close");
            }
        }
    }
    if has_coding {
        return Err(if has_length { BAD_REQUEST } else { LENGTH_REQUIRED });
    }
    Ok(match (version, close, keep_alive) {
        (_, true, _) | (0, false, false) => Persistence::Closed,
        (0, false, true) => Persistence::KeptAsAsked,
        (_, false, _) => Persistence::Kept,
    })
}

/// Digits only, though `"+5".parse::<usize>()` is 5, and few enough for the `usize` that may_minihttp parses.
fn is_length(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_digit) && str::from_utf8(value).is_ok_and(|text| text.parse::<usize>().is_ok())
}

/// Serves until the process is told to stop, and for the grace period of [`hello::on_stop`] from then on: may_minihttp
/// does not say when its connections are idle, so there is no telling when the last of them is done.
pub(crate) fn serve_until_stopped(server: JoinHandle<()>) -> hello::Result {
    let accepting = server.coroutine().clone();
    hello::on_stop(move || stop(&accepting))?;
    // Its end is the one asked for above; the process ends with the grace period.
    server.join().ok();
    loop {
        std::thread::park();
    }
}

/// Ends the coroutine that accepts connections; its listener is closed with it. The connections live on.
#[allow(unsafe_code)]
fn stop(accepting: &Coroutine) {
    // SAFETY: a cancelled coroutine unwinds from where it next waits. This one waits only in `accept`, and holds nothing
    // but its listener and the factory, which are dropped as they would be at the end of its scope; nobody else uses
    // them. may_minihttp's `start` says that its coroutine is there to be cancelled when the service is to stop.
    unsafe { accepting.cancel() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(version: u8, fields: &[(&str, &str)]) -> Result<Persistence, Refusal> {
        look_at(version, fields.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn http_1_1_is_kept_unless_asked_to_close() {
        assert_eq!(look(1, &[]), Ok(Persistence::Kept));
        assert_eq!(look(1, &[("connection", "keep-alive")]), Ok(Persistence::Kept));
        assert_eq!(look(1, &[("Connection", "Upgrade, Close")]), Ok(Persistence::Closed));
    }

    #[test]
    fn http_1_0_is_closed_unless_asked_to_be_kept() {
        assert_eq!(look(0, &[]), Ok(Persistence::Closed));
        assert_eq!(look(0, &[("Connection", "Keep-Alive")]), Ok(Persistence::KeptAsAsked));
        assert_eq!(look(0, &[("Connection", "keep-alive, close")]), Ok(Persistence::Closed));
    }

    #[test]
    fn a_body_whose_end_cannot_be_found_is_refused() {
        for length in ["+5", "-5", "abc", "", "5, 5", "5 5", "0x5", "99999999999999999999"] {
            assert_eq!(look(1, &[("Content-Length", length)]).unwrap_err().0, 400, "{length:?}");
        }
        assert_eq!(look(1, &[("Content-Length", "5"), ("content-length", "6")]).unwrap_err().0, 400);
        assert_eq!(look(1, &[("Content-Length", "5"), ("Transfer-Encoding", "chunked")]).unwrap_err().0, 400);
        assert_eq!(look(1, &[("transfer-encoding", "chunked")]).unwrap_err().0, 411);
        assert_eq!(look(1, &[("Content-Length", "5")]), Ok(Persistence::Kept));
    }
}
