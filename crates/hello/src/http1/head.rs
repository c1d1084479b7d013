//! The head of a request: where it ends, and what it asks for.

use std::mem::{self, MaybeUninit};

use super::answer::{Persistence, Status};
use super::body::Body;
use super::{field, limits};

/// What a head asks for.
#[derive(Debug)]
pub(super) struct Request {
    /// What it is answered with, once its body has come.
    pub(super) status: Status,
    /// Whether it is a HEAD, whose answer has no body.
    pub(super) is_head: bool,
    /// What becomes of the connection, if it is left to the client.
    pub(super) persistence: Persistence,
    /// Whether the client waits for a 100 before it sends the body.
    pub(super) expects_continue: bool,
    /// The body to skip.
    pub(super) body: Option<Body>,
}

/// How far a head that came only in part has been looked at, so that no byte is looked at again and again.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Bytes at the beginning in which the end of the head is not.
    searched: usize,
    /// Whether the request line is there, and good.
    has_request_line: bool,
    /// How many empty lines stood before the request line.
    empty_lines: u8,
}

impl Search {
    /// How many bytes of empty lines stand where a request line should (RFC 9112 §2.2); they are never looked at again.
    pub(super) fn skip_empty_lines(&mut self, bytes: &[u8]) -> Result<usize, Status> {
        let mut skipped = 0;
        loop {
            skipped += match &bytes[skipped..] {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => return Ok(skipped),
            };
            self.searched = 0;
            self.empty_lines += 1;
            if self.empty_lines > limits::EMPTY_LINES {
                return Err(Status::BadRequest);
            }
        }
    }

    /// The head at the beginning of `bytes` and its length, or `None` if its end has not come.
    ///
    /// If it is not there the first time, the head is parsed only twice more: its request line when that is complete,
    /// so that garbage is answered soon, and all of it when its end has come. Errors are those of complete lines, so
    /// that they do not depend on how the input was split.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Option<(usize, Request)>, Status> {
        let bytes = &bytes[..bytes.len().min(limits::HEAD)];
        // What is no HTTP at all, such as a TLS handshake, may never have a line.
        if !matches!(bytes, [] | [b'\r']) && !field::is_token(bytes[0]) {
            return Err(Status::BadRequest);
        }
        if self.searched == 0
            && bytes.len() <= limits::REQUEST_LINE
            && let Ok(Some(found)) = parse(bytes)
        {
            return Ok(Some(found));
        }
        if !self.has_request_line {
            let Some(line) = find(b'\n', &bytes[self.searched..]).map(|at| self.searched + at) else {
                self.searched = bytes.len();
                return if bytes.len() > limits::REQUEST_LINE + 1 { Err(Status::UriTooLong) } else { Ok(None) };
            };
            if line > limits::REQUEST_LINE + 1 {
                return Err(Status::UriTooLong);
            }
            parse(&bytes[..=line])?;
            self.has_request_line = true;
            self.searched = line;
        }
        if let Some(end) = end_of_head(bytes, self.searched) {
            *self = Self::default();
            return parse(&bytes[..end])?.ok_or(Status::BadRequest).map(Some);
        }
        if bytes.len() == limits::HEAD {
            return Err(Status::FieldsTooLarge);
        }
        // The last bytes may be the beginning of the end.
        self.searched = self.searched.max(bytes.len().saturating_sub(2));
        Ok(None)
    }

    /// Makes ready for the next head.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&b| b == byte)
}

/// Where the first empty line at or behind `from` ends. A line may end in LF alone (RFC 9112 §2.2).
fn end_of_head(bytes: &[u8], mut from: usize) -> Option<usize> {
    while let Some(at) = find(b'\n', &bytes[from..]) {
        from += at + 1;
        match &bytes[from..] {
            [b'\n', ..] => return Some(from + 1),
            [b'\r', b'\n', ..] => return Some(from + 2),
            _ => {}
        }
    }
    None
}

fn parse(bytes: &[u8]) -> Result<Option<(usize, Request)>, Status> {
    let mut fields = [const { MaybeUninit::uninit() }; limits::FIELDS];
    let mut head = httparse::Request::new(&mut []);
    match head.parse_with_uninit_headers(bytes, &mut fields) {
        Ok(httparse::Status::Complete(len)) => Ok(Some((len, understand(&head)?))),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::TooManyHeaders) => Err(Status::FieldsTooLarge),
        Err(_) => Err(Status::BadRequest),
    }
}

fn understand(head: &httparse::Request<'_, '_>) -> Result<Request, Status> {
    let http11 = head.version == Some(1);
    let (mut has_host, mut close, mut keep_alive, mut chunked, mut expects_continue) =
        (false, false, false, false, false);
    let mut length = None;
    for field in head.headers.iter() {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        // By length first: most fields are none of these, and that is the cheapest way to know.
        match field.name.len() {
            // More than one, or one that is no host, is refused in any version (RFC 9112 §3.2).
            4 if is("host") => {
                let is_second = mem::replace(&mut has_host, true);
                if is_second || !field::is_host(field.value) {
                    return Err(Status::BadRequest);
                }
            }
            6 if is("expect") => {
                expects_continue |= field::list(field.value).any(|e| e.eq_ignore_ascii_case(b"100-continue"));
            }
            10 if is("connection") => {
                for option in field::list(field.value) {
                    close |= option.eq_ignore_ascii_case(b"close");
                    keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if is("content-length") => {
                let value = field::content_length(field.value)?;
                if length.replace(value).is_some_and(|other| other != value) {
                    return Err(Status::BadRequest);
                }
            }
            // No coding but chunked is known here, and chunked twice is an error (RFC 9112 §6.1). An HTTP/1.0
            // client cannot know it, so that something between would frame the message differently.
            17 if is("transfer-encoding") => {
                if chunked || !http11 || !field.value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Status::BadRequest);
                }
                chunked = true;
            }
            _ => {}
        }
    }
    // Both framings at once are how requests are smuggled (RFC 9112 §6.3, §11.2).
    if (http11 && !has_host) || (chunked && length.is_some()) {
        return Err(Status::BadRequest);
    }
    let method = head.method.unwrap_or_default();
    let is_root = is_root(method, head.path.unwrap_or_default().as_bytes())?;
    Ok(Request {
        status: match method {
            _ if !is_root => Status::NotFound,
            "GET" | "HEAD" => Status::Hello,
            _ => Status::MethodNotAllowed,
        },
        is_head: method == "HEAD",
        // `close` wins over `keep-alive` (RFC 9112 §9.3).
        persistence: match (close, http11, keep_alive) {
            (true, ..) | (false, false, false) => Persistence::Closed,
            (false, true, _) => Persistence::Kept,
            (false, false, true) => Persistence::KeptSaidSo,
        },
        // An HTTP/1.0 client is never sent a 100 (RFC 9110 §10.1.1).
        expects_continue: expects_continue && http11,
        body: match length {
            _ if chunked => Some(Body::chunked()),
            None | Some(0) => None,
            Some(length) => Some(Body::Length(length)),
        },
    })
}

/// Whether a request target is the path `/`, whatever its query (RFC 9112 §3.2).
fn is_root(method: &str, target: &[u8]) -> Result<bool, Status> {
    let path = match target {
        b"/" => return Ok(true),
        [b'/', ..] => target,
        // These two have no path at all, so that nothing of ours can be there.
        b"*" if method == "OPTIONS" => return Ok(false),
        _ if method == "CONNECT" => return Ok(false),
        _ => path_of_absolute_form(target).ok_or(Status::BadRequest)?,
    };
    Ok(matches!(path, [] | [b'/'] | [b'/', b'?', ..] | [b'?', ..]))
}

/// `http://host/path?query` → `/path?query`; every server must take it (RFC 9112 §3.2.2). An empty path is `/`.
fn path_of_absolute_form(target: &[u8]) -> Option<&[u8]> {
    let scheme = find(b':', target)?;
    if !target[..scheme].eq_ignore_ascii_case(b"http") && !target[..scheme].eq_ignore_ascii_case(b"https") {
        return None;
    }
    let rest = target[scheme + 1..].strip_prefix(b"//")?;
    let (authority, path) = rest.split_at(rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len()));
    // A URI of http without a host is invalid, and one with user information suspicious (RFC 9110 §4.2.1, §4.2.4).
    (!authority.is_empty() && !authority.starts_with(b":") && field::is_host(authority)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_has_many_names() {
        for root in ["/", "/?", "/?a=/b", "http://a", "http://a/", "HTTP://a:80/?x", "https://[::1]:1?x"] {
            assert_eq!(is_root("GET", root.as_bytes()), Ok(true), "{root}");
        }
        for other in ["//", "/a", "/a?/", "http://a//", "http://a/b", "/%2f", "/./"] {
            assert_eq!(is_root("GET", other.as_bytes()), Ok(false), "{other}");
        }
        for bad in ["*", "a", "a:80", "http:/", "http://", "http:///", "http://:80/", "ftp://a/", "http://u@a/", "?"] {
            assert_eq!(is_root("GET", bad.as_bytes()), Err(Status::BadRequest), "{bad}");
        }
        assert_eq!(is_root("OPTIONS", b"*"), Ok(false));
        assert_eq!(is_root("CONNECT", b"a:80"), Ok(false));
    }

    #[test]
    fn the_end_of_a_head_is_an_empty_line_of_either_kind() {
        assert_eq!(end_of_head(b"a\r\nb\r\n\r\nc", 0), Some(8));
        assert_eq!(end_of_head(b"a\n\nc", 0), Some(3));
        assert_eq!(end_of_head(b"a\n\r\nc", 0), Some(4));
        assert_eq!(end_of_head(b"a\r\nb\r\n\r", 0), None);
    }
}
