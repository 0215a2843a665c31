//! Cases by chance: a tape of numbers decides each.
//! If one fails, the search for a shorter and simpler tape that fails as well begins.

use crate::random::Random;
use std::fmt::{Display, Formatter};
use std::ops::Range;
use std::str::FromStr;

/// A case: the numbers that decide it, and a seed for all else.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Case {
    pub(crate) tape: Vec<u16>,
    pub(crate) seed: u64,
}

/// The reason why a case says nothing, or why it fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The case tests nothing, and another one is drawn.
    Unfit,
    /// The claim does not hold.
    Wrong(String),
}

/// The most cases that are tried to make one simpler.
const TRIES: usize = 2000;

/// A line of the file of past failures: `seed: number number …`.
impl Display for Case {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}:", self.seed)?;
        self.tape.iter().try_for_each(|number| write!(to, " {number}"))
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let (seed, tape) = line.split_once(':').ok_or_else(|| format!("no seed in {line}"))?;
        let tape = tape.split_whitespace().map(str::parse).collect::<Result<_, _>>();
        match (seed.parse(), tape) {
            (Ok(seed), Ok(tape)) => Ok(Self { tape, seed }),
            _ => Err(format!("no case: {line}")),
        }
    }
}

impl Case {
    /// The case of a round, with a tape of a length in this range.
    fn of_round(round: u64, lengths: &Range<usize>) -> Self {
        let mut random = Random::of_round(round);
        let length = lengths.start + random.below(lengths.len());
        let tape = (0..length).map(|_| random.word() as u16).collect();
        Self { tape, seed: random.word() }
    }

    /// Simpler cases, the simplest first: without a part of the tape, or with smaller numbers.
    fn simpler(&self) -> impl Iterator<Item = Self> + '_ {
        let length = self.tape.len();
        let halves = std::iter::successors(Some(length), |part| (*part > 1).then_some(part / 2));
        let shorter = halves.filter(|part| *part > 0).flat_map(move |part| {
            (0..length).step_by(part).map(move |start| {
                let kept = |(place, _): &(usize, &u16)| !(start..start + part).contains(place);
                let tape = self.tape.iter().enumerate().filter(kept).map(|(_, number)| *number).collect();
                Self { tape, seed: self.seed }
            })
        });
        let smaller = (0..length).flat_map(move |place| {
            let number = self.tape[place];
            let parts = [1, 2, 4, 16, 64, number.max(1)].map(|part| number - number / part);
            parts.into_iter().filter(move |less| *less < number).map(move |less| {
                let mut tape = self.tape.clone();
                tape[place] = less;
                Self { tape, seed: self.seed }
            })
        });
        let seedless = (self.seed != 0).then(|| Self { seed: 0, ..self.clone() });
        shorter.chain(smaller).chain(seedless)
    }
}

/// Tries so many cases from this round on, and panics with the simplest failure that it finds.
pub(crate) fn check(
    cases: u32,
    first: u64,
    lengths: Range<usize>,
    test: &mut dyn FnMut(&Case) -> Result<(), Failure>,
) {
    let (mut done, mut unfit) = (0, 0);
    for round in first.. {
        if done == cases {
            return;
        }
        match test_one(&Case::of_round(round, &lengths), test) {
            Ok(()) => done += 1,
            Err(Failure::Unfit) => unfit += 1,
            Err(Failure::Wrong(reason)) => panic!("round {round}: {reason}"),
        }
        assert!(unfit <= cases / 4, "{unfit} cases test nothing, and {done} do");
    }
}

/// Tries one case; the message of a failure names the simplest failing case.
pub(crate) fn test_one(
    case: &Case,
    test: &mut dyn FnMut(&Case) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reason = match test(case) {
        Err(Failure::Wrong(reason)) => reason,
        other => return other,
    };
    let (mut simplest, mut tries) = (case.clone(), 0);
    'simpler: while tries < TRIES {
        for next in simplest.clone().simpler() {
            tries += 1;
            if let Err(Failure::Wrong(other)) = test(&next) {
                (simplest, reason) = (next, other);
                continue 'simpler;
            }
            if tries >= TRIES {
                break;
            }
        }
        break;
    }
    Err(Failure::Wrong(format!("{reason}\nas a past failure: {simplest}")))
}

/// A failing case becomes a simple one, which can be read again.
#[test]
fn failures_become_simple() {
    let mut sums_are_small = |case: &Case| {
        let sum: u64 = case.tape.iter().map(|number| u64::from(*number)).sum();
        if sum > 1000 { Err(Failure::Wrong(format!("{sum}"))) } else { Ok(()) }
    };
    let case = Case::of_round(7, &(20..21));
    let Err(Failure::Wrong(reason)) = test_one(&case, &mut sums_are_small) else { panic!("it fails") };
    assert_eq!(reason, "1001\nas a past failure: 0: 1001");
    assert_eq!("0: 1001".parse(), Ok(Case { tape: vec![1001], seed: 0 }));
    assert_eq!(Case::of_round(7, &(20..21)), case);
    assert_ne!(Case::of_round(8, &(20..21)), case);
}
