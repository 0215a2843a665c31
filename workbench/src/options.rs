//! The options of methods: which there are, what values they take, and those that a run was given.

use std::path::Path;

use serde_json::{Number, Value};

use crate::error::{Error, Names};
use crate::settings;

/// The values that an option takes.
enum Kind {
    /// One finite number.
    Number,
    /// A finite number, or a list of them with one for each degree of freedom.
    Numbers,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// The options that are no single numbers. An option has the same meaning in every method that has it.
const KINDS: [(&str, Kind); 7] = [
    ("filter", Kind::Word(&["box", "exponential", "cubic"])),
    ("grid", Kind::Numbers),
    ("interpolation", Kind::Word(&["coordinates", "relative"])),
    ("macro_solver", Kind::Word(&["leap-frog", "verlet", "shake", "rattle"])),
    ("micro_solver", Kind::Word(&["verlet", "nystrom"])),
    ("triangulation", Kind::Word(&["kuhn", "mirrored", "union-jack"])),
    ("vertex", Kind::Word(&["start", "origin", "random"])),
];

impl Kind {
    fn of(name: &str) -> &'static Self {
        KINDS.iter().find(|(known, _)| *known == name).map_or(&Self::Number, |(_, kind)| kind)
    }
}

/// A value that fits the kind of its option.
#[derive(Debug, Clone)]
enum Given {
    Numbers(Vec<f64>),
    Word(&'static str),
}

/// The options that were given: the file first, then each `--with` in order.
#[derive(Debug, Clone, Default)]
pub struct Options {
    given: Vec<(String, Given)>,
}

impl Options {
    /// Reads the options of `method`, which has those in `known`.
    pub fn read(method: &str, known: &[&str], params: Option<&Path>, with: &[String]) -> Result<Self, Error> {
        let mut given = settings::file(params)?.method;
        for text in with {
            let (name, value) = settings::assignment("--with", text)?;
            given.push((name.to_owned(), plain(value)));
        }
        Self::of(method, known, given.iter().map(|(name, value)| (&**name, value)))
    }

    /// Takes these options of `method`, the later ones in place of those before.
    pub fn of<'v>(
        method: &str,
        known: &[&str],
        given: impl IntoIterator<Item = (&'v str, &'v Value)>,
    ) -> Result<Self, Error> {
        let mut options = Self::default();
        for (name, value) in given {
            options.push(method, known, name, value)?;
        }
        Ok(options)
    }

    fn push(&mut self, method: &str, known: &[&str], name: &str, value: &Value) -> Result<(), Error> {
        if !known.contains(&name) {
            let known: Names = known.iter().copied().collect();
            let hint = known.near(name);
            return Err(Error::UnknownOption {
                method: method.to_owned(),
                name: name.to_owned(),
                hint,
                known,
            });
        }
        self.given.push((name.to_owned(), fitting(name, value)?));
        Ok(())
    }

    /// The names of those that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| &**name)
    }

    /// The number that was given for `name`.
    pub fn get(&self, name: &str) -> Option<f64> {
        match self.numbers(name)? {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// The numbers that were given for `name`, one alone as a list of one.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.find(name)? {
            Given::Numbers(numbers) => Some(numbers),
            Given::Word(_) => None,
        }
    }

    /// The word that was given for `name`.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.find(name)? {
            Given::Word(word) => Some(word),
            Given::Numbers(_) => None,
        }
    }

    /// Gives a number for `name`, in place of what was given.
    pub fn set(&mut self, name: &str, number: f64) {
        self.given.push((name.to_owned(), Given::Numbers(vec![number])));
    }

    fn find(&self, name: &str) -> Option<&Given> {
        self.given.iter().rev().find(|(known, _)| known == name).map(|(_, given)| given)
    }
}

/// A value as it is written on the command line: a number, a list, or a word.
fn plain(text: &str) -> Value {
    let number = text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number);
    let list = || serde_json::from_str(text).ok().filter(Value::is_array);
    number.or_else(list).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The value, if it is one that the option takes.
fn fitting(name: &str, value: &Value) -> Result<Given, Error> {
    let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (Kind::of(name), value) {
        (Kind::Number | Kind::Numbers, Value::Number(number)) => {
            number.as_f64().map(|number| Given::Numbers(vec![number]))
        }
        (Kind::Numbers, Value::Array(list)) if !list.is_empty() => {
            list.iter().map(Value::as_f64).collect::<Option<_>>().map(Given::Numbers)
        }
        (Kind::Word(words), Value::String(given)) => {
            words.iter().find(|word| *word == given).map(|word| Given::Word(word))
        }
        _ => None,
    }
    .ok_or_else(|| match Kind::of(name) {
        Kind::Number => Error::OptionNotANumber { name: name.to_owned(), value: text() },
        Kind::Numbers => Error::OptionNotNumbers { name: name.to_owned(), value: text() },
        Kind::Word(words) => {
            let known: Names = words.iter().copied().collect();
            Error::OptionNotAWord { name: name.to_owned(), hint: known.near(&text()), value: text(), known }
        }
    })
}
