//! The reports of all replays, from kept records alone; and that no published figure is made up.

pub mod fixed;

use std::collections::BTreeSet;

use super::document::{Block, Cell, Document};
use super::published::{Comparison, FILE};
use super::{Experiment, Outcome, REPLAYS, named, pages};
use crate::results::Limit;

/// Who is in the records of each replay; everything failed of the last.
fn members(experiment: &dyn Experiment) -> &'static [&'static str] {
    match experiment.name() {
        "wsgi-runtimes" => &["std-sequential", "wsgiref", "tomcat-scala"],
        "jruby-mongrel" => &["std-threads", "puma", "jruby-tomcat"],
        "cherrypy-threads" => &["std-pool", "cherrypy", "may-minihttp"],
        "pyramid-node-gevent" => &["tokio", "gevent-log", "gevent", "pyramid-paste"],
        "twisted-tornado" => &["tokio", "tornado", "twisted-resource"],
        other => panic!("{other}"),
    }
}

fn document(experiment: &dyn Experiment) -> Document {
    pages::document(experiment, &fixed::replay(experiment, members(experiment)))
}

#[test]
fn every_report_is_made_from_its_records_alone() {
    for experiment in REPLAYS {
        let document = document(experiment);
        insta::assert_snapshot!(format!("{}.md", experiment.name()), document.markdown());
        insta::assert_snapshot!(format!("{}.txt", experiment.name()), document.terminal());
    }
}

/// Numbers as they stand in a text: digits with what is between them.
fn numbers(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let plain = parts.map(|part| part.trim_matches('.')).filter(|part| !part.is_empty());
    // 3386.80 in the file is 3386.8 in a table.
    plain
        .map(|part| match part.parse::<f64>() {
            Ok(value) => value.to_string(),
            Err(_) => part.to_owned(),
        })
        .collect()
}

#[test]
fn what_stands_as_published_is_in_the_file_of_what_was_published() {
    let known = numbers(FILE);
    for experiment in REPLAYS {
        let mut seen = 0;
        for block in document(experiment).blocks {
            let published: Vec<String> = match block {
                Block::PublishedList(lines) => lines,
                Block::Table(table) => {
                    let cells = table.rows.into_iter().flatten();
                    cells.filter_map(|cell| if let Cell::Published(text) = cell { Some(text) } else { None }).collect()
                }
                Block::Heading(_) | Block::Text(_) | Block::List(_) | Block::Picture { .. } => Vec::new(),
            };
            for text in published {
                for number in numbers(&text) {
                    seen += 1;
                    assert!(known.contains(&number), "{}: {number} was never published: {text}", experiment.name());
                }
            }
        }
        assert!(seen > 0, "{} shows nothing of what was published", experiment.name());
    }
}

#[test]
fn a_published_figure_stands_in_no_line_of_code() {
    // Whole numbers are requests, connections and rates, which are said of today's runs as well; a figure has a fraction.
    let fractions: BTreeSet<String> = numbers(FILE).into_iter().filter(|number| number.contains('.')).collect();
    assert!(fractions.len() > 30, "{fractions:?}");
    let sources = [
        include_str!("../wsgi_runtimes.rs"),
        include_str!("../jruby_mongrel.rs"),
        include_str!("../cherrypy_threads.rs"),
        include_str!("../pyramid_node_gevent.rs"),
        include_str!("../twisted_tornado.rs"),
        include_str!("../pages.rs"),
    ];
    // Versions in the names of systems, which another test holds to be in the file.
    let names: BTreeSet<String> = REPLAYS
        .iter()
        .flat_map(|experiment| experiment.cast())
        .flat_map(|role| numbers(&format!("{} {}", role.target, role.system.unwrap_or_default())))
        .collect();
    for source in sources {
        for number in numbers(source).iter().filter(|number| number.contains('.') && !names.contains(*number)) {
            assert!(
                ["0.0", "0.5", "1024.0"].map(|n| n.parse::<f64>().unwrap().to_string()).contains(number)
                    || !fractions.contains(number),
                "{number} stands in the code; take it from published.toml"
            );
        }
    }
}

#[test]
fn whoever_is_set_beside_a_published_system_names_one_that_was_published() {
    for experiment in REPLAYS {
        let published = Comparison::of(experiment.name());
        for role in experiment.cast() {
            if let Some(system) = role.system {
                assert!(published.row(system).is_some_and(|row| row.by.is_none()), "{}: {system}", role.target);
            }
        }
        assert_eq!(named(experiment.name()).unwrap().name(), experiment.name());
    }
    assert!(named("wsgi").err().unwrap().to_string().contains("wsgi-runtimes, jruby-mongrel"));
}

#[test]
fn what_failed_stands_in_words_at_the_bottom_and_has_no_row() {
    for experiment in REPLAYS {
        let failed = *members(experiment).last().unwrap();
        let text = document(experiment).markdown();
        let (above, bottom) = text.split_once("\n## Failed\n").unwrap_or_else(|| panic!("{text}"));
        assert!(bottom.contains(&format!("- {failed} (")) && bottom.contains("it ended with status 3"), "{bottom}");
        let rows = above.lines().filter(|line| line.starts_with(&format!("| {failed} |"))).count();
        // Only in the table of those that took part.
        assert_eq!(rows, 1, "{above}");
    }
}

#[test]
fn a_best_of_fewer_says_of_how_many() {
    let experiment = named("wsgi-runtimes").unwrap();
    let mut replay = fixed::replay(experiment, members(experiment));
    assert!(!pages::document(experiment, &replay).terminal().contains("(of "));
    replay.trials.retain(|trial| trial.target != "wsgiref" || trial.round < 3);
    let text = pages::document(experiment, &replay).markdown();
    let row = text.lines().find(|line| line.starts_with("| wsgiref |")).unwrap();
    assert!(row.contains(" (of 2) |"), "{row}");
}

#[test]
fn why_connections_of_the_old_cherrypy_starve_is_said_where_it_takes_part() {
    let experiment = named("cherrypy-threads").unwrap();
    let says = |targets: &[&str]| {
        let text = pages::document(experiment, &fixed::replay(experiment, targets)).terminal();
        text.contains("cherrypy-3.1 leaves a thread with its connection")
    };
    assert_eq!([says(&["std-pool", "cherrypy-3.1"]), says(&["std-pool", "cherrypy-3.10"])], [true, false]);
}

#[test]
fn figures_of_a_busy_machine_say_so_at_the_top() {
    let experiment = named("twisted-tornado").unwrap();
    let mut replay = fixed::replay(experiment, members(experiment));
    assert!(!pages::document(experiment, &replay).terminal().contains("DISTURBED"));
    let trials = replay.trials.len();
    let Outcome::Valid(found) = &mut replay.trials[0].outcome else { panic!("the first is no good one") };
    found.limit = Limit::Disturbed;
    let text = pages::document(experiment, &replay).terminal();
    assert!(text.contains(&format!("DISTURBED: in 1 of {trials} trials")), "{text}");
}

#[test]
fn no_ratio_between_then_and_now_is_given_and_the_report_says_why() {
    for experiment in REPLAYS {
        let text = document(experiment).terminal();
        assert!(text.contains("says nothing about the software, and no ratio of the two is given"), "{text}");
        assert!(text.contains("On what, then: ") && text.contains("On what, now: "), "{text}");
        for word in [" times as fast", "× faster", "speed-up", "speedup"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
