//! Runs of every kind that a page must stand, made from the kept one.

use std::path::{Path, PathBuf};

use hello_bench::load::Shape;
use hello_bench::plan::{Cell, Knob, Setting};
use hello_bench::results::{Failed, FixedRate, Outcome, Run, SliceRecord, Stage, stem};

/// Everything that HTML, Markdown, CSV or XML could take for its own, in 60 characters.
pub const NASTY: &str = "a<b>&amp;\"c\"|d,e'f`g</script><img src=x onerror=alert(1)>-0123";

/// Where the kept example of the first schema lies.
pub fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept/run-1")
}

/// A run of each kind, by name.
pub fn all() -> Vec<(&'static str, Run)> {
    let kept = || Run::read(&kept()).unwrap();
    let run = || Run { replaced: Vec::new(), ..kept() };
    vec![
        ("kept", kept()),
        ("one-target", only(run(), &["tokio", "tokio (again)"])),
        ("twenty-targets", disturbed(longer(many(&run(), 19), 18), 9)),
        ("sixty-targets", many(&run(), 59)),
        ("all-failed", failed(run(), |_| true)),
        ("one-failed", failed(run(), |name| name == "axum")),
        ("one-block", blocks(run(), 1)),
        ("partial", partial(run())),
        ("disturbed", disturbed(run(), 2)),
        ("nothing-yet", Run { slices: Vec::new(), ..run() }),
        ("nasty-names", renamed(run(), "axum", NASTY)),
        ("nasty-failure", renamed(failed(run(), |name| name == "axum"), "axum", NASTY)),
        ("fixed-rate", fixed_rate(run())),
        ("sweep", sweep(&run(), 3)),
        ("sweep-of-many", sweep(&run(), 9)),
    ]
}

/// Writes it as a run leaves it, with what was printed in every slice.
pub fn write(run: &Run, folder: &Path) {
    std::fs::create_dir_all(folder.join("raw")).unwrap();
    let mut slices: Vec<&SliceRecord> = run.slices.iter().chain(&run.replaced).collect();
    slices.sort_by_key(|slice| (slice.block, slice.tried));
    let lines: Vec<String> = slices.iter().map(|slice| serde_json::to_string(slice).unwrap() + "\n").collect();
    std::fs::write(folder.join("slices.jsonl"), lines.concat()).unwrap();
    std::fs::write(folder.join("run.json"), serde_json::to_string(&run.record).unwrap()).unwrap();
    for slice in slices {
        let stem = stem(&run.record, slice.block, &slice.cell, slice.tried);
        for ending in ["stdout.txt", "side.txt", "server.txt"] {
            std::fs::write(folder.join("raw").join(format!("{stem}.{ending}")), NASTY).unwrap();
        }
    }
}

fn only(mut run: Run, names: &[&str]) -> Run {
    run.record.targets.retain(|target| names.contains(&target.name.as_str()));
    run.record.cells.retain(|cell| names.contains(&cell.target.as_str()));
    run.slices.retain(|slice| names.contains(&slice.cell.target.as_str()));
    run
}

fn blocks(mut run: Run, blocks: u32) -> Run {
    run.record.options.blocks = blocks;
    run.slices.retain(|slice| slice.block < blocks);
    run
}

/// So many blocks, as often as it takes the same ones over again.
fn longer(mut run: Run, blocks: u32) -> Run {
    let own = std::mem::replace(&mut run.record.options.blocks, blocks);
    let slices = std::mem::take(&mut run.slices);
    run.slices = (0..blocks)
        .flat_map(|block| {
            slices.iter().filter(move |slice| slice.block == block % own).map(move |slice| (block, slice))
        })
        .map(|(block, slice)| SliceRecord { block, ..slice.clone() })
        .collect();
    run
}

/// The first blocks were measured again: what went before cost much more, or failed.
fn disturbed(mut run: Run, blocks: u32) -> Run {
    let first = run.slices.iter().filter(|slice| slice.block < blocks);
    run.replaced = first.cloned().collect();
    for (n, slice) in run.replaced.iter_mut().enumerate() {
        slice.tried = 0;
        match &mut slice.outcome {
            Outcome::Valid(measurement) if n % 5 > 0 => measurement.cost_us *= 10.0,
            outcome => {
                let reason = format!("it ended with status {n}");
                *outcome = Outcome::Failed(Failed { stage: Stage::Load, reason, seen: None });
            }
        }
    }
    run.slices.iter_mut().filter(|slice| slice.block < blocks).for_each(|slice| slice.tried = 1);
    run
}

fn partial(mut run: Run) -> Run {
    run.slices.truncate(run.slices.len() / 3);
    run
}

fn failed(mut run: Run, who: impl Fn(&str) -> bool) -> Run {
    for slice in run.slices.iter_mut().filter(|slice| who(slice.cell.target.trim_end_matches(" (again)"))) {
        let reason = format!("it ended with status 3: {NASTY}");
        slice.outcome = Outcome::Failed(Failed { stage: Stage::Load, reason, seen: None });
    }
    run
}

fn renamed(mut run: Run, from: &str, to: &str) -> Run {
    for target in run.record.targets.iter_mut().filter(|target| target.name == from) {
        to.clone_into(&mut target.name);
        target.framework = format!("{to} 1.0");
        to.clone_into(&mut target.model);
        target.command = vec![to.to_owned(), "--name".to_owned(), to.to_owned()];
    }
    for cell in run.record.cells.iter_mut().chain(run.slices.iter_mut().map(|slice| &mut slice.cell)) {
        if cell.target == from {
            to.clone_into(&mut cell.target);
        }
    }
    run
}

/// Copies of one target, each a little dearer than the one before.
fn many(run: &Run, count: u32) -> Run {
    let mut all = only(run.clone(), &["tokio", "tokio (again)"]);
    for n in 0..count {
        let own = renamed(only(run.clone(), &["axum"]), "axum", &format!("server-{n:02}"));
        all.record.targets.extend(own.record.targets);
        all.record.cells.extend(own.record.cells);
        all.slices.extend(own.slices.into_iter().map(|mut slice| {
            if let Outcome::Valid(measurement) = &mut slice.outcome {
                measurement.cost_us *= 1.0 + f64::from(n) / 20.0;
            }
            slice
        }));
    }
    all.slices.sort_by_key(|slice| slice.block);
    all
}

fn fixed_rate(run: Run) -> Run {
    let mut run = only(run, &["tokio", "tokio (again)", "axum"]);
    run.record.options.shapes = vec![Shape::FixedRate];
    run.record.options.rate = Some(5000);
    for target in &mut run.record.targets {
        target.shapes.push(Shape::FixedRate);
    }
    run.record.cells.retain(|cell| cell.shape == Shape::KeepAlive);
    run.slices.retain(|slice| slice.cell.shape == Shape::KeepAlive);
    for cell in run.record.cells.iter_mut().chain(run.slices.iter_mut().map(|slice| &mut slice.cell)) {
        cell.shape = Shape::FixedRate;
    }
    for slice in &mut run.slices {
        let longer = if slice.cell.target == "axum" { 3 } else { 2 };
        if let Outcome::Valid(measurement) = &mut slice.outcome {
            measurement.rps = 5000.0;
            let latencies: Vec<(u64, u64)> =
                (0..12).map(|n| (60_000 * longer * 3_u64.pow(n) / 2_u64.pow(n), 4 * 2_u64.pow(11 - n))).collect();
            let latencies_ns = serde_json::from_value(serde_json::json!(latencies)).unwrap();
            measurement.fixed_rate = Some(FixedRate { offered_rps: 5000.0, latencies_ns });
        }
    }
    run
}

/// Every slice of keep-alive once for every number of connections.
fn sweep(run: &Run, targets: u32) -> Run {
    let mut run = many(run, targets - 1);
    run.record.targets.retain(|target| target.name != "tokio (again)");
    run.record.options.shapes = vec![Shape::KeepAlive];
    run.record.options.sweep = Some(Knob::Connections);
    let is_swept = |cell: &Cell| cell.shape == Shape::KeepAlive && cell.target != "tokio (again)";
    let at = |cell: &Cell, value| Cell { setting: Some(Setting { knob: Knob::Connections, value }), ..cell.clone() };
    let steps = [1, 4, 16, 64, 256];
    let cells = run.record.cells.iter().filter(|cell| is_swept(cell));
    run.record.cells = cells.flat_map(|cell| steps.map(|value| at(cell, value))).collect();
    let step = |slice: &SliceRecord, value: u32| {
        let mut slice = SliceRecord { cell: at(&slice.cell, value), ..slice.clone() };
        if let Outcome::Valid(measurement) = &mut slice.outcome {
            measurement.rps *= f64::from(value) / f64::from(value + 8);
        }
        slice
    };
    let slices = run.slices.iter().filter(|slice| is_swept(&slice.cell));
    run.slices = slices.flat_map(|slice| steps.map(|value| step(slice, value))).collect();
    run
}
