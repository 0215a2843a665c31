//! Runs side by side in the lanes of registers have the bits of each alone, their failures too.

#![expect(clippy::expect_used, reason = "tests of runs that are known to start")]

use least_action::lanes::Width;
use least_action::method::{Abreast, Composition, Method, Rattle, Stepper, Verlet};
use least_action::prelude::*;
use least_action::system::{Constrained, Natural, State};

/// Beads on springs, with functions of all kinds.
struct Beads {
    stiffness: f64,
    field: f64,
    masses: [f64; 2],
}

#[lagrangian]
impl Beads {
    fn lagrangian(&self, a: Vec2, b: Vec2, turn: Angle) -> Scalar {
        let kinetic =
            0.5 * self.masses[0] * der(a).norm_squared() + 0.5 * self.masses[1] * der(b).norm_squared();
        let spring = 0.5 * self.stiffness * ((a - b).norm() - 1.0).powi(2) + 0.01 / (a - b).norm_squared();
        let field = self.field * a.x * turn.sin() + (0.1 * b.y).exp() + b.x.max(0.3).powf(1.5);
        kinetic + 0.5 * der(turn).powi(2) - spring - field + (turn.cos() * self.field).tanh()
            - a.norm_squared()
    }
}

/// A particle that is pulled into a hole, or pushed away from it.
struct Hole {
    pull: f64,
}

#[lagrangian]
impl Hole {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.pull * x + 0.01 / (x - 0.8).max(0.0)
    }
}

/// Two points on rods.
struct Rods {
    length: f64,
    mass: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, a: Vec2, b: Vec2) -> Scalar {
        0.5 * der(a).norm_squared() + 0.5 * self.mass * der(b).norm_squared() - (a.y + self.mass * b.y)
    }

    #[holonomic]
    fn rods(&self, a: Vec2, b: Vec2) -> [Scalar; 2] {
        [a.norm_squared() - 1.0, (b - a).norm_squared() - self.length.powi(2)]
    }
}

/// A triangle of rods: each meets the others.
struct Triangle {
    side: f64,
}

#[lagrangian]
impl Triangle {
    fn lagrangian(&self, a: Vec2, b: Vec2, c: Vec2) -> Scalar {
        let kinetic = 0.5 * (der(a).norm_squared() + 2.0 * der(b).norm_squared() + der(c).norm_squared());
        kinetic - (a.y + 2.0 * b.y + c.y) - 0.1 * (a.x * c.x).sin()
    }

    #[holonomic]
    fn rods(&self, a: Vec2, b: Vec2, c: Vec2) -> [Scalar; 3] {
        [(a - b).norm_squared() - self.side.powi(2), (b - c).norm() - self.side, (c - a).norm() - self.side]
    }
}

/// A bead on a sphere, with a slide along a number.
struct Sphere {
    radius: f64,
}

#[lagrangian]
impl Sphere {
    fn lagrangian(&self, bead: Vec3) -> Scalar {
        0.5 * der(bead).norm_squared() - bead.z
    }

    #[holonomic]
    fn sphere(&self, bead: Vec3) -> Scalar {
        bead.norm() - self.radius
    }
}

/// A number and an angle that are geared.
struct Gear {
    ratio: f64,
}

#[lagrangian]
impl Gear {
    fn lagrangian(&self, x: Scalar, turn: Angle) -> Scalar {
        0.5 * der(x).powi(2) + 0.5 * der(turn).powi(2) - 0.5 * x.powi(2)
    }

    #[holonomic]
    fn gear(&self, x: Scalar, turn: Angle) -> Scalar {
        x - self.ratio * turn.sin()
    }
}

/// Runs of models with their starts and steps, alone and side by side: the numbers of those that have
/// failed, and the number of steps taken alone of all.
fn compare<'m, M: Model>(
    models: &'m [(Bound<M>, State, f64)],
    begin: impl Fn(&'m (Bound<M>, State, f64)) -> Box<dyn Stepper + 'm>,
    steps: u64,
) -> (Vec<usize>, [u64; 2]) {
    let (mut failed, mut counts) = (Vec::new(), [0; 2]);
    for width in Width::available().into_iter().filter(|width| width.lanes() > 1) {
        for count in 2..=width.lanes() {
            let begin = || models[..count].iter().map(&begin).collect::<Vec<_>>();
            let (mut each, mut runs, mut errors) = (begin(), begin(), vec![None; count]);
            let mut abreast = Abreast::of(width, &mut runs).expect("models in lanes");
            for step in 0..=steps {
                for (lane, (run, alone)) in runs.iter_mut().zip(&mut each).enumerate() {
                    assert_eq!(abreast.failure(lane), errors[lane].as_ref(), "run {lane} at step {step}");
                    abreast.bring(lane, &mut **run);
                    abreast.go_on(lane, &mut **run);
                    assert_eq!(run.steps(), alone.steps());
                    assert_eq!(bits(&**run), bits(&**alone), "run {lane} of {count} at step {step}");
                    if errors[lane].is_none() {
                        errors[lane] = alone.step().err();
                    }
                }
                abreast.step(&mut runs);
            }
            failed = (0..count).filter(|lane| errors[*lane].is_some()).collect();
            let alone = (0..count).map(|lane| abreast.alone(lane)).sum();
            counts = [alone, each.iter().map(|run| run.steps()).sum()];
        }
    }
    (failed, counts)
}

/// The number of runs side by side in the last comparison.
fn lanes() -> u64 {
    Width::widest().lanes() as u64
}

fn bits(run: &dyn Stepper) -> Vec<u64> {
    let State { t, q, v } = run.state();
    let all = [&[*t], &q[..], v, run.multipliers().unwrap_or_default()].concat();
    all.into_iter().map(f64::to_bits).collect()
}

fn bound<M: Model>(of: impl Fn(f64) -> (M, State, f64)) -> Vec<(Bound<M>, State, f64)> {
    let bound = |(model, start, h): (M, State, f64)| (model.bind().expect("a model"), start, h);
    (0..8).map(|k| bound(of(f64::from(k)))).collect()
}

fn natural<M: Model>(of: &(Bound<M>, State, f64), order: u32) -> Box<dyn Stepper + '_> {
    let system: &dyn Natural = of.0.faces().natural.expect("a natural system");
    Box::new(Composition::of(Verlet, order).start(system, of.1.clone(), of.2).expect("a start"))
}

fn constrained<M: Model>(of: &(Bound<M>, State, f64), order: u32) -> Box<dyn Stepper + '_> {
    let system: &dyn Constrained = of.0.faces().constrained.expect("a constrained system");
    let method = Composition::of(Rattle::default(), order);
    Box::new(method.start(system, of.1.clone(), of.2).expect("a start"))
}

#[test]
fn verlet_and_its_compositions_have_the_bits_of_each_run() {
    let models = bound(|k| {
        let masses = [1.0 + 0.1 * k, 2.0 - 0.1 * k];
        let q = vec![0.0, 0.1 * k, 1.0, -0.2, 0.3 * k];
        let v = q.iter().map(|q| (3.0 * q).sin()).collect();
        let model = Beads { stiffness: 2.0 + 0.3 * k, field: 0.2 - 0.01 * k, masses };
        (model, State { t: 0.7 * k, q, v }, 0.01 + 0.003 * k)
    });
    for order in [2, 4] {
        assert_eq!(compare(&models, |of| natural(of, order), 40), (vec![], [0, 41 * lanes()]));
    }
}

#[test]
fn a_run_that_fails_has_its_own_error_and_the_others_go_on() {
    // Some fall in, each at a time of its own.
    let models = bound(|k| {
        let pull = if (k % 3.0 - 1.0).abs() < 0.5 { 1.0 } else { -1.0 };
        (Hole { pull }, State::at_rest(vec![1.5 + 0.1 * k]), 0.05 + 0.001 * k)
    });
    for order in [2, 6] {
        let (failed, [alone, _]) = compare(&models, |of| natural(of, order), 60);
        let expected: Vec<usize> = (0..lanes() as usize).filter(|k| k % 3 == 1).collect();
        assert_eq!(alone, expected.len() as u64);
        assert_eq!(failed, expected);
    }
}

#[test]
fn rattle_has_the_bits_of_each_run() {
    let rods = |speed: f64, h: f64| {
        bound(move |k| {
            let (length, speed) = (1.0 + 0.05 * k, speed * (1.0 + 0.1 * k));
            let start = State::new(vec![0.0, -1.0, 0.0, -1.0 - length], vec![speed, 0.0, -speed, 0.0]);
            (Rods { length, mass: 1.0 + 0.1 * k }, start, h * (1.0 + 0.1 * k))
        })
    };
    let (slow, fast) = (rods(0.2, 0.01), rods(3.0, 0.1));
    for order in [2, 4] {
        assert_eq!(compare(&slow, |of| constrained(of, order), 60), (vec![], [0, 61 * lanes()]));
        // Long steps need matrices of their own, or fail.
        let (_, [alone, all]) = compare(&fast, |of| constrained(of, order), 60);
        assert!(0 < alone && alone <= all + 8, "{alone} of {all}");
    }
    let triangles = bound(|k| {
        let (side, speed) = (1.0 + 0.25 * k, 0.2 * k);
        let corners = [[0.0, 0.0], [side, 0.0], [0.5 * side, 0.75_f64.sqrt() * side]];
        let turning = corners.map(|[x, y]| [-speed * y, speed * x]);
        (Triangle { side }, State::new(corners.concat(), turning.concat()), 0.01 + 0.001 * k)
    });
    assert!(compare(&triangles, |of| constrained(of, 2), 60).0.is_empty());
    let spheres = bound(|k| {
        let radius = 1.0 + 0.25 * k;
        let start = State::new(vec![0.0, 0.6 * radius, 0.8 * radius], vec![0.1 * k, 0.0, 0.0]);
        (Sphere { radius }, start, 0.01 + 0.001 * k)
    });
    assert_eq!(compare(&spheres, |of| constrained(of, 2), 60), (vec![], [0, 61 * lanes()]));
    let gears = bound(|k| {
        (Gear { ratio: 0.5 + 0.1 * k }, State::new(vec![0.0, 0.0], vec![0.5 + 0.1 * k, 1.0]), 0.01)
    });
    assert!(compare(&gears, |of| constrained(of, 2), 60).0.is_empty());
}

#[test]
fn runs_that_differ_do_not_step_side_by_side() {
    let models = bound(|k| (Hole { pull: -1.0 }, State::at_rest(vec![1.5]), 0.01 + k));
    let mut runs = vec![natural(&models[0], 2), natural(&models[1], 4)];
    assert!(Abreast::of(Width::widest(), &mut runs).is_none());
    runs.pop();
    assert!(Abreast::of(Width::widest(), &mut runs).is_none());
    let mut runs = vec![natural(&models[0], 2), natural(&models[1], 2)];
    assert!(Abreast::of(Width::ONE, &mut runs).is_none());
}
