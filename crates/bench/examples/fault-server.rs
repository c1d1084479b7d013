//! A server that goes wrong in a way of its choosing, so that the tests can see what the harness says of it.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use clap::{Parser, ValueEnum};

#[derive(Parser)]
struct Args {
    /// What goes wrong
    fault: Fault,
    /// Where it would listen
    #[arg(long)]
    port: u16,
    /// Of requests, connections or seconds, as the fault has it
    #[arg(long, default_value_t = 0)]
    n: u64,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fault {
    /// Nothing
    None,
    /// It prints a line and exits with status 1
    Exits,
    /// It takes connections and never answers
    Silent,
    /// It is ready after `n` seconds
    Slow,
    /// It listens on the next port
    NextPort,
    /// It listens on ::1 only
    Ipv6Only,
    /// Its body is another
    OtherBody,
    /// Its status is 503
    Unavailable,
    /// Every tenth answer after the `n`th is a 500
    SomeErrors,
    /// After `n` requests every answer is a 302 of the same length
    Redirects,
    /// After `n` requests every answer has a longer body
    OtherLength,
    /// What it says is not HTTP
    NotHttp,
    /// After `n` requests it dies with status 3
    Dies,
    /// After `n` requests it does not answer any more
    Hangs,
    /// After `n` requests it resets every connection
    Resets,
    /// It closes every connection after its first answer, without saying so
    ClosesSilently,
    /// Its Date stands still
    StaleDate,
    /// It does not end on SIGTERM
    IgnoresTerm,
    /// It starts itself again, and that one serves
    Forks,
    /// It starts itself again, which serves, and leaves
    ForksAndLeaves,
    /// It burns `n` µs of CPU time in a new thread for every request
    Burns,
    /// It prints a line for every request
    Logs,
}

fn main() {
    let args = Args::parse();
    match args.fault {
        Fault::Exits => {
            eprintln!("cannot read my configuration");
            exit(1);
        }
        Fault::Slow => sleep(Duration::from_secs(args.n)),
        Fault::Forks | Fault::ForksAndLeaves => {
            let own = std::env::current_exe().expect("a program knows where it is");
            let port = args.port.to_string();
            let mut again = Command::new(own);
            again.args(["none", "--port", &port]);
            if args.fault == Fault::Forks {
                again.status().expect("it starts itself again");
            } else {
                #[expect(clippy::zombie_processes, reason = "that it is left behind is the fault")]
                let _left = again.spawn().expect("it starts itself again");
            }
            return;
        }
        Fault::IgnoresTerm => {
            let flag = std::sync::Arc::default();
            signal_hook::flag::register(signal_hook::consts::SIGTERM, flag).expect("a handler is set");
        }
        _ => {}
    }
    let address: SocketAddr = match args.fault {
        Fault::NextPort => (Ipv4Addr::LOCALHOST, args.port + 1).into(),
        Fault::Ipv6Only => (Ipv6Addr::LOCALHOST, args.port).into(),
        _ => (Ipv4Addr::LOCALHOST, args.port).into(),
    };
    let listener = TcpListener::bind(address).expect("it listens");
    for stream in listener.incoming().flatten() {
        let (fault, n) = (args.fault, args.n);
        std::thread::spawn(move || serve(&stream, fault, n));
    }
}

static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Answers until the connection or the fault ends it.
fn serve(stream: &TcpStream, fault: Fault, n: u64) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(stream).lines();
    loop {
        let first = lines.next()?.ok()?;
        let mut keep = first.ends_with("1.1");
        loop {
            let line = lines.next()?.ok()?.to_ascii_lowercase();
            match line.as_str() {
                "" => break,
                "connection: close" => keep = false,
                _ => {}
            }
        }
        let count = REQUESTS.fetch_add(1, Ordering::Relaxed) + 1;
        let late = count > n;
        let (mut status, mut body, mut date) = ("200 OK", "Hello World\n", SystemTime::now());
        match fault {
            Fault::Silent => sleep(Duration::from_hours(1)),
            Fault::Hangs if late => sleep(Duration::from_hours(1)),
            Fault::OtherBody => body = "Hello Wurst\n",
            Fault::OtherLength if late => body = "Hello World and more\n",
            Fault::Unavailable => status = "503 Service Unavailable",
            Fault::SomeErrors if late && count.is_multiple_of(10) => status = "500 Internal Server Error",
            Fault::Redirects if late => status = "302 OK",
            Fault::Dies if late => exit(3),
            Fault::Resets if late => {
                socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)).ok()?;
                return None;
            }
            Fault::StaleDate => date = SystemTime::UNIX_EPOCH,
            Fault::Burns => std::thread::spawn(move || burn(Duration::from_micros(n))).join().ok()?,
            Fault::Logs => println!("{count}: {first} {}", "x".repeat(400)),
            _ => {}
        }
        let date = httpdate::fmt_http_date(date);
        let connection = if keep { "" } else { "Connection: close\r\n" };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nDate: {date}\r\n{connection}\r\n{body}",
            body.len()
        );
        let answer = if fault == Fault::NotHttp { "220 mail.example ESMTP\r\n".to_owned() } else { answer };
        (&*stream).write_all(answer.as_bytes()).ok()?;
        if !keep || fault == Fault::ClosesSilently || fault == Fault::NotHttp {
            stream.shutdown(Shutdown::Both).ok()?;
            return None;
        }
    }
}

/// Uses this much CPU time of its thread.
fn burn(time: Duration) {
    let used =
        || nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from);
    let until = used() + time;
    while used() < until {
        std::hint::spin_loop();
    }
}
