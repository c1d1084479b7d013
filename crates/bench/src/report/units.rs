//! How figures are written.

use crate::stats::Summary;

/// Three significant digits, without an exponent: 12.3, 1230, 0.0123.
pub fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        0.1.. => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// A whole number with a thin structure: 12 345.
pub fn thousands(value: f64) -> String {
    let whole = format!("{value:.0}");
    let mut text = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) && digit != '-' {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// How many of what: `1 slice`, `2 slices`.
pub fn count(number: usize, of: &str) -> String {
    if number == 1 { format!("1 {of}") } else { format!("{number} {of}s") }
}

/// `14.2–15.1`, each written by `write`.
pub fn range(summary: &Summary, write: impl Fn(f64) -> String) -> String {
    format!("{}–{}", write(summary.min), write(summary.max))
}

/// A ratio: 1.034, 12.3, 140.
pub fn ratio(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        0.01.. => format!("{value:.3}"),
        _ => format!("{value:.5}"),
    }
}

/// A difference as a share, rounded up, so that it never promises too much: `3.2 %`.
pub fn percent_of(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).ceil() / 10.0)
}

/// A share that somebody chose, as they wrote it: `5 %`, `0.5 %`.
pub fn short_percent(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

/// Mebibytes, as `3.4`.
pub fn mebibytes(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}

/// A share as `93 %`; a tenth where it matters.
pub fn percent(share: f64) -> String {
    if share > 0.99 && share < 0.9995 { format!("{:.1} %", share * 100.0) } else { format!("{:.0} %", share * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_people() {
        assert_eq!([digits(0.0), digits(0.01234), digits(1.2345), digits(12.345)], ["0", "0.0123", "1.23", "12.3"]);
        assert_eq!([digits(123.45), digits(123_456.0)], ["123", "123456"]);
        assert_eq!([thousands(0.0), thousands(999.4), thousands(1000.0)], ["0", "999", "1 000"]);
        assert_eq!(thousands(1_234_567.0), "1 234 567");
        assert_eq!([percent(0.5), percent(0.9931), percent(1.0)], ["50 %", "99.3 %", "100 %"]);
        assert_eq!([ratio(1.0341), ratio(0.25), ratio(12.34), ratio(345.6)], ["1.034", "0.250", "12.3", "346"]);
        assert_eq!([percent_of(0.0301), percent_of(1.5)], ["3.1 %", "150.0 %"]);
        assert_eq!([count(0, "slice"), count(1, "slice"), count(2, "slice")], ["0 slices", "1 slice", "2 slices"]);
        assert_eq!(mebibytes(3.0 * 1024.0 * 1024.0), "3.0");
    }
}
