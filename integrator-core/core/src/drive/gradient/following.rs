//! A start that follows the parameters of its model.

use super::result::{Gradient, GradientError};
use crate::system::State;
use std::fmt::Display;

/// Gives the start of a model for some values of all its sensitive parameters.
pub type Starting<'s, E> = Box<dyn FnMut(&[f64]) -> Result<State, E> + 's>;

/// The start that a model has for its parameters, with its derivatives by them.
///
/// The start is ordinary code, so that central differences of several lengths, extrapolated by
/// Richardson, give the derivatives. Each entry takes the length at which two neighbours agree best.
#[derive(Debug, Clone, PartialEq)]
pub struct Following {
    /// The start.
    pub state: State,
    /// ∂q₀/∂θ and ∂v₀/∂θ by the number of each parameter on which the start depends.
    slopes: Vec<(usize, [Vec<f64>; 2])>,
}

/// The lengths of the differences, as parts of a parameter.
const PARTS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

impl Following {
    /// The start at these parameters, with the derivatives by the ones of some numbers.
    ///
    /// # Errors
    /// The code of the start fails, or has no derivative by one of them.
    pub fn of<E: Display>(
        start: &mut dyn FnMut(&[f64]) -> Result<State, E>,
        parameters: &[(String, f64)],
        by: impl IntoIterator<Item = usize>,
    ) -> Result<Self, GradientError> {
        let mut values: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
        let refused =
            |of: usize, reason: String| GradientError::Start { parameter: parameters[of].0.clone(), reason };
        let failed = |error: E| GradientError::OwnStart { reason: error.to_string() };
        let (state, mut slopes) = (start(&values).map_err(failed)?, Vec::new());
        for number in by {
            let value = values[number];
            let unit = if value == 0.0 { 1.0 } else { value.abs() };
            let mut at = |change: f64| {
                values[number] = value + change;
                let found = start(&values);
                values[number] = value;
                found.map_err(|error| error.to_string()).and_then(|found| fitting(found, &state))
            };
            let is_fixed =
                [1.0, -1.0].map(|side| at(side * PARTS[0] * unit)) == [(); 2].map(|()| Ok(state.clone()));
            if is_fixed {
                continue;
            }
            let (mut found, mut reason) = (Vec::new(), "its values are not finite beside it".to_owned());
            for length in PARTS.map(|part| part * unit) {
                match extrapolated(&mut at, length) {
                    Ok(slope) if slope.iter().all(|entry| entry.is_finite()) => found.push(slope),
                    Ok(_) => {}
                    Err(error) => reason = error,
                }
            }
            let best = |entry: usize| {
                let pairs =
                    found.windows(2).map(|pair| (pair[0][entry], (pair[1][entry] - pair[0][entry]).abs()));
                pairs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(slope, _)| slope)
            };
            let all: Option<Vec<f64>> = (0..state.q.len() + state.v.len()).map(best).collect();
            let mut of_q = all.ok_or_else(|| refused(number, reason))?;
            let of_v = of_q.split_off(state.q.len());
            slopes.push((number, [of_q, of_v]));
        }
        Ok(Self { state, slopes })
    }

    /// ∂q₀/∂θ and ∂v₀/∂θ by the number of a parameter; empty where the start does not depend on it.
    pub fn by(&self, parameter: usize) -> [&[f64]; 2] {
        let own = self.slopes.iter().find(|(number, _)| *number == parameter);
        own.map_or([&[]; 2], |(_, slopes)| slopes.each_ref().map(Vec::as_slice))
    }

    /// The numbers of the parameters on which the start depends.
    pub fn parameters(&self) -> impl Iterator<Item = usize> {
        self.slopes.iter().map(|(number, _)| *number)
    }
}

impl Gradient {
    /// The gradient by parameters that the start follows: ∂J/∂θ + ∂J/∂q₀ · ∂q₀/∂θ + ∂J/∂v₀ · ∂v₀/∂θ.
    #[must_use]
    pub fn following(mut self, start: &Following) -> Self {
        for ((number, slopes), of_start) in start.slopes.iter().map(|own| (own, [&self.q, &self.v])) {
            let terms = slopes.iter().flatten().zip(of_start.into_iter().flatten());
            let change: f64 = terms.map(|(slope, of_start)| slope * of_start).sum();
            // A method without derivatives by parameters has none to change.
            self.parameters.get_mut(*number).into_iter().for_each(|own| *own += change);
        }
        self
    }
}

/// A start with as many entries as another one, at the same time.
fn fitting(found: State, other: &State) -> Result<State, String> {
    if (found.q.len(), found.v.len()) != (other.q.len(), other.v.len()) {
        Err("the number of its entries changes".to_owned())
    } else if found.t.to_bits() == other.t.to_bits() {
        Ok(found)
    } else {
        Err("its time changes".to_owned())
    }
}

/// The slopes of q and v by central differences of a length and of its half.
fn extrapolated(at: &mut dyn FnMut(f64) -> Result<State, String>, length: f64) -> Result<Vec<f64>, String> {
    let mut central = |length: f64| {
        let [ahead, behind] = [at(length)?, at(-length)?];
        let pairs = ahead.q.iter().chain(&ahead.v).zip(behind.q.iter().chain(&behind.v));
        Ok::<Vec<f64>, String>(pairs.map(|(a, b)| (a - b) / (2.0 * length)).collect())
    };
    let (whole, half) = (central(length)?, central(0.5 * length)?);
    Ok(half.iter().zip(whole).map(|(half, whole)| half + (half - whole) / 3.0).collect())
}
