//! Links to what load tools and servers printed, slice by slice.

use maud::{Markup, html};

use super::Shown;
use crate::load::Shape;
use crate::report::units::count;
use crate::results::{Outcome, Run, SliceRecord, stem};

/// Every slice of every target, folded; and that there is nothing, where it was not kept.
pub fn of_all(run: &Shown) -> Markup {
    let record = &run.report.run.record;
    html! {
        @if run.printed.is_empty() {
            p.soft { "What load tools and servers printed was not kept with these records." }
        }
        @else { h3.on-screen { "What was printed in each slice" } @for target in &record.targets {
            // The baseline's second self is no target of its own to who looks for one.
            @let name = if target.name == record.comparison.twin { &record.comparison.baseline } else { &target.name };
            @let slices: Vec<Slice> = in_time(run, &target.name).into_iter().filter(|slice| !slice.files.is_empty()).collect();
            @if !slices.is_empty() {
                details data-name=(name) {
                    summary { (target.name) " (" (count(slices.len(), "slice")) ")" }
                    ul.printed { @for slice in &slices { li { (words(slice)) ": " (links(slice)) } } }
                }
            }
        } }
    }
}

/// Each slice of a target that failed in a shape, with its reason and what was printed, folded below `title`; nothing
/// where that says no more than the reason of the first one, which stands beside it.
pub fn of_failed(run: &Shown, name: &str, shape: Shape, title: &str) -> Markup {
    let reason = |slice: &Slice| match &slice.of.outcome {
        Outcome::Failed(failed) if slice.of.cell.shape == shape => Some(failed.reason.clone()),
        _ => None,
    };
    let failed: Vec<(Slice, String)> =
        in_time(run, name).into_iter().filter_map(|slice| reason(&slice).map(|reason| (slice, reason))).collect();
    let differ = failed.iter().any(|(_, reason)| *reason != failed[0].1);
    let printed = failed.iter().any(|(slice, _)| !slice.files.is_empty());
    html! {
        @if differ || printed {
            details { summary { (title) } ul.printed { @for (slice, reason) in &failed { li {
                (words(slice)) @if differ { ": " (reason) }
                @if !slice.files.is_empty() { " (" (links(slice)) ")" }
            } } } }
        }
    }
}

/// A slice with what was printed in it.
struct Slice<'a> {
    of: &'a SliceRecord,
    /// Whether its block was measured again, so that it is in no figure.
    replaced: bool,
    /// What is in each file, and where that is.
    files: Vec<(&'static str, String)>,
}

/// The slices of a target, those that were replaced too, in the order of time.
fn in_time<'a>(run: &Shown<'a>, name: &str) -> Vec<Slice<'a>> {
    let Run { record, slices, replaced, .. } = run.report.run;
    let of = |all: &'a [SliceRecord], replaced| all.iter().map(move |slice| (slice, replaced));
    let own = of(slices, false).chain(of(replaced, true)).filter(|(slice, _)| slice.cell.target == name);
    let mut all: Vec<Slice> = own
        .map(|(of, replaced)| {
            let files = run.printed.of_slice(&stem(record, of.block, &of.cell, of.tried));
            Slice { of, replaced, files }
        })
        .collect();
    all.sort_by_key(|slice| (slice.of.block, slice.of.tried));
    all
}

fn words(slice: &Slice) -> String {
    let replaced = if slice.replaced { ", in no figure" } else { "" };
    let slice = slice.of;
    let at = slice.cell.setting.map_or(String::new(), |setting| format!(", {} {}", setting.value, setting.knob));
    let tried = if slice.tried > 0 { format!(", measured again ({})", slice.tried) } else { String::new() };
    let failed = if matches!(slice.outcome, Outcome::Failed(_)) { ", failed" } else { "" };
    format!("block {}, {}{at}{tried}{replaced}{failed}", slice.block + 1, slice.cell.shape)
}

fn links(slice: &Slice) -> Markup {
    html! { @for (n, (what, file)) in slice.files.iter().enumerate() {
        @if n > 0 { ", " } a href=(file) { (what) }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html::page;
    use crate::report::table::Report;
    use crate::results::{Printed, RAW_FOLDER, fixed};

    #[test]
    fn every_slice_is_linked_where_it_was_kept_and_a_failed_one_beside_its_reason_too() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = fixed::run(&[("tokio", 20.0), ("<may>", 24.0)], 3, 1);
        fixed::fail(&mut run, "<may>");
        run.replaced = vec![SliceRecord { tried: 1, ..run.slices[0].clone() }];
        std::fs::create_dir(folder.path().join(RAW_FOLDER)).unwrap();
        for slice in run.slices.iter().chain(&run.replaced) {
            let stem = stem(&run.record, slice.block, &slice.cell, slice.tried);
            std::fs::write(folder.path().join(RAW_FOLDER).join(format!("{stem}.stdout.txt")), "x").unwrap();
        }
        let report = Report::of(&run);
        let of = |printed| page(&[Shown { report: &report, folder: String::new(), files: vec!["run.json"], printed }]);
        let count = |page: &str, what: &str| page.matches(what).count();
        let with = of(Printed::of(folder.path()));
        // Nine slices, one that was replaced, and the three that failed once more.
        assert_eq!(count(&with, "<a href=\"raw/"), 13);
        assert_eq!(count(&with, "href=\"raw/002-02-_may_-keep-alive.stdout.txt\""), 2);
        assert_eq!(count(&with, "block 1, keep-alive, measured again (1), in no figure: "), 1);
        let without = of(Printed::default());
        assert_eq!((count(&without, "raw/"), count(&without, "was not kept with these records")), (0, 1));
    }
}
