//! Reports in a real browser: every kind of run, in both schemes, on a desk, on a phone and on paper.

mod browser;
mod runs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use browser::Browser;
use hello_bench::results::Run;
use serde_json::json;

/// The page of an issue with 20 targets is to be under this, in bytes.
const PAGE_BYTES: u64 = 1_000_000;

fn report(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hello-bench")).arg("report").args(args).output().unwrap()
}

/// The folder of a run with its report.
fn reported(name: &str, run: &Run, below: &Path) -> PathBuf {
    let folder = below.join(name);
    runs::write(run, &folder);
    let output = report(&[&folder]);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn the(name: &str) -> Run {
    runs::all().into_iter().find(|(own, _)| *own == name).unwrap().1
}

/// What sticks out of the page, or of the chart that it belongs to.
const STICKS_OUT: &str = r"(() => {
  const out = [];
  const page = document.documentElement;
  if (page.scrollWidth > innerWidth) out.push(`the page is ${page.scrollWidth} wide on ${innerWidth}`);
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.getBoundingClientRect().width === 0) continue;
    const { width, height } = svg.viewBox.baseVal;
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBBox(), at = text.getCTM(), own = svg.getCTM();
      const left = (at.e - own.e) / own.a + box.x, top = (at.f - own.f) / own.d + box.y;
      if (left < -1 || left + box.width > width + 1 || top < -3 || top + box.height > height + 3) {
        out.push(`${text.textContent} in ${svg.getAttribute('aria-label')}`);
      }
    }
  }
  return out;
})()";

#[test]
fn every_kind_of_run_gives_a_page_that_fits_and_asks_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    for (name, run) in runs::all() {
        let page = reported(name, &run, folder.path()).join("report.html");
        if run.record.targets.len() <= 21 {
            let bytes = std::fs::metadata(&page).unwrap().len();
            assert!(bytes < PAGE_BYTES, "{name}: {bytes}");
        }
        for (what, medium, scheme, width) in [
            ("light", "screen", "light", 1280),
            ("dark", "screen", "dark", 1280),
            ("phone", "screen", "light", 390),
            ("phone-dark", "screen", "dark", 390),
            ("paper", "print", "light", 760),
        ] {
            browser.screen(width, 900);
            browser.media(medium, scheme);
            browser.open(&page);
            assert_eq!(browser.eval(STICKS_OUT), json!([]), "{name}, {what}");
            assert_eq!(browser.complaints(), Vec::<String>::new(), "{name}, {what}");
            assert_eq!(browser.requests(), Vec::<String>::new(), "{name}, {what}");
            browser.picture(&format!("{name}-{what}"));
        }
    }
}

/// Where the links of the page lead that do not stay on it.
fn links(browser: &mut Browser) -> Vec<String> {
    let links = "Array.from(document.querySelectorAll('a[href]'), (a) => a.href).filter((url) => !url.includes('#'))";
    serde_json::from_value(browser.eval(links)).unwrap()
}

#[test]
fn what_was_printed_in_each_slice_is_a_link_away_and_no_link_is_dead() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    for name in ["disturbed", "nasty-names", "nasty-failure", "sweep"] {
        let run = the(name);
        let own = reported(name, &run, folder.path());
        let all = |browser: &mut Browser| {
            browser.open(&own.join("report.html"));
            let links = links(browser);
            for link in &links {
                let file = link.strip_prefix("file://").unwrap();
                assert!(Path::new(file).exists(), "{name}: {file}");
            }
            links
        };
        let printed: std::collections::BTreeSet<String> = all(&mut browser).into_iter().collect();
        for ending in [".stdout.txt", ".side.txt", ".server.txt"] {
            let count = printed.iter().filter(|link| link.contains("/raw/") && link.ends_with(ending)).count();
            assert_eq!(count, run.slices.len() + run.replaced.len(), "{name}");
        }
        // As it is published: without what was printed.
        std::fs::remove_dir_all(own.join("raw")).unwrap();
        assert!(report(&[&own]).status.success());
        assert!(all(&mut browser).iter().all(|link| !link.contains("raw")), "{name}");
        assert_eq!(browser.eval("document.body.textContent.includes('was not kept')"), true, "{name}");
    }
}

#[test]
fn a_fixed_rate_has_its_percentiles_in_a_table_and_a_chart_and_a_closed_loop_has_neither() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    for (name, wanted) in [("fixed-rate", 1), ("kept", 0)] {
        browser.open(&reported(name, &the(name), folder.path()).join("report.html"));
        let heads =
            "Array.from(document.querySelectorAll('thead th')).filter((head) => head.textContent === 'p99 µs').length";
        assert_eq!(browser.eval(heads), wanted, "{name}");
        let charts =
            "Array.from(document.querySelectorAll('figure')).filter((one) => one.id.endsWith('-latency')).length";
        assert_eq!(browser.eval(charts), wanted, "{name}");
    }
}

#[test]
fn both_schemes_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let page = reported("kept", &the("kept"), folder.path()).join("report.html");
    let mut browser = Browser::start();
    // The contrast of WCAG 2, of every piece of text with the ground it stands on.
    let contrast = r"(() => {
      const light = (color) => {
        const part = (n) => { const c = Number(n) / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
        const [r, g, b] = color.match(/[\d.]+/g).map(part);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const color = getComputedStyle(at).backgroundColor;
          if (!color.startsWith('rgba(0, 0, 0, 0')) return color;
        }
        return 'rgb(255, 255, 255)';
      };
      let least = 21;
      for (const element of document.querySelectorAll('h1, h2, h3, p, li, td, th, small, dt, dd, a, button, code, svg text')) {
        if (element.getClientRects().length === 0) continue;
        const style = getComputedStyle(element);
        const [a, b] = [light(element instanceof SVGElement ? style.fill : style.color), light(ground(element))];
        least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
      }
      return least;
    })()";
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.media("screen", scheme);
        browser.open(&page);
        let least = browser.eval(contrast).as_f64().unwrap();
        assert!(least >= 4.5, "{scheme}: {least}");
        grounds.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(grounds[0], grounds[1]);
}

#[test]
fn a_click_on_a_head_sorts_and_what_has_no_value_stays_last() {
    let folder = tempfile::tempdir().unwrap();
    let page = reported("sixty-targets", &the("sixty-targets"), folder.path()).join("report.html");
    let mut browser = Browser::start();
    browser.open(&page);
    let column = |browser: &mut Browser, head: usize| -> Vec<String> {
        let cells = format!(
            "Array.from(document.querySelector('table').tBodies[0].rows, (row) => row.children[{head}].dataset.value)"
        );
        serde_json::from_value(browser.eval(&cells)).unwrap()
    };
    let click = |browser: &mut Browser, head: usize| {
        let state = format!(
            "(() => {{ const head = document.querySelectorAll('thead th')[{head}]; head.querySelector('button').click();
             return head.getAttribute('aria-sort'); }})()"
        );
        browser.eval(&state)
    };
    let numbers = |column: &[String]| -> Vec<f64> { column.iter().map(|value| value.parse().unwrap()).collect() };
    let as_made = column(&mut browser, 0);
    assert_eq!(as_made.len(), 60);
    assert_eq!(click(&mut browser, 1), "ascending");
    assert!(numbers(&column(&mut browser, 1)).is_sorted());
    assert_eq!(click(&mut browser, 1), "descending");
    assert!(numbers(&column(&mut browser, 1)).iter().rev().is_sorted());
    assert_eq!(click(&mut browser, 0), "ascending");
    assert!(column(&mut browser, 0).is_sorted());
    let mut again = column(&mut browser, 0);
    let mut as_made = as_made;
    again.sort();
    as_made.sort();
    assert_eq!(again, as_made, "no row is lost");
    // A value is taken away: its row goes to the end, whichever way it is sorted.
    browser.eval("document.querySelector('table').tBodies[0].rows[0].children[1].dataset.value = ''");
    for _ in 0..2 {
        click(&mut browser, 1);
        assert_eq!(column(&mut browser, 1).last().map(String::as_str), Some(""));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn names_and_shapes_can_be_filtered() {
    let folder = tempfile::tempdir().unwrap();
    let page = reported("kept", &the("kept"), folder.path()).join("report.html");
    let mut browser = Browser::start();
    browser.open(&page);
    let seen = |browser: &mut Browser| {
        let names = "Array.from(document.querySelectorAll('tbody tr')).filter((row) => row.getClientRects().length > 0)
                     .map((row) => row.dataset.name)";
        let names: Vec<String> = serde_json::from_value(browser.eval(names)).unwrap();
        names
    };
    let mut all = seen(&mut browser);
    all.sort();
    assert_eq!(all, ["axum", "axum", "std-sequential", "std-sequential", "tokio", "tokio"]);
    let enter = |browser: &mut Browser, selector: &str, event: &str, value: &str| {
        browser.eval(&format!(
            "(() => {{ const own = document.querySelector({selector:?}); own.value = {value:?};
             own.dispatchEvent(new Event({event:?})); }})()"
        ));
    };
    enter(&mut browser, "#by-name", "input", "AXU");
    assert_eq!(seen(&mut browser), ["axum", "axum"]);
    assert_eq!(browser.eval("document.getElementById('shown').textContent"), "1 of 3 targets");
    enter(&mut browser, "select[name=shape]", "change", "close");
    assert_eq!(seen(&mut browser), ["axum"]);
    enter(&mut browser, "#by-name", "input", "");
    assert_eq!(seen(&mut browser).len(), 3);
    enter(&mut browser, "select[name=shape]", "change", "");
    assert_eq!(seen(&mut browser).len(), 6);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_command_can_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let page = reported("kept", &the("kept"), folder.path()).join("report.html");
    let mut browser = Browser::start();
    browser.open(&page);
    let copied = browser.eval(
        "(async () => { const button = document.querySelector('.copy'); button.click();
         await new Promise((done) => setTimeout(done, 300));
         const command = button.parentNode.querySelector('.command').textContent;
         const taken = button.textContent === 'marked' ? getSelection().toString() : command;
         return [button.textContent, taken === command && command.includes('server-tokio')]; })()",
    );
    assert!(copied[0] == "copied" || copied[0] == "marked", "{copied}");
    assert_eq!(copied[1], true);
}

#[test]
fn no_name_and_no_reason_becomes_markup() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start();
    for kind in ["nasty-names", "nasty-failure"] {
        let run = reported(kind, &the(kind), folder.path());
        browser.open(&run.join("report.html"));
        let names = "Array.from(document.querySelectorAll('tbody th'), (head) => head.title)";
        let names: Vec<String> = serde_json::from_value(browser.eval(names)).unwrap();
        assert!(names.iter().any(|name| name == runs::NASTY), "{names:?}");
        assert_eq!(browser.eval("document.querySelectorAll('main img, main b:not(.warn b), main script').length"), 0);
        assert_eq!(browser.complaints(), Vec::<String>::new());
        for entry in std::fs::read_dir(run.join("charts")).unwrap() {
            let chart = entry.unwrap().path();
            browser.open(&chart);
            let says = "[document.documentElement.nodeName, document.querySelectorAll('parsererror, img, b').length]";
            assert_eq!(browser.eval(says), json!(["svg", 0]), "{}", chart.display());
        }
    }
}

#[test]
fn several_runs_stand_side_by_side_and_in_no_common_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["kept", "one-failed"].map(|name| reported(name, &the(name), folder.path()));
    assert!(!report(&[&one, &two]).status.success(), "where to?");
    let out = folder.path().join("both");
    let output = report(&[&one, &two, Path::new("--out"), &out]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!report(&[&one, &two, Path::new("--out"), &out]).status.success(), "nothing is overwritten");
    let mut browser = Browser::start();
    for width in [1280, 390] {
        browser.screen(width, 900);
        browser.open(&out.join("report.html"));
        assert_eq!(browser.eval(STICKS_OUT), json!([]), "{width}");
        browser.picture(&format!("several-{width}"));
    }
    // Each table of figures is of one run: no name stands in it twice; and the one that spans both has no order but names.
    let twice = "Array.from(document.querySelectorAll('table')).filter((table) => {
        const names = Array.from(table.querySelectorAll('[data-name]'), (row) => row.dataset.name);
        return new Set(names).size !== names.length; }).length";
    assert_eq!(browser.eval(twice), 0);
    let across =
        "Array.from(document.querySelector('table').querySelectorAll('[data-name]'), (row) => row.dataset.name)";
    assert_eq!(browser.eval(across), json!(["axum", "std-sequential", "tokio"]));
    assert_eq!(browser.eval("document.querySelector('table').querySelectorAll('button').length"), 0);
    assert_eq!((browser.complaints(), browser.requests()), (Vec::<String>::new(), Vec::<String>::new()));
}
