//! Numbers as the tools print them. Only plain decimals are numbers: no sign, exponent, `nan` or decimal comma.

use std::borrow::Cow;

/// A printed number and how far the exact one may be from it: one unit of the last printed digit, since some tools round
/// and some cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounded {
    pub(super) value: f64,
    pub(super) within: f64,
}

impl Rounded {
    /// A number that was not rounded.
    pub(super) fn exact(value: f64) -> Self {
        Self { value, within: 0.0 }
    }

    /// Whether `exact` can have been printed as this.
    pub(super) fn holds(self, exact: f64) -> bool {
        (exact - self.value).abs() <= self.within * (1.0 + 1e-6) + 1e-9
    }

    fn times(self, unit: f64) -> Self {
        Self { value: self.value * unit, within: self.within * unit }
    }
}

/// Whether `amount` over `time` can have been printed as `rate`.
pub(super) fn is_rate(amount: Rounded, time: Rounded, rate: Rounded) -> bool {
    let least = (amount.value - amount.within) / (time.value + time.within);
    let shortest = time.value - time.within;
    let most = if shortest > 0.0 { (amount.value + amount.within) / shortest } else { f64::INFINITY };
    least <= rate.value + rate.within && rate.value - rate.within <= most
}

/// `12` or `12.34`.
pub(super) fn decimal(text: &str) -> Option<Rounded> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits(whole) && (digits(fraction) || text.len() == whole.len()) && text.len() <= 40;
    let places = i32::try_from(fraction.len()).ok()?;
    plain.then_some(Rounded { value: text.parse().ok()?, within: 10f64.powi(-places) })
}

/// A whole number.
pub(super) fn count(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A time in µs, as `12.30us`, `1.20ms`, `3.00s`, `1.50m`, `1.00h`.
pub(super) fn time_us(text: &str) -> Option<Rounded> {
    const UNITS: [(&str, f64); 5] = [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 60e6), ("h", 3600e6)];
    with_unit(text, &UNITS)
}

/// Bytes, as `12B`, `1.50KB`, `2.00MB`, in steps of 1024.
pub(super) fn bytes(text: &str) -> Option<Rounded> {
    const K: f64 = 1024.0;
    const UNITS: [(&str, f64); 5] = [("KB", K), ("MB", K * K), ("GB", K * K * K), ("TB", K * K * K * K), ("B", 1.0)];
    with_unit(text, &UNITS)
}

fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<Rounded> {
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(number_end);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    Some(decimal(number)?.times(*scale))
}

/// The nearest whole number; `None` if it is not one that can be counted.
pub(super) fn whole(value: f64) -> Option<u64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    (0.0..9e15).contains(&value).then(|| value.round() as u64)
}

/// The printed text; bytes that are not UTF-8 (a header of a server) become `�`.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The lines that begin with a key, without white space around them.
pub(super) struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self(text.lines().map(str::trim).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied()
    }

    /// What follows `key` on the only line that begins with it. Twice is an error: two reports, or a server's text that
    /// looks like one.
    pub(super) fn one(&self, key: &str) -> Result<Option<&'a str>, String> {
        let mut found = self.iter().filter_map(|line| line.strip_prefix(key));
        let first = found.next();
        if found.next().is_some() {
            return Err(format!("more than one line `{}`", key.trim()));
        }
        Ok(first.map(str::trim))
    }

    /// As [`one`](Self::one), if the line must be there.
    pub(super) fn need(&self, key: &str) -> Result<&'a str, String> {
        self.one(key)?.ok_or_else(|| format!("no line `{}`", key.trim()))
    }

    /// What `read` makes of the line that must be there.
    pub(super) fn read<T>(&self, key: &str, read: impl Fn(&'a str) -> Option<T>) -> Result<T, String> {
        let rest = self.need(key)?;
        read(rest).ok_or_else(|| format!("`{} {}`", key.trim(), shown(rest)))
    }
}

/// Text of a tool as part of a reason: one line, printable, not long.
pub(super) fn shown(text: &str) -> String {
    let line: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(160).collect();
    line.trim().to_owned()
}
