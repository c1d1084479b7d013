//! One connection of a server that goes wrong.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::fault::Fault;

/// Requests so far.
pub static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Answers until the connection or the fault ends it.
pub fn serve(stream: &TcpStream, fault: Fault, n: u64) -> Option<()> {
    stream.set_nodelay(fault != Fault::WritesTwice).ok()?;
    let mut lines = BufReader::new(stream).lines();
    loop {
        if fault == Fault::NeverReads {
            sleep(Duration::from_hours(1));
        }
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
            Fault::BurnsInChild => {
                let step = ["burn-step", "--port", "0", "--n", &n.to_string()];
                let _ = Command::new(std::env::current_exe().ok()?).args(step).status();
            }
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
        let body_at = answer.len() - body.len();
        match fault {
            Fault::Chunked => {
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nDate: {date}\r\n\r\n"
                );
                (&*stream).write_all(format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).as_bytes()).ok()?;
            }
            Fault::TwoWrites | Fault::WritesTwice => {
                (&*stream).write_all(&answer.as_bytes()[..body_at]).ok()?;
                (&*stream).write_all(&answer.as_bytes()[body_at..]).ok()?;
            }
            Fault::Truncates if late => {
                (&*stream).write_all(&answer.as_bytes()[..body_at + 5]).ok()?;
                stream.shutdown(Shutdown::Both).ok()?;
                return None;
            }
            _ => (&*stream).write_all(answer.as_bytes()).ok()?,
        }
        if fault == Fault::DropsPipelined {
            lines = BufReader::new(stream).lines();
        }
        if fault == Fault::ClosesItsPort && count == n {
            // Wakes the accepting thread, which then drops its listener.
            let _ = TcpStream::connect(stream.local_addr().ok()?);
        }
        if fault == Fault::HalfCloses {
            stream.shutdown(Shutdown::Write).ok()?;
            let _ = std::io::copy(&mut &*stream, &mut std::io::sink());
            return None;
        }
        if !keep || fault == Fault::ClosesSilently || fault == Fault::NotHttp {
            stream.shutdown(Shutdown::Both).ok()?;
            return None;
        }
    }
}

/// Uses this much CPU time of its thread.
pub fn burn(time: Duration) {
    let used =
        || nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from);
    let until = used() + time;
    while used() < until {
        std::hint::spin_loop();
    }
}
