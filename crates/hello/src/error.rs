//! The one error that a server can end with.

use std::fmt;

/// What ended a server before it could serve, in one line for the person who started it.
pub struct Error(String);

/// The result of a server's `main`: an error is printed as one line, and the exit status is 1.
pub type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    /// An error that says what was tried, on what, and what happened.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As [`fmt::Display`], since `fn main() -> Result` prints the `Debug` form of what it returns.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}
