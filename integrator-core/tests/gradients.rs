//! Derivatives of motions: against numbers of an independent implementation, of every engine on every
//! kind of model, and their errors.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may end at what is not there")]

use least_action::drive::gradient::{
    Gradient, GradientError, Loss, LossError, MemoryPlan, Observed, Squares, Target, differentiate,
};
use least_action::drive::integrate;
use least_action::error::StartError;
use least_action::method::{
    BlanesMoan, Composition, Differentiable, ImplicitMidpoint, Langevin, McLachlan, Newmark,
    PushForwardNewmark, Rattle, Shake, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet,
    ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff, project,
};
use least_action::prelude::*;
use least_action::system::{Constrained, Signal};
use serde_json::Value;
use test_support::loss::Weighted;
use test_support::reference;

#[derive(Clone)]
struct Kepler {
    mu: f64,
}

#[lagrangian(sensitive(mu))]
impl Kepler {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() + self.mu / p.norm()
    }
}

/// A chain of rods from a pivot that shakes as A sin(w t).
#[derive(Clone)]
struct Chain {
    masses: Vec<f64>,
    rods: Vec<f64>,
    gravity: f64,
    amplitude: f64,
    frequency: f64,
}

#[lagrangian(sensitive(masses, rods, gravity, amplitude, frequency))]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.rods.len()]) -> Scalar {
        sum(0..self.rods.len(), |i| {
            0.5 * self.masses[i] * der(bobs[i]).norm_squared() - self.gravity * self.masses[i] * bobs[i].y
        })
    }

    #[holonomic]
    fn first(&self, bobs: [Vec2; self.rods.len()], t: Time) -> Scalar {
        let pivot = vec2(0.0, self.amplitude * (self.frequency * t).sin());
        (bobs[0] - pivot).norm_squared() - self.rods[0].powi(2)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.rods.len()]) -> [Scalar; self.rods.len() - 1] {
        each(1..self.rods.len(), |i| (bobs[i] - bobs[i - 1]).norm_squared() - self.rods[i].powi(2))
    }
}

/// A chain from a fixed pivot, whose rods are a penalty.
#[derive(Clone)]
struct StiffChain {
    masses: Vec<f64>,
    rods: Vec<f64>,
    gravity: f64,
    omega: f64,
}

#[lagrangian(sensitive(masses, rods, gravity, omega))]
impl StiffChain {
    fn lagrangian(&self, bobs: [Vec2; self.rods.len()]) -> Scalar {
        let plain = sum(0..self.rods.len(), |i| {
            0.5 * self.masses[i] * der(bobs[i]).norm_squared() - self.gravity * self.masses[i] * bobs[i].y
        });
        let first = (bobs[0].norm_squared() - self.rods[0].powi(2)).powi(2);
        let others = sum(1..self.rods.len(), |i| {
            ((bobs[i] - bobs[i - 1]).norm_squared() - self.rods[i].powi(2)).powi(2)
        });
        plain - 0.5 * self.omega.powi(2) * (first + others)
    }
}

#[derive(Clone)]
struct Atoms {
    count: usize,
    mass: f64,
    epsilon: f64,
    sigma: f64,
}

#[lagrangian(sensitive(mass, epsilon, sigma))]
impl Atoms {
    fn lagrangian(&self, atoms: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.mass * der(atoms[i]).norm_squared());
        let potential = sum(pairs(self.count), |(i, j)| {
            let s = self.sigma.powi(2) / (atoms[i] - atoms[j]).norm_squared();
            4.0 * self.epsilon * (s.powi(6) - s.powi(3))
        });
        kinetic - potential
    }
}

/// A double pendulum in angles, with a gyroscopic term.
#[derive(Clone)]
struct Angles {
    masses: [f64; 2],
    rods: [f64; 2],
    gravity: f64,
    gyro: f64,
}

#[lagrangian(sensitive(masses, rods, gravity, gyro))]
impl Angles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared()
            - self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y)
            + self.gyro * phi * der(theta)
    }
}

/// A pendulum on a pivot with a fast phase.
#[derive(Clone)]
struct Driven {
    rod: f64,
    gravity: f64,
    v_max: f64,
    omega: f64,
    phase: f64,
}

#[lagrangian(sensitive(rod, gravity, v_max, omega, phase))]
impl Driven {
    fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
        let gravity = self.gravity + self.v_max * self.omega * theta.cos();
        0.5 * self.rod.powi(2) * der(q).powi(2) - gravity * self.rod * q.cos()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    #[phase]
    fn initial_phase(&self) -> f64 {
        self.phase
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, entry| most.max(entry.abs()))
}

/// The bound of the error of an entry, relative to the largest one of its kind.
struct Allowed {
    all: f64,
    masses: f64,
}

const PLAIN: Allowed = Allowed { all: 3e-12, masses: 3e-12 };
const STIFF: Allowed = Allowed { all: 1e-11, masses: 1e-11 };

fn assert_near(what: &str, found: &[f64], wanted: &[f64], bound: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = largest(wanted);
    for (place, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let error = (found - wanted).abs() / size;
        assert!(error <= bound, "{what}, entry {place}: {found} for {wanted}, {error:.1e} of the largest");
    }
}

fn as_numbers(value: &Value) -> Vec<f64> {
    value.as_f64().map_or_else(|| reference::numbers(value), |number| vec![number])
}

/// All entries of a gradient as bits.
fn bits(gradient: &Gradient) -> Vec<u64> {
    let entries = gradient.q.iter().chain(&gradient.v).chain(&gradient.parameters);
    entries.chain([&gradient.value, &gradient.growth]).map(|entry| entry.to_bits()).collect()
}

/// Checks a gradient by start and parameters against the reference, with every plan of memory.
fn check<M: Model, E: Differentiable<Bound<M>>>(name: &str, model: &M, method: &E, allowed: &Allowed) {
    let all = reference::read("adjoints.json");
    let case = &all["cases"][name];
    let number = |key: &str| case[key].as_f64().expect("a number");
    let numbers = |value: &Value| reference::numbers(value);
    let begin = &case["start"];
    let t = begin["t"].as_f64().expect("a time");
    let start = State { t, q: numbers(&begin["q"]), v: numbers(&begin["v"]) };
    let system = model.bind().expect("bound");
    let end = t + number("steps") * number("step");
    for (kind, rho) in [("final", 0.0), ("running", number("rho"))] {
        let gradient = |memory: u64| {
            let (wq, wv) = (numbers(&case["wq"]), numbers(&case["wv"]));
            let mut loss = Weighted { wq, wv, kappa: number("kappa"), rho };
            let motion = differentiate(&system, method, start.clone(), number("step")).expect("started");
            motion.until(end).within(memory).gradient(&mut loss).expect("a gradient")
        };
        let stored = gradient(1 << 28);
        let wanted = &case[kind];
        let what = |entry: &str| format!("{name}, {kind}, by {entry}");
        assert_near(&what("nothing"), &[stored.value], &as_numbers(&wanted["value"]), allowed.all);
        for (entry, wanted) in wanted["gradient"].as_object().expect("derivatives") {
            let of_parameter = |field: &str| {
                let own = stored.names.iter().zip(&stored.parameters);
                let own = own.filter(|(name, _)| name.split('[').next() == Some(field));
                own.map(|(_, slope)| *slope).collect()
            };
            let found = match entry.as_str() {
                "q0" => stored.q.clone(),
                "v0" => stored.v.clone(),
                "A" => of_parameter("amplitude"),
                "w" => of_parameter("frequency"),
                field => of_parameter(field),
            };
            let bound = if entry == "masses" { allowed.masses } else { allowed.all };
            assert_near(&what(entry), &found, &as_numbers(wanted), bound);
        }
        assert_eq!(stored.plan, MemoryPlan::Store, "{name}");
        let smaller = (8..28).rev().map(|power| gradient(1 << power));
        let mut two = smaller.filter(|found| matches!(found.plan, MemoryPlan::TwoLevels { .. }));
        let two = two.next().expect("a memory for two levels");
        let three = gradient(0);
        assert!(matches!(three.plan, MemoryPlan::ThreeLevels { .. }), "{name}: {:?}", three.plan);
        assert_eq!(bits(&two), bits(&stored), "{name}, {kind}: two levels");
        assert_eq!(bits(&three), bits(&stored), "{name}, {kind}: three levels");
    }
}

#[test]
fn kepler_has_the_reference_gradients() {
    let kepler = Kepler { mu: 1.0 };
    check("kepler-verlet-2", &kepler, &Verlet, &PLAIN);
    check("kepler-verlet-4", &kepler, &Composition::of(Verlet, 4), &PLAIN);
    check("kepler-verlet-6", &kepler, &Composition::of(Verlet, 6), &PLAIN);
}

fn still(masses: Vec<f64>, rods: Vec<f64>) -> Chain {
    Chain { masses, rods, gravity: 1.0, amplitude: 0.0, frequency: 0.0 }
}

#[test]
fn chains_have_the_reference_gradients() {
    let double = still(vec![1.0; 2], vec![1.0, 2_f64.sqrt()]);
    check("double-pendulum-rattle-2", &double, &Rattle::default(), &PLAIN);
    check("double-pendulum-rattle-4", &double, &Composition::of(Rattle::default(), 4), &PLAIN);
    let chain = still(vec![1.0; 10], vec![5_f64.sqrt(); 10]);
    check("chain-10-rattle", &chain, &Rattle::default(), &PLAIN);
    let (masses, rods) = (vec![1.1, 0.8, 1.3], vec![1.0, 1.3, 0.9]);
    let shaken = Chain { masses, rods, gravity: 1.2, amplitude: 0.2, frequency: 2.5 };
    check("shaken-chain-3-rattle", &shaken, &Rattle::default(), &PLAIN);
}

/// The forces of a penalty have the rounding of ω² |q|², which is larger than their weights by two
/// digits; Newmark's masses see it in all steps.
#[test]
fn stiff_chains_have_the_reference_gradients() {
    let stiff = StiffChain { masses: vec![1.0; 10], rods: vec![5_f64.sqrt(); 10], gravity: 1.0, omega: 20.0 };
    check("chain-10-newmark-pushforward-penalty", &stiff, &PushForwardNewmark::default(), &STIFF);
    let of_newmark = Allowed { masses: 3e-11, ..STIFF };
    check("chain-10-newmark-penalty", &stiff, &Newmark { beta: 0.4, ..Newmark::default() }, &of_newmark);
    check("chain-10-implicit-midpoint-penalty", &stiff, &ImplicitMidpoint::default(), &STIFF);
    check("chain-10-zhang-skeel-simplified-penalty", &stiff, &ZhangSkeelSimplified::default(), &STIFF);
    check("chain-10-zhang-skeel-penalty", &stiff, &ZhangSkeel::default(), &STIFF);
}

#[test]
fn variational_integrators_have_the_reference_gradients() {
    let angles = Angles { masses: [1.0; 2], rods: [1.0, 2_f64.sqrt()], gravity: 1.0, gyro: 0.0 };
    let midpoint = VariationalMidpoint::default();
    check("double-pendulum-angles-variational-midpoint", &angles, &midpoint, &PLAIN);
    let trapezoid = VariationalTrapezoid::default();
    check("double-pendulum-angles-variational-trapezoid", &angles, &trapezoid, &PLAIN);
    check("double-pendulum-angles-variational-euler", &angles, &VariationalEuler::default(), &PLAIN);
    let fourth = Composition::of(midpoint, 4);
    check("double-pendulum-angles-variational-midpoint-4", &angles, &fourth, &PLAIN);
    let driven = Driven { rod: 0.2, gravity: 9.8, v_max: 4.0, omega: 100.0, phase: 0.0 };
    check("driven-pendulum-variational-midpoint", &driven, &midpoint, &PLAIN);
}

#[test]
fn a_cluster_has_the_reference_gradients() {
    let cluster = Atoms { count: 13, mass: 1.0, epsilon: 1.0, sigma: 1.0 };
    check("lennard-jones-13-verlet", &cluster, &Verlet, &PLAIN);
}

/// Numbers between −1 and 1 that repeat from run to run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// A linear function of the last state; keeps all states, the first one first.
struct Last {
    weights: Vec<f64>,
    states: Vec<State>,
}

impl Loss for Last {
    fn sees(&self, _: u64, _: u64) -> bool {
        true
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        self.states.insert(0, State { t: at.t, q: at.q.to_vec(), v: at.v.to_vec() });
        if at.step < at.of {
            return 0.0;
        }
        let (wq, wv) = self.weights.split_at(at.q.len());
        of_q.iter_mut().zip(wq).for_each(|(slope, weight)| *slope += weight);
        of_v.iter_mut().zip(wv).for_each(|(slope, weight)| *slope += weight);
        dot(wq, at.q) + dot(wv, at.v)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The sum of columns with weights.
fn combined(columns: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let entry = |i: usize| columns.iter().zip(weights).map(|(column, weight)| weight * column[i]).sum();
    (0..columns[0].len()).map(entry).collect()
}

fn moved(x: &[f64], h: f64, along: &[f64]) -> Vec<f64> {
    x.iter().zip(along).map(|(x, a)| x + h * a).collect()
}

/// The variation of p = ∂L/∂v by a variation of (q, v).
fn momentum(system: &dyn Lagrangian, state: &State, of_q: &[f64], of_v: &[f64]) -> Vec<f64> {
    let n = of_q.len();
    let pattern = system.second_pattern();
    let mut second = vec![0.0; pattern.len()];
    system.second_derivatives(&state.q, &state.v, state.t, &mut vec![0.0; 2 * n + 1], &mut second);
    let along = [of_q, of_v, &[0.0]].concat();
    let mut product = vec![0.0; 2 * n + 1];
    for ((row, column), value) in pattern.entries().zip(second) {
        product[row] += value * along[column];
        if row != column {
            product[column] += value * along[row];
        }
    }
    product[n..2 * n].to_vec()
}

/// The number of steps of a pair.
const STEPS: u64 = 20;

/// An engine on a kind of model: the gradient is the transpose of the tangents, the tangents are the
/// slopes of the motion by start and parameters together, and a symplectic engine keeps ω.
fn pair<M: Model + Clone, E: Differentiable<Bound<M>>>(
    model: &M,
    method: &E,
    start: &State,
    step: f64,
    stand: &dyn Fn(&Bound<M>, &mut State),
) {
    let system = model.bind().expect("bound");
    let what = format!("{} on {}", E::NAME, system.name());
    let (n, end) = (start.q.len(), start.t + STEPS as f64 * step);
    let begun = || differentiate(&system, method, start.clone(), step).expect("started").until(end);

    let weights = numbers(2 * n, 3);
    let mut last = Last { weights: weights.clone(), states: Vec::new() };
    let gradient = begun().gradient(&mut last).expect("a gradient");
    let own = (0..n).map(|index| system.layout().name_of(index)).collect::<Vec<_>>();
    let velocities = own.iter().map(|name| format!("der.{name}"));
    let names: Vec<String> = own.iter().cloned().chain(velocities).chain(gradient.names.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tangents = begun().sensitivities(&names).expect("tangents");
    let (of_q, of_v) = (tangents.q.last().expect("an end"), tangents.v.last().expect("an end"));

    // ⟨w, T ξ⟩ = ⟨Tᵀ w, ξ⟩.
    let (wq, wv) = weights.split_at(n);
    let forwards: Vec<f64> = of_q.iter().zip(of_v).map(|(q, v)| dot(wq, q) + dot(wv, v)).collect();
    let backwards = [&gradient.q[..], &gradient.v, &gradient.parameters].concat();
    assert_near(&format!("{what}: gradient and tangents"), &backwards, &forwards, 1e-13);

    // The slope along a direction that moves start and parameters.
    let along = numbers(names.len(), 5);
    let (first_q, first_v) = (combined(&tangents.q[0], &along), combined(&tangents.v[0], &along));
    let at = |h: f64| {
        let mut model = model.clone();
        if !gradient.names.is_empty() {
            let parameters = moved(&model.parameters(), h, &along[2 * n..]);
            model.set_parameters(&parameters).expect("as many");
        }
        let system = model.bind().expect("bound");
        let (q, v) = (moved(&start.q, h, &first_q), moved(&start.v, h, &first_v));
        let mut start = State { t: start.t, q, v };
        stand(&system, &mut start);
        let run = integrate(&system, method, start, step).expect("started").until(end).run().expect("run");
        let State { q, v, .. } = run.0.state();
        [&q[..], v].concat()
    };
    let h = 1e-4;
    let sides = [at(h), at(-h), at(2.0 * h), at(-2.0 * h)];
    let slope = |i: usize| (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * h);
    let slopes: Vec<f64> = (0..2 * n).map(slope).collect();
    let found = [combined(of_q, &along), combined(of_v, &along)].concat();
    assert_near(&format!("{what}: tangents and differences"), &found, &slopes, 1e-9);
    let parts = [&along[..n], &along[n..2 * n], &along[2 * n..]];
    let mut one = Vec::new();
    let mut see = |_: &Observed<'_>, moved: &[[&[f64]; 2]]| one = moved.concat().concat();
    begun().follow_along(parts, &|step| step == STEPS, &mut see).expect("one direction");
    assert_near(&format!("{what}: tangents and one direction"), &one, &found, 1e-12);
    // A motion that has ended, and has left out parameters, begins again with all of them.
    let ended = begun().follow_along([&along[..n], &[], &[]], &|_| false, &mut |_, _| {});
    if let Some(again) = ended.expect("an end").again(start) {
        let mut see = |_: &Observed<'_>, moved: &[[&[f64]; 2]]| one = moved.concat().concat();
        again.until(end).follow_along(parts, &|step| step == STEPS, &mut see).expect("one direction");
        assert_near(&format!("{what}: one direction again"), &one, &found, 1e-12);
    }
    // One parameter alone leaves out the slopes by all others.
    for (k, name) in names.iter().enumerate().skip(2 * n) {
        let alone = begun().sensitivities(&[name]).expect("a tangent");
        let last = |all: &[Vec<Vec<f64>>], k: usize| all.last().expect("an end")[k].clone();
        let [found, right] =
            [(&alone, 0), (&tangents, k)].map(|(of, k)| [last(&of.q, k), last(&of.v, k)].concat());
        assert_near(&format!("{what}: {name} alone"), &found, &right, 1e-12);
    }

    let canonical = system.forced().is_none() && system.nonholonomic().is_none();
    if E::SYMPLECTIC != Some(true) || !canonical {
        return;
    }
    let mechanics = system.mechanics().expect("a Lagrangian");
    let both = [numbers(2 * n, 7), numbers(2 * n, 11)];
    let form = |k: usize| {
        let state = &last.states[k];
        let [(x, p), (y, r)] = [&both[0], &both[1]].map(|along| {
            let q = combined(&tangents.q[k][..2 * n], along);
            let v = combined(&tangents.v[k][..2 * n], along);
            let p = momentum(mechanics, state, &q, &v);
            (q, p)
        });
        let terms: Vec<f64> = (0..n).flat_map(|i| [x[i] * r[i], -p[i] * y[i]]).collect();
        (terms.iter().sum::<f64>(), terms.iter().map(|term| term.abs()).sum::<f64>())
    };
    let (first, _) = form(0);
    for k in 1..last.states.len() {
        let (own, size) = form(k);
        let error = (own - first).abs() / size;
        assert!(error <= 1e-13, "{what}: ω changes from {first} to {own} in {k} steps, {error:.1e}");
    }
}

fn free<M>(_: &Bound<M>, _: &mut State) {}

fn held<M>(system: &Bound<M>, state: &mut State)
where
    Bound<M>: Constrained,
{
    project(system, state).expect("near the constraints");
}

/// Springs with a constant mass matrix, and a potential that depends on time.
#[derive(Clone)]
struct Springs {
    masses: [f64; 2],
    coupling: f64,
    stiffness: f64,
    frequency: f64,
}

#[lagrangian(sensitive(masses, coupling, stiffness, frequency))]
impl Springs {
    fn lagrangian(&self, x: [Scalar; 2], t: Time) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * self.masses[i] * der(x[i]).powi(2));
        let potential = sum(0..2, |i| self.stiffness * x[i].powi(4) / 4.0 + x[i].powi(2));
        kinetic + self.coupling * der(x[0]) * der(x[1])
            - potential
            - self.stiffness * (x[0] - x[1] - (self.frequency * t).sin()).powi(4)
    }
}

/// As [`Springs`], with drag and a force that no potential has.
#[derive(Clone)]
struct Dragged {
    masses: [f64; 2],
    drag: f64,
    friction: f64,
}

#[lagrangian(sensitive(masses, drag, friction))]
impl Dragged {
    fn lagrangian(&self, x: [Scalar; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * self.masses[i] * der(x[i]).powi(2) - x[i].powi(4))
    }

    #[force]
    fn air(&self, x: [Scalar; 2]) -> [Scalar; 2] {
        [-self.drag * der(x[0]).powi(3) * (1.0 + x[1].powi(2)), self.drag * x[0]]
    }

    #[dissipation]
    fn rub(&self, x: [Scalar; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * self.friction * (1.0 + x[i].powi(2)) * der(x[i]).powi(2))
    }
}

/// A force of the position alone, which no potential has.
#[derive(Clone)]
struct Turned {
    mass: f64,
    turn: f64,
}

#[lagrangian(sensitive(mass, turn))]
impl Turned {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() - p.norm_squared().powi(2)
    }

    #[force]
    fn turn(&self, p: Vec2) -> Vec2 {
        self.turn * vec2(-p.y, p.x)
    }
}

/// A double pendulum on rods through honey.
#[derive(Clone)]
struct Honey {
    friction: f64,
}

#[lagrangian(sensitive(friction))]
impl Honey {
    fn lagrangian(&self, bobs: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; 2]) -> [Scalar; 2] {
        [bobs[0].norm_squared() - 1.0, (bobs[1] - bobs[0]).norm_squared() - 2.0]
    }

    #[dissipation]
    fn rub(&self, bobs: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * self.friction * der(bobs[i]).norm_squared() * (1.0 + bobs[i].x.powi(2)))
    }
}

#[derive(Clone)]
struct Sleigh {
    mass: f64,
    offset: f64,
    inertia: f64,
}

#[lagrangian(sensitive(mass, offset))]
impl Sleigh {
    fn lagrangian(&self, at: Vec2, phi: Angle) -> Scalar {
        0.5 * self.mass * der(at).norm_squared() + 0.5 * self.inertia * der(phi).powi(2) - 0.3 * at.y
    }

    #[nonholonomic]
    fn blade(&self, at: Vec2, phi: Angle) -> Scalar {
        -phi.sin() * der(at).x + phi.cos() * der(at).y - self.offset * der(phi)
    }
}

/// Springs of which one is stiff, with a mass that does not couple them.
#[derive(Clone)]
struct Stiffened {
    masses: [f64; 2],
    stiffness: f64,
}

#[lagrangian(sensitive(masses, stiffness))]
impl Stiffened {
    fn lagrangian(&self, x: [Scalar; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * self.masses[i] * der(x[i]).powi(2));
        kinetic - x[0].powi(4) - stiff(self.stiffness * (x[0] - x[1]).powi(4) + x[0].powi(2) * x[1].exp())
    }
}

/// As [`Stiffened`], without parameters.
#[derive(Clone)]
struct StillStiffened;

#[lagrangian]
impl StillStiffened {
    fn lagrangian(&self, x: [Scalar; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * der(x[i]).powi(2));
        kinetic - x[0].powi(4) - stiff(20.0 * (x[0] - x[1]).powi(4) + x[0].powi(2) * x[1].exp())
    }
}

/// Applies [`pair`] to some engines.
macro_rules! pairs {
    ($model:expr, $start:expr, $step:expr, $stand:expr; $($method:expr),+ $(,)?) => {
        $(pair(&$model, &$method, &$start, $step, &$stand);)+
    };
}

#[test]
fn engines_on_natural_models() {
    let springs = Springs { masses: [1.0, 1.7], coupling: 0.4, stiffness: 1.3, frequency: 2.0 };
    let start = State { t: 0.3, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    pairs!(
        springs, start, 0.05, free;
        Verlet,
        Composition::of(Verlet, 4),
        Composition::of(Verlet, 6),
        BlanesMoan,
        McLachlan,
        Newmark { beta: 0.3, ..Newmark::default() },
        PushForwardNewmark::default(),
        Composition::of(PushForwardNewmark::default(), 4),
        ZhangSkeelEuler::default(),
        ZhangSkeel::default(),
        Composition::of(ZhangSkeel::default(), 4),
        ZhangSkeelSimplified::default(),
        Composition::of(ZhangSkeelSimplified::default(), 4),
        ImplicitMidpoint::default(),
        Composition::of(ImplicitMidpoint::default(), 4),
        VariationalEuler::default(),
        VariationalMidpoint::default(),
        VariationalTrapezoid::default(),
        Composition::of(VariationalMidpoint::default(), 4),
    );
}

#[test]
fn engines_on_stiff_parts() {
    let start = State { t: 0.0, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    let stiffened = Stiffened { masses: [1.0, 1.7], stiffness: 20.0 };
    let fourth = Composition::of(ZhangSkeelStiff::default(), 4);
    pairs!(stiffened, start, 0.05, free; ZhangSkeelStiff::default(), fourth, bath(ZhangSkeelStiff::default()));
    pairs!(StillStiffened, start, 0.05, free; ZhangSkeelStiff::default(), ZhangSkeelSimplified::default());
}

#[test]
fn engines_on_models_with_gyroscopic_terms_and_phases() {
    let angles = Angles { masses: [1.0, 0.6], rods: [1.2, 0.9], gravity: 9.81, gyro: 0.7 };
    let start = State { t: 0.0, q: vec![0.4, -1.1], v: vec![0.7, 1.3] };
    pairs!(
        angles, start, 0.02, free;
        VariationalEuler::default(), VariationalMidpoint::default(), VariationalTrapezoid::default(),
        Composition::of(VariationalTrapezoid::default(), 4),
    );
    let driven = Driven { rod: 0.2, gravity: 9.8, v_max: 0.4, omega: 10.0, phase: 0.3 };
    let start = State { t: 0.2, q: vec![0.5], v: vec![0.4] };
    pairs!(
        driven, start, 0.01, free;
        VariationalEuler::default(), VariationalMidpoint::default(), VariationalTrapezoid::default(), Verlet,
    );
}

/// A double pendulum on rods, without time and without parameters.
#[derive(Clone)]
struct Rods;

#[lagrangian]
impl Rods {
    fn lagrangian(&self, bobs: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; 2]) -> [Scalar; 2] {
        [bobs[0].norm_squared() - 1.0, (bobs[1] - bobs[0]).norm_squared() - 2.0]
    }
}

/// As [`Rods`], with parameters.
#[derive(Clone)]
struct SensitiveRods {
    masses: [f64; 2],
    lengths: [f64; 2],
}

#[lagrangian(sensitive(masses, lengths))]
impl SensitiveRods {
    fn lagrangian(&self, bobs: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * self.masses[i] * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; 2]) -> [Scalar; 2] {
        let second = (bobs[1] - bobs[0]).norm_squared() - self.lengths[1].powi(2);
        [bobs[0].norm_squared() - self.lengths[0].powi(2), second]
    }
}

/// A bob on a rod from a shaken pivot, without parameters.
#[derive(Clone)]
struct ShakenRod;

#[lagrangian]
impl ShakenRod {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, t: Time) -> Scalar {
        (bob - vec2(0.0, 0.2 * (2.5 * t).sin())).norm_squared() - 1.0
    }
}

/// Two rods from a shaken pivot, and a start on them.
fn shaken() -> (Chain, State) {
    let (masses, rods) = (vec![1.1, 0.8], vec![1.0, 1.3]);
    let chain = Chain { masses, rods, gravity: 1.2, amplitude: 0.2, frequency: 2.5 };
    let mut start = State { t: 0.3, q: vec![0.3, -0.8, 1.2, -1.8], v: vec![0.5, 0.4, -0.3, 0.9] };
    project(&chain.bind().expect("bound"), &mut start).expect("near");
    (chain, start)
}

#[test]
fn engines_on_rods() {
    let q = vec![0.6, -0.8, 1.6, -1.8];
    let mut start = State { t: 0.0, q, v: vec![0.5, 0.4, -0.3, 0.9] };
    project(&Rods.bind().expect("bound"), &mut start).expect("near");
    let sensitive = SensitiveRods { masses: [1.0, 1.7], lengths: [1.0, 2_f64.sqrt()] };
    pairs!(Rods, start, 0.05, held; Rattle::default(), Shake::default(), VariationalMidpoint::default());
    pairs!(sensitive, start, 0.05, held; Rattle::default(), Shake::default(), VariationalTrapezoid::default());
    let mut start = State { t: 0.3, q: vec![0.6, -0.7], v: vec![0.5, 0.4] };
    project(&ShakenRod.bind().expect("bound"), &mut start).expect("near");
    pairs!(ShakenRod, start, 0.05, held; Rattle::default(), Shake::default(), VariationalMidpoint::default());
    let (chain, start) = shaken();
    pairs!(
        chain, start, 0.05, held;
        Rattle::default(),
        Shake::default(),
        Composition::of(Rattle::default(), 4),
        VariationalMidpoint::default(),
        VariationalTrapezoid::default(),
        Composition::of(VariationalMidpoint::default(), 4),
    );
}

/// Springs without parameters, whose mass couples both ends.
#[derive(Clone)]
struct Coupled;

#[lagrangian]
impl Coupled {
    fn lagrangian(&self, x: [Scalar; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * (i as f64 + 1.0) * der(x[i]).powi(2));
        kinetic + 0.4 * der(x[0]) * der(x[1]) - sum(0..2, |i| x[i].powi(4))
    }
}

/// A mass that an input pushes.
#[derive(Clone)]
struct Pushed {
    mass: f64,
    push: Signal,
}

#[lagrangian(sensitive(mass, push))]
impl Pushed {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.mass * der(x).powi(2) - x.powi(4)
    }

    #[force]
    fn push(&self, push: Input, x: Scalar) -> Scalar {
        push * (1.0 + x.powi(2))
    }
}

fn bath<M>(method: M) -> Langevin<M> {
    Langevin { friction: 0.7, inverse_temperature: 1.3, seed: 5, ..Langevin::around(method) }
}

#[test]
fn engines_with_a_bath() {
    let start = State { t: 0.0, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    pairs!(Coupled, start, 0.05, free; bath(Verlet), Langevin { friction: 0.0, ..bath(Verlet) });
    let dragged = Dragged { masses: [1.0, 1.7], drag: 0.3, friction: 0.2 };
    pairs!(dragged, start, 0.05, free; bath(Verlet));
    let stiff = StiffChain { masses: vec![1.0, 1.7], rods: vec![1.0, 1.3], gravity: 1.0, omega: 2.0 };
    let start = State { t: 0.4, q: vec![0.6, -0.8, 1.6, -1.8], v: vec![0.5, 0.4, -0.3, 0.9] };
    pairs!(stiff, start, 0.05, free; bath(Verlet), bath(ZhangSkeel::default()), bath(ZhangSkeelEuler::default()), bath(ZhangSkeelSimplified::default()));
    let mut on_rods = start.clone();
    project(&Rods.bind().expect("bound"), &mut on_rods).expect("near");
    let sensitive = SensitiveRods { masses: [1.0, 1.7], lengths: [1.0, 2_f64.sqrt()] };
    pairs!(Rods, on_rods, 0.05, held; bath(Rattle::default()));
    pairs!(sensitive, on_rods, 0.05, held; bath(Rattle::default()));
    // Masses that are alike, and differ as soon as they move.
    let alike = SensitiveRods { masses: [1.0; 2], ..sensitive };
    pairs!(alike, on_rods, 0.05, held; bath(Rattle::default()));
    pairs!(Honey { friction: 0.3 }, on_rods, 0.05, held; bath(Rattle::default()));
    let (chain, start) = shaken();
    pairs!(chain, start, 0.05, held; bath(Rattle::default()));
    let push = Signal::constant(vec![0.0, 0.31, 2.0], vec![1.0, -0.5]).expect("a signal");
    let start = State { t: 0.0, q: vec![0.6], v: vec![1.2] };
    pairs!(Pushed { mass: 1.3, push }, start, 0.05, free; bath(Verlet));
}

/// Both have one motion of positions, and one derivative of it.
#[test]
fn shake_has_the_gradients_of_rattle_for_positions() {
    let (chain, start) = shaken();
    let system = chain.bind().expect("bound");
    let squares = || {
        let times: Vec<f64> = (0..=20).map(|k| start.t + 0.05 * f64::from(k)).collect();
        let values = numbers(times.len(), 13);
        Squares::at(times).column("bobs[1].x", 1.0, values)
    };
    let by_rattle = differentiate(&system, &Rattle::default(), start.clone(), 0.05).expect("started");
    let by_rattle = by_rattle.until(start.t + 1.0).gradient(&mut squares()).expect("a gradient");
    let by_shake = differentiate(&system, &Shake::default(), start.clone(), 0.05).expect("started");
    let by_shake = by_shake.until(start.t + 1.0).gradient(&mut squares()).expect("a gradient");
    assert_near("by q", &by_shake.q, &by_rattle.q, 1e-12);
    assert_near("by v", &by_shake.v, &by_rattle.v, 1e-12);
    assert_near("by parameters", &by_shake.parameters, &by_rattle.parameters, 1e-12);
}

#[test]
fn a_bath_around_shake_has_no_derivative() {
    let system = Rods.bind().expect("bound");
    let mut start = State { t: 0.0, q: vec![0.6, -0.8, 1.6, -1.8], v: vec![0.5, 0.4, -0.3, 0.9] };
    project(&system, &mut start).expect("near");
    let error = differentiate(&system, &bath(Shake::default()), start, 0.1).expect_err("refused");
    assert!(error.to_string().contains("rattle"), "{error}");
}

#[test]
fn a_bath_has_no_derivative_by_masses_that_couple() {
    let springs = Springs { masses: [1.0, 1.7], coupling: 0.4, stiffness: 1.3, frequency: 2.0 };
    let system = springs.bind().expect("bound");
    let start = State { t: 0.3, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    let error = differentiate(&system, &bath(Verlet), start, 0.1).expect_err("refused");
    assert!(matches!(error, StartError::NoDerivative { .. }), "{error}");
}

#[test]
fn engines_on_forces() {
    let dragged = Dragged { masses: [1.0, 1.7], drag: 0.3, friction: 0.2 };
    let start = State { t: 0.0, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    pairs!(
        dragged, start, 0.05, free;
        Verlet, VariationalEuler::default(), VariationalMidpoint::default(), VariationalTrapezoid::default(),
    );
    pairs!(
        Turned { mass: 1.3, turn: 0.4 }, start, 0.05, free;
        Verlet, Composition::of(Verlet, 4), VariationalMidpoint::default(),
    );
    let honey = Honey { friction: 0.3 };
    let mut start = State { t: 0.0, q: vec![0.6, -0.8, 1.6, -1.8], v: vec![0.5, 0.4, -0.3, 0.9] };
    project(&honey.bind().expect("bound"), &mut start).expect("near");
    pairs!(
        honey, start, 0.05, held;
        Rattle::default(), VariationalMidpoint::default(), VariationalTrapezoid::default(),
    );
}

/// Springs in line with dampers, between which nothing has mass.
#[derive(Clone)]
struct Maxwell {
    mass: f64,
    stiffness: [f64; 2],
    damping: f64,
}

#[lagrangian(sensitive(mass, stiffness, damping))]
impl Maxwell {
    fn lagrangian(&self, x: Scalar, s: [Scalar; 2]) -> Scalar {
        0.5 * self.mass * der(x).powi(2)
            - self.stiffness[0] * (x - s[0]).powi(4)
            - 0.5 * self.stiffness[1] * (x - s[1]).powi(2)
    }

    #[dissipation]
    fn dampers(&self, s: [Scalar; 2]) -> Scalar {
        let both = 0.5 * der(s[0]).powi(2) + 1.5 * (der(s[0]) - der(s[1])).powi(2);
        self.damping * (1.0 + s[0].powi(2)) * both
    }

    #[force(s)]
    fn drive(&self, x: Scalar, s: [Scalar; 2]) -> [Scalar; 2] {
        [0.3 * der(x), -self.damping * s[1].powi(3)]
    }
}

/// A weight and a movable pulley without mass, which holds two.
#[derive(Clone)]
struct Pulleys {
    masses: [f64; 3],
    pull: f64,
}

#[lagrangian(sensitive(masses, pull))]
impl Pulleys {
    fn lagrangian(&self, y: [Scalar; 3], p: Scalar) -> Scalar {
        let weights = sum(0..3, |i| 0.5 * self.masses[i] * der(y[i]).powi(2) - self.masses[i] * y[i].powi(2));
        weights + self.pull * p.powi(3)
    }

    #[holonomic]
    fn ropes(&self, y: [Scalar; 3], p: Scalar) -> [Scalar; 2] {
        [y[0] + p + 2.0, y[1] + y[2] - 2.0 * p + 2.0]
    }
}

#[test]
fn engines_on_coordinates_without_mass() {
    let maxwell = Maxwell { mass: 1.2, stiffness: [0.7, 0.9], damping: 1.1 };
    let start = State { t: 0.0, q: vec![1.0, 0.2, -0.4], v: vec![0.5, 0.0, 0.0] };
    pairs!(
        maxwell, start, 0.05, free;
        VariationalEuler::default(), VariationalMidpoint::default(),
        Composition::of(VariationalMidpoint::default(), 4),
    );
    let pulleys = Pulleys { masses: [4.0, 2.0, 1.0], pull: 0.3 };
    let start = State { t: 0.0, q: vec![-1.0, -2.0, -2.0, -1.0], v: vec![0.2, -0.9, 0.5, -0.2] };
    // The ropes are linear: each start that moves along them is on them.
    pairs!(
        pulleys, start, 0.05, free;
        Rattle::default(), VariationalMidpoint::default(), VariationalTrapezoid::default(),
    );
}

#[test]
fn engines_on_blades() {
    let sleigh = Sleigh { mass: 1.4, offset: 0.3, inertia: 0.6 };
    let (sine, cosine) = 0.5_f64.sin_cos();
    let (ahead, turn) = (0.9, 0.7);
    let side = sleigh.offset * turn;
    let v = vec![ahead * cosine - side * sine, ahead * sine + side * cosine, turn];
    let start = State { t: 0.0, q: vec![0.6, -0.8, 0.5], v };
    let on_blade = |system: &Bound<Sleigh>, state: &mut State| {
        let (sine, cosine) = state.q[2].sin_cos();
        let [_, offset] = system.parametric().expect("sensitive").values()[..] else { panic!("two") };
        let row = [-sine, cosine, -offset];
        let slip = dot(&row, &state.v) / dot(&row, &row);
        state.v.iter_mut().zip(row).for_each(|(v, row)| *v -= slip * row);
    };
    pairs!(
        sleigh, start, 0.05, on_blade;
        VariationalMidpoint::default(), VariationalTrapezoid::default(),
    );
}

fn kepler() -> (Bound<Kepler>, State) {
    (Kepler { mu: 1.0 }.bind().expect("bound"), State { t: 0.0, q: vec![1.0, 0.2], v: vec![-0.1, 0.9] })
}

fn refused(until: f64, loss: &mut dyn Loss) -> GradientError {
    let (system, start) = kepler();
    let motion = differentiate(&system, &Verlet, start, 0.1).expect("started").until(until);
    motion.gradient(loss).expect_err("refused")
}

#[test]
fn losses_that_do_not_fit_are_refused() {
    let unknown = refused(1.0, &mut Target::new("p.z", 0.0));
    let GradientError::Loss(LossError::UnknownName { name, known }) = &unknown else { panic!("{unknown}") };
    assert_eq!((name.as_str(), known.as_str()), ("p.z", "`p.x`, `p.y`"));
    let column = |times: Vec<f64>| {
        let values = vec![0.0; times.len()];
        Squares::at(times).column("der.p.x", 1.0, values)
    };
    let between = refused(1.0, &mut column(vec![0.2, 0.33]));
    let GradientError::Loss(LossError::BetweenSteps { time, before, .. }) = between else {
        panic!("{between}")
    };
    assert!((time - 0.33).abs() < 1e-15 && (before - 0.3).abs() < 1e-15, "{time}, {before}");
    for outside in [-0.1, 1.1] {
        let error = refused(1.0, &mut column(vec![0.2, outside]));
        let GradientError::Loss(LossError::Outside { time, end, .. }) = error else { panic!("{error}") };
        assert!((time - outside).abs() < 1e-15 && (end - 1.0).abs() < 1e-15, "{time}, {end}");
    }
    assert!(matches!(refused(-1.0, &mut Target::new("p.x", 0.0)), GradientError::Plan(_)));
}

#[test]
fn unknown_directions_are_refused() {
    let (system, start) = kepler();
    let motion = || differentiate(&system, &Verlet, start.clone(), 0.1).expect("started");
    let error = motion().sensitivities(&["mu", "mass"]).expect_err("refused");
    let GradientError::UnknownDirection { name, known } = &error else { panic!("{error}") };
    assert_eq!(name, "mass");
    assert!(known.contains("`p.x`, `p.y`") && known.contains("`mu`"), "{known}");
    assert!(motion().sensitivities(&["mu", "der.p.y"]).is_ok());
}

/// A potential that ends at x = 1.
#[derive(Clone)]
struct Edge {
    slope: f64,
}

#[lagrangian(sensitive(slope))]
impl Edge {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) + self.slope * (1.0 - x).powf(1.5)
    }
}

#[test]
fn a_motion_that_fails_has_no_gradient() {
    let system = Edge { slope: 0.01 }.bind().expect("bound");
    let start = State { t: 0.0, q: vec![0.0], v: vec![1.0] };
    let motion = |end: f64| differentiate(&system, &Verlet, start.clone(), 0.1).expect("started").until(end);
    assert!(motion(0.9).gradient(&mut Target::new("x", 0.0)).is_ok());
    for memory in [0, 1 << 20] {
        let failed = motion(2.0).within(memory).gradient(&mut Target::new("x", 0.0)).expect_err("failed");
        assert!(matches!(failed, GradientError::Step(_)), "{failed}");
        // 1.0, the step that leaves the potential.
        assert!(failed.to_string().contains("step 11") || failed.to_string().contains("t = 1"), "{failed}");
    }
    assert!(matches!(motion(2.0).sensitivities(&["x", "slope"]), Err(GradientError::Step(_))));
}

/// A loss that is not a number at one step.
struct Hole {
    at: u64,
    in_slope: bool,
}

impl Loss for Hole {
    fn sees(&self, _: u64, _: u64) -> bool {
        true
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], _: &mut [f64]) -> f64 {
        let is_here = at.step == self.at;
        of_q[0] = if is_here && self.in_slope { f64::INFINITY } else { 1.0 };
        if is_here && !self.in_slope { f64::NAN } else { at.q[0] }
    }
}

#[test]
fn a_loss_that_is_not_finite_is_refused() {
    for (at, in_slope) in [(0, false), (4, false), (7, true), (10, true)] {
        let error = refused(1.0, &mut Hole { at, in_slope });
        let GradientError::NotFinite { time, .. } = error else { panic!("{error}") };
        assert!((time - 0.1 * at as f64).abs() < 1e-12, "{time}");
    }
}

#[test]
fn methods_without_a_derivative_are_refused() {
    let turned = Turned { mass: 1.3, turn: 0.4 }.bind().expect("bound");
    let start = State { t: 0.0, q: vec![0.6, -0.8], v: vec![1.2, -0.9] };
    let error = differentiate(&turned, &PushForwardNewmark::default(), start, 0.1).expect_err("refused");
    assert!(matches!(error, StartError::NoDerivative { .. }), "{error}");
    assert!(error.to_string().contains("verlet"), "{error}");
}

fn growth(temperature: f64, end: f64) -> f64 {
    let all = reference::read("adjoints.json");
    let start = &all["cases"]["lennard-jones-13-verlet"]["start"];
    let mut start = State { t: 0.0, q: reference::numbers(&start["q"]), v: reference::numbers(&start["v"]) };
    start.v = numbers(start.v.len(), 9).iter().map(|v| temperature.sqrt() * v).collect();
    let cluster = Atoms { count: 13, mass: 1.0, epsilon: 1.0, sigma: 1.0 }.bind().expect("bound");
    let motion = differentiate(&cluster, &Verlet, start, 0.005).expect("started").until(end);
    motion.gradient(&mut Target::new("atoms[0].x", 0.0)).expect("a gradient").growth
}

#[test]
fn growth_tells_chaos_from_regular_motion() {
    let (chaotic, regular) = (growth(1.0, 15.0), growth(1.0, 0.05));
    assert!(chaotic > 1e6, "{chaotic:.1e}");
    assert!((0.3..3.0).contains(&regular), "{regular}");
    let spring = Springs { masses: [1.0; 2], coupling: 0.0, stiffness: 0.0, frequency: 0.0 };
    let system = spring.bind().expect("bound");
    let start = State { t: 0.0, q: vec![1.0, 0.0], v: vec![0.0, 1.0] };
    let motion = differentiate(&system, &Verlet, start, 0.01).expect("started").until(100.0);
    let growth = motion.gradient(&mut Target::new("x[0]", 3.0)).expect("a gradient").growth;
    assert!((0.3..3.0).contains(&growth), "{growth}");
}

/// A hundred times as many steps take five times as many states at once.
#[test]
fn three_levels_take_the_cube_root_of_the_steps() {
    for steps in [1_000_u64, 10_000, 100_000] {
        let (system, start) = kepler();
        let motion = differentiate(&system, &Verlet, start, 0.01).expect("started");
        let motion = motion.until(0.01 * steps as f64).within(0);
        let gradient = motion.gradient(&mut Target::new("p.x", 0.0)).expect("a gradient");
        assert_eq!(gradient.steps, steps);
        let MemoryPlan::ThreeLevels { stretches, inner } = gradient.plan else {
            panic!("{:?}", gradient.plan)
        };
        let states = stretches + inner + steps.div_ceil(stretches * inner);
        let root = (steps as f64).cbrt();
        assert!((states as f64) < 4.5 * root, "{states} states for {steps} steps");
    }
}
