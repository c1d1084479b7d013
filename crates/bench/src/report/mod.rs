//! What a run found, from its records alone: tables of data first, then each format in a file of its own.

pub mod charts;
mod columns;
pub mod csv;
pub mod html;
mod judgement;
mod latency;
pub mod load;
pub mod markdown;
pub mod mirrors;
pub mod publish;
pub mod sentences;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod terminal;
#[cfg(test)]
mod tests;
pub(crate) mod units;
mod verdicts;

pub use judgement::{Judgement, by_block, inputs};
pub use table::{Report, Standing, Table};
