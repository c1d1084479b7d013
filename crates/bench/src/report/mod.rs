//! What a run found, from its records alone: tables of data first, then each format in a file of its own.

mod columns;
mod judgement;
mod latency;
pub mod load;
pub mod markdown;
pub mod mirrors;
pub mod sweep;
pub mod table;
pub mod terminal;
#[cfg(test)]
mod tests;
pub(crate) mod units;
mod verdicts;

pub use judgement::{Judgement, by_block};
pub use table::{Report, Standing, Table};
