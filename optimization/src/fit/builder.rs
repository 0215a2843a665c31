//! A fit in preparation.

use std::collections::HashSet;
use std::ops::ControlFlow;

use least_action_core::system::State;

use super::course::{Course, Phase, Place, Unknown};
use super::data::Data;
use super::estimate::{Fitted, estimate};
use super::known::{self, Known};
use super::loss::Loss;
use super::motions::{Motions, OF_A_SLOPE};
use super::piece::{Piece, Started, named, of};
use super::{guess, second};
use crate::Error;
use crate::least_squares::{Iteration, Options, Status, minimize};

/// A fit in preparation; [`solve`](Self::solve) runs it.
///
/// Names are sensitive parameters, entries of the start of each recording, and the numbers of the sensor
/// of a column, `offset(x)` and `scale(x)`. The name of an array or a vector, such as `masses` or
/// `der.bob`, is all its entries.
#[derive(Debug, Clone)]
#[must_use = "nothing runs before `.solve(…)`"]
pub struct Fit<M> {
    motions: M,
    /// The recordings with their starts; none where it is the model's own.
    recordings: Vec<(Data, Option<State>)>,
    free: Vec<(String, [f64; 2])>,
    priors: Vec<(String, [f64; 2])>,
    loss: Loss,
    segments: u64,
    first: Option<(Vec<f64>, Phase)>,
    memory: u64,
    begins_again: bool,
}

impl<M: Motions> Fit<M> {
    /// With the parameters of the model as the first guess.
    pub fn of(motions: M) -> Self {
        let (recordings, free, priors) = (Vec::new(), Vec::new(), Vec::new());
        let (loss, segments, first, memory) = (Loss::Squares, 1, None, u64::MAX);
        Self { motions, recordings, free, priors, loss, segments, first, memory, begins_again: false }
    }

    /// Adds a recording of a motion from this start, which is the first guess where its entries are
    /// free. The motion lasts as long as the data.
    pub fn data(mut self, data: Data, start: State) -> Self {
        self.recordings.push((data, Some(start)));
        self
    }

    /// Adds a recording of a motion from the model's own start, which follows the free parameters, but
    /// for entries that are free themselves.
    pub fn own(mut self, data: Data) -> Self {
        self.recordings.push((data, None));
        self
    }

    /// Frees a number between bounds; −∞ and ∞ are none. A column with a free sensor reads
    /// scale · x + offset, with 1 and 0 as the first guess, in all recordings alike.
    pub fn free(mut self, name: impl Into<String>, bounds: [f64; 2]) -> Self {
        self.free.push((name.into(), bounds));
        self
    }

    /// Adds the knowledge that a free number is mean ± σ, as a sample of it. The columns need their σ.
    pub fn prior(mut self, name: impl Into<String>, mean: f64, sigma: f64) -> Self {
        self.priors.push((name.into(), [mean, sigma]));
        self
    }

    /// Takes another loss of samples than squares. The columns need their σ.
    pub fn loss(self, loss: Loss) -> Self {
        Self { loss, ..self }
    }

    /// Cuts each recording into so many segments of equal length; 1 without.
    pub fn segments(self, segments: u64) -> Self {
        Self { segments, ..self }
    }

    /// Refuses to take more memory, in bytes.
    pub fn within(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Goes on from the unknowns of an earlier [`Iteration`] of the same fit.
    pub fn from(self, x: Vec<f64>, phase: Phase) -> Self {
        Self { first: Some((x, phase)), ..self }
    }

    /// Looks at the sum beside the minimum, at six other values of each number, and where it is another
    /// one's there, begins a second time and takes the lower minimum. This costs 48 motions and 50
    /// iterations at most. Fits in segments leave it out.
    pub fn begin_again(self) -> Self {
        Self { begins_again: true, ..self }
    }

    /// The residuals with their derivatives.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    pub fn problem(self) -> Result<Course<M>, Error<M::Error>> {
        self.segments(1).prepare()
    }

    /// Solves the fit; `progress` sees each accepted iteration, and may stop it.
    ///
    /// # Errors
    /// A name or a column is unknown, the data are empty or not finite, the first guess has no motion,
    /// or the segments cannot be joined.
    pub fn solve(
        self,
        options: &Options,
        mut progress: impl FnMut(&Iteration<'_>, Phase) -> ControlFlow<()>,
    ) -> Result<Fitted, Error<M::Error>> {
        let (first, begins_again) = (self.first.clone(), self.begins_again);
        let mut course = self.prepare()?;
        let mut x = course.first.clone();
        let has_cuts = x.len() > course.free;
        course.phase = if has_cuts { Phase::Apart } else { Phase::Joined };
        match first {
            Some((first, phase)) if first.len() == x.len() => (x, course.phase) = (first, phase),
            Some((first, _)) => {
                let (found, count) = (first.len(), x.len());
                return Err(Error::Mistake(format!(
                    "there are {found} numbers to go on from, and the fit has {count} unknowns: give the same names, data and segments as \
                     before, or begin anew"
                )));
            }
            None => {
                let guessed = guess::states(&course, &mut x).and_then(|()| course.settle(&mut x));
                guessed.map_err(Error::Motion)?;
            }
        }
        let mut before = 0;
        if course.phase == Phase::Apart {
            let apart = minimize(&mut course, &x, options, |at| progress(at, Phase::Apart))?;
            if apart.status == Status::Stopped {
                return estimate(&mut course, apart, None).map_err(Error::Motion);
            }
            (x, before, course.phase) = (apart.x, apart.iterations, Phase::Joined);
            course.settle(&mut x).map_err(Error::Motion)?;
        }
        let solution = minimize(&mut course, &x, options, |at| progress(at, Phase::Joined))?;
        let (solution, other) = match solution.status {
            Status::Stopped => (solution, None),
            _ if has_cuts || !begins_again => (solution, None),
            _ => second::begin(&mut course, solution, options),
        };
        let found = estimate(&mut course, solution, other).map_err(Error::Motion)?;
        Ok(Fitted { iterations: before + found.iterations, ..found })
    }

    fn prepare(self) -> Result<Course<M>, Error<M::Error>> {
        let Self { motions, recordings, free, priors, loss, segments, memory, .. } = self;
        if recordings.is_empty() {
            return Err("a fit needs data: add a recording".to_owned().into());
        }
        let (coordinates, parameters) = (motions.coordinates(), motions.parameters());
        let recordings = started(&motions, &parameters, recordings)?;
        recordings.iter().try_for_each(|(data, start, _)| check(data, start))?;
        let columns = || recordings.iter().flat_map(|(data, ..)| &data.columns);
        let has_sigma = columns().any(|column| column.sigma.is_some());
        if !(has_sigma || priors.is_empty() && loss == Loss::Squares) {
            let needs = "a prior and a robust loss weigh against the noise";
            return Err(format!("{needs}: give each column its standard deviation").into());
        }
        if loss.scale().is_nan() || loss.scale() <= 0.0 {
            return Err(format!("the scale of the loss is {}: give a positive one", loss.scale()).into());
        }
        let mut sensors: Vec<String> = columns().map(|column| column.name.clone()).collect();
        let mut seen = HashSet::new();
        sensors.retain(|name| seen.insert(name.clone()));
        let known = Known { coordinates: &coordinates, parameters: &parameters, sensors: &sensors };
        let (mut unknowns, mut x) = known.freed(&free, &recordings)?;
        let count = unknowns.len();
        let prior_rows = known::priors(&unknowns, &priors)?;
        let mut pieces = Vec::new();
        for (number, recording) in recordings.iter().enumerate() {
            pieces.extend(Piece::cut(recording, number, motions.step(), segments, &coordinates)?);
        }
        for (piece, own) in pieces.iter().enumerate().filter(|(_, piece)| piece.joins) {
            for (name, entry) in named(&coordinates) {
                let shown = format!("{name} at t = {}", own.start.t);
                let bounds = [f64::NEG_INFINITY, f64::INFINITY];
                unknowns.push(Unknown { name, shown, bounds, place: Place::Cut { piece, entry } });
                x.push(of(&own.start, entry));
            }
        }
        let residuals = pieces.iter().map(|piece| piece.samples.len()).sum::<usize>();
        if residuals + prior_rows.len() < count {
            let remedy = "free fewer numbers, or add data";
            return Err(format!("{residuals} samples for {count} unknowns: {remedy}").into());
        }
        for (number, piece) in pieces.iter_mut().enumerate() {
            let moves = |index: &usize| unknowns[*index].place.moves(number, piece);
            piece.own = (0..unknowns.len()).filter(moves).collect();
            for channel in &mut piece.channels {
                let column = sensors.iter().position(|own| *own == channel.name).unwrap_or_default();
                channel.sensor = [false, true].map(|scale| {
                    let place = Place::Sensor { column, scale };
                    unknowns.iter().position(|unknown| unknown.place == place)
                });
            }
        }
        let rows = |piece: &Piece| (piece.samples.len() + 2 * coordinates.len()) as u64;
        let slopes = pieces.iter().map(|piece| rows(piece).saturating_mul(piece.own.len() as u64 + 2));
        let needed = slopes.fold(0, u64::saturating_add).saturating_mul(OF_A_SLOPE);
        if needed > memory {
            return Err(Error::Mistake(format!(
                "the derivatives of all samples take about {needed} bytes, and {memory} are allowed: free fewer numbers, take fewer \
                 samples or segments, or allow more memory"
            )));
        }
        let parameters = parameters.iter().map(|(_, value)| *value).collect();
        let names = recordings.iter().map(|(data, ..)| data.name.clone()).collect();
        let (free, priors, phase, first) = (count, prior_rows, Phase::Joined, x);
        Ok(Course {
            motions,
            parameters,
            unknowns,
            free,
            first,
            pieces,
            names,
            has_sigma,
            priors,
            loss,
            phase,
            ran: None,
        })
    }
}

/// The recordings with their starts.
fn started<M: Motions>(
    motions: &M,
    parameters: &[(String, f64)],
    recordings: Vec<(Data, Option<State>)>,
) -> Result<Vec<Started>, Error<M::Error>> {
    let mut own = motions.starting().map_err(Error::Motion)?;
    let values: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    let started = |(data, start): (Data, Option<State>)| match (start, &mut own) {
        (Some(start), _) => Ok((data, start, false)),
        (None, Some(own)) => Ok((data, own(&values).map_err(Error::Motion)?, true)),
        (None, None) => Err(Error::Mistake(format!(
            "{} has no start, and the model has none of its own: give one",
            data.name
        ))),
    };
    recordings.into_iter().map(started).collect()
}

/// Refuses data that are empty, or no numbers, or before the start.
fn check(data: &Data, start: &State) -> Result<(), String> {
    let of = &data.name;
    if data.columns.iter().all(|column| column.times.is_empty()) {
        return Err(format!("{of} has no samples: give rows with a time and columns"));
    }
    let has_one = data.columns.iter().any(|column| column.sigma.is_some());
    let is_wrong = |sigma: f64| !(sigma.is_finite() && sigma > 0.0);
    if let Some(column) = data.columns.iter().find(|own| own.sigma.map_or(has_one, is_wrong)) {
        let sigma = column.sigma.map_or_else(|| "missing".to_owned(), |sigma| sigma.to_string());
        return Err(format!(
            "the standard deviation of `{}` is {sigma}: give a positive one for each column, or none at all",
            column.name
        ));
    }
    let columns = data.columns.iter();
    let lists = columns.flat_map(|own| [("t", &own.times, &own.times), (&own.name, &own.times, &own.values)]);
    for (column, times, values) in lists {
        let (expected, found) = (times.len(), values.len());
        if found != expected {
            let lengths = format!("{found} samples, and there are {expected} times");
            return Err(format!("{of}: the column `{column}` has {lengths}"));
        }
        if let Some(sample) = values.iter().position(|value| !value.is_finite()) {
            return Err(format!(
                "{of}: `{column}` is {} in sample {sample}: leave the sample out, by times of its own for the column",
                values[sample]
            ));
        }
    }
    let mut times = data.columns.iter().flat_map(|own| &own.times);
    if let Some(&time) = times.find(|time| **time < start.t) {
        return Err(format!(
            "{of} has a sample at t = {time}, and its motion starts at t = {}: remove it, or start earlier",
            start.t
        ));
    }
    Ok(())
}
