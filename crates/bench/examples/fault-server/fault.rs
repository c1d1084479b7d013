//! The ways to go wrong.

use clap::ValueEnum;

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// Nothing
    None,
    /// It prints a line and exits with status 1
    Exits,
    /// It takes connections and never answers
    Silent,
    /// It is ready after `n` seconds
    Slow,
    /// It listens on the next port
    NextPort,
    /// It listens on ::1 only
    Ipv6Only,
    /// Its body is another
    OtherBody,
    /// Its status is 503
    Unavailable,
    /// Every tenth answer after the `n`th is a 500
    SomeErrors,
    /// After `n` requests every answer is a 302 of the same length
    Redirects,
    /// After `n` requests every answer has a longer body
    OtherLength,
    /// What it says is not HTTP
    NotHttp,
    /// After `n` requests it dies with status 3
    Dies,
    /// After `n` requests it does not answer any more
    Hangs,
    /// After `n` requests it resets every connection
    Resets,
    /// It closes every connection after its first answer, without saying so
    ClosesSilently,
    /// Its Date stands still
    StaleDate,
    /// It does not end on SIGTERM
    IgnoresTerm,
    /// It starts itself again, and that one serves
    Forks,
    /// It starts itself again, which serves, and leaves
    ForksAndLeaves,
    /// It burns `n` µs of CPU time in a new thread for every request
    Burns,
    /// It burns `n` µs of CPU time in a child process for every request, and waits for it
    BurnsInChild,
    /// What such a child does
    BurnStep,
    /// It prints a line for every request
    Logs,
    /// It leaves the terminal's session by a double fork, and what is left serves
    Daemonises,
    /// The step of that in between
    DaemonStep,
    /// It starts a worker that dies after `n` requests, and waits for ever
    WorkerDies,
    /// The same, and starts another then
    WorkerIsReplaced,
    /// It listens on ::ffff:127.0.0.1, a socket of IPv6
    Mapped,
    /// After `n` requests it closes its port, and goes on with the connections that it has
    ClosesItsPort,
    /// It takes `n` connections, and leaves the others in the queue
    StopsAccepting,
    /// Its queue holds one connection, and it takes one every `n` ms
    ShortQueue,
    /// It takes connections and reads nothing
    NeverReads,
    /// It burns `n` % of a core when idle
    Spins,
    /// It ends its side of every connection after an answer, and goes on reading
    HalfCloses,
    /// Its body comes in chunks
    Chunked,
    /// Head and body come in two writes
    TwoWrites,
    /// The same, and Nagle's algorithm is left on
    WritesTwice,
    /// Of requests that come together it answers the first only
    DropsPipelined,
    /// After `n` requests bodies are cut off and the connection ends
    Truncates,
}
