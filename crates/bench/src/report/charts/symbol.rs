//! Marks that are told apart by their shape alone.

use maud::{Markup, html};

use super::px;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// A filled circle.
    Circle,
    /// An empty circle.
    Ring,
    /// A filled square.
    Square,
    /// A filled square on its corner.
    Diamond,
    /// A filled triangle.
    Triangle,
    /// Two strokes.
    Cross,
    /// Two strokes, upright.
    Plus,
}

/// In the order in which series get them; each goes with the colour of the same number.
pub const SYMBOLS: [Symbol; 6] =
    [Symbol::Circle, Symbol::Diamond, Symbol::Square, Symbol::Triangle, Symbol::Ring, Symbol::Cross];

impl Symbol {
    /// Drawn around a point, in one of the colours `c0` to `c5`.
    pub fn at(self, x: f64, y: f64, colour: &str) -> Markup {
        let path = |d: &str, r: f64| {
            let d = d.replace("2r", &px(2.0 * r)).replace('r', &px(r));
            html! { path.symbol.(colour) d=(format!("M{} {}{d}", px(x), px(y))) {} }
        };
        match self {
            Self::Circle => html! { circle.symbol.(colour) cx=(px(x)) cy=(px(y)) r="4" {} },
            Self::Ring => html! { circle.symbol.hollow.(colour) cx=(px(x)) cy=(px(y)) r="4" {} },
            Self::Square => path("m-r -rh2rv2rh-2rz", 3.8),
            Self::Diamond => path("m0 -rlr rl-r rl-r -rz", 5.4),
            Self::Triangle => path("m0 -rlr 2rh-2rz", 4.6),
            Self::Plus => path("m-r 0h2rm-r -rv2r", 4.6),
            Self::Cross => path("m-r -rl2r 2rm0 -2rl-2r 2r", 3.8),
        }
    }
}
