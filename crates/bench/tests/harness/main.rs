//! The harness as a user runs it, against servers that go wrong, with real wrk and ab.

mod bad_input;
mod documented;
mod faults;
mod fixture;
mod interrupted;
mod kept;
mod limits;
mod replay_ended;
mod replayed;
mod resumed;
mod shapes;
mod stopped;
mod under_load;
mod verdicts;
mod versus;
mod voice;
