//! Bars from 0, of one part or of two, with an interval at their end.

use maud::{Markup, html};

use super::rows::{Key, Labels, Plot, rows};
use super::{Axis, Drawing, Place, px};

/// Of a row's height, in px.
const THICK: f64 = 12.0;

/// What a part of a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// CPU time in the server's own code.
    User,
    /// CPU time in the kernel.
    System,
    /// Everything, not told apart.
    Whole,
}

/// One bar.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Whose.
    pub name: String,
    /// From 0 on, one after the other.
    pub parts: Vec<(Part, f64)>,
    /// An interval of the sum.
    pub interval: Option<(f64, f64)>,
    /// The figures, written out.
    pub figures: String,
}

/// Draws bars on an axis that begins at 0. `words` are what the parts are called that the legend names, and `interval`
/// what the interval is.
pub fn bars(place: Place, axis: &Axis, all: &[Bar], words: &[(Part, &str)], interval: &str) -> Drawing {
    let labels: Vec<Labels> =
        all.iter().map(|bar| Labels { name: bar.name.clone(), figures: bar.figures.clone() }).collect();
    let mut legend: Vec<Key> = words
        .iter()
        .filter(|(part, _)| all.iter().any(|bar| bar.parts.iter().any(|(own, _)| own == part)))
        .map(|(part, words)| Key { mark: block(*part, 0.0, -5.0, 14.0, 10.0), means: (*words).to_owned() })
        .collect();
    if all.iter().any(|bar| bar.interval.is_some()) {
        legend.push(Key { mark: whisker(0.0, 14.0, 0.0), means: interval.to_owned() });
    }
    let under = |_: &Plot| html! {};
    rows(place, axis, &labels, &legend, under, |row, y, plot| {
        html! {
            @for (part, from, to) in ends(&all[row].parts) {
                @let (left, right) = (plot.x(from), plot.x(to));
                (block(part, left, y - THICK / 2.0, right - left, THICK))
            }
            @if let Some((low, high)) = all[row].interval { (whisker(plot.x(low), plot.x(high), y)) }
        }
    })
}

/// Where each part begins and ends.
fn ends(parts: &[(Part, f64)]) -> impl Iterator<Item = (Part, f64, f64)> {
    parts.iter().scan(0.0, |from, (part, length)| {
        let begin = *from;
        *from += length;
        Some((*part, begin, *from))
    })
}

fn block(part: Part, x: f64, y: f64, width: f64, height: f64) -> Markup {
    let class = match part {
        Part::User => "user",
        Part::System => "system",
        Part::Whole => "whole",
    };
    html! {
        rect.(class) x=(px(x)) y=(px(y)) width=(px(width.max(0.5))) height=(px(height)) {}
        @if part == Part::System { path.hatch d=(hatch(x, y, width, height)) {} }
    }
}

/// Strokes across a part, so that it is not told from another by its colour alone.
fn hatch(x: f64, y: f64, width: f64, height: f64) -> String {
    const STEP: f64 = 4.0;
    let strokes = (0..).map(|n| 2.0 + STEP * f64::from(n)).take_while(|at| *at < width);
    strokes.fold(String::new(), |path, at| path + &format!("M{} {}v{}", px(x + at), px(y), px(height)))
}

fn whisker(low: f64, high: f64, y: f64) -> Markup {
    let d = format!("M{} {}v8m0 -4H{}m0 -4v8", px(low), px(y - 4.0), px(high));
    html! { path.whisker d=(d) {} }
}
