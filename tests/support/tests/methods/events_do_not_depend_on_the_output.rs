//! Methods that go from event to event: their results do not depend on the output's step, the edges of
//! terraces are the ones of an exhaustive search, and an endless run warns before and ends with an
//! error.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]
#![expect(clippy::float_cmp, reason = "sides and heights are compared as they were set")]

use super::energy_and_momentum_to_rounding::Cluster;
use least_action::error::{ForceError, StepError};
use least_action::method::force_stepping::{ForceStepping, RelativeForceStepping, Vertex};
use least_action::method::stability::Cause;
use least_action::method::{EnergyStepping, Method, Stepper};
use least_action::prelude::*;
use least_action::system::Natural;
use test_support::THOROUGH;
use test_support::agreement::Seeded;
use test_support::structure::distance;

/// A point of mass 1 among waves: V = Σ aᵢ cos(kᵢ·q + φᵢ).
struct Waves {
    /// aᵢ, kᵢ and φᵢ.
    amplitudes: Vec<f64>,
    numbers: Vec<f64>,
    phases: Vec<f64>,
}

#[lagrangian]
impl Waves {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        let potential = sum(0..self.amplitudes.len(), |i| {
            let along = self.numbers[2 * i] * q.x + self.numbers[2 * i + 1] * q.y;
            self.amplitudes[i] * (along + self.phases[i]).cos()
        });
        0.5 * der(q).norm_squared() - potential
    }
}

impl Waves {
    fn random(seed: &mut Seeded) -> Self {
        let mut draw = |count, size| (0..count).map(|_| size * seed.number()).collect::<Vec<f64>>();
        Self { amplitudes: draw(4, 1.0), numbers: draw(8, 3.0), phases: draw(4, 3.0) }
    }
}

/// A point of mass 1 on a line over a hill, V = −½ x².
struct Hill {}

#[lagrangian]
impl Hill {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) + 0.5 * x.powi(2)
    }
}

/// Beads of small mass on springs.
struct Light {
    mass: f64,
}

#[lagrangian]
impl Light {
    fn lagrangian(&self, x: [Scalar; 5]) -> Scalar {
        let kinetic = sum(0..5, |i| 0.5 * self.mass * der(x[i]).powi(2));
        kinetic
            - sum(1..5, |i| 0.5 * (x[i] - x[i - 1]).powi(2) + 0.1 * (x[i] - x[i - 1]).powi(4))
            - 0.5 * x[0].powi(2)
    }
}

/// The state and the number of events after the time `until` in this number of outputs.
fn end<S: ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    until: f64,
    outputs: u64,
) -> (State, u64) {
    let mut stepper = method.start(system, start.clone(), until / outputs as f64).unwrap();
    (0..outputs).for_each(|_| stepper.step().unwrap_or_else(|error| panic!("{error}")));
    (stepper.state().clone(), stepper.report().crossings.unwrap())
}

/// The end is equal to rounding, and so is the number of events, for outputs of any size.
fn is_the_same<S: ?Sized, M: Method<S>>(system: &S, method: &M, start: &State, until: f64, growth: f64) {
    let (expected, events) = end(system, method, start, until, 1);
    assert!(events > 12, "{}: {events} events say nothing", M::NAME);
    for outputs in [2, 7, 64, 1000, 10 * events] {
        let (found, met) = end(system, method, start, until, outputs);
        assert_eq!(met, events, "{} in {outputs} outputs", M::NAME);
        let away = distance(&found.q, &expected.q).max(distance(&found.v, &expected.v));
        assert!(away <= growth * 1e-13, "{} in {outputs} outputs: {away:e}", M::NAME);
    }
}

#[test]
fn the_step_of_the_output_changes_nothing() {
    let cluster = Cluster::of_seven();
    let (system, start) = (cluster.bind().unwrap(), Cluster::start());
    is_the_same(&system, &EnergyStepping { height: Some(0.01), edge: Some(0.0) }, &start, 0.83, 1e3);
    is_the_same(&system, &ForceStepping::with_grid(0.02), &start, 0.83, 1e3);
    is_the_same(&system, &RelativeForceStepping { grid: 0.02 }, &start, 0.83, 1e3);
    let mut seed = Seeded::new(5);
    for _ in 0..20 {
        let (waves, start) = (Waves::random(&mut seed), moving(&mut seed));
        let system = waves.bind().unwrap();
        // Of the motion among waves, rounding grows fast where it turns.
        is_the_same(&system, &EnergyStepping { height: Some(0.02), edge: None }, &start, 1.3, 1e5);
        is_the_same(&system, &ForceStepping::with_grid(0.01), &start, 1.3, 1e5);
    }
    let light = Light { mass: 0.01 }.bind().unwrap();
    let start = State::new(vec![0.1, -0.2, 0.3, 0.1, 0.2], vec![1.0, -2.0, 0.5, 0.3, 1.5]);
    is_the_same(&light, &EnergyStepping { height: Some(0.003), edge: None }, &start, 0.7, 1e3);
    is_the_same(
        &light,
        &ForceStepping { vertex: Vertex::Random(3), ..ForceStepping::with_grid(0.02) },
        &start,
        0.7,
        1e3,
    );
    is_the_same(&light, &RelativeForceStepping { grid: 0.02 }, &start, 0.7, 1e3);
}

fn moving(seed: &mut Seeded) -> State {
    State::new(vec![seed.number(), seed.number()], vec![1.5 + seed.number(), seed.number()])
}

/// The motion of a unit mass over terraces by exhaustive search: V is sampled so often that no wave of
/// it is missed, and at its turns between samples too.
fn exhaustive(system: &impl Natural, start: &State, height: f64, base: f64, until: f64) -> (State, u64) {
    let State { mut q, mut v, t } = start.clone();
    let potential = |q: &[f64]| system.potential(q, t);
    let mut terrace = ((potential(&q) - base) / height).floor();
    let (mut left, mut events) = (until, 0);
    // After an edge the motion is on it; the side from which it came does not count until it has left.
    let mut on = if potential(&q) == base + terrace * height { -1.0 } else { 0.0 };
    loop {
        let level = base + height * (terrace + 0.5);
        let beyond = |time: f64, side: f64| {
            let at: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + time * v).collect();
            side * (potential(&at) - level) - 0.5 * height
        };
        let look = 5e-4;
        let mut found: Option<(f64, f64)> = None;
        let mut time = 0.0;
        while time < left && found.is_none() {
            for side in [1.0, -1.0] {
                // The largest excess between two looks, by cutting thirds off.
                let (mut low, mut high) = (time, time + look);
                while high - low > 1e-11 {
                    let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    if beyond(a, side) < beyond(b, side) { low = a } else { high = b }
                }
                let ends = if on == side && time == 0.0 {
                    // Whether it leaves at once; if not, whether it comes back.
                    if beyond(1e-9, side) > 0.0 { vec![1e-9] } else { vec![high, time + look] }
                } else {
                    vec![high, time + look]
                };
                let Some(&after) = ends.iter().find(|after| beyond(**after, side) > 0.0) else { continue };
                let (mut inside, mut outside) = (time, after);
                if on == side && time == 0.0 {
                    // The zero at the edge itself is not wanted, unless the motion leaves at once.
                    inside = if after == 1e-9 { 0.0 } else { 1e-9 };
                }
                for _ in 0..80 {
                    let middle = 0.5 * (inside + outside);
                    if beyond(middle, side) > 0.0 { outside = middle } else { inside = middle }
                }
                if found.is_none_or(|(soonest, _)| outside < soonest) {
                    found = Some((outside, side));
                }
            }
            time += look;
        }
        let Some((after, side)) = found.filter(|(after, _)| *after < left) else {
            q.iter_mut().zip(&v).for_each(|(q, v)| *q += left * v);
            return (State { t: t + until, q, v }, events);
        };
        q.iter_mut().zip(&v).for_each(|(q, v)| *q += after * v);
        let mut gradient = vec![0.0; q.len()];
        system.potential_gradient(&q, t, &mut gradient);
        let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (a, b) = (product(&gradient, &v), product(&gradient, &gradient));
        let square = a * a - 2.0 * side * height * b;
        let passes = square >= 0.0;
        let change = if passes { (side * square.sqrt() - a) / b } else { -2.0 * a / b };
        v.iter_mut().zip(&gradient).for_each(|(v, g)| *v += change * g);
        terrace += if passes { side } else { 0.0 };
        on = if passes { -side } else { side };
        left -= after;
        events += 1;
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn the_edges_are_those_that_an_exhaustive_search_finds() {
    let mut seed = Seeded::new(11);
    let mut events = 0;
    let (rounds, least) = if THOROUGH { (16, 80) } else { (10, 50) };
    for round in 0..rounds {
        let (waves, start) = (Waves::random(&mut seed), moving(&mut seed));
        let system = waves.bind().unwrap();
        // High terraces, whose ends the waves meet and leave again within one stretch.
        let height = 0.3 + 0.2 * seed.number();
        let edge = (round % 2 == 0).then(|| seed.number());
        let base = edge.unwrap_or(system.potential(&start.q, 0.0));
        let (expected, met) = exhaustive(&system, &start, height, base, 2.0);
        let (found, crossings) = end(&system, &EnergyStepping { height: Some(height), edge }, &start, 2.0, 3);
        assert_eq!(crossings, met, "round {round}");
        let away = distance(&found.q, &expected.q).max(distance(&found.v, &expected.v));
        assert!(away < 1e-6, "round {round}: {away:e} after {met}");
        events += met;
    }
    assert!(events > least, "{events}");
}

/// Over the top of a hill, the last edge is met on the way up and on the way down, however little it
/// lies below the top, and is not met where it lies above.
#[test]
fn a_dip_past_an_edge_is_seen_to_rounding() {
    let system = Hill {}.bind().unwrap();
    for below in [0.1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-14] {
        let start = State::new(vec![-0.5], vec![3.0]);
        for (edge, met) in [(-below, 2), (below, 0)] {
            let method = EnergyStepping { height: Some(0.7), edge: Some(edge) };
            let (state, crossings) = end(&system, &method, &start, 0.4, 3);
            assert_eq!(crossings, met, "{edge:e}");
            assert!((state.v[0] - 3.0).abs() < 1e-12 && state.q[0] > 0.6, "{edge:e}: {state:?}");
        }
    }
}

/// Wherever rounding puts a start beside an edge, it takes one of the edge's two ways, for any output.
#[test]
fn a_start_on_an_edge_but_for_rounding_goes_on() {
    let system = Hill {}.bind().unwrap();
    for x in [-0.3_f64, -0.7, 0.1 / 3.0, 1.1] {
        let value = -0.5 * x * x;
        for ulps in -3_i64..=3 {
            let edge = f64::from_bits((value.to_bits() as i64 + ulps) as u64);
            for v in [2.0, -2.0] {
                let method = EnergyStepping { height: Some(0.05), edge: Some(edge) };
                let start = State::new(vec![x], vec![v]);
                let (expected, events) = end(&system, &method, &start, 0.4, 1);
                println!("{x} {ulps} {v} {events}");
                // The edges of V between the ends, and the one at the start if it is met.
                let counted = exhaustive(&system, &start, 0.05, edge, 0.4).1;
                assert!(events.abs_diff(counted) <= 1, "{x} {ulps} {v}: {events} {counted}");
                for outputs in [3, 50] {
                    let (found, met) = end(&system, &method, &start, 0.4, outputs);
                    assert_eq!(met, events, "{x} {ulps} {v} in {outputs} outputs: {found:?} {expected:?}");
                    let away = distance(&found.q, &expected.q);
                    assert!(away < 1e-13, "{x} {ulps} {v} in {outputs} outputs: {away:e}");
                }
            }
        }
    }
}

/// A square of stiff springs with a diagonal.
struct Truss {
    stiffness: f64,
}

#[lagrangian]
impl Truss {
    fn lagrangian(&self, nodes: [Vec2; 4]) -> Scalar {
        let rods = [(0, 1, 0.1), (1, 2, 0.1), (2, 3, 0.1), (3, 0, 0.1), (0, 2, 0.02_f64.sqrt())];
        let kinetic = sum(0..4, |i| 0.5 * der(nodes[i]).norm_squared());
        // Terms that cancel to zero, as in elastic bodies.
        let elastic = sum(rods, |(i, j, length)| {
            let stretch = (nodes[i] - nodes[j]).norm() / length;
            self.stiffness * (0.5 * stretch.powi(2) - stretch + 0.5)
        });
        kinetic - elastic
    }
}

/// In undeformed flight V lies on an edge but for rounding, which never passes for a slope.
#[test]
fn a_body_that_flies_undeformed_meets_no_edge() {
    for stiffness in [1.0, 1e6, 1e11] {
        let system = Truss { stiffness }.bind().unwrap();
        let mut q = vec![0.0, 0.0, 0.1, 0.0, 0.1, 0.1, 0.0, 0.1];
        let v: Vec<f64> = [1.0, 0.7].repeat(4);
        for moved in [0.0, 0.3, 1.7] {
            q.iter_mut().for_each(|q| *q += moved);
            for outputs in [1, 1000] {
                let start = State::new(q.clone(), v.clone());
                let (found, met) = end(&system, &EnergyStepping::default(), &start, 0.5, outputs);
                assert_eq!((met, &found.v), (0, &v), "{stiffness:e} {moved} in {outputs}");
            }
        }
    }
    // A height that is lost in the rounding of V is none.
    let system = Truss { stiffness: 1e12 }.bind().unwrap();
    let start = State::new(vec![0.3, 0.3, 0.4, 0.3, 0.4, 0.4, 0.3, 0.4], [1.0, 0.7].repeat(4));
    let lost = EnergyStepping { height: Some(1e-4), edge: None };
    let error = lost.start(&system, start, 0.5).unwrap_err().to_string();
    assert!(error.contains("lost in the rounding of the potential"), "{error}");
}

#[test]
fn work_without_end_is_told_before_and_ends_with_an_error() {
    let system = Light { mass: 1e-8 }.bind().unwrap();
    let start = State::new(vec![0.1, -0.2, 0.3, 0.1, 0.2], vec![1.0, -2.0, 0.5, 0.3, 1.5]);
    let method = EnergyStepping::default();
    let said = method.instability(&system, &start, 1e-3).unwrap();
    let Cause::Events { expected, limit, .. } = said.cause else { panic!("{said}") };
    assert!(expected > limit && said.longest < 1e-6, "{said}");
    assert!(said.to_string().contains("edges of terraces in a step of 0.001"), "{said}");
    let mut stepper = method.start(&system, start.clone(), 1e-3).unwrap();
    let error = stepper.step().unwrap_err();
    let StepError::Failed(failed) = &error else { panic!("{error}") };
    let ForceError::TooManyEvents { part, met, limit: most, .. } = failed.cause else { panic!("{error}") };
    // It is seen early that there are more than are allowed.
    let soon = met < most / 10 && stepper.report().crossings.unwrap() < most / 10;
    assert!(soon && met as f64 / part > most as f64, "{error}");
    // The expected number is right to a small factor: a larger height has as many fewer.
    let kinetic = 0.5 * system.mass().quadratic(&start.v);
    let height = EnergyStepping { height: Some(1e5 * 0.01 * kinetic), edge: None };
    let crossings = end(&system, &height, &start, 1e-3, 1).1 as f64;
    assert!((0.02..50.0).contains(&(1e5 * crossings / expected)), "{crossings:e} {expected:e}");
    assert!(error.to_string().contains("a larger height"), "{error}");
    assert_eq!(stepper.step(), Err(error));
    assert_eq!(stepper.state(), &start);
    // A run that ends gets no warning.
    assert_eq!(method.instability(&system, &start, 1e-9), None);
    let grids = ForceStepping::with_grid(1e-9);
    let said = grids.instability(&system, &start, 10.0).unwrap().to_string();
    assert!(said.contains("faces of the grid") && said.contains("a coarser grid"), "{said}");
    assert!(RelativeForceStepping { grid: 1e-9 }.instability(&system, &start, 10.0).is_some());
    assert_eq!(ForceStepping::with_grid(0.1).instability(&system, &start, 1e-4), None);
    let calm = Light { mass: 1.0 }.bind().unwrap();
    for (grid, step) in [(0.01, 1.0), (0.003, 3.0)] {
        // The estimate of the crossings that there are, to a factor of a few.
        let method = ForceStepping::with_grid(grid * 1e-7);
        let Some(Cause::Events { expected, .. }) =
            method.instability(&calm, &start, step).map(|said| said.cause)
        else {
            panic!("no estimate")
        };
        let crossings = end(&calm, &ForceStepping::with_grid(grid), &start, step, 1).1 as f64;
        assert!((0.2..5.0).contains(&(expected * 1e-7 / crossings)), "{expected:e} {crossings}");
    }
}
