//! A server of the agreed response that uses a known CPU time for every request, beside what answering costs.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use nix::time::{ClockId, clock_gettime};

/// Serves on a loopback address, with a thread per connection, until it is ended.
///
/// # Errors
/// When it cannot listen there.
pub fn serve(address: SocketAddr, burn_us: u64) -> Result<()> {
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    println!("http://{address}/");
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || answer(&stream, Duration::from_micros(burn_us)));
    }
    Ok(())
}

/// Answers until the connection ends.
fn answer(stream: &TcpStream, extra: Duration) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(stream).lines();
    loop {
        let is_new = lines.next()?.ok()?.ends_with("1.1");
        let mut keep = is_new;
        loop {
            match lines.next()?.ok()?.to_ascii_lowercase().as_str() {
                "" => break,
                "connection: close" => keep = false,
                "connection: keep-alive" => keep = true,
                _ => {}
            }
        }
        burn(extra);
        let date = httpdate::fmt_http_date(SystemTime::now());
        let connection = match (keep, is_new) {
            (true, true) => "",
            (true, false) => "Connection: keep-alive\r\n",
            (false, _) => "Connection: close\r\n",
        };
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nDate: {date}\r\n{connection}\r\n\
             Hello World\n"
        );
        (&*stream).write_all(answer.as_bytes()).ok()?;
        if !keep {
            return None;
        }
    }
}

/// Uses this much CPU time of its thread, by the thread's own clock.
fn burn(time: Duration) {
    let used = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from);
    let until = used().saturating_add(time);
    while used() < until {
        std::hint::spin_loop();
    }
}
