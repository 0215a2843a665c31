//! The rounding in the values of a function.

/// The points at which a function is evaluated.
const POINTS: usize = 7;
/// Their distance in units of the argument: smooth functions have no third differences over it.
const APART: f64 = 1.0 / 1_048_576.0;

/// The rounding in each entry of `value`, a smooth function of one argument of order one.
///
/// Rounding has the third differences of random numbers, √20 times its own size.
/// Changes of the last digits of the argument alone miss the rounding of 1 + x where x is small.
///
/// # Reference
/// J. J. Moré, S. M. Wild, Estimating computational noise,
/// SIAM J. Sci. Comput. 33 (2011) 1292, doi:10.1137/100786125.
pub fn noise(value: &dyn Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let points: Vec<Vec<f64>> = (0..POINTS).map(|k| value(APART * k as f64)).collect();
    let third = |k: usize, entry: usize| {
        let at = |i: usize| points[k + i][entry];
        at(3) - 3.0 * at(2) + 3.0 * at(1) - at(0)
    };
    (0..points[0].len())
        .map(|entry| {
            let squares: f64 = (0..POINTS - 3).map(|k| third(k, entry).powi(2)).sum();
            // A point outside of the domain tells nothing of rounding.
            let size = (squares / ((POINTS - 3) as f64 * 20.0)).sqrt();
            if size.is_finite() { size } else { 0.0 }
        })
        .collect()
}
