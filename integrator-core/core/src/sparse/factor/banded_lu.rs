//! Bands of any matrices: L U with partial pivoting, in rows of one width.
//!
//! Chains under constraints use it in variational methods;
//! with the sparse L U a step takes twice the time.
//!
//! Row i holds the columns i − b, …, i + b.
//! Before unknown k is eliminated, the b + 1 rows from k on begin with column k: pivoting exchanges two
//! of them, the first is then the row of U, and the
//! others, from which it is subtracted, move by one place.
//! Rows of U reach 2 b beyond their diagonal.
//! For narrow bands the rows have a length known to the compiler, which unrolls them.
//! The last b rows are padding, so that the window never meets the end.

use super::kernel::{Elimination, Entries, Factor, FactorError, Factored};
use super::probe::Probe;
use crate::sparse::pattern::SymmetricPattern;

/// A band and its factors.
#[derive(Debug)]
pub(super) struct BandedLu {
    bandwidth: usize,
    /// Where each entry of the lower triangle stands, and its mirror image.
    places: Vec<[u32; 2]>,
    /// (dimension + b) rows of 2 b + 1 values: the reciprocals
    /// of the diagonal of U, and its rows over that.
    upper: Vec<f64>,
    /// L, b values for each unknown.
    lower: Vec<f64>,
    /// The row that was exchanged with each row, when it was eliminated.
    exchanged: Vec<u32>,
    /// A right-hand side, and 2 b zeros.
    x: Vec<f64>,
    probe: Probe,
}

/// The products of a row that are added up side by side, and unknowns that are kept in registers.
const LANES: usize = 8;

/// Calls a function for b and 2 b known to the compiler, for the bandwidths of chains; or a general one.
macro_rules! of_bandwidth {
    ($bandwidth:expr, $function:ident, $general:ident($($argument:expr),*)) => {
        match $bandwidth {
            1 => $function::<1, 2>($($argument),*),
            2 => $function::<2, 4>($($argument),*),
            3 => $function::<3, 6>($($argument),*),
            4 => $function::<4, 8>($($argument),*),
            5 => $function::<5, 10>($($argument),*),
            6 => $function::<6, 12>($($argument),*),
            7 => $function::<7, 14>($($argument),*),
            8 => $function::<8, 16>($($argument),*),
            bandwidth => $general(bandwidth, $($argument),*),
        }
    };
}

impl BandedLu {
    /// For a pattern of this bandwidth, which is one at least.
    pub(super) fn new(pattern: &SymmetricPattern, bandwidth: usize) -> Self {
        let dimension = pattern.dimension();
        let width = 2 * bandwidth + 1;
        // The first rows begin with column 0.
        let place = |row: usize, column: usize| (row * width + column - row.saturating_sub(bandwidth)) as u32;
        Self {
            bandwidth,
            places: pattern.entries().map(|(i, j)| [place(i, j), place(j, i)]).collect(),
            upper: vec![0.0; (dimension + bandwidth) * width],
            lower: vec![0.0; dimension * bandwidth],
            exchanged: vec![0; dimension],
            x: vec![0.0; dimension + 2 * bandwidth],
            probe: Probe::new(dimension),
        }
    }
}

impl Factor for BandedLu {
    fn factor(&mut self, entries: &Entries<'_>) -> Factored {
        self.upper.fill(0.0);
        let mut norm = 0.0_f64;
        let values = entries.lower.iter().zip(entries.upper.unwrap_or(entries.lower));
        for (&[place, mirror], (&lower, &upper)) in self.places.iter().zip(values) {
            self.upper[mirror as usize] = upper;
            self.upper[place as usize] = lower;
            norm = norm.max(lower.abs()).max(upper.abs());
        }
        let Self { bandwidth, upper, lower, exchanged, .. } = self;
        if let Some((index, pivot)) =
            of_bandwidth!(*bandwidth, eliminate_narrow, eliminate(upper, lower, exchanged))
        {
            return Err(FactorError { pivot, index });
        }
        let mut probe = std::mem::take(&mut self.probe);
        let found = probe.amplify(|x| self.solve(x));
        self.probe = probe;
        match found {
            Some((_, largest)) if 1.0 / largest > entries.smallest_pivot * norm => Ok(()),
            Some((index, largest)) => Err(FactorError { pivot: 1.0 / largest, index }),
            None => Err(FactorError { pivot: f64::NAN, index: 0 }),
        }
    }

    fn solve(&mut self, x: &mut [f64]) {
        let Self { bandwidth, upper, lower, exchanged, x: padded, .. } = self;
        padded[..x.len()].copy_from_slice(x);
        padded[x.len()..].fill(0.0);
        of_bandwidth!(*bandwidth, substitute_narrow, substitute(upper, lower, exchanged, padded));
        x.copy_from_slice(&padded[..x.len()]);
    }

    fn elimination(&self) -> Elimination {
        Elimination::Banded { bandwidth: self.bandwidth, renumbered: false }
    }
}

/// The unknown without a pivot that can be divided by, and its pivot.
#[inline(always)]
fn eliminate(
    bandwidth: usize,
    upper: &mut [f64],
    lower: &mut [f64],
    exchanged: &mut [u32],
) -> Option<(usize, f64)> {
    let width = 2 * bandwidth + 1;
    for (k, (factors, exchanged)) in lower.chunks_exact_mut(bandwidth).zip(exchanged).enumerate() {
        let (row, others) = upper[k * width..(k + bandwidth + 1) * width].split_at_mut(width);
        // NaN is no pivot: the test below finds it in a column without another.
        let (mut pivot, mut largest) = (0, row[0].abs());
        for (number, other) in (1..=bandwidth).zip(others.chunks_exact(width)) {
            if other[0].abs() > largest {
                (pivot, largest) = (number, other[0].abs());
            }
        }
        *exchanged = (k + pivot) as u32;
        if pivot > 0 {
            row.swap_with_slice(&mut others[(pivot - 1) * width..pivot * width]);
        }
        if row[0] == 0.0 || !row[0].is_finite() {
            return Some((k, row[0]));
        }
        row[0] = 1.0 / row[0];
        for (factor, other) in factors.iter_mut().zip(others.chunks_exact_mut(width)) {
            *factor = other[0] * row[0];
            for place in 1..width {
                other[place - 1] = other[place] - *factor * row[place];
            }
            other[width - 1] = 0.0;
        }
        // So that one product less stands between an unknown and the next.
        for place in 1..width {
            row[place] *= row[0];
        }
    }
    None
}

fn eliminate_narrow<const B: usize, const W: usize>(
    upper: &mut [f64],
    lower: &mut [f64],
    exchanged: &mut [u32],
) -> Option<(usize, f64)> {
    eliminate(B, upper, lower, exchanged)
}

/// As [`substitute`] for narrow bands: the last unknowns stay in registers.
///
/// A processor waits for memory that it wrote in pieces other than it reads.
fn substitute_narrow<const B: usize, const W: usize>(
    upper: &[f64],
    lower: &[f64],
    exchanged: &[u32],
    x: &mut [f64],
) {
    let mut near: [f64; B] = std::array::from_fn(|place| x[place]);
    for (k, (factors, exchanged)) in lower.as_chunks::<B>().0.iter().zip(exchanged).enumerate() {
        let (pivot, mut last) = (*exchanged as usize - k, x[k + B]);
        let mut known = near[0];
        for (place, other) in (1..B).zip(&mut near[1..]) {
            if place == pivot {
                std::mem::swap(&mut known, other);
            }
        }
        if pivot == B {
            std::mem::swap(&mut known, &mut last);
        }
        x[k] = known;
        for place in 1..B {
            near[place - 1] = near[place] - factors[place - 1] * known;
        }
        near[B - 1] = last - factors[B - 1] * known;
    }
    let mut near = [0.0; W];
    for (k, row) in upper.chunks_exact(W + 1).take(exchanged.len()).enumerate().rev() {
        let mut value = x[k] * row[0];
        // The nearest neighbour, which is known last, comes
        // last: the chain of dependent operations stays short.
        for place in (0..W).rev() {
            value -= row[place + 1] * near[place];
        }
        x[k] = value;
        for place in (1..W).rev() {
            near[place] = near[place - 1];
        }
        near[0] = value;
    }
}

/// x ← U⁻¹ L⁻¹ x, where x is followed by zeros, for bands that are too wide for registers.
fn substitute(bandwidth: usize, upper: &[f64], lower: &[f64], exchanged: &[u32], x: &mut [f64]) {
    let width = 2 * bandwidth + 1;
    for (k, (factors, exchanged)) in lower.chunks_exact(bandwidth).zip(exchanged).enumerate() {
        x.swap(k, *exchanged as usize);
        let (known, window) = x[k..=k + bandwidth].split_at_mut(1);
        for (x, factor) in window.iter_mut().zip(factors) {
            *x -= factor * known[0];
        }
    }
    // The nearest unknowns are known last: they stay in registers, and come last, so that the chain of
    // dependent operations stays short.
    // The others are added up in lanes.
    let mut near = [0.0; LANES];
    for (k, row) in upper.chunks_exact(width).take(exchanged.len()).enumerate().rev() {
        let (nearest, far) = row[1..].split_at(LANES);
        let mut sums = [0.0; LANES];
        let (far, last) = far.as_chunks::<LANES>();
        let (known, last_known) = x[k + 1 + LANES..k + width].as_chunks::<LANES>();
        for (far, known) in far.iter().zip(known) {
            for lane in 0..LANES {
                sums[lane] += far[lane] * known[lane];
            }
        }
        let others: f64 = last.iter().zip(last_known).map(|(far, known)| far * known).sum();
        let mut value = x[k] * row[0] - sums.iter().sum::<f64>() - others;
        for place in (0..LANES).rev() {
            value -= nearest[place] * near[place];
        }
        x[k] = value;
        for place in (1..LANES).rev() {
            near[place] = near[place - 1];
        }
        near[0] = value;
    }
}
