//! Energy-stepping and the method of LaBudde and Greenspan on the command line.

use serde_json::Value;

use crate::support::{Directory, run};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn on_linear_springs_labudde_greenspan_is_the_midpoint_rule() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [0.6, -0.8], "v": [0.5, -0.25]}"#);
    let ran = |method: &str| {
        run(&format!("run springs --method {method} --step 0.3 --until 6 --start {start} --format json"))
            .json()
    };
    let (found, expected) = (ran("labudde-greenspan"), ran("implicit-midpoint"));
    for part in ["q", "v"] {
        for (found, expected) in numbers(&found[part]).iter().zip(numbers(&expected[part])) {
            assert!((found - expected).abs() < 1e-12, "{part}: {found} {expected}");
        }
    }
}

#[test]
fn energy_stepping_counts_its_crossings_and_stays_within_its_terraces() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [1.0, 0.2], "v": [0.5, -0.25]}"#);
    let outcome = run(&format!(
        "run spring-pendulum --method energy-stepping --with height=0.001 --step 0.5 --until 5 --start {start} --format json"
    ));
    // The terraces belong to the start, which a state does not tell.
    assert!(
        outcome.code == 0 && outcome.err.starts_with("note: ") && outcome.err.contains("terraces"),
        "{}",
        outcome.err
    );
    let result: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!(result["crossings"].as_u64().unwrap() > 1000, "{result}");
    let energy = result["energy"].as_f64().unwrap();
    // ½ v² + 20 (|q| − 1)² + y at the start.
    let initial = 0.5 * 0.3125 + 20.0 * (1.04_f64.sqrt() - 1.0).powi(2) + 0.2;
    assert!((energy - initial).abs() <= 1e-3, "{energy} {initial}");
}

/// On springs that hang from the origin each coordinate is interpolated alone, from wherever the grid is
/// seen.
#[test]
fn force_stepping_interpolates_in_relative_vectors_where_it_is_told() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [1.003, 0.21], "v": [0.5, -0.25]}"#);
    let ran = |options: &str| {
        let line = format!(
            "run springs --method force-stepping --with grid=0.01 {options} --step 0.5 --until 5 --start {start}"
        );
        run(&format!("{line} --format json")).json()
    };
    let (relative, coordinates) = (ran("--with interpolation=relative"), ran("--with vertex=origin"));
    assert!(relative["crossings"].as_u64().unwrap() > 100, "{relative}");
    for part in ["q", "v"] {
        for (found, expected) in numbers(&relative[part]).iter().zip(numbers(&coordinates[part])) {
            assert!((found - expected).abs() < 1e-10, "{part}: {found} {expected}");
        }
    }
    let line = "run springs --method force-stepping --with grid=0.01 --with interpolation=relative --step 0.5 --until 5";
    let outcome = run(&format!("{line} --with vertex=origin"));
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("vertex has no meaning with interpolation=relative"), "{}", outcome.err);
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let refused = |line: &str| {
        let outcome = run(line);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}");
        outcome.err
    };
    let err = refused("run spring-pendulum --method labudde-greenspan --step 0.1 --until 1");
    assert!(
        err.contains("sum of functions of distances") && err.contains("depends on more than one distance"),
        "{err}"
    );
    let err = refused("run chain --method labudde-greenspan --step 0.1 --until 1");
    assert!(err.contains("it keeps no constraints"), "{err}");
    let err = refused("run spring-pendulum --method energy-stepping --step 0.1 --until 1");
    assert!(err.contains("starts at rest"), "{err}");
}
