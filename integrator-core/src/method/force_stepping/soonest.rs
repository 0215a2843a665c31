//! Which of many times is the soonest.

/// How many times stand in a block: as many as fill a line of the cache.
const BLOCK: usize = 8;

/// Times by their index, and the soonest of them: a tree of minima over blocks of eight.
///
/// A time that changes and is not the least of its block, before or after, costs one comparison; the others cost a look at their
/// block, and the same on the next level.  Finding the soonest costs log₈ n blocks.  Nothing moves in memory, so that neighbours
/// stay neighbours.
#[derive(Debug)]
pub(super) struct Soonest {
    /// Level by level, the times themselves first; each padded with ∞ to whole blocks.  The last level has one entry that
    /// counts.
    times: Vec<f64>,
    /// Where each level begins.
    levels: Vec<usize>,
    /// How many times there are.
    count: usize,
}

impl Soonest {
    /// `count` times, all infinite.
    pub(super) fn new(count: usize) -> Self {
        let (mut levels, mut size, mut start) = (vec![0], count.max(2), 0);
        while size > 1 {
            start += size.next_multiple_of(BLOCK);
            size = size.div_ceil(BLOCK);
            levels.push(start);
        }
        Self { times: vec![f64::INFINITY; start + BLOCK], levels, count }
    }

    /// Changes the time at an index; what is not a number is never.
    #[inline]
    pub(super) fn set(&mut self, index: usize, time: f64) {
        let mut new = time.min(f64::INFINITY);
        let mut old = std::mem::replace(&mut self.times[index], new);
        let mut at = index;
        for level in 1..self.levels.len() {
            let block = at / BLOCK;
            let above = self.levels[level] + block;
            let least = self.times[above];
            if new > least {
                if old > least {
                    return;
                }
                // It was the least, and may be so no more.
                new = least_of(self.block(level - 1, block)).1;
            }
            if new.to_bits() == least.to_bits() {
                return;
            }
            self.times[above] = new;
            (at, old) = (block, least);
        }
    }

    /// The index of the soonest time, the lowest of those that are equal, and that time.
    #[inline]
    pub(super) fn first(&self) -> (usize, f64) {
        let top = self.levels.len() - 1;
        let soonest = self.times[self.levels[top]];
        let mut index = 0;
        for level in (1..top).rev() {
            index = index * BLOCK + place(self.block(level, index), soonest);
        }
        // The times themselves were written a moment ago, and wide loads would wait for that.
        (index * BLOCK + least_of(self.block(0, index)).0, soonest)
    }

    /// Moves the origin of time to `now`.
    pub(super) fn rebase(&mut self, now: f64) {
        // What is less stays less or becomes equal, and what is equal stays equal, so that each minimum remains that of its
        // block.
        self.times.iter_mut().for_each(|time| *time -= now);
    }

    /// How many times there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn block(&self, level: usize, block: usize) -> &[f64] {
        &self.times[self.levels[level] + block * BLOCK..][..BLOCK]
    }
}

/// Where the least of a block is, and its value.
#[inline(always)]
fn least_of(block: &[f64]) -> (usize, f64) {
    let mut least = (0, block[0]);
    for (k, &time) in block.iter().enumerate().skip(1) {
        if time < least.1 {
            least = (k, time);
        }
    }
    least
}

/// The first place of a block where a time stands.
#[expect(clippy::float_cmp, reason = "what is looked for is a copy of one of them")]
#[inline(always)]
fn place(block: &[f64], time: f64) -> usize {
    let found = (0..BLOCK).fold(0_u32, |found, k| found | u32::from(block[k] == time) << k);
    found.trailing_zeros() as usize % BLOCK
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "what is found is a copy of one of them")]
mod tests {
    use super::Soonest;

    #[test]
    fn the_soonest_is_found_whatever_was_changed_before() {
        for count in [1, 7, 8, 9, 63, 65, 600, 4097] {
            let mut soonest = Soonest::new(count);
            let mut times = vec![f64::INFINITY; count];
            assert_eq!(soonest.first().1, f64::INFINITY);
            let mut number = 1_u64;
            for round in 0..20_000 {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let index = (number >> 33) as usize % count;
                // Mostly later times at the soonest place, as in a run; now and then an earlier one, or none.
                let (place, time) = match round % 7 {
                    0 => (index, f64::INFINITY),
                    1 | 2 => (index, (number >> 40) as f64),
                    _ => (soonest.first().0, (number >> 36) as f64),
                };
                times[place] = time;
                soonest.set(place, time);
                let (first, least) = soonest.first();
                assert_eq!(least, times.iter().copied().fold(f64::INFINITY, f64::min));
                assert_eq!(times[first], least);
            }
            soonest.rebase(3.0);
            let least = times.iter().map(|time| time - 3.0).fold(f64::INFINITY, f64::min);
            assert_eq!(soonest.first().1, least);
            assert_eq!(soonest.len(), count);
        }
    }
}
