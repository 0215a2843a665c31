//! Losses: numbers of a motion to differentiate.

use super::names::{direction, first_names};
use crate::drive::Recording;
use crate::error::errors;
use crate::expr::Scalar;
use crate::system::Layout;
use thiserror::Error;

/// A state of a motion, for a loss.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'m> {
    /// The number of steps done; 0 at the start.
    pub step: u64,
    /// The number of steps of the motion.
    pub of: u64,
    /// The time.
    pub t: f64,
    /// The positions, of length n.
    pub q: &'m [f64],
    /// The velocities, of length n.
    pub v: &'m [f64],
}

/// A number J = Σ φ_k(q_k, v_k) of a motion, a sum over its states.
pub trait Loss {
    /// Prepares for a motion of so many steps of this size, from this time on.
    ///
    /// # Errors
    /// The loss does not fit the motion.
    fn begin(&mut self, _layout: &Layout, _start: f64, _step: f64, _steps: u64) -> Result<(), LossError> {
        Ok(())
    }

    /// True if φ_k is not zero for all states.
    fn sees(&self, step: u64, of: u64) -> bool;

    /// Returns φ_k, and **adds** ∂φ_k/∂q and ∂φ_k/∂v to both slices of length n.
    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64;
}

errors! {
    /// A loss that does not fit the motion.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    LossError:

    /// No coordinate has this name.
    #[error("the loss reads `{name}`, and the model has no such number: it has {known}")]
    UnknownName { name: String = "The name.", known: String = "The first names of the model." },
    /// A column has not a number for each time.
    #[error("the column `{name}` has {found} numbers for {expected} times: give one for each, NaN for none")]
    Length {
        name: String = "The name of the column.",
        expected: usize = "The times.",
        found: usize = "The numbers.",
    },
    /// A datum lies between two steps.
    #[error(
        "the data have a row at t = {time}, which is no step of the motion: steps of {step} from t = {start} have t = {before} before it; \
         take a step that divides the times of the data"
    )]
    BetweenSteps {
        time: f64 = "The time of the datum.",
        step: f64 = "The step.",
        start: f64 = "The start.",
        before: f64 = "The last step before the datum.",
    },
    /// A datum lies outside the motion.
    #[error(
        "the data have a row at t = {time}, and the motion goes from {start} to {end}: shorten the data or lengthen the motion"
    )]
    Outside {
        time: f64 = "The time of the datum.",
        start: f64 = "The start of the motion.",
        end: f64 = "Its end.",
    },
}

/// ½ w (x − x*)² of an entry x of q, or of v after `der.`, at the end of the motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    name: String,
    wanted: f64,
    weight: f64,
    place: (bool, usize),
}

impl Target {
    /// With the weight 1.
    pub fn new(name: impl Into<String>, wanted: f64) -> Self {
        Self { name: name.into(), wanted, weight: 1.0, place: (false, 0) }
    }

    /// With the weight w.
    #[must_use]
    pub fn weighted(self, weight: f64) -> Self {
        Self { weight, ..self }
    }
}

impl Loss for Target {
    fn begin(&mut self, layout: &Layout, _: f64, _: f64, _: u64) -> Result<(), LossError> {
        self.place = find(layout, &self.name)?;
        Ok(())
    }

    fn sees(&self, step: u64, of: u64) -> bool {
        step == of
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let (is_velocity, index) = self.place;
        let (x, slope) = if is_velocity { (at.v, of_v) } else { (at.q, of_q) };
        let miss = x[index] - self.wanted;
        slope[index] += self.weight * miss;
        0.5 * self.weight * miss * miss
    }
}

/// ½ Σ w (x − x*)² over the rows and some columns of data, such as a [`Recording`].
#[derive(Debug, Clone, PartialEq)]
pub struct Squares {
    times: Vec<f64>,
    columns: Vec<(String, f64, Vec<f64>)>,
    places: Vec<(bool, usize)>,
    /// The row of the data at each step that has one, in the order of the steps.
    rows: Vec<(u64, usize)>,
}

impl Squares {
    /// Data at these times.
    pub fn at(times: Vec<f64>) -> Self {
        Self { times, columns: Vec::new(), places: Vec::new(), rows: Vec::new() }
    }

    /// The positions of a recording, with the weight 1.
    pub fn of(recording: &Recording) -> Self {
        let times = recording.times().collect();
        let positions = recording.names().iter().filter(|name| *name != "t" && !name.starts_with("der."));
        let columns = positions.filter_map(|name| Some((name.clone(), 1.0, recording.column(name)?)));
        Self { columns: columns.collect(), ..Self::at(times) }
    }

    /// Adds a column: an entry of q, or of v after `der.`, its weight, and a number for each time; NaN
    /// where there is none.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, weight: f64, values: Vec<f64>) -> Self {
        self.columns.push((name.into(), weight, values));
        self
    }
}

impl Loss for Squares {
    fn begin(&mut self, layout: &Layout, start: f64, step: f64, steps: u64) -> Result<(), LossError> {
        /// The largest distance of a datum from its step, as a part of the step.
        const NEAR: f64 = 1e-6;
        self.places = self.columns.iter().map(|(name, _, _)| find(layout, name)).collect::<Result<_, _>>()?;
        let expected = self.times.len();
        if let Some((name, _, values)) = self.columns.iter().find(|(.., values)| values.len() != expected) {
            return Err(LossError::Length { name: name.clone(), expected, found: values.len() });
        }
        self.rows.clear();
        for (row, &time) in self.times.iter().enumerate() {
            let number = (time - start) / step;
            let nearest = number.round();
            if (number - nearest).abs() > NEAR * nearest.abs().max(1.0) {
                let before = start + number.floor() * step;
                return Err(LossError::BetweenSteps { time, step, start, before });
            }
            if !(0.0..=steps as f64).contains(&nearest) {
                return Err(LossError::Outside { time, start, end: start + steps as f64 * step });
            }
            #[expect(clippy::cast_sign_loss, reason = "in the range above")]
            self.rows.push((nearest as u64, row));
        }
        self.rows.sort_unstable();
        Ok(())
    }

    fn sees(&self, step: u64, _: u64) -> bool {
        self.rows.binary_search_by_key(&step, |(step, _)| *step).is_ok()
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let first = self.rows.partition_point(|(step, _)| *step < at.step);
        let own = self.rows[first..].iter().take_while(|(step, _)| *step == at.step);
        let mut loss = 0.0;
        for &(_, row) in own {
            for ((_, weight, values), &(is_velocity, index)) in self.columns.iter().zip(&self.places) {
                let value = values[row];
                if value.is_nan() {
                    continue;
                }
                let (x, slope) = if is_velocity { (at.v, &mut *of_v) } else { (at.q, &mut *of_q) };
                let miss = x[index] - value;
                slope[index] += weight * miss;
                loss += 0.5 * weight * miss * miss;
            }
        }
        loss
    }
}

/// A function φ(q, v) of scalars, at the end of the motion or as the mean over its states.
///
/// [Scalars](Scalar) are dual numbers with the functions of a declaration: `sqrt`, `sin`, `atan2` and
/// the others.
///
/// ```
/// use least_action::drive::gradient::{Function, differentiate};
/// use least_action::method::Verlet;
/// use least_action::prelude::*;
///
/// struct Oscillator { stiffness: f64 }
///
/// #[lagrangian(sensitive(stiffness))]
/// impl Oscillator {
///     fn lagrangian(&self, x: Scalar) -> Scalar {
///         0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
///     }
/// }
///
/// let system = Oscillator { stiffness: 4.0 }.bind()?;
/// let start = State { t: 0.0, q: vec![1.0], v: vec![0.0] };
/// let mut kinetic = Function::mean(|_, v| v[0] * v[0] * 0.5);
/// let motion = differentiate(&system, &Verlet, start, 0.01)?.until(10.0);
/// let gradient = motion.gradient(&mut kinetic)?;
/// // The mean of ½ ẋ² is ¼ k over many periods.
/// assert!((gradient.value - 1.0).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Function<F> {
    value: F,
    is_mean: bool,
    /// q and v.
    state: [Vec<Scalar<f64>>; 2],
}

impl<F: FnMut(&[Scalar<f64>], &[Scalar<f64>]) -> Scalar<f64>> Function<F> {
    /// φ at the end.
    pub fn end(value: F) -> Self {
        Self { value, is_mean: false, state: [Vec::new(), Vec::new()] }
    }

    /// The mean of φ over all states, the first and the last with half of the weight.
    pub fn mean(value: F) -> Self {
        Self { is_mean: true, ..Self::end(value) }
    }
}

impl<F: FnMut(&[Scalar<f64>], &[Scalar<f64>]) -> Scalar<f64>> Loss for Function<F> {
    fn sees(&self, step: u64, of: u64) -> bool {
        self.is_mean || step == of
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let Self { value, is_mean, state } = self;
        let half = if at.step == 0 || at.step == at.of { 0.5 } else { 1.0 };
        let weight = if *is_mean { half / at.of as f64 } else { 1.0 };
        for (own, x) in state.iter_mut().zip([at.q, at.v]) {
            own.clear();
            own.extend(x.iter().map(|x| Scalar::from(*x)));
        }
        let mut found = 0.0;
        for (part, slopes) in [of_q, of_v].into_iter().enumerate() {
            for (index, slope) in slopes.iter_mut().enumerate() {
                let here = state[part][index];
                state[part][index] = Scalar::new(here.value(), 1.0);
                let moved = value(&state[0], &state[1]);
                state[part][index] = here;
                *slope += weight * moved.rate();
                found = moved.value();
            }
        }
        weight * found
    }
}

fn find(layout: &Layout, name: &str) -> Result<(bool, usize), LossError> {
    let unknown = || LossError::UnknownName { name: name.to_owned(), known: first_names(layout) };
    direction(layout, name).ok_or_else(unknown)
}
