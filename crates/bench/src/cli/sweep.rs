//! `sweep`: the flags of `run`, and which steps.

use anyhow::{Result, ensure};
use clap::Args;

use super::RunArgs;
use crate::load::Shape;
use crate::plan::{Knob, Setting};
use crate::run::Request;
use crate::targets::{Workers, Workspace};

/// More would not end within a day.
const MOST_STEPS: usize = 100;

/// `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// What changes from step to step
    #[arg(value_name = "WHAT")]
    knob: Knob,

    /// The first and the last step, as in 1..256
    #[arg(value_name = "FROM..TO", value_parser = parse_range)]
    range: (u32, u32),

    /// How many steps, each by the same factor [default: each twice the one before]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=100))]
    steps: Option<u16>,

    /// Steps by the same difference, instead of the same factor
    #[arg(long, requires = "steps")]
    linear: bool,

    #[command(flatten)]
    run: RunArgs,
}

impl SweepArgs {
    pub(super) fn voice(&self) -> crate::voice::Voice {
        self.run.voice()
    }

    /// What is to be measured, and how.
    ///
    /// # Errors
    /// For what the targets or the load tool cannot do, and for flags that say twice what the steps say.
    pub fn request(&self, workspace: &Workspace) -> Result<Request> {
        let run = &self.run;
        ensure!(run.wish()?.is_none(), "a sweep gives no verdicts that a number of blocks could be planned for");
        let said_twice = match self.knob {
            Knob::Connections => run.connections.map(|_| "--connections"),
            Knob::Workers => run.workers.map(|_| "--workers"),
            Knob::Rate => run.rate.map(|_| "--rate"),
        };
        if let Some(flag) = said_twice {
            anyhow::bail!("{flag} is what is swept: {} says it", self.knob);
        }
        ensure!(run.rate.is_none(), "--rate is for `hello-bench run`; `sweep rate` has a range of them");
        let steps = steps(self.range, self.steps.map(usize::from), self.linear);
        ensure!(steps.len() > 1, "{}..{} is one step, and a sweep needs two", self.range.0, self.range.1);
        ensure!(steps.len() <= MOST_STEPS, "{} steps are over {MOST_STEPS}", steps.len());
        let shape = self.shape()?;
        let sweep = steps.into_iter().map(|value| Setting { knob: self.knob, value }).collect();
        let request = run.request_of(vec![shape], sweep, run.compared(workspace, &[shape])?)?;
        let mut request = Request { containers: run.containers(workspace)?, ..request };
        if self.knob == Knob::Workers {
            let (can, cannot): (Vec<_>, Vec<_>) =
                request.targets.into_iter().partition(|target| target.description.workers != Workers::Fixed);
            let names: Vec<&str> = cannot.iter().map(crate::targets::Target::name).collect();
            ensure!(!can.is_empty(), "{}: the number of workers cannot be chosen", names.join(", "));
            if !names.is_empty() {
                eprintln!("left out, since the number of their workers cannot be chosen: {}", names.join(", "));
            }
            request.targets = can;
        }
        Ok(request)
    }

    /// One shape: a table of steps by shapes would be read by nobody.
    fn shape(&self) -> Result<Shape> {
        let default = if self.knob == Knob::Rate { Shape::FixedRate } else { Shape::KeepAlive };
        let shape = match self.run.shape[..] {
            [] => default,
            [one] => one,
            _ => anyhow::bail!("a sweep is of one shape"),
        };
        let wanted = if self.knob == Knob::Rate { shape == default } else { shape != Shape::FixedRate };
        ensure!(wanted, "a sweep of {} cannot be of the shape {shape}", self.knob);
        Ok(shape)
    }
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    const MOST: u32 = 10_000_000;
    let (from, to) = text.split_once("..").ok_or_else(|| format!("{text:?} is no range such as 1..256"))?;
    let number = |part: &str| part.parse::<u32>().map_err(|_| format!("{part:?} is no whole number"));
    let (from, to) = (number(from)?, number(to)?);
    if from == 0 || from >= to || to > MOST {
        return Err(format!("{text:?} does not go up from 1 or more, to {MOST} at the most"));
    }
    Ok((from, to))
}

/// The steps, ascending, each once, the first and the last among them.
fn steps((from, to): (u32, u32), count: Option<usize>, linear: bool) -> Vec<u32> {
    let (low, high) = (f64::from(from), f64::from(to));
    let mut steps: Vec<u32> = match count {
        None => std::iter::successors(Some(from), |step| step.checked_mul(2)).take_while(|step| *step < to).collect(),
        Some(count) => (0..count)
            .map(|n| n as f64 / (count - 1).max(1) as f64)
            .map(|share| if linear { low + (high - low) * share } else { low * (high / low).powf(share) })
            .map(whole)
            .collect(),
    };
    steps.push(to);
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The nearest whole number of a value between two of them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between two u32")]
fn whole(value: f64) -> u32 {
    value.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_geometric_unless_told_otherwise_and_hold_both_ends() {
        assert_eq!(steps((1, 64), None, false), [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(steps((3, 20), None, false), [3, 6, 12, 20]);
        assert_eq!(steps((10, 1000), Some(5), false), [10, 32, 100, 316, 1000]);
        assert_eq!(steps((10, 50), Some(5), true), [10, 20, 30, 40, 50]);
        // Rounded steps that fall together are one.
        assert_eq!(steps((1, 4), Some(10), false), [1, 2, 3, 4]);
        assert_eq!(steps((1, u32::MAX), None, false).last(), Some(&u32::MAX));
    }

    #[test]
    fn a_range_goes_up() {
        assert_eq!(parse_range("1..256"), Ok((1, 256)));
        for bad in ["", "1", "1..", "..2", "0..5", "5..5", "6..5", "1...5", "-1..5", "1..99999999", "a..b"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }
}
