//! Forces that no potential gives, beside any Lagrangian.

use super::problems::{DrivenPendulum, Problem, problem};
use least_action::method::{
    Composition, Method, Stepper, Symmetric, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::system::{Lagrangian, State};
use test_support::reference::numbers;
use test_support::structure::{advance, distance, order_by_slope};

/// The largest of these and 1.
fn size(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |largest, value| largest.max(value.abs()))
}

fn check_steps<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M, name: &str) {
    let known = &problem.data["one_step"][name];
    let h = known["h"].as_f64().unwrap();
    for (steps, keys) in [(1, ["q", "v"]), (3, ["q_after_3", "v_after_3"])] {
        let end = advance(&*problem.system, method, &problem.start, h, steps);
        for (found, key) in [&end.q, &end.v].into_iter().zip(keys) {
            let wanted = numbers(&known[key]);
            let error = distance(found, &wanted) / size(&wanted);
            assert!(error < 1e-12, "{name} {key}: {error:e}");
        }
    }
}

#[test]
fn the_first_steps_are_the_known_ones() {
    let problem = problem("driven_damped_double_pendulum");
    check_steps(&problem, &VariationalEuler::default(), "euler");
    check_steps(&problem, &VariationalMidpoint::default(), "midpoint");
    check_steps(&problem, &VariationalTrapezoid::default(), "trapezoid");
}

fn check_order<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M, steps: &[u64]) {
    let last = |value: &serde_json::Value| numbers(value.as_array().unwrap().last().unwrap());
    let reference = &problem.data["reference"];
    let (time, q) = (*numbers(&reference["t"]).last().unwrap(), last(&reference["q"]));
    let slope = order_by_slope(steps, |steps| {
        distance(&advance(&*problem.system, method, &problem.start, time / steps as f64, steps).q, &q)
    });
    assert!(
        (slope - f64::from(method.order())).abs() < 0.15,
        "{} {}: slope {slope}",
        M::NAME,
        method.order()
    );
}

#[test]
fn the_error_falls_with_the_claimed_order() {
    let problem = problem("driven_damped_double_pendulum");
    check_order(&problem, &VariationalEuler::default(), &[4000, 8000]);
    check_order(&problem, &VariationalMidpoint::default(), &[200, 400]);
    check_order(&problem, &VariationalTrapezoid::default(), &[200, 400]);
    check_order(&problem, &Composition::of(VariationalMidpoint::default(), 4), &[100, 200]);
    check_order(&problem, &Composition::of(VariationalTrapezoid::default(), 4), &[200, 400]);
    check_order(&problem, &Composition::of(VariationalMidpoint::default(), 6), &[100, 150, 200]);
}

/// Φ₋ₕ ∘ Φₕ is the identity, whatever the forces.
fn check_adjoint<M: Symmetric<dyn Lagrangian>>(problem: &Problem, method: &M) {
    use least_action::advanced::method::Substep;
    let h = 0.05;
    let mut run = method.start_parts(&*problem.system, problem.start.clone(), h).unwrap();
    run.advance(&Substep { number: 1, size: h, end: h }).unwrap();
    run.advance(&Substep { number: 2, size: -h, end: 0.0 }).unwrap();
    let State { q, v, .. } = run.state();
    let defect = distance(q, &problem.start.q).max(distance(v, &problem.start.v));
    assert!(defect < 1e-14, "{}: {defect:e}", M::NAME);
}

#[test]
fn a_step_back_undoes_a_step() {
    let problem = problem("driven_damped_double_pendulum");
    check_adjoint(&problem, &VariationalMidpoint::default());
    check_adjoint(&problem, &VariationalTrapezoid::default());
}

/// p₁·ξ − p₀·ξ = h Σ w F·ξ for the rotation ξ = (1, 1) of both angles, free without gravity.
#[test]
fn the_momentum_changes_by_the_discrete_impulse() {
    let parameters = [1.0, 1.0, 1.0, 0.8, 0.0, 0.1, 0.05, 2.0, 3.0];
    let system = DrivenPendulum::of(&parameters);
    let momentum = |state: &State| {
        let mut gradient = [0.0; 5];
        system.first_derivatives(&state.q, &state.v, state.t, &mut gradient);
        gradient[2] + gradient[3]
    };
    let check = |method: &dyn Fn(&State, f64) -> State, nodes: &[(f64, f64)], name: &str| {
        let h = 0.05;
        let mut state = State::new(vec![0.5, -0.3], vec![0.4, 0.2]);
        for _ in 0..200 {
            let next = method(&state, h);
            let u = (next.q[0] - state.q[0]) / h;
            let impulse: f64 = nodes
                .iter()
                .map(|(place, weight)| {
                    let [drag, torque, rate] = [parameters[5], parameters[7], parameters[8]];
                    h * weight * (torque * (rate * (state.t + place * h)).cos() - drag * u)
                })
                .sum();
            let defect = momentum(&next) - momentum(&state) - impulse;
            assert!(defect.abs() < 1e-13, "{name}: {defect:e} at {}", state.t);
            state = next;
        }
    };
    check(&|state, h| advance(&system, &VariationalEuler::default(), state, h, 1), &[(0.0, 1.0)], "euler");
    check(
        &|state, h| advance(&system, &VariationalMidpoint::default(), state, h, 1),
        &[(0.5, 1.0)],
        "midpoint",
    );
    let ends = [(0.0, 0.5), (1.0, 0.5)];
    check(&|state, h| advance(&system, &VariationalTrapezoid::default(), state, h, 1), &ends, "trapezoid");
}

/// The energy changes by the discrete work h Σ w F·u to order 2: here by drag alone, without a drive.
#[test]
fn the_energy_changes_by_the_discrete_work_to_second_order() {
    let system = DrivenPendulum::of(&[1.0, 1.0, 1.0, 0.8, 9.81, 0.1, 0.05, 0.0, 0.0]);
    let defect = |steps: u64| {
        let h = 4.0 / steps as f64;
        let start = State::new(vec![0.5, -0.3], vec![0.4, 0.2]);
        let energy = |state: &State| system.energy(&state.q, &state.v, state.t);
        let mut stepper = VariationalMidpoint::default().start(&system, start.clone(), h).unwrap();
        let (mut q, mut work) = (start.q.clone(), 0.0);
        for _ in 0..steps {
            stepper.step().unwrap();
            let now = &stepper.state().q;
            let u = [(now[0] - q[0]) / h, (now[1] - q[1]) / h];
            work -= h * (0.1 * u[0] * u[0] + 0.05 * (u[0] - u[1]).powi(2));
            q.clone_from(now);
        }
        (energy(stepper.state()) - energy(&start) - work).abs()
    };
    let slope = order_by_slope(&[200, 400, 800], defect);
    assert!((slope - 2.0).abs() < 0.1, "slope {slope}, {:e}", defect(800));
}
