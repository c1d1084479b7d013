//! `--blocks auto`: a short run beforehand shows how much slices spread, and from that the number of blocks is fixed. It
//! is a run of its own, in a folder of its own beside the other's, and none of its slices is used again.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Ended, Made, Request, foresight, fresh_seed, prepare};
use crate::process::Lock;
use crate::report::inputs;
use crate::results::{Options, PilotRecord, Run, RunDirectory, RunRecord};
use crate::stats::{Because, Planned, units_for};
use crate::targets::Workspace;

/// Enough to see a spread, and few beside the blocks of most runs.
pub const BLOCKS: u32 = 6;

/// What `--blocks auto` is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// The half-width that the widest interval is to have, as a share: 0.03 is 3 %.
    pub resolve: f64,
    /// More blocks than this are not made.
    pub at_most: u32,
}

/// Makes the pilot of a run, and then the run itself with the number of blocks that it asks for.
///
/// # Errors
/// As [`run`](super::run), and when the pilot shows no spread to plan from.
pub fn planned(_: &Lock, workspace: &Workspace, request: Request, wish: Wish) -> Result<Made> {
    super::must_be_new(request.out.as_deref())?;
    let pilot =
        Request { blocks: BLOCKS, seed: fresh_seed(), out: request.out.as_deref().map(beside), ..request.clone() };
    note!("first a pilot of {BLOCKS} blocks, from whose spread the number of blocks is planned");
    let Ok(prepared) = prepare(workspace, &pilot)? else { return Ok(Made::INTERRUPTED) };
    let mut directory = RunDirectory::create_for_pilot(pilot.out.as_deref(), &workspace.root, &prepared.record)?;
    note!("the pilot goes to {}", directory.path().display());
    if super::measure(&mut directory, &pilot, &prepared, &[])? == Ended::Interrupted {
        note!("interrupted in the pilot; it has no figures for a report");
        return Ok(Made::INTERRUPTED);
    }
    let folder = directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = plan_from(&Run::read(directory.path())?, wish.resolve)?;
    note!("{}", words(&found, wish));
    let blocks = found.units.min(wish.at_most);
    let record =
        PilotRecord { folder, blocks: BLOCKS, resolve: wish.resolve, wanted: found.units, because: found.because };
    let request = Request { blocks, ..request };
    note!("{}", foresight(&request));
    let options = Options { blocks, seed: request.seed, ..prepared.record.options.clone() };
    let record = RunRecord { began: super::now(), options, pilot: Some(record), ..prepared.record };
    let prepared = super::Prepared { record, ..prepared };
    let directory = RunDirectory::create(request.out.as_deref(), &workspace.root, &prepared.record)?;
    note!("results go to {}", directory.path().display());
    super::carry_out(directory, &request, &prepared, &[])
}

/// The number of blocks that a pilot asks for, and why.
struct Found {
    units: u32,
    because: String,
}

/// The most that any metric in any shape asks for.
fn plan_from(pilot: &Run, resolve: f64) -> Result<Found> {
    let inputs = inputs(pilot)?;
    ensure!(!inputs.is_empty(), "the pilot has no spread to plan from: its baseline failed in every shape");
    let mut most: Option<Found> = None;
    for (shape, input) in &inputs {
        let Planned { units, because } = units_for(input, resolve)?;
        let because = match because {
            Because::Verdicts => format!("verdicts on {} targets take them", input.targets.len() + 1),
            Because::Spread(target) => format!("{target} spreads so much, {} in {shape}", input.metric.words()),
        };
        let found = Found { units: u32::try_from(units).unwrap_or(u32::MAX), because };
        if most.as_ref().is_none_or(|most| found.units > most.units) {
            most = Some(found);
        }
    }
    most.context("the pilot has no spread to plan from")
}

fn words(found: &Found, Wish { resolve, at_most }: Wish) -> String {
    let Found { units, because } = found;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    if *units <= at_most {
        return format!("{units} blocks, to see differences of {}: {because}", percent(resolve));
    }
    // The half-width shrinks with the root of the number, on the log scale.
    let reached = (resolve.ln_1p() * (f64::from(*units) / f64::from(at_most)).sqrt()).exp_m1();
    format!(
        "to see differences of {} it would take {units} blocks ({because}), which is over --max-blocks {at_most}: with \
         those, differences under about {} will not be seen",
        percent(resolve),
        percent(reached)
    )
}

/// `DIR` → `DIR-pilot`.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push("-pilot");
    out.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixed;

    #[test]
    fn the_widest_spread_of_any_metric_decides() {
        let mut run = fixed::run(&[("a", 20.0), ("b", 24.0), ("c", 24.0)], BLOCKS, 1);
        let quiet = plan_from(&run, 0.2).unwrap();
        assert_eq!(quiet.because, "verdicts on 3 targets take them");
        for (n, slice) in run.slices.iter_mut().filter(|slice| slice.cell.target == "c").enumerate() {
            let crate::results::Outcome::Valid(measurement) = &mut slice.outcome else { panic!("valid") };
            measurement.cost_us *= if n % 2 == 0 { 1.2 } else { 0.8 };
        }
        let wide = plan_from(&run, 0.03).unwrap();
        assert!(wide.units > quiet.units);
        assert_eq!(wide.because, "c spreads so much, cost in keep-alive");
        let words = words(&wide, Wish { resolve: 0.03, at_most: 50 });
        assert!(words.contains("over --max-blocks 50") && words.contains("will not be seen"), "{words}");
    }

    #[test]
    fn who_failed_in_the_pilot_has_no_say_and_without_a_baseline_there_is_none() {
        let mut run = fixed::run(&[("a", 20.0), ("b", 24.0), ("c", 24.0)], BLOCKS, 1);
        fixed::fail(&mut run, "c");
        assert!(plan_from(&run, 0.2).is_ok());
        fixed::fail(&mut run, "a");
        assert!(plan_from(&run, 0.2).is_err());
    }

    #[test]
    fn the_pilot_lies_beside_the_run() {
        assert_eq!(beside(Path::new("x/run-1")), PathBuf::from("x/run-1-pilot"));
    }
}
