//! `--observe-window`: the multipliers of a penalty and their means over a sliding window, against means
//! taken by hand over the recorded columns.

use crate::support::{Directory, run};

const OMEGA: f64 = 20.0;
const STEP: f64 = 0.01;

/// The columns of a run of two links under a penalty, with the means over `window`, by name.
fn columns(window: f64, until: f64) -> (Vec<String>, Vec<Vec<f64>>) {
    let directory = Directory::new();
    let file = directory.path("chain.csv");
    let outcome = run(&format!(
        "run chain --set links=2 --method verlet --with omega={OMEGA} --step {STEP} --until {until} --observe-window {window} \
         --out {file}"
    ));
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, number) in columns.iter_mut().zip(line.split(',')) {
            column.push(number.parse().unwrap());
        }
    }
    (names, columns)
}

fn column<'c>((names, columns): &'c (Vec<String>, Vec<Vec<f64>>), name: &str) -> &'c [f64] {
    let found = names.iter().position(|one| one == name);
    &columns[found.unwrap_or_else(|| panic!("no column {name} in {names:?}"))]
}

#[test]
fn the_means_are_those_of_the_recorded_multipliers() {
    let (window, moments) = (0.1, 10);
    let table = columns(window, 0.5);
    let t = column(&table, "t");
    assert_eq!(t.len(), 51);
    for rod in 0..2 {
        let lambda = column(&table, &format!("lambda.rods[{rod}]"));
        let mean = column(&table, &format!("lambda_mean.rods[{rod}]"));
        for k in 0..t.len() {
            // λ = −ω² g, with g from the recorded positions.
            let [x, y] = ["x", "y"].map(|axis| {
                let of = |bob: usize| column(&table, &format!("bobs[{bob}].{axis}"))[k];
                if rod == 0 { of(0) } else { of(1) - of(0) }
            });
            let expected = -OMEGA * OMEGA * (x * x + y * y - 5.0);
            assert!((lambda[k] - expected).abs() < 1e-10, "{}: {}, not {expected}", t[k], lambda[k]);
            if k < moments {
                assert!(mean[k].is_nan(), "no window has passed at {}", t[k]);
                continue;
            }
            // The closed window [t − δ, t] holds both of its ends.
            let by_hand = lambda[k - moments..=k].iter().sum::<f64>() / (moments + 1) as f64;
            assert!((mean[k] - by_hand).abs() < 1e-12 * by_hand.abs().max(1.0), "{} at {}", mean[k], t[k]);
        }
        // The mean is not the value: the springs swing.
        assert!((10..51).any(|k| (mean[k] - lambda[k]).abs() > 0.1));
    }
    // Of which time it is the forward mean, and of which the centred one.
    let (forward, centred) = (column(&table, "lambda_mean.forward"), column(&table, "lambda_mean.centred"));
    for k in 0..t.len() {
        if k < moments {
            assert!(forward[k].is_nan() && centred[k].is_nan());
        } else {
            assert!((forward[k] - t[k - moments]).abs() < 1e-12);
            assert!((centred[k] - t[k - moments / 2]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_window_that_never_passes_leaves_the_means_open() {
    let table = columns(0.6, 0.5);
    for name in ["lambda_mean.rods[0]", "lambda_mean.rods[1]", "lambda_mean.forward", "lambda_mean.centred"] {
        assert!(column(&table, name).iter().all(|value| value.is_nan()), "{name}");
    }
    assert!(column(&table, "lambda.rods[0]").iter().all(|value| value.is_finite()));
    // One that is as long as the run passes once.
    let table = columns(0.5, 0.5);
    let mean = column(&table, "lambda_mean.rods[1]");
    assert_eq!(mean.iter().filter(|value| value.is_finite()).count(), 1);
    assert!(mean.last().unwrap().is_finite());
}

#[test]
fn a_window_between_two_records_is_rounded_up() {
    // The shortest span of records that is not shorter than 0.025 is three steps.
    let table = columns(0.025, 0.2);
    let (lambda, mean) = (column(&table, "lambda.rods[0]"), column(&table, "lambda_mean.rods[0]"));
    assert!(mean[2].is_nan());
    for k in 3..mean.len() {
        let by_hand = lambda[k - 3..=k].iter().sum::<f64>() / 4.0;
        assert!((mean[k] - by_hand).abs() < 1e-12 * by_hand.abs().max(1.0));
    }
}

#[test]
fn a_window_that_makes_no_sense_is_refused_in_one_line() {
    let said = |more: &str| {
        let outcome = run(&format!("run chain --step 0.01 --until 0.1 {more}"));
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{more}: {}", outcome.err);
        assert_eq!(outcome.err.matches('\n').count(), 1, "{more}: {}", outcome.err);
        outcome.err
    };
    for window in ["0", "-0.1", "NaN", "inf"] {
        let err = said(&format!("--method verlet --with omega=20 --observe-window {window}"));
        assert!(err.contains("window") && err.contains("(0, ∞)"), "{err}");
    }
    let err = said("--method verlet --with omega=20 --observe-window wide");
    assert!(err.contains("--observe-window") && err.contains("wide"), "{err}");
    // Without a penalty there is nothing to average.
    assert!(said("--method rattle --observe-window 0.1").contains("give --with omega="));
    let unconstrained =
        run("run spring-pendulum --method verlet --step 0.01 --until 0.1 --observe-window 0.1");
    assert!(
        unconstrained.code == 2 && unconstrained.err.contains("give --with omega="),
        "{}",
        unconstrained.err
    );
}
