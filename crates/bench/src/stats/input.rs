//! What an analysis is made from: one metric of every target in one shape, block by block, and the rules.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

/// A metric that verdicts are given on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Server CPU time per good response.
    Cost,
    /// Good responses per second.
    Rps,
}

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// A ratio under 1 is faster.
    Lower,
    /// A ratio over 1 is faster.
    Higher,
}

impl Metric {
    /// As it stands in sentences.
    pub fn words(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Rps => "req/s",
        }
    }

    /// Which way it is better. Everything that says "faster" asks here.
    pub fn better(self) -> Better {
        match self {
            Self::Cost => Better::Lower,
            Self::Rps => Better::Higher,
        }
    }
}

/// One target's values by block.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    blocks: Vec<Option<f64>>,
    group: NonZeroUsize,
}

/// A value that has no logarithm.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{target}, block {block}: {value} is no figure that ratios can be taken of: it must be finite and above 0")]
pub struct NoRatio {
    /// Whose it is.
    pub target: String,
    /// In which block, from 0.
    pub block: usize,
    /// The value.
    pub value: f64,
}

impl Series {
    /// The values of a target from block 0 on, `None` where it has none, all of them finite and above 0.
    /// It was restarted after every `group` blocks.
    ///
    /// # Errors
    /// Names the first value of which no ratio can be taken.
    pub fn new(
        name: impl Into<String>,
        blocks: impl IntoIterator<Item = Option<f64>>,
        group: NonZeroUsize,
    ) -> Result<Self, NoRatio> {
        let (target, blocks) = (name.into(), blocks.into_iter().collect::<Vec<_>>());
        for (block, value) in blocks.iter().enumerate() {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(NoRatio { target, block, value });
            }
        }
        Ok(Self { name: target, blocks, group })
    }

    /// The target.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values by block.
    pub fn blocks(&self) -> &[Option<f64>] {
        &self.blocks
    }

    /// Blocks from one restart to the next.
    pub fn group(&self) -> NonZeroUsize {
        self.group
    }
}

/// What was fixed before the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Recorded")]
pub struct Rules {
    alpha: f64,
    minimum_effect: f64,
    margin: f64,
}

/// Rules as a record has them, before they are held against what rules may be.
#[derive(Deserialize)]
struct Recorded {
    alpha: f64,
    minimum_effect: f64,
    margin: f64,
}

impl TryFrom<Recorded> for Rules {
    type Error = String;

    fn try_from(recorded: Recorded) -> Result<Self, String> {
        let rules = Self::new(recorded.minimum_effect, recorded.margin).map_err(|error| error.to_string())?;
        if (rules.alpha - recorded.alpha).abs() > 1e-12 {
            return Err(format!("verdicts at {} are recorded; this gives them at {}", recorded.alpha, rules.alpha));
        }
        Ok(rules)
    }
}

/// Rules that contradict themselves.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "a minimum effect of {minimum_effect} and a margin of {margin}: \
     they must be above 0, and the effect not above the margin"
)]
pub struct BadRules {
    minimum_effect: f64,
    margin: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { alpha: 0.05, minimum_effect: 0.02, margin: 0.05 }
    }
}

impl Rules {
    /// The smallest difference that counts and the margin of equivalence, as shares (0.02 is 2 %).
    ///
    /// # Errors
    /// If one of them is not above 0, or a difference that counts would have to be greater than what is equivalent.
    pub fn new(minimum_effect: f64, margin: f64) -> Result<Self, BadRules> {
        if minimum_effect > 0.0 && minimum_effect <= margin && margin.is_finite() {
            Ok(Self { minimum_effect, margin, ..Self::default() })
        } else {
            Err(BadRules { minimum_effect, margin })
        }
    }

    /// The share of tables in which chance alone may give a false verdict.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The smallest difference that counts, as a share.
    pub fn minimum_effect(&self) -> f64 {
        self.minimum_effect
    }

    /// The margin of equivalence, as a share.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The smallest estimate that is called a difference, on the log scale: 2 % more or its reciprocal.
    pub fn log_minimum_effect(&self) -> f64 {
        self.minimum_effect.ln_1p()
    }

    /// Within this, on the log scale, targets are equivalent: 5 % more or its reciprocal.
    pub fn log_margin(&self) -> f64 {
        self.margin.ln_1p()
    }
}

/// One metric of all targets in one shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The metric.
    pub metric: Metric,
    /// What ratios are taken against.
    pub baseline: Series,
    /// The baseline's second self; `None` if it did not take part.
    pub twin: Option<Series>,
    /// Everyone else.
    pub targets: Vec<Series>,
    /// What was fixed before the run.
    pub rules: Rules,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_a_logarithm_is_named_and_not_taken() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Series::new("x", [Some(1.0), None, Some(value)], NonZeroUsize::MIN).unwrap_err();
            assert_eq!((error.target.as_str(), error.block), ("x", 2));
        }
    }

    #[test]
    fn rules_that_contradict_themselves_are_refused() {
        assert!(Rules::new(0.02, 0.05).is_ok_and(|rules| rules == Rules::default()));
        for (minimum_effect, margin) in [(0.06, 0.05), (0.0, 0.05), (f64::NAN, 0.05), (0.02, f64::INFINITY)] {
            assert!(Rules::new(minimum_effect, margin).is_err());
        }
    }

    #[test]
    fn recorded_rules_are_read_again_and_impossible_ones_are_not() {
        let rules = Rules::new(0.01, 0.1).unwrap();
        assert_eq!(serde_json::from_str::<Rules>(&serde_json::to_string(&rules).unwrap()).unwrap(), rules);
        for impossible in [(0.05, 0.2, 0.1), (0.05, -0.02, 0.1), (0.2, 0.02, 0.05)] {
            let (alpha, minimum_effect, margin) = impossible;
            let text = format!(r#"{{"alpha": {alpha}, "minimum_effect": {minimum_effect}, "margin": {margin}}}"#);
            assert!(serde_json::from_str::<Rules>(&text).is_err(), "{text}");
        }
    }
}
