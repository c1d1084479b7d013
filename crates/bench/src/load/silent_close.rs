//! Servers that close a connection when they are asked to, but do not say so in the answer: wrk then takes the answer for
//! one of a kept connection, and the end that follows for a failed read.

use super::{Errors, Failure, Report};

/// The report of a slice that failed for nothing but such ends: reads failed, no more than there were answers, and as
/// many bytes came as the answers have. Of the reads, at most as many as there are connections can have failed in earnest,
/// because each answer has one: that is said beside the figures.
pub fn excused(failure: &Failure, answer_bytes: u64, connections: u32) -> Option<Report> {
    let seen = &failure.seen;
    let (requests, read) = (seen.requests?, seen.errors.read?);
    let nothing_else = Errors { read: None, ..seen.errors }.are_none();
    let whole = requests * answer_bytes..=(requests + u64::from(connections)) * answer_bytes;
    let ended = requests > 0 && seen.duration_s.is_some_and(|duration| duration > 0.0);
    if !(ended && nothing_else && read > 0 && read <= requests && whole.contains(&seen.bytes?)) {
        return None;
    }
    let mut report = Report { good_requests: Some(requests), ..Report::clone(seen) };
    report.warnings.push(format!(
        "the server closes without saying so in its answer, which wrk counts as {read} failed reads beside {requests} \
         answers; at most {connections} of them can be real"
    ));
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Exit, Output, tool};

    /// What wrk says of a server whose answers have 120 bytes.
    fn wrk(requests: u64, bytes: &str, errors: &str) -> Failure {
        let stdout = format!(
            "Running 1s test @ http://127.0.0.1:8202/\n  1 threads and 8 connections\n  Thread Stats   Avg      Stdev     \
             Max   +/- Stdev\n    Latency     5.00ms    1.00ms  20.00ms   90.00%\n    Req/Sec     0.64k    10.00     0.70k    \
             90.00%\n  {requests} requests in 1.00s, {bytes} read\n  Socket errors: {errors}\nRequests/sec:    {requests}.00\n\
             Transfer/sec:     75.00KB\n"
        );
        let output = Output { stdout: stdout.as_bytes(), stderr: b"", exit: Exit::Code(0), side_file: None };
        tool("wrk").unwrap().parse(&output).unwrap_err()
    }

    const READ: &str = "connect 0, read 640, write 0, timeout 0";

    #[test]
    fn ends_that_were_not_announced_are_no_errors_if_every_answer_is_whole() {
        // 640 answers of 120 bytes are 75 KiB.
        let report = excused(&wrk(640, "75.00KB", READ), 120, 8).unwrap();
        assert_eq!(report.good_requests, Some(640));
        assert!(report.warnings.last().unwrap().contains("at most 8"), "{:?}", report.warnings);
    }

    #[test]
    fn anything_else_that_went_wrong_is_not_excused() {
        let too_many = wrk(600, "70.31KB", READ);
        let cut_off = wrk(640, "50.00KB", READ);
        let timeouts = wrk(640, "75.00KB", "connect 0, read 640, write 0, timeout 3");
        for failure in [too_many, cut_off, timeouts] {
            assert_eq!(excused(&failure, 120, 8), None, "{failure}");
        }
    }
}
