//! What the five first comparisons published: `published.toml`, and nothing else. A figure of theirs can be had in no
//! other way than from here, so that none can be made up.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result as Formatted};
use std::sync::LazyLock;

use serde::Deserialize;

/// The file as it is.
pub(crate) const FILE: &str = include_str!("published.toml");

/// One comparison, as it was published.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// What it was called.
    pub title: String,
    /// When: a year, or a day.
    pub date: String,
    /// How it was measured.
    pub command: String,
    /// What its figures are, where all are the same.
    #[serde(default)]
    pub unit: Option<String>,
    /// On what.
    #[serde(default)]
    pub machine: Option<String>,
    /// What it says of itself, or its readers said of it.
    #[serde(default)]
    pub note: Option<String>,
    /// Client threads, where the figures of a row are by them.
    #[serde(default)]
    pub threads: Vec<u32>,
    /// Its figures; none if it was published as charts only.
    pub rows: Vec<Row>,
    /// Its figures of memory.
    #[serde(default)]
    pub memory: Vec<Row>,
}

/// What was published of one system.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Row {
    /// The system, in the words of the source.
    pub system: String,
    /// What is to be known of it.
    #[serde(default)]
    pub note: Option<String>,
    /// Who reported it, if not the author.
    #[serde(default)]
    pub by: Option<String>,
    /// Its figures, by their name and unit.
    #[serde(flatten)]
    figures: BTreeMap<String, Figures>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Figures {
    One(Figure),
    Many(Vec<Figure>),
}

/// A published figure.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A whole number, of which there is a count.
    Whole(u64),
    /// One that was measured: 19.0 is not written as 19.
    Decimal(f64),
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        match self {
            Self::Whole(count) => count.fmt(f),
            Self::Decimal(value) if value.fract() == 0.0 => write!(f, "{value:.1}"),
            Self::Decimal(value) => value.fmt(f),
        }
    }
}

impl Row {
    /// A figure by its name; `None` if it was not published.
    pub fn figure(&self, name: &str) -> Option<Figure> {
        match self.figures.get(name)? {
            Figures::One(figure) => Some(*figure),
            Figures::Many(_) => None,
        }
    }

    /// A row of figures by their name; empty if they were not published.
    pub fn all(&self, name: &str) -> &[Figure] {
        match self.figures.get(name) {
            Some(Figures::Many(figures)) => figures,
            Some(Figures::One(_)) | None => &[],
        }
    }

    /// The system, and who reported its figures if that was not the author.
    pub fn said_of(&self) -> String {
        self.by.as_ref().map_or_else(|| self.system.clone(), |by| format!("{} (by: {by})", self.system))
    }
}

impl Comparison {
    /// The comparison of that name.
    ///
    /// # Panics
    /// For a name that the file does not have, which a test excludes for every replay.
    pub fn of(name: &str) -> &'static Self {
        static ALL: LazyLock<BTreeMap<String, Comparison>> =
            LazyLock::new(|| toml::from_str(FILE).expect("published.toml is as a test holds it to be"));
        ALL.get(name).unwrap_or_else(|| panic!("published.toml has no {name}"))
    }

    /// What was published of a system by the author, or else by whoever comes first.
    pub fn row(&self, system: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.system == system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_a_figure_is_there_or_not_but_never_0() {
        let wsgi = Comparison::of("wsgi-runtimes");
        assert_eq!(wsgi.row("modjy on Tomcat 5.5").unwrap().figure("value"), None);
        assert!(wsgi.row("nginx from memcached").unwrap().figure("value").is_some());
        assert_eq!(wsgi.row("tiscaf 0.2.4 on Scala 2.7.3").unwrap().figure("value").unwrap().to_string(), "10.0");
        let cherrypy = Comparison::of("cherrypy-threads");
        assert!(cherrypy.rows.iter().all(|row| row.all("rps").len() == cherrypy.threads.len()));
        assert!(Comparison::of("twisted-tornado").rows.is_empty());
    }

    #[test]
    fn a_reader_s_figure_says_that_it_is_one() {
        let rows = &Comparison::of("pyramid-node-gevent").rows;
        let by = |system: &'static str| rows.iter().filter(move |row| row.system == system).map(Row::said_of);
        assert_eq!(by("Tornado").collect::<Vec<_>>(), ["Tornado (by: reader, laptop)"]);
        assert_eq!(by("gevent").next().unwrap(), "gevent");
    }
}
