//! Who listens: a target is ready only if the socket is its own.

use std::net::SocketAddr;

use super::ports;
use super::tree::{self, Process};

/// Whether who listens at one address gets what is sent to the other: on all addresses, too, and as a Java machine does,
/// at an IPv4 address that is written as one of IPv6 (`::ffff:127.0.0.1`, RFC 4291 §2.5.5.2).
fn covers(listened: SocketAddr, address: SocketAddr) -> bool {
    listened.port() == address.port()
        && (listened.ip().is_unspecified() || listened.ip().to_canonical() == address.ip())
}

/// The processes below `root` that listen at `address`, so that no other server's answer is taken for theirs.
pub(super) fn listeners(root: i32, address: SocketAddr) -> Result<Vec<Process>, String> {
    let listened: Vec<(Process, Vec<SocketAddr>)> = tree::descendants(root)
        .into_iter()
        .map(|process| (process, ports::listened_on(process.pid, |listened| covers(listened, address))))
        .filter(|(_, addresses)| !addresses.is_empty())
        .collect();
    let right: Vec<Process> = listened
        .iter()
        .filter(|(_, addresses)| addresses.iter().any(|listened| covers(*listened, address)))
        .map(|(process, _)| *process)
        .collect();
    if !right.is_empty() {
        return Ok(right);
    }
    if listened.is_empty() {
        return Err("it listens nowhere".into());
    }
    let mut own: Vec<String> = listened.iter().flat_map(|(_, all)| all).map(SocketAddr::to_string).collect();
    own.sort_unstable();
    own.dedup();
    Err(format!("it listens on {}, not on {address}", own.join(" and ")))
}

/// The same in a container whose first process is `first`. Another user's process does not show its files: then it is
/// enough that the container has processes, since the port was free before and the container runs.
pub(super) fn listeners_in(first: i32, address: SocketAddr) -> Result<Vec<Process>, String> {
    let below = tree::descendants(first);
    if below.iter().all(|process| !ports::may_look(process.pid)) {
        return if below.is_empty() { Err("it has no process".into()) } else { Ok(below) };
    }
    listeners(first, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv4_address_that_is_written_as_one_of_ipv6_is_the_same() {
        let at = |listened: &str| covers(listened.parse().unwrap(), "127.0.0.1:8234".parse().unwrap());
        for right in ["127.0.0.1:8234", "0.0.0.0:8234", "[::]:8234", "[::ffff:127.0.0.1]:8234"] {
            assert!(at(right), "{right}");
        }
        for other in ["127.0.0.2:8234", "[::1]:8234", "[::ffff:127.0.0.2]:8234", "[::ffff:127.0.0.1]:8235"] {
            assert!(!at(other), "{other}");
        }
    }
}
