//! What each tool is asked, and what it is refused.

use std::{fmt::Write as _, path::Path, time::Duration};

use hello_bench::load::{Extent, Job, Manner, SideFile, tool};

fn job() -> Job {
    Job {
        url: "http://127.0.0.1:8101/".to_owned(),
        manner: Manner::KeepAlive,
        connections: 16,
        threads: 2,
        extent: Extent::Time(Duration::from_secs(3)),
        timeout: Duration::from_secs(2),
    }
}

fn command(name: &str, job: &Job) -> Result<String, String> {
    let args = tool(name).unwrap().command(job, Path::new("side.file"))?;
    Ok(args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" "))
}

fn refused(name: &str, job: &Job) -> String {
    command(name, job).unwrap_err()
}

#[test]
fn the_command_line_of_every_tool_and_shape() {
    let requests = Job { extent: Extent::Requests(20_000), ..job() };
    let single = Job { connections: 1, threads: 1, ..requests.clone() };
    let mut said = String::new();
    for (name, job) in
        [("wrk", job()), ("ab", job()), ("ab", requests.clone()), ("oha", job()), ("oha", requests.clone())]
            .into_iter()
            .chain([("h2load", job()), ("h2load", requests), ("httperf", single)])
    {
        for manner in [Manner::KeepAlive, Manner::Close] {
            let job = Job { manner, ..job.clone() };
            writeln!(said, "{name} {}", command(name, &job).unwrap()).unwrap();
        }
    }
    let (pipelined, rate) = (Manner::Pipelined { depth: 16 }, Manner::FixedRate { rate: 2000 });
    let two_and_a_half = Extent::Time(Duration::from_millis(2500));
    for (name, manner, extent) in [
        ("wrk", pipelined, job().extent),
        ("h2load", pipelined, job().extent),
        ("oha", rate, job().extent),
        ("oha", rate, two_and_a_half),
        ("oha", rate, Extent::Requests(500)),
    ] {
        let job = Job { manner, extent, ..job() };
        writeln!(said, "{name} {}", command(name, &job).unwrap()).unwrap();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn ab_is_given_its_number_after_its_time_and_never_goes_on_after_a_failed_receive() {
    let args = tool("ab").unwrap().command(&job(), Path::new("side.file")).unwrap();
    let at = |flag: &str| args.iter().position(|arg| arg == flag);
    assert!(at("-t").unwrap() < at("-n").unwrap());
    assert_eq!(at("-r"), None);
    assert!(at("-s").is_some() && at("-e").is_some() && at("-k").is_some());
}

#[test]
fn what_a_tool_cannot_do_is_refused_in_words() {
    let requests = |n| Job { extent: Extent::Requests(n), ..job() };
    let time = |ms| Job { extent: Extent::Time(Duration::from_millis(ms)), ..job() };
    let said = [
        refused("wrk", &requests(100)),
        refused("wrk", &time(1500)),
        refused("wrk", &time(0)),
        refused("wrk", &Job { threads: 17, ..job() }),
        refused("wrk", &Job { threads: 0, ..job() }),
        refused("wrk", &Job { timeout: Duration::from_secs(100), ..job() }),
        refused("wrk", &Job { timeout: Duration::from_millis(100), ..job() }),
        refused("ab", &requests(15)),
        refused("ab", &requests(3_000_000_000)),
        refused("ab", &time(101_000)),
        refused("ab", &time(500)),
        refused("ab", &Job { connections: 20_001, ..job() }),
        refused("oha", &requests(15)),
        refused("oha", &time(0)),
        refused("h2load", &requests(15)),
        refused("h2load", &Job { threads: 17, ..job() }),
        refused("httperf", &job()),
        refused("httperf", &requests(100)),
    ];
    let said = said.into_iter().chain(not_in_this_manner()).collect::<Vec<_>>();
    insta::assert_snapshot!(said.join("\n"));
}

/// Only wrk and h2load pipeline, and only oha times a rate from when requests were due.
fn not_in_this_manner() -> Vec<String> {
    let in_manner = |manner| Job { manner, ..job() };
    let mut said = Vec::new();
    for name in ["ab", "oha", "httperf"] {
        said.push(refused(name, &in_manner(Manner::Pipelined { depth: 16 })));
    }
    for name in ["wrk", "ab", "h2load", "httperf"] {
        said.push(refused(name, &in_manner(Manner::FixedRate { rate: 2000 })));
    }
    said.push(refused("oha", &in_manner(Manner::FixedRate { rate: 53 })));
    said
}

#[test]
fn no_tool_is_given_a_url_that_it_would_read_in_its_own_way() {
    for url in [
        "127.0.0.1:8101",
        "https://127.0.0.1/",
        "http://127.0.0.1:8101",
        "http:///",
        "http://a b/",
        "http://h:99999/",
        "-v",
    ] {
        for name in ["wrk", "ab", "oha", "h2load", "httperf"] {
            assert!(refused(name, &Job { url: url.to_owned(), ..job() }).contains("is not a URL"), "{name} {url}");
        }
    }
    for name in ["wrk", "ab", "oha", "h2load"] {
        assert!(command(name, &Job { url: "http://[::1]:8101/hello?a=1".to_owned(), ..job() }).is_ok());
        assert!(refused(name, &Job { connections: 0, ..job() }).contains("0 connections"), "{name}");
    }
}

#[test]
fn the_version_is_read_from_what_each_tool_prints() {
    for (name, printed, version) in [
        (
            "wrk",
            "wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nUsage: wrk <options> <url>\n",
            "debian/4.1.0-3+b2",
        ),
        ("wrk", "wrk 4.2.0 [epoll] Copyright (C) 2012 Will Glozer\n", "4.2.0"),
        ("ab", "This is ApacheBench, Version 2.3 <$Revision: 1923142 $>\nCopyright 1996 Adam Twiss\n", "2.3"),
        ("oha", "oha 1.16.0\n", "1.16.0"),
        ("h2load", "h2load nghttp2/1.52.0\n", "1.52.0"),
        (
            "httperf",
            "httperf: warning: open file limit\nhttperf: httperf-0.9.0 compiled without DEBUG\n",
            "httperf-0.9.0",
        ),
    ] {
        let version = version.trim_start_matches("httperf-");
        assert_eq!(tool(name).unwrap().parse_version(printed).as_deref(), Some(version));
        assert_eq!(tool(name).unwrap().parse_version("command not found"), None);
    }
}

#[test]
fn the_script_of_wrk_defines_nothing_that_runs_for_each_request() {
    let SideFile::Reads(script) = tool("wrk").unwrap().side_file() else { panic!("wrk has a script") };
    let functions: Vec<_> =
        script.lines().filter(|line| line.starts_with("function ") || line.contains(" = function")).collect();
    assert_eq!(
        functions,
        ["function setup(thread)", "function init(args)", "function done(summary, latency, requests)"]
    );
}
