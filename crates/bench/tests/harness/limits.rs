//! Limits of the machine and of others on it, which are no fault of a target: each is named, and none is silently slow.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use hello_bench::results::{Outcome, Run};

use crate::fixture::{Fixture, fault_server, free_port, hello_bench, text};

/// Whatever a slice says of itself: the reason of one that failed, or the warnings of one that did not.
fn said(run: &Run, target: &str) -> String {
    let own = run.slices.iter().filter(|slice| slice.cell.target == target);
    own.map(|slice| match &slice.outcome {
        Outcome::Valid(measurement) => measurement.warnings.join("; "),
        Outcome::Failed(failed) => failed.reason.clone(),
    })
    .collect::<Vec<_>>()
    .join("\n")
}

#[test]
fn a_full_accept_queue_is_named() {
    let fixture = Fixture::new().with("short-queue", 20);
    let (_, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "32"]);
    assert!(said(&run, "short-queue").contains("an accept queue was full"), "{}\n{printed}", said(&run, "short-queue"));
}

#[test]
fn a_server_that_may_open_too_few_files_is_not_taken_for_a_slow_one() {
    let port = free_port();
    let server = fault_server().to_str().unwrap();
    let limited = format!("\"sh\", \"-c\", \"ulimit -n 20; exec {server} none --port {port}\"");
    let fixture = Fixture::new().with_command("limited", port, &limited);
    let (status, printed, run) = fixture.run(&["--shape", "keep-alive", "--blocks", "1", "--connections", "64"]);
    assert_eq!(status, Some(1), "{printed}");
    let said = said(&run, "limited");
    assert!(said.contains("(ulimit -n)"), "{said}");
}

#[test]
fn a_block_that_others_disturb_is_measured_again_and_no_more_than_three_times() {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let fixture = Fixture::new().with("none", 0);
        let args = ["--shape", "close", "--blocks", "5", "--connections", "4", "--tool", "ab", "--requests", "200"];
        let (status, printed, run) = fixture.run(&args);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(status, Some(0), "{printed}");
        // Every try is disturbed: the first block has three more, which is half of the run, and all others have none.
        assert_eq!(printed.matches("was disturbed by others, and is measured again").count(), 3, "{printed}");
        let tries = hello_bench::results::every_try(&fixture.out()).unwrap();
        assert_eq!((tries.len(), run.slices.len()), (2 * (5 + 3), 2 * 5), "{printed}");
        assert!(run.slices.iter().all(|slice| slice.tried == if slice.block == 0 { 3 } else { 0 }), "{printed}");
        assert!(printed.contains("1 of 5 blocks were disturbed"), "{printed}");
    });
}

/// The harness in a network of its own, with these ephemeral ports; `None` where no such network can be had.
fn with_ports(fixture: &Fixture, ports: &str, args: &[&str]) -> Option<(Option<i32>, String)> {
    let network = ["unshare", "--map-root-user", "--net"];
    let can = Command::new(network[0]).args(&network[1..]).arg("true").output().is_ok_and(|ran| ran.status.success());
    if !can || Command::new("ip").arg("-V").output().is_err() {
        eprintln!("not tried: no network namespace can be had here");
        return None;
    }
    let prepare = format!("ip link set lo up && echo {ports} > /proc/sys/net/ipv4/ip_local_port_range && exec \"$@\"");
    let run = fixture.command(args);
    let mut command = Command::new(network[0]);
    command
        .args(&network[1..])
        .args(["sh", "-c", &prepare, "sh"])
        .arg(hello_bench().get_program())
        .args(run.get_args());
    for (name, value) in run.get_envs() {
        command.env(name, value.unwrap());
    }
    let output = command.output().unwrap();
    Some((output.status.code(), text(&output)))
}

/// A target that can be told its address, and one that cannot.
fn two() -> Fixture {
    let server = hello_bench().get_program().to_str().unwrap().to_owned();
    let (moves, stays) = (free_port(), free_port());
    let line = |more: &str| format!("{server:?}, \"burn-server\", \"--port\", \"{{port}}\"{more}");
    Fixture::new().with_command("moves", moves, &line(", \"--host\", \"{host}\"")).with_command(
        "stays",
        stays,
        &line(""),
    )
}

#[test]
fn a_target_moves_away_from_used_up_ports_or_they_are_waited_for_and_that_is_said() {
    // 60 of 200 are left in TIME_WAIT by each slice, and a quarter is what may be.
    let args = ["--shape", "keep-alive", "--blocks", "2", "--connections", "60", "--tool", "ab", "--requests", "600"];
    let fixture = two();
    let Some((status, printed)) = with_ports(&fixture, "40000 40199", &args) else { return };
    assert_eq!(status, Some(0), "{printed}");
    let run = Run::read(&fixture.out()).unwrap();
    // The baseline and its second self are at one address.
    let moves = format!("{}\n{}", said(&run, "moves"), said(&run, "moves (again)"));
    assert!(moves.contains("ephemeral ports were in TIME_WAIT to 127.0.0.1:"), "{moves}\n{printed}");
    assert!(moves.contains("so that it was moved to 127.0.0."), "{moves}\n{printed}");
    let stays = said(&run, "stays");
    assert!(
        stays.contains("which the kernel uses again after a second") || stays.contains("which was waited for"),
        "{stays}\n{printed}"
    );
}

#[test]
fn used_up_ephemeral_ports_are_named_and_no_fault_of_the_target() {
    let fixture = Fixture::new().with("none", 0);
    let args = ["--shape", "keep-alive", "--blocks", "1", "--connections", "64", "--tool", "ab", "--requests", "640"];
    let Some((status, printed)) = with_ports(&fixture, "40000 40029", &args) else { return };
    assert_eq!(status, Some(1), "{printed}");
    let said = said(&Run::read(&fixture.out()).unwrap(), "none");
    assert!(said.contains("the ephemeral ports are used up"), "{said}\n{printed}");
}
