//! A harness that is stopped in the middle takes nothing for good that it did not watch.

use std::thread::sleep;
use std::time::Duration;

use hello_bench::plan::plan;
use hello_bench::results::Run;
use nix::sys::signal::Signal;

use crate::fixture::Fixture;
use crate::interrupted::{long_run, signal, until_slices};

#[test]
fn a_slice_in_which_the_harness_was_stopped_is_measured_again() {
    let fixture = Fixture::new().with("none", 0);
    let child = long_run(&fixture);
    let said = || std::fs::read_to_string(fixture.path("stderr")).unwrap();
    let again = || said().contains("stopped and continued (SIGCONT) in the middle of a slice, which is measured again");
    // Between two slices a stop spoils nothing, so that one alone may be in vain.
    for _ in 0..10 {
        sleep(Duration::from_millis(300));
        signal(&child, Signal::SIGSTOP);
        sleep(Duration::from_millis(500));
        signal(&child, Signal::SIGCONT);
        let slices = Run::read(&fixture.out()).unwrap().slices.len();
        until_slices(&fixture, slices + 1);
        if again() {
            break;
        }
    }
    signal(&child, Signal::SIGTERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(again(), "{}", said());
    let run = Run::read(&fixture.out()).unwrap();
    let steps = plan(&run.record.cells, run.record.options.blocks, run.record.options.seed);
    assert!(steps.iter().zip(&run.slices).all(|(step, slice)| step.block == slice.block), "a slice is there twice");
    assert_eq!(fixture.left_behind(), [] as [String; 0]);
}

#[test]
fn a_background_process_is_not_stopped_because_it_prints() {
    let fixture = Fixture::new().with("none", 0);
    let child = long_run(&fixture);
    signal(&child, Signal::SIGTTOU);
    let slices = Run::read(&fixture.out()).unwrap().slices.len();
    until_slices(&fixture, slices + 2);
    signal(&child, Signal::SIGINT);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}
