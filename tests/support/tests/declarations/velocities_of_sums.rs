//! Velocities of sums: L, all its derivatives and the motion equal plain loops in 130 digits.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use declarations::{Breathing, Flock, Strand, Throng};
use least_action::advanced::sparse::SymmetricPattern;
use least_action::binding::Model;
use least_action::expr::Oracle;
use least_action::method::{
    Method, Reference, Stepper, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::prelude::*;
use least_action::system::{Forced, Lagrangian, Layout, Natural, System};
use serde_json::Value;
use test_support::agreement::{Seeded, kernels_agree_with_oracle};
use test_support::reference::{numbers, read};

const TOLERANCE: f64 = 1e-12;

#[track_caller]
fn same(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= TOLERANCE * size, "{what}[{k}] is {a}, not {b}");
    }
}

/// Compares all that an entry has with the system.
#[track_caller]
fn lagrangian(system: &impl Lagrangian, [q, v, slopes]: [&Value; 3], entry: &Value) {
    let (q, v) = (numbers(q), numbers(v));
    let n = q.len();
    same("L", &[system.lagrangian(&q, &v, 0.0)], &[entry["lagrangian"].as_f64().expect("a number")]);
    if let Some(energy) = entry["energy"].as_f64() {
        same("E", &[system.energy(&q, &v, 0.0)], &[energy]);
    }
    let mut gradient = vec![f64::NAN; 2 * n + 1];
    let agree = |gradient: &[f64]| {
        same("∂L/∂q", &gradient[..n], &numbers(slopes));
        same("∂L/∂v", &gradient[n..2 * n], &numbers(&entry["momenta"]));
    };
    system.first_derivatives(&q, &v, 0.0, &mut gradient);
    agree(&gradient);
    let mut second = vec![f64::NAN; system.second_pattern().len()];
    system.second_derivatives(&q, &v, 0.0, &mut gradient, &mut second);
    agree(&gradient);
    if let Some(rows) = entry["mass_matrix"].as_array() {
        for (i, row) in rows.iter().enumerate() {
            let found =
                |j: usize| system.second_pattern().position(n + i, n + j).map_or(0.0, |at| second[at]);
            same("M", &(0..n).map(found).collect::<Vec<_>>(), &numbers(row));
        }
    }
}

#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, n: usize) {
    let mut seeded = Seeded::new(31);
    for _ in 0..3 {
        let (q, v, t) = (seeded.numbers(n), seeded.numbers(n), seeded.number());
        kernels_agree_with_oracle(model, &q, &v, t);
    }
}

fn strand(entry: &Value) -> Strand {
    Strand {
        rods: numbers(&entry["rods"]),
        masses: numbers(&entry["masses"]),
        gravity: entry["gravity"].as_f64().expect("a number"),
    }
}

#[test]
fn velocity_of_a_radius_of_gyration() {
    let entry = &read("collective.json")["velocity_of_a_collective"];
    let number = |name: &str| entry[name].as_f64().expect("a number");
    let model = Breathing {
        masses: numbers(&entry["masses"]),
        inertia: number("inertia"),
        stiffness: number("stiffness"),
        radius: number("radius"),
    };
    lagrangian(&model.bind().expect("a system"), [&entry["q"], &entry["v"], &entry["d_q"]], entry);
    agrees(&model, 8);
}

#[test]
fn pendulums_in_angles() {
    let data = read("collective.json");
    for name in ["pendulum_in_angles", "pendulum_in_angles_motion", "pendulum_in_angles_long"] {
        let entry = &data[name];
        let model = strand(entry);
        let system = model.bind().expect("a system");
        lagrangian(&system, [&entry["theta"], &entry["rate"], &entry["d_theta"]], entry);
        if model.rods.len() < 10 {
            agrees(&model, model.rods.len());
        }
    }
}

#[test]
fn pendulums_move_as_they_must() {
    let entry = &read("collective.json")["pendulum_in_angles_motion"];
    let (q, v) = (numbers(&entry["theta"]), numbers(&entry["rate"]));
    let system = strand(entry).bind().expect("a system");
    let reference = Reference { tolerance: 1e-14 };
    let mut stepper = reference.start(&system, State::new(q, v), 1.0).expect("a start");
    stepper.step().expect("a step");
    let end = stepper.state();
    for (found, name) in [(&end.q, "theta_end"), (&end.v, "rate_end")] {
        for (found, expected) in found.iter().zip(numbers(&entry[name])) {
            assert!((found - expected).abs() < 1e-11, "{name}: {found}, not {expected}");
        }
    }
}

/// The same system, whose sums nobody knows of.
struct Plain<'s, S>(&'s S);

impl<S: System> System for Plain<'_, S> {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn layout(&self) -> &Layout {
        self.0.layout()
    }
    fn forced(&self) -> Option<&dyn Forced> {
        self.0.forced()
    }
}

impl<S: Lagrangian> Lagrangian for Plain<'_, S> {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.0.lagrangian(q, v, t)
    }
    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        self.0.energy(q, v, t)
    }
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.0.first_derivatives(q, v, t, gradient);
    }
    fn second_pattern(&self) -> &SymmetricPattern {
        self.0.second_pattern()
    }
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.0.second_derivatives(q, v, t, gradient, hessian);
    }
}

fn hanging(n: usize) -> (Strand, State) {
    let lengths = |k: usize| 1.0 + 0.3 * (k as f64).sin();
    let model = Strand {
        rods: (0..n).map(lengths).collect(),
        masses: (0..n).map(|k| 1.0 + 0.2 * (k as f64).cos()).collect(),
        gravity: 1.0,
    };
    (model, State::new((0..n).map(|k| 0.4 * (0.1 * k as f64).sin()).collect(), vec![0.0; n]))
}

/// A strand in water: drag on the bobs, friction in the joints, a wind that grows with height, torques.
#[derive(Debug, Clone)]
struct Wet {
    strand: Strand,
    drag: f64,
    friction: f64,
    wind: f64,
}

#[lagrangian]
impl Wet {
    fn lagrangian(&self, theta: [Angle; self.strand.rods.len()]) -> Scalar {
        let n = self.strand.rods.len();
        let bobs =
            each(0..n, |i| sum(0..=i, |k| self.strand.rods[k] * vec2(theta[k].sin(), -theta[k].cos())));
        let masses = &self.strand.masses;
        sum(0..n, |i| {
            0.5 * masses[i] * der(bobs[i]).norm_squared() - masses[i] * self.strand.gravity * bobs[i].y
        })
    }

    #[dissipation]
    fn water(&self, theta: [Angle; self.strand.rods.len()]) -> Scalar {
        let n = self.strand.rods.len();
        let bobs =
            each(0..n, |i| sum(0..=i, |k| self.strand.rods[k] * vec2(theta[k].sin(), -theta[k].cos())));
        sum(0..n, |i| 0.5 * self.drag * der(bobs[i]).norm_squared() * (1.0 + 0.1 * bobs[i].y.powi(2)))
    }

    #[dissipation]
    fn joints(&self, theta: [Angle; self.strand.rods.len()]) -> Scalar {
        sum(1..self.strand.rods.len(), |i| 0.5 * self.friction * (der(theta[i]) - der(theta[i - 1])).powi(2))
    }

    #[force(theta)]
    fn wind(&self, theta: [Angle; self.strand.rods.len()]) -> [Scalar; self.strand.rods.len()] {
        let n = self.strand.rods.len();
        let height = each(0..n, |i| sum(0..=i, |k| -self.strand.rods[k] * theta[k].cos()));
        each(0..n, |i| self.wind * (0.01 * height[i]).cos() * theta[i].cos() - 0.02 * der(theta[i]))
    }
}

/// The states after three steps by midpoint, trapezoid, Euler and reference, with their iterations.
fn ends<S: Lagrangian>(system: &S, start: &State) -> [(State, u64); 4] {
    let end = |stepper: &mut dyn Stepper| {
        (0..3).for_each(|_| stepper.step().expect("a step"));
        (stepper.state().clone(), stepper.report().evaluations.iterations)
    };
    let start = || start.clone();
    [
        end(&mut VariationalMidpoint::default().start(system, start(), 0.02).expect("a start")),
        end(&mut VariationalTrapezoid::default().start(system, start(), 0.02).expect("a start")),
        end(&mut VariationalEuler::default().start(system, start(), 0.02).expect("a start")),
        end(&mut Reference::default().start(system, start(), 0.002).expect("a start")),
    ]
}

/// Steps with sums known to the methods equal steps with the assembled matrix.
#[track_caller]
fn steps_alike<S: Lagrangian>(system: &S, start: &State) {
    for ((found, iterations), (expected, as_many)) in
        ends(system, start).iter().zip(&ends(&Plain(system), start))
    {
        // A wrong matrix would cost Newton's method corrections.
        assert!(iterations <= as_many, "{iterations} corrections, with the assembled matrix {as_many}");
        for (found, expected) in [(&found.q, &expected.q), (&found.v, &expected.v)] {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-11, "{found} instead of {expected}");
            }
        }
    }
}

#[test]
fn steps_through_sums_are_those_of_the_assembled_matrix() {
    let (strand, start) = hanging(200);
    let wet = Wet { strand: strand.clone(), drag: 0.3, friction: 0.2, wind: 0.1 };
    let (dry, wet) = (strand.bind().expect("a system"), wet.bind().expect("a system"));
    let through = dry.through_sums().expect("sums");
    assert!(through.bordered_pattern().len() < 100 * 200, "{}", through.bordered_pattern().len());
    let dissipation =
        wet.through_sums().and_then(|through| through.dissipation_by_sums()).expect("a dissipation");
    assert!(dissipation.len() < 100 * 200, "{}", dissipation.len());
    steps_alike(&dry, &start);
    steps_alike(&wet, &start);
}

/// The sum of all positions has an energy, and nothing else reads sums.
struct Together {
    count: usize,
}

#[lagrangian]
impl Together {
    fn lagrangian(&self, x: [Scalar; self.count]) -> Scalar {
        sum(0..self.count, |i| 0.5 * der(x[i]).powi(2)) - (1.0 + sum(0..self.count, |i| x[i]).powi(2)).ln()
    }
}

#[test]
fn a_potential_alone_may_read_sums() {
    let system = Together { count: 300 }.bind().expect("a system");
    let start = State::at_rest((0..300).map(|k| 0.01 * f64::from(k).sin()).collect());
    assert!(system.through_sums().is_some());
    steps_alike(&system, &start);
}

/// The units of masses change no step.
#[test]
fn masses_may_be_small_and_large() {
    let (strand, start) = hanging(200);
    for unit in [1e-20, 1e-7, 1e8, 1e20] {
        let masses = strand.masses.iter().map(|mass| unit * mass).collect();
        let system = Strand { masses, ..strand.clone() }.bind().expect("a system");
        steps_alike(&system, &start);
    }
}

#[test]
fn twenty_thousand_pendulums_move() {
    let (model, start) = hanging(20_000);
    let system = model.bind().expect("a system");
    let mut stepper = VariationalMidpoint::default().start(&system, start, 1e-3).expect("a start");
    stepper.step().expect("a step");
    assert!(system.affords_second_derivatives().is_err(), "its second derivatives are full");
}

#[test]
fn centres_have_constant_masses() {
    let model = Flock { masses: vec![1.0, 0.7, 1.6], shared: 0.4, rate: 0.3 };
    let system = model.bind().expect("a system");
    assert_eq!(system.mass().pattern.dimension(), 7);
    assert!(system.natural_mass().is_some());
    agrees(&model, 7);
}

#[test]
fn sums_of_velocities_in_every_place() {
    for n in [2, 5] {
        let weights = (0..n).map(|k| 0.5 + 0.3 * k as f64).collect();
        agrees(&Throng { weights, groups: vec![1, n, 0, n - 1], rate: 0.7 }, n);
    }
}
