//! The recorded outputs, with what is true of each.

#![allow(dead_code)] // each test file uses its part

use std::{fs, path::PathBuf};

use hello_bench::load::{Exit, Output};
use serde_json::{Map, Value};

pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) tool: String,
    pub(crate) exit: i32,
    pub(crate) expected: Map<String, Value>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) side_file: Option<Vec<u8>>,
}

impl Sample {
    pub(crate) fn output(&self) -> Output<'_> {
        self.with_stdout(&self.stdout)
    }

    pub(crate) fn with_stdout<'a>(&'a self, stdout: &'a [u8]) -> Output<'a> {
        Output {
            stdout,
            stderr: &self.stderr,
            exit: Exit::from_number(self.exit),
            side_file: self.side_file.as_deref(),
        }
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.expected["status"] == "ok"
    }
}

pub(crate) fn all() -> Vec<Sample> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let expected = fs::read(folder.join("expected.json")).unwrap();
    let expected: Map<String, Value> = serde_json::from_slice(&expected).unwrap();
    let sample = |(name, expected): (String, Value)| {
        let Value::Object(mut expected) = expected else { panic!("{name}: no object") };
        let exit = expected.remove("exit").and_then(|exit| i32::try_from(exit.as_i64()?).ok()).unwrap();
        let read = |ending: &str| fs::read(folder.join(format!("{name}.{ending}")));
        Sample {
            tool: expected["tool"].as_str().unwrap().to_owned(),
            exit,
            stdout: read("stdout").unwrap(),
            stderr: read("stderr").unwrap_or_default(),
            side_file: read("csv").or_else(|_| read("log")).ok(),
            name,
            expected,
        }
    };
    expected.into_iter().map(sample).collect()
}

pub(crate) fn named(name: &str) -> Sample {
    all().into_iter().find(|sample| sample.name == name).unwrap()
}
