//! What the servers on std alone share: blocking sockets, and a stop that reaches threads which wait in the kernel.
//!
//! A thread in `accept` or `read` cannot be told anything, so the stop shuts its socket down for reading: `accept` then
//! fails and `read` gives what has come and then the end of the stream. A request pays nothing for that.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Result as IoResult, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use socket2::SockRef;

use crate::http1::{Connection, Next, limits};
use crate::{Args, Result, listen, on_stop, pause_after};

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: Arc<TcpListener>,
    clients: Arc<Clients>,
}

/// The clients that are connected.
#[derive(Debug, Default)]
struct Clients {
    stopping: AtomicBool,
    /// Where they come from, once there is one.
    listener: OnceLock<Arc<TcpListener>>,
    next_id: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Socket>>>,
    /// Notified when the last one has gone.
    none_left: Condvar,
}

#[derive(Debug)]
struct Socket {
    stream: TcpStream,
    /// Whether nothing of a request has come, so that a stop may close it.
    is_idle: AtomicBool,
}

impl Server {
    /// Listens where `args` say, until SIGINT or SIGTERM.
    ///
    /// # Errors
    /// Those of [`listen`] and [`on_stop`].
    pub fn listen(args: &Args) -> Result<Self> {
        let clients = Arc::new(Clients::default());
        // Before the URL is announced, since whoever reads that may stop the server at once.
        on_stop({
            let clients = Arc::clone(&clients);
            move || clients.stop()
        })?;
        let listener = Arc::new(listen(args)?);
        let _ = clients.listener.set(Arc::clone(&listener));
        Ok(Self { listener, clients })
    }

    /// The clients, as they connect; ends when the server is stopped.
    pub fn clients(&self) -> impl Iterator<Item = Client> {
        std::iter::from_fn(|| {
            while !self.clients.is_stopping() {
                let accepted = self.listener.accept();
                if self.clients.is_stopping() {
                    break;
                }
                match accepted.and_then(|(stream, _)| Client::enter(stream, &self.clients)) {
                    Ok(client) => return Some(client),
                    Err(error) => sleep(pause_after(&error)),
                }
            }
            None
        })
    }

    /// Waits until no client is left.
    pub fn finish(&self) {
        let mut open = self.clients.open();
        while !open.is_empty() {
            open = self.clients.none_left.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Clients {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Arc<Socket>>> {
        // Nothing panics while it holds the lock.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        if let Some(listener) = self.listener.get() {
            // Linux wakes a thread in `accept` for this; elsewhere the grace period ends it.
            let _ = SockRef::from(&**listener).shutdown(Shutdown::Read);
        }
        self.open().values().filter(|socket| socket.is_idle.load(Ordering::Acquire)).for_each(|s| s.end_input());
    }
}

impl Socket {
    fn end_input(&self) {
        // It may be gone already.
        let _ = self.stream.shutdown(Shutdown::Read);
    }
}

/// A client that is connected.
#[derive(Debug)]
pub struct Client {
    id: u64,
    socket: Arc<Socket>,
    clients: Arc<Clients>,
}

impl Client {
    fn enter(stream: TcpStream, clients: &Arc<Clients>) -> IoResult<Self> {
        stream.set_nodelay(true)?;
        let socket = Arc::new(Socket { stream, is_idle: AtomicBool::new(true) });
        let id = clients.next_id.fetch_add(1, Ordering::Relaxed);
        clients.open().insert(id, Arc::clone(&socket));
        // Asked after the insertion: a stop in between either is seen here or finds the socket.
        if clients.is_stopping() {
            socket.end_input();
        }
        Ok(Self { id, socket, clients: Arc::clone(clients) })
    }

    /// Makes a client that sends nothing for so long give way if it may not be kept any more.
    ///
    /// # Errors
    /// If the socket refuses.
    pub fn set_patience(&self, patience: Duration) -> IoResult<()> {
        self.socket.stream.set_read_timeout(Some(patience))
    }

    /// Serves the client until it leaves; whether its connection may be kept is asked before every answer.
    pub fn serve(self, may_be_kept: impl Fn() -> bool) {
        // What fails is the client's own connection: there is nobody to tell.
        if let Ok(Next::Linger) = self.converse(may_be_kept) {
            let _ = linger(&self.socket.stream);
        }
    }

    fn converse(&self, may_be_kept: impl Fn() -> bool) -> IoResult<Next> {
        let mut stream = &self.socket.stream;
        let mut connection = Connection::new();
        let mut input = [0; 4096];
        let mut output = Vec::new();
        loop {
            let len = match stream.read(&mut input) {
                Ok(0) => return Ok(Next::Close),
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if connection.is_idle() && !may_be_kept() {
                        return Ok(Next::Close);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            if self.clients.is_stopping() || !may_be_kept() {
                connection.finish();
            }
            let next = connection.receive(&input[..len], &mut output);
            stream.write_all(&output)?;
            output.clear();
            if next != Next::Read {
                return Ok(next);
            }
            self.socket.is_idle.store(connection.is_idle(), Ordering::Release);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut open = self.clients.open();
        open.remove(&self.id);
        if open.is_empty() {
            self.clients.none_left.notify_all();
        }
    }
}

/// See [`Next::Linger`].
fn linger(mut stream: &TcpStream) -> IoResult<()> {
    stream.shutdown(Shutdown::Write)?;
    let end = Instant::now() + limits::LINGER;
    let mut thrown_away = [0; 4096];
    let mut left = limits::LINGER_BYTES;
    while left > 0 {
        let time_left = end.saturating_duration_since(Instant::now());
        if time_left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(time_left))?;
        match stream.read(&mut thrown_away)? {
            0 => break,
            len => left = left.saturating_sub(len as u64),
        }
    }
    Ok(())
}
