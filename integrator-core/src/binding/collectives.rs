//! Where the emitted code of a declaration puts the sums that are evaluated before what reads them.

use super::constraint::ConstraintFamily;
use super::near::family::NearFamily;
use crate::error::BindError;
use std::collections::HashMap;

/// What reads a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Functions of (q, t): the sums stand behind q.
    Positions,
    /// Functions of (q, v, t): the sums stand behind t.
    Motion,
}

/// The sums of a stage while they are found: their rows by the rounds of the loops around them, and the families that add to them.
pub(super) struct FoundStage {
    pub(super) name: &'static str,
    /// The number of its first row among those of all stages.
    pub(super) first: u32,
    /// The number of rows.
    pub(super) rows: u32,
    index: Index,
    /// Of partial sums, the rows that begin anew.
    pub(super) starts: Vec<u32>,
    pub(super) families: Vec<ConstraintFamily>,
    /// The sums over near pairs among them.
    pub(super) near: Vec<NearFamily>,
}

/// The rows of a stage by the rounds of the loops around them.
enum Index {
    /// No loop is around.
    Single(Option<u32>),
    /// By the rounds of one loop; [`NONE`] where there is no row.
    Line(Vec<u32>),
    /// By those of several.
    Table(HashMap<Box<[usize]>, u32>),
}

const NONE: u32 = u32::MAX;

impl FoundStage {
    /// A stage without rows, under so many loops.
    pub(super) fn new(name: &'static str, first: u32, depth: usize) -> Self {
        let index = match depth {
            0 => Index::Single(None),
            1 => Index::Line(Vec::new()),
            _ => Index::Table(HashMap::new()),
        };
        let (families, near) = (Vec::new(), Vec::new());
        Self { name, first, rows: 0, index, starts: Vec::new(), families, near }
    }

    /// Takes the next row; gives its number within the stage.
    pub(super) fn next(&mut self, rounds: &[usize]) -> u32 {
        let row = self.rows;
        match (&mut self.index, rounds) {
            (Index::Single(single), _) => *single = Some(row),
            (Index::Line(line), [round, ..]) => {
                if line.len() <= *round {
                    line.resize(*round + 1, NONE);
                }
                line[*round] = row;
            }
            (Index::Line(_), []) => {}
            (Index::Table(table), _) => {
                table.insert(rounds.into(), row);
            }
        }
        self.rows += 1;
        row
    }

    /// The number within the stage of the row of these rounds.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn row(&self, rounds: &[usize]) -> Result<u32, BindError> {
        let found = match (&self.index, rounds) {
            (Index::Single(single), _) => *single,
            (Index::Line(line), [round, ..]) => line.get(*round).copied().filter(|row| *row != NONE),
            (Index::Line(_), []) => None,
            (Index::Table(table), _) => table.get(rounds).copied(),
        };
        found.ok_or_else(|| BindError::EachTooShort { index: rounds.last().copied().unwrap_or_default() })
    }

    pub(super) fn push(&mut self, family: ConstraintFamily) {
        self.families.push(family);
    }
}

/// How many items there are.
pub fn length(items: &impl Iterator) -> usize {
    items.size_hint().0
}

/// The longer one.
pub fn longest<I: Iterator>(known: Option<I>, next: I) -> Option<I> {
    match known {
        Some(known) if known.size_hint().0 >= next.size_hint().0 => Some(known),
        _ => Some(next),
    }
}

/// The number of a round; more than there can be for a negative one.
pub fn round(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}
