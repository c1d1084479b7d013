//! How much of anything a client may send: without a bound, one connection could take all memory or never end.

use std::time::Duration;

/// Bytes of a request line without its line ending; a longer one is answered 414. RFC 9112 §3 asks for at least 8000.
pub const REQUEST_LINE: usize = 8 * 1024;

/// Bytes of a request line and its header fields together, with the empty line that ends them; else 431.
pub const HEAD: usize = 64 * 1024;

/// Header fields of a request; else 431.
pub const FIELDS: usize = 100;

/// Empty lines before a request line, which RFC 9112 §2.2 asks to ignore ("at least one"); else 400.
pub const EMPTY_LINES: u8 = 8;

/// Bytes of the line before a chunk: its size and its extensions; else 400. RFC 9112 §7.1.1 asks for a limit.
pub const CHUNK_LINE: u32 = 1024;

/// Bytes of all trailer fields of a chunked body; else 431.
pub const TRAILERS: u32 = 8 * 1024;

/// After [`Next::Linger`](super::Next::Linger): how long a client may take to close its side.
pub const LINGER: Duration = Duration::from_millis(500);

/// After [`Next::Linger`](super::Next::Linger): how many bytes are read, to be thrown away, at most.
pub const LINGER_BYTES: u64 = 1024 * 1024;
