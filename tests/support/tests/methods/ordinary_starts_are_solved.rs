//! Starts ordinary to people and degenerate to an iteration: a hinge at the origin, a straight chain, a
//! folded one, rest, tiny motions; and a stiff beam, far from whose solutions corrections grow. All are
//! solved and believed, in steps from 1e-8 on.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::drive::integrate;
use least_action::method::{
    Composition, ImplicitMidpoint, Method, Newmark, Rattle, Shake, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid,
};
use least_action::nalgebra::DMatrix;
use least_action::prelude::*;
use least_action::system::{Lagrangian, System};
use test_support::structure::{advance, distance};

/// Two bodies on a stiff spring, the first hinged at the origin.
struct Hinged;

#[lagrangian]
impl Hinged {
    fn lagrangian(&self, p: [Vec2; 2]) -> Scalar {
        sum(0..2, |i| 0.5 * der(p[i]).norm_squared() - 9.81 * p[i].y)
            - 0.5e3 * (p[1].distance(p[0]) - 1.0).powi(2)
    }

    #[holonomic]
    fn pin(&self, p: [Vec2; 2]) -> Vec2 {
        p[0]
    }
}

/// A steel cantilever in the plane, 0.2 m long and 2 mm thick, with a load of 0.2 N at its tip and drag.
struct Beam {
    elements: usize,
}

impl Beam {
    const STRETCHING: f64 = 50e9 * std::f64::consts::PI * 1e-6;
    const BENDING: f64 = 50e9 * std::f64::consts::FRAC_PI_4 * 1e-12;

    fn edge(&self) -> f64 {
        0.2 / self.elements as f64
    }

    fn mass(&self) -> f64 {
        8000.0 * std::f64::consts::PI * 1e-6 * self.edge()
    }

    fn straight(&self) -> State {
        State::at_rest((0..self.elements + 2).flat_map(|i| [self.edge() * (i as f64 - 1.0), 0.0]).collect())
    }
}

#[lagrangian]
impl Beam {
    fn lagrangian(&self, p: [Vec2; self.elements + 2]) -> Scalar {
        let (n, l) = (self.elements, self.edge());
        let kinetic = sum(0..n + 2, |i| {
            0.5 * (if i == n + 1 { 0.5 } else { 1.0 }) * self.mass() * der(p[i]).norm_squared()
        });
        let stretch = sum(1..n + 2, |i| 0.5 * Self::STRETCHING / l * (p[i].distance(p[i - 1]) - l).powi(2));
        let bend = sum(1..=n, |i| {
            let (a, b) = (p[i] - p[i - 1], p[i + 1] - p[i]);
            let kappa = 2.0 * a.cross(b) / (a.norm() * b.norm() + a.dot(b));
            0.5 * Self::BENDING / l * kappa.powi(2)
        });
        kinetic - stretch - bend - 0.2 * p[n + 1].y
    }

    #[holonomic]
    fn clamp(&self, p: [Vec2; self.elements + 2]) -> [Vec2; 2] {
        each(0..2, |i| p[i] - vec2(self.edge() * (i as f64 - 1.0), 0.0))
    }

    #[dissipation]
    fn air(&self, p: [Vec2; self.elements + 2]) -> Scalar {
        sum(p.iter(), |x| 0.5 * 40.0 * self.mass() * der(*x).norm_squared())
    }
}

/// A hanging chain of unit length in the angles of its joints, each relative to the link before.
struct Joints {
    count: usize,
}

#[lagrangian(conserves(energy))]
impl Joints {
    fn lagrangian(&self, joint: [Angle; self.count]) -> Scalar {
        let (n, part) = (self.count, 1.0 / self.count as f64);
        let turn = each(0..n, |i| sum(0..=i, |k| joint[k]));
        let ends = each(0..n, |i| sum(0..=i, |k| part * vec2(turn[k].sin(), -turn[k].cos())));
        sum(0..n, |i| 0.5 * part * der(ends[i]).norm_squared() - part * 9.81 * ends[i].y)
    }
}

/// Three points on rods of unit length that hang from the origin.
struct Rods;

#[lagrangian(conserves(energy))]
impl Rods {
    fn lagrangian(&self, bobs: [Vec2; 3]) -> Scalar {
        sum(0..3, |i| 0.5 * der(bobs[i]).norm_squared() - bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; 3]) -> [Scalar; 3] {
        each(0..3, |i| (if i == 0 { bobs[0] } else { bobs[i] - bobs[i - 1] }).norm_squared() - 1.0)
    }
}

/// Points that hang from the origin on stiff springs of unit length.
struct Strung {
    points: usize,
    stiffness: f64,
}

#[lagrangian(conserves(energy))]
impl Strung {
    fn lagrangian(&self, bobs: [Vec2; self.points]) -> Scalar {
        let length = each(0..self.points, |i| (if i == 0 { bobs[0] } else { bobs[i] - bobs[i - 1] }).norm());
        sum(0..self.points, |i| {
            0.5 * der(bobs[i]).norm_squared()
                - 9.81 * bobs[i].y
                - 0.5 * self.stiffness * (length[i] - 1.0).powi(2)
        })
    }
}

/// A motion of so many steps that is believed, and its end.
fn believed<S: System, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    step: f64,
    steps: usize,
) -> State {
    let end = start.t + step * steps as f64;
    let run = integrate(system, method, start.clone(), step).unwrap().until(end);
    let run = run.record().unwrap_or_else(|error| panic!("h = {step:e} from {start:?}: {error}"));
    assert!(run.verdict().is_believed(), "h = {step:e} from {start:?}: {:?}", run.verdict());
    let [q, v] =
        [run.positions().last(), run.velocities().last()].map(|last| last.unwrap_or_default().to_vec());
    State::new(q, v)
}

#[test]
fn a_hinge_at_the_origin_is_no_violation() {
    let (system, start) = (Hinged.bind().unwrap(), State::at_rest(vec![0.0, 0.0, 1.0, 0.0]));
    // A point on a spring of length 1 and frequency 31.6 under gravity, from (1, 0), by fine RATTLE.
    let right = advance(&system, &Rattle::default(), &start, 1e-5, 20_000);
    let check = |end: State, error: f64| {
        assert!(end.q[0].abs().max(end.q[1].abs()) < 1e-15 && distance(&end.q, &right.q) < error, "{end:?}");
    };
    check(believed(&system, &VariationalMidpoint::default(), &start, 0.001, 200), 1e-4);
    check(believed(&system, &VariationalTrapezoid::default(), &start, 0.001, 200), 1e-4);
    check(believed(&system, &VariationalEuler::default(), &start, 0.001, 200), 3e-2);
    check(believed(&system, &Shake::default(), &start, 0.001, 200), 1e-4);
}

/// The midpoint rule leads here by a plain iteration without constraints, forces balanced to 1e-7 N.
#[test]
fn corrections_may_grow_far_from_the_solution() {
    let beam = Beam { elements: 40 };
    let system = beam.bind().unwrap();
    for (steps, tip) in [(1, [0.199_938_59, -0.005_992_84]), (13, [0.199_552_36, -0.012_443_29])] {
        let end = advance(&system, &VariationalMidpoint::default(), &beam.straight(), 1e-2, steps);
        assert!(distance(&end.q[82..], &tip) < 1e-8, "{:?}", &end.q[82..]);
    }
    let end = believed(&system, &VariationalMidpoint::default(), &beam.straight(), 1e-3, 20);
    assert!(distance(&end.q[82..], &[0.199_182_52, -0.016_793_07]) < 1e-8, "{:?}", &end.q[82..]);
}

/// For a constant mass both midpoint rules are one, in other unknowns: both find one solution, also far
/// along stiff springs.
#[test]
fn springs_may_be_stiff_at_long_steps() {
    for (points, stiffness, step) in
        [(1, 1e4, 10.0), (1, 1e6, 1.0), (1, 1e9, 0.3), (2, 1e6, 1.0), (20, 1e4, 0.3)]
    {
        let system = Strung { points, stiffness }.bind().unwrap();
        let start = State::at_rest((1..=points).flat_map(|i| [i as f64, 0.0]).collect());
        let [own, other] = [
            advance(&system, &ImplicitMidpoint::default(), &start, step, 5),
            advance(&system, &VariationalMidpoint::default(), &start, step, 5),
        ];
        let away = distance(&own.q, &other.q);
        assert!(away < 1e-7, "{points} {stiffness:e} {step}: {away:e}");
        advance(&system, &Newmark::default(), &start, step, 2);
    }
}

/// No number says where in a turn an angle is that has too many of them.
#[test]
fn angles_beyond_all_turns_are_no_starts() {
    let system = Joints { count: 2 }.bind().unwrap();
    let started = |angle: f64| {
        let start = State::at_rest(vec![0.5, angle]);
        integrate(&system, &VariationalMidpoint::default(), start, 0.01).map(drop)
    };
    assert!(started(1e12).is_ok());
    let refused = started(-1e150).unwrap_err().to_string();
    let words =
        "the initial angle `joint[1]` is -1e150, where numbers are 2e134 apart: leave out its whole turns";
    assert_eq!(refused, words);
}

/// An angle of a joint is known to rounding of the sums that it is in: no correction falls below that.
#[test]
fn sums_of_small_angles_move() {
    let mut start = vec![1e-6; 41];
    start[0] = 4e-5;
    let system = Joints { count: 41 }.bind().unwrap();
    let method = Composition::of(VariationalMidpoint::default(), 4);
    believed(&system, &method, &State::at_rest(start), 0.04, 50);
    // The first mode of the chain of 20 in absolute angles, by K and M, is back after a period.
    let n = 20;
    let (shape, frequency) = first_mode(n);
    assert!((frequency - 3.720_205_15).abs() < 1e-8, "{frequency}");
    let joints = |scale: f64| -> Vec<f64> {
        let absolute = shape.iter().map(|angle| scale * angle).collect::<Vec<_>>();
        (0..n).map(|k| absolute[k] - if k == 0 { 0.0 } else { absolute[k - 1] }).collect()
    };
    let start = State::at_rest(joints(1e-6));
    let period = std::f64::consts::TAU / frequency;
    let method = Composition::of(VariationalMidpoint::default(), 6);
    let end = believed(&Joints { count: n }.bind().unwrap(), &method, &start, period / 40.0, 40);
    assert!(distance(&end.q, &start.q) < 1e-14, "{:e}", distance(&end.q, &start.q));
}

/// The first mode of a hanging chain of n links, in absolute angles, the largest 1, with its frequency:
/// K x = ω² M x with M_ij = l² (n − max(i, j)) and K = g l diag(n − i).
fn first_mode(n: usize) -> (Vec<f64>, f64) {
    let part = 1.0 / n as f64;
    let root = |i: usize| (9.81 * part * (n - i) as f64).sqrt();
    let mass = |i: usize, j: usize| part * part * (n - i.max(j)) as f64;
    let scaled = DMatrix::from_fn(n, n, |i, j| mass(i, j) / (root(i) * root(j)));
    let modes = scaled.symmetric_eigen();
    let slowest = modes.eigenvalues.imax();
    let shape: Vec<f64> = (0..n).map(|i| modes.eigenvectors[(i, slowest)] / root(i)).collect();
    let largest = shape.iter().fold(0.0_f64, |largest, x| if x.abs() > largest.abs() { *x } else { largest });
    (shape.iter().map(|x| x / largest).collect(), 1.0 / modes.eigenvalues[slowest].sqrt())
}

/// Numbers that look random.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[((self.uniform() * values.len() as f64) as usize).min(values.len() - 1)]
    }

    /// An angle of a link from the one before: straight, folded, square, or nearly so.
    fn angle(&mut self) -> f64 {
        let (straight, folded, square) = (0.0, std::f64::consts::PI, std::f64::consts::FRAC_PI_2);
        self.of(&[straight, straight, folded, square, -square, 1e-16, 1e-9, 1e-4]) + self.of(&[0.0, 0.7])
    }

    /// A velocity of rest, or next to it.
    fn velocity(&mut self) -> f64 {
        self.of(&[0.0, 1e-300, 1e-160, 1e-30, -1e-16, 1e-12, -1e-8, 1e-4])
    }

    /// Steps from 1e-8 to a tenth.
    fn step(&mut self) -> f64 {
        10.0_f64.powf(-8.0 + 7.0 * self.uniform())
    }
}

fn by_every_variational_method<S: Lagrangian>(system: &S, start: &State, step: f64) {
    believed(system, &VariationalMidpoint::default(), start, step, 20);
    believed(system, &VariationalTrapezoid::default(), start, step, 20);
}

#[test]
fn random_starts_next_to_degenerate_ones_are_solved() {
    let (rods, joints, hinged) =
        (Rods.bind().unwrap(), Joints { count: 8 }.bind().unwrap(), Hinged.bind().unwrap());
    let mut draws = Draws(1);
    for _ in 0..if test_support::THOROUGH { 600 } else { 40 } {
        let step = draws.step();
        let (mut q, mut v, mut angle, mut rate) = (vec![0.0; 2], vec![0.0; 2], draws.angle(), 0.0);
        for link in 0..3 {
            rate += draws.velocity();
            let along = [angle.sin(), -angle.cos()];
            let turned = [-along[1] * rate, along[0] * rate];
            q.extend([q[2 * link] + along[0], q[2 * link + 1] + along[1]]);
            v.extend([v[2 * link] + turned[0], v[2 * link + 1] + turned[1]]);
            angle += draws.angle();
        }
        let start = State::new(q.split_off(2), v.split_off(2));
        by_every_variational_method(&rods, &start, step);
        believed(&rods, &Rattle::default(), &start, step, 20);
        believed(&rods, &Shake::default(), &start, step, 20);

        let start = State::new(
            (0..8).map(|_| draws.angle() * draws.of(&[1.0, 1e-5, 1e-10])).collect(),
            (0..8).map(|_| draws.velocity()).collect(),
        );
        by_every_variational_method(&joints, &start, 0.1 * step);

        let (angle, rate) = (draws.angle(), draws.velocity());
        let (q, v) = (
            vec![0.0, 0.0, angle.cos(), angle.sin()],
            vec![0.0, 0.0, -rate * angle.sin(), rate * angle.cos()],
        );
        let start = State::new(q, v);
        by_every_variational_method(&hinged, &start, 0.1 * step);
        believed(&hinged, &Rattle::default(), &start, 0.1 * step, 20);
        believed(&hinged, &Shake::default(), &start, 0.1 * step, 20);
    }
}
