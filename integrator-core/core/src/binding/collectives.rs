//! Where the emitted code of a declaration puts the sums that are evaluated before what reads them.

use super::family::Family;
use super::terms::Elements;
use crate::error::BindError;

/// What reads a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Functions of (q, t): the sums stand behind q.
    Positions,
    /// Functions of (q, v, t): the sums stand behind t.
    Motion,
}

/// The sums of a stage while they are found: their rows by the rounds of the loops around them, and the
/// families that add to them.
pub(super) struct FoundStage {
    pub(super) name: &'static str,
    /// The number of its first row among those of all stages.
    pub(super) first: u32,
    /// How many sums each row has: those of one place in all rows stand one behind the other.
    pub(super) width: u32,
    /// The number of rows.
    pub(super) rows: u32,
    index: Index,
    /// Of partial sums, the rows that begin anew.
    pub(super) starts: Vec<u32>,
    pub(super) elements: Elements,
}

/// The rows of a stage by the rounds of the loops around them: a list by the rounds of the outermost
/// loop has the numbers of lists by those of the next one, and so on; the last lists have rows. Where no
/// loop is around, there is one round.
struct Index {
    lists: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl Index {
    fn new() -> Self {
        Self { lists: vec![Vec::new()] }
    }

    fn insert(&mut self, rounds: &[usize], row: u32) {
        let (last, outer) = rounds.split_last().unwrap_or((&0, &[]));
        let mut list = 0;
        for round in outer {
            let next = self.lists.len();
            let inner = entry(&mut self.lists[list], *round);
            if *inner == NONE {
                *inner = next as u32;
                list = next;
                self.lists.push(Vec::new());
            } else {
                list = *inner as usize;
            }
        }
        *entry(&mut self.lists[list], *last) = row;
    }

    fn find(&self, rounds: &[usize]) -> Option<u32> {
        let (last, outer) = rounds.split_last().unwrap_or((&0, &[]));
        let mut list = self.lists.first()?;
        for round in outer {
            // There are fewer lists than that.
            list = self.lists.get(*list.get(*round)? as usize)?;
        }
        list.get(*last).copied().filter(|row| *row != NONE)
    }
}

fn entry(list: &mut Vec<u32>, round: usize) -> &mut u32 {
    if list.len() <= round {
        list.resize(round + 1, NONE);
    }
    &mut list[round]
}

impl FoundStage {
    /// A stage without rows.
    pub(super) fn new(name: &'static str, first: u32, width: u32) -> Self {
        let (index, starts, elements) = (Index::new(), Vec::new(), Elements::default());
        Self { name, first, width, rows: 0, index, starts, elements }
    }

    /// The number of all its sums.
    pub(super) fn sums(&self) -> u32 {
        self.width * self.rows
    }

    /// Takes the next row; gives its number within the stage.
    pub(super) fn next(&mut self, rounds: &[usize]) -> u32 {
        let row = self.rows;
        self.index.insert(rounds, row);
        self.rows += 1;
        row
    }

    /// The number within the stage of the row of these rounds.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn row(&self, rounds: &[usize]) -> Result<u32, BindError> {
        let found = self.index.find(rounds);
        found.ok_or_else(|| BindError::EachTooShort { index: rounds.last().copied().unwrap_or_default() })
    }

    /// Takes the elements of its rows, which are all there.
    pub(super) fn push(&mut self, mut family: Family) {
        family.apart = self.rows as usize;
        family.finish();
        self.elements.families.push(family);
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
