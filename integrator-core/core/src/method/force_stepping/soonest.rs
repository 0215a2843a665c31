//! The soonest of many times.

use crate::carried::{Carried, CarryError, Memory, carried};
use std::hint::select_unpredictable;

/// The number of times in a block: a cache line.
const BLOCK: usize = 8;

/// Times by their index, and the soonest of them: a tree of tournaments among eight. Each level knows
/// its winners, so that the soonest of all is at hand.
///
/// A changed time that is not the least of its block, before or after, costs one comparison. A change of
/// the soonest of all costs a tournament on each of log₈ n levels, without unpredictable branches.
/// Nothing moves in memory, so that neighbours stay neighbours.
#[derive(Debug)]
pub struct Soonest {
    /// Level by level, the times themselves first; each padded with ∞ to whole blocks. The last level
    /// has one valid entry.
    blocks: Vec<TimeBlock>,
    /// The indices of the times in the upper levels.
    winners: Vec<[u32; BLOCK]>,
    /// The first block of each level.
    levels: Vec<usize>,
    count: usize,
}

/// Times that are compared with each other.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct TimeBlock([f64; BLOCK]);

impl Soonest {
    /// `count` times, all infinite.
    pub fn new(count: usize) -> Self {
        let (mut levels, mut size, mut end) = (vec![0], count.max(2), 0);
        while size > 1 {
            size = size.div_ceil(BLOCK);
            end += size;
            levels.push(end);
        }
        let blocks = vec![TimeBlock([f64::INFINITY; BLOCK]); end + 1];
        let winners = vec![[0; BLOCK]; end + 1 - levels[1]];
        let mut all = Self { blocks, winners, levels, count };
        for level in 1..all.levels.len() {
            (all.levels[level - 1]..all.levels[level]).for_each(|block| {
                all.play(level, block - all.levels[level - 1]);
            });
        }
        all
    }

    /// Changes the time at an index; NaN means never.  No time is negative or −0.
    #[inline]
    pub fn set(&mut self, index: usize, time: f64) {
        let time = time.min(f64::INFINITY);
        debug_assert!(time.is_sign_positive(), "times are compared by their bits, and {time} is negative");
        let mut block = index / BLOCK;
        self.blocks[block].0[index % BLOCK] = time;
        for level in 1..self.levels.len() {
            let (above, place) = (self.levels[level] + block / BLOCK, block % BLOCK);
            let winner = &mut self.winners[above - self.levels[1]][place];
            let least = &mut self.blocks[above].0[place];
            if *winner as usize == index {
                self.play(level, block);
            } else if (time.to_bits(), index) < (least.to_bits(), *winner as usize) {
                (*least, *winner) = (time, index as u32);
            } else {
                return;
            }
            block /= BLOCK;
        }
    }

    /// The soonest time with its index, of equal times the lowest.
    #[inline]
    pub fn first(&self) -> (usize, f64) {
        match (self.winners.last(), self.blocks.last()) {
            (Some(winners), Some(block)) => (winners[0] as usize, block.0[0]),
            _ => (0, f64::INFINITY),
        }
    }

    pub(super) fn at(&self, index: usize) -> f64 {
        self.blocks[index / BLOCK].0[index % BLOCK]
    }

    /// Finds the winner of a block of the level below, and enters it in a level.
    #[inline(always)]
    fn play(&mut self, level: usize, block: usize) {
        let below = self.levels[level - 1] + block;
        let (place, time) = least_of(&self.blocks[below].0);
        let winner = match level {
            1 => (block * BLOCK + place) as u32,
            _ => self.winners[below - self.levels[1]][place],
        };
        let above = self.levels[level] + block / BLOCK;
        self.blocks[above].0[block % BLOCK] = time;
        self.winners[above - self.levels[1]][block % BLOCK] = winner;
    }

    /// Moves the origin of time to `now`, which is not after the soonest.
    pub fn rebase(&mut self, now: f64) {
        // The shift keeps the order, up to new ties, so that each winner remains one.
        for time in self.blocks.iter_mut().flat_map(|block| &mut block.0) {
            *time = (*time - now).max(0.0);
        }
    }

    /// The number of times.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// The place of the least number of a block, the first of equal ones, and its value.
///
/// Numbers that are not negative are ordered as their bits; single integer comparisons can read entries
/// that were just written.
#[inline(always)]
fn least_of(block: &[f64; BLOCK]) -> (usize, f64) {
    let entry = |k: usize| (block[k].to_bits(), k);
    let sooner = |one: (u64, usize), other: (u64, usize)| {
        let second = other.0 < one.0;
        (select_unpredictable(second, other.0, one.0), select_unpredictable(second, other.1, one.1))
    };
    let four = |k: usize| sooner(sooner(entry(k), entry(k + 1)), sooner(entry(k + 2), entry(k + 3)));
    let (time, place) = sooner(four(0), four(4));
    (place, f64::from_bits(time))
}

impl Carried for TimeBlock {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.0.carry(memory)
    }
}

carried!([] Soonest { blocks, winners } besides { levels, count });
