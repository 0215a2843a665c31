//! The declared models, integrated and evaluated from the command line, against the numbers of Tao and
//! Owhadi (2014), sections 4.1 and 4.2, and of an independent implementation.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action_tests::command::{Directory, Outcome, json, run};
use serde_json::{Value, json};
use test_support::reference::{numbers, read};
use test_support::structure::distance;

/// The state of a run that takes its start from a file, written here with all its digits.
///
/// None where the run has blown up, which ends it with an earlier state.
fn state(directory: &Directory, start: &Value, line: &str) -> Option<(Vec<f64>, Vec<f64>)> {
    let path = directory.file("start.json", &start.to_string());
    let Outcome { code, out, err } = run(&format!("run {line} --start {path} --format json"));
    if code == 1 && err.contains("error: the run has blown up: ") {
        return None;
    }
    assert!(code == 0, "{line}: {err}");
    let result: Value = serde_json::from_str(&out).unwrap();
    Some((numbers(&result["q"]), numbers(&result["v"])))
}

/// One, two and ten steps of each penalty method, from the paper's start and one off the constraints.
#[test]
fn steps_of_the_double_pendulum_are_those_of_an_independent_implementation() {
    let directory = Directory::new("steps");
    let data = read("double_pendulum.json");
    let parameters = &data["parameters"];
    let starts = [
        ("paper_start", json!({"q": parameters["q0"], "v": parameters["v0"]})),
        ("from_generic_state", data["generic_state"].clone()),
    ];
    let methods = [
        ("verlet", "verlet", ""),
        ("zs", "zhang-skeel", "--with beta=0.4"),
        ("zs_simplified", "zhang-skeel-simplified", "--with beta=0.4"),
    ];
    let (mut compared, mut blown_up) = (0, 0);
    for (place, start) in &starts {
        for (sign, gravity) in [("hanging", 1), ("inverted", -1)] {
            for (key, method, options) in methods {
                for (name, expected) in data[place][sign][key].as_object().unwrap() {
                    let steps: f64 = name.strip_prefix("after_").unwrap().parse().unwrap();
                    let line = format!(
                        "double-pendulum --set gravity={gravity} --method {method} --with omega=20 {options} --step 0.1 \
                         --until {}",
                        0.1 * steps
                    );
                    let (x, w) = (numbers(&expected["x"]), numbers(&expected["v"]));
                    let scale = x.iter().chain(&w).fold(1.0, |scale: f64, entry| scale.max(entry.abs()));
                    let Some((q, v)) = state(&directory, start, &line) else {
                        assert!(method == "verlet" && scale > 100.0, "{line} does not blow up: {x:?}, {w:?}");
                        blown_up += 1;
                        continue;
                    };
                    // Where ten unstable steps have grown the state, they have grown rounding errors.
                    let tolerance = if steps > 9.0 && scale > 10.0 { 1e-10 * scale } else { 1e-12 * scale };
                    assert!(distance(&q, &x) < tolerance, "{line}: {q:?} instead of {x:?}");
                    assert!(distance(&v, &w) < tolerance, "{line}: {v:?} instead of {w:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared + blown_up == 32 && blown_up <= 8, "{compared} compared, {blown_up} blown up");
}

/// The errors of the penalty methods against the accurate solutions, to 1 %.
#[test]
fn errors_of_the_penalty_methods_are_those_stated() {
    for (file, model) in [("double_pendulum.json", "double-pendulum"), ("chain.json", "chain")] {
        let trajectory = &read(file)["trajectory_hanging"];
        for (key, method) in
            [("verlet", "verlet"), ("zs", "zhang-skeel"), ("zs_simplified", "zhang-skeel-simplified")]
        {
            let stated = &trajectory["errors"][key];
            for (k, t) in numbers(&trajectory["t"]).into_iter().enumerate() {
                let line = format!(
                    "run {model} --method {method} --with omega=20 --step {} --until {t}",
                    stated["h"]
                );
                let q = numbers(&json(&format!("{line} --every 1000 --format json"))["q"]);
                for (solution, errors) in
                    [("penalised", "err_vs_penalised"), ("constrained", "err_vs_constrained")]
                {
                    let error = distance(&q, &numbers(&trajectory[solution][k]["q"]));
                    let stated = stated[errors][k].as_f64().unwrap();
                    assert!((error / stated - 1.0).abs() < 0.01, "{line}: {error:e}, stated {stated:e}");
                }
            }
        }
    }
}

/// SHAKE at h = 0.1 on the double pendulum: the errors in the digits that are known of them.
#[test]
fn errors_of_the_constrained_methods_are_those_stated() {
    let data = &read("double_pendulum.json")["trajectory_hanging"];
    for method in ["shake", "rattle"] {
        for (k, stated) in [5e-4, 8e-4, 4.6e-3, 3.1e-3].into_iter().enumerate() {
            let t = &data["t"][k];
            let line = format!("run double-pendulum --method {method} --step 0.1 --until {t}");
            let result = json(&format!("{line} --format json"));
            let error = distance(&numbers(&result["q"]), &numbers(&data["constrained"][k]["q"]));
            assert!((error - stated).abs() <= 0.5e-4, "{line}: {error:.3e}, stated {stated:.1e}");
            assert!(result["constraint_residual"].as_f64().unwrap() < 1e-12, "{line}");
        }
    }
}

/// The accurate solutions of both sections, with constraints and with the penalty, to the known digits.
#[test]
fn the_reference_method_gives_the_accurate_solutions() {
    for (file, model) in [("double_pendulum.json", "double-pendulum"), ("chain.json", "chain")] {
        let trajectory = &read(file)["trajectory_hanging"];
        for (k, t) in numbers(&trajectory["t"]).into_iter().enumerate() {
            for (solution, penalty) in [("constrained", ""), ("penalised", "--with omega=20")] {
                let line = format!(
                    "run {model} --method reference --with tolerance=1e-13 {penalty} --step 0.1 --until {t} --format json"
                );
                let (result, exact) = (json(&line), &trajectory[solution][k]);
                assert!(distance(&numbers(&result["q"]), &numbers(&exact["q"])) < 1e-10, "{line}");
                assert!(distance(&numbers(&result["v"]), &numbers(&exact["v"])) < 1e-9, "{line}");
            }
        }
    }
}

/// The pendulum in angles moves as the one in Cartesian coordinates.
#[test]
fn the_double_pendulum_in_angles_is_the_same_motion() {
    let data = &read("double_pendulum.json")["trajectory_hanging"];
    for (k, t) in numbers(&data["t"]).into_iter().enumerate() {
        let line =
            format!("run double-pendulum-angles --method reference --step 0.1 --until {t} --format json");
        let angles = numbers(&json(&line)["q"]);
        let (upper, lower) = (angles[0].sin_cos(), angles[1].sin_cos());
        let rod = 2.0_f64.sqrt();
        let q = [upper.0, -upper.1, upper.0 + rod * lower.0, -upper.1 - rod * lower.1];
        assert!(distance(&q, &numbers(&data["constrained"][k]["q"])) < 1e-10, "at t = {t}");
    }
}

/// Sparse triplets of a symmetric lower triangle, times a vector.
fn product(triplets: &Value, a: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len()];
    for entry in triplets.as_array().unwrap() {
        let index = |k: usize| usize::try_from(entry[k].as_u64().unwrap()).unwrap();
        let (row, column, value) = (index(0), index(1), entry[2].as_f64().unwrap());
        assert!(column <= row, "the lower triangle");
        product[row] += value * a[column];
        if row != column {
            product[column] += value * a[row];
        }
    }
    product
}

/// (1 + c Hess V) a = −∇V and f = a − ½ c² a·V‴·a, with c = β h²: gradient, Hessian and third derivative
/// of the penalized systems, from `eval` alone, against the accelerations a and f of an independent
/// implementation.
#[test]
fn derivatives_from_eval_satisfy_the_equations_of_zhang_and_skeel() {
    let directory = Directory::new("eval");
    let (pendulum, chain) = (read("double_pendulum.json"), read("chain.json"));
    let start = |data: &Value| json!({"q": data["parameters"]["q0"], "v": data["parameters"]["v0"]});
    let cases = [
        ("double-pendulum", &pendulum, start(&pendulum), "/paper_start/SIGN/accel"),
        ("double-pendulum", &pendulum, pendulum["generic_state"].clone(), "/from_generic_state/SIGN/accel"),
        ("chain", &chain, start(&chain), "/accelerations/SIGN"),
    ];
    for (model, data, start, place) in cases {
        let c = 0.4 * data["parameters"]["h"].as_f64().unwrap().powi(2);
        let path = directory.file("start.json", &start.to_string());
        for (sign, gravity) in [("hanging", 1), ("inverted", -1)] {
            let expected = data.pointer(&place.replace("SIGN", sign)).unwrap();
            let (a, f) = (numbers(&expected["a_zs"]), numbers(&expected["f_zs"]));
            let direction = directory.file("a.json", &expected["a_zs"].to_string());
            let found = json(&format!(
                "eval {model} --set gravity={gravity} --start {path} --direction {direction} --penalty 20 \
                 --what gradient,hessian,third --format json"
            ));
            let gradient = numbers(&found["gradient"]);
            let scale = gradient.iter().fold(1.0, |scale: f64, entry| scale.max(entry.abs()));
            assert!(distance(&gradient, &numbers(&expected["grad"])) < 1e-12 * scale, "{model}, {sign}: ∇V");
            let bent = product(&found["hessian"], &a);
            let residual: Vec<f64> = (0..a.len()).map(|i| a[i] + c * bent[i] + gradient[i]).collect();
            assert!(
                distance(&residual, &vec![0.0; a.len()]) < 1e-11 * scale,
                "{model}, {sign}: {residual:?}"
            );
            let third = numbers(&found["third"]);
            let force: Vec<f64> = (0..a.len()).map(|i| a[i] - 0.5 * c * c * third[i]).collect();
            assert!(distance(&force, &f) < 1e-12 * scale, "{model}, {sign}: {force:?} instead of {f:?}");
        }
    }
}

/// Energy −110 of the chain at rest, zero constraints, and Jacobian rows 2 (p_i − p_{i−1}) on both ends.
#[test]
fn energy_constraints_and_jacobian_of_the_chain() {
    let found = json("eval chain --what energy,constraints,jacobian --format json");
    assert_eq!(found["energy"], -110.0);
    assert!(numbers(&found["constraints"]).iter().all(|g| g.abs() < 1e-12));
    let jacobian = found["jacobian"].as_array().unwrap();
    let mut expected = Vec::new();
    for i in 0..10 {
        if i > 0 {
            expected.extend([json!([i, 2 * i - 2, -2.0]), json!([i, 2 * i - 1, 4.0])]);
        }
        expected.extend([json!([i, 2 * i, 2.0]), json!([i, 2 * i + 1, -4.0])]);
    }
    assert_eq!(*jacobian, expected);
}
