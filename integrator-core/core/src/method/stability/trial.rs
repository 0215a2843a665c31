//! The trials of methods without a linear limit.

use super::linear::{OF_VERLET, frequency, frequency_at_rest, linear, newmark_linear, of_newmark};
use crate::method::contract::{Method, Stepper};
use crate::method::instability::{Cause, Instability};
use crate::system::{Lagrangian, Natural, State};

/// The steps of the [trial](super) of an implicit method.
pub const TRIAL: u32 = 120;
/// The steps of a run by the steps of its trials, at least.
const RUN_BY_TRIALS: u64 = 10;
/// The first step with a verdict: a sixth of the steps until then shows the size of the energies.
const TRIAL_BEGIN: usize = 36;

/// The growth of the change of the energy in a [trial](super) above which a run probably blows up.
pub const TRIAL_LIMIT: f64 = 50.0;

/// The linear limit of Newmark's family, or its trial where there is none.
pub(in crate::method) fn newmark<S: Natural + ?Sized, M: Method<S>>(
    method: &M,
    beta: f64,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    match of_newmark(beta) {
        Some(_) => newmark_linear(M::NAME, beta, system, state, step),
        None => tried(method, system, state, step, steps),
    }
}

/// The verdict of a [trial](super) of a method on a natural system.
pub(in crate::method) fn tried<S: Natural + ?Sized>(
    method: &impl Method<S>,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    let trials = trials(steps)?;
    if frequency(OF_VERLET / step, system, state).is_some_and(|omega| step * omega < OF_VERLET) {
        return None;
    }
    trial(method, system, state, step, trials, |State { t, q, v }| {
        let kinetic = 0.5 * system.mass().quadratic(v);
        let is_conserved = system.forced().is_none() && system.potential_rate(q, *t) == 0.0;
        is_conserved.then(|| (kinetic, kinetic + system.potential(q, *t)))
    })
}

/// The verdict of a [trial](super) of a method on any Lagrangian system without forces.
fn tried_on_lagrangian<S: Lagrangian + ?Sized>(
    method: &impl Method<S>,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    let trials = trials(steps).filter(|_| system.forced().is_none())?;
    let is_calm = |omega| step * omega < OF_VERLET;
    if system.natural_mass().is_some()
        && frequency_at_rest(OF_VERLET / step, system, state).is_some_and(is_calm)
    {
        return None;
    }
    let n = state.q.len();
    let mut gradient = vec![0.0; 2 * n + 1];
    // The kinetic energy is ½ v·∂L/∂v.
    trial(method, system, state, step, trials, |State { t, q, v }| {
        system.first_derivatives(q, v, *t, &mut gradient);
        let twice: f64 = gradient[n..2 * n].iter().zip(v).map(|(p, v)| p * v).sum();
        (gradient[2 * n] == 0.0).then(|| (0.5 * twice, twice - system.lagrangian(q, v, *t)))
    })
}

/// The verdict of a [trial](super), with the kinetic and the whole energy of a state.
///
/// `None` where the energy is not conserved, and where a step fails, which the run will tell itself.
fn trial<S: ?Sized, M: Method<S>>(
    method: &M,
    system: &S,
    state: &State,
    step: f64,
    trials: u64,
    mut energies: impl FnMut(&State) -> Option<(f64, f64)>,
) -> Option<Instability> {
    let (factor, longest) = beyond(TRIAL_LIMIT, step, trials, |step| {
        let (kinetic, first) = energies(state)?;
        let mut stepper = method.start(system, state.clone(), step).ok()?;
        // The largest energies until each step, from the start on.
        let mut largest = vec![kinetic + f64::EPSILON * first.abs()];
        let mut growth = 0.0_f64;
        for number in 1..=TRIAL as usize {
            stepper.step().ok()?;
            let (kinetic, energy) = energies(stepper.state())?;
            let change = (energy - first).abs();
            if !change.is_finite() {
                return Some(f64::INFINITY);
            }
            if number >= TRIAL_BEGIN && change > 0.0 {
                growth = growth.max(change / largest[number / 6]);
            }
            largest.push(largest[number - 1].max(change + kinetic));
        }
        Some(growth)
    })?;
    let cause = Cause::Growth { factor, limit: TRIAL_LIMIT, steps: TRIAL };
    Some(Instability { method: M::NAME, step, longest, cause })
}

/// The number of trials within a tenth of the steps of a run; `None` for a short run.
fn trials(steps: u64) -> Option<u64> {
    Some(steps / RUN_BY_TRIALS / u64::from(TRIAL)).filter(|count| *count > 0)
}

/// The number measured with a step, if it is beyond the limit, and the longest step within the limit.
///
/// The longest step is known to an eighth; where no trial
/// is left, it is half of the last step beyond the limit.
fn beyond(
    limit: f64,
    step: f64,
    trials: u64,
    mut measured: impl FnMut(f64) -> Option<f64>,
) -> Option<(f64, f64)> {
    let number = measured(step).filter(|number| *number > limit)?;
    let mut left = trials - 1;
    let mut passes = |step: f64| {
        left = left.checked_sub(1)?;
        Some(measured(step).is_some_and(|number| number <= limit))
    };
    // Between two powers of two, and then by halving.
    let mut longest = step;
    for _ in 0..30 {
        longest *= 0.5;
        if passes(longest).unwrap_or(true) {
            break;
        }
    }
    let mut length = 0.5 * longest;
    for _ in 0..2 {
        longest += if passes(longest + length).unwrap_or(false) { length } else { 0.0 };
        length *= 0.5;
    }
    Some((number, longest))
}

/// The linear limit 2/√(Σ w (1 − 2 θ)²) of a variational integrator with the nodes θ and the weights w,
/// whose sum is given; its trial where that is zero.
pub(in crate::method) fn variational<S: Lagrangian + ?Sized, M: Method<S>>(
    method: &M,
    sum: f64,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    if sum == 0.0 {
        return tried_on_lagrangian(method, system, state, step, steps);
    }
    let limit = OF_VERLET / sum.sqrt();
    linear(M::NAME, step, frequency_at_rest(limit / step, system, state)?, limit)
}
