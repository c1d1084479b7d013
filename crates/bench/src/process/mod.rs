//! Processes: every target and every load tool is started, owned, sampled and ended here, and never by name.

pub mod cpu;
pub mod ports;
pub mod server;
pub mod supervisor;
pub mod tool;
pub mod tree;

pub use server::{Server, StartError};
