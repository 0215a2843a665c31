//! The options of methods: the values that each takes, and the values given to a run.

use std::fmt::{self, Display, Formatter};

/// The values that an option takes.
#[derive(Debug)]
pub enum OptionKind {
    /// One finite number.
    Number,
    /// A finite number, or a list of them with one for each degree of freedom.
    Numbers,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// The options that are no single numbers. An option means the same in all its methods.
const KINDS: [(&str, OptionKind); 7] = [
    ("filter", OptionKind::Word(&["box", "exponential", "cubic"])),
    ("grid", OptionKind::Numbers),
    ("interpolation", OptionKind::Word(&["coordinates", "relative"])),
    ("macro_solver", OptionKind::Word(&["leap-frog", "verlet", "shake", "rattle"])),
    ("micro_solver", OptionKind::Word(&["verlet", "nystrom"])),
    ("triangulation", OptionKind::Word(&["kuhn", "mirrored", "union-jack"])),
    ("vertex", OptionKind::Word(&["start", "origin", "random"])),
];

impl OptionKind {
    /// The kind of the option `name`.
    pub fn of(name: &str) -> &'static Self {
        KINDS.iter().find(|(known, _)| *known == name).map_or(&Self::Number, |(_, kind)| kind)
    }

    /// The value of a text, if the option takes it: `0.4`, a list such as `[0.1,0.2]`, or a word.
    pub fn read(&self, text: &str) -> Option<Given> {
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let text = text.trim();
        let list = || text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        match self {
            Self::Number => number(text).map(|number| Given::Numbers(vec![number])),
            Self::Numbers => list().split(',').map(number).collect::<Option<_>>().map(Given::Numbers),
            Self::Word(words) => words.iter().find(|word| **word == text).map(|word| Given::Word(word)),
        }
    }
}

/// A value that fits the kind of its option.
#[derive(Debug, Clone)]
pub enum Given {
    /// Numbers, one alone as a list of one.
    Numbers(Vec<f64>),
    /// One of the words of the option.
    Word(&'static str),
}

impl Display for Given {
    /// As a text that gives it.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(numbers) if numbers.len() == 1 => write!(f, "{:?}", numbers[0]),
            Self::Numbers(numbers) => write!(f, "{numbers:?}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// The options given to a run; later ones replace earlier ones.
#[derive(Debug, Clone, Default)]
pub struct Options {
    given: Vec<(String, Given)>,
}

impl Options {
    /// Gives a value for `name`, in place of an earlier one.
    pub fn push(&mut self, name: &str, value: Given) {
        self.given.push((name.to_owned(), value));
    }

    /// The given options, later ones behind earlier ones.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Given)> {
        self.given.iter().map(|(name, given)| (&**name, given))
    }

    /// The number given for `name`.
    pub fn get(&self, name: &str) -> Option<f64> {
        match self.numbers(name)? {
            [number] => Some(*number),
            _ => None,
        }
    }

    /// The numbers given for `name`, one alone as a list of one.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.find(name)? {
            Given::Numbers(numbers) => Some(numbers),
            Given::Word(_) => None,
        }
    }

    /// The word given for `name`.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.find(name)? {
            Given::Word(word) => Some(word),
            Given::Numbers(_) => None,
        }
    }

    /// Gives a number for `name`, in place of the given value.
    pub fn set(&mut self, name: &str, number: f64) {
        self.given.push((name.to_owned(), Given::Numbers(vec![number])));
    }

    fn find(&self, name: &str) -> Option<&Given> {
        self.given.iter().rev().find(|(known, _)| known == name).map(|(_, given)| given)
    }
}
