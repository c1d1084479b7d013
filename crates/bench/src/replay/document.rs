//! A report as data, and the two ways to write it: as text for a terminal, and in Markdown.

use std::fmt::Write;

use crate::report::markdown::{escape, grid as markdown_grid};
use crate::report::terminal::grid as terminal_grid;

use super::published::Figure;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it is of.
    pub title: String,
    /// What stands in it, in its order.
    pub blocks: Vec<Block>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The head of what follows.
    Heading(String),
    /// A sentence or a few.
    Text(String),
    /// Lines, in our own words.
    List(Vec<String>),
    /// Lines, with what was published.
    PublishedList(Vec<String>),
    /// Figures.
    Table(Table),
    /// A picture beside the report.
    Picture {
        /// Its file's name.
        file: String,
        /// What is to be seen on it.
        shows: String,
    },
}

/// Figures under their heads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The heads.
    pub heads: Vec<String>,
    /// The rows, with a cell for each head.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell, by where what stands in it comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Measured or written here.
    Ours(String),
    /// Published then.
    Published(String),
}

impl Cell {
    /// A published figure, or that there is none.
    pub fn figure(figure: Option<Figure>) -> Self {
        Self::Published(figure.map_or_else(|| NONE.to_owned(), |figure| figure.to_string()))
    }

    /// What stands in it.
    pub fn text(&self) -> &str {
        match self {
            Self::Ours(text) | Self::Published(text) => text,
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Ours(text.into())
    }
}

/// Where there is no figure: an empty cell could be taken for one that was forgotten.
pub const NONE: &str = "–";

impl Table {
    /// Without rows yet.
    pub fn of(heads: &[&str]) -> Self {
        Self { heads: heads.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    fn cells(&self) -> (Vec<&str>, Vec<Vec<String>>) {
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.text().to_owned()).collect());
        (self.heads.iter().map(String::as_str).collect(), rows.collect())
    }
}

impl Document {
    /// As GitHub shows it.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escape(&self.title));
        for block in &self.blocks {
            text.push('\n');
            let _ = match block {
                Block::Heading(heading) => writeln!(text, "## {}", escape(heading)),
                Block::Text(words) => writeln!(text, "{}", escape(words)),
                Block::List(lines) | Block::PublishedList(lines) => {
                    lines.iter().try_for_each(|line| writeln!(text, "- {}", escape(line)))
                }
                Block::Table(table) => {
                    let (heads, rows) = table.cells();
                    write!(text, "{}", markdown_grid(&heads, &rows))
                }
                Block::Picture { file, shows } => writeln!(text, "![{}]({file})", escape(shows)),
            };
        }
        text
    }

    /// As a terminal shows it.
    pub fn terminal(&self) -> String {
        let mut text = format!("\n{}\n", self.title);
        for block in &self.blocks {
            let _ = match block {
                Block::Heading(heading) => writeln!(text, "\n{heading}"),
                Block::Text(words) => writeln!(text, "{words}"),
                Block::List(lines) | Block::PublishedList(lines) => {
                    lines.iter().try_for_each(|line| writeln!(text, "- {line}"))
                }
                Block::Table(table) => {
                    let (heads, rows) = table.cells();
                    writeln!(text, "{}", terminal_grid(&heads, &rows))
                }
                Block::Picture { file, shows } => writeln!(text, "{file}: {shows}"),
            };
        }
        text
    }
}
