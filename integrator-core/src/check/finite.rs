//! Derivatives by differences that estimate their own error.

/// How often the step is divided: a model can be steep on a scale far below the size of its coordinates.
const LEVELS: usize = 16;
/// By what.
const RATIO: f64 = 2.0;
/// Parts of the step so small that what bends over them is rounding.
const TINY: [f64; 5] = [1e-8, 1.7e-8, 2.9e-8, 4.3e-8, 7.1e-8];
/// Rounding can vanish by chance: an entry has at least this part of what is found in any other.
const COMMON: f64 = 0.25;

/// d/ds of `value` at s = 0, for each of its entries, with an estimate of the error.
///
/// Central differences at steps h, h/2, h/4, … are extrapolated to the step zero (Ridders' method: C. J. F. Ridders, *Accurate
/// computation of F′(x) and F′(x) F″(x)*, Adv. Eng. Software 4 (1982) 75–76); of the whole tableau each entry takes the
/// estimate whose neighbours are nearest, and adds what rounding can do: that of the values, and that inside of them, which
/// second differences over tiny steps show.
pub(super) fn derivative(count: usize, step: f64, mut value: impl FnMut(f64) -> Vec<f64>) -> Vec<(f64, f64)> {
    let mut best = vec![(f64::NAN, f64::INFINITY); count];
    let centre = value(0.0);
    let mut noise = vec![0.0_f64; count];
    for part in TINY {
        let (ahead, behind) = (value(part * step), value(-part * step));
        for (k, noise) in noise.iter_mut().enumerate() {
            *noise = noise.max((ahead[k] - 2.0 * centre[k] + behind[k]).abs());
        }
    }
    let most = noise.iter().fold(0.0, |most: f64, noise| most.max(*noise));
    noise.iter_mut().for_each(|noise| *noise = noise.max(COMMON * most));
    let mut before: Vec<Vec<f64>> = Vec::new();
    let mut h = step;
    for level in 0..LEVELS {
        let (ahead, behind) = (value(h), value(-h));
        let differences: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let rounding = |k: usize| (noise[k] + f64::EPSILON * ahead[k].abs().max(behind[k].abs())) / h;
        let rounding: Vec<f64> = (0..count).map(rounding).collect();
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
        let found = derivative(2, 0.25, |s| vec![(x + s).sin(), (x + s).powi(-12)]);
        let steep = -12.0 * x.powi(-13);
        are_within(found, &[(x.cos(), 1e-8), (steep, 1e-8 * steep.abs())]);
    }

    #[test]
    fn rounding_inside_of_a_value_is_seen() {
        let x = 0.7_f64;
        let found = derivative(2, 0.25, |s| vec![1e6 + (x + s), ((x + s) + 1e6) - 1e6]);
        // What is lost in the rounding of a million, divided by the first halved step.
        let lost = 32.0 * f64::EPSILON * 1e6 / 0.125;
        are_within(found, &[(1.0, lost), (1.0, lost)]);
    }

    #[test]
    fn a_singularity_may_be_much_nearer_than_the_first_step() {
        let found = derivative(1, 0.25, |s| vec![(1e-4 + s).ln()]);
        // Only the last few steps are short enough.
        are_within(found, &[(1e4, 1e-3 * 1e4)]);
    }

    fn are_within(found: Vec<(f64, f64)>, exact: &[(f64, f64)]) {
        for ((estimate, error), &(exact, at_most)) in found.into_iter().zip(exact) {
            assert!((estimate - exact).abs() <= error, "{estimate} {exact} {error}");
            assert!(error <= at_most, "{error} {at_most}");
        }
    }
}
