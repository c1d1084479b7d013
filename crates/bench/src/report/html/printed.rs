//! Links to what load tools and servers printed, slice by slice.

use maud::{Markup, html};

use super::Shown;
use crate::load::Shape;
use crate::results::{Outcome, SliceRecord, stem};

/// Every slice of every target, folded; and that there is nothing, where it was not kept.
pub fn of_all(run: &Shown) -> Markup {
    let record = &run.report.run.record;
    html! {
        h3 { "What was printed in each slice" }
        @if run.printed.is_empty() {
            p.soft { "It was not kept with these records." }
        }
        @else { @for target in &record.targets {
            @let slices: Vec<&SliceRecord> = of_target(run, &target.name).collect();
            @if !slices.is_empty() {
                details data-name=(target.name) {
                    summary { (target.name) " (" (slices.len()) " slices)" }
                    ul.printed { @for slice in slices { li { (words(slice)) ": " (links(run, slice)) } } }
                }
            }
        } }
    }
}

/// Those slices of a target that failed in a shape.
pub fn of_failed(run: &Shown, name: &str, shape: Shape) -> Markup {
    let failed = |slice: &&SliceRecord| slice.cell.shape == shape && matches!(slice.outcome, Outcome::Failed(_));
    let slices: Vec<&SliceRecord> = of_target(run, name).filter(failed).collect();
    html! {
        @if !slices.is_empty() {
            details { summary { "what was printed" } ul.printed { @for slice in slices {
                li { (words(slice)) ": " (links(run, slice)) }
            } } }
        }
    }
}

/// The slices of a target of which something that was printed is there, in the order of time.
fn of_target<'a>(run: &'a Shown, name: &'a str) -> impl Iterator<Item = &'a SliceRecord> {
    let of = run.report.run;
    let own = move |slice: &&SliceRecord| slice.cell.target == name && !files(run, slice).is_empty();
    let mut all: Vec<&SliceRecord> = of.slices.iter().chain(&of.replaced).filter(own).collect();
    all.sort_by_key(|slice| (slice.block, slice.tried));
    all.into_iter()
}

fn files(run: &Shown, slice: &SliceRecord) -> Vec<(&'static str, String)> {
    run.printed.of_slice(&stem(&run.report.run.record, slice.block, &slice.cell, slice.tried))
}

fn words(slice: &SliceRecord) -> String {
    let at = slice.cell.setting.map_or(String::new(), |setting| format!(", {} {}", setting.value, setting.knob));
    let tried = if slice.tried > 0 { format!(", measured again ({})", slice.tried) } else { String::new() };
    let failed = if matches!(slice.outcome, Outcome::Failed(_)) { ", failed" } else { "" };
    format!("block {}, {}{at}{tried}{failed}", slice.block + 1, slice.cell.shape)
}

fn links(run: &Shown, slice: &SliceRecord) -> Markup {
    html! { @for (n, (what, file)) in files(run, slice).iter().enumerate() {
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
        let of = |printed| page(&[Shown { report: &report, files: vec!["run.json"], printed }]);
        let count = |page: &str, what: &str| page.matches(what).count();
        let with = of(Printed::of(folder.path()));
        // Nine slices, one that was replaced, and the three that failed once more.
        assert_eq!(count(&with, "<a href=\"raw/"), 13);
        assert_eq!(count(&with, "href=\"raw/002-02-_may_-keep-alive.stdout.txt\""), 2);
        assert_eq!(count(&with, "block 1, keep-alive, measured again (1): "), 1);
        let without = of(Printed::default());
        assert_eq!((count(&without, "raw/"), count(&without, "It was not kept")), (0, 1));
    }
}
