//! Differences of the kernels along lines, and the rounding in what they are taken of.

use super::finite::derivative;
use super::place::Place;
use std::rc::Rc;

/// The points of a line at which the rounding of a function is measured.
const POINTS: usize = 7;
/// Their distance, as a part of the first step of differences: what is smooth has no third differences over it.
const APART: f64 = 1.0 / 1_048_576.0;

/// A function along a line through the point of the comparison, and the entries of its derivative there that are compared.
pub struct Line<'v> {
    /// The rounding in each entry of the function.
    pub noise: Rc<[f64]>,
    /// The first step of differences.
    pub step: f64,
    /// The function, of the distance from the point.
    pub value: Box<dyn Fn(f64) -> Vec<f64> + 'v>,
    /// The entries that are compared.
    pub picked: Vec<Picked>,
}

/// An entry of the kernels beside the derivative of an entry of a function.
#[derive(Debug)]
pub struct Picked {
    /// The number of the entry of the function.
    pub of: usize,
    /// Its place.
    pub place: Place,
    /// Its value by the kernels.
    pub kernel: f64,
    /// The largest change of the kernel's value when the last digits of the point change.
    pub change: f64,
}

impl Line<'_> {
    /// The derivative of each entry with an estimate of its error, from a part of the first step.
    pub(super) fn estimate(&self, part: f64) -> Vec<(f64, f64)> {
        derivative(&self.noise, part * self.step, &self.value)
    }
}

/// The rounding in each entry of `value` along a line, whose argument is the distance in units of the first step.
///
/// Over points that are close together what is smooth has no third differences, and rounding has those of random numbers:
/// √20 times its own size. (J. J. Moré and S. M. Wild, *Estimating computational noise*, SIAM J. Sci. Comput. 33 (2011)
/// 1292–1314.) Last digits of the point alone would not show the rounding of 1 + x where x is small.
pub fn noise(value: &dyn Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let points: Vec<Vec<f64>> = (0..POINTS).map(|k| value(APART * k as f64)).collect();
    let third = |k: usize, entry: usize| {
        let at = |i: usize| points[k + i][entry];
        at(3) - 3.0 * at(2) + 3.0 * at(1) - at(0)
    };
    (0..points[0].len())
        .map(|entry| {
            let squares: f64 = (0..POINTS - 3).map(|k| third(k, entry).powi(2)).sum();
            // Where a point is outside of the domain, nothing is known of rounding.
            let size = (squares / ((POINTS - 3) as f64 * 20.0)).sqrt();
            if size.is_finite() { size } else { 0.0 }
        })
        .collect()
}
