//! Motions over parts of a recording, with their samples.

use least_action_core::system::State;

use super::data::Data;

/// A recording with its start at the first guess, and true for the model's own start.
pub(super) type Started = (Data, State, bool);

/// An entry of a state: 0 for q or 1 for v, and its place there.
pub(super) type Entry = (usize, usize);

pub(super) fn of(state: &State, (part, index): Entry) -> f64 {
    [&state.q, &state.v][part][index]
}

/// The names of the entries of a state, positions first.
pub(crate) fn entry_names(coordinates: &[String]) -> Vec<String> {
    named(coordinates).map(|(name, _)| name).collect()
}

/// The entries of a state, positions first, with their names.
pub(super) fn named(coordinates: &[String]) -> impl Iterator<Item = (String, Entry)> {
    ["", "der."].into_iter().enumerate().flat_map(move |(part, before)| {
        coordinates.iter().enumerate().map(move |(index, name)| (format!("{before}{name}"), (part, index)))
    })
}

/// Multiples of the golden ratio less ½, which match no pattern of places.
pub(crate) fn golden(place: usize) -> f64 {
    ((place + 1) as f64 * 0.618_033_988_749_895).fract() - 0.5
}

/// A column of a recording, with the unknowns of its sensor: offset and scale.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) sensor: [Option<usize>; 2],
}

/// A sample between two states.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// The number of the second state.
    pub(super) step: u64,
    /// The weights of q and v at both.
    pub(super) weights: [f64; 4],
    /// The number of the coordinate.
    pub(super) index: usize,
    pub(super) column: usize,
    pub(super) time: f64,
    pub(super) value: f64,
    /// 1/σ.
    pub(super) scale: f64,
    pub(super) is_between: bool,
}

impl Sample {
    pub(super) fn reads_before(&self) -> bool {
        self.weights[..2].iter().any(|weight| *weight != 0.0)
    }
}

/// A motion over a part of a recording.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) recording: usize,
    pub(super) start: State,
    pub(super) steps: u64,
    /// True if it joins the piece before.
    pub(super) joins: bool,
    /// True if it begins at the model's own start.
    pub(super) follows: bool,
    pub(super) samples: Vec<Sample>,
    pub(super) channels: Vec<Channel>,
    /// The unknowns that its motion depends on.
    pub(super) own: Vec<usize>,
}

/// The distance of a datum from its step, as a part of the step, that counts as none.
const NEAR: f64 = 1e-9;

/// The number of steps from a start to a time, whole where it is near.
fn number(time: f64, start: f64, step: f64) -> f64 {
    let number = (time - start) / step;
    let nearest = number.round();
    if (number - nearest).abs() <= NEAR * nearest.max(1.0) { nearest } else { number }
}

impl Piece {
    /// The pieces of a recording, with its samples.
    pub(super) fn cut(
        (data, start, follows): &Started,
        recording: usize,
        step: f64,
        segments: u64,
        coordinates: &[String],
    ) -> Result<Vec<Self>, String> {
        let last = number(data.end(), start.t, step).max(0.0);
        let steps = (last.ceil() as u64).max(1);
        if segments == 0 || segments > steps {
            return Err(format!(
                "{segments} segments of {}, which lasts {steps} steps: take fewer segments or a shorter step",
                data.name
            ));
        }
        let channel = |name: &String| Channel { name: name.clone(), sensor: [None; 2] };
        let channels: Vec<Channel> = data.columns.iter().map(|column| channel(&column.name)).collect();
        let piece = |piece| {
            let [begin, end] = [piece, piece + 1].map(|piece| piece * steps / segments);
            Self {
                recording,
                start: State { t: start.t + begin as f64 * step, ..start.clone() },
                steps: end - begin,
                joins: piece > 0,
                follows: *follows && piece == 0,
                samples: Vec::new(),
                channels: channels.clone(),
                own: Vec::new(),
            }
        };
        let mut pieces: Vec<Self> = (0..segments).map(piece).collect();
        Self::fill(&mut pieces.iter_mut().collect::<Vec<_>>(), data, step, coordinates)?;
        Ok(pieces)
    }

    /// Gives the pieces of a recording other samples.
    pub(super) fn fill(
        pieces: &mut [&mut Self],
        data: &Data,
        step: f64,
        coordinates: &[String],
    ) -> Result<(), String> {
        pieces.iter_mut().for_each(|piece| piece.samples.clear());
        let start = pieces.first().map_or(0.0, |piece| piece.start.t);
        for (column, of) in data.columns.iter().enumerate() {
            let Some((_, (part, index))) = named(coordinates).find(|(name, _)| *name == of.name) else {
                return Err(format!(
                    "{} has the column `{}`, and the model has no such number: it has `{}`, and velocities such as `der.{}`",
                    data.name,
                    of.name,
                    coordinates.join("`, `"),
                    coordinates.first().map_or("x", String::as_str)
                ));
            };
            for (&time, &value) in of.times.iter().zip(&of.values) {
                let number = number(time, start, step);
                let end = (number.ceil() as u64).max(1);
                let weights = weights(number - (end - 1) as f64, step, part == 1);
                let (scale, is_between) = (of.sigma.map_or(1.0, f64::recip), number.fract() != 0.0);
                let mut before = 0;
                for piece in &mut *pieces {
                    if end <= before + piece.steps {
                        let step = end - before;
                        let sample = Sample { step, weights, index, column, time, value, scale, is_between };
                        piece.samples.push(sample);
                        break;
                    }
                    before += piece.steps;
                }
            }
        }
        pieces.iter_mut().for_each(|piece| piece.samples.sort_by_key(|sample| sample.step));
        Ok(())
    }
}

/// The weights of q₀, v₀, q₁, v₁ in the cubic of Hermite at a part s of a step, or in its derivative.
fn weights(s: f64, h: f64, rate: bool) -> [f64; 4] {
    let (s2, s3) = (s * s, s * s * s);
    if rate {
        let rise = 6.0 * (s - s2) / h;
        [-rise, 3.0 * s2 - 4.0 * s + 1.0, rise, 3.0 * s2 - 2.0 * s]
    } else {
        let late = 3.0 * s2 - 2.0 * s3;
        [1.0 - late, h * (s3 - 2.0 * s2 + s), late, h * (s3 - s2)]
    }
}
