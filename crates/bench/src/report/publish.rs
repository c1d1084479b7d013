//! All files of a report, from the records alone.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::html::{Shown, page};
use super::table::Report;
use super::{charts, csv, markdown, summary, sweep};
use crate::results::{
    CHARTS_FOLDER, CSV_FILE, HTML_FILE, Printed, RAW_FOLDER, REPORT_FILE, RUN_FILE, Run, SLICES_FILE, SUMMARY_FILE,
    replace,
};

/// Makes every file of a run's report in its folder, again if they are there; gives the page.
///
/// # Errors
/// When the folder is no run, or cannot be written.
pub fn one(folder: &Path) -> Result<PathBuf> {
    of_run(folder, &Run::read(folder)?)
}

/// As [`one`], of a run that was read already.
///
/// # Errors
/// When the folder cannot be written.
pub fn of_run(folder: &Path, run: &Run) -> Result<PathBuf> {
    let report = Report::of(run);
    let charts = charts::of_report(&report);
    let figures = folder.join(CHARTS_FOLDER);
    if !charts.is_empty() {
        std::fs::create_dir_all(&figures).with_context(|| format!("cannot create {}", figures.display()))?;
    }
    for chart in &charts {
        replace(&figures.join(format!("{}.svg", chart.stem)), chart.file().as_bytes())?;
    }
    let in_markdown =
        if run.record.options.sweep.is_some() { sweep::markdown(&report) } else { markdown::markdown(&report) };
    let write = |name: &str, text: &str| replace(&folder.join(name), text.as_bytes());
    write(REPORT_FILE, &in_markdown)?;
    write(CSV_FILE, &csv::csv(&[&report])?)?;
    write(SUMMARY_FILE, &summary::json(&report)?)?;
    let shown = Shown { report: &report, folder: name(folder), files: there(folder), printed: Printed::of(folder) };
    write(HTML_FILE, &page(&[shown]))?;
    Ok(folder.join(HTML_FILE))
}

/// Several runs on one page, in a new folder; gives the page.
///
/// # Errors
/// When a folder is no run, or `out` is there already or cannot be written.
pub fn several(folders: &[PathBuf], out: &Path) -> Result<PathBuf> {
    let runs = folders.iter().map(|folder| Run::read(folder)).collect::<Result<Vec<Run>>>()?;
    ensure!(!out.exists(), "{} is there already, and a report of several runs gets a new folder", out.display());
    let reports: Vec<Report> = runs.iter().map(Report::of).collect();
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let shown: Vec<Shown> = (reports.iter().zip(folders))
        // Where the runs are from there is not known for good: a page of several may be moved away from them.
        .map(|(report, folder)| Shown { report, folder: name(folder), files: Vec::new(), printed: Printed::default() })
        .collect();
    let file = out.join(HTML_FILE);
    replace(&file, page(&shown).as_bytes())?;
    replace(&out.join(CSV_FILE), csv::csv(&reports.iter().collect::<Vec<_>>())?.as_bytes())?;
    Ok(file)
}

/// The block of a run for a README, with links into `folder`.
///
/// # Errors
/// When the folder is no run.
pub fn block(folder: &Path) -> Result<String> {
    let run = Run::read(folder)?;
    Ok(markdown::block(&Report::of(&run), folder.to_string_lossy().trim_end_matches('/')))
}

/// The name of a run's folder, without where it lies on this machine.
fn name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The files that a page can link to.
fn there(folder: &Path) -> Vec<&'static str> {
    // The reports beside the page are made together with it.
    let records = [(RUN_FILE, RUN_FILE), (SLICES_FILE, SLICES_FILE), (RAW_FOLDER, "raw/")];
    let records = records.into_iter().filter(|(name, _)| folder.join(name).exists()).map(|(_, link)| link);
    records.chain([REPORT_FILE, CSV_FILE, SUMMARY_FILE]).collect()
}

/// What `hello-bench report` was asked for.
///
/// # Errors
/// As [`one`] and [`several`], and for several runs without a place for their page.
pub fn publish(folders: &[PathBuf], out: Option<&Path>) -> Result<Vec<PathBuf>> {
    match (folders, out) {
        ([], _) => bail!("which run? name its folder; `hello-bench results` lists them"),
        ([folder], None) => Ok(vec![one(folder)?]),
        (_, Some(out)) => Ok(vec![several(folders, out)?]),
        (_, None) => bail!("a page of {} runs needs a folder of its own: --out DIR", folders.len()),
    }
}
