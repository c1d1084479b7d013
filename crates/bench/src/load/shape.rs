//! How connections are used, and how fast they are used.

use serde::{Deserialize, Serialize};

/// How connections are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Connections are kept open from request to request.
    KeepAlive,
    /// One request per connection.
    Close,
    /// Several requests are sent on a kept connection before the first is answered.
    Pipelined,
    /// Requests are sent on kept connections when they are due, whether or not earlier ones are answered.
    FixedRate,
}

impl Shape {
    /// Whether connections are meant to be kept.
    pub fn keeps(self) -> bool {
        self != Self::Close
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::KeepAlive => "keep-alive",
            Self::Close => "close",
            Self::Pipelined => "pipelined",
            Self::FixedRate => "fixed-rate",
        })
    }
}

/// A shape with the number that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// [`Shape::KeepAlive`].
    KeepAlive,
    /// [`Shape::Close`].
    Close,
    /// [`Shape::Pipelined`].
    Pipelined {
        /// Requests under way on each connection.
        depth: u32,
    },
    /// [`Shape::FixedRate`].
    FixedRate {
        /// Requests per second, over all connections.
        rate: u32,
    },
}

impl Manner {
    /// Its shape.
    pub fn shape(self) -> Shape {
        match self {
            Self::KeepAlive => Shape::KeepAlive,
            Self::Close => Shape::Close,
            Self::Pipelined { .. } => Shape::Pipelined,
            Self::FixedRate { .. } => Shape::FixedRate,
        }
    }

    /// Requests that may be under way on one connection.
    pub fn depth(self) -> u32 {
        match self {
            Self::Pipelined { depth } => depth,
            Self::KeepAlive | Self::Close | Self::FixedRate { .. } => 1,
        }
    }
}
