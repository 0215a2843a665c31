//! `bench`: work against precision.

use crate::support::{Directory, run};

#[test]
fn errors_fall_as_the_orders_say() {
    let line = "bench chain --method rattle --method rattle:order=4 --step 0.05 --until 1 --halvings 2 --format json";
    let outcome = run(line).json();
    let runs = outcome["runs"].as_array().unwrap();
    let error = |run: usize| runs[run]["error"].as_f64().unwrap();
    assert_eq!(runs.len(), 6);
    assert_eq!(runs[3]["method"], "rattle:order=4");
    for (first, factor) in [(0, 4.0), (1, 4.0), (3, 16.0), (4, 16.0)] {
        let found = error(first) / error(first + 1);
        assert!((found / factor - 1.0).abs() < 0.3, "{first}: {found} beside {factor}");
    }
    assert_eq!(runs[2]["steps"], 80);
}

#[test]
fn all_methods_that_fit_take_part() {
    let place = Directory::new();
    let picture = place.path("bench.svg");
    let line = format!("bench chain --with omega=20 --step 0.02 --until 0.1 --halvings 0 --plot {picture}");
    let outcome = run(&line);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    for method in ["verlet:omega=20", "rattle", "shake", "newmark-pushforward:omega=20", "reference:omega=20"]
    {
        assert!(outcome.out.contains(&format!("{method} ")), "{method}: {}", outcome.out);
    }
    assert!(outcome.out.contains("force-stepping takes no part: "), "{}", outcome.out);
    assert!(std::fs::read_to_string(picture).unwrap().starts_with("<svg"));
}

#[test]
fn mistakes_are_refused() {
    let refused = |line: &str, message: &str| {
        let outcome = run(line);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}");
        assert_eq!(outcome.err, format!("error: {message}\n"));
    };
    refused(
        "bench chain --method ratle --until 1",
        run("run chain --method ratle --step 0.1 --until 1").err.trim_start_matches("error: ").trim_end(),
    );
    refused("bench chain --until -1", "--until -1: the time must be finite and later than the start");
    refused("bench chain --step 0", "--step 0: the step must be positive and finite");
    let outcome = run("bench chain --with omga=3");
    assert!(outcome.err.contains("`bench` has no option `omga` (did you mean `omega`?)"), "{}", outcome.err);
}
