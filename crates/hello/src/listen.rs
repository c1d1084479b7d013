//! The listening socket: the same options for every server, so that none is favoured.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use crate::{Args, Error, Result};

/// How many finished handshakes may wait for `accept`. The kernel caps it at `net.core.somaxconn` (4096 by default
/// since Linux 5.4). The 128 of `std` and of most runtimes overflows when a load tool opens its connections at once,
/// and a client whose SYN was dropped comes back a second later.
pub const BACKLOG: i32 = 4096;

/// Binds `args.host:args.port` and listens, then announces the URL on standard output in one line.
///
/// The socket blocks: a runtime that wants it otherwise sets that itself. SO_REUSEADDR is set, so that connections
/// in TIME_WAIT do not keep a server from starting again; SO_REUSEPORT is not, so that a second server on the same
/// port is an error instead of a silent sharing of the load.
///
/// # Errors
/// In one line, with the address, when the port is taken or the address is not of this machine.
pub fn listen(args: &Args) -> Result<TcpListener> {
    let address = SocketAddr::new(args.host, args.port);
    let listener = bind(address).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "the port is already in use; choose another with --port".to_owned(),
            ErrorKind::PermissionDenied => "permission denied; ports below 1024 need root".to_owned(),
            ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
            _ => error.to_string(),
        };
        Error::new(format!("cannot listen on {address}: {why}"))
    })?;
    announce(args, listener.local_addr()?);
    Ok(listener)
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// How long to wait after `accept` failed before it is tried again.
///
/// A connection that ended while it waited is no reason to. Everything else that `accept` can give here is a lack of
/// descriptors or of memory (accept(2)): that the next try fails too is all but certain until some connection ends,
/// and a loop without a pause would take a core to find out.
pub fn pause_after(error: &io::Error) -> Duration {
    match error.kind() {
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted => Duration::ZERO,
        _ => Duration::from_millis(50),
    }
}

/// Connections are accepted by the kernel from `listen(2)` on, so this is true when it is printed.
fn announce(args: &Args, address: SocketAddr) {
    use std::io::Write;
    // A closed standard output is no reason not to serve.
    let _ = writeln!(std::io::stdout(), "{} listens on http://{address}/", args.name);
    if env!("HELLO_PROFILE") == "debug" {
        let _ = writeln!(
            std::io::stderr(),
            "{}: this is a dev build; figures want `cargo run --release -p {}`",
            args.name,
            args.name
        );
    }
}
