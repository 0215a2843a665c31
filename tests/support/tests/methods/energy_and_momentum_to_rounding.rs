//! The kin of force-stepping keep their claims: LaBudde–Greenspan energy and momenta at once,
//! energy-stepping the ones of its terraced potential, Jacobi coordinates the motion of the centre of
//! mass.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use std::f64::consts::PI;

use least_action::advanced::noether;
use least_action::advanced::wrap::{JacobiReduced, Penalized};
use least_action::drive::integrate;
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::force_stepping::{
    ForceStepping, RelativeForceStepping, Steps, Triangulation, Vertex,
};
use least_action::method::{Claims, EnergyStepping, LaBuddeGreenspan, Method, Reference, Stepper, Verlet};
use least_action::prelude::*;
use least_action::system::{Lagrangian, Natural, System, Text};
use test_support::agreement::Seeded;
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;
use test_support::structure::{
    advance, angular_momentum, distance, order_by_slope, reversal_defect, state_distance, symplectic_defect,
};

/// Kepler's problem in the plane.
pub(super) struct Kepler {}

#[lagrangian]
impl Kepler {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * der(q).norm_squared() + 1.0 / q.norm()
    }
}

/// Perihelion of an orbit with the semi-major axis 1.
fn perihelion(e: f64) -> State {
    State::new(vec![1.0 - e, 0.0], vec![0.0, ((1.0 + e) / (1.0 - e)).sqrt()])
}

/// Atoms in the plane, of unequal masses, that attract each other by the law of Lennard-Jones.
pub(super) struct Cluster {
    masses: Vec<f64>,
}

#[lagrangian]
impl Cluster {
    fn lagrangian(&self, atoms: [Vec2; self.masses.len()]) -> Scalar {
        let kinetic = sum(0..self.masses.len(), |i| 0.5 * self.masses[i] * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.masses.len()), |(i, j)| {
            let attraction = 1.0 / (atoms[i] - atoms[j]).norm_squared().powi(3);
            4.0 * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

impl Cluster {
    pub(super) fn of_seven() -> Self {
        Self { masses: vec![1.0, 2.0, 1.5, 1.0, 0.7, 1.0, 3.0] }
    }

    /// A hexagon around an atom, shaken, drifting and turning.
    pub(super) fn start() -> State {
        let mut numbers = Seeded::new(7);
        let corner = |k: f64| [1.12 * (PI * k / 3.0).cos(), 1.12 * (PI * k / 3.0).sin()];
        let places = std::iter::once([0.0; 2]).chain((0..6).map(|k| corner(f64::from(k))));
        let q: Vec<f64> = places.flatten().map(|x| x + 0.02 * numbers.number()).collect();
        let v = q.chunks_exact(2).flat_map(|q| [0.3 - 0.2 * q[1] + 0.4 * numbers.number(), 0.2 * q[0] - 0.1]);
        State { t: 0.0, v: v.collect(), q }
    }
}

/// Four points in space: springs with a length at rest between all, and one to the origin.
struct Frame {}

#[lagrangian]
impl Frame {
    fn lagrangian(&self, centre: Vec3, knots: [Vec3; 3]) -> Scalar {
        let kinetic = 0.5 * der(centre).norm_squared() + sum(0..3, |i| der(knots[i]).norm_squared());
        let around = sum(0..3, |i| 20.0 * ((knots[i] - centre).norm() - 1.0).powi(2));
        let between = sum(pairs(3), |(i, j)| 10.0 * ((knots[i] - knots[j]).norm() - 1.5).powi(2));
        kinetic - around - between - 0.5 * centre.norm_squared()
    }
}

fn frame() -> State {
    let mut numbers = Seeded::new(3);
    let q = [0.1, 0.2, -0.1, 1.2, 0.0, 0.1, -0.5, 0.8, 0.0, -0.4, -0.9, 0.3];
    State::new(q.to_vec(), numbers.numbers(12))
}

/// Points on a line whose springs know which of their ends is the left one.
struct Chain {}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, beads: [Scalar; 3]) -> Scalar {
        let springs = sum(1..3, |i| {
            let stretch = beads[i] - beads[i - 1];
            0.5 * stretch.powi(2) + stretch.powi(3) / 3.0
        });
        sum(0..3, |i| 0.5 * der(beads[i]).powi(2)) - springs
    }
}

/// Argon atoms in nm, ns and 10⁻²⁷ kg.
struct Argon {}

#[lagrangian]
impl Argon {
    fn lagrangian(&self, atoms: [Vec2; 7]) -> Scalar {
        let kinetic = sum(0..7, |i| 0.5 * 66.34 * der(atoms[i]).norm_squared());
        let potential = sum(pairs(7), |(i, j)| {
            let attraction = (0.341 * 0.341 / (atoms[i] - atoms[j]).norm_squared()).powi(3);
            4.0 * 119.8 * 13_806.58 * (attraction.powi(2) - attraction)
        });
        kinetic - potential
    }
}

/// Table I of Gonzalez, Schmidt and Ortiz (2010).
fn table() -> State {
    let q = [0.0, 0.0, 0.02, 0.39, 0.34, 0.17, 0.36, -0.21, -0.02, -0.40, -0.35, -0.16, -0.31, 0.21];
    let v = [-30, -20, 50, -90, -70, -60, 90, 40, 80, 90, -40, 100, -80, -60].map(f64::from);
    State::new(q.to_vec(), v.to_vec())
}

/// Force-stepping on Kuhn's grid with a vertex at the origin.
pub(super) fn from_origin(grid: f64) -> ForceStepping {
    let (triangulation, vertex) = (Triangulation::Kuhn, Vertex::Origin);
    ForceStepping { grid: Steps::Equal(grid), triangulation, vertex, walls: None }
}

/// A ball in a uniform field.
struct Ball {}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, ball: Vec2) -> Scalar {
        0.5 * 2.0 * der(ball).norm_squared() - 2.0 * 9.81 * ball.y
    }
}

/// A spring whose stiffness is switched on and off.
struct Pumped {}

#[lagrangian]
impl Pumped {
    fn lagrangian(&self, q: Vec2, t: Time) -> Scalar {
        0.5 * der(q).norm_squared() - (1.0 + 0.1 * t.cos()) * q.norm_squared()
    }
}

fn energy<S: Natural + ?Sized>(system: &S, state: &State) -> f64 {
    0.5 * system.mass().quadratic(&state.v) + system.potential(&state.q, state.t)
}

/// The largest deviations of conserved quantities along a run, by name.
fn deviations<S, M>(system: &S, method: &M, start: &State, step: f64, steps: u64) -> Vec<(Text, f64)>
where
    S: Lagrangian,
    M: Method<S>,
{
    let mut memory = vec![0.0; 2 * system.dimension() + 1];
    let mut measure = |state: &State| -> Vec<f64> {
        let all = system.conserved().iter();
        all.map(|quantity| quantity.value(system, &state.q, &state.v, state.t, &mut memory)).collect()
    };
    let first = measure(start);
    let mut worst = vec![0.0_f64; first.len()];
    let mut stepper = method.start(system, start.clone(), step).unwrap();
    for _ in 0..steps {
        stepper.step().unwrap();
        for (worst, (now, first)) in worst.iter_mut().zip(measure(stepper.state()).iter().zip(&first)) {
            *worst = worst.max((now - first).abs());
        }
    }
    system.conserved().iter().map(|quantity| quantity.name.clone()).zip(worst).collect()
}

mod labudde_greenspan {
    use super::*;

    const METHOD: LaBuddeGreenspan = LaBuddeGreenspan { tolerance: 1e-14, iterations: 50 };

    /// The number of perihelia of a run and their mean period; parabolas through three points time them.
    fn orbits(e: f64, step: f64, until: f64) -> (u32, f64) {
        let system = Kepler {}.bind().unwrap();
        let mut stepper = METHOD.start(&system, perihelion(e), step).unwrap();
        let radius = |state: &State| (state.t, state.q[0].hypot(state.q[1]));
        let (mut perihelia, mut last) = (0, 0.0);
        let mut window = [(-step, f64::NAN), (-step, f64::NAN), radius(stepper.state())];
        for _ in 0..(until / step).round() as u64 {
            stepper.step().unwrap();
            window = [window[1], window[2], radius(stepper.state())];
            let [(_, a), (t, b), (_, c)] = window;
            let shift = 0.5 * (a - c) / (a - 2.0 * b + c);
            if b < a && b <= c {
                (perihelia, last) = (perihelia + 1, t + step * shift);
            }
        }
        (perihelia, last / f64::from(perihelia))
    }

    /// Independent: fixed-point iteration with the quotient of 1/r in closed form.
    #[test]
    fn periods_of_kepler_orbits_are_the_known_ones() {
        let (perihelia, period) = orbits(0.85, 0.0125, 64.0 * PI);
        assert_eq!(perihelia, 32);
        assert!((period - 6.282_075_58).abs() < 2e-6, "{period}");
    }

    #[test]
    #[ignore = "long: 300 000 steps around the sun"]
    fn periods_of_long_orbits_are_the_known_ones() {
        let (perihelia, period) = orbits(0.99, 0.000_175, 16.0 * PI + 0.01);
        assert_eq!(perihelia, 8);
        assert!((period - 6.283_173_95).abs() < 2e-6, "{period}");
    }

    #[test]
    fn energy_and_momenta_are_kept_to_rounding_at_once() {
        let check = |found: Vec<(Text, f64)>, names: &[&str], bound: f64| {
            assert_eq!(found.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), names);
            assert!(found.iter().all(|(_, worst)| *worst < bound), "{found:?}");
        };
        let kepler = Kepler {}.bind().unwrap();
        let found = deviations(&kepler, &METHOD, &perihelion(0.85), 0.0125, 10_000);
        check(found, &["energy", "angular_momentum_z"], 1e-13);
        let cluster = Cluster::of_seven();
        let found = deviations(&cluster.bind().unwrap(), &METHOD, &Cluster::start(), 0.01, 5000);
        check(found, &["energy", "momentum_x", "momentum_y", "angular_momentum_z"], 3e-12);
        let found = deviations(&Frame {}.bind().unwrap(), &METHOD, &frame(), 0.05, 2000);
        check(found, &["energy", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"], 1e-12);
    }

    /// Verlet at the same step keeps no energy, so that the bounds above say something.
    #[test]
    fn verlet_is_far_from_that() {
        let cluster = Cluster::of_seven();
        let found = deviations(&cluster.bind().unwrap(), &Verlet, &Cluster::start(), 0.01, 5000);
        assert!(found[0].1 > 1e-4, "{found:?}");
    }

    /// On a circle the distance does not change, and the quotient of the scheme is 0/0.
    #[test]
    fn where_distances_stand_still_the_quotient_is_the_derivative() {
        let system = Kepler {}.bind().unwrap();
        let found = deviations(&system, &METHOD, &perihelion(0.0), 0.1, 10_000);
        assert!(found.iter().all(|(_, worst)| *worst < 1e-13), "{found:?}");
        // The polygon is regular: q₁ − q₀ = h (v₀ + v₁)/2, v₁ − v₀ = −h (q₀ + q₁)/2 turn by 2 atan(h/2).
        let state = advance(&system, &METHOD, &perihelion(0.0), 0.1, 100);
        let angle = 200.0 * (0.05_f64).atan();
        assert!(distance(&state.q, &[angle.cos(), angle.sin()]) < 1e-12, "{state:?}");
    }

    /// The orbits of eccentricity 1e-12 … 1e-2 pass all ways of taking the quotient.
    #[test]
    fn nearly_equal_distances_lose_no_energy() {
        let system = Kepler {}.bind().unwrap();
        for exponent in [12, 9, 7, 6, 5, 4, 3, 2] {
            let found = deviations(&system, &METHOD, &perihelion(0.1_f64.powi(exponent)), 0.05, 2000);
            assert!(found.iter().all(|(_, worst)| *worst < 1e-13), "10^-{exponent}: {found:?}");
        }
    }

    #[test]
    fn the_error_falls_with_order_two_and_the_way_back_is_the_same() {
        let cluster = Cluster::of_seven();
        let (system, start) = (cluster.bind().unwrap(), Cluster::start());
        let exact = advance(&system, &Reference::default(), &start, 0.5, 1);
        let slope = order_by_slope(&[100, 200, 400], |steps| {
            state_distance(&advance(&system, &METHOD, &start, 0.5 / steps as f64, steps), &exact)
        });
        assert!((slope - f64::from(LaBuddeGreenspan::ORDER)).abs() < 0.1, "{slope}");
        assert!(reversal_defect(&system, &METHOD, &start, 0.01, 50) < 1e-11);
        let defect = symplectic_defect(&system, &METHOD, &start, 0.05, 1e-3);
        assert!(defect > 1e-4, "it claims no symplecticity, and has none: {defect:e}");
    }

    /// A step across the sun, of which the fixed-point iteration makes nothing.
    #[test]
    fn newtons_method_solves_steps_at_which_the_fixed_point_iteration_diverges() {
        let found = deviations(&Frame {}.bind().unwrap(), &METHOD, &frame(), 0.2, 500);
        assert!(found.iter().all(|(_, worst)| *worst < 1e-11), "{found:?}");
        let found = deviations(&Kepler {}.bind().unwrap(), &METHOD, &perihelion(0.6), 0.3, 500);
        assert!(found.iter().all(|(_, worst)| *worst < 1e-11), "{found:?}");
    }

    #[test]
    fn what_is_no_sum_of_distances_is_refused_with_the_reason() {
        let refusal = |outcome: Result<(), StartError>| match outcome.unwrap_err() {
            StartError::NotOfDistances { method, reason, .. } => {
                assert_eq!(method, LaBuddeGreenspan::NAME);
                reason
            }
            other => panic!("{other}"),
        };
        let chain = Chain {}.bind().unwrap();
        let start = State::new(vec![0.1, 0.4, 0.2], vec![0.0; 3]);
        let reason = refusal(METHOD.start(&chain, start, 0.1).map(drop));
        assert!(reason.contains("depends on more than one distance"), "{reason}");
        let ball = Ball {}.bind().unwrap();
        let reason = refusal(METHOD.start(&ball, State::at_rest(vec![0.3, 0.2]), 0.1).map(drop));
        assert!(reason.contains("depends on more than one distance"), "{reason}");
        let reason = refusal(METHOD.start(&Quartic::default(), Quartic::start(), 0.1).map(drop));
        assert!(reason.contains("of which elements"), "{reason}");
        let (pendulum, start) = Linkage::double_pendulum(1.0);
        let penalized = Penalized::new(&pendulum, 20.0).unwrap();
        refusal(METHOD.start(&penalized, start, 0.1).map(drop));
    }

    #[test]
    fn a_step_without_a_solution_keeps_the_state() {
        let system = Kepler {}.bind().unwrap();
        let hasty = LaBuddeGreenspan { iterations: 1, ..METHOD };
        let mut stepper = hasty.start(&system, perihelion(0.85), 0.1).unwrap();
        let error = stepper.step().unwrap_err();
        let StepError::Failed(failed) = error else { panic!("{error}") };
        assert!(matches!((failed.step, failed.cause), (1, ForceError::NotConverged { .. })), "{failed}");
        assert_eq!(stepper.state(), &perihelion(0.85));
        assert_eq!(stepper.steps(), 0);
    }
}

pub(super) mod energy_stepping {
    use super::*;

    /// Energy-stepping with the same terraces from wherever it starts.
    pub(crate) fn of_height(height: f64) -> EnergyStepping {
        EnergyStepping { height: Some(height), edge: Some(0.0) }
    }

    fn from_start(height: f64) -> EnergyStepping {
        EnergyStepping { height: Some(height), edge: None }
    }

    /// A point of an orbit where it crosses the levels of the potential.
    pub(crate) fn on_the_way_out() -> State {
        State::new(vec![0.2, 0.5], vec![-0.9, 0.8])
    }

    /// On its way up a ball of mass 2 in a uniform field loses ε at each edge, until less than ε of 9 is
    /// left: then it is reflected. Its speeds and times are known in closed form.
    #[test]
    fn a_thrown_ball_comes_back_as_it_was_thrown() {
        let system = Ball {}.bind().unwrap();
        let (height, weight) = (0.37, 2.0 * 9.81);
        let passed = (9.0_f64 / height) as u32;
        let one_way: f64 = (0..=passed).map(|k| height / weight / (9.0 - f64::from(k) * height).sqrt()).sum();
        let start = State::new(vec![1.0, 2.0], vec![0.25, 3.0]);
        let mut stepper = from_start(height).start(&system, start, 2.0 * one_way).unwrap();
        stepper.step().unwrap();
        // Up and down, and once at the top; the last edge, where it started, is met or not by rounding.
        let (met, last) = (stepper.report().crossings.unwrap(), 2 * u64::from(passed) + 2);
        assert!(met == last || met == last - 1, "{met}");
        let state = stepper.state();
        assert!(distance(&state.q, &[1.0 + 0.5 * one_way, 2.0]) < 1e-13, "{state:?}");
        let down = if met == last { (9.0 + height).sqrt() } else { 3.0 };
        assert!(distance(&state.v, &[0.25, -down]) < 1e-13, "{state:?}");
    }

    #[test]
    fn the_energy_of_the_terraces_and_the_momenta_are_kept_over_many_crossings() {
        let cluster = Cluster::of_seven();
        let (system, start) = (cluster.bind().unwrap(), Cluster::start());
        let mut stepper = of_height(0.002).start(&system, start.clone(), 0.5).unwrap();
        let initial = stepper.kept_energy().unwrap();
        assert!((initial - energy(&system, &start)).abs() <= 0.001);
        let kept = |state: &State| {
            let (p, v) = (&cluster.masses, &state.v);
            let momentum =
                |axis: usize| p.iter().zip(v[axis..].iter().step_by(2)).map(|(m, v)| m * v).sum::<f64>();
            [momentum(0), momentum(1), angular_momentum(system.mass(), state)]
        };
        for _ in 0..100 {
            stepper.step().unwrap();
            assert!(
                (stepper.kept_energy().unwrap() - initial).abs() < 1e-11,
                "{:e}",
                stepper.kept_energy().unwrap() - initial
            );
            // The smooth potential's energy is off by half a terrace at most.
            assert!((energy(&system, stepper.state()) - initial).abs() <= 0.001 + 1e-10);
            assert!(distance(&kept(stepper.state()), &kept(&start)) < 1e-11);
        }
        assert!(stepper.report().crossings > Some(10_000), "{:?}", stepper.report().crossings);
    }

    #[test]
    fn the_way_back_is_the_same_and_the_map_is_symplectic() {
        let cluster = Cluster::of_seven();
        let (system, start) = (cluster.bind().unwrap(), Cluster::start());
        assert!(reversal_defect(&system, &of_height(0.05), &start, 0.1, 5) < 1e-9);
        // Some ten crossings, all of which the moved starts share.
        let (system, start, method) = (Kepler {}.bind().unwrap(), on_the_way_out(), of_height(0.015));
        let mut stepper = method.start(&system, start.clone(), 0.3).unwrap();
        stepper.step().unwrap();
        assert!(stepper.report().crossings >= Some(10), "{:?}", stepper.report().crossings);
        let defect = symplectic_defect(&system, &method, &start, 0.3, 1e-5);
        assert!(defect < 1e-7, "{defect:e}");
    }

    /// The output is evaluated on the way: how often does not change the motion.
    #[test]
    fn the_step_of_the_output_does_not_matter() {
        let system = Kepler {}.bind().unwrap();
        let (method, start) = (of_height(0.01), on_the_way_out());
        let (coarse, fine) =
            (advance(&system, &method, &start, 4.0, 1), advance(&system, &method, &start, 0.01, 400));
        assert!(state_distance(&coarse, &fine) < 1e-10, "{coarse:?} {fine:?}");
    }

    /// The mean error over some heights of similar size: one alone meets the end anywhere on a terrace.
    pub(crate) fn slope_of_error(until: f64) -> f64 {
        let system = Kepler {}.bind().unwrap();
        let start = on_the_way_out();
        let exact = advance(&system, &Reference::default(), &start, until, 1);
        order_by_slope(&[100, 400, 1600, 6400], |terraces| {
            let heights = (0..20).map(|k| 1.0 / (terraces as f64 * (1.0 + 0.03 * f64::from(k))));
            heights
                .map(|height| state_distance(&advance(&system, &of_height(height), &start, until, 1), &exact))
                .sum()
        })
    }

    #[test]
    fn lower_terraces_come_nearer_to_the_motion_in_first_order_until_it_turns() {
        let slope = slope_of_error(0.2);
        assert!((slope - f64::from(EnergyStepping::ORDER)).abs() < 0.2, "{slope}");
        // Past the far end of the orbit, where V is largest, the last terrace makes the error.
        let past = slope_of_error(0.5);
        assert!((past - 0.5).abs() < 0.15, "{past}");
    }

    /// A start at the near end of an orbit leaves it from the edge on which it stands.
    #[test]
    fn a_start_at_perihelion_is_not_trapped() {
        let system = Kepler {}.bind().unwrap();
        let method = from_start(0.002);
        let far = advance(&system, &method, &perihelion(0.6), PI, 1);
        assert!(far.q[0] < -1.5, "{far:?}");
    }

    #[test]
    fn what_cannot_be_terraced_is_refused() {
        let system = Kepler {}.bind().unwrap();
        let start = |height, state| {
            EnergyStepping { height, edge: None }.start(&system, state, 0.1).map(drop).unwrap_err()
        };
        assert!(matches!(start(None, State::at_rest(vec![1.0, 0.0])), StartError::AtRest { .. }));
        for height in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = start(Some(height), perihelion(0.5));
            assert!(matches!(error, StartError::OptionOutOfRange { option: "height", .. }), "{error}");
        }
        let origin = State::new(vec![0.0, 0.0], vec![1.0, 0.0]);
        assert!(matches!(start(None, origin), StartError::PotentialNotFinite { .. }));
        let moving = State::new(vec![0.5, 0.0], vec![0.0, 1.0]);
        let error =
            EnergyStepping::default().start(&Pumped {}.bind().unwrap(), moving, 0.1).map(drop).unwrap_err();
        assert!(matches!(error, StartError::PotentialOfTime { .. }), "{error}");
    }

    /// Into the sun: the motion climbs down without end.
    #[test]
    fn a_fall_into_a_singularity_keeps_the_last_good_state() {
        let system = Kepler {}.bind().unwrap();
        let start = State::new(vec![1.0, 0.0], vec![-0.5, 0.0]);
        let mut stepper = of_height(5.0).start(&system, start, 0.25).unwrap();
        let error = loop {
            if let Err(error) = stepper.step() {
                break error;
            }
            assert!(stepper.steps() < 100);
        };
        let StepError::Failed(failed) = error else { panic!("{error}") };
        assert!(matches!(failed.cause, ForceError::TooManyEvents { .. }), "{failed}");
        assert_eq!(failed.time.to_bits(), stepper.state().t.to_bits());
        assert!(stepper.state().q.iter().chain(&stepper.state().v).all(|x| x.is_finite()));
        assert!(stepper.steps() > 0);
    }
}

pub(super) mod in_relative_vectors {
    use super::*;

    /// Energies of V_h and numbers of crossings from an independent implementation; the motion is
    /// chaotic, and in 0.1 ns their number still depends on the way.
    #[test]
    fn the_argon_cluster_has_the_known_energy_and_crossings() {
        let system = Argon {}.bind().unwrap();
        let epsilon = 119.8 * 13_806.58;
        let cases = [
            (0.02, 1.0, -10.403_569_599_8, 254_618.0, 0.02),
            (0.005, 0.1, -10.519_253_947_6, 99_666.0, 0.05),
        ];
        for (grid, until, energy, crossings, within) in cases {
            let mut run = RelativeForceStepping { grid }.start(&system, table(), 0.1 * until).unwrap();
            assert!(
                (run.kept_energy().unwrap() / epsilon - energy).abs() < 1e-9,
                "{}",
                run.kept_energy().unwrap() / epsilon
            );
            for _ in 0..10 {
                run.step().unwrap();
                assert!(
                    (run.kept_energy().unwrap() / epsilon - energy).abs() < 1e-9,
                    "{}",
                    run.kept_energy().unwrap() / epsilon
                );
                let sums = [0, 1].map(|axis| run.state().v.iter().skip(axis).step_by(2).sum::<f64>());
                assert!(distance(&sums, &[0.0, 0.0]) < 1e-10, "{sums:?}");
            }
            let found = run.report().crossings.unwrap() as f64;
            assert!((found - crossings).abs() < within * crossings, "{found}");
            // The times between crossings fill the run.
            let lengths = run.report().step_lengths.unwrap();
            let passed = lengths.mean() * lengths.count() as f64;
            assert!((passed - until).abs() < 2.0 * lengths.longest(), "{passed} of {until}");
        }
    }

    /// For one point, and for springs on a line, the interpolants are the same, and so are the motions.
    #[test]
    fn where_the_two_interpolants_agree_so_do_the_motions() {
        let kepler = Kepler {}.bind().unwrap();
        let method = RelativeForceStepping { grid: 0.02 };
        let found = advance(&kepler, &method, &perihelion(0.6), 0.5, 40);
        let expected = advance(&kepler, &from_origin(0.02), &perihelion(0.6), 0.5, 40);
        assert!(state_distance(&found, &expected) < 1e-10, "{found:?} {expected:?}");
        let chain = Chain {}.bind().unwrap();
        let start = State::new(vec![0.12, 0.431, 0.2], vec![0.3, -0.2, 0.17]);
        let found = advance(&chain, &method, &start, 0.5, 100);
        let expected = advance(&chain, &from_origin(0.02), &start, 0.5, 100);
        assert!(state_distance(&found, &expected) < 1e-10, "{found:?} {expected:?}");
    }

    #[test]
    fn the_way_back_is_the_same_the_map_is_symplectic_and_of_first_order() {
        let cluster = Cluster::of_seven();
        let (system, start) = (cluster.bind().unwrap(), Cluster::start());
        let method = RelativeForceStepping { grid: 0.01 };
        let mut run = method.start(&system, start.clone(), 0.2).unwrap();
        run.step().unwrap();
        assert!(run.report().crossings > Some(100), "{:?}", run.report().crossings);
        assert!(reversal_defect(&system, &method, &start, 0.05, 4) < 1e-9);
        let defect = symplectic_defect(&system, &method, &start, 0.05, 1e-7);
        assert!(defect < 1e-6, "{defect:e}");
        // The accelerations belong to V but for the grid step; positions converge faster.
        let slope = order_by_slope(&[100, 400, 1600], |inverse| {
            acceleration_error(&RelativeForceStepping { grid: 1.0 / inverse as f64 })
        });
        assert!((slope - f64::from(RelativeForceStepping::ORDER)).abs() < 0.15, "{slope}");
        let exact = advance(&system, &Reference::default(), &start, 0.5, 1);
        let method = RelativeForceStepping { grid: 1e-4 };
        let error = state_distance(&advance(&system, &method, &start, 0.5, 1), &exact);
        assert!(error < 1e-3, "{error:e}");
    }

    /// The largest difference of the mean acceleration in a short time and −M⁻¹ ∇V along a run.
    pub(crate) fn acceleration_error<M: Method<Bound<Cluster>>>(method: &M) -> f64 {
        let (cluster, short) = (Cluster::of_seven(), 1e-5);
        let (system, mut before) = (cluster.bind().unwrap(), Cluster::start());
        let mut run = method.start(&system, before.clone(), short).unwrap();
        let (mut gradient, mut worst) = (vec![0.0; before.q.len()], 0.0_f64);
        for _ in 0..20_000 {
            run.step().unwrap();
            system.potential_gradient(&run.state().q, 0.0, &mut gradient);
            for (k, slope) in gradient.iter().enumerate() {
                let mean = (run.state().v[k] - before.v[k]) / short;
                worst = worst.max((mean + slope / system.mass().values[k]).abs());
            }
            before.clone_from(run.state());
        }
        worst
    }

    #[test]
    fn what_is_no_sum_of_pairs_is_refused_with_the_reason() {
        let method = RelativeForceStepping { grid: 0.01 };
        let error = method.start(&Pumped {}.bind().unwrap(), State::at_rest(vec![0.1, 0.2]), 0.1).map(drop);
        assert!(matches!(error.unwrap_err(), StartError::PotentialOfTime { .. }));
        let error = method.start(&Quartic::default(), Quartic::start(), 0.1).map(drop).unwrap_err();
        assert!(matches!(error, StartError::NotOfPairs { .. }), "{error}");
        let fixed = Tethered {}.bind().unwrap();
        let error = method.start(&fixed, State::at_rest(vec![0.1, 0.2]), 0.1).map(drop).unwrap_err();
        assert!(error.to_string().contains("difference of its two points"), "{error}");
        for grid in [0.0, -1.0, f64::NAN] {
            let error = RelativeForceStepping { grid }
                .start(&Kepler {}.bind().unwrap(), perihelion(0.5), 0.1)
                .map(drop)
                .unwrap_err();
            assert!(matches!(error, StartError::OptionOutOfRange { option: "grid", .. }), "{error}");
        }
    }

    /// Two points of which each feels where the other is, and not only how far.
    struct Tethered {}

    #[lagrangian]
    impl Tethered {
        fn lagrangian(&self, ends: [Scalar; 2]) -> Scalar {
            sum(0..2, |i| 0.5 * der(ends[i]).powi(2)) - (ends[0] * ends[1]).powi(2)
        }
    }

    /// The attraction has no value at the origin: the error names the vertex.
    #[test]
    fn a_vertex_without_a_value_is_named_and_the_state_kept() {
        let system = Kepler {}.bind().unwrap();
        let start = State::new(vec![0.105, 0.001], vec![-1.0, 0.0]);
        let mut run = RelativeForceStepping { grid: 0.01 }.start(&system, start, 0.001).unwrap();
        let error = (0..1000).find_map(|_| run.step().err()).unwrap();
        assert!(matches!(error, StepError::VertexNotFinite { .. }), "{error}");
        assert!(error.to_string().contains("(q.x = 0, q.y = 0)"), "{error}");
        assert!(run.state().q[0] > 0.0 && run.state().q[0] < 0.02, "{:?}", run.state());
        // It does not go on from a crossing that was begun.
        let last = run.state().clone();
        assert_eq!(run.step(), Err(error));
        assert_eq!(run.state(), &last);
    }
}

mod jacobi {
    use super::*;

    /// Central differences of a function of one number.
    fn difference(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
        let width = 1e-5;
        f(width).iter().zip(f(-width)).map(|(above, below)| (above - below) / (2.0 * width)).collect()
    }

    #[test]
    fn derivatives_are_those_of_the_reduced_potential() {
        let cluster = Cluster::of_seven();
        let system = cluster.bind().unwrap();
        let reduced = JacobiReduced::new(&system).unwrap();
        let (state, _) = reduced.reduce(&Cluster::start()).unwrap();
        let n = reduced.dimension();
        assert_eq!(n, 12);
        let moved = |direction: &[f64], by: f64| -> Vec<f64> {
            state.q.iter().zip(direction).map(|(q, a)| q + by * a).collect()
        };
        let filled = |fill: &dyn Fn(&mut [f64])| {
            let mut values = vec![f64::NAN; n];
            fill(&mut values);
            values
        };
        let gradient = |q: &[f64]| filled(&|values| reduced.potential_gradient(q, 0.0, values));
        let product = |q: &[f64], a: &[f64]| filled(&|values| reduced.potential_product(q, 0.0, a, values));
        let (mut first, mut hessian) = (vec![f64::NAN; n], vec![f64::NAN; reduced.potential_pattern().len()]);
        reduced.potential_second(&state.q, 0.0, &mut first, &mut hessian);
        assert!(distance(&first, &gradient(&state.q)) < 1e-12);
        for (k, slope) in first.iter().enumerate() {
            let unit: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == k))).collect();
            let along = difference(|by| vec![reduced.potential(&moved(&unit, by), 0.0)]);
            assert!((along[0] - slope).abs() < 1e-5, "{along:?} {slope}");
            let mut column = vec![0.0; n];
            reduced.potential_pattern().multiply_add(&hessian, &unit, &mut column);
            assert!(distance(&column, &product(&state.q, &unit)) < 1e-10);
            let differences = difference(|by| gradient(&moved(&unit, by)));
            assert!(distance(&column, &differences) < 1e-3, "{column:?} {differences:?}");
        }
        let a = Seeded::new(5).numbers(n);
        let third = filled(&|values| reduced.potential_third(&state.q, 0.0, &a, values));
        // a·V‴·a is the derivative of Hess V a along a.
        let differences = difference(|by| product(&moved(&a, by), &a));
        let size = third.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        assert!(distance(&third, &differences) < 1e-6 * size, "{third:?} {differences:?}");
    }

    /// Verlet commutes with linear changes of coordinates: the recomposed motion is the whole one.
    #[test]
    fn the_motion_put_together_again_is_that_of_the_whole() {
        let cluster = Cluster::of_seven();
        let (system, start) = (cluster.bind().unwrap(), Cluster::start());
        let reduced = JacobiReduced::new(&system).unwrap();
        let (state, centre) = reduced.reduce(&start).unwrap();
        let kinetic = 0.5 * cluster.masses.iter().sum::<f64>() * (centre.v[0].powi(2) + centre.v[1].powi(2));
        assert!((energy(&reduced, &state) + kinetic - energy(&system, &start)).abs() < 1e-12);
        let whole = advance(&system, &Verlet, &start, 0.002, 500);
        let mut found = start.clone();
        reduced.reconstruct(&advance(&reduced, &Verlet, &state, 0.002, 500), &centre, &mut found).unwrap();
        assert!(state_distance(&found, &whole) < 1e-10, "{:e}", state_distance(&found, &whole));
        assert!((found.t - whole.t).abs() < 1e-15);
    }

    #[test]
    fn the_reduced_system_knows_what_it_still_conserves() {
        let cluster = Cluster::of_seven();
        let system = cluster.bind().unwrap();
        let reduced = JacobiReduced::new(&system).unwrap();
        let names: Vec<&str> = reduced.conserved().iter().map(|quantity| &*quantity.name).collect();
        assert_eq!(names, ["energy", "angular_momentum_z"]);
        assert_eq!(reduced.layout().name_of(3), "jacobi[1].y");
        let (state, _) = reduced.reduce(&Cluster::start()).unwrap();
        let found = deviations(&reduced, &Verlet, &state, 0.001, 500);
        assert!(found[1].1 < 1e-12, "{found:?}");
        // About the centre of mass: the whole momentum without the centre's.
        let quantity = noether::find(&reduced, "angular_momentum_z").unwrap();
        let mut memory = vec![0.0; 2 * reduced.dimension() + 1];
        let spin = quantity.value(&reduced, &state.q, &state.v, 0.0, &mut memory);
        let start = Cluster::start();
        let (_, State { q, v, .. }) = reduced.reduce(&start).unwrap();
        let orbit = cluster.masses.iter().sum::<f64>() * (q[0] * v[1] - q[1] * v[0]);
        assert!((spin + orbit - angular_momentum(system.mass(), &start)).abs() < 1e-12);
    }

    /// Table I of Gonzalez, Schmidt and Ortiz (2010) in Jacobi coordinates, computed independently.
    #[test]
    fn the_argon_cluster_has_the_known_jacobi_coordinates() {
        let system = Argon {}.bind().unwrap();
        let reduced = JacobiReduced::new(&system).unwrap();
        let (state, centre) = reduced.reduce(&table()).unwrap();
        let known_q =
            [0.02, 0.39, 0.33, -0.025, 0.24, -0.396_666_666_666_666_67, -0.20, -0.4875, -0.49, -0.15];
        let known_v = [
            80.0,
            -70.0,
            -80.0,
            -5.0,
            106.666_666_666_666_67,
            96.666_666_666_666_67,
            70.0,
            122.5,
            -64.0,
            108.0,
        ];
        assert!(distance(&state.q[..10], &known_q) < 1e-15);
        assert!(distance(&state.v[..10], &known_v) < 1e-13);
        assert!(distance(&centre.q, &[0.04 / 7.0, 0.0]) < 1e-16 && distance(&centre.v, &[0.0, 0.0]) < 1e-14);
        let masses =
            [33.17, 44.226_666_666_666_67, 49.755, 53.072, 55.283_333_333_333_33, 56.862_857_142_857_14];
        let found: Vec<f64> = reduced.mass().values.iter().step_by(2).copied().collect();
        assert!(distance(&found, &masses) < 1e-13, "{found:?}");
    }

    /// Against arithmetic with sixty digits; sparse and dense form are equal here, where all is coupled.
    #[test]
    fn force_stepping_on_the_reduced_cluster_crosses_where_the_oracle_does() {
        let reference = test_support::reference::read("force_stepping_measured.json");
        let cases = reference["crossing_lists_60_digit_oracle"].as_array().unwrap();
        let case = cases.iter().find(|case| case["case"] == "argonjac_h0.02_K1").unwrap();
        let digits = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|digits| digits.as_str().unwrap().parse().unwrap()).collect()
        };
        let system = Argon {}.bind().unwrap();
        let reduced = JacobiReduced::new(&system).unwrap();
        let (state, _) = reduced.reduce(&table()).unwrap();
        let mut run = from_origin(0.02).start(&reduced, state.clone(), 1.0).unwrap();
        let times = digits(&case["t"]);
        assert_eq!(times.len(), 20);
        let mut found = state;
        for (time, place) in times.iter().zip(case["q"].as_array().unwrap()) {
            let crossing = loop {
                let crossing = run.next_crossing().unwrap().unwrap();
                if crossing.length > 0.0 {
                    break crossing;
                }
            };
            assert!((crossing.time - time).abs() < 1e-10 * times[19], "{crossing:?} {time}");
            run.state_at(crossing.time, &mut found);
            assert!(distance(&found.q, &digits(place)) < 1e-11, "{found:?}");
        }
    }

    #[test]
    fn what_has_no_centre_of_mass_to_split_off_is_refused_with_the_reason() {
        let reason = |outcome: Result<(), StartError>| match outcome.unwrap_err() {
            StartError::NotReducible { reason, .. } => reason,
            other => panic!("{other}"),
        };
        let kepler = Kepler {}.bind().unwrap();
        assert!(reason(JacobiReduced::new(&kepler).map(drop)).contains("moved along x"));
        let ball = Ball {}.bind().unwrap();
        assert!(reason(JacobiReduced::new(&ball).map(drop)).contains("moved along y"));
        let frame = Frame {}.bind().unwrap();
        assert!(reason(JacobiReduced::new(&frame).map(drop)).contains("moved along x"));
        let quartic = Quartic::default();
        assert!(reason(JacobiReduced::new(&quartic).map(drop)).contains("mass matrix"));
        let (pendulum, _) = Linkage::double_pendulum(1.0);
        assert!(reason(JacobiReduced::new(&pendulum).map(drop)).contains("constraints"));
        let single = Cluster { masses: vec![1.0] }.bind().unwrap();
        assert!(reason(JacobiReduced::new(&single).map(drop)).contains("single"));
        // On a line there is one axis.
        let chain = Chain {}.bind().unwrap();
        assert_eq!(JacobiReduced::new(&chain).unwrap().dimension(), 2);
    }

    #[test]
    fn any_method_runs_on_the_reduced_system() {
        let cluster = Cluster::of_seven();
        let system = cluster.bind().unwrap();
        let reduced = JacobiReduced::new(&system).unwrap();
        let (state, _) = reduced.reduce(&Cluster::start()).unwrap();
        let run = integrate(&reduced, &Reference::default(), state.clone(), 0.1).unwrap().until(0.5);
        let run = run.observe("energy", |state| energy(&reduced, state)).record().unwrap();
        let energies = run.column("energy").unwrap();
        assert!(energies.iter().all(|e| (e - energies[0]).abs() < 1e-9), "{energies:?}");
    }
}
