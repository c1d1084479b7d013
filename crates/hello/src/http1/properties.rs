//! What holds for every input: the split does not matter, and nothing panics.

use std::time::{Duration, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

/// The final responses to `input` when it comes in these pieces, and whether the connection is then closed or idle.
fn converse<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (String, bool, bool) {
    let mut connection = Connection::with_clock(clock);
    let mut output = Vec::new();
    let mut closed = false;
    for piece in pieces {
        closed = connection.receive(piece, &mut output) != Next::Read;
        assert!(connection.kept.len() < limits::HEAD);
    }
    // Whether a 100 is sent depends on whether the body came with the head, and it may.
    let output = String::from_utf8(output).unwrap().replace("HTTP/1.1 100 Continue\r\n\r\n", "");
    (output, closed, connection.is_idle())
}

fn pieces<'a>(input: &'a [u8], cuts: &[Index]) -> impl Iterator<Item = &'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).chain([0, input.len()]).collect();
    cuts.sort_unstable();
    (1..cuts.len()).map(move |i| &input[cuts[i - 1]..cuts[i]])
}

/// A well-formed request, and the status that answers it.
fn request() -> impl Strategy<Value = (Vec<u8>, u16)> {
    let target =
        select(vec![("/", true), ("/?q=1", true), ("http://a:80", true), ("/a", false), ("http://a/b?/", false)]);
    let method = select(vec!["GET", "HEAD", "POST", "PUT", "X-Y"]);
    let line_end = select(vec!["\r\n", "\n"]);
    let before = select(vec!["", "", "", "\r\n", "\n\r\n"]);
    (method, target, line_end, before, vec(field(), 0..6), body()).prop_map(
        |(method, (target, is_root), end, before, fields, (framing, body))| {
            let mut bytes = format!("{before}{method} {target} HTTP/1.1{end}").into_bytes();
            for field in fields.iter().map(String::as_str).chain(["Host: localhost"]).chain(framing.lines()) {
                bytes.extend_from_slice(field.as_bytes());
                bytes.extend_from_slice(end.as_bytes());
            }
            bytes.extend_from_slice(end.as_bytes());
            bytes.extend_from_slice(&body);
            let status = match method {
                _ if !is_root => 404,
                "GET" | "HEAD" => 200,
                _ => 405,
            };
            (bytes, status)
        },
    )
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z-]{11,13}:[ \t]{0,2}[ -~]{0,40}",
        select(vec!["Connection: keep-alive", "Expect: 100-continue", "Connection: , x,y", "Accept: */*"])
            .prop_map(str::to_owned),
    ]
}

/// The fields that frame a body, and the body.
fn body() -> impl Strategy<Value = (String, Vec<u8>)> {
    let bytes = || vec(any::<u8>(), 0..60);
    let chunk = (vec(any::<u8>(), 1..40), select(vec!["", ";a=b", " ; q=\"x;y\"", ";"]));
    let trailers = select(vec!["", "A: b\r\n", "A: b\r\nC: GET / HTTP/1.1\r\n"]);
    prop_oneof![
        Just((String::new(), Vec::new())),
        bytes().prop_map(|body| (format!("Content-Length: {}", body.len()), body)),
        (vec(chunk, 0..4), trailers).prop_map(|(chunks, trailers)| {
            let mut body = Vec::new();
            for (data, extension) in chunks {
                body.extend_from_slice(format!("{:X}{extension}\r\n", data.len()).as_bytes());
                body.extend_from_slice(&data);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(format!("000\r\n{trailers}\r\n").as_bytes());
            ("Transfer-Encoding: chunked".to_owned(), body)
        }),
    ]
}

fn pipeline() -> impl Strategy<Value = (Vec<u8>, Vec<u16>)> {
    vec(request(), 1..6).prop_map(|requests| {
        let (bytes, codes): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
        (bytes.concat(), codes)
    })
}

/// A pipeline with some of its bytes changed, removed, or replaced by what a parser may trip over.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let scrap = select(vec![
        "",
        "\r",
        "\n",
        "\r\n",
        "\r\n\r\n",
        " ",
        ":",
        ",",
        "\0",
        "é",
        "0",
        "+",
        "GET / HTTP/1.0\r\n\r\n",
        "\r\nConnection: close",
        "\r\nContent-Length: 3",
        "\r\nContent-Length: +3",
        "\r\nTransfer-Encoding: chunked",
        "\r\nHost: b",
        "HTTP/1.0",
        "ffffffffffffffffff\r\n",
        "\r\nExpect: 100-continue",
    ]);
    (pipeline(), vec((any::<Index>(), 0..20_usize, scrap), 1..4)).prop_map(|((mut bytes, _), edits)| {
        for (at, removed, scrap) in edits {
            let from = at.index(bytes.len() + 1);
            let to = bytes.len().min(from + removed);
            bytes.splice(from..to, scrap.bytes());
        }
        bytes
    })
}

/// Something that goes over one of the limits, or nearly.
fn oversized() -> impl Strategy<Value = Vec<u8>> {
    let around = |limit: usize| limit - 40..limit + 40;
    prop_oneof![
        around(limits::REQUEST_LINE).prop_map(|n| format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(n))),
        around(limits::HEAD).prop_map(|n| format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "a".repeat(n))),
        (90..110_usize).prop_map(|n| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "a:\r\n".repeat(n))),
        (0..20_usize).prop_map(|n| format!("{}GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n".repeat(n))),
        (limits::CHUNK_LINE as usize - 9..limits::CHUNK_LINE as usize + 9).prop_map(|n| format!(
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0;{}\r\n\r\n",
            "a".repeat(n)
        )),
    ]
    .prop_map(|text| (text + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes())
}

fn any_input() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => mutated(),
        2 => pipeline().prop_map(|(bytes, _)| bytes),
        1 => oversized(),
        1 => vec(any::<u8>(), 0..300),
        1 => vec(select(b"GET / HTP1.0\r\n:;,".to_vec()), 0..300),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_split_does_not_matter(input in any_input(), cuts in vec(any::<Index>(), 0..12)) {
        let whole = converse(std::iter::once(input.as_slice()));
        prop_assert_eq!(&whole, &converse(pieces(&input, &cuts)));
        prop_assert_eq!(&whole, &converse(input.chunks(1)));
    }

    #[test]
    fn every_request_of_a_pipeline_is_answered((input, codes) in pipeline(), cuts in vec(any::<Index>(), 0..12)) {
        let (output, closed, idle) = converse(pieces(&input, &cuts));
        let answered: Vec<u16> = output.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap()).collect();
        prop_assert_eq!(answered, codes);
        prop_assert!(!closed && idle);
    }
}
