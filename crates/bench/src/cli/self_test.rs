//! `self-test`, and the server that it burns time with.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::self_test::{Answer, live, simulated};
use crate::targets::Workspace;

/// Tables of each kind in which labels are swapped.
const SWAPPED_TABLES: u32 = 20;

/// `self-test`.
#[derive(Debug, Args)]
pub struct SelfTestArgs {
    /// Simulated tables of each kind
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    tables: u32,

    /// Draw the simulated tables from this number
    #[arg(long, default_value_t = 2026)]
    seed: u64,

    /// Measure too, with servers whose cost is known: takes some minutes, and a quiet machine
    #[arg(long)]
    live: bool,

    /// Blocks of the live parts
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(6..=1000))]
    blocks: u32,

    /// What one live server burns more than the other in a request, in µs
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    extra_us: u64,

    /// A new folder for the live runs [default: one that is removed again]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// `burn-server`.
#[derive(Debug, Args)]
pub struct BurnServerArgs {
    /// The loopback address that it listens on
    #[arg(long, default_value_t = std::net::Ipv4Addr::LOCALHOST)]
    pub host: std::net::Ipv4Addr,
    /// The port that it listens on
    #[arg(long)]
    pub port: u16,
    /// CPU time that every request uses beside what answering costs, in µs
    #[arg(long, default_value_t = 0)]
    pub burn_us: u64,
}

impl SelfTestArgs {
    /// Every part that was asked for, shown as it ends; `None` if the user ended it.
    ///
    /// # Errors
    /// When a live run cannot be made.
    pub fn answers(&self, mut show: impl FnMut(&Answer)) -> Result<Option<bool>> {
        let mut all_hold = true;
        let mut take = |answer: Answer| {
            show(&answer);
            all_hold &= answer.holds;
        };
        take(simulated::simulated(self.tables, self.seed));
        take(simulated::labels(SWAPPED_TABLES, self.seed));
        if self.live {
            let workspace = Workspace::find()?;
            let temporary = tempfile::tempdir()?;
            let folder = self.out.as_deref().unwrap_or(temporary.path());
            let Some(answer) = live::a_a(&workspace, self.blocks, folder)? else { return Ok(None) };
            take(answer);
            let Some(answer) = live::a_b(&workspace, self.blocks, self.extra_us, folder)? else { return Ok(None) };
            take(answer);
        }
        Ok(Some(all_hold))
    }
}
