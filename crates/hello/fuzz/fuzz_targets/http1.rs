//! No input panics, and its split does not matter.
//!
//! The first byte says where to cut: 0 is after every byte, everything else about that many bytes apart.

#![no_main]

use std::time::{SystemTime, UNIX_EPOCH};

use hello::http1::{Connection, Next};
use libfuzzer_sys::fuzz_target;

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

fn clock() -> SystemTime {
    UNIX_EPOCH
}

/// The final responses, and whether the connection is then closed or idle.
fn converse<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, bool, bool) {
    let mut connection = Connection::with_clock(clock);
    let mut finals = Vec::new();
    let mut output = Vec::new();
    let mut closed = false;
    for piece in pieces {
        closed = connection.receive(piece, &mut output) != Next::Read;
        // An interim 100 depends on the split; it can only be the last of what one piece gives.
        let len = output.len() - if output.ends_with(CONTINUE) { CONTINUE.len() } else { 0 };
        finals.extend_from_slice(&output[..len]);
        output.clear();
    }
    (finals, closed, connection.is_idle())
}

fuzz_target!(|data: &[u8]| {
    let Some((&step, input)) = data.split_first() else { return };
    let whole = converse(std::iter::once(input));
    let split = converse(input.chunks(usize::from(step).max(1)));
    assert_eq!(whole, split);
});
