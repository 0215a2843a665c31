//! The limit of Zhang–Skeel in stiff use.

use super::linear::{FirstStep, newmark_linear};
use crate::method::applied::Instant;
use crate::method::check::check_state;
use crate::method::instability::{Cause, Instability};
use crate::method::linearly_implicit::LinearlyImplicit;
use crate::method::mass_solver::MassSolver;
use crate::method::report::Evaluations;
use crate::method::spectrum::Ends;
use crate::system::{Natural, State};

/// The number N of the [limit of Zhang–Skeel](super) above which it tends to blow up.
pub const CORRECTION_LIMIT: f64 = 0.25;

/// The limits of Zhang–Skeel: the linear limit, and the limit of its correction.
pub(in crate::method) fn zhang_skeel<S>(beta: f64, first: &FirstStep<'_, S>) -> Option<Instability>
where
    S: Natural + ?Sized,
{
    let found = newmark_linear(beta, first);
    if found.is_some() {
        return found;
    }
    let FirstStep { method, system, state, step } = *first;
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

/// The number N of the [limit of Zhang–Skeel](super).
pub(in crate::method) fn correction<S: Natural + ?Sized>(
    system: &S,
    state: &State,
    beta: f64,
    step: f64,
) -> Option<f64> {
    check_state(system, state).ok()?;
    let State { t, q, v } = state;
    let mut implicit = LinearlyImplicit::<S>::new(system, "zhang-skeel", beta, step).ok()?;
    let mut mass = MassSolver::new(system, system.mass()).ok()?;
    let c = implicit.shift.c;
    // d = c a + √c u.
    let mut a = vec![0.0; q.len()];
    let mut u = vec![0.0; q.len()];
    implicit.factor(q, Instant::at(*t), &mut a, &mut Evaluations::default()).ok()?;
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
