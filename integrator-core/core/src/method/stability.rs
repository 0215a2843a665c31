//! Steps that are too long, found before the first one: the fastest frequency of a system beside what a method bears.
//!
//! # The linear limit
//!
//! Near a state q the system moves as M δ̈ = −Hess V(q) δ, with the frequencies ω of M⁻¹ Hess V; under constraints as that on
//! the tangent space, where −λ·Hess g adds to Hess V the stiffness by forces of the constraints that turn with the rods (a
//! hanging chain vibrates by its tension alone). A method bears h ω up to a number of its own, and beyond it grows
//! exponentially:
//!
//! | method | h ω below |
//! |---|---|
//! | Verlet, SHAKE, RATTLE, variational Euler and trapezoid | 2 |
//! | Newmark, Zhang–Skeel and their kin with β < 1/4 | (1/4 − β)^(−1/2) |
//! | the same with β ≥ 1/4, implicit and variational midpoint | any number |
//! | stiff Zhang–Skeel | 2, with M + β h² Hess V₁ instead of M |
//!
//! # The limit of Zhang–Skeel in stiff use
//!
//! The correction of [`ZhangSkeel`](super::ZhangSkeel) is one Newton iteration for the force of push-forward Newmark, whose positions are
//! displaced from the true ones by d = c q̈, c = β h². It can stand for the solution as long as Hess V changes little
//! on the way, that is while c V‴·d is small against M + c Hess V, of which M is all there is in directions without stiffness.
//! So the number to look at is
//!
//! ```text
//! N = c ρ(M⁻¹ V‴·d),   d = c a + √c u,
//! (M + c Hess V) a = −∇V − c v·V‴·v,   (M + c Hess V) u = c Hess V v,
//! ```
//!
//! where ρ is the largest magnitude of an eigenvalue. a is the smooth acceleration, with the bending of the path at the velocity v;
//! u is the part of v in stiff directions, which swing with the amplitude √c u, since their frequency in the method is 1/√c.
//! For a penalty N is a multiple of (β h² ω)².
//!
//! Measured on double pendulums, chains, water, a rigid body and a double spring with penalties ω from 10 to 2000, and on nets, rings, springs
//! and clusters of atoms: of the steps with which 500 do not blow up, the longest has N between 0.035 and 0.77, so that the
//! step at which N = 0.25, [`CORRECTION_LIMIT`], is between 0.82 and 1.8 times the longest.
//!
//! # The trial of implicit methods
//!
//! Newmark's family with β ≥ 1/4 and the midpoint rules bear every step on a linear system, and what they bear where Hess V turns with
//! the motion follows from no number of one state: a linearly implicit step, or one that goes from branch to branch of its
//! equations, adds energy to the stiff motion, in bursts.  So the first steps are taken, [`TRIAL`] of a system with a thousand degrees of
//! freedom or fewer, and a step is too long if the change of the energy after any number of them is more than [`TRIAL_LIMIT`] times that in
//! the first sixth of this number, with the kinetic energy there: on a linear system it grows with the square of the number of steps at
//! most, by 36.  A potential that depends on time gives no such verdict.
//!
//! Measured on the penalties of a double pendulum, a chain and a triangle, ω from 20 to 1000, with `newmark`, `-linear-a`, `-linear-b`,
//! `zhang-skeel-simplified` and `implicit-midpoint`: of steps with which a thousand do not blow up none is warned of; of those twice as
//! long as the longest of them, between half and four fifths are. The others fail later, which the
//! [watch](crate::drive::Watch) sees.
//!
//! Trials cost their steps, a tenth of the steps of the run at most.
//! A shorter run has its watch, and no trial; few trials leave the longest step less closely known.
//! Most steps need none: with h ω below 2 even a method without implicit forces would bear the step, and
//! the bursts are those of motions that are faster by far.  Twenty gradients at most tell that ω is far below 2/h, or one matrix of
//! second derivatives, where a method has them anyway; then there is no trial.
//!
//! # The trial of push-forward Newmark
//!
//! With β ≥ 1/4 it does not blow up: it keeps an energy near ½ v·M v + U(x) for ever, where U(x) = min over a of ½ c a·M a + V(x + c a) with c = β h².
//! At long steps the energy at the positions x, which are displaced from the true ones by c a, is off by V(x) − U(x), a number that comes and
//! goes with the motion: it grows from almost nothing, so that growth, by which the others are judged, gives false alarms.  So the number
//! itself is measured over the [`TRIAL`]: the mean of |E − E₀| by the mean kinetic energy, which is too large above [`DISPLACEMENT_LIMIT`], three
//! times as much as the watch believes.  With h ω below 1 it is less than a fifth of V in every mode, and there is no trial.
//!
//! Measured with a hundred steps on penalties, springs, atoms, pendulums and orbits: where it is above a tenth, the number of 120 steps, or of 48, is
//! within a third of that of some thousands; of runs within the tenth that the watch believes none is warned of.
//!
//! # What this is not
//!
//! A bound: it is an estimate at one state. A run may reach states that are stiffer, and a curved potential or a
//! resonance may shorten the steps that it bears.

use super::applied::Instant;
use super::check::check_state;
use super::constraint::Manifold;
use super::contract::{Method, Stepper};
pub use super::instability::{Cause, Instability};
use super::linearly_implicit::LinearlyImplicit;
use super::mass_solver::MassSolver;
use super::report::Evaluations;
use super::spectrum::Ends;
use crate::error::StepError;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Constrained, Lagrangian, Natural, State, Stiff};

/// The largest h ω that velocity Verlet bears, and SHAKE and RATTLE on a manifold.
pub(super) const OF_VERLET: f64 = 2.0;

/// The h ω below which push-forward Newmark displaces positions so little that its energy need not be measured.
const ACCURATE: f64 = 1.0;

/// The most steps of the [trial](self) of an implicit method.
pub const TRIAL: u32 = 120;
/// And the fewest, of large systems.
const SHORT_TRIAL: u32 = 48;
/// Steps times degrees of freedom in a trial, between both.
const TRIAL_WORK: usize = 120_000;
/// The steps of a run by the steps of its trials, at least.
const RUN_BY_TRIALS: u64 = 10;
/// The first steps after which the change is judged: a sixth of them has seen how large the energies are.
const TRIAL_BEGIN: usize = 36;

/// The growth of the change of the energy in a [trial](self) above which the run is taken to blow up.
pub const TRIAL_LIMIT: f64 = 50.0;

/// The energy of push-forward Newmark in its [trial](self) that is off, by the kinetic energy, above which a step is too long.
pub const DISPLACEMENT_LIMIT: f64 = 0.3;

/// The number N of the [limit of Zhang–Skeel](self) above which it tends to blow up.
pub const CORRECTION_LIMIT: f64 = 0.25;

/// The fastest frequency ω at a state, of M δ̈ = −Hess V δ: ω² is the largest eigenvalue of M⁻¹ Hess V, and ω is zero where none is
/// positive.  Found by Lanczos' iteration with products alone, to about three digits, from below.
///
/// `None` where the state does not fit, Hess V is not finite, or M has no factors.
pub fn fastest_frequency<S: Natural + ?Sized>(system: &S, state: &State) -> Option<f64> {
    check_state(system, state).ok()?;
    let mut mass = MassSolver::new(system, system.mass()).ok()?;
    let ends = Ends::of(system.mass(), |x, product| {
        system.potential_product(&state.q, state.t, x, product);
        mass.apply(product).ok()
    })?;
    Some(ends.largest.max(0.0).sqrt())
}

/// The fastest frequency on the constraint manifold: of the tangential part of Hess V − λ·Hess g, with the multipliers λ at the state.
///
/// `None` where the state does not fit, or the matrix of the constraints is singular.
pub fn fastest_tangential_frequency<S: Constrained + ?Sized>(system: &S, state: &State) -> Option<f64> {
    let ends = tangential(system, state, |apply| Ends::of(system.mass(), apply))??;
    Some(ends.largest.max(0.0).sqrt())
}

/// The judgement of the operator on the constraint manifold whose largest eigenvalue is the square of the fastest frequency.
fn tangential<S: Constrained + ?Sized, J>(
    system: &S,
    state: &State,
    judge: impl FnOnce(&mut dyn FnMut(&[f64], &mut [f64]) -> Option<()>) -> J,
) -> Option<J> {
    check_state(system, state).ok()?;
    let State { t, q, v } = state;
    let mut manifold = Manifold::new(system).ok()?;
    manifold.evaluate(q, *t);
    manifold.settle().ok()?;
    let mut tangent = vec![0.0; q.len()];
    manifold.free_acceleration(q, v, *t, &mut tangent);
    // −λ, the weights of Hess g.
    let mut weights = vec![0.0; system.constraints()];
    manifold.multipliers(q, v, *t, &tangent, &mut weights);
    for weight in &mut weights {
        *weight = -*weight;
    }
    Some(judge(&mut |x, product| {
        tangent.copy_from_slice(x);
        manifold.remove_normal(&mut tangent);
        system.potential_product(q, *t, &tangent, product);
        system.add_weighted_product(q, *t, &weights, &tangent, product);
        // The inverse of the mass comes with a sign here, and takes one away below.
        manifold.apply_negative_inverse_mass(product);
        manifold.remove_normal(product);
        for entry in product {
            *entry = -*entry;
        }
        Some(())
    }))
}

/// True if it is soon clear that the fastest frequency is below a bound: most steps are far from their limit, and an accurate frequency costs a
/// large system as much as a hundred steps.
///
/// Products are differences of gradients, which are evaluated in every step and so are compiled for registers; the first is compared with
/// the exact one.
fn is_far_below<S: Natural + ?Sized>(bound: f64, system: &S, state: &State) -> bool {
    // The part by which differences may be off. Over the square root of the rounding of positions they are better, unless forces vary over a small
    // part of the distance from the origin.
    const RIGHT: f64 = 0.01;
    let State { t, q, .. } = state;
    let largest = |x: &[f64]| x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let length = f64::EPSILON.sqrt() * largest(q);
    let (Ok(()), Ok(mut mass)) = (check_state(system, state), MassSolver::new(system, system.mass())) else {
        return false;
    };
    let (mut here, mut place) = (vec![0.0; q.len()], q.clone());
    system.potential_gradient(q, *t, &mut here);
    let mut is_first = true;
    Ends::are_far_below((1.0 - RIGHT) * bound * bound, system.mass(), |x, product| {
        let scale = length / largest(x);
        for ((place, q), x) in place.iter_mut().zip(q).zip(x) {
            *place = q + scale * x;
        }
        system.potential_gradient(&place, *t, product);
        for (product, here) in product.iter_mut().zip(&here) {
            *product = (*product - here) / scale;
        }
        if std::mem::take(&mut is_first) {
            system.potential_product(q, *t, x, &mut place);
            let off = product.iter().zip(&place).fold(0.0, |off: f64, (a, b)| off.max((a - b).abs()));
            let limit = RIGHT * largest(&place);
            if off > limit || limit.is_nan() || product.iter().any(|entry| entry.is_nan()) {
                return None;
            }
        }
        mass.apply(product).ok()
    })
}

/// The fastest frequency of a Lagrangian, from L_vv and −L_qq.
/// Mixed derivatives L_vq are left out, so that it is the frequency of a system at rest.
fn fastest_frequency_at_rest<S: Lagrangian + ?Sized>(system: &S, state: &State) -> Option<f64> {
    check_state(system, state).ok()?;
    system.affords_second_derivatives().ok()?;
    let n = state.q.len();
    let whole = system.second_pattern();
    let mut gradient = vec![0.0; 2 * n + 1];
    let mut second = vec![0.0; whole.len()];
    system.second_derivatives(&state.q, &state.v, state.t, &mut gradient, &mut second);
    // The entries whose row and column are both among the n from `first`.
    let part = |first: usize, sign: f64| {
        let indices = first..first + n;
        let of_part = |(row, column): &(usize, usize)| indices.contains(row) && indices.contains(column);
        let entries = whole.entries().filter(of_part).map(|(row, column)| (row - first, column - first));
        let pattern = SymmetricPattern::new(n, entries);
        let place = |(row, column): (usize, usize)| whole.position(first + row, first + column);
        let value = |at: Option<usize>| at.map_or(0.0, |at| sign * second[at]);
        let values = pattern.entries().map(|entry| value(place(entry))).collect();
        SymmetricMatrix { pattern, values }
    };
    let (stiffness, matrix) = (part(0, -1.0), part(n, 1.0));
    let mut mass = MassSolver::new(system, &matrix).ok()?;
    let ends = Ends::of(&matrix, |x, product| {
        stiffness.multiply(x, product);
        mass.apply(product).ok()
    })?;
    Some(ends.largest.max(0.0).sqrt())
}

/// h ω that Newmark's family bears; none where it bears any.
fn of_newmark(beta: f64) -> Option<f64> {
    (beta < 0.25).then(|| 1.0 / (0.25 - beta).sqrt())
}

/// The instability of a step with h ω above the limit.
pub(super) fn linear(method: &'static str, step: f64, omega: f64, limit: f64) -> Option<Instability> {
    let cause = Cause::Frequency { omega, limit };
    (step * omega > limit).then(|| Instability { method, step, longest: limit / omega, cause })
}

/// The instability of a step with c h above the limit of a composition, for drag of rate c.
pub(super) fn drag(method: &'static str, step: f64, rate: f64, limit: f64) -> Option<Instability> {
    let cause = Cause::Drag { rate, limit };
    (step * rate > limit).then(|| Instability { method, step, longest: limit / rate, cause })
}

/// The linear limit of a method that bears h ω up to a number.
fn of_frequency<S: Natural + ?Sized>(
    method: &'static str,
    system: &S,
    state: &State,
    step: f64,
    limit: f64,
) -> Option<Instability> {
    if is_far_below(limit / step, system, state) {
        return None;
    }
    linear(method, step, fastest_frequency(system, state)?, limit)
}

/// The linear limit of an explicit method of the kind of Verlet.
pub(super) fn explicit<S: Natural + ?Sized>(
    method: &'static str,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    of_frequency(method, system, state, step, OF_VERLET)
}

/// The linear limit 2/√(Σ w (1 − 2 θ)²) of a variational integrator with the nodes θ and the weights w, whose sum is given; its trial
/// where that is zero.
pub(super) fn variational<S: Lagrangian + ?Sized, M: Method<S>>(
    method: &M,
    sum: f64,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    if sum == 0.0 {
        // Forces change the energy, of which the trial is made.
        return if system.forced().is_none() {
            tried_on_lagrangian(method, system, state, step, steps)
        } else {
            None
        };
    }
    linear(M::NAME, step, fastest_frequency_at_rest(system, state)?, OF_VERLET / sum.sqrt())
}

/// The instability of an [`explicit`] method on the constraint manifold.
pub(super) fn constrained<S: Constrained + ?Sized>(
    method: &'static str,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    let bound = (OF_VERLET / step).powi(2);
    if tangential(system, state, |apply| Ends::are_far_below(bound, system.mass(), apply))? {
        return None;
    }
    linear(method, step, fastest_tangential_frequency(system, state)?, OF_VERLET)
}

/// The error of a step on the constraint manifold, in the words that help most: where the step is above the linear limit at the
/// last good state, it says so, and with which steps to go on.
#[cold]
pub(super) fn explained<S: Constrained + ?Sized>(
    error: StepError,
    system: &S,
    state: &State,
    size: f64,
) -> StepError {
    let (StepError::NotConverged { method, step, time, .. }
    | StepError::Singular { method, step, time, .. }
    | StepError::Turned { method, step, time, .. }
    | StepError::NotFinite { method, step, time, .. }) = error
    else {
        return error;
    };
    match constrained(method, system, state, size.abs()) {
        Some(Instability { longest: limit, .. }) => {
            StepError::AboveStability { method, step, time, size, limit }
        }
        None => error,
    }
}

/// The events of a method that goes from one to the next, beyond its limit: `expected` of them in a step, which grow with it at least
/// in proportion.
pub(super) fn events(
    method: &'static str,
    step: f64,
    expected: f64,
    (kind, limit, remedy): (&'static str, u64, &'static str),
) -> Option<Instability> {
    let limit = limit as f64;
    let cause = Cause::Events { kind, expected, limit, remedy };
    (expected > limit).then(|| Instability { method, step, longest: step * (limit / expected), cause })
}

/// The time for which a motion goes on as it begins: the step, or the inverse of the fastest frequency.
pub(super) fn while_it_begins<S: Natural + ?Sized>(system: &S, state: &State, step: f64) -> Option<f64> {
    Some(step.min(1.0 / fastest_frequency(system, state)?))
}

/// The linear limit of Newmark's family, or its trial where there is none.
pub(super) fn newmark<S: Natural + ?Sized, M: Method<S>>(
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

/// The linear limit of Newmark's family, where there is one.
pub(super) fn newmark_linear<S: Natural + ?Sized>(
    method: &'static str,
    beta: f64,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    of_frequency(method, system, state, step, of_newmark(beta)?)
}

/// The verdict of a [trial](self) of a method on a natural system.
pub(super) fn tried<S: Natural + ?Sized>(
    method: &impl Method<S>,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    let trials = Trials::of(state, steps)?;
    if is_far_below(OF_VERLET / step, system, state) {
        return None;
    }
    trial(method, system, state, step, trials, |state| energies_of_natural(system, state))
}

/// The kinetic and the whole energy; none where it is not conserved, by forces or in time.
fn energies_of_natural<S: Natural + ?Sized>(system: &S, State { t, q, v }: &State) -> Option<(f64, f64)> {
    let kinetic = 0.5 * system.mass().quadratic(v);
    let conserved = system.forced().is_none() && system.potential_rate(q, *t) == 0.0;
    conserved.then(|| (kinetic, kinetic + system.potential(q, *t)))
}

/// The linear limit of push-forward Newmark, or its [trial](self) where there is none.
pub(super) fn push_forward<S: Natural + ?Sized, M: Method<S>>(
    method: &M,
    beta: f64,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    if of_newmark(beta).is_some() {
        return newmark_linear(M::NAME, beta, system, state, step);
    }
    let trials = Trials::of(state, steps)?;
    if is_far_below(ACCURATE / step, system, state) {
        return None;
    }
    let steps = trials.steps;
    let (part, longest) = beyond(DISPLACEMENT_LIMIT, step, trials, |step| {
        let (_, first) = energies_of_natural(system, state)?;
        let mut stepper = method.start(system, state.clone(), step).ok()?;
        // Where nothing moves, rounding is all that the energy is off by.
        let (mut off, mut kinetic) = (0.0, f64::from(steps) * 1e-9 * first.abs());
        for _ in 0..steps {
            stepper.step().ok()?;
            let (now, energy) = energies_of_natural(system, stepper.state())?;
            off += (energy - first).abs();
            kinetic += now;
        }
        Some(off / kinetic)
    })?;
    let cause = Cause::Displacement { part, limit: DISPLACEMENT_LIMIT, steps };
    Some(Instability { method: M::NAME, step, longest, cause })
}

/// The verdict of a [trial](self) of a method on any Lagrangian system, whose kinetic energy is ½ v·∂L/∂v.
pub(super) fn tried_on_lagrangian<S: Lagrangian + ?Sized>(
    method: &impl Method<S>,
    system: &S,
    state: &State,
    step: f64,
    steps: u64,
) -> Option<Instability> {
    let trials = Trials::of(state, steps)?;
    let is_calm = |omega| step * omega < OF_VERLET;
    if system.natural_mass().is_some() && fastest_frequency_at_rest(system, state).is_some_and(is_calm) {
        return None;
    }
    let n = state.q.len();
    let mut gradient = vec![0.0; 2 * n + 1];
    trial(method, system, state, step, trials, |State { t, q, v }| {
        system.first_derivatives(q, v, *t, &mut gradient);
        let twice: f64 = gradient[n..2 * n].iter().zip(v).map(|(p, v)| p * v).sum();
        (gradient[2 * n] == 0.0).then(|| (0.5 * twice, twice - system.lagrangian(q, v, *t)))
    })
}

/// The verdict of a [trial](self), with the kinetic and the whole energy of a state; none where that depends on time or a step fails,
/// which the run will say itself.
fn trial<S: ?Sized, M: Method<S>>(
    method: &M,
    system: &S,
    state: &State,
    step: f64,
    trials: Trials,
    mut energies: impl FnMut(&State) -> Option<(f64, f64)>,
) -> Option<Instability> {
    let steps = trials.steps;
    let (factor, longest) = beyond(TRIAL_LIMIT, step, trials, |step| {
        let (kinetic, first) = energies(state)?;
        let mut stepper = method.start(system, state.clone(), step).ok()?;
        // The largest energies until each step, from the start on.
        let mut largest = vec![kinetic + f64::EPSILON * first.abs()];
        let mut growth = 0.0_f64;
        for number in 1..=steps as usize {
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
    let cause = Cause::Growth { factor, limit: TRIAL_LIMIT, steps };
    Some(Instability { method: M::NAME, step, longest, cause })
}

/// The trials that a run is worth.
#[derive(Clone, Copy)]
struct Trials {
    count: u64,
    /// The steps of each: fewer where a step is long in coming.
    steps: u32,
}

impl Trials {
    /// The trials of a run of so many steps, if it is worth one.
    fn of(state: &State, steps: u64) -> Option<Self> {
        let of_size = u32::try_from(TRIAL_WORK / state.q.len().max(1)).unwrap_or(TRIAL);
        let each = of_size.clamp(SHORT_TRIAL, TRIAL);
        let count = steps / RUN_BY_TRIALS / u64::from(each);
        (count > 0).then_some(Self { count, steps: each })
    }
}

/// The number that is measured with a step, if it is beyond the limit, and the longest step that passes, to an
/// eighth, or half of the last that fails where no trial is left.
fn beyond(
    limit: f64,
    step: f64,
    trials: Trials,
    mut measured: impl FnMut(f64) -> Option<f64>,
) -> Option<(f64, f64)> {
    let number = measured(step).filter(|number| *number > limit)?;
    let mut left = trials.count - 1;
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

/// The linear limit with the stiff part alone in the matrix: h² λ < 4 for (M + c Hess V₁)⁻¹ Hess V.
pub(super) fn stiff<S: Stiff + ?Sized>(
    method: &'static str,
    beta: f64,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    check_state(system, state).ok()?;
    let frequency = |step| {
        let mut implicit = LinearlyImplicit::stiff(system, method, beta, step).ok()?;
        let mut unused = vec![0.0; state.q.len()];
        implicit
            .factor_stiff(system, &state.q, Instant::at(state.t), &mut unused, &mut Evaluations::default())
            .ok()?;
        let matrix = implicit.matrix(system.mass());
        let ends = Ends::of(&matrix, |x, product| {
            system.potential_product(&state.q, state.t, x, product);
            implicit.apply(product).ok()
        })?;
        Some(ends.largest.max(0.0).sqrt())
    };
    let mut found = linear(method, step, frequency(step)?, OF_VERLET)?;
    // λ grows as the step falls, since the matrix does not hold the stiff part so firmly.
    for _ in 0..20 {
        let Some(omega) = frequency(found.longest) else { break };
        let longest = found.longest.min(OF_VERLET / omega);
        let settled = longest > 0.9995 * found.longest;
        found.longest = longest;
        if settled {
            break;
        }
    }
    Some(found)
}

/// The limits of Zhang–Skeel: the linear one, and that of its correction.
pub(super) fn zhang_skeel<S: Natural + ?Sized>(
    method: &'static str,
    beta: f64,
    system: &S,
    state: &State,
    step: f64,
) -> Option<Instability> {
    let found = newmark_linear(method, beta, system, state, step);
    if found.is_some() {
        return found;
    }
    let limit = CORRECTION_LIMIT;
    let number = correction(system, state, beta, step).filter(|number| *number > limit)?;
    // N grows about like h⁴.
    let mut longest = step * (limit / number).powf(0.25);
    for _ in 0..4 {
        match correction(system, state, beta, longest) {
            Some(number) => longest = step.min(longest * (limit / number).powf(0.25)),
            None => break,
        }
    }
    Some(Instability { method, step, longest, cause: Cause::Correction { number, limit } })
}

/// The number N of the [limit of Zhang–Skeel](self).
pub(super) fn correction<S: Natural + ?Sized>(
    system: &S,
    state: &State,
    beta: f64,
    step: f64,
) -> Option<f64> {
    check_state(system, state).ok()?;
    let State { t, q, v } = state;
    let mut implicit = LinearlyImplicit::new(system, "zhang-skeel", beta, step).ok()?;
    let mut mass = MassSolver::new(system, system.mass()).ok()?;
    let c = implicit.shift;
    // d = c a + √c u.
    let mut a = vec![0.0; q.len()];
    let mut u = vec![0.0; q.len()];
    implicit.factor(system, q, Instant::at(*t), &mut a, &mut Evaluations::default()).ok()?;
    system.potential_third(q, *t, v, &mut u);
    for (a, bending) in a.iter_mut().zip(&u) {
        *a = -*a - c * bending;
    }
    implicit.apply(&mut a).ok()?;
    system.potential_product(q, *t, v, &mut u);
    implicit.apply(&mut u).ok()?;
    let displacement: Vec<f64> = a.iter().zip(&u).map(|(a, u)| c * a + c.sqrt() * (c * u)).collect();
    // (V‴·d) x = ¼ ((d + x)·V‴·(d + x) − (d − x)·V‴·(d − x)), with d as long as x.
    let length = system.mass().quadratic(&displacement).sqrt();
    if length == 0.0 {
        return Some(0.0);
    }
    let (mut sum, mut difference) = (a, u);
    let mut rest = vec![0.0; q.len()];
    let ends = Ends::of(system.mass(), |x, product| {
        for (((sum, difference), d), x) in sum.iter_mut().zip(&mut difference).zip(&displacement).zip(x) {
            *sum = d / length + x;
            *difference = d / length - x;
        }
        system.potential_third(q, *t, &sum, product);
        system.potential_third(q, *t, &difference, &mut rest);
        for (product, rest) in product.iter_mut().zip(&rest) {
            *product = 0.25 * (*product - rest);
        }
        mass.apply(product).ok()
    })?;
    Some(c * length * ends.largest.max(-ends.smallest))
}
