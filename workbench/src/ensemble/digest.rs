//! A quantity along a run, in a few numbers.

/// A quantity along a run: its ends, mean, extremes and drift, in memory that does not grow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Digest {
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

/// The names of the numbers behind that of the quantity, which stands for the last value.
pub(super) const NAMES: [&str; 5] = ["first", "mean", "min", "max", "drift"];

impl Digest {
    /// Takes in the value at a moment; what is not known there is left out.
    pub(super) fn take(&mut self, time: f64, value: f64) {
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
        // B. P. Welford, Note on a method for calculating corrected sums of squares and products, Technometrics 4 (1962), 419-420.
        let part = 1.0 / self.count as f64;
        let (off_time, off) = (time - self.mean_time, value - self.mean);
        self.mean_time += off_time * part;
        self.mean += off * part;
        self.squares += off_time * (time - self.mean_time);
        self.products += off_time * (value - self.mean);
    }

    /// The last value, and the numbers of [`NAMES`]; the drift is the slope of the straight line that is nearest to all values.
    pub(super) fn numbers(&self) -> [Option<f64>; 6] {
        if self.count == 0 {
            return [None; 6];
        }
        let drift = (self.squares > 0.0).then_some(self.products / self.squares);
        [Some(self.last), Some(self.first), Some(self.mean), Some(self.least), Some(self.largest), drift]
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn a_straight_line_has_its_slope_for_a_drift() {
        let mut digest = Digest::default();
        for k in 0..1000 {
            let t = 1e6 + 0.1 * f64::from(k);
            digest.take(t, 3.0 - 2.0 * (t - 1e6));
            digest.take(t, f64::NAN);
        }
        let [last, first, mean, least, largest, drift] = digest.numbers().map(Option::unwrap);
        assert_eq!((first, largest, least), (3.0, 3.0, last));
        assert!((mean - 0.5 * (first + last)).abs() < 1e-8, "{mean}");
        assert!((drift + 2.0).abs() < 1e-9, "{drift}");
    }

    #[test]
    fn nothing_is_known_of_no_values_and_no_drift_of_one() {
        assert_eq!(Digest::default().numbers(), [None; 6]);
        let mut digest = Digest::default();
        digest.take(1.0, 2.0);
        assert_eq!(digest.numbers(), [Some(2.0), Some(2.0), Some(2.0), Some(2.0), Some(2.0), None]);
    }
}
