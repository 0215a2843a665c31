use crate::carried::carried;
use std::ops::Range;

/// Bins of a power of two: as many as the two highest bits of the mantissa tell apart.
const SHIFT: u32 = 50;
/// The bins of all positive numbers.
const BINS: usize = 1 << (63 - SHIFT);

/// The times between crossings, in bins whose width is a quarter of a power of two.
///
/// Crossings at one instant are one.
#[derive(Debug, Clone, PartialEq)]
pub struct StepLengths {
    count: u64,
    sum: f64,
    shortest: f64,
    longest: f64,
    bins: Vec<u64>,
}

impl Default for StepLengths {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, shortest: f64::INFINITY, longest: 0.0, bins: vec![0; BINS] }
    }
}

impl StepLengths {
    /// Takes in the time between two crossings; times that are zero or not a number are left out.
    #[inline]
    pub fn see(&mut self, length: f64) {
        if length > 0.0 {
            self.count += 1;
            self.sum += length;
            if length < self.shortest {
                self.shortest = length;
            }
            if length > self.longest {
                self.longest = length;
            }
            self.bins[(length.to_bits() >> SHIFT) as usize % BINS] += 1;
        }
    }

    /// The number of all times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of all times; not a number where there were none.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The shortest; infinite where there were none.
    pub fn shortest(&self) -> f64 {
        self.shortest
    }

    /// The longest; zero where there were none.
    pub fn longest(&self) -> f64 {
        self.longest
    }

    /// The bins from the shortest to the longest, without gaps, each with the number of times in it.
    pub fn histogram(&self) -> impl Iterator<Item = (Range<f64>, u64)> + '_ {
        let bin = |length: f64| (length.to_bits() >> SHIFT) as usize;
        let used = if self.count == 0 { 0..0 } else { bin(self.shortest)..bin(self.longest) + 1 };
        let bound = |bin: usize| f64::from_bits((bin as u64) << SHIFT);
        used.map(move |bin| (bound(bin)..bound(bin + 1), self.bins[bin]))
    }
}

carried!([] StepLengths { count, sum, shortest, longest, bins } besides {});
