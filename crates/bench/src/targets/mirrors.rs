//! Who answers to whom: the originals, and the Rust servers whose concurrency model is theirs.

use super::{Target, Workers};

/// What the first comparisons measured under one name, and what answers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// As the first comparisons call it.
    pub original: String,
    /// The targets that are it or stand in for it.
    pub targets: Vec<String>,
    /// Their concurrency models.
    pub models: Vec<String>,
    /// The mirrors.
    pub mirrors: Vec<String>,
    /// The workers that the mirrors have to have to answer to it, if that matters.
    pub workers: Option<usize>,
    /// Why its targets are none of it but stand in for it.
    pub stand_ins: Vec<String>,
}

/// Every original in the order of its first target.
pub fn answers(targets: &[Target]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for target in targets.iter().filter(|target| target.is_original()) {
        let description = &target.description;
        let Some(original) = &description.original else { continue };
        let place = answers.iter().position(|answer| answer.original == *original).unwrap_or_else(|| {
            let mirrors: Vec<&Target> =
                targets.iter().filter(|other| other.description.mirrors.contains(original)).collect();
            let can_choose = mirrors.iter().any(|mirror| mirror.description.workers != Workers::Fixed);
            answers.push(Answer {
                original: original.clone(),
                targets: Vec::new(),
                models: Vec::new(),
                mirrors: mirrors.iter().map(|mirror| mirror.name().to_owned()).collect(),
                workers: description.mirror_workers.filter(|_| can_choose),
                stand_ins: Vec::new(),
            });
            answers.len() - 1
        });
        let answer = &mut answers[place];
        answer.targets.push(target.name().to_owned());
        add(&mut answer.models, &description.model);
        description.stand_in.iter().for_each(|why| add(&mut answer.stand_ins, why));
    }
    answers
}

fn add(list: &mut Vec<String>, words: &str) {
    if list.iter().all(|other| other != words) {
        list.push(words.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::targets::{Workspace, all};

    /// What the first comparisons measured, with a server whose model is known to have a Rust one.
    const MIRRORED: [(&str, &[&str]); 21] = [
        ("wsgiref", &["hyper", "std-sequential", "hyper-smol", "hyper-async-io"]),
        ("Jython", &["hyper", "hyper-smol", "hyper-async-io"]),
        ("IronPython", &["hyper", "hyper-smol", "hyper-async-io"]),
        ("CherryPy", &["std-pool"]),
        ("Paste", &["std-pool"]),
        ("uWSGI", &["std-pool"]),
        ("nginx with uWSGI", &["std-pool"]),
        ("nginx", &["tokio", "async-io"]),
        ("nginx from memcached", &["tokio", "async-io"]),
        ("Mongrel", &["std-threads"]),
        ("Node.js", &["tokio", "async-io"]),
        ("Tornado", &["tokio", "async-io"]),
        ("Twisted", &["tokio", "smol", "async-io"]),
        ("gevent", &["may-minihttp"]),
        ("eventlet", &["may-minihttp"]),
        ("meinheld", &["may-minihttp"]),
        ("Tomcat", &["axum", "actix-web"]),
        ("GlassFish", &["axum", "actix-web"]),
        ("tiscaf", &["axum", "actix-web"]),
        ("Pyramid on Paste", &["axum"]),
        ("Pyramid on gevent", &["axum"]),
    ];

    #[test]
    fn every_original_that_was_measured_has_its_mirrors() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let targets = all(&Workspace::read(root).unwrap(), &[]).unwrap();
        let answers = answers(&targets);
        for (original, mirrors) in MIRRORED {
            let answer = answers.iter().find(|answer| answer.original == original);
            let found = &answer.unwrap_or_else(|| panic!("no target is {original}")).mirrors;
            assert_eq!(found, mirrors, "the mirrors of {original}");
        }
        let nobody = answers.iter().filter(|answer| answer.mirrors.is_empty());
        assert_eq!(nobody.map(|answer| answer.original.as_str()).collect::<Vec<_>>(), [] as [&str; 0]);
        let workers = |original| answers.iter().find(|answer| answer.original == original).unwrap().workers;
        assert_eq!([workers("gevent"), workers("CherryPy")], [Some(1), None]);
        assert_eq!(workers("Mongrel"), None, "std-threads has no workers to choose");
    }

    #[test]
    fn no_rust_server_mirrors_what_nobody_measured() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let targets = all(&Workspace::read(root).unwrap(), &[]).unwrap();
        let answers = answers(&targets);
        for target in &targets {
            for original in &target.description.mirrors {
                let known = answers.iter().any(|answer| answer.original == *original);
                assert!(known, "{} mirrors {original}, which is no original", target.name());
            }
        }
    }
}
