//! How the program speaks: chosen once, from the command line and what the streams are.

use std::io::IsTerminal;
use std::sync::OnceLock;

/// What is printed beside warnings and errors, which always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Voice {
    /// Progress and tables.
    #[default]
    Full,
    /// Nothing.
    Quiet,
    /// The records of the run, a JSON object per line, to standard output; progress to standard error.
    Json,
}

/// The widest that is written where the width of the terminal is not known.
pub const WIDTH: usize = 100;

static CHOSEN: OnceLock<(Voice, bool)> = OnceLock::new();

/// Chooses it, the first time; `colour` is whether the user lets colours be.
pub fn choose(voice: Voice, colour: bool) {
    let _ = CHOSEN.set((voice, colour));
}

/// What was chosen.
pub fn voice() -> Voice {
    CHOSEN.get().map_or(Voice::Full, |(voice, _)| *voice)
}

/// Whether standard output may have colours: on a terminal, unless the user or NO_COLOR (no-color.org) says no.
pub fn in_colour() -> bool {
    let wanted = CHOSEN.get().is_none_or(|(_, colour)| *colour);
    wanted && std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The columns of standard output, if it is a terminal.
pub fn columns() -> Option<usize> {
    std::io::stdout().is_terminal().then(|| console::Term::stdout().size_checked())?.map(|(_, columns)| columns.into())
}
