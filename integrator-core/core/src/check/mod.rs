//! Self-checks: every derivative of a bound model beside dual numbers.

pub(crate) mod compare;
mod entries;
pub(crate) mod noise;
mod quantities;
mod quantity;
mod random;

pub use compare::Comparison;

use crate::binding::{Bound, Model};
use crate::error::StartError;
use crate::expr::Oracle;
use crate::system::{Coordinate, Faces, Layout, State};
use crate::wrap::Penalized;
use entries::WithPenalty;
use quantities::Check;
use random::Random;

/// Compares all quantities of the kernels of `model` at `state`.
///
/// `system` must be `model`, bound; `seed` chooses directions and weights.
/// A sum with random weights compares all entries of a quantity at once: the time grows with the
/// elements of the system and not with their square.
/// Where a sum differs, halving finds the entry at fault.
///
/// Where the system [does not afford](crate::system::System::affords_second_derivatives) second
/// derivatives, their products with a direction are compared.
///
/// # Shapes
/// A state whose length is not the dimension of the system gives no comparison.
pub fn check<M: Model + Oracle>(model: &M, system: &Bound<M>, state: &State, seed: u64) -> Vec<Comparison> {
    check_with_progress(model, system.faces(), state, seed, &mut |_| {})
}

/// As [`check`], for a declaration of any kind with its bound system; calls `progress` with the name of
/// each quantity before its comparison.
pub fn check_with_progress<M: Oracle>(
    model: &M,
    system: Faces<'_>,
    state: &State,
    seed: u64,
    progress: &mut dyn FnMut(&'static str),
) -> Vec<Comparison> {
    let check = Check {
        duals: model,
        system: system.mechanics,
        natural: system.natural,
        stiff: system.stiff,
        constrained: system.holonomic,
        state,
        random: Random::new(seed),
        progress,
        found: Vec::new(),
    };
    check.all()
}

/// As [`check_with_progress`], for the system with the penalty ½ ω² |g|² instead of its constraints.
///
/// `None` if it has no constraints, or a mass that is not constant.
///
/// # Errors
/// `omega` is not positive and finite.
pub fn check_penalized<M: Oracle>(
    model: &M,
    system: Faces<'_>,
    omega: f64,
    state: &State,
    seed: u64,
    progress: &mut dyn FnMut(&'static str),
) -> Result<Option<Vec<Comparison>>, StartError> {
    let Some(constrained) = system.constrained else { return Ok(None) };
    let penalized = Penalized::new(constrained, omega)?;
    let check = Check {
        duals: &WithPenalty { model, stiffness: penalized.stiffness() },
        system: &penalized,
        natural: Some(&penalized),
        stiff: Some(&penalized),
        constrained: None,
        state,
        random: Random::new(seed),
        progress,
        found: Vec::new(),
    };
    Ok(Some(check.all()))
}

/// A state near another one: moves positions by a hundredth of their lengths, velocities by a tenth.
///
/// Models start at rest on a regular figure, where many derivatives are zero.
pub fn nearby(layout: &Layout, state: &State, seed: u64) -> State {
    let mut random = Random::new(seed);
    let mut near = state.clone();
    for group in layout.coordinates() {
        let range = group.offset..group.offset + group.size();
        let or_one = |length: f64| if length > 0.0 { length } else { 1.0 };
        let (of_q, of_v) = (or_one(spacing(group, &state.q)), or_one(largest(group, &state.v)));
        for index in range.clone() {
            if let (Some(q), Some(v)) = (near.q.get_mut(index), near.v.get_mut(index)) {
                *q += 0.01 * of_q * random.signed();
                *v += 0.1 * of_v * random.signed();
            }
        }
    }
    near
}

/// The largest magnitude within a coordinate.
fn largest(group: &Coordinate, values: &[f64]) -> f64 {
    let own = values.get(group.offset..group.offset + group.size());
    own.into_iter().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// The length in which an entry of a coordinate moves: the length of the figure, or less where many
/// points make it.
///
/// Neighbours of n points are the nth part of a figure apart
/// if it is a chain, and n^(−1/3) of it if it fills space.
fn spacing(group: &Coordinate, values: &[f64]) -> f64 {
    let points = group.size() / group.kind.components();
    largest(group, values) / (points.max(1) as f64).sqrt()
}
