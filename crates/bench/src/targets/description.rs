//! What a target says of itself: `[package.metadata.hello-bench]` in a server's Cargo.toml, or a `[[target]]` of an
//! original's target.toml or of a file of the user's own, with the same keys.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::load::Shape;

/// The keys, and what they mean.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Description {
    /// The name that it goes by in commands and tables.
    pub name: String,
    /// What it is: `runtime`, `library`, `framework`, `std`, `original` or another word.
    pub kind: String,
    /// The language that it is written in.
    pub language: String,
    /// A word by which it can be named together with others, if the language is not that word: `jvm`.
    #[serde(default)]
    pub group: Option<String>,
    /// The crate or program whose version is shown.
    #[serde(default)]
    pub framework: Option<String>,
    /// The concurrency model, in words.
    pub model: String,
    /// The originals that it answers to.
    #[serde(default)]
    pub mirrors: Vec<String>,
    /// Of an original: what the first comparisons call what they measured.
    #[serde(default)]
    pub original: Option<String>,
    /// Why it stands in for that original, if it is another program.
    #[serde(default)]
    pub stand_in: Option<String>,
    /// The workers that a mirror has to have to answer to it: 1 for a single thread.
    #[serde(default)]
    pub mirror_workers: Option<usize>,
    /// The port that it listens on.
    pub port: u16,
    /// The shapes that it can hold at all, of `keep-alive` and `close`.
    #[serde(default = "every_shape", deserialize_with = "shapes")]
    pub shapes: Vec<Shape>,
    /// What `--workers` means to it.
    #[serde(default)]
    pub workers: Workers,
    /// Command line with `{host}`, `{port}`, `{workers}` and, for an original, `{prefix}`, where it is installed; of no
    /// use to a server of this workspace.
    #[serde(default)]
    pub command: Vec<String>,
    /// Variables of its environment, with the same places in their values; in its container too.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The settings that decide its speed: setting → reason.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Whether it can be had in a container.
    #[serde(default = "yes")]
    pub container: bool,
    /// Why not, if it cannot.
    #[serde(default)]
    pub container_reason: Option<String>,
    /// How the size of its threads' stacks is chosen, where it can be.
    #[serde(default)]
    pub stack_size: Option<StackSize>,
    /// How to install what it needs.
    #[serde(default)]
    pub install: Option<String>,
    /// What an original that is not had with the others of its folder needs beside, in words.
    #[serde(default)]
    pub optional: Option<String>,
    /// How long it may take to give its first answer, in seconds.
    #[serde(default = "ten_seconds")]
    pub start_deadline_s: u64,
    /// Requests sent by the harness before a slice.
    #[serde(default = "five_hundred")]
    pub warm_up_requests: u32,
    /// For so many seconds at the most it is warmed up until its cost is steady, as what compiles while it runs needs.
    #[serde(default)]
    pub warm_up_until_steady_s: Option<u64>,
    /// Points of the agreed behaviour that it cannot give: point → reason.
    #[serde(default)]
    pub cannot: BTreeMap<String, String>,
    /// What else it is known not to do, in sentences.
    #[serde(default)]
    pub known: Vec<String>,
}

impl Description {
    /// Names stand in tables, commands and file names: any character but control characters, and not too many.
    ///
    /// # Errors
    /// In words, when the name is none.
    pub fn check_name(&self) -> Result<(), String> {
        const LONGEST: usize = 100;
        let good = !self.name.trim().is_empty() && !self.name.chars().any(char::is_control);
        if good && self.name.chars().count() <= LONGEST {
            return Ok(());
        }
        Err(format!("{:?} is no name: 1 to {LONGEST} characters are wanted, and no control characters", self.name))
    }
}

/// How a target is told the size of its threads' stacks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackSize {
    /// By an argument, with `{kib}` for the number of KiB.
    Argument(String),
    /// By an environment variable of this name, in bytes.
    Variable(String),
}

/// What a target makes of a number of workers: `"cores"`, `"fixed"` or its default number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Workers {
    /// As many as there are cores, unless told otherwise.
    #[default]
    Cores,
    /// This many, unless told otherwise.
    Default(usize),
    /// The number cannot be chosen.
    Fixed,
}

impl<'de> Deserialize<'de> for Workers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Key {
            Number(usize),
            Word(String),
        }
        match Key::deserialize(deserializer)? {
            Key::Number(n) if n > 0 => Ok(Self::Default(n)),
            Key::Word(word) if word == "cores" => Ok(Self::Cores),
            Key::Word(word) if word == "fixed" => Ok(Self::Fixed),
            _ => Err(serde::de::Error::custom("workers is \"cores\", \"fixed\" or a number above 0")),
        }
    }
}

impl Description {
    /// Whether it can hold a shape: pipelining and a fixed rate need connections that are kept.
    pub fn holds(&self, shape: Shape) -> bool {
        let kept = self.shapes.contains(&Shape::KeepAlive);
        match shape {
            Shape::KeepAlive | Shape::FixedRate => kept,
            Shape::Close => self.shapes.contains(&Shape::Close),
            Shape::Pipelined => kept && !self.cannot.contains_key("pipelining"),
        }
    }
}

/// A description says only how connections end; what follows from that is found by [`Description::holds`].
fn shapes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Shape>, D::Error> {
    let shapes = Vec::deserialize(deserializer)?;
    if shapes.iter().any(|shape| !matches!(shape, Shape::KeepAlive | Shape::Close)) {
        return Err(serde::de::Error::custom("shapes are \"keep-alive\" and \"close\""));
    }
    Ok(shapes)
}

fn every_shape() -> Vec<Shape> {
    vec![Shape::KeepAlive, Shape::Close]
}

fn yes() -> bool {
    true
}

fn ten_seconds() -> u64 {
    10
}

fn five_hundred() -> u32 {
    500
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(more: &str) -> Result<Description, toml::de::Error> {
        toml::from_str(&format!(
            "name = \"x\"\nkind = \"runtime\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8101\n{more}"
        ))
    }

    #[test]
    fn pipelining_and_a_rate_need_connections_that_are_kept() {
        let held = |more: &str| {
            let described = described(more).unwrap();
            [Shape::KeepAlive, Shape::Close, Shape::Pipelined, Shape::FixedRate].map(|shape| described.holds(shape))
        };
        assert_eq!(held(""), [true; 4]);
        assert_eq!(held("shapes = [\"close\"]"), [false, true, false, false]);
        assert_eq!(held("[cannot]\npipelining = \"drops them\""), [true, true, false, true]);
        assert!(described("shapes = [\"pipelined\"]").is_err());
    }
}
