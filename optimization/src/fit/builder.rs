//! A fit in preparation.

use std::ops::ControlFlow;

use least_action_core::system::State;

use super::course::{Course, Phase, Piece, Place, Unknown, entry_name, of};
use super::data::Data;
use super::error::Error;
use super::estimate::{Fitted, estimate};
use super::guess;
use super::holds;
use super::motions::Motions;
use crate::least_squares::{Iteration, Options, Status, minimize};

/// A fit in preparation; [`solve`](Self::solve) runs it.
#[derive(Debug, Clone)]
#[must_use = "nothing runs before `.solve(…)`"]
pub struct Fit<M> {
    motions: M,
    /// The recordings with their starts; none where it is the model's own.
    recordings: Vec<(Data, Option<State>)>,
    free: Vec<(String, [f64; 2])>,
    segments: u64,
    first: Option<(Vec<f64>, Phase)>,
    memory: u64,
}

impl<M: Motions> Fit<M> {
    /// With the parameters of the model as the first guess.
    pub fn of(motions: M) -> Self {
        Self { motions, recordings: Vec::new(), free: Vec::new(), segments: 1, first: None, memory: u64::MAX }
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

    /// Frees a sensitive parameter, or an entry of the start of each recording, between bounds; −∞ and
    /// ∞ are none. The name of an array or a vector, such as `masses` or `der.bob`, frees all entries.
    pub fn free(mut self, name: impl Into<String>, bounds: [f64; 2]) -> Self {
        self.free.push((name.into(), bounds));
        self
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
        let first = self.first.clone();
        let (mut course, mut x) = self.prepare()?;
        let has_cuts = x.len() > course.free;
        course.phase = if has_cuts { Phase::Apart } else { Phase::Joined };
        match first {
            Some((first, phase)) if first.len() == x.len() => (x, course.phase) = (first, phase),
            Some((first, _)) => {
                let hint = "give the same names, data and segments as before, or begin anew";
                return Err(Error::Unknowns { found: first.len(), expected: x.len(), hint });
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
                return estimate(&course, apart).map_err(Error::Motion);
            }
            (x, before, course.phase) = (apart.x, apart.iterations, Phase::Joined);
            course.settle(&mut x).map_err(Error::Motion)?;
        }
        let solution = minimize(&mut course, &x, options, |at| progress(at, Phase::Joined))?;
        let found = estimate(&course, solution).map_err(Error::Motion)?;
        Ok(Fitted { iterations: before + found.iterations, ..found })
    }

    fn prepare(self) -> Result<Prepared<M>, Error<M::Error>> {
        let Self { motions, recordings, free, segments, memory, .. } = self;
        if recordings.is_empty() {
            return Err(Error::Nothing("a fit needs data: add a recording".to_owned()));
        }
        let (coordinates, parameters) = (motions.coordinates(), motions.parameters());
        let known = Known { coordinates: &coordinates, parameters: &parameters };
        let recordings = started(&motions, &parameters, recordings)?;
        for (data, start, _) in &recordings {
            check(data, start)?;
        }
        let (mut unknowns, mut x) = (Vec::new(), Vec::new());
        for (name, bounds) in &free {
            for (own, place) in known.named(name)? {
                let several = recordings.len() > 1;
                let members = if matches!(place, Place::Parameter(_)) { 1 } else { recordings.len() };
                for (number, (data, start, _)) in recordings.iter().enumerate().take(members) {
                    let (place, value) = match place {
                        Place::Parameter(index) => (place, parameters[index].1),
                        Place::Start { entry, .. } => {
                            (Place::Start { recording: number, entry }, of(start, entry))
                        }
                        Place::Cut { .. } => continue,
                    };
                    let of_data = several && matches!(place, Place::Start { .. });
                    let shown = if of_data { format!("{own} of {}", data.name) } else { own.clone() };
                    let [lower, upper] = *bounds;
                    if unknowns.iter().any(|unknown: &Unknown| unknown.place == place) {
                        continue;
                    }
                    if lower.is_nan() || upper.is_nan() || lower >= upper {
                        return Err(Error::Bounds { name: shown, lower, upper });
                    }
                    unknowns.push(Unknown { name: own.clone(), shown, bounds: *bounds, place });
                    x.push(value.clamp(lower, upper));
                }
            }
        }
        if unknowns.is_empty() {
            let message = "nothing is free: name a parameter or an entry of the start".to_owned();
            return Err(Error::Nothing(message));
        }
        let free = unknowns.len();
        let mut pieces = Vec::new();
        for (number, (data, start, follows)) in recordings.iter().enumerate() {
            let own = Piece::cut((data, start, *follows), number, motions.step(), segments, &coordinates)?;
            pieces.extend(own);
        }
        for (piece, own) in pieces.iter().enumerate().filter(|(_, piece)| piece.joins) {
            for entry in (0..2).flat_map(|rate| (0..coordinates.len()).map(move |index| (rate == 1, index))) {
                let name = entry_name(&coordinates, entry);
                let shown = format!("{name} at t = {}", own.start.t);
                let bounds = [f64::NEG_INFINITY, f64::INFINITY];
                unknowns.push(Unknown { name, shown, bounds, place: Place::Cut { piece, entry } });
                x.push(of(&own.start, entry));
            }
        }
        let residuals = pieces.iter().map(|piece| piece.samples.len()).sum::<usize>();
        if residuals < free {
            let message = format!("{residuals} samples for {free} unknowns: free fewer numbers, or add data");
            return Err(Error::Nothing(message));
        }
        for (number, piece) in pieces.iter_mut().enumerate() {
            piece.own =
                (0..unknowns.len()).filter(|index| unknowns[*index].place.moves(number, piece)).collect();
        }
        let rows = |piece: &Piece| (piece.samples.len() + 2 * coordinates.len()) as u64;
        let slopes = pieces.iter().map(|piece| rows(piece).saturating_mul(piece.own.len() as u64));
        let needed = slopes.fold(0, u64::saturating_add).saturating_mul(OF_A_SLOPE);
        if needed > memory {
            return Err(Error::Memory { needed, memory });
        }
        let parameters = parameters.iter().map(|(_, value)| *value).collect();
        let names = recordings.iter().map(|(data, ..)| data.name.clone()).collect();
        let has_sigma =
            recordings.iter().flat_map(|(data, ..)| &data.columns).any(|column| column.sigma.is_some());
        Ok((
            Course { motions, parameters, unknowns, free, pieces, names, has_sigma, phase: Phase::Joined },
            x,
        ))
    }
}

/// The memory of a derivative in bytes, by rows and columns, in factors, and while they are made.
const OF_A_SLOPE: u64 = 100;

/// The problem, and the first guess.
type Prepared<M> = (Course<M>, Vec<f64>);

/// A recording with its start at the first guess, and true for the model's own start.
type Started = (Data, State, bool);

/// The recordings with their starts.
fn started<M: Motions>(
    motions: &M,
    parameters: &[(String, f64)],
    recordings: Vec<(Data, Option<State>)>,
) -> Result<Vec<Started>, Error<M::Error>> {
    let mut own = motions.starting().map_err(Error::Motion)?;
    let values: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    let started = |(data, start): (Data, Option<State>)| {
        let no_start = || Error::NoStart { data: data.name.clone() };
        let (start, follows) = match (start, &mut own) {
            (Some(start), _) => (start, false),
            (None, own) => (own.as_mut().ok_or_else(no_start)?(&values).map_err(Error::Motion)?, true),
        };
        Ok((data, start, follows))
    };
    recordings.into_iter().map(started).collect()
}

/// The names of a model.
struct Known<'n> {
    coordinates: &'n [String],
    parameters: &'n [(String, f64)],
}

impl Known<'_> {
    fn entries(&self) -> impl Iterator<Item = (String, Place)> {
        let entries =
            (0..2).flat_map(|rate| (0..self.coordinates.len()).map(move |index| (rate == 1, index)));
        entries.map(|entry| (entry_name(self.coordinates, entry), Place::Start { recording: 0, entry }))
    }

    /// The numbers of this name, or of the array or the vector with this name.
    fn named<E>(&self, name: &str) -> Result<Vec<(String, Place)>, Error<E>> {
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(index, (own, _))| (own.clone(), Place::Parameter(index)));
        let found: Vec<_> = parameters.chain(self.entries()).filter(|(own, _)| holds(name, own)).collect();
        if found.is_empty() {
            let own: Vec<&str> = self.parameters.iter().map(|(own, _)| own.as_str()).collect();
            let first = |names: &[&str], none: &str| {
                if names.is_empty() {
                    none.to_owned()
                } else {
                    format!("`{}`", names[..names.len().min(8)].join("`, `"))
                }
            };
            let coordinates: Vec<&str> = self.coordinates.iter().map(String::as_str).collect();
            let known = format!(
                "the start has {} and their velocities such as `der.{}`, and the sensitive parameters are {}",
                first(&coordinates, "nothing"),
                coordinates.first().unwrap_or(&"x"),
                first(&own, "none")
            );
            return Err(self.outside(name).unwrap_or(Error::UnknownName { name: name.to_owned(), known }));
        }
        Ok(found)
    }

    /// The refusal of an index beyond an array of the model or of its start.
    fn outside<E>(&self, name: &str) -> Option<Error<E>> {
        let (whole, _) = name.split_once('[')?;
        let entries = self.entries().map(|(own, _)| own);
        let all = self.parameters.iter().map(|(own, _)| own.clone()).chain(entries);
        let count = all.filter(|own| own.split_once('[').is_some_and(|(own, _)| own == whole)).count();
        (count > 0).then(|| Error::Index { name: name.to_owned(), whole: whole.to_owned(), count })
    }
}

/// Refuses data that are empty, or no numbers, or before the start.
fn check<E>(data: &Data, start: &State) -> Result<(), Error<E>> {
    let name = || data.name.clone();
    if data.columns.iter().all(|column| column.times.is_empty()) {
        let message = format!("{} has no samples: give rows with a time and columns", data.name);
        return Err(Error::Nothing(message));
    }
    let mut sigmas = data.columns.iter().map(|column| (&column.name, column.sigma));
    let has_one = data.columns.iter().any(|column| column.sigma.is_some());
    if let Some((column, sigma)) =
        sigmas.find(|(_, sigma)| sigma.map_or(has_one, |sigma| !(sigma.is_finite() && sigma > 0.0)))
    {
        let sigma = sigma.map_or_else(|| "missing".to_owned(), |sigma| sigma.to_string());
        return Err(Error::Sigma { column: column.clone(), sigma });
    }
    let columns = data.columns.iter();
    for (column, times, values) in
        columns.flat_map(|own| [("t", &own.times, &own.times), (&own.name, &own.times, &own.values)])
    {
        let (column, expected, found) = (column.to_owned(), times.len(), values.len());
        if found != expected {
            return Err(Error::Length { data: name(), column, found, expected });
        }
        if let Some(sample) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { data: name(), column, sample, value: values[sample] });
        }
    }
    let mut times = data.columns.iter().flat_map(|own| &own.times);
    if let Some(&time) = times.find(|time| **time < start.t) {
        return Err(Error::Outside { data: name(), time, start: start.t });
    }
    Ok(())
}
