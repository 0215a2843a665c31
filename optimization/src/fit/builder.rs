//! A fit in preparation.

use std::ops::ControlFlow;

use least_action_core::system::State;

use super::course::{Course, Phase, Place, Unknown};
use super::data::Data;
use super::estimate::{Fitted, estimate};
use super::known::{self, Known, Started};
use super::loss::Loss;
use super::motions::Motions;
use super::piece::{Piece, entries, entry_name, of};
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
                return Err(Error::Mistake(format!(
                    "there are {} numbers to go on from, and the fit has {} unknowns: give the same names, data and segments as before, or \
                     begin anew",
                    first.len(),
                    x.len()
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
        let (solution, other) = if begins_again && !has_cuts && solution.status != Status::Stopped {
            second::begin(&mut course, solution, options)
        } else {
            (solution, None)
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
            let message =
                "a prior and a robust loss weigh against the noise: give each column its standard deviation";
            return Err(message.to_owned().into());
        }
        if loss.scale().is_nan() || loss.scale() <= 0.0 {
            return Err(format!("the scale of the loss is {}: give a positive one", loss.scale()).into());
        }
        let mut sensors: Vec<String> = Vec::new();
        for column in columns() {
            if !sensors.contains(&column.name) {
                sensors.push(column.name.clone());
            }
        }
        let known = Known { coordinates: &coordinates, parameters: &parameters, sensors: &sensors };
        let (mut unknowns, mut x) = known.freed(&free, &recordings)?;
        let count = unknowns.len();
        let prior_rows = known::priors(&unknowns, &priors)?;
        let mut pieces = Vec::new();
        for (number, (data, start, follows)) in recordings.iter().enumerate() {
            pieces.extend(Piece::cut(
                (data, start, *follows),
                number,
                motions.step(),
                segments,
                &coordinates,
            )?);
        }
        for (piece, own) in pieces.iter().enumerate().filter(|(_, piece)| piece.joins) {
            for entry in entries(coordinates.len()) {
                let name = entry_name(&coordinates, entry);
                let shown = format!("{name} at t = {}", own.start.t);
                let bounds = [f64::NEG_INFINITY, f64::INFINITY];
                unknowns.push(Unknown { name, shown, bounds, place: Place::Cut { piece, entry } });
                x.push(of(&own.start, entry));
            }
        }
        let residuals = pieces.iter().map(|piece| piece.samples.len()).sum::<usize>();
        if residuals + prior_rows.len() < count {
            return Err(
                format!("{residuals} samples for {count} unknowns: free fewer numbers, or add data").into()
            );
        }
        for (number, piece) in pieces.iter_mut().enumerate() {
            piece.own =
                (0..unknowns.len()).filter(|index| unknowns[*index].place.moves(number, piece)).collect();
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
        })
    }
}

/// The memory of a derivative in bytes, by rows and columns, in factors, and while they are made.
const OF_A_SLOPE: u64 = 100;

/// The recordings with their starts.
fn started<M: Motions>(
    motions: &M,
    parameters: &[(String, f64)],
    recordings: Vec<(Data, Option<State>)>,
) -> Result<Vec<Started>, Error<M::Error>> {
    let mut own = motions.starting().map_err(Error::Motion)?;
    let values: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    let started = |(data, start): (Data, Option<State>)| {
        let (start, follows) = match (start, &mut own) {
            (Some(start), _) => (start, false),
            (None, Some(own)) => (own(&values).map_err(Error::Motion)?, true),
            (None, None) => {
                let name = &data.name;
                return Err(
                    format!("{name} has no start, and the model has none of its own: give one").into()
                );
            }
        };
        Ok((data, start, follows))
    };
    recordings.into_iter().map(started).collect()
}

/// Refuses data that are empty, or no numbers, or before the start.
fn check(data: &Data, start: &State) -> Result<(), String> {
    let of = &data.name;
    if data.columns.iter().all(|column| column.times.is_empty()) {
        return Err(format!("{of} has no samples: give rows with a time and columns"));
    }
    let mut sigmas = data.columns.iter().map(|column| (&column.name, column.sigma));
    let has_one = data.columns.iter().any(|column| column.sigma.is_some());
    if let Some((column, sigma)) =
        sigmas.find(|(_, sigma)| sigma.map_or(has_one, |sigma| !(sigma.is_finite() && sigma > 0.0)))
    {
        let sigma = sigma.map_or_else(|| "missing".to_owned(), |sigma| sigma.to_string());
        return Err(format!(
            "the standard deviation of `{column}` is {sigma}: give a positive one for each column, or none at all"
        ));
    }
    let columns = data.columns.iter();
    for (column, times, values) in
        columns.flat_map(|own| [("t", &own.times, &own.times), (&own.name, &own.times, &own.values)])
    {
        let (expected, found) = (times.len(), values.len());
        if found != expected {
            return Err(format!(
                "{of}: the column `{column}` has {found} samples, and there are {expected} times"
            ));
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
