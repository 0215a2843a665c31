//! A quantity along a run, in a few numbers.

/// A quantity along a run: its ends, mean, extremes and drift, in memory that does not grow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Digest {
    count: u64,
    first: f64,
    last: f64,
    least: f64,
    largest: f64,
    /// The means of time and value, and the sums of (t − t̄)² and (t − t̄)(y − ȳ).
    mean_time: f64,
    mean: f64,
    squares: f64,
    products: f64,
}

/// The names of the numbers behind the name of the quantity, which stands for the last value.
pub(super) const NAMES: [&str; 5] = ["first", "mean", "min", "max", "drift"];

impl Digest {
    /// Takes in the value at a moment; unknown values are left out.
    pub fn take(&mut self, time: f64, value: f64) {
        if value.is_nan() {
            return;
        }
        if self.count == 0 {
            (self.first, self.least, self.largest) = (value, value, value);
        }
        self.last = value;
        self.least = self.least.min(value);
        self.largest = self.largest.max(value);
        self.count += 1;
        // B. P. Welford, Note on a method for calculating corrected sums of squares and products,
        // Technometrics 4 (1962), 419-420.
        let part = 1.0 / self.count as f64;
        let (off_time, off) = (time - self.mean_time, value - self.mean);
        self.mean_time += off_time * part;
        self.mean += off * part;
        self.squares += off_time * (time - self.mean_time);
        self.products += off_time * (value - self.mean);
    }

    /// The last value, and the numbers of [`NAMES`]; the drift is the slope of the straight line nearest
    /// to all values.
    pub fn numbers(&self) -> [Option<f64>; 6] {
        if self.count == 0 {
            return [None; 6];
        }
        let drift = (self.squares > 0.0).then_some(self.products / self.squares);
        [Some(self.last), Some(self.first), Some(self.mean), Some(self.least), Some(self.largest), drift]
    }
}
