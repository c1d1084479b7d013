//! A row for everyone: a name, a mark on an axis that all rows share, and its figure in words.

use maud::{Markup, html};

use super::{Axis, Drawing, Place, px};

/// The height of text with room above and below, in px.
const LINE: f64 = 18.0;
/// A character's width on the average, in px; there is nothing here that could measure a font.
const CHARACTER: f64 = 6.5;
/// How much narrower small text is.
const SMALL: f64 = 0.88;
/// The height of a line of small text, in px.
pub const SMALL_LINE: f64 = 16.0;
/// A name takes this share of the width at most.
const LONGEST: f64 = 0.28;

/// What stands beside a row's mark.
pub struct Labels {
    /// Whom it is about.
    pub name: String,
    /// The figures, written out.
    pub figures: String,
}

/// An entry of the legend: a mark that is drawn around (7, 0), and what it means.
pub struct Key {
    /// SVG elements.
    pub mark: Markup,
    /// In words.
    pub means: String,
}

/// The area between the ends of an axis, in px.
#[derive(Debug, Clone, Copy)]
pub struct Plot<'a> {
    pub axis: &'a Axis,
    /// The whole width of the drawing, which no word leaves.
    pub all: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Plot<'_> {
    /// Where a value of a horizontal axis stands.
    pub fn x(&self, value: f64) -> f64 {
        self.left + self.axis.share(value) * (self.right - self.left)
    }
}

/// Rows one below the other. `under` is drawn below all marks; `mark` around the middle of a row.
pub fn rows(
    place: Place,
    axis: &Axis,
    labels: &[Labels],
    legend: &[Key],
    under: impl Fn(&Plot) -> Markup,
    mark: impl Fn(usize, f64, &Plot) -> Markup,
) -> Drawing {
    let longest = |get: fn(&Labels) -> &String| labels.iter().map(|row| width(get(row))).fold(0.0, f64::max);
    let all = place.width();
    let names = longest(|row| &row.name).min(LONGEST * all) + 12.0;
    let figures = longest(|row| &row.figures) + 12.0;
    let (left, right, row, above) = match place {
        Place::Wide => (names, all - figures, 24.0, 0.0),
        Place::Narrow => (8.0, all - 8.0, 38.0, 15.0),
    };
    let (key, top) = keys(legend, all);
    let bottom = top + row * labels.len() as f64;
    let plot = Plot { axis, all, left, right, top, bottom };
    let body = html! {
        (key)
        (under(&plot))
        (ticks(&plot))
        @for (n, label) in labels.iter().enumerate() {
            @let y = top + row * n as f64 + (row - above) / 2.0 + above;
            @let (name_y, fits) = match place {
                Place::Wide => (y, LONGEST * all),
                Place::Narrow => (y - 16.0, all - figures - 8.0),
            };
            text x="0" y=(px(name_y + 4.0)) { (clipped(&label.name, fits)) @if width(&label.name) > fits { title { (label.name) } } }
            text.soft.end x=(px(all)) y=(px(name_y + 4.0)) { (label.figures) }
            (mark(n, y, &plot))
        }
    };
    Drawing { height: bottom + 2.0 * LINE + 4.0, body }
}

/// Ticks with lines through the plot, and what the axis measures below them.
pub fn ticks(plot: &Plot) -> Markup {
    let mut free_from = f64::NEG_INFINITY;
    let mut shown = Vec::new();
    for (value, words) in &plot.axis.ticks {
        let (x, half) = (plot.x(*value), SMALL * width(words) / 2.0 + 3.0);
        let word_x = x.min(plot.all - half).max(half.min(plot.all));
        // A label that would touch the one before is left out; its line stands.
        let has_room = word_x - half >= free_from;
        if has_room {
            free_from = word_x + half;
        }
        shown.push((x, word_x, words, has_room));
    }
    html! {
        @for (x, word_x, words, has_room) in shown {
            path.grid d=(format!("M{} {}V{}", px(x), px(plot.top), px(plot.bottom))) {}
            @if has_room { text.soft.small.middle x=(px(word_x)) y=(px(plot.bottom + 14.0)) { (words) } }
        }
        (below(std::slice::from_ref(&plot.axis.label), f64::midpoint(plot.left, plot.right), plot.bottom + 32.0, plot.all))
    }
}

/// Lines of small text below a plot, around `middle` as far as there is room.
pub fn below(lines: &[String], middle: f64, top: f64, all: f64) -> Markup {
    html! { @for (n, line) in lines.iter().enumerate() {
        @let half = (SMALL * width(line) / 2.0).min(all / 2.0);
        @let middle = middle.min(all - half).max(half);
        text.soft.small.middle x=(px(middle)) y=(px(top + SMALL_LINE * n as f64)) { (line) }
    } }
}

/// Small text in lines that fit.
pub fn wrapped(text: &str, fits: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if SMALL * (width(line) + CHARACTER + width(word)) <= fits => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The legend above a chart, in as many lines as it takes, and where it ends.
pub fn keys(legend: &[Key], all: f64) -> (Markup, f64) {
    let (mut x, mut y) = (0.0, 8.0);
    let mut places = Vec::new();
    for key in legend {
        let takes = 20.0 + SMALL * width(&key.means) + 18.0;
        if x > 0.0 && x + takes - 18.0 > all {
            (x, y) = (0.0, y + LINE);
        }
        places.push((x, y));
        x += takes;
    }
    let body = html! {
        @for (key, (x, y)) in legend.iter().zip(places) {
            g transform=(format!("translate({} {})", px(x), px(y))) {
                (key.mark)
                text.soft.small x="20" y="4" { (key.means) }
            }
        }
    };
    (body, if legend.is_empty() { 4.0 } else { y + LINE })
}

/// How wide a text is, about: an ideograph takes two.
pub fn width(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{2e80}' { 2.0 } else { 1.0 }).sum::<f64>() * CHARACTER
}

/// A text that fits, with its end left out if need be.
pub fn clipped(text: &str, fits: f64) -> String {
    if width(text) <= fits {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if width(&short) + width(&c.to_string()) > fits - CHARACTER {
            break;
        }
        short.push(c);
    }
    format!("{}…", short.trim_end())
}
