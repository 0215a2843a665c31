//! The linear limit, h ω ≤ c, and the fastest frequencies.

use crate::error::{ForceError, StepError};
use crate::method::applied::Instant;
use crate::method::check::check_state;
use crate::method::constraint::Manifold;
use crate::method::instability::{Cause, Instability};
use crate::method::linearly_implicit::{LinearlyImplicit, StiffPotential};
use crate::method::mass_solver::MassSolver;
use crate::method::parts_of_second::{OfVelocities, Stiffness};
use crate::method::report::Evaluations;
use crate::method::spectrum::Ends;
use crate::system::{Constrained, Lagrangian, Natural, State, Stiff};

/// The first step of a method, of which the stability is asked.
pub(in crate::method) struct FirstStep<'a, S: ?Sized> {
    pub(in crate::method) method: &'static str,
    pub(in crate::method) system: &'a S,
    pub(in crate::method) state: &'a State,
    pub(in crate::method) step: f64,
}

/// The largest h ω that velocity Verlet bears, and SHAKE and RATTLE on a manifold.
pub(in crate::method) const OF_VERLET: f64 = 2.0;

/// The fastest frequency ω at a state: ω² is the largest eigenvalue of M⁻¹ Hess V, and ω is zero where
/// no eigenvalue is positive.
///
/// Lanczos' iteration with products finds it to about three digits, from below.
/// `None` where the state does not fit, Hess V is not finite, or M has no factors.
pub fn fastest_frequency<S: Natural + ?Sized>(system: &S, state: &State) -> Option<f64> {
    frequency(f64::NEG_INFINITY, system, state)
}

/// The fastest frequency, or an estimate as soon as it is certain that it is below a bound.
///
/// Most steps are far from their limit, and an accurate
/// frequency costs a large system as much as a hundred steps.
fn frequency<S: Natural + ?Sized>(bound: f64, system: &S, state: &State) -> Option<f64> {
    check_state(system, state).ok()?;
    let mut mass = MassSolver::new(system, system.mass()).ok()?;
    let ends = Ends::below(bound * bound.abs(), system.mass(), |x, product| {
        system.potential_product(&state.q, state.t, x, product);
        mass.apply(product).ok()
    })?;
    Some(ends.frequency())
}

/// The fastest frequency on the constraint manifold: of the tangential part of Hess V − λ·Hess g, with
/// the multipliers λ at the state.
///
/// `None` where the state does not fit, or the matrix of the constraints is singular.
pub fn fastest_tangential_frequency<S: Constrained + ?Sized>(system: &S, state: &State) -> Option<f64> {
    tangential(f64::NEG_INFINITY, system, state)
}

/// The fastest frequency on the constraint manifold, as [`frequency`].
fn tangential<S: Constrained + ?Sized>(bound: f64, system: &S, state: &State) -> Option<f64> {
    check_state(system, state).ok()?;
    let State { t, q, v } = state;
    let mut manifold = Manifold::new(system).ok()?;
    manifold.evaluate(q, *t);
    manifold.settle().ok()?;
    let mut tangent = vec![0.0; q.len()];
    manifold.free_acceleration(q, v, *t, &mut tangent);
    // −λ, the weights of Hess g.
    let mut weights = vec![0.0; system.constraints()];
    manifold.multipliers((q, v, *t), &tangent, &mut weights);
    for weight in &mut weights {
        *weight = -*weight;
    }
    let ends = Ends::below(bound * bound.abs(), system.mass(), |x, product| {
        tangent.copy_from_slice(x);
        manifold.remove_normal(&mut tangent);
        system.potential_product(q, *t, &tangent, product);
        system.add_weighted_product(q, *t, &weights, &tangent, product);
        // −M⁻¹, whose sign is taken away below.
        manifold.apply_negative_inverse_mass(product);
        manifold.remove_normal(product);
        for entry in product {
            *entry = -*entry;
        }
        Some(())
    })?;
    Some(ends.frequency())
}

/// The fastest frequency of a Lagrangian at rest, from L_vv and −L_qq without L_vq; as [`frequency`].
fn frequency_at_rest<S: Lagrangian + ?Sized>(bound: f64, system: &S, state: &State) -> Option<f64> {
    check_state(system, state).ok()?;
    system.affords_second_derivatives().ok()?;
    let n = state.q.len();
    let pattern = system.second_pattern();
    let mut gradient = vec![0.0; 2 * n + 1];
    let mut second = vec![0.0; pattern.len()];
    system.second_derivatives(&state.q, &state.v, state.t, &mut gradient, &mut second);
    let (matrix, stiffness) = (OfVelocities::of(system).matrix(&second), Stiffness::of(system, &second));
    let mut mass = MassSolver::new(system, &matrix).ok()?;
    let ends = Ends::below(bound * bound.abs(), &matrix, |x, product| {
        product.fill(0.0);
        stiffness.add_product(x, product);
        mass.apply(product).ok()
    })?;
    Some(ends.frequency())
}

/// h ω that Newmark's family bears; none where it bears any.
fn of_newmark(beta: f64) -> Option<f64> {
    (beta < 0.25).then(|| 1.0 / (0.25 - beta).sqrt())
}

/// The instability of a step with h ω above the limit.
pub(in crate::method) fn linear(
    method: &'static str,
    step: f64,
    omega: f64,
    limit: f64,
) -> Option<Instability> {
    let cause = Cause::Frequency { omega, limit };
    (step * omega > limit).then(|| Instability { method, step, longest: limit / omega, cause })
}

/// The instability of a step with c h above the limit of a composition, for drag of rate c.
pub(in crate::method) fn drag(method: &'static str, step: f64, rate: f64, limit: f64) -> Option<Instability> {
    let cause = Cause::Drag { rate, limit };
    (step * rate > limit).then(|| Instability { method, step, longest: limit / rate, cause })
}

/// The linear limit of a method that bears h ω up to a number.
fn of_frequency<S: Natural + ?Sized>(first: &FirstStep<'_, S>, limit: f64) -> Option<Instability> {
    let FirstStep { method, system, state, step } = *first;
    linear(method, step, frequency(limit / step, system, state)?, limit)
}

/// The linear limit of an explicit method of the kind of Verlet.
pub(in crate::method) fn explicit<S: Natural + ?Sized>(first: &FirstStep<'_, S>) -> Option<Instability> {
    of_frequency(first, OF_VERLET)
}

/// The instability of an [`explicit`] method on the constraint manifold.
pub(in crate::method) fn constrained<S>(first: &FirstStep<'_, S>) -> Option<Instability>
where
    S: Constrained + ?Sized,
{
    let FirstStep { method, system, state, step } = *first;
    linear(method, step, tangential(OF_VERLET / step, system, state)?, OF_VERLET)
}

/// The error of a step on the constraint manifold; where the step is above the linear limit at the last
/// good state, an error with the longest safe step.
#[cold]
pub(in crate::method) fn explained<S: Constrained + ?Sized>(
    mut error: StepError,
    system: &S,
    state: &State,
) -> StepError {
    if let StepError::Failed(failed) = &mut error
        && !matches!(failed.cause, ForceError::Leap { .. })
        && let Some(Instability { longest: limit, .. }) =
            constrained(&FirstStep { method: failed.method, system, state, step: failed.size.abs() })
    {
        failed.cause = ForceError::AboveStability { limit };
    }
    error
}

/// The instability of a step with more expected events than the limit; their number grows with the step
/// at least in proportion.
pub(in crate::method) fn events(
    method: &'static str,
    step: f64,
    expected: f64,
    (kind, limit, remedy): (&'static str, u64, &'static str),
) -> Option<Instability> {
    let limit = limit as f64;
    let cause = Cause::Events { kind, expected, limit, remedy };
    (expected > limit).then(|| Instability { method, step, longest: step * (limit / expected), cause })
}

/// The time before a motion turns: the step, or the inverse of the fastest frequency.
pub(in crate::method) fn while_it_begins<S: Natural + ?Sized>(
    system: &S,
    state: &State,
    step: f64,
) -> Option<f64> {
    Some(step.min(1.0 / fastest_frequency(system, state)?))
}

/// The linear limit of Newmark's family, where there is one.
pub(in crate::method) fn newmark_linear<S>(beta: f64, first: &FirstStep<'_, S>) -> Option<Instability>
where
    S: Natural + ?Sized,
{
    of_frequency(first, of_newmark(beta)?)
}

/// The linear limit 2/√(Σ w (1 − 2 θ)²) of a variational integrator with the nodes θ and the weights w,
/// whose sum is given; none where that is zero.
pub(in crate::method) fn variational<S>(sum: f64, first: &FirstStep<'_, S>) -> Option<Instability>
where
    S: Lagrangian + ?Sized,
{
    let FirstStep { method, system, state, step } = *first;
    let limit = (sum > 0.0).then(|| OF_VERLET / sum.sqrt())?;
    linear(method, step, frequency_at_rest(limit / step, system, state)?, limit)
}

/// The linear limit with the stiff part alone in the matrix: h² λ < 4 for (M + c Hess V₁)⁻¹ Hess V.
pub(in crate::method) fn stiff<S: Stiff + ?Sized>(
    beta: f64,
    first: &FirstStep<'_, S>,
) -> Option<Instability> {
    let FirstStep { method, system, state, step } = *first;
    check_state(system, state).ok()?;
    let frequency = |step| {
        let mut implicit = LinearlyImplicit::<S, StiffPotential>::new(system, method, beta, step).ok()?;
        let mut unused = vec![0.0; state.q.len()];
        let at = Instant::at(state.t);
        implicit.factor(&state.q, at, &mut unused, &mut Evaluations::default()).ok()?;
        let matrix = implicit.matrix();
        let ends = Ends::of(&matrix, |x, product| {
            system.potential_product(&state.q, state.t, x, product);
            implicit.apply(product).ok()
        })?;
        Some(ends.frequency())
    };
    let mut found = linear(method, step, frequency(step)?, OF_VERLET)?;
    // λ grows as the step falls, since c does: the matrix holds less of the stiff part.
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
