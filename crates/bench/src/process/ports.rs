//! Who listens where: ports proved free by binding them, and sockets traced to the process that holds them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::time::Duration;

use procfs::net::{TcpNetEntries, TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process, all_processes};
use procfs::{FromBufReadSI, current_system_info};

/// Whether a server could listen at `address` now.
///
/// SO_REUSEADDR is set as servers set it: connections in TIME_WAIT do not count, another listener does.
///
/// # Errors
/// Those of bind(2) and listen(2).
pub fn prove_free(address: SocketAddr) -> std::io::Result<()> {
    // std sets SO_REUSEADDR, and closes the socket here.
    std::net::TcpListener::bind(address).map(drop)
}

/// Somebody who listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The address that is listened on.
    pub address: SocketAddr,
    /// Its pid, if it may be seen.
    pub pid: Option<i32>,
    /// The command's name.
    pub command: Option<String>,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.pid, &self.command) {
            (Some(pid), Some(command)) => write!(f, "{command} (pid {pid})"),
            (Some(pid), None) => write!(f, "pid {pid}"),
            (None, _) => write!(f, "a process that this user may not see"),
        }
    }
}

/// Who listens on `port`, on whatever address.
pub fn holder(port: u16) -> Option<Holder> {
    let entry = listening("/proc/net").find(|entry| entry.local_address.port() == port)?;
    let process = all_processes().ok()?.flatten().find(|process| sockets(process).contains(&entry.inode));
    Some(Holder {
        address: entry.local_address,
        pid: process.as_ref().map(|process| process.pid),
        command: process.and_then(|process| process.stat().ok()).map(|stat| stat.comm),
    })
}

/// The addresses that a process listens on, in its own network namespace; none after the first that is `wanted`.
pub fn listened_on(pid: i32, wanted: impl Fn(SocketAddr) -> bool) -> Vec<SocketAddr> {
    let Ok(process) = Process::new(pid) else { return Vec::new() };
    let owned = sockets(&process);
    let mut found = Vec::new();
    if owned.is_empty() {
        return found;
    }
    for entry in listening(&format!("/proc/{pid}/net")).filter(|entry| owned.contains(&entry.inode)) {
        found.push(entry.local_address);
        if wanted(entry.local_address) {
            break;
        }
    }
    found
}

/// Whether the files that a process has open may be seen.
pub fn may_look(pid: i32) -> bool {
    Process::new(pid).is_ok_and(|process| process.fd().is_ok())
}

/// The listening sockets in the tables of this folder; the second table is looked at when those of the first are through.
fn listening(folder: &str) -> impl Iterator<Item = TcpNetEntry> {
    let tables = ["tcp", "tcp6"].map(|table| format!("{folder}/{table}"));
    tables.into_iter().filter_map(|table| File::open(table).ok()).flat_map(|table| listening_in(BufReader::new(table)))
}

/// Those of one table. They stand first in it (kernel documentation, networking/proc_net_tcp.rst), and nothing is read
/// beyond them: a table with tens of thousands of connections in TIME_WAIT takes the kernel tens of milliseconds.
fn listening_in(table: impl BufRead) -> Vec<TcpNetEntry> {
    let is_listening = |line: &String| line.split_whitespace().nth(3) == Some("0A");
    let mut lines = table.lines().map_while(Result::ok);
    let head = lines.next().into_iter();
    let text: String = head.chain(lines.take_while(is_listening)).map(|line| line + "\n").collect();
    let entries = TcpNetEntries::from_buf_read(text.as_bytes(), current_system_info());
    entries
        .map(|entries| entries.0)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.state == TcpState::Listen)
        .collect()
}

fn sockets(process: &Process) -> HashSet<u64> {
    let open = process.fd().map(|open| open.flatten().collect::<Vec<_>>()).unwrap_or_default();
    let of_the_first: HashSet<u64> = open
        .iter()
        .filter_map(|fd| match fd.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect();
    if of_the_first.is_empty() { of_other_threads(process.pid) } else { of_the_first }
}

/// The sockets that a process has left when its first thread, whose files /proc/PID/fd shows, has ended.
fn of_other_threads(pid: i32) -> HashSet<u64> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let files = threads.flat_map(|thread| std::fs::read_dir(thread.path().join("fd")).into_iter().flatten().flatten());
    files
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .filter_map(|target| target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok())
        .collect()
}

/// Connections opened from this machine since boot (`Tcp: ActiveOpens`), in this network namespace.
pub fn connections_opened() -> Option<u64> {
    procfs::net::snmp().ok().map(|snmp| snmp.tcp_active_opens)
}

/// Connections of a port on this machine that were closed within so much time, whoever closed them first: the end that
/// did is in TIME_WAIT then. Those that were reset leave none. `None` if it is not told.
pub fn closed_within(port: u16, within: Duration) -> Option<u64> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).ok());
    let ticks = procfs::ticks_per_second();
    let counts = tables.iter().flatten().map(|table| closed_in(table, port, within, ticks));
    tables[0].is_some().then(|| counts.sum())
}

/// The same in one table (proc_net(5)): the time that is left of TIME_WAIT stands behind `03:`, in clock ticks.
fn closed_in(table: &str, port: u16, within: Duration, ticks_per_second: u64) -> u64 {
    /// `TCP_TIMEWAIT_LEN` of the kernel, which nothing changes.
    const TIME_WAIT: Duration = Duration::from_mins(1);
    let port = format!(":{port:04X}");
    let is_new = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().take(6).collect();
        let [_, local, remote, "06", _, timer] = fields[..] else { return false };
        let left = timer.strip_prefix("03:").and_then(|ticks| u64::from_str_radix(ticks, 16).ok());
        let left = Duration::from_secs_f64(left.unwrap_or(0) as f64 / ticks_per_second as f64);
        (local.ends_with(&port) || remote.ends_with(&port)) && left + within >= TIME_WAIT
    };
    table.lines().filter(is_new).count() as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_connection_counts_once_by_its_end_in_time_wait_if_it_is_new() {
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1FA5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1FA5 0100007F:C350 06 00000000:00000000 03:0000176F 00000000     0        0 0 3 0
   2: 0100007F:C351 0100007F:1FA5 06 00000000:00000000 03:00001700 00000000     0        0 0 3 0
   3: 0100007F:C352 0100007F:1FA5 06 00000000:00000000 03:00000100 00000000     0        0 0 3 0
   4: 0100007F:C353 0100007F:1FA6 06 00000000:00000000 03:0000176F 00000000     0        0 0 3 0
   5: 0100007F:C354 0100007F:1FA5 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0
";
        assert_eq!(closed_in(table, 0x1FA5, Duration::from_secs(2), 100), 2);
        assert_eq!(closed_in(table, 0x1FA5, Duration::from_millis(100), 100), 1);
    }

    use super::*;
    use std::net::TcpListener;

    #[test]
    fn nothing_is_read_beyond_the_listening_sockets() {
        struct Ends<'a>(&'a [u8]);
        impl std::io::Read for Ends<'_> {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                assert!(!self.0.is_empty(), "read to its end");
                // A line at a time, as slowly as it can be.
                let end = self.0.iter().position(|byte| *byte == b'\n').map_or(self.0.len(), |end| end + 1);
                let (line, rest) = self.0.split_at(end.min(into.len()));
                into[..line.len()].copy_from_slice(line);
                self.0 = rest;
                Ok(line.len())
            }
        }
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1FA5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 00000000:1FA6 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
   2: 0100007F:C351 0100007F:1FA5 06 00000000:00000000 03:00001700 00000000     0        0 0 3 0
   3: 0100007F:C352 0100007F:1FA5 06 00000000:00000000 03:00000100 00000000     0        0 0 3 0
";
        let found = listening_in(BufReader::new(Ends(table.as_bytes())));
        let found: Vec<_> = found.iter().map(|entry| (entry.local_address.to_string(), entry.inode)).collect();
        assert_eq!(found, [("127.0.0.1:8101".to_owned(), 4711), ("0.0.0.0:8102".to_owned(), 4712)]);
        assert!(listening_in(&b""[..]).is_empty());
    }

    #[test]
    fn a_listener_is_traced_to_its_process_and_its_port_is_not_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        assert_eq!(holder(address.port()).unwrap().pid, Some(me));
        let _other = TcpListener::bind("[::1]:0");
        assert!(listened_on(me, |_| false).contains(&address));
        assert_eq!(listened_on(me, |found| found == address).last(), Some(&address));
        assert!(prove_free(address).is_err());
        drop(listener);
        assert!(prove_free(address).is_ok());
        assert!(!listened_on(me, |_| false).contains(&address));
    }
}
