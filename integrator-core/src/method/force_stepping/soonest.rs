//! Which of many times is the soonest.

/// How many times stand in a block: as many as fill a line of the cache.
const BLOCK: usize = 8;

/// Times by their index, and the soonest of them: a tree of minima over blocks of eight.
///
/// Changing a time costs a look at its block, and at one block more on each higher level only as far as the least of the block
/// below changed: mostly one, at most log₈ n.  Finding the soonest costs log₈ n blocks.  Nothing moves in memory, so that
/// neighbours stay neighbours.
#[derive(Debug)]
pub(super) struct Soonest {
    /// Level by level, the times themselves first; each padded with ∞ to whole blocks, the last level is one block.
    times: Vec<f64>,
    /// Where each level begins.
    levels: Vec<usize>,
    /// How many times there are.
    count: usize,
}

impl Soonest {
    /// `count` times, all infinite.
    pub(super) fn new(count: usize) -> Self {
        let mut levels = Vec::new();
        let (mut size, mut start) = (count, 0);
        loop {
            levels.push(start);
            let blocks = size.div_ceil(BLOCK).max(1);
            start += blocks * BLOCK;
            if blocks == 1 {
                break;
            }
            size = blocks;
        }
        Self { times: vec![f64::INFINITY; start], levels, count }
    }

    /// Changes the time at an index.
    #[inline]
    pub(super) fn set(&mut self, index: usize, time: f64) {
        self.times[index] = time;
        let mut at = index;
        for level in 1..self.levels.len() {
            let block = at / BLOCK;
            let least = self.least(self.levels[level - 1] + block * BLOCK);
            let above = &mut self.times[self.levels[level] + block];
            if least == *above {
                return;
            }
            *above = least;
            at = block;
        }
    }

    /// The index of the soonest time, the lowest of those that are equal, and that time.
    #[inline]
    pub(super) fn first(&self) -> (usize, f64) {
        let mut index = 0;
        let mut soonest = f64::INFINITY;
        for start in self.levels.iter().rev() {
            let from = start + index * BLOCK;
            let block = &self.times[from..from + BLOCK];
            let mut place = 0;
            soonest = block[0];
            for (k, &time) in block.iter().enumerate().skip(1) {
                if time < soonest {
                    (place, soonest) = (k, time);
                }
            }
            index = index * BLOCK + place;
        }
        (index, soonest)
    }

    /// Moves the origin of time to `now`.
    pub(super) fn rebase(&mut self, now: f64) {
        // What is less stays less or becomes equal, so that each minimum remains that of its block.
        self.times.iter_mut().for_each(|time| *time -= now);
    }

    /// How many times there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn least(&self, from: usize) -> f64 {
        self.times[from..from + BLOCK]
            .iter()
            .fold(f64::INFINITY, |least, &time| if time < least { time } else { least })
    }
}

#[cfg(test)]
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
