//! Every error on the ready models is one line, with the exit code that says whose fault it is.

use least_action_tests::command::{Directory, run};

/// The one line of an error, after warnings, without its prefix.
fn error(line: &str, code: u8) -> String {
    let outcome = run(line);
    assert_eq!(outcome.code, code, "{line}: {outcome:?}");
    let said: String =
        outcome.err.split_inclusive('\n').skip_while(|said| said.starts_with("warning: ")).collect();
    let said = said.strip_prefix("error: ").and_then(|said| said.strip_suffix('\n'));
    let said = said.unwrap_or_else(|| panic!("{line}: {outcome:?}"));
    assert!(!said.contains('\n'), "{line}: {said}");
    said.to_owned()
}

#[test]
fn mistakes_exit_with_2() {
    let pendulum = "run double-pendulum --method shake --step 0.1 --until 1";
    for (line, said) in [
        (
            "run double-pendulum-angles --method rattle --step 0.1 --until 1",
            "`rattle` does not fit `double-pendulum-angles`: it needs a constant mass matrix, and this one depends on \
             theta, phi; methods that fit: variational-euler, variational-midpoint, variational-trapezoid, bdf, reference",
        ),
        (
            "run double-pendulum --method rattle --step 0.1 --until 1 --with order=5",
            "rattle: order = 5 is outside {2, 4, 6, 8}",
        ),
        (
            "run chain --method zhang-skeel-stiff --step 0.1 --until 1",
            "`zhang-skeel-stiff` knows no constraints, and `chain` has 10: add --with omega=… to replace them by the \
             penalty ½ omega² |g|², or use a constrained method: shake, rattle",
        ),
        (
            &format!("{pendulum} --set masses=[1]"),
            "parameter `masses` of `double-pendulum`: [1] is refused: expected a list of 2, not one of length 1",
        ),
        (
            &format!("{pendulum} --set masses=[1,0]"),
            "parameter `masses` of `double-pendulum`: [1,0] is refused: each of them must be positive",
        ),
        (
            "describe spring-chain --set mass=0",
            "parameter `mass` of `spring-chain`: 0 is refused: it must be positive",
        ),
        (
            "describe chain --set links=0",
            "`Chain` has no degrees of freedom with these parameters: the length of an array is zero",
        ),
        (
            "describe chain --set links=4000000000",
            "`bobs` is too long: a system can have at most 2147483647 degrees of freedom",
        ),
        (
            "describe chain --set links=-1",
            "parameter `links` of `chain`: -1 is refused: expected a whole number from 0 on",
        ),
    ] {
        assert_eq!(error(line, 2), said, "{line}");
    }
    let said = error(&format!("{pendulum} --set rods=[1,1e200]"), 2);
    assert!(said.starts_with("a coefficient of ") && said.contains("(upper.x - lower.x)^2"), "{said}");
    assert!(said.ends_with(" is inf: check the parameters of the model"), "{said}");
}

#[test]
fn a_step_above_the_stability_limit_exits_with_1_and_keeps_what_was_computed() {
    let directory = Directory::new("unstable");
    let out = directory.path("out.csv").display().to_string();
    let line = format!(
        "run double-pendulum --method verlet --with omega=2000 --step 0.1 --until 10 --out {out} --format json"
    );
    let said = error(&line, 1);
    assert!(said.starts_with("the run has blown up: at t = 0.2 (step 2) its energy is "), "{said}");
    assert!(
        said.contains("the last state that can be believed is that of t = 0 (step 0): take a smaller step"),
        "{said}"
    );
    let table = std::fs::read_to_string(out).unwrap();
    // The header, the start, and the steps that were seen.
    assert!((3..=4).contains(&table.lines().count()), "{table}");
    assert!(
        table
            .lines()
            .skip(1)
            .all(|row| row.split(',').all(|number| number.parse::<f64>().unwrap().is_finite()))
    );
}

#[test]
fn a_chain_that_vibrates_faster_than_its_steps_is_warned_of_and_fails_with_the_step_to_take() {
    let outcome = run("run chain --set links=1000 --method rattle --step 0.08 --until 50 --every 100");
    assert_eq!(outcome.code, 1);
    let (warning, error) = outcome.err.trim_end().split_once('\n').unwrap();
    let foreseen = "warning: rattle with the step 0.08 tends to blow up: h ω is 3.1";
    assert!(warning.starts_with(foreseen), "{warning}");
    let found = "error: rattle: the step 0.08 is above the limit of stability, which is ";
    assert!(error.starts_with(found) && error.ends_with("try a smaller one"), "{error}");
    assert!(error.contains(" for the motion met in step "), "{error}");
    // With two thirds of it the chain swings.
    let outcome = run("run chain --set links=1000 --method rattle --step 0.035 --until 20 --every 100");
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
}

#[test]
fn a_step_beyond_the_limit_of_zhang_skeel_is_warned_of_before_the_run() {
    let warnings = |line: &str| {
        let outcome = run(line);
        assert_eq!(outcome.code, 0, "it blows up only later");
        // The judgement on the energy comes after the run.
        let before = outcome.err.lines().filter(|line| line.contains("tends to blow up"));
        before.fold(String::new(), |all, line| all + line + "\n")
    };
    let brief = |omega: u32, more: &str| {
        let line = "run double-pendulum --method zhang-skeel --step 0.1 --until 0.1";
        warnings(&format!("{line} --with omega={omega} {more}"))
    };
    let warned = brief(50, "");
    assert!(warned.starts_with("warning: zhang-skeel with the step 0.1 tends to blow up: "), "{warned}");
    assert!(
        warned.contains("take a step below 8.") && warned.ends_with(", or newmark-pushforward\n"),
        "{warned}"
    );
    assert_eq!(brief(20, ""), "");
    // A composition bears 1.27 times the step at order 6.
    assert_eq!(brief(50, "--with order=6"), "");
    assert_ne!(brief(80, "--with order=6"), "");
    assert_eq!(brief(50, "--with beta=0.3"), "");
    // The paper's ring of DNA runs with h = 2, and not with h = 3.
    let ring = |step: f64| {
        warnings(&format!("run dna --method zhang-skeel --with beta=0.3 --step {step} --until {step}"))
    };
    assert_eq!(ring(2.0), "");
    assert_ne!(ring(3.3), "");
}
