//! A server that goes wrong in a way of its choosing, so that the tests can see what the harness says of it.

mod answer;
mod fault;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, exit};
use std::sync::atomic::Ordering;
use std::thread::{sleep, spawn};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use socket2::{Domain, Socket, Type};

use answer::{REQUESTS, burn, serve};
use fault::Fault;

#[derive(Parser)]
struct Args {
    /// What goes wrong
    fault: Fault,
    /// Where it would listen
    #[arg(long)]
    port: u16,
    /// The address that it would listen on
    #[arg(long, default_value_t = Ipv4Addr::LOCALHOST)]
    host: Ipv4Addr,
    /// Of requests, connections, seconds, µs or %, as the fault has it
    #[arg(long, default_value_t = 0)]
    n: u64,
}

fn main() {
    let args = Args::parse();
    match args.fault {
        Fault::Exits => {
            eprintln!("cannot read my configuration");
            exit(1);
        }
        Fault::Slow => sleep(Duration::from_secs(args.n)),
        Fault::Forks => {
            args.again(Fault::None).wait().expect("it waits");
            return;
        }
        Fault::BurnStep => return answer::burn(Duration::from_micros(args.n)),
        Fault::ForksAndLeaves => return args.leaves(Fault::None),
        Fault::Daemonises => return args.leaves(Fault::DaemonStep),
        Fault::DaemonStep => {
            nix::unistd::setsid().expect("it leads a session");
            return args.leaves(Fault::None);
        }
        Fault::WorkerDies | Fault::WorkerIsReplaced => {
            args.again(Fault::Dies).wait().expect("it waits");
            if args.fault == Fault::WorkerIsReplaced {
                args.again(Fault::None).wait().expect("it waits");
            }
            sleep(Duration::from_hours(1));
        }
        Fault::IgnoresTerm => {
            let flag = std::sync::Arc::default();
            signal_hook::flag::register(signal_hook::consts::SIGTERM, flag).expect("a handler is set");
        }
        Fault::Spins => {
            let (busy, all) = (Duration::from_millis(args.n), Duration::from_millis(100));
            spawn(move || {
                loop {
                    burn(busy);
                    sleep(all.saturating_sub(busy));
                }
            });
        }
        _ => {}
    }
    let listener = args.listen();
    for (accepted, stream) in (1..).zip(listener.incoming().flatten()) {
        let (fault, n) = (args.fault, args.n);
        if fault == Fault::ShortQueue {
            sleep(Duration::from_millis(n));
        }
        if fault == Fault::ClosesItsPort && REQUESTS.load(Ordering::Relaxed) >= n {
            break;
        }
        spawn(move || serve(&stream, fault, n));
        if fault == Fault::StopsAccepting && accepted >= n {
            sleep(Duration::from_hours(1));
        }
    }
    drop(listener);
    sleep(Duration::from_hours(1));
}

impl Args {
    fn listen(&self) -> TcpListener {
        let address: SocketAddr = match self.fault {
            Fault::NextPort => (Ipv4Addr::LOCALHOST, self.port + 1).into(),
            Fault::Ipv6Only => (Ipv6Addr::LOCALHOST, self.port).into(),
            Fault::Mapped => (Ipv4Addr::LOCALHOST.to_ipv6_mapped(), self.port).into(),
            _ => (self.host, self.port).into(),
        };
        if self.fault == Fault::ShortQueue {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
            socket.set_reuse_address(true).expect("it is used again");
            socket.bind(&address.into()).and_then(|()| socket.listen(1)).expect("it listens");
            return socket.into();
        }
        // std makes a socket of IPv6 for an address of IPv6; Linux lets it be mapped unless net.ipv6.bindv6only is set.
        TcpListener::bind(address).expect("it listens")
    }

    /// Starts itself again with another fault.
    fn again(&self, fault: Fault) -> Child {
        let own = std::env::current_exe().expect("a program knows where it is");
        let name = fault.to_possible_value().expect("every fault has a name");
        let (port, n) = (self.port.to_string(), self.n.to_string());
        Command::new(own).args([name.get_name(), "--port", &port, "--n", &n]).spawn().expect("it starts itself again")
    }

    /// Starts itself again and leaves that behind.
    fn leaves(&self, fault: Fault) {
        #[expect(clippy::zombie_processes, reason = "that it is left behind is the fault")]
        let _left = self.again(fault);
    }
}
