//! The answers, as bytes.

use super::date::Date;

/// Everything that a request can be answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Hello,
    BadRequest,
    NotFound,
    MethodNotAllowed,
    UriTooLong,
    FieldsTooLarge,
}

/// What an answer says about its connection. HTTP/1.1 keeps it without a word, HTTP/1.0 only with one (RFC 9112 §9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Persistence {
    Kept,
    KeptSaidSo,
    Closed,
}

impl Status {
    /// All of the head that stands before the date.
    ///
    /// Every answer is HTTP/1.1, to an HTTP/1.0 client too: it is the server's own version (RFC 9110 §6.2). None but
    /// the agreed response has a body, but each says so, since without Content-Length it would last until the close.
    const fn before_date(self) -> &'static [u8] {
        match self {
            Self::Hello => b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Type: text/plain\r\nDate: ",
            Self::BadRequest => b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nDate: ",
            Self::NotFound => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nDate: ",
            Self::MethodNotAllowed => {
                b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\nDate: "
            }
            Self::UriTooLong => b"HTTP/1.1 414 URI Too Long\r\nContent-Length: 0\r\nDate: ",
            Self::FieldsTooLarge => b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nDate: ",
        }
    }
}

/// The interim answer to `Expect: 100-continue` (RFC 9110 §10.1.1).
pub(super) const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Appends one answer; without its body if it is to HEAD.
pub(super) fn write(output: &mut Vec<u8>, status: Status, to_head: bool, persistence: Persistence, date: &Date) {
    output.extend_from_slice(status.before_date());
    output.extend_from_slice(date);
    output.extend_from_slice(match persistence {
        Persistence::Kept => b"\r\n\r\n",
        Persistence::KeptSaidSo => b"\r\nConnection: keep-alive\r\n\r\n",
        Persistence::Closed => b"\r\nConnection: close\r\n\r\n",
    });
    if status == Status::Hello && !to_head {
        output.extend_from_slice(crate::response::BODY.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Reply, differences};
    use std::time::UNIX_EPOCH;

    #[test]
    fn it_is_the_agreed_response() {
        for to_head in [false, true] {
            for persistence in [Persistence::Kept, Persistence::KeptSaidSo, Persistence::Closed] {
                let mut output = Vec::new();
                write(&mut output, Status::Hello, to_head, persistence, b"Thu, 01 Jan 1970 00:00:00 GMT");
                assert_eq!(differences(&Reply::parse(&output).unwrap(), to_head, UNIX_EPOCH), []);
            }
        }
    }
}
