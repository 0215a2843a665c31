//! Derivatives by differences that estimate their own error.

/// The most divisions of the step.
const LEVELS: usize = 24;
/// The divisor of the step.
const RATIO: f64 = 2.0;
/// The factor by which an estimate of twice the step may be further away than the next one.
const FURTHER: f64 = 64.0;
/// The multiple of the rounding of single values that an extrapolation may collect.
const COLLECTED: f64 = 8.0;

/// d/ds of `value` at s = 0, for each of its entries, with an estimate of the error; `noise` is the length by which rounding inside
/// of `value` moves its entries, beyond that of the results.
///
/// Central differences at steps h, h/2, h/4, … are extrapolated to the step zero (Ridders' method: C. J. F. Ridders, *Accurate
/// computation of F′(x) and F′(x) F″(x)*, Adv. Eng. Software 4 (1982) 75–76). Of the whole tableau each entry takes the
/// estimate with the smallest error: the distance to its neighbours, which falls with the step as far as the function is
/// smooth, and what rounding does, which grows. Steps are divided until the rounding of a single one outweighs that. Among many
/// entries some neighbours are close by chance, where the function is not smooth yet; three of them rarely are.
///
/// Where a function has a kink between the points of a difference, its neighbours are far, and smaller steps are taken. A kink
/// at s = 0 itself is seen by the differences to both sides, which do not approach each other; their distance is then the error.
pub(super) fn derivative(noise: &[f64], step: f64, value: &dyn Fn(f64) -> Vec<f64>) -> Vec<(f64, f64)> {
    let count = noise.len();
    let mut best = vec![(f64::NAN, f64::INFINITY); count];
    let here = value(0.0);
    let (mut before, mut earlier): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let mut jumps_before = vec![f64::INFINITY; count];
    let mut h = step;
    for level in 0..LEVELS {
        let (ahead, behind) = (value(h), value(-h));
        let rounding: Vec<f64> = (0..count)
            .map(|k| COLLECTED * (noise[k] + f64::EPSILON * ahead[k].abs().max(behind[k].abs())) / h)
            .collect();
        if level > 0 && best.iter().zip(&rounding).all(|(best, rounding)| best.1 <= *rounding) {
            break;
        }
        let differences: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let jumps: Vec<f64> = (0..count).map(|k| (ahead[k] - 2.0 * here[k] + behind[k]).abs() / h).collect();
        let mut row = vec![differences];
        let mut factor = RATIO * RATIO;
        for column in 1..=level {
            let next: Vec<f64> = (0..count)
                .map(|k| (factor * row[column - 1][k] - before[column - 1][k]) / (factor - 1.0))
                .collect();
            for (k, best) in best.iter_mut().enumerate() {
                let third = earlier.get((column - 1).min(level.saturating_sub(2)));
                let far = third.map_or(f64::INFINITY, |third| (next[k] - third[k]).abs());
                let neighbours = [row[column - 1][k], before[column - 1][k]];
                let apart = neighbours
                    .iter()
                    .fold(far / FURTHER, |apart: f64, near| apart.max((next[k] - near).abs()));
                // Half the step makes half the jump of what is smooth.
                let kink = if jumps[k] > 0.75 * jumps_before[k] { jumps[k] } else { 0.0 };
                let error = apart + kink + rounding[k];
                // What has no value at the point has no derivative there.
                if here[k].is_finite() && next[k].is_finite() && error < best.1 {
                    *best = (next[k], error);
                }
            }
            row.push(next);
            factor *= RATIO * RATIO;
        }
        earlier = std::mem::replace(&mut before, row);
        jumps_before = jumps;
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
        let found = derivative(&[0.0; 3], 0.25, &|s| vec![(x + s).sin(), (x + s).powi(-12), 1e6 + (x + s)]);
        let steep = -12.0 * x.powi(-13);
        // The last is lost in the rounding of a million, divided by the step halved twice.
        let exact = [(x.cos(), 1e-8), (steep, 1e-8 * steep.abs()), (1.0, 16.0 * f64::EPSILON * 1e6 / 0.0625)];
        for ((estimate, error), (exact, at_most)) in found.into_iter().zip(exact) {
            assert!((estimate - exact).abs() <= error, "{estimate} {exact} {error}");
            assert!(error <= at_most, "{error} {at_most}");
        }
    }

    /// Of ten thousand functions that are rough at the first steps, none is held to be smooth there.
    #[test]
    fn what_is_close_by_chance_is_not_taken() {
        let phases: Vec<f64> = (0..10_000).map(|k| f64::from(k) * 0.37).collect();
        let bumps = |s: f64| {
            let bump = |phase: &f64| (40.0 * s + phase).sin() + s * (31.0 * s + 1.7 * phase).cos();
            phases.iter().map(bump).collect()
        };
        // Rounding inside that lets only the first steps count.
        let found = derivative(&vec![1e-6; phases.len()], 2.0, &bumps);
        for ((estimate, error), phase) in found.into_iter().zip(&phases) {
            let exact = 40.0 * phase.cos() + (1.7 * phase).cos();
            let distance = (estimate - exact).abs();
            assert!(distance <= 10.0 * error, "{phase}: {estimate} within {error} is {exact}");
        }
    }

    #[test]
    fn a_kink_nearby_is_stepped_under_and_one_here_is_an_error() {
        let bend = |x: f64| if x < 0.0 { 0.0 } else { x * x };
        let near = derivative(&[0.0], 0.25, &|s| vec![bend(1e-4 + s)]);
        assert!((near[0].0 - 2e-4).abs() <= near[0].1 && near[0].1 < 1e-9, "{near:?}");
        let corner = derivative(&[0.0], 0.25, &|s| vec![s.abs() + s]);
        assert!((corner[0].0 - 1.0).abs() < 1e-12 && corner[0].1 >= 1.0, "{corner:?}");
        let outside = derivative(&[0.0], 0.25, &|s| vec![(0.01 + s).ln()]);
        assert!((outside[0].0 - 100.0).abs() <= outside[0].1 && outside[0].1 < 1e-6, "{outside:?}");
    }
}
