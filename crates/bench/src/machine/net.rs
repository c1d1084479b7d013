//! What the kernel's network stack is set to, and how much room it has for connections to a target.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::Known;
use super::root::Root;

/// The settings that decide how connections on loopback fare.
pub const SETTINGS: &[&str] = &[
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_max_backlog",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.rps_sock_flow_entries",
    "net.core.somaxconn",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_abort_on_overflow",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_fastopen",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_orphans",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "net.netfilter.nf_conntrack_max",
];

/// The network stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Net {
    /// Setting → value, as sysctl(8) names and prints them.
    pub settings: BTreeMap<String, Known<String>>,
    /// The largest packet on loopback, in bytes.
    pub loopback_mtu: Known<u64>,
}

impl Net {
    /// Looks at a machine.
    pub fn read(root: &Root) -> Self {
        let value = |name: &str| {
            let path = format!("/proc/sys/{}", name.replace('.', "/"));
            match root.text(&path) {
                // sysctl separates with tabs.
                Some(text) => Known::Is(text.split_whitespace().collect::<Vec<_>>().join(" ")),
                // An empty list of reserved ports is one.
                None if root.has(&path) => Known::Is(String::new()),
                None => Known::Unknown,
            }
        };
        Self {
            settings: SETTINGS.iter().map(|name| ((*name).to_owned(), value(name))).collect(),
            loopback_mtu: root.number("/sys/class/net/lo/mtu").into(),
        }
    }

    /// The first and the last ephemeral port.
    pub fn ephemeral_ports(&self) -> Known<(u16, u16)> {
        let range = self.settings.get("net.ipv4.ip_local_port_range").and_then(Known::get);
        range
            .and_then(|range| {
                let (first, last) = range.split_once(' ')?;
                Some((first.parse().ok()?, last.parse().ok()?))
            })
            .into()
    }
}

/// Connections in TIME_WAIT between this machine and a target on it, whichever side closed first: each takes an
/// ephemeral port from further connections to that target.
pub fn time_wait(root: &Root, target: SocketAddr) -> Known<usize> {
    let tables = [root.text("/proc/net/tcp"), root.text("/proc/net/tcp6")];
    // Without IPv6 there is no second table.
    let [Some(_), _] = &tables else { return Known::Unknown };
    Known::Is(tables.iter().flatten().map(|table| count_time_wait(table, target)).sum())
}

/// The part of [`time_wait`] that keeps clients from their ports: connections that the client closed first. Those that
/// the target closed first wait at its own end, where a SYN with a later timestamp is taken (RFC 6191).
pub fn time_wait_of_clients(root: &Root, target: SocketAddr) -> Known<usize> {
    let tables = [root.text("/proc/net/tcp"), root.text("/proc/net/tcp6")];
    let [Some(_), _] = &tables else { return Known::Unknown };
    let to_target = |table: &String| time_wait_ends(table).filter(|[_, remote]| *remote == Some(target)).count();
    Known::Is(tables.iter().flatten().map(to_target).sum())
}

/// proc_net_tcp.rst: `sl local_address rem_address st …`, 06 is TIME_WAIT.
fn count_time_wait(table: &str, target: SocketAddr) -> usize {
    time_wait_ends(table).filter(|ends| ends.contains(&Some(target))).count()
}

/// The local and the remote address of every connection in TIME_WAIT.
fn time_wait_ends(table: &str) -> impl Iterator<Item = [Option<SocketAddr>; 2]> {
    table.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (local, remote, state) = (fields.next(), fields.next(), fields.next());
        (state == Some("06")).then(|| [local, remote].map(|end| end.and_then(parse_address)))
    })
}

/// `0100007F:1F90`: words of the address in the machine's byte order, the port in hex.
fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |n: usize| Some(u32::from_str_radix(address.get(n * 8..n * 8 + 8)?, 16).ok()?.to_ne_bytes());
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for n in 0..4 {
                bytes[n * 4..][..4].copy_from_slice(&word(n)?);
            }
            // A socket for both families shows IPv4 as ::ffff:127.0.0.1.
            Ipv6Addr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn settings_are_as_sysctl_prints_them_or_unknown() {
        let (_folder, root) = fake(&[
            ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
            ("proc/sys/net/ipv4/ip_local_reserved_ports", "\n"),
            ("sys/class/net/lo/mtu", "65536\n"),
        ]);
        let net = Net::read(&root);
        assert_eq!(net.settings["net.ipv4.ip_local_port_range"].to_string(), "32768 60999");
        assert_eq!(net.settings["net.ipv4.ip_local_reserved_ports"], Known::Is(String::new()));
        assert_eq!(net.settings["net.core.somaxconn"], Known::Unknown);
        assert_eq!((net.ephemeral_ports(), net.loopback_mtu), (Known::Is((32768, 60999)), Known::Is(65536)));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn time_wait_is_counted_per_target_whichever_side_closed() {
        let table = "  sl  local_address rem_address   st tx_queue\n\
                     0: 0100007F:1F90 0100007F:9C40 06 0\n\
                     1: 0100007F:9C41 0100007F:1F90 06 0\n\
                     2: 0100007F:9C42 0100007F:1F90 01 0\n\
                     3: 0100007F:9C43 0100007F:1F91 06 0\n";
        let table6 = "  sl  local_address rem_address   st\n\
                      0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:9C44 06 0\n";
        let (_folder, root) = fake(&[("proc/net/tcp", table), ("proc/net/tcp6", table6)]);
        assert_eq!(time_wait(&root, "127.0.0.1:8080".parse().unwrap()), Known::Is(3));
        assert_eq!(time_wait(&root, "127.0.0.1:8082".parse().unwrap()), Known::Is(0));
        // Only the client that closed first holds a port.
        assert_eq!(time_wait_of_clients(&root, "127.0.0.1:8080".parse().unwrap()), Known::Is(1));
        let (_folder, root) = fake(&[]);
        assert_eq!(time_wait(&root, "127.0.0.1:8080".parse().unwrap()), Known::Unknown);
    }
}
