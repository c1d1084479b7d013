//! The tools that are installed, against a server in this process: they are asked for what they do, and what they say is
//! what the server counted.

use std::{
    ffi::OsString,
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use hello_bench::load::{Extent, Failure, Job, LoadTool, Manner, Output, Report, SideFile, tool};

#[derive(Clone, Copy)]
enum Behaviour {
    Good,
    Every(u64, &'static str),
    Silent,
}

struct Server {
    url: String,
    requests: Arc<AtomicU64>,
    connections: Arc<AtomicU64>,
}

/// Ends with the process of the test.
fn serve(behaviour: Behaviour) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (requests, connections) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let server = Server { url, requests: requests.clone(), connections: connections.clone() };
    thread::spawn(move || {
        for stream in listener.incoming() {
            connections.fetch_add(1, Ordering::Relaxed);
            let requests = requests.clone();
            thread::spawn(move || answer(stream.unwrap(), behaviour, &requests));
        }
    });
    server
}

fn answer(mut stream: TcpStream, behaviour: Behaviour, requests: &AtomicU64) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut seen = Vec::new();
    loop {
        let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") else {
            let mut more = [0; 4096];
            match stream.read(&mut more).ok()? {
                0 => return None,
                n => seen.extend_from_slice(&more[..n]),
            }
            continue;
        };
        let head = String::from_utf8_lossy(&seen[..end]).to_lowercase();
        seen.drain(..end + 4);
        let nth = requests.fetch_add(1, Ordering::Relaxed) + 1;
        let status = match behaviour {
            Behaviour::Every(every, status) if nth.is_multiple_of(every) => status,
            Behaviour::Silent => continue,
            _ => "200 OK",
        };
        let close = head.contains("connection: close") || head.contains("http/1.0") && !head.contains("keep-alive");
        let connection = if close { "close" } else { "keep-alive" };
        let answer =
            format!("HTTP/1.1 {status}\r\nConnection: {connection}\r\nContent-Length: 12\r\n\r\nHello World\n");
        stream.write_all(answer.as_bytes()).ok()?;
        if close {
            return None;
        }
    }
}

fn job(url: &str, name: &str, manner: Manner) -> Job {
    let by_time = Extent::Time(Duration::from_secs(1));
    let connections = if name == "httperf" { 1 } else { 4 };
    let extent = if name == "wrk" { by_time } else { Extent::Requests(400) };
    Job { url: url.to_owned(), manner, connections, threads: 1, extent, timeout: Duration::from_secs(2) }
}

/// `None` if the tool is not installed.
fn drive(tool: &dyn LoadTool, job: &Job) -> Option<Result<Report, Failure>> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unique = format!("load_live-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
    let side_file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(unique);
    if let SideFile::Reads(text) = tool.side_file() {
        fs::write(&side_file, text).unwrap();
    }
    let args: Vec<OsString> = tool.command(job, &side_file).unwrap();
    let Ok(done) = Command::new(tool.name()).args(args).output() else {
        eprintln!("{} is not installed: {}", tool.name(), tool.install());
        return None;
    };
    let written = fs::read(&side_file).ok().filter(|_| tool.side_file() == SideFile::Writes);
    let _ = fs::remove_file(side_file);
    let output =
        Output { stdout: &done.stdout, stderr: &done.stderr, exit: done.status.into(), side_file: written.as_deref() };
    Some(tool.parse(&output))
}

const NAMES: [&str; 5] = ["wrk", "ab", "oha", "h2load", "httperf"];

#[test]
fn what_a_tool_says_is_what_the_server_counted() {
    for name in NAMES {
        for manner in [Manner::KeepAlive, Manner::Close] {
            let server = serve(Behaviour::Good);
            let Some(parsed) = drive(tool(name).unwrap(), &job(&server.url, name, manner)) else { continue };
            let report = parsed.unwrap_or_else(|failure| panic!("{name} {manner:?}: {failure}"));
            let said = report.requests.unwrap();
            let (counted, connections) =
                (server.requests.load(Ordering::Relaxed), server.connections.load(Ordering::Relaxed));
            // wrk stops with requests under way, one for each connection.
            let under_way = if name == "wrk" { 4 } else { 0 };
            assert!((said..=said + under_way).contains(&counted), "{name} {manner:?}: {said} said, {counted} counted");
            let fresh = connections >= said;
            assert_eq!(
                fresh,
                manner == Manner::Close,
                "{name} {manner:?}: {connections} connections for {said} requests"
            );
            if manner == Manner::KeepAlive && name == "ab" {
                assert_eq!(report.keep_alive_requests, Some(said));
            }
            if matches!(name, "wrk" | "ab" | "oha" | "h2load") {
                assert!(report.latency_us.p99 <= report.latency_us.max, "{name} {manner:?}");
                assert!(report.latency_us.p99.is_some_and(|p99| p99 > 0.0), "{name} {manner:?}");
            }
        }
    }
}

#[test]
fn every_answer_to_pipelined_requests_is_counted_once() {
    const DEPTH: u32 = 16;
    for name in ["wrk", "h2load"] {
        let server = serve(Behaviour::Good);
        let Some(parsed) = drive(tool(name).unwrap(), &job(&server.url, name, Manner::Pipelined { depth: DEPTH }))
        else {
            continue;
        };
        let report = parsed.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let said = report.requests.unwrap();
        let counted = server.requests.load(Ordering::Relaxed);
        // When the time is up, all that each of the 4 connections sent at once may be under way.
        let under_way = if name == "wrk" { 4 * u64::from(DEPTH) } else { 0 };
        assert!((said..=said + under_way).contains(&counted), "{name}: {said} said, {counted} counted");
        // wrk tries the address on a connection of its own first.
        let tried = u64::from(name == "wrk");
        assert_eq!(server.connections.load(Ordering::Relaxed), 4 + tried, "{name}");
        let together = if name == "wrk" { Some(DEPTH) } else { None };
        assert_eq!(report.batch, together, "{name}");
    }
}

#[test]
fn a_rate_is_kept_and_every_request_is_timed() {
    let server = serve(Behaviour::Good);
    let manner = Manner::FixedRate { rate: 1000 };
    let Some(parsed) = drive(tool("oha").unwrap(), &job(&server.url, "oha", manner)) else { return };
    let report = parsed.unwrap();
    assert_eq!(report.requests, Some(400));
    assert_eq!(server.requests.load(Ordering::Relaxed), 400);
    // It cannot be done before the last request is due.
    assert!(report.duration_s.is_some_and(|seconds| seconds > 0.3), "{report:?}");
    // All but the first tenth.
    assert_eq!(report.open_loop.unwrap().count(), 360);
}

#[test]
fn an_answer_that_is_not_2xx_fails_the_slice_of_every_tool() {
    for (every, status) in [(10, "503 Service Unavailable"), (1, "404 Not Found"), (1, "302 Found\r\nLocation: /")] {
        for name in NAMES {
            if name == "wrk" && status.starts_with('3') {
                continue; // It cannot see them; see load::wrk.
            }
            let server = serve(Behaviour::Every(every, status));
            let job = job(&server.url, name, Manner::KeepAlive);
            let Some(parsed) = drive(tool(name).unwrap(), &job) else { continue };
            let failure = parsed.unwrap_err();
            let seen = failure.seen;
            let (requests, bad) = (seen.requests.unwrap(), seen.errors.non_2xx.unwrap());
            assert!(requests.abs_diff(bad * every) <= every * 4, "{name} {status}: {bad} of {requests}");
            assert_eq!(seen.good_requests, Some(requests - bad), "{name} {status}");
            assert!(failure.reason.contains(&format!("{bad} of {requests} answers")), "{}", failure.reason);
        }
    }
}

#[test]
fn a_server_that_never_answers_fails_the_slice_in_time() {
    for name in NAMES {
        let server = serve(Behaviour::Silent);
        let timeout = Duration::from_secs(1);
        let job = match job(&server.url, name, Manner::KeepAlive) {
            job if matches!(name, "oha" | "h2load") => {
                Job { extent: Extent::Time(Duration::from_secs(1)), timeout, ..job }
            }
            job => Job { extent: if name == "wrk" { job.extent } else { Extent::Requests(4) }, timeout, ..job },
        };
        let Some(parsed) = drive(tool(name).unwrap(), &job) else { continue };
        let failure = parsed.unwrap_err();
        assert_ne!(failure.reason, "", "{name}");
        assert_eq!(failure.seen.requests.unwrap_or_default(), 0, "{name}: {failure}");
    }
}

#[test]
fn a_server_that_is_down_fails_the_slice() {
    let gone = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    for name in NAMES {
        let job = job(&format!("http://{gone}/"), name, Manner::Close);
        let Some(parsed) = drive(tool(name).unwrap(), &job) else { continue };
        let failure = parsed.unwrap_err();
        assert_eq!(failure.seen.good_requests.unwrap_or_default(), 0, "{name}: {failure}");
    }
}
