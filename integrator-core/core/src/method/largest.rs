//! The largest of many numbers, or NaN or infinity among them.

/// So many numbers are looked at side by side, so that the loop is vectorized.
pub(super) const LANES: usize = 4;

/// The largest magnitude of numbers; not finite when any of them is not.
#[derive(Default)]
pub(super) struct Largest {
    largest: [f64; LANES],
    sum: [f64; LANES],
}

impl Largest {
    #[inline(always)]
    pub(super) fn take(&mut self, lane: usize, number: f64) {
        // A comparison skips NaN, and a sum does not.
        let size = number.abs();
        self.largest[lane] = if size > self.largest[lane] { size } else { self.largest[lane] };
        self.sum[lane] += size;
    }

    #[inline(always)]
    pub(super) fn found(self) -> f64 {
        let sum = self.sum.iter().sum::<f64>();
        if sum.is_finite() { self.largest.into_iter().fold(0.0, f64::max) } else { sum }
    }
}

/// The largest magnitude of the terms of a_j and b_j; not finite when any of them is not.
pub(super) fn largest_of(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut largest = Largest::default();
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            largest.take(lane, term(a[lane], b[lane]));
        }
    }
    for (lane, (a, b)) in last_a.iter().zip(last_b).enumerate() {
        largest.take(lane, term(*a, *b));
    }
    largest.found()
}
