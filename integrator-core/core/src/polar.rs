//! Bilinear forms from quadratic ones.

/// Memory for a direction, and for values there.
#[derive(Debug)]
pub(crate) struct Polar {
    direction: Vec<f64>,
    other: Vec<f64>,
}

impl Polar {
    /// For directions and values of these lengths.
    pub(crate) fn new(directions: usize, values: usize) -> Self {
        Self { direction: vec![0.0; directions], other: vec![0.0; values] }
    }

    /// Writes B(a, d) over `y` for a function that writes Q(a) = B(a, a): a quarter of the difference of
    /// Q at a ± d, of one size so that both keep their digits. Missing entries of a and d are zero.
    pub(crate) fn product(
        &mut self,
        a: &[f64],
        d: &[f64],
        y: &mut [f64],
        mut quadratic: impl FnMut(&[f64], &mut [f64]),
    ) {
        let (Self { direction, other }, scale) = (self, scale(a, d));
        for (side, values) in [(scale, &mut *y), (-scale, &mut *other)] {
            direction.fill(0.0);
            direction[..a.len()].copy_from_slice(a);
            direction.iter_mut().zip(d).for_each(|(entry, d)| *entry += side * d);
            quadratic(direction, values);
        }
        y.iter_mut().zip(other).for_each(|(y, other)| *y = 0.25 / scale * (*y - *other));
    }
}

/// The factor that makes `other` as large as `x`, so that sums of both keep their digits; 1 beside zero.
fn scale(x: &[f64], other: &[f64]) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    let (size, other) = (largest(x), largest(other));
    if size > 0.0 && other > 0.0 { size / other } else { 1.0 }
}
