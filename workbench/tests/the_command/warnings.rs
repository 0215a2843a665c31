//! A step that is probably too long is told before the run, in one line on standard error; the run goes
//! on.

use crate::support::run;

/// The warning before the run of one step; other tests read its result.
fn said(line: &str) -> String {
    let outcome = run(line);
    assert_eq!(outcome.code, 0, "{line}: {}", outcome.err);
    let before: Vec<&str> =
        outcome.err.split_inclusive('\n').filter(|line| !line.contains("not to be believed")).collect();
    assert!(before.len() <= 1, "{}", outcome.err);
    before.concat()
}

#[test]
fn a_step_beyond_the_linear_limit() {
    // The spring alone has ω = √40.
    let line = |method: &str, step: f64| {
        said(&format!("run spring-pendulum --method {method} --step {step} --until {step}"))
    };
    let limit = 2.0 / 40.0_f64.sqrt();
    assert_eq!(line("verlet", 0.99 * limit), "");
    assert_eq!(
        line("verlet", 0.4),
        "warning: verlet with the step 0.4 tends to blow up: h ω is 2.530 for the fastest frequency ω = 6.3246 at the start, and \
         must stay below 2.000; take a step below 3.16e-1\n"
    );
    assert_eq!(line("verlet --with order=4", 0.4), "", "a composition bears more");
    assert_ne!(line("verlet --with order=4", 0.45), "");
    assert_ne!(line("variational-trapezoid", 0.4), "");
    assert_eq!(line("variational-midpoint", 0.4), "");
    assert_eq!(line("newmark", 0.4), "");
    assert_ne!(line("newmark --with beta=0.1", 0.45), "");
}

#[test]
fn a_step_beyond_that_of_rods_under_tension() {
    let line =
        |step: f64| said(&format!("run chain --set links=100 --method rattle --step {step} --until {step}"));
    // √(L/T) with the tension T of 100 links at the top.
    assert_eq!(line(0.15), "");
    assert!(line(0.17).starts_with("warning: rattle with the step 0.17 tends to blow up: h ω is "));
}

#[test]
fn a_step_with_which_zhang_skeel_blows_up() {
    let line = |omega: f64, more: &str| {
        said(&format!(
            "run chain --set links=2 --method zhang-skeel --with omega={omega} --step 0.1 --until 0.1 {more}"
        ))
    };
    let warned = line(80.0, "");
    assert!(
        warned.starts_with("warning: zhang-skeel with the step 0.1 tends to blow up: what Hess V changes by"),
        "{warned}"
    );
    assert!(
        warned.contains("should stay below 0.25; take a step below ")
            && warned.ends_with(", or newmark-pushforward\n")
    );
    assert_eq!(line(20.0, ""), "");
    // Nothing is said of a stiffness that is not there, nor twice.
    assert_eq!(said("run spring-pendulum --method zhang-skeel --step 0.05 --until 0.05"), "");
}

#[test]
fn a_start_at_rest_in_equilibrium_is_not_warned_of() {
    assert_eq!(said("run spring-pendulum --set gravity=0 --method zhang-skeel --step 10 --until 10"), "");
}
