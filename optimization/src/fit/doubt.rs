//! The reasons not to believe a fit.

use std::collections::BTreeMap;

use super::course::Course;

/// The growth from which a sum of squares has many minima.
const CHAOS: f64 = 1e4;
/// The part of the spread of the data below which a motion follows them.
const FOLLOWS: f64 = 0.1;
/// The largest ratio of the differences to the given noise.
const NOISE: f64 = 3.0;
/// The correlation of neighbouring differences from which they are no noise, and the fewest of them.
const TREND: f64 = 0.5;
const FEWEST: usize = 10;

/// The miss of a motion as a part of the spread of the data, zero for data without one; and the
/// correlation of neighbouring differences.
fn measured<M>(course: &Course<M>, residuals: &[f64]) -> [f64; 2] {
    let mut columns: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
    for ((piece, sample), residual) in course.samples().zip(residuals) {
        let column = columns.entry((piece.recording, sample.column)).or_default();
        column.push((sample.scale * sample.value, *residual));
    }
    // Σ r², Σ ((x* − mean)/σ)² and Σ rᵢ rᵢ₊₁ over the columns.
    let (mut misses, mut spread, mut neighbours) = (0.0, 0.0, 0.0);
    for column in columns.values() {
        let mean = column.iter().map(|(value, _)| value).sum::<f64>() / column.len() as f64;
        misses += column.iter().map(|(_, r)| r * r).sum::<f64>();
        spread += column.iter().map(|(value, _)| (value - mean).powi(2)).sum::<f64>();
        neighbours += column.windows(2).map(|pair| pair[0].1 * pair[1].1).sum::<f64>();
    }
    let part = |number: f64, of: f64| if of > 0.0 { number / of } else { 0.0 };
    [part(misses, spread).sqrt(), part(neighbours, misses)]
}

/// The reason to doubt a fit, with a remedy; `sigma` is known where the noise is.
pub(super) fn doubt<M>(
    course: &Course<M>,
    residuals: &[f64],
    growth: f64,
    sigma: Option<f64>,
) -> Option<String> {
    let [misfit, correlation] = measured(course, residuals);
    let part = 100.0 * misfit;
    if !sigma.map_or(misfit > FOLLOWS, |sigma| sigma > NOISE) {
        return None;
    }
    match sigma {
        _ if growth > CHAOS => Some(format!(
            "the motion amplifies a change of its start by {growth:.1e}, and misses the data by {part:.0} % of their spread: the sum has \
             many minima, and the numbers of this one tell nothing; cut the recording by --segments until each is short, or take less of it"
        )),
        Some(sigma) => Some(format!(
            "the differences are {sigma:.2} times the given standard deviations: another minimum or another model is nearer; begin nearer, \
             cut the recording by --segments, free more numbers, or give the noise that the data have"
        )),
        None => (correlation > TREND && residuals.len() >= FEWEST).then(|| format!(
            "the motion misses the data by {part:.0} % of their spread, and the differences follow each other (correlation \
             {correlation:.2}) as no noise does: another minimum or another model is nearer; begin nearer, cut the recording by \
             --segments, or free more numbers"
        )),
    }
}
