//! The claims of a method, measured on a model of a kind.

use super::kinds::Feature::{
    self, Dependent, Dissipation, ForceOfPosition, ForceOfVelocity, Gyroscopic, Holonomic, Input,
    Nonholonomic, Phase, Time,
};
use super::kinds::Kind;
use least_action::advanced::method::Substep;
use least_action::drive::gradient::differentiate;
use least_action::error::StartError;
use least_action::method::{
    Composition, Derivatives, Differentiable, Method, Stepper, Symmetric, VariationalMidpoint,
};
use least_action::system::{Lagrangian, Signal, State, System};
use test_support::structure::{distance, state_distance, symplectic_defect_on};

/// The time over which orders are measured, at which the input bends.
pub(crate) const END: f64 = 1.0;

/// A system of a kind, as the measurements see it.
pub(crate) struct Case<'a> {
    pub(crate) kind: &'a Kind,
    /// The Lagrangian of the system, with the penalty where there is one.
    pub(crate) mechanics: &'a dyn Lagrangian,
    pub(crate) start: &'a State,
    /// The state at [`END`], by a method that is not measured here.
    pub(crate) truth: &'a State,
    /// True if the constraints of the kind are replaced by a penalty.
    pub(crate) penalized: bool,
}

impl Case<'_> {
    /// A state near the start, moved onto the constraints of the kind.
    fn on_the_rows(&self, state: &State) -> State {
        let on_the_rod = self.kind.has(Holonomic) && !self.penalized;
        let mut state = if on_the_rod { onto_the_rod(state) } else { state.clone() };
        if self.kind.has(Nonholonomic) {
            state.v[3] = state.q[0] * (state.q[0] * state.v[0] + state.q[1] * state.v[1]);
        }
        state
    }
}

/// The measured claims, and the ones that fail, in words.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) measured: usize,
    pub(crate) wrong: Vec<String>,
}

impl Found {
    fn claim(&mut self, what: &str, found: f64, holds: impl FnOnce(f64) -> bool) {
        self.measured += 1;
        if !holds(found) {
            self.wrong.push(format!("{what}: {found:.3e}"));
        }
    }
}

/// The accurate motion of a system of any kind: of order 8, in steps as long as rounding likes best.
pub(crate) fn accurate(system: &dyn Lagrangian, start: &State) -> State {
    let method = Composition::of(VariationalMidpoint::default(), 8);
    let steps = 64;
    let mut run = method.start(system, start.clone(), END / f64::from(steps)).expect("any kind");
    for _ in 0..steps {
        run.step().expect("any kind");
    }
    run.state().clone()
}

/// Measures the order from the last two numbers of steps until [`END`], which is right within so much.
fn order<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    (steps, within): ([u64; 3], f64),
    error: impl Fn(&State, &State) -> f64,
) -> Result<Found, StartError> {
    // A refusal comes first.
    drop(method.start(system, case.start.clone(), END / steps[0] as f64)?);
    let errors =
        steps.map(|steps| error(&run(case, system, method, END / steps as f64, steps).0, case.truth));
    let slope = (errors[1] / errors[2]).ln() / (steps[2] as f64 / steps[1] as f64).ln();
    let mut found = Found::default();
    found.claim(&format!("order {} ({errors:?})", method.order()), slope, |slope| {
        (slope - f64::from(method.order())).abs() < within
    });
    Ok(found)
}

/// Measures the claims of any method; the steps are their numbers until [`END`].
pub(crate) fn measure<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    steps: [u64; 3],
) -> Result<Found, StartError> {
    let mut found = order(case, system, method, (steps, 0.15), state_distance)?;
    let kind = case.kind;
    let has = |features: &[Feature]| features.iter().any(|feature| kind.has(*feature));
    let forced = has(&[ForceOfPosition, ForceOfVelocity, Dissipation, Input]);
    // Across the bend of the input, which lies within a step.
    let defect = || run(case, system, method, 0.19, 7).1;
    match if forced { M::IMPULSE } else { M::MOMENTUM } {
        Some(true) => found.claim("balance of momentum", defect(), |defect| defect < 1e-12),
        // The torque that is constant is met by chance where inputs are not.
        Some(false) if has(&[Input]) => {
            found.claim("no balance of momentum", defect(), |defect| defect > 1e-8);
        }
        _ => {}
    }
    if M::SYMPLECTIC == Some(true) && !forced && !kind.has(Nonholonomic) {
        let moved = |moved: &State| case.on_the_rows(moved);
        let defect = symplectic_defect_on((system, case.mechanics), method, (case.start, 0.05, 1e-3), moved);
        found.claim("symplectic", defect, |defect| defect < 1e-8);
    }
    if M::REVERSIBLE == Some(true) && !has(&[Gyroscopic, Time, Phase, ForceOfVelocity, Dissipation, Input]) {
        let turned = |state: &State| State { v: state.v.iter().map(|v| -v).collect(), ..state.clone() };
        let there = run(case, system, method, 0.05, 4).0;
        let back = run(&Case { start: &turned(&there), ..*case }, system, method, 0.05, 4).0;
        found.claim("reversible", state_distance(&turned(&back), case.start), |defect| defect < 1e-11);
    }
    Ok(found)
}

/// The resolutions near each other; these runs take most of the time of all cells.
const NEAR: i32 = 3;

/// Measures a method whose accuracy follows its own resolution, and not the output's steps: the mean
/// error of some resolutions near each other, since a single one depends on its edges.
pub(crate) fn measure_resolved<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    of: impl Fn(f64) -> M,
    resolutions: [f64; 2],
) -> Result<Found, StartError> {
    drop(of(resolutions[0]).start(system, case.start.clone(), END)?);
    let mut found = Found::default();
    let errors = resolutions.map(|size| {
        let near = (0..NEAR).map(|k| size * 1.15_f64.powi(k));
        near.map(|size| state_distance(&run(case, system, &of(size), 0.1, 10).0, case.truth)).sum::<f64>()
            / f64::from(NEAR)
    });
    let slope = (errors[0] / errors[1]).ln() / (resolutions[0] / resolutions[1]).ln();
    found.claim(&format!("the root of the resolution ({errors:?})"), slope, |slope| slope > 0.4);
    if M::MOMENTUM == Some(true) {
        let (_, defect) = run(case, system, &of(resolutions[1]), 0.19, 7);
        found.claim("balance of momentum", defect, |defect| defect < 1e-11);
    }
    Ok(found)
}

/// Measures a method of slow motions, whose claims hold up to the fast ones: the order in positions.
pub(crate) fn measure_slow<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    steps: [u64; 3],
) -> Result<Found, StartError> {
    order(case, system, method, (steps, 0.3), |end, truth| distance(&end.q, &truth.q))
}

/// Measures a method whose inner steps follow a tolerance: the error follows it too.
pub(crate) fn measure_adaptive<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    of: impl Fn(f64) -> M,
) -> Result<Found, StartError> {
    drop(of(1e-6).start(system, case.start.clone(), END)?);
    let mut found = Found::default();
    for tolerance in [1e-6, 1e-9] {
        let error = state_distance(&run(case, system, &of(tolerance), 0.25, 4).0, case.truth);
        found.claim(&format!("error with the tolerance {tolerance:e}"), error, |error| {
            error < 3e3 * tolerance
        });
    }
    Ok(found)
}

/// Measures a composable method: beside all other claims, a step back undoes a step, on every kind.
pub(crate) fn measure_symmetric<S: ?Sized, M: Symmetric<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    steps: [u64; 3],
) -> Result<Found, StartError> {
    let mut found = measure(case, system, method, steps)?;
    let h = 0.05;
    let mut run = method.start_parts(system, case.start.clone(), h)?;
    let mut part = |number: u64, size: f64, end: f64| {
        run.advance(&Substep { number, size, end }).unwrap_or_else(|error| panic!("{error}"));
        run.state().clone()
    };
    let before = part(1, h, h);
    part(2, h, 2.0 * h);
    let back = part(3, -h, h);
    found.claim("a step back undoes a step", state_distance(&before, &back), |defect| defect < 1e-13);
    Ok(found)
}

/// Measures the derivative of the end by the start, along a direction, if the system has the derivatives
/// that the method takes.
pub(crate) fn measure_derivative<S: System + ?Sized, M: Differentiable<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    found: &mut Found,
) {
    let (step, end) = (0.05, 0.2);
    let motion = match differentiate(system, method, case.start.clone(), step) {
        Ok(motion) => motion.until(end),
        // Without forces, and with `sensitive(…)` for some.
        Err(StartError::NoDerivative { .. }) if M::DIFFERENTIABLE == Derivatives::Parameters => return,
        Err(error) => panic!("{} on {}: {error}", M::NAME, case.kind.words()),
    };
    let names: Vec<String> = (0..case.start.q.len()).map(|k| system.layout().name_of(k)).collect();
    let names: Vec<String> =
        names.iter().cloned().chain(names.iter().map(|name| format!("der.{name}"))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tangents = match motion.sensitivities(&names) {
        Ok(tangents) => tangents,
        // The matrix of rows that depend on each other is singular.
        Err(_) if case.kind.has(Dependent) && !case.penalized => return,
        Err(error) => panic!("{} on {}: {error}", M::NAME, case.kind.words()),
    };
    let along = |columns: &[Vec<f64>]| -> Vec<f64> {
        let weights = (0..columns.len()).map(|k| 0.3 - 0.17 * k as f64);
        let columns: Vec<(&Vec<f64>, f64)> = columns.iter().zip(weights).collect();
        (0..columns[0].0.len())
            .map(|i| columns.iter().map(|(column, weight)| weight * column[i]).sum())
            .collect()
    };
    let ends = [0, tangents.q.len() - 1].map(|k| [along(&tangents.q[k]), along(&tangents.v[k])].concat());
    let [of_start, of_end] = ends;
    let at = |h: f64| {
        let State { t, q, v } = case.start;
        let (of_q, of_v) = of_start.split_at(q.len());
        let moved = |x: &[f64], a: &[f64]| x.iter().zip(a).map(|(x, a)| x + h * a).collect();
        let start = case.on_the_rows(&State { t: *t, q: moved(q, of_q), v: moved(v, of_v) });
        let end = run(&Case { start: &start, ..*case }, system, method, step, 4).0;
        [end.q, end.v].concat()
    };
    let h = 1e-4;
    let [fore, back, far, far_back] = [h, -h, 2.0 * h, -2.0 * h].map(at);
    let size = of_end.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let differences =
        (0..of_end.len()).map(|i| (8.0 * (fore[i] - back[i]) - (far[i] - far_back[i])) / (12.0 * h));
    let error = differences.zip(&of_end).map(|(slope, found)| (slope - found).abs()).fold(0.0, f64::max);
    let is_claimed = !matches!(M::DIFFERENTIABLE, Derivatives::None(_));
    found.claim("derivative by the start", error / size, |error| is_claimed && error < 1e-8);
}

/// The state after some steps, and the largest change of angular momentum in a step beside the impulse.
fn run<S: ?Sized, M: Method<S>>(
    case: &Case<'_>,
    system: &S,
    method: &M,
    step: f64,
    steps: u64,
) -> (State, f64) {
    let mut run = method.start(system, case.start.clone(), step).unwrap_or_else(|error| panic!("{error}"));
    let (mut before, mut worst) = (run.state().clone(), 0.0_f64);
    for _ in 0..steps {
        run.step().unwrap_or_else(|error| panic!("{} on {}: {error}", M::NAME, case.kind.words()));
        let change = momentum(case.mechanics, run.state()) - momentum(case.mechanics, &before);
        worst = worst.max((change - impulse(case.kind, &before, run.state())).abs());
        before = run.state().clone();
    }
    (before, worst)
}

/// The angular momentum of p about the z axis.
fn momentum(system: &dyn Lagrangian, State { t, q, v }: &State) -> f64 {
    let n = q.len();
    let mut gradient = vec![0.0; 2 * n + 1];
    system.first_derivatives(q, v, *t, &mut gradient);
    q[0] * gradient[n + 1] - q[1] * gradient[n]
}

/// The angular momentum that the forces of a kind give in a step.
///
/// Turning forces have the torque 0.3 or u(t) everywhere. A drag −c ṗ gives −c (p₀ × p₁)_z, in every
/// rule that takes it at the velocity (p₁ − p₀)/h and at p₀, at p₁, at both by halves, or in the middle
/// between them.
fn impulse(kind: &Kind, before: &State, after: &State) -> f64 {
    let of = |feature: Feature, value: f64| if kind.has(feature) { value } else { 0.0 };
    let signal: Signal = super::models::torque();
    let drag = of(ForceOfVelocity, 0.4) + of(Dissipation, 0.3);
    let swept = before.q[0] * after.q[1] - before.q[1] * after.q[0];
    of(ForceOfPosition, 0.3 * (after.t - before.t)) - drag * swept
        + if kind.has(Input) { signal.integral(before.t, after.t) } else { 0.0 }
}

/// The nearest state with p on the unit sphere.
fn onto_the_rod(state: &State) -> State {
    let mut state = state.clone();
    let length = state.q[..3].iter().map(|p| p * p).sum::<f64>().sqrt();
    state.q[..3].iter_mut().for_each(|p| *p /= length);
    let outward: f64 = (0..3).map(|i| state.q[i] * state.v[i]).sum();
    (0..3).for_each(|i| state.v[i] -= outward * state.q[i]);
    state
}
