//! The motions of a fit as residuals and constraints.

use std::collections::HashSet;
use std::ops::Range;

use least_action_core::drive::gradient::{Along, Direction, Following};
use least_action_core::system::State;
use nalgebra_sparse::CsrMatrix;
use serde::{Deserialize, Serialize};

use super::loss::Loss;
use super::motions::{Begin, Motions};
use super::piece::{Entry, Piece, Sample, golden};
use crate::Error;
use crate::least_squares::{Problem, Rows, Slopes, Values};

/// The place of an unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A parameter of the model.
    Parameter(usize),
    /// An entry of the start of a recording.
    Start { recording: usize, entry: Entry },
    /// The offset, or the scale, of the sensor of a column.
    Sensor { column: usize, scale: bool },
    /// An entry of the state at the start of a piece.
    Cut { piece: usize, entry: Entry },
}

impl Place {
    /// The direction of its derivative; none for a sensor.
    fn direction(self) -> Option<Direction> {
        match self {
            Self::Parameter(number) => Some(Direction::Parameter(number)),
            Self::Start { entry: (0, index), .. } | Self::Cut { entry: (0, index), .. } => {
                Some(Direction::Position(index))
            }
            Self::Start { entry: (_, index), .. } | Self::Cut { entry: (_, index), .. } => {
                Some(Direction::Velocity(index))
            }
            Self::Sensor { .. } => None,
        }
    }

    /// True if the motion of a piece depends on the unknown.
    pub(super) fn moves(self, number: usize, piece: &Piece) -> bool {
        match self {
            Self::Parameter(_) => true,
            Self::Start { recording, .. } => recording == piece.recording && !piece.joins,
            Self::Cut { piece, .. } => piece == number,
            Self::Sensor { .. } => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Unknown {
    /// The name of its derivative.
    pub(super) name: String,
    /// The name for people.
    pub(super) shown: String,
    pub(super) bounds: [f64; 2],
    pub(super) place: Place,
}

/// A fit as a problem: the residuals of samples, then of priors, and the jumps between pieces.
#[derive(Debug)]
pub struct Course<M> {
    pub(super) motions: M,
    /// The values of all parameters.
    pub(super) parameters: Vec<f64>,
    pub(super) unknowns: Vec<Unknown>,
    /// The unknowns but the states at cuts, which come last.
    pub(super) free: usize,
    /// The first guess.
    pub(super) first: Vec<f64>,
    pub(super) pieces: Vec<Piece>,
    /// The names of the recordings.
    pub(super) names: Vec<String>,
    pub(super) has_sigma: bool,
    /// The mean and σ of unknowns.
    pub(super) priors: Vec<(usize, [f64; 2])>,
    pub(super) loss: Loss,
    /// Where the pieces lie apart, their jumps are residuals, and no constraints.
    pub(super) phase: Phase,
    /// The motions of the last point.
    pub(super) ran: Option<(Vec<f64>, Vec<Ran>)>,
}

/// The part of a fit in segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// A jump between two segments counts as one sample, so that segments follow the data at first.
    Apart,
    /// The motion is continuous at the end.
    Joined,
}

/// A state, and its derivatives by the unknowns of a piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    /// q and v.
    pub(super) state: [Vec<f64>; 2],
    tangents: Vec<[Vec<f64>; 2]>,
}

/// The run of a piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Ran {
    pub(super) residuals: Vec<f64>,
    slopes: Rows,
    start: [Vec<f64>; 2],
    pub(super) end: Node,
}

impl<M> Course<M> {
    /// The samples, in the order of their residuals.
    pub(super) fn samples(&self) -> impl Iterator<Item = (&Piece, &Sample)> {
        self.pieces.iter().flat_map(|piece| piece.samples.iter().map(move |sample| (piece, sample)))
    }
}

impl<M: Motions> Course<M> {
    /// The values of all parameters at x.
    pub(super) fn parameters(&self, x: &[f64]) -> Vec<f64> {
        let mut values = self.parameters.clone();
        for (unknown, x) in self.unknowns.iter().zip(x) {
            if let Place::Parameter(index) = unknown.place {
                values[index] = *x;
            }
        }
        values
    }

    /// The model's own start at x, with its derivatives by the free parameters if `linear`; none where
    /// no recording begins there.
    pub(super) fn own_start(&self, x: &[f64], linear: bool) -> Result<Option<Following>, M::Error> {
        if !self.pieces.iter().any(|piece| piece.follows) {
            return Ok(None);
        }
        let Some(mut start) = self.motions.starting()? else { return Ok(None) };
        let named = self.motions.parameters().into_iter().map(|(name, _)| name);
        let parameters: Vec<_> = named.zip(self.parameters(x)).collect();
        let free = self.unknowns.iter().filter(|_| linear).filter_map(|own| match own.place {
            Place::Parameter(index) => Some(index),
            _ => None,
        });
        Ok(Some(Following::of(&mut *start, &parameters, free)?))
    }

    /// The names of the free parameters that an own start follows.
    pub(super) fn following(&self, start: Option<&Following>) -> Vec<String> {
        let places = start.into_iter().flat_map(Following::parameters).map(Place::Parameter);
        let own = places.flat_map(|place| self.unknowns.iter().filter(move |unknown| unknown.place == place));
        own.map(|unknown| unknown.shown.clone()).collect()
    }

    /// The start of a piece at x, and its changes along the unknowns of the piece.
    fn start(
        &self,
        (piece, own_start): (&Piece, Option<&Following>),
        x: &[f64],
    ) -> (State, Vec<[Vec<f64>; 2]>) {
        let own_start = own_start.filter(|_| piece.follows);
        let mut start = own_start.map_or_else(|| piece.start.clone(), |own| own.state.clone());
        let change = |unknown: &usize| match (own_start, self.unknowns[*unknown].place) {
            (Some(start), Place::Parameter(index)) => start.by(index).map(<[f64]>::to_vec),
            _ => [Vec::new(), Vec::new()],
        };
        let mut changes: Vec<_> = piece.own.iter().map(change).collect();
        for &unknown in &piece.own {
            if let Place::Start { entry: (part, index), .. } | Place::Cut { entry: (part, index), .. } =
                self.unknowns[unknown].place
            {
                [&mut start.q, &mut start.v][part][index] = x[unknown];
                // An entry that is free itself follows no parameter.
                let others = changes.iter_mut().filter_map(|change| change[part].get_mut(index));
                others.for_each(|change| *change = 0.0);
            }
        }
        (start, changes)
    }

    /// The motion of a piece.
    fn ran(
        &self,
        begin: &Begin<'_, M::Error>,
        (piece, own_start): (&Piece, Option<&Following>),
        x: &[f64],
        linear: bool,
    ) -> Result<Ran, M::Error> {
        let (start, changes) = self.start((piece, own_start), x);
        let directions = piece.own.iter().filter_map(|unknown| self.unknowns[*unknown].place.direction());
        let along = directions.zip(changes.iter().map(|change| change.each_ref().map(Vec::as_slice)));
        let along: Vec<Along<'_>> = along.filter(|_| linear).collect();
        let end = start.t + piece.steps as f64 * self.motions.step();
        let (mut ran, mut samples) = (Ran::default(), piece.samples.iter().peekable());
        let before = piece.samples.iter().filter(|sample| sample.reads_before());
        let kept: HashSet<u64> = before.map(|sample| sample.step - 1).collect();
        let read = piece.samples.iter().map(|sample| sample.step);
        let shown: HashSet<u64> = read.chain(kept.iter().copied()).chain([0, piece.steps]).collect();
        begin(start, None)?.until(end).follow(
            &along,
            &|step| shown.contains(&step),
            &mut |at, tangents| {
                while let Some(sample) = samples.next_if(|sample| sample.step == at.step) {
                    let value = |nodes: [[&[f64]; 2]; 2]| -> f64 {
                        let states = nodes.as_flattened().iter().zip(sample.weights);
                        states.map(|(state, weight)| weight * state[sample.index]).sum()
                    };
                    // A sample at a step reads the one state.
                    let reads_one = !sample.reads_before();
                    let (now, before) = ([at.q, at.v], ran.end.state.each_ref().map(Vec::as_slice));
                    let found = value([if reads_one { now } else { before }, now]);
                    let sensor = piece.channels[sample.column].sensor;
                    let [offset, factor] = [(sensor[0], 0.0), (sensor[1], 1.0)]
                        .map(|(unknown, none)| unknown.map_or(none, |unknown| x[unknown]));
                    let reading = factor * found + offset;
                    let weighed = self.loss.of(sample.scale * (reading - sample.value));
                    let weight = weighed.slope * sample.scale;
                    let slope = |(k, after): (usize, &[&[f64]; 2])| {
                        let before = || ran.end.tangents[k].each_ref().map(Vec::as_slice);
                        let slope = value([if reads_one { *after } else { before() }, *after]);
                        (piece.own[k], weight * factor * slope)
                    };
                    let of_sensor = sensor.into_iter().zip([weight, weight * found]);
                    let of_sensor = of_sensor.filter_map(|(unknown, slope)| Some((unknown?, slope)));
                    ran.residuals.push(weighed.root);
                    ran.slopes.push(tangents.iter().enumerate().map(slope).chain(of_sensor));
                }
                if at.step == 0 {
                    ran.start = [at.q.to_vec(), at.v.to_vec()];
                }
                if at.step == at.of || kept.contains(&at.step) {
                    let tangents = tangents.iter().map(|[q, v]| [q.to_vec(), v.to_vec()]).collect();
                    ran.end = Node { state: [at.q.to_vec(), at.v.to_vec()], tangents };
                }
            },
        )?;
        Ok(ran)
    }

    /// The largest factor by which the motion of a piece amplifies a change of its start, with q and v
    /// in units of their largest entries.
    pub(super) fn growth(&self, x: &[f64]) -> Result<f64, M::Error> {
        let (mut most, own_start) = (1.0_f64, self.own_start(x, false)?);
        self.motions.bound(&self.parameters(x), &mut |begin| {
            for piece in &self.pieces {
                let (start, _) = self.start((piece, own_start.as_ref()), x);
                let end = start.t + piece.steps as f64 * self.motions.step();
                let mut sizes = [0.0_f64; 2];
                begin(start.clone(), None)?.until(end).follow(&[], &|_| true, &mut |at, _| {
                    for (size, entries) in sizes.iter_mut().zip([at.q, at.v]) {
                        *size = entries.iter().fold(*size, |most, entry| most.max(entry.abs()));
                    }
                })?;
                let change = |size: f64| (0..start.q.len()).map(move |place| size * golden(place));
                let change = sizes.map(|size| change(size).collect::<Vec<_>>());
                let (mut first, mut largest) = (0.0, 0.0_f64);
                let along = [&change[0][..], &change[1], &[]];
                begin(start, None)?.until(end).follow_along(along, &|_| true, &mut |at, tangents| {
                    let parts = tangents.iter().flat_map(|both| both.iter().zip(sizes));
                    let of = |(entries, size): (&&[f64], f64)| {
                        entries.iter().map(|entry| (entry / size).powi(2)).sum::<f64>()
                    };
                    let size = parts.filter(|(_, size)| *size > 0.0).map(of).sum::<f64>().sqrt();
                    largest = largest.max(size);
                    first = if at.step == 0 { size } else { first };
                })?;
                most = most.max(if first > 0.0 { largest / first } else { 1.0 });
            }
            Ok(())
        })?;
        Ok(most)
    }

    /// The motions of some pieces at x.
    pub(super) fn run(&self, x: &[f64], linear: bool, range: Range<usize>) -> Result<Vec<Ran>, M::Error> {
        let (mut all, own_start) = (Vec::new(), self.own_start(x, linear)?);
        self.motions.bound(&self.parameters(x), &mut |begin| {
            for piece in &self.pieces[range.clone()] {
                all.push(self.ran(begin, (piece, own_start.as_ref()), x, linear)?);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The residuals and the jumps at x, of the motions there.
    fn values(&self, x: &[f64], all: &[Ran]) -> Values {
        let mut residuals: Vec<f64> = all.iter().flat_map(|ran| ran.residuals.iter().copied()).collect();
        residuals.extend(self.priors.iter().map(|(unknown, [mean, sigma])| (x[*unknown] - mean) / sigma));
        let mut constraints = Vec::new();
        for piece in self.joints() {
            let end = &all[piece - 1].end.state;
            constraints.extend(self.joined(piece).map(|(own, (part, index))| end[part][index] - x[own]));
        }
        if self.phase == Phase::Apart {
            let scale = self.scale();
            residuals.extend(constraints.drain(..).map(|jump| scale * jump));
        }
        Values { residuals, constraints }
    }

    /// The residuals at x alone.
    pub(super) fn residuals_at(&self, x: &[f64]) -> Result<Vec<f64>, M::Error> {
        Ok(self.values(x, &self.run(x, false, 0..self.pieces.len())?).residuals)
    }

    /// Moves the states at cuts onto the constraints, where their derivatives are exact.
    pub(super) fn settle(&self, x: &mut [f64]) -> Result<(), M::Error> {
        let all = self.run(x, false, 0..self.pieces.len())?;
        for piece in self.joints() {
            for (unknown, (part, index)) in self.joined(piece) {
                x[unknown] = all[piece].start[part][index];
            }
        }
        Ok(())
    }

    /// The unknown states at the start of a piece, in the order of q and v.
    pub(super) fn joined(&self, piece: usize) -> impl Iterator<Item = (usize, Entry)> {
        let unknowns = self.unknowns.iter().enumerate();
        unknowns.filter_map(move |(unknown, own)| match own.place {
            Place::Cut { piece: other, entry } if other == piece => Some((unknown, entry)),
            _ => None,
        })
    }

    /// The weight of a jump that counts as one sample.
    pub(super) fn scale(&self) -> f64 {
        let scales = self.samples().map(|(_, sample)| sample.scale);
        scales.fold(f64::INFINITY, f64::min)
    }

    /// The pieces that join the one before.
    pub(super) fn joints(&self) -> impl Iterator<Item = usize> {
        (0..self.pieces.len()).filter(|piece| self.pieces[*piece].joins)
    }
}

impl<M: Motions> Problem for Course<M> {
    type Error = M::Error;

    fn unknowns(&self) -> usize {
        self.unknowns.len()
    }

    fn bounds(&self) -> Vec<[f64; 2]> {
        self.unknowns.iter().map(|unknown| unknown.bounds).collect()
    }

    fn constraint(&self, index: usize) -> String {
        format!("the jump of {}", self.unknowns[self.free + index].shown)
    }

    fn is_stopped(&self) -> bool {
        self.motions.is_stopped()
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<Values, M::Error> {
        let all = self.run(x, true, 0..self.pieces.len())?;
        let values = self.values(x, &all);
        self.ran = Some((x.to_vec(), all));
        Ok(values)
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, M::Error> {
        let known = self.ran.take().filter(|(at, _)| at == x);
        let all = known.map_or_else(|| self.run(x, true, 0..self.pieces.len()), |(_, all)| Ok(all))?;
        let (mut rows, mut jumps) = (Rows::default(), Rows::default());
        all.iter().for_each(|ran| rows.append(&ran.slopes));
        self.priors.iter().for_each(|(unknown, [_, sigma])| rows.push([(*unknown, sigma.recip())]));
        let is_apart = self.phase == Phase::Apart;
        let (to, scale) = if is_apart { (&mut rows, self.scale()) } else { (&mut jumps, 1.0) };
        for piece in self.joints() {
            let (end, own) = (&all[piece - 1].end, &self.pieces[piece - 1].own);
            for (unknown, (part, index)) in self.joined(piece) {
                let slopes = end.tangents.iter().map(|tangent| scale * tangent[part][index]);
                to.push(own.iter().copied().zip(slopes).chain([(unknown, -scale)]));
            }
        }
        Ok(Slopes { residuals: rows.over(x.len()), constraints: jumps.over(x.len()) })
    }
}

/// Residuals for optimizers and samplers of others, as [`Fit::problem`](super::Fit::problem) makes them.
impl<M: Motions> Course<M> {
    /// The names of the unknowns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.unknowns.iter().map(|unknown| &*unknown.shown)
    }

    /// The first guess.
    pub fn first(&self) -> &[f64] {
        &self.first
    }

    /// The residuals at x.
    ///
    /// # Errors
    /// The number of unknowns is another one, or there is no motion.
    pub fn residuals(&mut self, x: &[f64]) -> Result<Vec<f64>, Error<M::Error>> {
        self.check(x)?;
        Ok(self.evaluate(x).map_err(Error::Motion)?.residuals)
    }

    /// The derivatives of the residuals at x, a row for each.
    ///
    /// # Errors
    /// The number of unknowns is another one, or there is no motion.
    pub fn jacobian(&mut self, x: &[f64]) -> Result<CsrMatrix<f64>, Error<M::Error>> {
        self.check(x)?;
        Ok(self.linearize(x).map_err(Error::Motion)?.residuals)
    }

    fn check(&self, x: &[f64]) -> Result<(), String> {
        let (found, expected) = (x.len(), self.unknowns.len());
        if found == expected {
            return Ok(());
        }
        Err(format!(
            "there are {found} numbers, and the fit has {expected}: {}",
            self.names().collect::<Vec<_>>().join(", ")
        ))
    }
}
