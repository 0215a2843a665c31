//! The file of problems, measured.

use super::problems::Problem;
use least_action::advanced::method::Substep;
use least_action::method::{
    Composition, Method, Stepper, Symmetric, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::system::{Lagrangian, State};
use serde_json::Value;
use test_support::reference::numbers;
use test_support::structure::{advance, distance};

/// The largest of these.
pub(super) fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

fn close(found: &[f64], wanted: &Value, tolerance: f64, what: &str) {
    let wanted = numbers(wanted);
    let error = distance(found, &wanted);
    assert!(
        error <= tolerance * size(&wanted).max(1.0),
        "{what}: {error:e}, {found:?} instead of {wanted:?}"
    );
}

/// The first one and three steps, with the state's multipliers; one of the composition of order 4.
pub(super) fn check_steps(name: &str, problem: &Problem, of_multipliers: f64) {
    check_scheme(name, problem, &VariationalEuler::default(), "euler", of_multipliers);
    check_scheme(name, problem, &VariationalMidpoint::default(), "midpoint", of_multipliers);
    check_scheme(name, problem, &VariationalTrapezoid::default(), "trapezoid", of_multipliers);
    check_composed(name, problem, VariationalMidpoint::default(), "midpoint");
    check_composed(name, problem, VariationalTrapezoid::default(), "trapezoid");
}

fn check_scheme<M: Method<dyn Lagrangian>>(
    name: &str,
    problem: &Problem,
    method: &M,
    scheme: &str,
    of_multipliers: f64,
) {
    let known = &problem.data["one_step"][scheme];
    let h = known["h"].as_f64().unwrap();
    let mut stepper =
        method.start(&*problem.system, problem.start.clone(), h).unwrap_or_else(|e| panic!("{name}: {e}"));
    let what = |quantity: &str| format!("{name}, {scheme}, {quantity}");
    if let Some(multipliers) = stepper.multipliers() {
        close(multipliers, &problem.data["lambda0"], of_multipliers, &what("multipliers of the start"));
    }
    stepper.step().unwrap_or_else(|error| panic!("{}: {error}", what("step")));
    close(&stepper.state().q, &known["q"], 1e-12, &what("q"));
    close(&stepper.state().v, &known["v"], 1e-12, &what("v"));
    if let Some(multipliers) = stepper.multipliers() {
        close(multipliers, &known["lambda"], of_multipliers, &what("multipliers"));
    }
    for _ in 0..2 {
        stepper.step().unwrap_or_else(|error| panic!("{}: {error}", what("step")));
    }
    close(&stepper.state().q, &known["q_after_3"], 1e-12, &what("q after three steps"));
    close(&stepper.state().v, &known["v_after_3"], 1e-12, &what("v after three steps"));
}

fn check_composed<M: Symmetric<dyn Lagrangian>>(name: &str, problem: &Problem, method: M, scheme: &str) {
    let known = &problem.data["one_step"][scheme];
    let h = known["h"].as_f64().unwrap();
    let end = advance(&*problem.system, &Composition::of(method, 4), &problem.start, h, 1);
    close(&end.q, &known["order4"]["q"], 1e-12, &format!("{name}, {scheme}, order 4, q"));
    close(&end.v, &known["order4"]["v"], 1e-12, &format!("{name}, {scheme}, order 4, v"));
}

/// The errors of q, v and λ at the last time of the reference, of a run with steps of this size.
pub(super) fn errors<M: Method<dyn Lagrangian>>(problem: &Problem, method: &M, h: f64) -> [f64; 3] {
    let reference = &problem.data["reference"];
    let last = |key: &str| numbers(reference[key].as_array().unwrap().last().unwrap());
    let time = *numbers(&reference["t"]).last().unwrap();
    let steps = (time / h).round() as u64;
    let mut stepper = method.start(&*problem.system, problem.start.clone(), time / steps as f64).unwrap();
    for _ in 0..steps {
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
    }
    let State { q, v, .. } = stepper.state();
    let of_multipliers = stepper.multipliers().map_or(0.0, |found| distance(found, &last("lambda")));
    [distance(q, &last("q")), distance(v, &last("v")), of_multipliers]
}

/// The errors that the file tells, to 5 % where they are above 1e-9.
pub(super) fn check_errors(name: &str, problem: &Problem) {
    check_errors_of(name, problem, &VariationalMidpoint::default(), "midpoint");
    check_errors_of(name, problem, &VariationalTrapezoid::default(), "trapezoid");
}

fn check_errors_of<M: Method<dyn Lagrangian>>(name: &str, problem: &Problem, method: &M, scheme: &str) {
    let known = &problem.data["errors_at_end"][scheme];
    let steps = numbers(&known["h"]);
    for (h, wanted) in steps.iter().zip(known["max_error_q_v_lambda"].as_array().unwrap()) {
        for ((found, wanted), what) in
            errors(problem, method, *h).into_iter().zip(numbers(wanted)).zip(["q", "v", "λ"])
        {
            if wanted > 1e-9 {
                let ratio = found / wanted;
                assert!(
                    (ratio - 1.0).abs() < 0.05,
                    "{name}, {scheme}, h = {h}, {what}: {found:e} instead of {wanted:e}"
                );
            }
        }
    }
}

/// The orders of q, v and λ by the errors with two sizes of steps.
pub(super) fn check_order<M: Method<dyn Lagrangian>>(
    name: &str,
    problem: &Problem,
    method: &M,
    steps: [f64; 2],
    tolerance: f64,
) {
    let found = steps.map(|h| errors(problem, method, h));
    for (index, what) in ["q", "v", "λ"].into_iter().enumerate() {
        let (long, short) = (found[0][index], found[1][index]);
        // Of some quantities rounding is all that there is.
        if long < 1e-13 {
            continue;
        }
        let order = (long / short).ln() / (steps[0] / steps[1]).ln();
        let wanted = f64::from(method.order());
        assert!(
            (order - wanted).abs() < tolerance,
            "{name}, {} of order {wanted}, {what}: order {order} by {long:e} and {short:e}",
            M::NAME
        );
    }
}

/// Φ₋ₕ ∘ Φₕ is the identity.
pub(super) fn check_adjoint(name: &str, problem: &Problem, h: f64) {
    check_adjoint_of(name, problem, &VariationalMidpoint::default(), h);
    check_adjoint_of(name, problem, &VariationalTrapezoid::default(), h);
}

fn check_adjoint_of<M: Symmetric<dyn Lagrangian>>(name: &str, problem: &Problem, method: &M, h: f64) {
    let mut run = method.start_parts(&*problem.system, problem.start.clone(), h).unwrap();
    // Away from a start that may be at rest.
    for number in 1..=3_u32 {
        run.advance(&Substep { number: 1, size: h, end: h * f64::from(number) }).unwrap();
    }
    let before = run.state().clone();
    run.advance(&Substep { number: 4, size: h, end: 4.0 * h }).unwrap();
    run.advance(&Substep { number: 5, size: -h, end: before.t }).unwrap();
    let State { q, v, .. } = run.state();
    let scale = size(&before.q).max(size(&before.v)).max(1.0);
    let defect = distance(q, &before.q).max(distance(v, &before.v)) / scale;
    assert!(defect < 1e-14, "{name}, {}: {defect:e}", M::NAME);
}
