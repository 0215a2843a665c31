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
pub fn derivative(noise: &[f64], step: f64, value: &dyn Fn(f64) -> Vec<f64>) -> Vec<(f64, f64)> {
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
