use super::dependent::{Null, listed};
use super::manifold::Manifold;
use super::natural_size::{Excess, START_TOLERANCE, row_without_gradient};
use crate::error::{Begun, StartError};
use crate::method::check::{check_no_nonholonomic, check_signals, check_state, check_step};
use crate::method::dissipation::check_dissipation;
use crate::method::mass_solver::no_inverse;
use crate::method::newton::Newton;
use crate::sparse::FactorError;
use crate::system::{Constrained, Holonomic, State};

/// A start on the constraints, with the manifold at it.
pub(crate) struct Checked<'s, S: ?Sized> {
    pub(crate) manifold: Manifold<'s, S>,
    pub(crate) state: State,
    null: Null,
}

pub(crate) fn check_options(
    method: &'static str,
    tolerance: f64,
    iterations: u32,
    step: f64,
) -> Begun<Newton> {
    check_step(step)?;
    Newton::of(method, tolerance, iterations)
}

/// The manifold with its foot at a state that fits the system, is finite and lies on the constraints.
pub(crate) fn stand_on<'s, S: Constrained + ?Sized>(
    system: &'s S,
    state: State,
    method: &'static str,
) -> Begun<Checked<'s, S>> {
    let mut checked = stand_at(system, state, method)?;
    let State { t, q, v } = &checked.state;
    match checked.manifold.worst_rate((q, v, *t), START_TOLERANCE, &[]) {
        None => checked.look_at_dependence(),
        Some(worst) => Err(off_tangent(&checked, worst)),
    }
}

/// The manifold as in [`stand_on`], for a state of SHAKE, whose velocity is half of the chord from the
/// position before to the next one: on curved constraints it is not tangent.
///
/// With κ(u) = d²g/dt² at the velocity u without acceleration, its rate is (h/4)
/// (κ(v + h a/2) − κ(v − h a/2)) to order h²; accepted below h max |κ(v ± h a)|. The first positions of
/// SHAKE do not depend on the normal part of v.
pub(crate) fn stand_on_chord<'s, S: Constrained + ?Sized>(
    system: &'s S,
    state: State,
    step: f64,
    method: &'static str,
) -> Begun<Checked<'s, S>> {
    let mut checked = stand_at(system, state, method)?;
    let State { t, q, v } = &checked.state;
    let manifold = &mut checked.manifold;
    let Some(worst) = manifold.worst_rate((q, v, *t), START_TOLERANCE, &[]) else {
        return checked.look_at_dependence();
    };
    let a = accelerations(manifold, &checked.state);
    let (mut rates, mut turns) = (vec![0.0; system.constraints()], vec![0.0_f64; system.constraints()]);
    for side in [1.0, -1.0] {
        let aside: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + side * step * a).collect();
        system.constraint_curvature(q, &aside, *t, &mut rates);
        turns.iter_mut().zip(&rates).for_each(|(turn, rate)| *turn = turn.max(step * rate.abs()));
    }
    match manifold.worst_rate((q, v, *t), START_TOLERANCE, &turns) {
        None => checked.look_at_dependence(),
        Some(_) => Err(off_tangent(&checked, worst)),
    }
}

/// The accelerations at a state on the manifold.
fn accelerations<S: Constrained + ?Sized>(
    manifold: &mut Manifold<'_, S>,
    State { t, q, v }: &State,
) -> Vec<f64> {
    let (mut a, mut multipliers) = (vec![0.0; q.len()], vec![0.0; manifold.system().constraints()]);
    manifold.free_acceleration(q, v, *t, &mut a);
    manifold.multipliers((q, v, *t), &a, &mut multipliers);
    manifold.add_motion(&multipliers, &mut a);
    a
}

fn off_tangent<S: Constrained + ?Sized>(
    Checked { manifold, state: State { t, q, v }, null, .. }: &Checked<'_, S>,
    Excess { row, residual, accepted: tolerance }: Excess,
) -> StartError {
    let system = manifold.system();
    let mut rates = vec![0.0; system.constraints()];
    system.constraint_rate(q, *t, &mut rates);
    manifold.foot.add_product(v, &mut rates);
    if let Some(rows) = null.contradicted_by(&rates) {
        return contradictory(system, &rows);
    }
    StartError::VelocityOffConstraints { equation: system.constraint_name(row), residual, tolerance }
}

fn contradictory<S: Constrained + ?Sized>(system: &S, rows: &[usize]) -> StartError {
    let equations = listed(rows, |row| system.constraint_name(row));
    StartError::Contradictory { system: system.name().to_owned(), equations }
}

impl<S: Constrained + ?Sized> Checked<'_, S> {
    /// Refuses rows whose accelerations contradict each other, since they hold only for an instant, and
    /// warns of others that depend on each other.
    fn look_at_dependence(mut self) -> Begun<Self> {
        if self.null.is_empty() {
            return Ok(self);
        }
        let Self { manifold, state, null, .. } = &mut self;
        let (system, a) = (manifold.system(), accelerations(manifold, state));
        let mut curvature = vec![0.0; system.constraints()];
        system.constraint_curvature(&state.q, &state.v, state.t, &mut curvature);
        let rows = (&manifold.foot.pattern, &manifold.foot.jacobian[..]);
        if let Some(rows) = null.contradicted_by_curvature(&curvature, rows, &a) {
            return Err(contradictory(system, &rows));
        }
        manifold.warning = Some(null.warning(|row| system.constraint_name(row)));
        Ok(self)
    }
}

/// Refuses a row that is zero together with its gradient.
pub(crate) fn check_gradients<S: Holonomic + ?Sized>(system: &S, state: &State) -> Begun {
    row_without_gradient(system, &state.q, state.t).map_or(Ok(()), |row| {
        let (system, row) = (system.name().to_owned(), system.constraint_name(row));
        Err(StartError::NoGradient { system, row })
    })
}

/// The manifold with its foot at the position of a state.
fn stand_at<'s, S: Constrained + ?Sized>(
    system: &'s S,
    state: State,
    method: &'static str,
) -> Begun<Checked<'s, S>> {
    check_no_nonholonomic(system, method)?;
    check_state(system, &state)?;
    check_signals(system, state.t)?;
    check_dissipation(system, &state)?;
    check_gradients(system, &state)?;
    let mut manifold = Manifold::new(system)?;
    manifold.evaluate(&state.q, state.t);
    manifold.sizes.measure_terms(system, &state.q, state.t);
    let worst = manifold.worst_value(&state.q, START_TOLERANCE);
    let null = manifold.settle_first().map_err(|zero| match zero.index.checked_sub(system.constraints()) {
        Some(index) => no_inverse(system, FactorError { index, ..zero }),
        None => StartError::Singular {
            system: system.name().to_owned(),
            matrix: "the constraint matrix G M⁻¹ Gᵀ (the configuration is singular)",
            pivot: zero.pivot,
            place: system.constraint_name(zero.index),
        },
    });
    if let Some(Excess { row, residual, accepted: tolerance }) = worst {
        if let Some(rows) = null.as_ref().ok().and_then(|null| null.contradicted_by(&manifold.ahead.values)) {
            return Err(contradictory(system, &rows));
        }
        let equation = system.constraint_name(row);
        return Err(StartError::OffConstraints { equation, residual, tolerance });
    }
    Ok(Checked { manifold, state, null: null? })
}
