//! Charts as SVG, in a page and as files: who can see no page still has the figures of a run in a README or on a slide.
//!
//! Lengths begin at 0; charts that are compared share an axis; a log axis says so; categories are never joined by a
//! line; and whatever colour tells, a shape, a pattern or a word tells too.

mod axis;
mod bars;
mod curves;
mod dots;
mod forest;
mod of_report;
mod rows;
mod symbol;
#[cfg(test)]
mod tests;

use maud::{Markup, PreEscaped, html};

pub use axis::Axis;
pub use bars::{Bar, Part, bars};
pub use curves::{Curves, Point, Series, curves};
pub use dots::{Counts, Dot, Strip, dots};
pub use forest::{Forest, Mark, forest};
pub use of_report::{of_report, of_sweep, of_table};
pub use symbol::Symbol;

/// Colours for both schemes, and the classes that are drawn with.
pub const STYLE: &str = include_str!("charts.css");

/// Between the edge of a file and what is drawn, in px.
const MARGIN: f64 = 16.0;

/// Where a chart stands: beside text, or on a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A page, a README, a slide.
    Wide,
    /// A phone: names stand above what they name.
    Narrow,
}

impl Place {
    /// In px.
    pub fn width(self) -> f64 {
        match self {
            Self::Wide => 760.0,
            Self::Narrow => 340.0,
        }
    }
}

/// What is drawn, from the origin to the right and down.
pub struct Drawing {
    /// In px.
    pub height: f64,
    /// SVG elements.
    pub body: Markup,
}

/// A chart, drawn once for each place.
pub struct Chart {
    /// The name of its file, without `.svg`.
    pub stem: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What it says, in a sentence, to who cannot see it.
    pub says: String,
    wide: Drawing,
    narrow: Drawing,
}

impl Chart {
    /// Draws it for both places.
    pub fn draw(stem: &str, title: &str, says: &str, drawing: impl Fn(Place) -> Drawing) -> Self {
        let (wide, narrow) = (drawing(Place::Wide), drawing(Place::Narrow));
        Self { stem: stem.to_owned(), title: title.to_owned(), says: says.to_owned(), wide, narrow }
    }

    /// To stand in a page that has [`STYLE`], of which one drawing is shown.
    pub fn inline(&self) -> Markup {
        let one = |drawing: &Drawing, place: Place, class: &str| {
            html! {
                svg.chart.(class) role="img" aria-label=(format!("{}. {}", self.title, self.says))
                    viewBox=(format!("0 0 {} {}", px(place.width()), px(drawing.height)))
                    { (drawing.body) }
            }
        };
        html! { (one(&self.wide, Place::Wide, "wide")) (one(&self.narrow, Place::Narrow, "narrow")) }
    }

    /// A file by itself, with its title and its own ground.
    pub fn file(&self) -> String {
        let (width, top) = (Place::Wide.width() + 2.0 * MARGIN, MARGIN + 28.0);
        let height = self.wide.height + top + MARGIN;
        let svg = html! {
            svg.chart.file xmlns="http://www.w3.org/2000/svg" role="img"
                width=(px(width)) height=(px(height)) viewBox=(format!("0 0 {} {}", px(width), px(height))) {
                title { (self.title) }
                desc { (self.says) }
                style { (PreEscaped(STYLE)) }
                rect.ground width="100%" height="100%" {}
                text.title x=(px(MARGIN)) y=(px(MARGIN + 12.0)) { (self.title) }
                g transform=(format!("translate({} {})", px(MARGIN), px(top))) { (self.wide.body) }
            }
        };
        format!("{}\n", svg.into_string())
    }
}

/// A length in px: a tenth is finer than anybody sees.
pub(super) fn px(length: f64) -> String {
    let text = format!("{length:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}
