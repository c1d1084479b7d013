//! The `Date` field, formatted once a second and thread.

use std::cell::Cell;
use std::time::{SystemTime, UNIX_EPOCH};

/// `Thu, 01 Jan 1970 00:00:00 GMT` (IMF-fixdate, RFC 9110 §5.6.7).
pub(super) type Date = [u8; 29];

/// The last second that `httpdate` can format: the end of the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

thread_local! {
    /// The second that was formatted last, and its text. Threads do not share it, so that none waits for another.
    static LAST: Cell<(u64, Date)> = const { Cell::new((0, *b"Thu, 01 Jan 1970 00:00:00 GMT")) };
}

pub(super) fn date(now: SystemTime) -> Date {
    let second = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).min(LAST_SECOND);
    let (last, text) = LAST.get();
    if last == second {
        return text;
    }
    let text = format(second);
    LAST.set((second, text));
    text
}

#[cold]
fn format(second: u64) -> Date {
    let text = httpdate::fmt_http_date(UNIX_EPOCH + std::time::Duration::from_secs(second));
    text.as_bytes().try_into().expect("an IMF-fixdate has 29 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_moves_with_the_clock_and_back() {
        for second in [0, 1, 784_111_777, 1, 0, u64::MAX / 4] {
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(second)).unwrap_or(UNIX_EPOCH);
            assert_eq!(date(time).len(), 29);
        }
        assert_eq!(&date(UNIX_EPOCH + Duration::from_millis(784_111_777_999)), b"Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(&date(UNIX_EPOCH), b"Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(&date(UNIX_EPOCH - Duration::from_secs(1)), b"Thu, 01 Jan 1970 00:00:00 GMT");
    }
}
