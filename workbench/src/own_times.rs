//! The times of a model at a state: how fast it oscillates, and how long its motion as a whole takes.

use least_action::method::stability::{fastest_frequency, fastest_tangential_frequency};
use least_action::method::{Method as _, Reference, Stepper as _};
use least_action::system::{Kind, State};

use crate::registry::Instance;

/// A frequency below this part of the rate at which a start moves, or would move by its forces alone, is
/// the rounding of a motion that has none, such as a linkage on its dead top or a structure at rest.
const ROUNDING: f64 = 1e-6;

/// The fastest frequency at the start: of the linearized system where its mass is constant, or as fast
/// as the state changes, or would change without constraints.
pub(crate) fn frequency(instance: &Instance, state: &State) -> Option<f64> {
    let linear = match (instance.system.faces().constrained, instance.system.faces().natural) {
        (Some(constrained), _) => fastest_tangential_frequency(constrained, state),
        (None, Some(natural)) => fastest_frequency(natural, state),
        (None, None) => None,
    };
    let (of_q, of_v) = (size(&state.q), size(&state.v));
    let forced = forced_frequency(instance, state);
    let rounding = ROUNDING * forced.max(if of_q > 0.0 { of_v / of_q } else { 0.0 });
    let is_motion = |omega: &f64| omega.is_finite() && *omega > rounding;
    let changes = || rate_of_change(instance, state).filter(is_motion);
    linear.filter(is_motion).or_else(changes).or((forced > 0.0).then_some(forced))
}

/// √(|a| / |q|) by the forces and the mass of a start at rest, without constraints; zero if unknown.
fn forced_frequency(instance: &Instance, State { t, q, .. }: &State) -> f64 {
    let system = instance.system.lagrangian();
    let rest = vec![0.0; q.len()];
    let mut forces = vec![0.0; 2 * q.len() + 1];
    system.first_derivatives(q, &rest, *t, &mut forces);
    forces.truncate(q.len());
    if let Some(forced) = system.forced() {
        forced.add_force(q, &rest, *t, &mut forces);
    }
    let square = forces.iter().map(|force| force * force).sum::<f64>();
    // ½ F·M F
    let kinetic = system.energy(q, &forces, *t) - system.energy(q, &rest, *t);
    let found = (0.5 * size(&forces) * square / kinetic / size(q)).sqrt();
    if found.is_finite() { found } else { 0.0 }
}

/// The rate at which the state changes at first, as parts of its size: the change over a time so short
/// that it is small.
fn rate_of_change(instance: &Instance, state: &State) -> Option<f64> {
    /// The change that is looked for.
    const CHANGE: f64 = 0.01;
    /// The time of rest, in units of the one in which forces alone would move the masses.
    const REST: f64 = 1e3;
    let above = |size: f64, least: f64| if size > least { size } else { 1.0 };
    let state = &settled(instance, state)?;
    let (of_q, forced) = (above(size(&state.q), 0.0), forced_frequency(instance, state));
    // A velocity that moves nothing in the longest time is none.
    let of_v = above(size(&state.v), of_q * (ROUNDING * forced).max(CHANGE * 2.0_f64.powi(-40)));
    // From the shortest time up, so that nothing long is computed, until all is at rest.
    let mut times = (-40..=40).map(|power| 2.0_f64.powi(power)).take_while(|time| time * forced < REST);
    times.find_map(|time| {
        let after = after(instance, state, time)?;
        let change = |before: &[f64], after: &[f64], size: f64| {
            before.iter().zip(after).fold(0.0_f64, |most, (before, after)| most.max((after - before).abs()))
                / size
        };
        let change = change(&state.q, &after.q, of_q).max(change(&state.v, &after.v, of_v));
        (change > CHANGE).then(|| change / time)
    })
}

/// A time of two digits.
pub(crate) fn rounded(time: f64) -> f64 {
    // As it is printed, so that it can be repeated.
    format!("{time:.1e}").parse().unwrap_or(time)
}

/// The frequency of the motion as a whole: |v| beside |q|, or √(|a| / |q|), whichever is faster.
/// Places and numbers are measured from the mean of their coordinate, unless all of them are the same.
/// The acceleration is the change of v while the fastest frequency, `omega`, turns little.
pub(crate) fn slow_frequency(instance: &Instance, state: &State, omega: f64) -> Option<f64> {
    /// A spread below this part of the positions is rounding.
    const SPREAD: f64 = 1e-9;
    let time = 0.01 / omega;
    let state = &settled(instance, state)?;
    let after = after(instance, state, time)?;
    let norm = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>().sqrt();
    let mut spread = state.q.clone();
    let coordinates = instance.system.lagrangian().layout().coordinates().iter();
    for coordinate in coordinates.filter(|coordinate| coordinate.kind != Kind::Angle) {
        let (components, begin) = (coordinate.kind.components(), coordinate.offset);
        let count = coordinate.size() / components.max(1);
        for component in (0..components).filter(|_| count > 1) {
            let places = || (0..count).map(|k| begin + k * components + component);
            let mean = places().map(|place| state.q[place]).sum::<f64>() / count as f64;
            places().for_each(|place| spread[place] -= mean);
        }
    }
    let [spread, whole] = [&spread, &state.q].map(|numbers| norm(&mut numbers.iter().copied()));
    let of_q = if spread > SPREAD * whole { spread } else { whole };
    let of_v = norm(&mut state.v.iter().copied());
    let of_a = norm(&mut after.v.iter().zip(&state.v).map(|(after, before)| (after - before) / time));
    let found = (of_v / of_q).max((of_a / of_q).sqrt());
    (found.is_finite() && found > ROUNDING * forced_frequency(instance, state)).then_some(found)
}

/// The state with the velocities after the shortest time: those of coordinates without mass follow from
/// the forces at once, whatever the start says of them.
fn settled(instance: &Instance, state: &State) -> Option<State> {
    let time = 2.0_f64.powi(-50);
    after(instance, state, time).map(|settled| State { v: settled.v, ..state.clone() })
}

/// The state after so much time.
fn after(instance: &Instance, state: &State, time: f64) -> Option<State> {
    let system = instance.system.lagrangian();
    let mut stepper = Reference { tolerance: 1e-6 }.start(system, state.clone(), time).ok()?;
    stepper.step().ok()?;
    Some(stepper.state().clone())
}

/// The largest of the numbers, by magnitude.
fn size(of: &[f64]) -> f64 {
    of.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()))
}
