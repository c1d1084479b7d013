//! The harness of the comparison, along the way the data goes:
//! cli → targets → plan → process → load → check → results → stats → report.

/// To standard error, like the one of std, which however ends the program if nobody reads it (`2>&1 | head -1`): a run
/// is not given up for that.
macro_rules! eprintln {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

/// What is nice to know while something goes on: to standard error, unless the user wants quiet.
macro_rules! note {
    ($($words:tt)*) => {{
        if crate::voice::voice() != crate::voice::Voice::Quiet {
            eprintln!($($words)*);
        }
    }};
}

pub mod check;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod container;
pub mod exit;
pub mod interrupt;
pub mod load;
pub mod machine;
pub mod plan;
pub mod process;
pub mod replay;
pub mod report;
pub mod results;
pub mod run;
pub mod self_test;
pub mod stats;
pub mod targets;
pub mod voice;
