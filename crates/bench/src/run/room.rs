//! Room in the ephemeral ports before a slice: a connection in TIME_WAIT keeps its client's port from further
//! connections to the same address (RFC 9293, 3.6), and when most are taken the next slice searches long for a free
//! one, or fails. So a target is moved to another loopback address, or waited for, and the slice says which.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::tracking;
use crate::interrupt::{self, Interrupted};
use crate::machine::net::time_wait_of_clients;
use crate::machine::{Known, Net, Root};
use crate::targets::Target;

/// More than this share of the ports taken is too much: connect(2) looks among every second port first, so that half of
/// the range is what it finds at once, and a slice needs some itself.
const TAKEN: f64 = 0.25;

/// How many loopback addresses are tried, from 127.0.0.1 on.
const ADDRESSES: u8 = 16;

/// TIME_WAIT lasts 60 s in Linux (TCP_TIMEWAIT_LEN).
const TIME_WAIT: Duration = Duration::from_secs(61);

/// With tcp_tw_reuse, which is on for loopback by default, ports are used again when the timestamp clock has moved by a
/// second (kernel documentation, networking/ip-sysctl.rst).
const REUSE: Duration = Duration::from_millis(1100);

/// How often it is looked at while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A target where there is room for connections to it.
#[derive(Debug)]
pub struct Place<'a> {
    /// The target, perhaps moved.
    pub target: Cow<'a, Target>,
    /// Connections to it in TIME_WAIT.
    pub time_wait: Option<u64>,
    /// Ephemeral ports that are left for connections to it.
    pub room: Option<u64>,
    /// What was done about it, in words.
    pub said: Option<String>,
}

impl<'a> Place<'a> {
    fn new(target: Cow<'a, Target>, time_wait: Option<u64>, ports: u64, said: Option<String>) -> Self {
        Self { target, time_wait, room: time_wait.map(|taken| ports.saturating_sub(taken)), said }
    }
}

/// Finds a place for `target`. That connections come from another address instead is not tried, though ab can do so
/// (`-B`): a port that was bound to an address is none of those that connect(2) picks from, to whomever, as long as
/// that connection is in TIME_WAIT, so that each such slice would leave less room to everyone after it.
///
/// # Errors
/// When the user interrupts the wait.
pub fn place(target: &Target) -> Result<Place<'_>, Interrupted> {
    let root = Root::system();
    let waited = tracking::make_room(&root)?;
    let place = among_ports(target, &root)?;
    let said = [waited, place.said].into_iter().flatten().reduce(|a, b| format!("{a}; {b}"));
    Ok(Place { said, ..place })
}

fn among_ports<'a>(target: &'a Target, root: &Root) -> Result<Place<'a>, Interrupted> {
    let Known::Is(ports) = Net::read(root).ephemeral_ports().map(|(first, last)| u64::from(last.abs_diff(*first)) + 1)
    else {
        return Ok(Place { target: Cow::Borrowed(target), time_wait: None, room: None, said: None });
    };
    let count = |address: SocketAddr| match time_wait_of_clients(root, address) {
        Known::Is(count) => Some(count as u64),
        Known::Unknown => None,
    };
    let here = count(target.address());
    if here.is_none_or(|taken| has_room(taken, ports)) {
        return Ok(Place::new(Cow::Borrowed(target), here, ports, None));
    }
    let taken = here.unwrap_or_default();
    let why = format!("{taken} of {ports} ephemeral ports were in TIME_WAIT to {}", target.address());
    if target.can_move()
        && let Some((host, taken)) =
            elsewhere(ports, |host| count(SocketAddr::new(IpAddr::V4(host), target.description.port)))
    {
        let moved = Target { host, ..target.clone() };
        let said = format!("{why}, so that it was moved to {}", moved.address());
        return Ok(Place::new(Cow::Owned(moved), Some(taken), ports, Some(said)));
    }
    let limit = if reuses(root) { REUSE } else { TIME_WAIT };
    let enough = || count(target.address()).filter(|taken| has_room(*taken, ports));
    let after = interrupt::wait_for(limit, LOOK_EVERY, enough)?;
    let said = match after {
        Some(_) => format!("{why}, which was waited for"),
        None if limit == REUSE => format!("{why}, which the kernel uses again after a second (tcp_tw_reuse)"),
        None => format!("{why}, and after {} s still too many: connections may be slow to open", limit.as_secs()),
    };
    Ok(Place::new(Cow::Borrowed(target), after.or_else(|| count(target.address())), ports, Some(said)))
}

fn has_room(taken: u64, ports: u64) -> bool {
    taken as f64 <= ports as f64 * TAKEN
}

/// The first other loopback address with room, and how many ports are taken there.
fn elsewhere(ports: u64, count: impl Fn(Ipv4Addr) -> Option<u64>) -> Option<(Ipv4Addr, u64)> {
    let hosts = (1..=ADDRESSES).map(|n| Ipv4Addr::new(127, 0, 0, n));
    hosts.filter_map(|host| Some((host, count(host)?))).find(|(_, taken)| has_room(*taken, ports))
}

fn reuses(root: &Root) -> bool {
    let set = |name: &str| root.number(&format!("/proc/sys/net/ipv4/{name}")).unwrap_or_default();
    matches!(set("tcp_tw_reuse"), 1 | 2) && set("tcp_timestamps") > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_with_room_is_taken_and_none_if_there_is_none() {
        let host = |n| Ipv4Addr::new(127, 0, 0, n);
        let counts = |host: Ipv4Addr| Some(if host.octets()[3] < 3 { 5000 } else { 7 });
        assert_eq!(elsewhere(10_000, counts), Some((host(3), 7)));
        assert_eq!(elsewhere(10_000, |_| Some(2501)), None);
        assert_eq!(elsewhere(10_000, |_| None), None);
    }
}
