//! The sums that emitted code finds; they are evaluated before the functions that read them.

use super::family::Family;
use super::terms::Elements;
use crate::error::BindError;
use crate::system::Text;
use crate::system::turns::Turn;

/// The readers of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Functions of (q, t): the sums stand after q.
    Positions,
    /// Functions of (q, v, t): the sums stand after t.
    Motion,
}

/// A stage while it is collected: its rows by the rounds of the loops around them, and the families that
/// add to them.
pub(super) struct FoundStage {
    pub(super) name: Text,
    /// The number of its first row among the rows of all stages.
    pub(super) first: u32,
    /// The number of sums of a row; sum k of all rows is contiguous.
    pub(super) width: u32,
    pub(super) rows: u32,
    index: RowTree,
    /// The first row of each run of partial sums.
    pub(super) starts: Vec<u32>,
    pub(super) elements: Elements,
    /// If its rows are angles that runs follow; the place is first the number of the stage among these.
    pub(super) turn: Option<Turn>,
}

/// The row of a stage by the rounds of the loops around it: a tree of lists,
/// one level for each loop; the last level has rows. Without a loop there is one round.
struct RowTree {
    lists: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl RowTree {
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
            // `None` if there are fewer lists.
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
    pub(super) fn new(name: Text, first: u32, width: u32) -> Self {
        let (index, starts, elements) = (RowTree::new(), Vec::new(), Elements::default());
        Self { name, first, width, rows: 0, index, starts, elements, turn: None }
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
    /// None.
    pub(super) fn row(&self, rounds: &[usize]) -> Result<u32, BindError> {
        let found = self.index.find(rounds);
        found.ok_or_else(|| BindError::EachTooShort { index: rounds.last().copied().unwrap_or_default() })
    }

    /// Takes a family of elements; all rows exist.
    pub(super) fn push(&mut self, mut family: Family) {
        family.apart = self.rows as usize;
        family.finish();
        self.elements.families.push(family);
    }
}

/// The number of items.
pub fn length(items: &impl Iterator) -> usize {
    items.size_hint().0
}

/// The longer iterator.
pub fn longest<I: Iterator>(known: Option<I>, next: I) -> Option<I> {
    match known {
        Some(known) if known.size_hint().0 >= next.size_hint().0 => Some(known),
        _ => Some(next),
    }
}

/// The number of a round; a negative one becomes too large.
pub fn round(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}
