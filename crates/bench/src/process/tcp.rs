//! What TCP counts of connections that did not come about at once, in this network namespace as a whole.

/// Counters up to one moment (kernel documentation, networking/snmp_counter.rst), or between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpCounters {
    /// Connections that found the accept queue of a listening socket full (`ListenOverflows`).
    pub accept_overflows: u64,
    /// Connections that a listening socket dropped for that or any other reason (`ListenDrops`).
    pub accept_drops: u64,
    /// SYNs and answers to them that were sent again, the first of them after 1 s (`TCPSynRetrans`).
    pub syn_retransmits: u64,
}

impl TcpCounters {
    /// As they are now; `None` where they are not told.
    pub fn read() -> Option<Self> {
        parse(&std::fs::read_to_string("/proc/net/netstat").ok()?)
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            accept_overflows: self.accept_overflows.saturating_sub(before.accept_overflows),
            accept_drops: self.accept_drops.saturating_sub(before.accept_drops),
            syn_retransmits: self.syn_retransmits.saturating_sub(before.syn_retransmits),
        }
    }
}

/// A line of names, then a line of numbers, each beginning with `TcpExt:`; kernels differ in which names there are.
fn parse(text: &str) -> Option<TcpCounters> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("TcpExt:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let of = |wanted: &str| {
        let place = names.split_whitespace().position(|name| name == wanted)?;
        numbers.split_whitespace().nth(place)?.parse().ok()
    };
    Some(TcpCounters {
        accept_overflows: of("ListenOverflows")?,
        accept_drops: of("ListenDrops")?,
        syn_retransmits: of("TCPSynRetrans")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETSTAT: &str = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans TCPOrigDataSent\n\
                           TcpExt: 0 17 21 5 4000000000\n\
                           IpExt: InNoRoutes ListenDrops\n\
                           IpExt: 1 2\n";

    #[test]
    fn overflows_are_found_by_name() {
        let counters = TcpCounters { accept_overflows: 17, accept_drops: 21, syn_retransmits: 5 };
        assert_eq!(parse(NETSTAT), Some(counters));
        let later = TcpCounters { accept_overflows: 19, accept_drops: 23, syn_retransmits: 5 };
        let passed = TcpCounters { accept_overflows: 2, accept_drops: 2, syn_retransmits: 0 };
        assert_eq!(later.since(&counters), passed);
    }

    #[test]
    fn a_counter_that_is_not_told_is_unknown_and_not_0() {
        assert_eq!(parse(&NETSTAT.replace("ListenDrops", "Other")), None);
        assert_eq!(parse("TcpExt: ListenOverflows ListenDrops TCPSynRetrans\n"), None);
        assert_eq!(parse(""), None);
    }

    /// Nobody accepts from a queue of one, so that connections beyond it overflow.
    #[test]
    fn a_full_accept_queue_is_counted() {
        use socket2::{Domain, Socket, Type};
        let Some(before) = TcpCounters::read() else { return };
        let socket = || Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let listener = socket();
        listener.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let clients: Vec<Socket> = (0..8)
            .map(|_| {
                let client = socket();
                client.set_nonblocking(true).unwrap();
                let _ = client.connect(&address);
                client
            })
            .collect();
        let passed = TcpCounters::read().unwrap().since(&before);
        assert!(passed.accept_overflows > 0 && passed.accept_drops > 0, "{passed:?}");
        drop(clients);
    }
}
