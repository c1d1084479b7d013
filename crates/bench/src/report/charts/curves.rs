//! Points of two measured quantities, for each series a shape and a colour of its own; joined by a line only if asked for,
//! as where both axes are quantities and the steps between them could have been measured too.

use maud::{Markup, html};

use super::rows::{Key, Plot, clipped, keys, ticks, width};
use super::symbol::SYMBOLS;
use super::{Axis, Drawing, Place, Symbol, px};

const HEIGHT: f64 = 280.0;
const PANEL: f64 = 130.0;
/// How far the marks of two series stand from each other that would hide each other's ends, in px.
const BESIDE: f64 = 5.0;
/// The room that a name at the end of a line needs above the next, in px.
const APART: f64 = 14.0;

/// One point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// The smallest and the largest of what it stands for, or an interval.
    pub ends: Option<(f64, f64)>,
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Series {
    /// Whose.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
}

/// All that such a chart shows.
#[derive(Debug, Clone)]
pub struct Curves {
    /// To the right.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// Up to six in one drawing; more get a panel each.
    pub series: Vec<Series>,
    /// Whether the points of a series are joined.
    pub joined: bool,
}

/// Draws it: more series than can be told apart get a panel each, with all others behind in grey.
pub fn curves(place: Place, of: &Curves) -> Drawing {
    if of.series.len() > SYMBOLS.len() { panels(place, of) } else { together(place, of) }
}

fn look(n: usize) -> (Symbol, String) {
    (SYMBOLS[n % SYMBOLS.len()], format!("c{}", n % SYMBOLS.len()))
}

fn together(place: Place, of: &Curves) -> Drawing {
    let all = place.width();
    let longest = of.series.iter().map(|series| width(&series.name)).fold(0.0, f64::max).min(0.25 * all);
    let (legend, names) = match place {
        Place::Wide => (Vec::new(), longest + 28.0),
        Place::Narrow => {
            let key = |(n, series): (usize, &Series)| {
                let (symbol, colour) = look(n);
                Key { mark: symbol.at(7.0, 0.0, &colour), means: clipped(&series.name, all - 24.0) }
            };
            (of.series.iter().enumerate().map(key).collect(), 8.0)
        }
    };
    let (key, top) = keys(&legend, all);
    let top = top + 14.0;
    let plot = Plot { axis: &of.x, all, left: left(of), right: all - names, top, bottom: top + HEIGHT };
    let body = html! {
        (key)
        (frame(&plot, &of.y))
        text.soft.small x="0" y=(px(top - 10.0)) { (of.y.label) }
        @for (n, series) in of.series.iter().enumerate() {
            @let (symbol, colour) = look(n);
            (line(&plot, of, series, &colour, Some(symbol), aside(of, n)))
        }
        @if place == Place::Wide { (at_their_ends(&plot, of, all, longest)) }
    };
    Drawing { height: plot.bottom + 40.0, body }
}

fn panels(place: Place, of: &Curves) -> Drawing {
    let columns = if place == Place::Wide { 3 } else { 1 };
    let (all, gap) = (place.width(), 18.0);
    let each = (all - gap * (columns - 1) as f64) / columns as f64;
    let down = PANEL + 66.0;
    let body = html! {
        @for (n, series) in of.series.iter().enumerate() {
            @let (x, y) = ((n % columns) as f64 * (each + gap), (n / columns) as f64 * down);
            @let plot = Plot { axis: &of.x, all: each, left: left(of), right: each - 8.0, top: 36.0, bottom: 36.0 + PANEL - 16.0 };
            g transform=(format!("translate({} {})", px(x), px(y))) {
                text.strong x="0" y="12" { (clipped(&series.name, each)) }
                text.soft.small x="0" y="27" { (of.y.label) }
                (frame(&plot, &of.y))
                @for (m, other) in of.series.iter().enumerate() { @if m != n { (line(&plot, of, other, "ghost", None, 0.0)) } }
                (line(&plot, of, series, "c0", Some(Symbol::Circle), 0.0))
            }
        }
    };
    Drawing { height: down * of.series.len().div_ceil(columns) as f64 + 6.0, body }
}

/// Room for the words of the ticks.
fn left(of: &Curves) -> f64 {
    of.y.ticks.iter().map(|(_, words)| width(words)).fold(0.0, f64::max) + 10.0
}

fn up(plot: &Plot, y: &Axis, value: f64) -> f64 {
    plot.bottom - y.share(value) * (plot.bottom - plot.top)
}

fn frame(plot: &Plot, y: &Axis) -> Markup {
    html! {
        (ticks(plot))
        @for (value, words) in &y.ticks {
            @let at = up(plot, y, *value);
            path.grid d=(format!("M{} {}H{}", px(plot.left), px(at), px(plot.right))) {}
            text.soft.small.end x=(px(plot.left - 6.0)) y=(px(at + 4.0)) { (words) }
        }
    }
}

fn line(plot: &Plot, of: &Curves, series: &Series, colour: &str, symbol: Option<Symbol>, aside: f64) -> Markup {
    let places: Vec<(f64, f64)> =
        series.points.iter().map(|point| (plot.x(point.x) + aside, up(plot, &of.y, point.y))).collect();
    let d: Vec<String> = places.iter().map(|(x, y)| format!("{} {}", px(*x), px(*y))).collect();
    let class = if symbol.is_some() { "curve" } else { "ghost" };
    html! {
        @if of.joined && places.len() > 1 { path.(class).(colour) d=(format!("M{}", d.join("L"))) {} }
        @if let Some(symbol) = symbol {
            @for (point, (x, y)) in series.points.iter().zip(&places) {
                @if let Some((low, high)) = point.ends {
                    path.interval.(colour) d=(format!("M{} {}V{}", px(*x), px(up(plot, &of.y, low)), px(up(plot, &of.y, high)))) {}
                }
                (symbol.at(*x, *y, colour))
            }
        }
    }
}

/// Where points have ends, each series stands a little beside the others, in px.
fn aside(of: &Curves, n: usize) -> f64 {
    let has_ends = of.series.iter().any(|series| series.points.iter().any(|point| point.ends.is_some()));
    if has_ends { BESIDE * (n as f64 - (of.series.len() - 1) as f64 / 2.0) } else { 0.0 }
}

/// Each name beside its last point, moved so far that none lies on another.
fn at_their_ends(plot: &Plot, of: &Curves, all: f64, longest: f64) -> Markup {
    let mut ends: Vec<(usize, f64)> = (of.series.iter().enumerate())
        .filter_map(|(n, series)| Some((n, up(plot, &of.y, series.points.last()?.y))))
        .collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut free_from = f64::NEG_INFINITY;
    for (_, y) in &mut ends {
        *y = y.max(free_from);
        free_from = *y + APART;
    }
    // What was pushed out at the bottom goes up again.
    let mut free_to = plot.bottom + 4.0;
    for (_, y) in ends.iter_mut().rev() {
        *y = y.min(free_to);
        free_to = *y - APART;
    }
    html! {
        @for (n, y) in ends {
            @let (symbol, colour) = look(n);
            (symbol.at(plot.right + 14.0, y, &colour))
            text.small x=(px(plot.right + 23.0)) y=(px(y + 4.0)) { (clipped(&of.series[n].name, longest.max(all - plot.right - 24.0))) }
        }
    }
}
