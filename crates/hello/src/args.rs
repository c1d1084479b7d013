//! The command line that every server has.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::thread::{Builder, available_parallelism};

use clap::{Arg, CommandFactory, FromArgMatches, Parser};

use crate::check;

/// Reads the command line of the server whose crate this is used in; ends the process on `--help`, `--version`,
/// `--check` and wrong use.
///
/// `hello::args!(8101)` for a server that runs on as many threads as it is given;
/// `hello::args!(8110, Workers::Default(10))` where the default is not the number of cores;
/// `hello::args!(8109, Workers::Fixed("a thread per connection"))` where the number cannot be chosen;
/// `hello::args!(8110, Workers::Default(10), stack = "2MiB")` for one whose threads have stacks of a size that can be
/// chosen, and what it is otherwise.
#[macro_export]
macro_rules! args {
    ($port:literal) => {
        $crate::args!($port, $crate::Workers::Cores)
    };
    ($port:literal, $workers:expr) => {
        $crate::args!(@ $port, $workers, None)
    };
    ($port:literal, $workers:expr, stack = $stack:literal) => {
        $crate::args!(@ $port, $workers, Some($stack))
    };
    (@ $port:literal, $workers:expr, $stack:expr) => {
        $crate::Args::of(&$crate::Identity {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            about: env!("CARGO_PKG_DESCRIPTION"),
            port: $port,
            workers: $workers,
            stack: $stack,
        })
    };
}

/// What a server is told: where to listen, and with how many threads.
#[derive(Debug, Clone)]
pub struct Args {
    /// The program's name, as in `server-axum`.
    pub name: &'static str,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port to listen on; 0 lets the kernel choose.
    pub port: u16,
    /// How many threads may run requests at once.
    pub workers: usize,
    /// The stack of each thread that serves, in bytes, if one was asked for.
    pub stack_bytes: Option<usize>,
}

/// Who a server is, as its crate knows it.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The program's name.
    pub name: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// The port it listens on unless told otherwise.
    pub port: u16,
    /// What `--workers` means to it.
    pub workers: Workers,
    /// The size of its stacks unless told otherwise, where that can be chosen.
    pub stack: Option<&'static str>,
}

/// What a server makes of `--workers`.
#[derive(Debug, Clone, Copy)]
pub enum Workers {
    /// As many as there are cores (or as a cgroup's quota allows), unless told otherwise.
    Cores,
    /// This many, unless told otherwise.
    Default(usize),
    /// It cannot be chosen, for this reason.
    Fixed(&'static str),
}

/// The flag, where there is one.
const STACK_SIZE: &str = "stack-size";

#[derive(Debug, Parser)]
struct CommandLine {
    /// Address to listen on (parsed, not resolved)
    #[arg(long, env, default_value = "127.0.0.1", value_parser = parse_host)]
    host: IpAddr,

    #[arg(long, env)]
    port: Option<u16>,

    #[arg(long, env)]
    workers: Option<NonZeroUsize>,

    /// Instead of serving, send one request to this URL (by default the one it would serve); exit 0 if the agreed response
    /// comes, else 1
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    check: Option<String>,
}

impl Args {
    /// See [`args!`](crate::args!), which is how a server calls this.
    #[must_use]
    pub fn of(identity: &Identity) -> Self {
        let port_help = format!("Port to listen on; 0 lets the kernel choose [default: {}]", identity.port);
        let workers_help = match identity.workers {
            Workers::Cores => "Threads that may run requests at once [default: number of cores]".to_owned(),
            Workers::Default(n) => format!("Threads that may run requests at once [default: {n}]"),
            Workers::Fixed(why) => format!("Does not apply here: {why}"),
        };
        let mut command = CommandLine::command()
            .name(identity.name)
            .version(identity.version)
            .about(identity.about)
            .mut_arg("port", |arg| arg.help(port_help))
            .mut_arg("workers", |arg| arg.help(workers_help));
        if let Some(default) = identity.stack {
            let help = format!("Stack of each thread that serves, as in 64KiB or 2MiB [default: {default}]");
            let value = Arg::new(STACK_SIZE).long(STACK_SIZE).value_name("SIZE").value_parser(parse_bytes).help(help);
            command = command.arg(value);
        }
        let matches = command.get_matches();
        let line = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());

        if let Some(url) = line.check {
            let url = if url.is_empty() { own_url(line.host, line.port.unwrap_or(identity.port)) } else { url };
            match check::check(&url) {
                Ok(()) => std::process::exit(0),
                Err(why) => {
                    eprintln!("{}: {url}: {why}", identity.name);
                    std::process::exit(1);
                }
            }
        }
        if let (Workers::Fixed(why), Some(n)) = (identity.workers, line.workers) {
            eprintln!("{}: --workers {n} does not apply: {why}", identity.name);
        }
        let default = match identity.workers {
            Workers::Cores => available_parallelism().map_or(1, NonZeroUsize::get),
            Workers::Default(n) => n,
            Workers::Fixed(_) => 1,
        };
        Self {
            name: identity.name,
            host: line.host,
            port: line.port.unwrap_or(identity.port),
            workers: line.workers.map_or(default, NonZeroUsize::get),
            // A server without such a flag does not know its name.
            stack_bytes: matches.try_get_one(STACK_SIZE).ok().flatten().copied(),
        }
    }

    /// A thread that serves, with the stack that was asked for.
    pub fn thread(&self) -> Builder {
        self.stack_bytes.map_or_else(Builder::new, |bytes| Builder::new().stack_size(bytes))
    }
}

/// `64KiB`, `2MiB`: the unit is asked for, so that nobody's 64 is taken for bytes.
fn parse_bytes(text: &str) -> Result<usize, String> {
    let wanted = || format!("{text:?} is no size such as 64KiB or 2MiB, up to 1024MiB");
    let (number, shift) = match (text.strip_suffix("KiB"), text.strip_suffix("MiB")) {
        (Some(number), _) => (number, 10),
        (None, Some(number)) => (number, 20),
        (None, None) => return Err(wanted()),
    };
    let number: usize = number.parse().map_err(|_| wanted())?;
    let bytes = number.checked_mul(1 << shift).filter(|bytes| (1..=1 << 30).contains(bytes));
    bytes.ok_or_else(wanted)
}

/// Where a server that listens so can be asked on its own machine.
fn own_url(host: IpAddr, port: u16) -> String {
    let host = match host {
        IpAddr::V4(any) if any.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(any) if any.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        one => one,
    };
    format!("http://{}/", SocketAddr::new(host, port))
}

fn parse_host(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .map_err(|_| "an IP address is wanted, such as 127.0.0.1, 0.0.0.0 or ::1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_server_that_listens_everywhere_is_asked_on_loopback() {
        assert_eq!(own_url(Ipv4Addr::UNSPECIFIED.into(), 8101), "http://127.0.0.1:8101/");
        assert_eq!(own_url(Ipv6Addr::UNSPECIFIED.into(), 8101), "http://[::1]:8101/");
        assert_eq!(own_url(Ipv4Addr::new(127, 0, 0, 2).into(), 80), "http://127.0.0.2:80/");
    }

    #[test]
    fn a_size_has_its_unit() {
        assert_eq!([parse_bytes("64KiB"), parse_bytes("2MiB")], [Ok(65_536), Ok(2_097_152)]);
        for bad in ["", "64", "KiB", "64kb", "-1KiB", "0KiB", "1025MiB", "99999999999999999999MiB", "1.5MiB"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_is_an_address_and_never_looked_up() {
        assert_eq!(parse_host("localhost").unwrap().to_string(), "127.0.0.1");
        assert_eq!(parse_host("::1").unwrap().to_string(), "::1");
        assert_eq!(parse_host("[::1]").unwrap().to_string(), "::1");
        assert!(parse_host("example.com").is_err());
    }
}
