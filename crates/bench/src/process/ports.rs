//! Who listens where: ports proved free by binding them, and sockets traced to the process that holds them.

use std::collections::HashSet;
use std::net::SocketAddr;

use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process, all_processes};

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
    let entry = listeners().into_iter().find(|entry| entry.local_address.port() == port)?;
    let process = all_processes().ok()?.flatten().find(|process| sockets(process).contains(&entry.inode));
    Some(Holder {
        address: entry.local_address,
        pid: process.as_ref().map(|process| process.pid),
        command: process.and_then(|process| process.stat().ok()).map(|stat| stat.comm),
    })
}

/// The addresses that a process listens on.
pub fn listened_on(pid: i32) -> Vec<SocketAddr> {
    let owned = Process::new(pid).map(|process| sockets(&process)).unwrap_or_default();
    if owned.is_empty() {
        return Vec::new();
    }
    listeners().into_iter().filter(|entry| owned.contains(&entry.inode)).map(|entry| entry.local_address).collect()
}

fn listeners() -> Vec<TcpNetEntry> {
    let tables = [procfs::net::tcp(), procfs::net::tcp6()];
    tables.into_iter().flatten().flatten().filter(|entry| entry.state == TcpState::Listen).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_listener_is_traced_to_its_process_and_its_port_is_not_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        assert_eq!(holder(address.port()).unwrap().pid, Some(me));
        assert!(listened_on(me).contains(&address));
        assert!(prove_free(address).is_err());
        drop(listener);
        assert!(prove_free(address).is_ok());
        assert!(!listened_on(me).contains(&address));
    }
}
