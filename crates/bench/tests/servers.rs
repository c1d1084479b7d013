//! Every server of the workspace, built as it is measured, started for real and driven by hand-made requests, ab and
//! wrk. A new server is found by its metadata and held to the same promises.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use hello_bench::check::{POINTS, verify};
use hello_bench::load::Shape;
use hello_bench::process::Server;
use hello_bench::process::server::StartOptions;
use hello_bench::targets::{Source, Target, Workers, Workspace};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long a server may take to end once it is told to.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// The servers, built; once for all tests.
fn servers() -> &'static [Target] {
    static SERVERS: OnceLock<Vec<Target>> = OnceLock::new();
    SERVERS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let workspace = Workspace::read(&root).unwrap();
        assert!(workspace.targets.len() >= 10, "only {} servers were found", workspace.targets.len());
        for target in &workspace.targets {
            let Source::Package { package, .. } = &target.source else { continue };
            let line = Workspace::build_command(package);
            let built = Command::new(&line[0]).args(&line[1..]).current_dir(&workspace.root).status().unwrap();
            assert!(built.success(), "{package} does not build");
        }
        workspace.targets
    })
}

fn binary(target: &Target) -> &PathBuf {
    let Source::Package { binary, .. } = &target.source else { panic!("{} is no server of ours", target.name()) };
    binary
}

/// A server that runs on a port of the kernel's choosing; killed, if a test ends early.
struct Running {
    child: Child,
    address: SocketAddr,
}

impl Running {
    fn start(target: &Target, args: &[&str]) -> Self {
        let mut child =
            Command::new(binary(target)).args(["--port", "0"]).args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.trim().trim_end_matches('/').parse().ok());
        let address = address.unwrap_or_else(|| panic!("{} announces no URL but {line:?}", target.name()));
        let running = Self { child, address };
        // The announcement may come a moment before the runtime is up.
        let deadline = Instant::now() + Duration::from_secs(5);
        while hello::check::check(&running.url()).is_err() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        running
    }

    fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream
    }

    fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().count()
    }

    /// Signals it; how it ended, and after what time.
    fn stop(mut self, signal: Signal) -> (Option<i32>, Duration) {
        let began = Instant::now();
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.code(), began.elapsed());
            }
            assert!(began.elapsed() < 2 * STOP_LIMIT, "it does not end on {signal}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The number behind a label of ab's report.
fn ab_count(report: &str, label: &str) -> u64 {
    let line = report.lines().find(|line| line.starts_with(label));
    line.map_or(0, |line| line.split_whitespace().find_map(|word| word.parse().ok()).unwrap())
}

#[test]
fn every_server_gives_the_agreed_response_point_by_point() {
    let logs = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for target in servers() {
        let log = logs.path().join(target.name());
        // The harness itself, as the supervisor.
        let options = StartOptions {
            program: Path::new(env!("CARGO_BIN_EXE_hello-bench")),
            workers: None,
            log: &log,
            environment_padding: 0,
            containers: None,
        };
        let server = Server::start(target, &options).unwrap_or_else(|error| panic!("{}: {error}", target.name()));
        for (point, finding) in verify(target) {
            if finding.is_wrong() {
                wrong.push(format!("{}: {}: {finding:?}", target.name(), point.name));
            }
        }
        server.stop().unwrap();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_server_describes_itself_as_it_is() {
    let mut ports = BTreeSet::new();
    for target in servers() {
        let (name, description) = (target.name(), &target.description);
        assert!(ports.insert(description.port), "port {} of {name} is another's too", description.port);
        assert!((1024..32768).contains(&description.port), "port {} of {name}", description.port);
        assert!(target.version.is_some(), "{name} names a framework that is not in the lock file");
        let help = text(&run(binary(target).to_str().unwrap(), &["--help"]));
        let port = format!("[default: {}]", description.port);
        assert!(help.contains(&port), "{name} has another port in its metadata than in main.rs:\n{help}");
        if let Workers::Default(n) = description.workers {
            assert!(help.contains(&format!("[default: {n}]")), "{name} has another default of workers:\n{help}");
        }
        assert_eq!(description.workers == Workers::Fixed, help.contains("Does not apply"), "{name}: --workers");
        for point in description.cannot.keys() {
            assert!(POINTS.iter().any(|known| known.name == point), "{name} cannot {point}, which is no point");
        }
        let version = run(binary(target).to_str().unwrap(), &["--version"]);
        assert_eq!(text(&version).trim(), format!("server-{name} {}", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn ab_gets_every_answer_with_and_without_keep_alive() {
    for target in servers() {
        let server = Running::start(target, &[]);
        for keep in [&[][..], &["-k"][..]] {
            let url = server.url();
            let args: Vec<&str> = [keep, &["-q", "-n", "2000", "-c", "10", "-s", "10", &url]].concat();
            let output = run("ab", &args);
            let report = text(&output);
            let name = target.name();
            assert!(output.status.success(), "{name} {keep:?}: {report}");
            assert_eq!(ab_count(&report, "Complete requests:"), 2000, "{name} {keep:?}: {report}");
            assert_eq!(ab_count(&report, "Failed requests:"), 0, "{name} {keep:?}: {report}");
            assert_eq!(ab_count(&report, "Non-2xx responses:"), 0, "{name} {keep:?}: {report}");
            if !keep.is_empty() {
                let kept = ab_count(&report, "Keep-Alive requests:");
                let wanted = if target.description.shapes.contains(&Shape::KeepAlive) { 2000 } else { 0 };
                // A pool that is as large as the number of connections may still see one of them wait.
                let least = if matches!(target.description.workers, Workers::Default(_)) { 0 } else { wanted };
                assert!((least..=wanted).contains(&kept), "{name} kept {kept}: {report}");
            }
        }
    }
}

#[test]
fn wrk_gets_good_answers_in_both_shapes() {
    for target in servers() {
        let server = Running::start(target, &[]);
        for header in [&[][..], &["-H", "Connection: close"][..]] {
            let url = server.url();
            let args: Vec<&str> = [&["-t1", "-c32", "-d1s"][..], header, &[&url]].concat();
            let report = text(&run("wrk", &args));
            let name = target.name();
            assert!(report.contains("requests in"), "{name} {header:?}: {report}");
            assert!(!report.contains("\n  0 requests in"), "{name} {header:?}: {report}");
            assert!(!report.contains("Socket errors"), "{name} {header:?}: {report}");
            assert!(!report.contains("Non-2xx"), "{name} {header:?}: {report}");
        }
    }
}

#[test]
fn a_thousand_connections_are_served_at_once() {
    for target in servers() {
        let server = Running::start(target, &[]);
        let streams: Vec<TcpStream> = (0..1000).map(|_| server.connect()).collect();
        for mut stream in &streams {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        }
        for (n, mut stream) in streams.iter().enumerate() {
            let mut reply = Vec::new();
            stream.read_to_end(&mut reply).unwrap_or_else(|error| panic!("{} {n}: {error}", target.name()));
            assert!(reply.ends_with(b"Hello World\n"), "{} {n}: {}", target.name(), String::from_utf8_lossy(&reply));
        }
    }
}

#[test]
fn a_signal_ends_every_server_well_and_soon() {
    for target in servers() {
        let name = target.name();
        for signal in [Signal::SIGTERM, Signal::SIGINT] {
            let server = Running::start(target, &[]);
            let mut idle = server.connect();
            idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            assert!(idle.read(&mut [0; 1024]).unwrap() > 0);
            let mut half = server.connect();
            half.write_all(b"GET / HT").unwrap();
            let (status, took) = server.stop(signal);
            assert_eq!(status, Some(0), "{name} on {signal}");
            assert!(took < STOP_LIMIT, "{name} took {took:?} to end on {signal}");
        }
    }
}

#[test]
fn a_port_in_use_is_one_line_and_status_1() {
    for target in servers() {
        let name = target.name();
        let server = Running::start(target, &[]);
        let port = server.address.port().to_string();
        let second = run(binary(target).to_str().unwrap(), &["--port", &port]);
        assert_eq!(second.status.code(), Some(1), "{name}: {}", text(&second));
        let said = text(&second);
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert!(said.contains(&port) && said.contains("in use"), "{name}: {said}");
        hello::check::check(&server.url()).unwrap_or_else(|why| panic!("{name} does not serve any more: {why}"));
    }
}

#[test]
fn the_number_of_workers_is_the_number_of_threads() {
    for target in servers() {
        let name = target.name();
        let threads = |workers: &str| {
            let server = Running::start(target, &["--workers", workers]);
            // Some runtimes start a thread with its first work.
            run("ab", &["-q", "-n", "500", "-c", "10", &server.url()]);
            // The threads of connections end a moment after these.
            let looks = (0..50).map(|_| {
                std::thread::sleep(Duration::from_millis(20));
                server.threads()
            });
            looks.min().unwrap()
        };
        let (one, four) = (threads("1"), threads("4"));
        if target.description.workers == Workers::Fixed {
            assert_eq!(one, four, "{name} has {one} threads with --workers 1 and {four} with 4");
        } else {
            assert_eq!(four - one, 3, "{name} has {one} threads with --workers 1 and {four} with 4");
        }
    }
}

#[test]
fn check_tells_a_server_from_none() {
    for target in servers() {
        let server = Running::start(target, &[]);
        let program = binary(target).to_str().unwrap();
        let url = server.url();
        assert_eq!(run(program, &["--check", &url]).status.code(), Some(0));
        assert_eq!(run(program, &["--check", &format!("{url}other")]).status.code(), Some(1));
        drop(server);
        let gone = run(program, &["--check", &url]);
        assert_eq!(gone.status.code(), Some(1));
        assert_eq!(text(&gone).lines().count(), 1, "{}", text(&gone));
    }
}

#[test]
fn wrong_use_is_status_2() {
    for target in servers() {
        let program = binary(target).to_str().unwrap();
        for args in [&["--port", "70000"][..], &["--workers", "0"], &["--host", "example.com"], &["--unknown"]] {
            assert_eq!(run(program, args).status.code(), Some(2), "{} {args:?}", target.name());
        }
    }
}
