//! Derivatives by differences that estimate their own error.

/// How often the step is divided.
const LEVELS: usize = 7;
/// By what.
const RATIO: f64 = 2.0;

/// d/ds of `value` at s = 0, for each of its entries, with an estimate of the error.
///
/// Central differences at steps h, h/2, h/4, … are extrapolated to the step zero (Ridders' method: C. J. F. Ridders, *Accurate
/// computation of F′(x) and F′(x) F″(x)*, Adv. Eng. Software 4 (1982) 75–76); of the whole tableau each entry takes the
/// estimate whose neighbours are nearest, and adds what rounding of the values alone can do.
pub(super) fn derivative(count: usize, step: f64, value: &dyn Fn(f64) -> Vec<f64>) -> Vec<(f64, f64)> {
    let mut best = vec![(f64::NAN, f64::INFINITY); count];
    let mut before: Vec<Vec<f64>> = Vec::new();
    let mut h = step;
    for level in 0..LEVELS {
        let (ahead, behind) = (value(h), value(-h));
        let differences: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let rounding: Vec<f64> =
            ahead.iter().zip(&behind).map(|(a, b)| f64::EPSILON * a.abs().max(b.abs()) / h).collect();
        let mut row = vec![differences];
        let mut factor = RATIO * RATIO;
        for column in 1..=level {
            let next: Vec<f64> = (0..count)
                .map(|k| (factor * row[column - 1][k] - before[column - 1][k]) / (factor - 1.0))
                .collect();
            for (k, best) in best.iter_mut().enumerate() {
                let error = (next[k] - row[column - 1][k]).abs().max((next[k] - before[column - 1][k]).abs())
                    + 8.0 * rounding[k];
                if error < best.1 {
                    *best = (next[k], error);
                }
            }
            row.push(next);
            factor *= RATIO * RATIO;
        }
        before = row;
        h /= RATIO;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::derivative;

    #[test]
    fn derivatives_are_within_their_errors() {
        let x = 0.7_f64;
        let found = derivative(3, 0.25, &|s| vec![(x + s).sin(), (x + s).powi(-12), 1e6 + (x + s)]);
        let steep = -12.0 * x.powi(-13);
        // The last is lost in the rounding of a million, divided by the first halved step.
        let exact = [(x.cos(), 1e-8), (steep, 1e-8 * steep.abs()), (1.0, 16.0 * f64::EPSILON * 1e6 / 0.125)];
        for ((estimate, error), (exact, at_most)) in found.into_iter().zip(exact) {
            assert!((estimate - exact).abs() <= error, "{estimate} {exact} {error}");
            assert!(error <= at_most, "{error} {at_most}");
        }
    }
}
