//! What every tool's command line needs of a job, checked once.

use std::time::Duration;

use super::Job;

/// The parts of `http://host:port/path`.
pub(super) struct Place<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) path: &'a str,
}

/// What no tool can do without: a URL of plain HTTP with a path, and a connection.
pub(super) fn check(job: &Job) -> Result<Place<'_>, String> {
    let place = place_of(&job.url)?;
    if job.connections == 0 {
        return Err("0 connections send no request".to_owned());
    }
    Ok(place)
}

/// The parts of a URL of plain HTTP with a path.
pub(super) fn place_of(url: &str) -> Result<Place<'_>, String> {
    place(url).ok_or_else(|| format!("`{url}` is not a URL such as http://127.0.0.1:8101/ (plain HTTP, with a path)"))
}

fn place(url: &str) -> Option<Place<'_>> {
    let rest = url.strip_prefix("http://")?;
    let (authority, path) = rest.split_at(rest.find('/')?);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.starts_with('[') || host.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, 80),
    };
    let plain = url.bytes().all(|byte| byte.is_ascii_graphic()) && !authority.contains('@');
    (plain && !host.is_empty()).then_some(Place { host, port, path })
}

/// `time` in whole seconds, at least one, since `tool` takes no fraction.
pub(super) fn seconds(tool: &str, what: &str, time: Duration) -> Result<u64, String> {
    if time.is_zero() || time.subsec_nanos() != 0 {
        return Err(format!("{tool} takes its {what} in whole seconds from 1, not {time:?}"));
    }
    Ok(time.as_secs())
}

/// At least one request for each connection.
pub(super) fn enough(tool: &str, requests: u64, connections: u32) -> Result<(), String> {
    if requests < u64::from(connections) {
        return Err(format!("{tool} cannot spread {requests} requests over {connections} connections"));
    }
    Ok(())
}

/// A thread needs a connection.
pub(super) fn threads(tool: &str, job: &Job) -> Result<(), String> {
    if job.threads == 0 || job.threads > job.connections {
        return Err(format!(
            "{tool} takes from 1 to {} threads for {0} connections, not {}",
            job.connections, job.threads
        ));
    }
    Ok(())
}
