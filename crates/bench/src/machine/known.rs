//! Values that may be missing: "unknown" is a word of its own, never a guess and never 0.

use std::fmt::{Display, Formatter, Result as Formatted};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value, or that it could not be read. In JSON it is the value itself or the word "unknown".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known<T> {
    /// What was read.
    Is(T),
    /// It could not be read.
    Unknown,
}

/// An upper bound, or that there is none. In JSON it is the bound itself or the word "unlimited".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    /// The bound.
    At(T),
    /// There is none.
    Unlimited,
}

impl<T> Known<T> {
    /// What was read, if it was.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// What was read, in other words.
    pub fn map<U>(&self, words: impl FnOnce(&T) -> U) -> Known<U> {
        self.get().map(words).into()
    }
}

impl<T> Limit<T> {
    /// The bound, if there is one.
    pub fn bound(&self) -> Option<&T> {
        match self {
            Self::At(bound) => Some(bound),
            Self::Unlimited => None,
        }
    }
}

impl<T> From<Option<T>> for Known<T> {
    fn from(read: Option<T>) -> Self {
        read.map_or(Self::Unknown, Self::Is)
    }
}

impl<T: Display> Display for Known<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        match self {
            Self::Is(value) => value.fmt(f),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

impl<T: Display> Display for Limit<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        match self {
            Self::At(value) => value.fmt(f),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unknown {
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unlimited {
    Unlimited,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WordOr<W, T> {
    Word(W),
    Value(T),
}

impl<T: Serialize> Serialize for Known<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Is(value) => value.serialize(to),
            Self::Unknown => Unknown::Unknown.serialize(to),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match WordOr::<Unknown, T>::deserialize(from)? {
            WordOr::Word(Unknown::Unknown) => Self::Unknown,
            WordOr::Value(value) => Self::Is(value),
        })
    }
}

impl<T: Serialize> Serialize for Limit<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(value) => value.serialize(to),
            Self::Unlimited => Unlimited::Unlimited.serialize(to),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Limit<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match WordOr::<Unlimited, T>::deserialize(from)? {
            WordOr::Word(Unlimited::Unlimited) => Self::Unlimited,
            WordOr::Value(value) => Self::At(value),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_the_word_unknown_and_comes_back_as_such() {
        let values = [Known::Unknown, Known::Is(Limit::Unlimited), Known::Is(Limit::At(2.5))];
        let text = serde_json::to_string(&values).unwrap();
        assert_eq!(text, r#"["unknown","unlimited",2.5]"#);
        assert_eq!(serde_json::from_str::<Vec<Known<Limit<f64>>>>(&text).unwrap(), values);
        assert_eq!(values.map(|value| value.to_string()), ["unknown", "unlimited", "2.5"]);
        let words: Vec<Known<String>> = serde_json::from_str(r#"["unknown","wrk"]"#).unwrap();
        assert_eq!(words, [Known::Unknown, Known::Is("wrk".to_owned())]);
    }
}
