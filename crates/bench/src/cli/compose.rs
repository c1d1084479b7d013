//! The flags of `compose`.

use clap::Args;

use crate::container::Network;

/// `compose`.
#[derive(Debug, Args)]
pub struct ComposeArgs {
    /// How the services are reached
    #[arg(long, default_value = "bridge")]
    pub network: Network,

    /// Write both files in docker/, instead of printing one
    #[arg(long, conflicts_with = "network")]
    pub write: bool,
}
