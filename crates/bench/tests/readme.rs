//! The README's table is that of a kept run, and nobody's handwork.

use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- table: begin";
const MADE_BY: &str = "<!-- table: begin, made by scripts/readme-table.sh ";
const END: &str = "<!-- table: end -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What `report --block` prints of a run, named from the root.
fn block(run: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hello-bench"));
    let output = command.current_dir(root()).args(["report", "--block", run]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The run that a README names, if it does, and what stands between the marks.
fn table(readme: &str) -> (Option<&str>, &str) {
    let from = readme.find(BEGIN).expect("the mark where the table begins");
    let (mark, rest) = readme[from..].split_once('\n').unwrap();
    let run = mark.strip_prefix(MADE_BY).map(|run| run.trim_end_matches(" -->"));
    (run, &rest[..rest.find(END).expect("the mark where the table ends")])
}

#[test]
fn the_readme_has_the_table_of_a_kept_run() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (run, shown) = table(&readme);
    if let Some(run) = run {
        assert_eq!(shown, block(run), "scripts/readme-table.sh {run} makes it again");
    } else {
        let kept = std::fs::read_dir(root().join("results/kept")).into_iter().flatten().count();
        assert_eq!(kept, 0, "there are kept runs, and the README's table is of none: scripts/readme-table.sh RUN");
    }
}

#[test]
fn the_block_of_a_run_has_its_verdict_figures_and_tables_with_links_into_its_folder() {
    let run = "crates/bench/tests/kept/run-1";
    insta::assert_snapshot!(block(run));
}
