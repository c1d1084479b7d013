//! Every slice as a dot in the order of time, a strip for each target: drift, warm-up and disturbances can be seen.

use maud::{Markup, html};

use super::rows::{Key, SMALL_LINE, below, clipped, keys, width, wrapped};
use super::{Axis, Drawing, Place, Symbol, px};

/// A strip's height, in px: its two ends are three times apart from its middle in what a reader can tell.
const STRIP: f64 = 40.0;
const GAP: f64 = 6.0;

/// What a slice stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// A value like the others.
    Yes,
    /// A value too, of the best try that there was: something took the cores.
    Disturbed,
    /// No value: its block was disturbed, and measured again.
    No,
}

/// One slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dot {
    /// When, in the unit of the axis of time.
    pub at: f64,
    /// Its value as a ratio to the median of its target; `None` if it failed.
    pub value: Option<f64>,
    /// What it stands for.
    pub counts: Counts,
}

/// The slices of one target.
#[derive(Debug, Clone)]
pub struct Strip {
    /// Whose.
    pub name: String,
    /// In the order of time.
    pub dots: Vec<Dot>,
    /// The median, written out.
    pub median: String,
}

/// Draws strips that share both axes.
pub fn dots(place: Place, time: &Axis, value: &Axis, strips: &[Strip]) -> Drawing {
    let all = place.width();
    let any = |test: fn(&Dot) -> bool| strips.iter().any(|strip| strip.dots.iter().any(test));
    let mut legend =
        vec![Key { mark: circle(7.0, 0.0), means: "a slice, beside the line of its target's median".to_owned() }];
    if any(|dot| dot.counts == Counts::Disturbed && dot.value.is_some()) {
        legend.push(Key {
            mark: Symbol::Ring.at(7.0, 0.0, "c1"),
            means: "disturbed, and counted all the same".to_owned(),
        });
    }
    if any(|dot| dot.counts == Counts::No && dot.value.is_some()) {
        let means = "of a block that was measured again: in no figure".to_owned();
        legend.push(Key { mark: replaced(7.0, 0.0), means });
    }
    if any(|dot| dot.counts != Counts::No && dot.value.is_none()) {
        legend.push(Key { mark: failed(7.0, 0.0, Counts::Yes), means: "failed".to_owned() });
    }
    if any(|dot| dot.counts == Counts::No && dot.value.is_none()) {
        let means = "failed, in a block that was measured again".to_owned();
        legend.push(Key { mark: failed(7.0, 0.0, Counts::No), means });
    }
    let (key, top) = keys(&legend, all);
    let names = strips.iter().map(|strip| width(&strip.name).max(width(&strip.median))).fold(0.0, f64::max);
    let (above, left) = match place {
        Place::Wide => (0.0, names.min(0.28 * all) + 46.0),
        Place::Narrow => (18.0, 34.0),
    };
    let (right, each) = (all - 8.0, STRIP + GAP + above);
    let bottom = top + each * strips.len() as f64;
    let x = |at: f64| left + time.share(at) * (right - left);
    let measured = labels(time, value, all);
    let body = html! {
        (key)
        @for (n, strip) in strips.iter().enumerate() {
            @let start = top + each * n as f64 + above;
            @let y = |value_at: f64| start + STRIP - 4.0 - value.share(value_at) * (STRIP - 8.0);
            rect.band x=(px(left)) y=(px(start)) width=(px(right - left)) height=(px(STRIP)) {}
            @for (at, words) in &value.ticks {
                path.grid d=(format!("M{} {}H{}", px(left), px(y(*at)), px(right))) {}
                text.soft.small.end x=(px(left - 5.0)) y=(px(y(*at) + 4.0)) { (words) }
            }
            (names_of(place, strip, start, all))
            @for dot in &strip.dots {
                @match dot.value {
                    Some(value) => @match dot.counts {
                        Counts::Yes => (circle(x(dot.at), y(value))),
                        Counts::Disturbed => (Symbol::Ring.at(x(dot.at), y(value), "c1")),
                        Counts::No => (replaced(x(dot.at), y(value))),
                    },
                    None => (failed(x(dot.at), start + STRIP / 2.0, dot.counts)),
                }
            }
        }
        @for (at, words) in &time.ticks {
            text.soft.small.middle x=(px(x(*at))) y=(px(bottom + 10.0)) { (words) }
        }
        (below(&measured, f64::midpoint(left, right), bottom + 28.0, all))
    };
    Drawing { height: bottom + 20.0 + SMALL_LINE * measured.len() as f64, body }
}

/// What both axes measure, in one line if there is room.
fn labels(time: &Axis, value: &Axis, fits: f64) -> Vec<String> {
    let both = wrapped(&format!("{}; up: {}", time.label, value.label), fits);
    if both.len() == 1 {
        return both;
    }
    [wrapped(&time.label, fits), wrapped(&format!("up: {}", value.label), fits)].concat()
}

fn names_of(place: Place, strip: &Strip, start: f64, all: f64) -> Markup {
    let name = clipped(&strip.name, if place == Place::Wide { 0.28 * all } else { all - width(&strip.median) - 10.0 });
    html! {
        @if place == Place::Wide {
            text x="0" y=(px(start + STRIP / 2.0 - 3.0)) { (name) }
            text.soft.small x="0" y=(px(start + STRIP / 2.0 + 12.0)) { (strip.median) }
        } @else {
            text x="0" y=(px(start - 5.0)) { (name) }
            text.soft.end.small x=(px(all)) y=(px(start - 5.0)) { (strip.median) }
        }
    }
}

fn replaced(x: f64, y: f64) -> Markup {
    Symbol::Diamond.at(x, y, "c5 hollow")
}

/// A cross, upright in a block that was measured again.
fn failed(x: f64, y: f64, counts: Counts) -> Markup {
    match counts {
        Counts::No => Symbol::Plus.at(x, y, "c5"),
        Counts::Yes | Counts::Disturbed => Symbol::Cross.at(x, y, "c1"),
    }
}

fn circle(x: f64, y: f64) -> Markup {
    html! { circle.dot.c0 cx=(px(x)) cy=(px(y)) r="2.6" {} }
}
