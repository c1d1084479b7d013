//! What the connection promises, request by request.

use std::time::{Duration, UNIX_EPOCH};

use super::*;

const HOST: &str = "Host: localhost\r\n";

fn at_1994() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(784_111_777)
}

/// What a connection makes of `input`, given at once.
fn answer(input: &str) -> (String, Next) {
    let mut output = Vec::new();
    let next = Connection::with_clock(at_1994).receive(input.as_bytes(), &mut output);
    (String::from_utf8(output).unwrap(), next)
}

/// The status codes in it, and what is next.
fn codes(input: &str) -> (Vec<u16>, Next) {
    let (output, next) = answer(input);
    let codes = output.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap()).collect();
    (codes, next)
}

fn get(fields: &str) -> String {
    format!("GET / HTTP/1.1\r\n{HOST}{fields}\r\n")
}

fn post(fields: &str, body: &str) -> String {
    format!("POST / HTTP/1.1\r\n{HOST}{fields}\r\n{body}")
}

#[track_caller]
fn refused(input: &str, status: u16) {
    // The request behind it must never be answered.
    let (codes, next) = codes(&format!("{input}{}", get("")));
    assert_eq!((codes, next), (vec![status], Next::Linger), "{input:?}");
}

#[test]
fn get_gives_the_agreed_response() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Type: text/plain\r\n\
                    Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nHello World\n";
    assert_eq!(answer(&get("")), (response.into(), Next::Read));
    assert_eq!(answer(&get("").repeat(3)), (response.repeat(3), Next::Read));
    assert_eq!(answer(&get("").replace("\r\n", "\n")).0, response);
    assert_eq!(answer(&get("").replace("GET / ", "GET /?a=b ")).0, response);
    assert_eq!(answer(&get("").replace("GET / ", "GET http://localhost ")).0, response);
    assert_eq!(answer(&get("").replace("GET", "HEAD")).0, response.replace("Hello World\n", ""));
}

#[test]
fn other_paths_and_methods_keep_the_connection() {
    assert_eq!(codes(&get("").replace("GET / ", "GET /a ").repeat(2)), (vec![404, 404], Next::Read));
    assert_eq!(codes(&get("").replace("GET / ", "OPTIONS * ")), (vec![404], Next::Read));
    let (output, next) = answer(&get("").replace("GET", "DELETE"));
    assert!(output.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\nDate: "));
    assert_eq!(next, Next::Read);
}

#[test]
fn http_1_0_closes_unless_it_asks_otherwise() {
    let (output, next) = answer("GET / HTTP/1.0\r\n\r\n");
    assert!(output.starts_with("HTTP/1.1 200 OK\r\n") && output.contains("\r\nConnection: close\r\n"));
    assert_eq!(next, Next::Close);
    let (output, next) = answer("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
    assert!(output.contains("\r\nConnection: keep-alive\r\n"));
    assert_eq!(next, Next::Read);
    let (_, next) = answer("GET / HTTP/1.0\r\nConnection: Keep-Alive, close\r\n\r\n");
    assert_eq!(next, Next::Close);
}

#[test]
fn close_is_found_in_any_list_and_any_field() {
    for fields in [
        "Connection: close\r\n",
        "connection: x, CLOSE ,y\r\n",
        "Connection: keep-alive\r\nConnection:close\r\n",
        "Connection: close, keep-alive\r\n",
    ] {
        let (output, next) = answer(&get(fields));
        assert!(output.contains("\r\nConnection: close\r\n"), "{fields}");
        assert_eq!(next, Next::Close, "{fields}");
    }
    assert_eq!(answer(&get("Connection: closed, keep-alive\r\n")).1, Next::Read);
}

#[test]
fn nothing_is_interpreted_after_the_close() {
    let mut connection = Connection::new();
    let mut output = Vec::new();
    let both = get("Connection: close\r\n") + &get("");
    assert_eq!(connection.receive(both.as_bytes(), &mut output), Next::Linger);
    let len = output.len();
    assert_eq!(connection.receive(get("").as_bytes(), &mut output), Next::Close);
    assert_eq!(output.len(), len);
}

#[test]
fn a_server_that_finishes_says_so_in_its_next_answer() {
    let mut connection = Connection::new();
    let mut output = Vec::new();
    assert_eq!(connection.receive(b"GET / HTTP/1.1\r\nHost", &mut output), Next::Read);
    connection.finish();
    assert_eq!(connection.receive(b": a\r\n\r\n", &mut output), Next::Linger);
    assert!(String::from_utf8(output).unwrap().contains("\r\nConnection: close\r\n"));
}

#[test]
fn bodies_are_skipped_and_never_read_as_requests() {
    let smuggled = get("");
    let length = format!("Content-Length: {}\r\n", smuggled.len());
    let chunked = format!("{:x};ext=1\r\n{smuggled}\r\n0\r\nTrailer: x\r\n\r\n", smuggled.len());
    for request in [
        post(&length, &smuggled),
        post(&format!("{length}{length}"), &smuggled),
        post("Transfer-Encoding: Chunked\r\n", &chunked),
        post("Content-Length: 0\r\n", ""),
        post("", ""),
    ] {
        assert_eq!(codes(&(request.clone() + &get(""))), (vec![405, 200], Next::Read), "{request}");
    }
    let with_body = post(&length, &smuggled).replace("POST", "GET");
    assert_eq!(codes(&(with_body + &get(""))), (vec![200, 200], Next::Read));
}

#[test]
fn a_body_is_awaited_before_the_answer() {
    let mut connection = Connection::new();
    let mut output = Vec::new();
    assert_eq!(connection.receive(post("Content-Length: 5\r\n", "abc").as_bytes(), &mut output), Next::Read);
    assert!(output.is_empty() && !connection.is_idle());
    assert_eq!(connection.receive(b"de", &mut output), Next::Read);
    assert!(output.starts_with(b"HTTP/1.1 405") && connection.is_idle());
}

#[test]
fn an_invitation_is_sent_to_whom_waits_for_it() {
    let expecting = post("Expect: 100-Continue\r\nContent-Length: 2\r\n", "");
    assert_eq!(answer(&expecting), ("HTTP/1.1 100 Continue\r\n\r\n".into(), Next::Read));
    assert_eq!(codes(&(expecting.clone() + "ab")), (vec![405], Next::Read));
    assert_eq!(codes(&(expecting.clone() + "a")), (vec![], Next::Read));
    assert_eq!(codes(&expecting.replace("HTTP/1.1", "HTTP/1.0")), (vec![], Next::Read));
    assert_eq!(codes(&post("Expect: 100-continue\r\n", "")), (vec![405], Next::Read));
}

#[test]
fn wrong_framing_is_refused() {
    for fields in [
        "Content-Length: +5\r\n",
        "Content-Length:\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        " Transfer-Encoding: chunked\r\n",
        "A: b\r\n folded\r\n",
    ] {
        refused(&post(fields, ""), 400);
    }
    refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
    refused(&post("Transfer-Encoding: chunked\r\n", "+5\r\nhello\r\n0\r\n\r\n"), 400);
}

#[test]
fn a_host_is_needed_once() {
    refused("GET / HTTP/1.1\r\n\r\n", 400);
    refused("GET http://localhost/ HTTP/1.1\r\n\r\n", 400);
    refused(&get(HOST), 400);
    refused("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400);
    refused("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400);
    assert_eq!(codes("GET / HTTP/1.1\r\nhOST:\r\n\r\n"), (vec![200], Next::Read));
}

#[test]
fn garbage_is_refused_as_soon_as_it_is_known() {
    for garbage in ["\x16\x03\x01", "\0", " GET / HTTP/1.1\r\n", "GET /\r\n", "GET / HTTP/2.0\r\n", "nonsense\n", "\rG"]
    {
        assert_eq!(codes(garbage), (vec![400], Next::Linger), "{garbage:?}");
    }
    refused("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 400);
    refused("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400);
}

#[test]
fn empty_lines_before_a_request_are_ignored_within_bounds() {
    let most = usize::from(limits::EMPTY_LINES);
    assert_eq!(codes(&("\r\n".repeat(most) + &get(""))), (vec![200], Next::Read));
    assert_eq!(codes(&("\n".repeat(most) + &get("") + "\r\n" + &get(""))), (vec![200, 200], Next::Read));
    refused(&"\r\n".repeat(most + 1), 400);
    let mut connection = Connection::new();
    assert_eq!(connection.receive(b"\r\n", &mut Vec::new()), Next::Read);
    assert!(connection.is_idle());
}

#[test]
fn too_large_a_head_is_refused() {
    let fields = |n: usize| "a: b\r\n".repeat(n - 1);
    assert_eq!(codes(&get(&fields(limits::FIELDS))), (vec![200], Next::Read));
    refused(&get(&fields(limits::FIELDS + 1)), 431);

    let long = |n: usize| get(&format!("a: {}\r\n", "b".repeat(n - get("a: \r\n").len())));
    assert_eq!(codes(&long(limits::HEAD)), (vec![200], Next::Read));
    refused(&long(limits::HEAD + 1), 431);

    let line = |n: usize| get("").replace("GET / ", &format!("GET /?{} ", "a".repeat(n - "GET /? HTTP/1.1".len())));
    assert_eq!(codes(&line(limits::REQUEST_LINE)), (vec![200], Next::Read));
    refused(&line(limits::REQUEST_LINE + 1), 414);
    refused(&"a".repeat(limits::REQUEST_LINE + 2), 414);
}

#[test]
fn a_head_that_comes_byte_by_byte_is_not_parsed_again_and_again() {
    // 64 KiB one by one: seconds if each byte looked at all before it.
    let head = get(&format!("a: {}\r\n", "b\tc ".repeat(limits::HEAD / 4 - 20)));
    let mut connection = Connection::new();
    let mut output = Vec::new();
    let begin = std::time::Instant::now();
    for byte in head.as_bytes().chunks(1) {
        assert_eq!(connection.receive(byte, &mut output), Next::Read);
    }
    assert!(output.starts_with(b"HTTP/1.1 200"));
    assert!(begin.elapsed() < Duration::from_millis(500), "{:?}", begin.elapsed());
}

#[test]
fn only_the_beginning_of_a_head_is_kept() {
    let mut connection = Connection::new();
    let mut output = Vec::new();
    let _ = connection.receive(post("Content-Length: 9999999\r\n", "").as_bytes(), &mut output);
    let _ = connection.receive(&vec![0; 100_000], &mut output);
    assert_eq!(connection.kept.capacity(), 0);
}
