//! The first guess of the states at cuts.

use nalgebra::{DMatrix, DVector, SVD};

use super::course::Course;
use super::motions::Motions;

/// The samples around a cut that a cubic follows.
const SAMPLES: usize = 7;
/// The coefficients of a cubic.
const TERMS: usize = 4;
/// The rounds of the decomposition of their matrix at most.
const ROUNDS: usize = 50 * TERMS;

/// Guesses the states at cuts piece by piece: by the motion of the piece before, and by the data of the
/// entries that have columns.
pub(super) fn states<M: Motions>(course: &Course<M>, x: &mut [f64]) -> Result<(), M::Error> {
    for piece in course.joints() {
        let before = course.run(x, false, piece - 1..piece)?;
        let (recording, time) = (course.pieces[piece].recording, course.pieces[piece].start.t);
        for (unknown, (part, index)) in course.joined(piece) {
            let name = &course.unknowns[unknown].name;
            let by_motion = before.last().map_or(0.0, |ran| ran.end.state[part][index]);
            let of = |name: &str| samples(course, recording, name);
            let position = name.strip_prefix("der.").unwrap_or(name);
            let direct = cubic(&of(name), time).map(|[value, _]| value);
            let slope = || cubic(&of(position), time).map(|[_, slope]| slope).filter(|_| part == 1);
            x[unknown] = direct.or_else(slope).unwrap_or(by_motion);
        }
    }
    Ok(())
}

/// The samples of a column, by time.
fn samples<M>(course: &Course<M>, recording: usize, name: &str) -> Vec<[f64; 2]> {
    let pieces = course.pieces.iter().filter(|piece| piece.recording == recording);
    let of = |piece: &'_ super::piece::Piece| {
        let own = piece.samples.iter().filter(|sample| piece.channels[sample.column].name == name);
        own.map(|sample| [sample.time, sample.value]).collect::<Vec<_>>()
    };
    pieces.flat_map(of).collect()
}

/// The value and the slope at a time of the cubic by the nearest samples; none without enough of
/// them on both sides.
fn cubic(samples: &[[f64; 2]], time: f64) -> Option<[f64; 2]> {
    let mut near = samples.to_vec();
    near.sort_by(|a, b| (a[0] - time).abs().total_cmp(&(b[0] - time).abs()));
    near.truncate(SAMPLES);
    let width =
        near.last().map(|[t, _]| (t - time).abs()).filter(|width| *width > 0.0 && near.len() > TERMS)?;
    let matrix =
        DMatrix::from_fn(near.len(), TERMS, |row, power| ((near[row][0] - time) / width).powi(power as i32));
    let values = DVector::from_iterator(near.len(), near.iter().map(|[_, value]| *value));
    let found = SVD::try_new(matrix, true, true, 5.0 * f64::EPSILON, ROUNDS)?.solve(&values, 1e-6).ok()?;
    Some([found[0], found[1] / width])
}
