//! The load tools: one file each, which knows the tool's command line and reads what it prints.
//!
//! Reading is a pure function from a recorded [`Output`] to a [`Report`] or the [`Failure`] in words. Whatever is not
//! recognised is a failure and never a number; what an output does not give is `None` and never 0.

mod ab;
mod ask;
mod h2load;
mod httperf;
mod json;
mod judge;
pub mod latencies;
mod oha;
mod shape;
mod silent_close;
mod text;
mod wrk;

use std::{ffi::OsString, path::Path, process::ExitStatus, time::Duration};

use serde::{Deserialize, Serialize};

pub use json::parse_to_json;
pub use latencies::Latencies;
pub use shape::{Manner, Shape};
pub use silent_close::excused;

/// A load tool: how it is asked, and how what it says is read.
pub trait LoadTool: Sync {
    /// The name in tables and on the command line of the harness; also that of the program.
    fn name(&self) -> &'static str;

    /// What makes the program print its version.
    fn version_args(&self) -> &'static [&'static str];

    /// The version, from all that the program printed when given [`version_args`](Self::version_args), whatever its
    /// exit status (wrk's is 1).
    fn parse_version(&self, printed: &str) -> Option<String>;

    /// The command that installs it.
    fn install(&self) -> &'static str;

    /// How many threads it has, if that cannot be chosen.
    fn own_threads(&self) -> Option<u32> {
        None
    }

    /// What the file given to [`command`](Self::command) is for.
    fn side_file(&self) -> SideFile {
        SideFile::None
    }

    /// How many threads it asks from when told to use `asked`.
    fn threads(&self, asked: u32) -> u32 {
        self.own_threads().unwrap_or(asked)
    }

    /// Whether it runs all the time by design, so that its CPU time says nothing of how fast it could have asked.
    fn spins(&self) -> bool {
        false
    }

    /// The arguments for `job`.
    ///
    /// # Errors
    /// In words, what of the job the tool cannot do.
    fn command(&self, job: &Job, side_file: &Path) -> Result<Vec<OsString>, String>;

    /// Fills `report` with what the tool printed, as far as it goes, without judging it.
    ///
    /// # Errors
    /// What is not recognised.
    fn read(&self, output: &Output, report: &mut Report) -> Result<(), String>;

    /// Whether it counts the end of a connection as an error unless the answer before has announced it.
    fn wants_closes_announced(&self) -> bool {
        false
    }

    /// The report of a slice without any error, or why it is none.
    ///
    /// # Errors
    /// Whatever is not recognised, no request answered, any error counter above 0, any exit but a good one.
    fn parse(&self, output: &Output) -> Result<Report, Failure> {
        let mut report = Report::default();
        let read = self.read(output, &mut report);
        judge::judge(self.name(), output, report, read)
    }
}

/// Every load tool.
pub const TOOLS: [&dyn LoadTool; 5] = [&wrk::Wrk, &ab::Ab, &oha::Oha, &h2load::H2load, &httperf::Httperf];

/// The load tool of that name.
pub fn tool(name: &str) -> Option<&'static dyn LoadTool> {
    TOOLS.into_iter().find(|tool| tool.name() == name)
}

/// What the second file of a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideFile {
    /// The tool has none.
    None,
    /// It holds this text before the tool starts, and the tool reads it.
    Reads(&'static str),
    /// The tool writes it; it goes into [`Output::side_file`].
    Writes,
}

/// When a slice ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// After this time.
    Time(Duration),
    /// After this number of requests.
    Requests(u64),
}

/// What a load tool is asked to do in one slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Where requests go, as in `http://127.0.0.1:8101/`.
    pub url: String,
    /// How connections are used.
    pub manner: Manner,
    /// Connections open at once.
    pub connections: u32,
    /// Threads of the load tool, where it has any.
    pub threads: u32,
    /// When the slice ends.
    pub extent: Extent,
    /// How long one answer may take before it is an error.
    pub timeout: Duration,
}

impl Job {
    /// How many requests it has, if that is fixed beforehand.
    pub fn due(&self) -> Option<u64> {
        match (self.extent, self.manner) {
            (Extent::Requests(requests), _) => Some(requests),
            (Extent::Time(time), Manner::FixedRate { rate }) => text::whole(f64::from(rate) * time.as_secs_f64()),
            (Extent::Time(_), _) => None,
        }
    }
}

/// What a tool left behind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output<'a> {
    /// Standard output.
    pub stdout: &'a [u8],
    /// Standard error.
    pub stderr: &'a [u8],
    /// How the tool ended.
    pub exit: Exit,
    /// ab's `-e` file, h2load's `--log-file`: the second file of a tool that writes one.
    pub side_file: Option<&'a [u8]>,
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exit {
    /// Nobody recorded it: only the output speaks.
    #[default]
    Unknown,
    /// With this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// From a number as people record it: negative is a signal (Python), above 128 also (shells).
    pub fn from_number(number: i32) -> Self {
        match number {
            ..0 => Self::Signal(number.saturating_neg()),
            129..=192 => Self::Signal(number - 128),
            _ => Self::Code(number),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

/// What a tool said of a slice that it finished.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Requests that were answered, well or not.
    pub requests: Option<u64>,
    /// Requests whose answer the tool found nothing wrong with. Where its counters may overlap, each of them is taken off:
    /// at least so many.
    pub good_requests: Option<u64>,
    /// How long the tool measured, in seconds.
    pub duration_s: Option<f64>,
    /// Requests per second, as the tool says or from the two above where it is more exact.
    pub rps: Option<f64>,
    /// Bytes received, heads and bodies together.
    pub bytes: Option<u64>,
    /// The tool's error counters.
    pub errors: Errors,
    /// Answers after which the server said that it keeps the connection, where the tool counts them.
    pub keep_alive_requests: Option<u64>,
    /// Latency, in µs. Of a closed loop, unless a rate was asked for.
    pub latency_us: Latency,
    /// How many requests one latency is of, where the tool sends several at once and times them together.
    #[serde(skip)]
    pub batch: Option<u32>,
    /// Connections that the tool opened, where it says.
    #[serde(skip)]
    pub opened: Option<u64>,
    /// The time from when each request was due to the end of its answer, where the tool gives that.
    #[serde(skip)]
    pub open_loop: Option<Latencies>,
    /// What a reader of the figures should know.
    pub warnings: Vec<String>,
}

impl Report {
    /// The share of the time of `connections` during which an answer that came was being waited for. A closed loop keeps
    /// this near 1 (Little's law), except that answers which had not come at the end are missing; far below, some
    /// connections waited in vain, which wrk counts nowhere. `None` without a mean latency, and
    /// in an open loop, whose connections have nothing to do at times.
    pub fn busy_share(&self, connections: u32) -> Option<f64> {
        if self.open_loop.is_some() {
            return None;
        }
        let waited_s = self.requests? as f64 / f64::from(self.batch.unwrap_or(1)) * self.latency_us.mean? / 1e6;
        let share = waited_s / (f64::from(connections) * self.duration_s?);
        share.is_finite().then_some(share)
    }

    /// In words, if the answers account for so little of the connections' time that some must have hung.
    pub fn stalled(&self, connections: u32) -> Option<String> {
        let share = self.busy_share(connections).filter(|share| *share < 0.1)?;
        Some(format!(
            "waiting for answers that came fills {:.2} % of the time of {connections} connections: some got no answer",
            share * 100.0
        ))
    }
}

/// Error counters; `None` where the tool has no such counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Errors {
    /// Connections that could not be made.
    pub connect: Option<u64>,
    /// Failed reads.
    pub read: Option<u64>,
    /// Failed writes.
    pub write: Option<u64>,
    /// Answers that took too long.
    pub timeout: Option<u64>,
    /// Answers with another status than 2xx (wrk: above 399).
    pub non_2xx: Option<u64>,
    /// Answers of another length than the first.
    pub length: Option<u64>,
    /// Failed receives, as ab counts them.
    pub receive: Option<u64>,
    /// Errors of a kind that the tool does not tell: ab's exceptions, what h2load calls errored.
    pub exceptions: Option<u64>,
}

impl Errors {
    /// Whether no counter counted anything.
    pub fn are_none(&self) -> bool {
        let Self { connect, read, write, timeout, non_2xx, length, receive, exceptions } = *self;
        let all = [connect, read, write, timeout, non_2xx, length, receive, exceptions];
        all.into_iter().flatten().all(|count| count == 0)
    }
}

/// Latency in µs; `None` where the tool does not give it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// The 75th percentile.
    pub p75: Option<f64>,
    /// The 90th percentile.
    pub p90: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

/// Why an output is no measurement, in words for the row that it would have had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// One line.
    pub reason: String,
    /// What the output did give, so that a person can see how far it came.
    pub seen: Box<Report>,
}
