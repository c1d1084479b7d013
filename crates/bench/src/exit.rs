//! The exit status of every command.

use std::process::ExitCode;

/// What a command's exit status means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All went well.
    Well = 0,
    /// Some target failed; the rest stands.
    SomeFailed = 1,
    /// What was asked for cannot be done.
    WrongUse = 2,
    /// A comparison was asked to decide, and it is worse.
    Worse = 3,
    /// A comparison was asked to decide, and cannot.
    Unresolved = 4,
    /// The user ended it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
