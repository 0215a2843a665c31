//! Fits that are refused say the mistake, and fits that data do not determine say so.

use std::ops::ControlFlow;

use least_action::method::Verlet;
use least_action::prelude::*;
use least_action_optimization::fit::{Data, Fit, Fitted, Moving, Phase};
use least_action_optimization::least_squares::Options;

use crate::{FREE, solve};

#[derive(Clone)]
struct Spring {
    mass: f64,
    stiffness: f64,
    length: f64,
    drag: f64,
}

#[lagrangian(sensitive(mass, stiffness, drag))]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - 0.5 * self.stiffness * (x - self.length).powi(2)
    }

    #[dissipation]
    fn friction(&self, x: Scalar) -> Scalar {
        0.5 * self.drag * der(x).powi(2)
    }
}

fn spring() -> Fit<Moving<Spring, Verlet>> {
    let spring = Spring { mass: 1.2, stiffness: 3.0, length: 0.0, drag: 0.0 };
    Fit::of(Moving::new(spring, Verlet, 0.01).expect("a spring"))
}

/// x = cos 2t: the stiffness is 4 times the mass.
fn data() -> Data {
    let times: Vec<f64> = (0..50).map(|k| 0.1 * f64::from(k)).collect();
    let x = times.iter().map(|t| (2.0 * t).cos()).collect();
    Data::at(times).column("x", x)
}

fn start() -> State {
    State::at_rest(vec![1.0])
}

#[test]
fn mistakes_are_named() {
    let times = || vec![0.0, 0.1];
    let refusals = [
        (spring().data(data(), start()), "nothing is free"),
        (spring().free("mass", FREE), "a fit needs data"),
        (spring().data(data(), start()).free("length", FREE), "sensitive(length)"),
        (spring().data(data(), start()).free("mass", [2.0, 1.0]), "`mass` has the bounds 2 and 1"),
        (spring().data(Data::at(times()).column("y", times()), start()).free("mass", FREE), "column `y`"),
        (spring().data(Data::at(times()), start()).free("mass", FREE), "no samples"),
        (
            spring().data(Data::at(Vec::new()).column("x", Vec::new()), start()).free("mass", FREE),
            "no samples",
        ),
        (spring().data(Data::at(times()).column("x", vec![1.0]), start()).free("mass", FREE), "1 samples"),
        (
            spring().data(Data::at(times()).column("x", vec![1.0, f64::NAN]), start()).free("mass", FREE),
            "NaN in sample 1",
        ),
        (
            spring().data(Data::at(vec![-0.5, 1.0]).column("x", times()), start()).free("mass", FREE),
            "t = -0.5",
        ),
        (
            spring().data(Data::at(times()).measured("x", 0.0, times()), start()).free("mass", FREE),
            "deviation of `x` is 0",
        ),
        (
            spring()
                .data(Data::at(times()).measured("x", 1.0, times()).column("der.x", times()), start())
                .free("mass", FREE),
            "deviation of `der.x` is missing",
        ),
        (spring().data(data(), start()).free("mass", FREE).segments(10_000), "10000 segments"),
        (spring().data(data(), start()).free("mass", FREE).segments(0), "0 segments"),
        (
            spring().data(data(), start()).free("mass", FREE).from(vec![1.0, 2.0], Phase::Joined),
            "2 numbers to go on from",
        ),
        (
            spring()
                .data(Data::at(vec![0.1]).column("x", vec![0.1]), start())
                .free("mass", FREE)
                .free("stiffness", FREE),
            "1 samples for 2 unknowns",
        ),
    ];
    for (fit, words) in refusals {
        let text = solve(fit).expect_err(words).to_string();
        assert!(text.contains(words), "`{words}` is not in: {text}");
        assert!(!text.contains('\n'), "{text}");
    }
}

#[test]
fn data_that_determine_a_ratio_alone_say_so() {
    for segments in [1, 5] {
        let fit = spring().data(data(), start()).free("mass", FREE).free("stiffness", FREE);
        let found = solve(fit.segments(segments)).expect("a fit");
        let ratio = found.value("stiffness").expect("k") / found.value("mass").expect("m");
        assert!((ratio - 4.0).abs() < 1e-3, "{ratio}");
        assert!(found.estimates.iter().all(|estimate| estimate.error.is_none()));
        // Both can grow by the same percent.
        let [direction] = found.undetermined.as_slice() else {
            panic!("one direction, not {:?}", found.undetermined)
        };
        assert_eq!(direction.len(), 2);
        assert!(direction.iter().all(|(_, change)| (change - 1.0).abs() < 1e-4), "{direction:?}");
        assert!(found.condition > 1e8);
    }
}

/// The motion depends on the ratios alone, and hardly on the drag.
#[test]
fn a_weak_number_of_a_lost_direction_has_no_error() {
    let times: Vec<f64> = (0..50).map(|k| 0.1 * f64::from(k)).collect();
    let (rate, turn) = (0.002_f64, (4.0 - 0.002_f64 * 0.002).sqrt());
    let at = |t: f64| (-rate * t).exp() * ((turn * t).cos() + rate / turn * (turn * t).sin());
    let data = Data::at(times.clone()).column("x", times.into_iter().map(at).collect());
    let fit = spring().data(data, start());
    let found = solve(fit.free("mass", FREE).free("stiffness", FREE).free("drag", FREE)).expect("a fit");
    assert!(found.estimates.iter().all(|estimate| estimate.error.is_none()), "{:?}", found.estimates);
    let [direction] = found.undetermined.as_slice() else {
        panic!("one direction, not {:?}", found.undetermined)
    };
    assert_eq!(direction.len(), 3);
    assert!(direction.iter().all(|(_, change)| (change - 1.0).abs() < 0.05), "{direction:?}");
}

#[test]
fn a_bound_that_holds_is_told() {
    let found =
        solve(spring().data(data(), start()).free("mass", [0.1, 0.7]).free("der.x", FREE)).expect("a fit");
    let mass = &found.estimates[0];
    assert_eq!((mass.value, mass.bound, mass.error), (0.7, Some(0.7), None));
    assert!(found.estimates[1].error.is_some());
    // All numbers at bounds.
    let found = solve(spring().data(data(), start()).free("mass", [0.1, 0.7]).segments(2)).expect("a fit");
    assert_eq!(
        (found.estimates[0].bound, found.estimates[0].error, found.quality.degrees),
        (Some(0.7), None, 50)
    );
}

#[test]
fn a_fit_goes_on_from_where_it_stopped() {
    let fit = || spring().data(data(), start()).free("stiffness", FREE).free("der.x", FREE).segments(3);
    let whole = solve(fit()).expect("a fit");
    let mut kept = (Vec::new(), Phase::Joined);
    let stopped = fit().solve(&Options::default(), |at, phase| {
        kept = (at.x.to_vec(), phase);
        if at.number == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.expect("two steps").x, kept.0);
    let again = solve(fit().from(kept.0, kept.1)).expect("the rest");
    let near = |a: &Fitted, b: &Fitted| a.x.iter().zip(&b.x).all(|(a, b)| (a - b).abs() < 1e-8);
    assert!(near(&whole, &again) && again.iterations < whole.iterations);
}

#[test]
fn several_recordings_share_parameters() {
    let late = Data::at((0..40).map(|k| 0.05 * f64::from(k)).collect());
    let late = late.column("x", (0..40).map(|k| (0.1 * f64::from(k)).sin()).collect()).named("late");
    let fit = spring().data(data().named("early"), start()).data(late, State::at_rest(vec![0.0]));
    let found = solve(fit.free("stiffness", FREE).free("der.x", FREE)).expect("a fit");
    let of = |name: &str| found.value(name).expect(name);
    assert!((of("stiffness") - 4.8).abs() < 1e-3);
    assert!(of("der.x of early").abs() < 1e-3 && (of("der.x of late") - 2.0).abs() < 1e-3);
}
