//! Starts on faces, meetings at one instant, sliding, and systems that cannot run.

use super::{ALL, from_origin, run};
use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::error::{StartError, StepError};
use least_action::method::force_stepping::{ForceStepping, Steps, Triangulation, Vertex, Walls};
use least_action::method::{Method as _, Stepper as _};
use least_action::system::{State, Unforced};
use test_support::structure::state_distance;
use test_support::values::{OfValues, anharmonic, argon, chain, kepler, net, of_all, radial};

const FORMS: [Walls; 2] = [Walls::All, Walls::Coupled];

/// The state at `end`.
fn advanced<S: Unforced>(method: &ForceStepping, system: &S, start: &State, end: f64) -> State {
    let mut run = method.start(system, start.clone(), end).unwrap();
    run.step().unwrap();
    run.state().clone()
}

/// The motion depends continuously on the start where it crosses faces transversally, and so from a tie.
fn check_continuity(system: &OfValues, start: &State, step: f64, end: f64) {
    for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
        let method = ForceStepping { walls: Some(walls), ..from_origin(step, triangulation) };
        let there = advanced(&method, system, start, end);
        for sign in [1.0, -1.0] {
            let mut near = start.clone();
            near.q
                .iter_mut()
                .enumerate()
                .for_each(|(k, q)| *q += sign * 1e-9 * step * (3.7 * k as f64).cos());
            let apart = state_distance(&there, &advanced(&method, system, &near, end));
            assert!(apart < 1e-7 * step, "{triangulation:?}, {walls:?}: {apart:e}");
        }
    }
}

#[test]
fn a_start_on_faces_goes_where_its_neighbours_go() {
    // On a vertex, on an edge, with equal phases, and with phases that are equal but for rounding.
    let v = vec![0.7, -0.4, 0.31];
    for q in [[0.5, 0.3, -0.2], [0.5, 0.25, 0.13], [0.53, 0.43, 0.33], [0.1 + 0.2 + 0.03, 0.33, 0.03]] {
        check_continuity(&anharmonic(), &State::new(q.to_vec(), v.clone()), 0.1, 0.4);
    }
    // Not along a face, which it would leave tangentially.
    let (system, start) = kepler(0.5);
    check_continuity(&system, &State::new(start.q, vec![0.1, start.v[1]]), 0.01, 0.5);
}

#[test]
fn coordinates_that_meet_in_one_instant_pass_one_after_the_other() {
    // All three phases meet at t = 1/4 in free flight: in the middle of a cell, and at a vertex.
    let free = |x: &[f64]| if x[0] < 100.0 { 0.0 } else { 1.0 };
    let v = [0.4, 0.2, -0.3];
    for meeting in [[0.55, 0.45, 0.35], [0.5, 0.4, 0.3]] {
        let q: Vec<f64> = meeting.iter().zip(v).map(|(q, v)| q - 0.25 * v).collect();
        let start = State::new(q, v.to_vec());
        for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
            let method = ForceStepping { walls: Some(walls), ..from_origin(0.1, triangulation) };
            let system = of_all(3, free);
            let mut run = run(&method, &system, &start);
            let at_once = std::iter::from_fn(|| run.next_crossing().unwrap())
                .take_while(|crossing| crossing.time < 0.3)
                .filter(|crossing| (crossing.time - 0.25).abs() < 1e-12)
                .count();
            assert!(at_once >= 3, "{triangulation:?}: {at_once}");
        }
        // With forces that differ in the six simplices there.
        check_continuity(&anharmonic(), &start, 0.1, 0.5);
    }
}

/// Where phases and velocities are equal, the forces decide which coordinate goes ahead.
#[test]
fn coordinates_that_move_alike_are_parted_by_their_accelerations() {
    let system = anharmonic();
    let start = State::new(vec![0.53, 0.43, 0.33], vec![0.2; 3]);
    for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
        let method = ForceStepping { walls: Some(walls), ..from_origin(0.1, triangulation) };
        let there = advanced(&method, &system, &start, 0.4);
        for sign in [1.0, -1.0] {
            let mut near = start.clone();
            near.q.iter_mut().enumerate().for_each(|(k, q)| *q += sign * 1e-10 * (3.7 * k as f64).cos());
            // It takes √(2·1e-10/a) ≈ 1e-5 to part them, with a force that differs by h V'' ≈ 0.1.
            let apart = state_distance(&there, &advanced(&method, &system, &near, 0.4));
            assert!(apart < 1e-5, "{triangulation:?}, {walls:?}: {apart:e}");
        }
    }
}

/// A stone is thrown up to a face in a uniform field; its numbers are exact in binary.
#[test]
fn what_touches_a_face_does_not_cross_it() {
    let field = |x: &[f64]| 0.5 * x[0];
    for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
        let method = ForceStepping { walls: Some(walls), ..from_origin(1.0, triangulation) };
        let crossings = |v: f64| {
            let (system, start) = (of_all(1, field), State::new(vec![1.75], vec![v]));
            let mut run = run(&method, &system, &start);
            let first = run.next_crossing().unwrap().unwrap();
            let mut state = start;
            run.state_at(first.time, &mut state);
            (first.time, state.q[0], state.v[0])
        };
        // Up to 2, and down to 1.
        assert_eq!(crossings(0.5), (1.0 + 2.0 * 1.0_f64, 1.0, -1.0), "{triangulation:?}, {walls:?}");
        let (time, q, v) = crossings(0.5 + 1e-15);
        assert!(
            (time - 1.0).abs() < 1e-6 && (q - 2.0).abs() < 1e-15 && v > 0.0,
            "{triangulation:?}: {time} {q} {v}"
        );
        let (time, q, _) = crossings(0.5 - 1e-15);
        assert!((time - 3.0).abs() < 1e-12 && (q - 1.0).abs() < 1e-15, "{triangulation:?}: {time} {q}");
    }
}

/// Across the floor of a valley, a convex kink, it goes back and forth at any speed, without loss.
#[test]
fn crossing_a_convex_kink_slowly_goes_on_for_ever() {
    let valley = |x: &[f64]| 0.5 * x[0] * x[0];
    for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
        let method = ForceStepping { walls: Some(walls), ..from_origin(1.0, triangulation) };
        for v in [1e-3, 1e-9, 1e-13] {
            let (system, start) = (of_all(1, valley), State::new(vec![0.0], vec![v]));
            let mut run = run(&method, &system, &start);
            let mut state = start.clone();
            // The clock runs for 64 crossings, the last with most rounding, which walks at random.
            let bound = 4.0 * 64.0 * f64::EPSILON * 10_000.0_f64.sqrt();
            for _ in 0..10_000 {
                let crossing = run.next_crossing().unwrap().unwrap();
                // The force is 1/2 on both sides.
                assert!((crossing.length / (4.0 * v) - 1.0).abs() < bound, "{v}: {crossing:?}");
                run.state_at(crossing.time, &mut state);
                assert!((state.v[0].abs() / v - 1.0).abs() < bound, "{v}: {state:?}");
            }
        }
    }
}

#[test]
fn a_start_at_a_minimum_on_a_vertex_slides_and_says_so() {
    for walls in FORMS {
        // At rest, where V_h has the tip of a cone.
        let (system, _) = chain(10);
        let method = ForceStepping { walls: Some(walls), ..ForceStepping::with_grid(0.01) };
        let rest = State::at_rest(vec![0.0; 10]);
        let mut stuck = method.start(&system, rest.clone(), 0.1).unwrap();
        let error = stuck.step().unwrap_err();
        let StepError::Sliding { burst, time, .. } = error else { panic!("{error}") };
        assert!(burst > 10 && time == 0.0, "{burst} {time}");
        assert!(error.to_string().contains("shift the grid"), "{error}");
        assert_eq!((stuck.state(), stuck.steps()), (&rest, 0));
        assert_eq!(stuck.step(), Err(error));
        // Elsewhere on the grid it rests in the noise of the grid.
        let cured = ForceStepping { vertex: Vertex::Random(7), ..method };
        let state = advanced(&cured, &system, &rest, 20.0);
        assert!(state.q.iter().chain(&state.v).all(|entry| entry.abs() < 0.01), "{state:?}");
    }
}

/// A penalty keeps a bob near a circle; it starts at rest, and its weight pulls it along.
#[test]
fn a_start_at_rest_in_a_narrow_valley_slides_where_the_grid_does_not_resolve_it() {
    let system = of_all(2, |q| q[1] + 200.0 * (q[0].powi(2) + q[1].powi(2) - 5.0).powi(2));
    let rest = State::at_rest(vec![1.0, -2.0]);
    // Across the valley V'' = ω² |∇g|² = 400 · 20, and along it the weight is 1: the limit is 1.25e-4.
    for (triangulation, walls) in ALL.into_iter().flat_map(|t| FORMS.map(|walls| (t, walls))) {
        let slides = |step: f64| {
            let method =
                ForceStepping { triangulation, walls: Some(walls), ..ForceStepping::with_grid(step) };
            match method.start(&system, rest.clone(), 1e-3).unwrap().step() {
                Ok(()) => false,
                Err(StepError::Sliding { time, .. }) => time == 0.0,
                Err(error) => panic!("{error}"),
            }
        };
        let outcomes = [1e-2, 3e-4, 1e-4, 3e-5, 3e-6].map(slides);
        assert_eq!(outcomes, [true, true, false, false, false], "{triangulation:?}, {walls:?}");
    }
    // From where it is resolved, and from a vertex elsewhere, it swings alike.
    let resolved = advanced(&ForceStepping::with_grid(1e-4), &system, &rest, 1.0);
    let shifted = ForceStepping { vertex: Vertex::Random(3), ..ForceStepping::with_grid(3e-4) };
    let elsewhere = advanced(&shifted, &system, &rest, 1.0);
    assert!((0.79..0.82).contains(&resolved.q[0]), "{resolved:?}");
    assert!(state_distance(&resolved, &elsewhere) < 0.05, "{resolved:?} {elsewhere:?}");
}

/// Springs at rest whose ends fly alike: all pairs have equal phases, and stay in the valley between.
#[test]
fn a_body_in_uniform_flight_slides_on_an_aligned_grid_and_flies_on_a_shifted_one() {
    let (system, start) = net(4);
    let flight = State::new(start.q.iter().map(|q| q.round()).collect(), vec![0.3; 32]);
    let aligned = ForceStepping::with_grid(0.01);
    let error = method_error(&aligned, &system, &flight);
    assert!(matches!(error, StepError::Sliding { .. }), "{error}");
    let shifted = ForceStepping { vertex: Vertex::Random(1), ..aligned };
    let end = advanced(&shifted, &system, &flight, 10.0);
    for (end, start) in end.q.iter().zip(&flight.q) {
        assert!((end - start - 3.0).abs() < 0.05, "{end} {start}");
    }
    // The same grid for the same seed, and another for another.
    assert_eq!(end, advanced(&shifted, &system, &flight, 10.0));
    let other = ForceStepping { vertex: Vertex::Random(2), ..ForceStepping::with_grid(0.01) };
    assert_ne!(end, advanced(&other, &system, &flight, 10.0));
}

fn method_error<S: Unforced>(method: &ForceStepping, system: &S, start: &State) -> StepError {
    let mut run = method.start(system, start.clone(), 1.0).unwrap();
    (0..100).find_map(|_| run.step().err()).unwrap()
}

#[test]
fn a_vertex_without_a_potential_is_named_with_its_time() {
    let (system, _) = kepler(0.85);
    let fall = State::at_rest(vec![0.155, 0.003]);
    let method = from_origin(0.01, Triangulation::Kuhn);
    let mut run = method.start(&system, fall, 0.001).unwrap();
    let error = loop {
        let before = run.state().clone();
        if let Err(error) = run.step() {
            assert_eq!(run.state(), &before);
            assert_eq!(run.step(), Err(error.clone()));
            assert_eq!(run.state(), &before);
            break error;
        }
    };
    let StepError::VertexNotFinite { value, time, crossings, .. } = error else { panic!("{error}") };
    assert!(value.is_infinite() && (0.01..0.1).contains(&time) && crossings > 10, "{error}");
    let text = error.to_string();
    assert!(text.contains("(q[0] = 0, q[1] = 0)") && text.contains("smaller grid steps"), "{text}");
    // Next to it the motion cannot start.
    let near = State::at_rest(vec![0.005, 0.003]);
    let error = method.start(&system, near, 1.0).err().unwrap();
    assert!(matches!(error, StartError::VertexNotFinite { .. }), "{error}");
    assert!(error.to_string().contains("(q[0] = 0, q[1] = 0)"), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (system, start) = kepler(0.85);
    let refused = |method: &ForceStepping| method.start(&system, start.clone(), 1.0).err().unwrap();
    for step in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let error = refused(&ForceStepping::with_grid(step));
        assert!(matches!(error, StartError::OptionOutOfRange { option: "grid", .. }), "{error}");
    }
    let grid = |steps: Vec<f64>| ForceStepping { grid: Steps::Each(steps), ..ForceStepping::with_grid(1.0) };
    assert!(matches!(refused(&grid(vec![0.1])), StartError::WrongLength { expected: 2, found: 1, .. }));
    assert!(matches!(refused(&grid(vec![0.1, 0.0])), StartError::OptionOutOfRange { .. }));
    let at = |vertex: Vec<f64>| ForceStepping { vertex: Vertex::At(vertex), ..ForceStepping::with_grid(0.1) };
    assert!(matches!(refused(&at(vec![0.0; 3])), StartError::WrongLength { expected: 2, found: 3, .. }));
    assert!(matches!(refused(&at(vec![0.0, f64::NAN])), StartError::OptionOutOfRange { .. }));
    assert!(matches!(refused(&at(vec![0.0, 1e300])), StartError::TooManyCells { .. }));
    let error = ForceStepping::with_grid(0.1).start(&system, start.clone(), -1.0).err().unwrap();
    assert!(matches!(error, StartError::StepNotPositive { .. }));
    let pattern = SymmetricPattern::new(2, [(1, 0)]);
    let values = pattern.entries().map(|(row, column)| if row == column { 1.0 } else { 0.5 }).collect();
    let coupled = kepler(0.85).0.with_mass(SymmetricMatrix { pattern, values });
    let error = ForceStepping::with_grid(0.1).start(&coupled, start.clone(), 1.0).err().unwrap();
    assert_eq!(
        error.to_string(),
        "force-stepping needs a diagonal mass matrix, and that of `of values` couples `q[1]` and `q[0]`: lump the mass, or \
         choose coordinates in which it is diagonal"
    );
}

#[test]
fn one_coordinate_has_two_faces_and_without_force_there_may_be_none() {
    let (system, start) = radial(0.85);
    for triangulation in ALL {
        let [ring, walls] = FORMS.map(|walls| {
            let method = ForceStepping { walls: Some(walls), ..from_origin(0.0067, triangulation) };
            advanced(&method, &system, &start, 30.0)
        });
        assert!(state_distance(&ring, &walls) < 1e-10, "{ring:?} {walls:?}");
    }
    let free = of_all(2, |x| if x[0] < 100.0 { 1.0 } else { 0.0 });
    let method = ForceStepping::with_grid(0.1);
    let resting = State::at_rest(vec![0.23, 0.71]);
    assert_eq!(run(&method, &free, &resting).next_crossing(), Ok(None));
    assert_eq!(advanced(&method, &free, &resting, 5.0).q, resting.q);
    let moving = advanced(&method, &free, &State::new(vec![0.23, 0.71], vec![1.0, -3.0]), 5.0);
    assert!((moving.q[0] - 5.23).abs() < 1e-12 && (moving.q[1] + 14.29).abs() < 1e-12, "{moving:?}");
}

/// The clock has an origin that follows, so that crossings do not depend on the time.
#[test]
fn the_motion_is_the_same_at_any_time() {
    let (system, start) = kepler(0.85);
    let method = ForceStepping::with_grid(0.011);
    let later = State { t: 1e9, ..start.clone() };
    let [mut early, mut late] = [&start, &later].map(|start| run(&method, &system, start));
    let [mut one, mut other] = [start.clone(), later.clone()];
    let mut elapsed = 0.0;
    for _ in 0..50_000 {
        let [a, b] = [&mut early, &mut late].map(|run| run.next_crossing().unwrap().unwrap());
        assert_eq!((a.wall, a.length.to_bits()), (b.wall, b.length.to_bits()));
        elapsed += a.length;
    }
    let last = early.next_crossing().unwrap().unwrap();
    elapsed += last.length;
    assert!((last.time - elapsed).abs() < 1e-9 * elapsed, "{} {elapsed}", last.time);
    let time = late.next_crossing().unwrap().unwrap().time;
    assert!((time - 1e9 - last.time).abs() < 1e-6, "{time} {}", last.time);
    early.state_at(last.time, &mut one);
    late.state_at(time, &mut other);
    // At this hour the time of a state is known to a tenth of a microsecond.
    assert!(state_distance(&one, &other) < 1e-5);
}

/// Crossing by crossing, and then an output: the next one.
#[test]
fn a_step_after_crossings_goes_to_the_next_output() {
    let (system, start) = argon();
    let method = ForceStepping::with_grid(0.02);
    let mut mixed = method.start(&system, start.clone(), 1e-4).unwrap();
    while mixed.next_crossing().unwrap().unwrap().time < 4.5e-4 {}
    assert_eq!((mixed.steps(), mixed.state()), (0, &start));
    mixed.step().unwrap();
    assert_eq!(mixed.steps(), 5);
    let mut straight = method.start(&system, start, 1e-4).unwrap();
    (0..5).for_each(|_| straight.step().unwrap());
    assert_eq!(mixed.state(), straight.state());
    assert!(straight.report().evaluations.values > 0 && straight.report().evaluations.gradients == 0);
}
