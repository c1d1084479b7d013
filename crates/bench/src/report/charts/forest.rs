//! A forest plot: ratios with their intervals, one row each, on a log axis with a line at 1.

use maud::{Markup, html};

use super::rows::{Key, Labels, Plot, rows};
use super::{Axis, Drawing, Place, Symbol, px};
use crate::report::units::short_percent;

/// One ratio.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Whose.
    pub name: String,
    /// The estimate; `None` if there is none.
    pub ratio: Option<f64>,
    /// An interval, or the ends of what was seen.
    pub ends: Option<(f64, f64)>,
    /// Whether these are an interval; else they are the smallest and the largest value.
    pub is_interval: bool,
    /// The verdict as a word of the legend.
    pub verdict: &'static str,
    /// The figures, written out.
    pub figures: String,
}

/// All that a forest plot shows.
#[derive(Debug, Clone)]
pub struct Forest {
    /// Ratios, on a log axis.
    pub axis: Axis,
    /// Between these, targets are equivalent.
    pub band: (f64, f64),
    /// From top to bottom.
    pub marks: Vec<Mark>,
}

/// What a verdict looks like: shape and colour.
fn look(verdict: &str) -> (Symbol, &'static str) {
    match verdict {
        "faster" => (Symbol::Circle, "c0"),
        "slower" => (Symbol::Diamond, "c1"),
        "equivalent" => (Symbol::Square, "c2"),
        "baseline" => (Symbol::Circle, "c5"),
        "noise floor" => (Symbol::Cross, "c5"),
        "no verdict" => (Symbol::Triangle, "c5 hollow"),
        _ => (Symbol::Ring, "c5"),
    }
}

/// Draws it.
pub fn forest(place: Place, of: &Forest) -> Drawing {
    let labels: Vec<Labels> =
        of.marks.iter().map(|mark| Labels { name: mark.name.clone(), figures: mark.figures.clone() }).collect();
    let mut legend: Vec<Key> = ["faster", "equivalent", "unresolved", "slower", "no verdict", "noise floor"]
        .into_iter()
        .filter(|word| of.marks.iter().any(|mark| mark.verdict == *word && mark.ratio.is_some()))
        .map(|word| {
            let (symbol, colour) = look(word);
            Key { mark: symbol.at(7.0, 0.0, colour), means: word.to_owned() }
        })
        .collect();
    for (is_interval, means) in [(true, "95 % interval"), (false, "smallest to largest block")] {
        if of.marks.iter().any(|mark| mark.ends.is_some() && mark.is_interval == is_interval) {
            legend.push(Key { mark: interval(0.0, 14.0, 0.0, "c5", is_interval), means: means.to_owned() });
        }
    }
    let band = html! { rect.band x="0" y="-6" width="14" height="12" {} };
    let margin = short_percent(of.band.1 - 1.0);
    legend.push(Key { mark: band, means: format!("within the margin of {margin}") });
    let under = |plot: &Plot| {
        let (low, high) = (plot.x(of.band.0), plot.x(of.band.1));
        html! {
            rect.band x=(px(low)) y=(px(plot.top)) width=(px(high - low)) height=(px(plot.bottom - plot.top)) {}
            path.one d=(format!("M{} {}V{}", px(plot.x(1.0)), px(plot.top), px(plot.bottom))) {}
        }
    };
    rows(place, &of.axis, &labels, &legend, under, |row, y, plot| {
        let mark = &of.marks[row];
        let (symbol, colour) = look(mark.verdict);
        html! {
            @if let Some((low, high)) = mark.ends { (interval(plot.x(low), plot.x(high), y, colour, mark.is_interval)) }
            @if let Some(ratio) = mark.ratio { (symbol.at(plot.x(ratio), y, colour)) }
        }
    })
}

fn interval(low: f64, high: f64, y: f64, colour: &str, is_interval: bool) -> Markup {
    let d = format!("M{} {}H{}", px(low), px(y), px(high));
    html! { path.interval.(colour).spread[!is_interval] d=(d) {} }
}
