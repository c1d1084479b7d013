//! The values of the few header fields that a server must understand to answer at all.

use super::answer::Status;

/// Whether a byte may stand in a token, such as a method or a field name (RFC 9110 §5.6.2).
pub(super) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// The elements of a comma-separated list, empty ones left out (RFC 9110 §5.6.1.2).
pub(super) fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
}

/// A body's length. One field may repeat the same length in a list, which RFC 9110 §8.6 lets a server take as one.
///
/// The digits are looked at one by one because `"+5".parse::<u64>()` is `Ok` in Rust, and not in HTTP.
pub(super) fn content_length(value: &[u8]) -> Result<u64, Status> {
    let mut elements = value.split(|&byte| byte == b',').map(|element| decimal(element.trim_ascii()));
    let first = elements.next().flatten().ok_or(Status::BadRequest)?;
    if elements.all(|element| element == Some(first)) { Ok(first) } else { Err(Status::BadRequest) }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Whether this is `uri-host [ ":" port ]`, or nothing, as a URI without authority has it (RFC 9112 §3.2).
pub(super) fn is_host(value: &[u8]) -> bool {
    let (host, port) = if value.first() == Some(&b'[') {
        let Some(end) = value.iter().position(|&byte| byte == b']') else { return false };
        let literal = &value[1..end];
        let good = |byte: u8| is_name(byte) || byte == b':';
        if literal.is_empty() || !literal.iter().all(|&byte| good(byte)) {
            return false;
        }
        (&[][..], &value[end + 1..])
    } else {
        value.split_at(value.iter().position(|&byte| byte == b':').unwrap_or(value.len()))
    };
    let port = match port {
        [] => port,
        [b':', digits @ ..] => digits,
        _ => return false,
    };
    is_registered_name(host) && port.iter().all(u8::is_ascii_digit)
}

/// `reg-name` of RFC 3986 §3.2.2; an IPv4 address is one too.
fn is_registered_name(host: &[u8]) -> bool {
    if host.iter().all(|&byte| is_name(byte)) {
        return true;
    }
    let mut rest = host;
    loop {
        rest = match rest {
            [] => return true,
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [byte, rest @ ..] if is_name(*byte) => rest,
            _ => return false,
        }
    }
}

/// `unreserved` and `sub-delims` of RFC 3986 §2.
const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&'..=b',' | b';' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_digits_and_nothing_else() {
        assert_eq!(content_length(b"0"), Ok(0));
        assert_eq!(content_length(b"0012"), Ok(12));
        assert_eq!(content_length(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(content_length(b"5, 5 ,5"), Ok(5));
        for bad in ["", "+5", "-5", "5 5", "0x5", "5,", ",5", "5,6", "18446744073709551616", "five", "5.0", "\u{664}"] {
            assert_eq!(content_length(bad.as_bytes()), Err(Status::BadRequest), "{bad:?}");
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address_and_a_port() {
        for good in ["", "a", "localhost:8101", "127.0.0.1", "[::1]", "[::1]:80", "a:", "a%20b", "ex_ample.com"] {
            assert!(is_host(good.as_bytes()), "{good:?}");
        }
        for bad in ["a b", "a/b", "user@a", "a:b", "a:80:80", "[::1", "[]", "[::1]80", "::1", "a%2", "a\"", "é", "a?b"]
        {
            assert!(!is_host(bad.as_bytes()), "{bad:?}");
        }
    }

    #[test]
    fn a_list_has_no_empty_elements() {
        assert_eq!(list(b" close ,, keep-alive,\t").collect::<Vec<_>>(), [&b"close"[..], b"keep-alive"]);
    }
}
