//! Parts that rows hold need no mass, and hardly any is as good as none.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::method::{
    Bdf, Method, Rattle, Reference, Shake, Stepper as _, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid, project,
};
use least_action::prelude::*;
use least_action::system::{Constrained, Lagrangian};

/// A weight on one side, and on the other a movable pulley with two weights.
struct Pulleys {
    masses: [f64; 3],
    pulley: f64,
}

#[lagrangian]
impl Pulleys {
    fn lagrangian(&self, y1: Scalar, yp: Scalar, y2: Scalar, y3: Scalar) -> Scalar {
        let [first, second, third] = [self.masses[0], self.masses[1], self.masses[2]];
        let kinetic = first * der(y1).powi(2)
            + self.pulley * der(yp).powi(2)
            + second * der(y2).powi(2)
            + third * der(y3).powi(2);
        0.5 * kinetic - 9.81 * (first * y1 + self.pulley * yp + second * y2 + third * y3)
    }

    #[holonomic]
    fn upper(&self, y1: Scalar, yp: Scalar) -> Scalar {
        y1 + yp + 2.0
    }

    #[holonomic]
    fn lower(&self, yp: Scalar, y2: Scalar, y3: Scalar) -> Scalar {
        (y2 - yp) + (y3 - yp) + 2.0
    }
}

/// Points at distances, in a field along y.
struct Rods {
    masses: Vec<f64>,
    links: Vec<(usize, usize, f64)>,
    field: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, p: [Vec3; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| {
            0.5 * self.masses[i] * der(p[i]).norm_squared() - self.masses[i] * self.field * p[i].y
        })
    }

    #[holonomic]
    fn rod(&self, p: [Vec3; self.masses.len()]) -> [Scalar; self.links.len()] {
        each(0..self.links.len(), |k| {
            (p[self.links[k].0] - p[self.links[k].1]).norm_squared() - self.links[k].2.powi(2)
        })
    }
}

/// A ring on three rods to weights of 1, 2 and 3 kg, in a plane: two numbers, and three rows.
struct Ring {
    ring: f64,
}

#[lagrangian]
impl Ring {
    fn lagrangian(&self, p: Vec2, w: [Vec2; 3]) -> Scalar {
        let weights = sum(0..3, |i| (i + 1) as f64 * (0.5 * der(w[i]).norm_squared() - 9.81 * w[i].y));
        0.5 * self.ring * der(p).norm_squared() - 9.81 * self.ring * p.y + weights
            - sum(0..3, |i| 20.0 * w[i].norm_squared())
    }

    #[holonomic]
    fn rod(&self, p: Vec2, w: [Vec2; 3]) -> [Scalar; 3] {
        each(0..3, |i| (p - w[i]).norm_squared() - 1.0)
    }
}

/// The state at a time, and the multipliers there; a run must have no warning.
fn run<S: Lagrangian + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: State,
    (step, steps): (f64, u32),
) -> (State, Vec<f64>) {
    let mut stepper = method.start(system, start, step).unwrap();
    assert_eq!(stepper.warning(), None, "{}", M::NAME);
    (0..steps).for_each(|_| stepper.step().unwrap());
    (stepper.state().clone(), stepper.multipliers().unwrap().to_vec())
}

fn with_all<S: Constrained + Lagrangian>(
    system: &S,
    start: &State,
    span: (f64, u32),
    mut each: impl FnMut(&str, State, Vec<f64>),
) {
    macro_rules! with {
        ($($method:ident),*) => {$(
            let (state, multipliers) = run(system, &$method::default(), start.clone(), span);
            each(stringify!($method), state, multipliers);
        )*};
    }
    with!(Rattle, Shake, VariationalMidpoint, VariationalTrapezoid, VariationalEuler, Reference, Bdf);
}

#[test]
fn pulleys_fall_alike_for_every_small_mass() {
    for pulley in [0.0, 1e-300, 1e-14, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6] {
        let system = Pulleys { masses: [4.0, 2.0, 1.0], pulley }.bind().unwrap();
        let start = State::at_rest(vec![-1.0, -1.0, -2.0, -2.0]);
        with_all(&system, &start, (0.01, 100), |method, state, multipliers| {
            let right = [-1.962, 1.962, -1.962, 5.886, 31.392, 15.696];
            for (found, right) in state.v.iter().chain(&multipliers).zip(right) {
                assert!((found - right).abs() < 1e-6 + 10.0 * pulley, "{method}, {pulley}: {found} {right}");
            }
        });
    }
}

#[test]
fn light_points_on_many_rods_move_as_points_without_mass() {
    let ring = |ring| Ring { ring }.bind().unwrap();
    let hub = |angle: f64| [angle.cos(), angle.sin()];
    let weights = [0.3_f64, 2.5, 4.4].into_iter().flat_map(hub);
    let start = State::at_rest([0.0; 2].into_iter().chain(weights).collect());
    let (right, tensions) = run(&ring(0.0), &Reference::default(), start.clone(), (0.01, 50));
    for mass in [0.0, 1e-12, 1e-10, 1e-9, 1e-8] {
        with_all(&ring(mass), &start, (1e-3, 500), |method, state, multipliers| {
            let off = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            let order = if method == "VariationalEuler" { 0.1 } else { 3e-4 };
            assert!(off(&state.q, &right.q) < order, "{method}, {mass}: {:?} {:?}", state.q, right.q);
            assert!(off(&multipliers, &tensions) < 100.0 * order, "{method}, {mass}: {multipliers:?}");
        });
    }
    // Methane by nine distances.
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let to_carbon = (1..5).map(|k| (0, k, 3_f64.sqrt()));
    let others = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4)].map(|(i, j)| (i, j, 8_f64.sqrt()));
    let rods: Vec<_> = to_carbon.chain(others).collect();
    let methane =
        |carbon| Rods { masses: vec![carbon, 1.0, 1.0, 1.0, 1.0], links: rods.clone(), field: 9.81 };
    let places: Vec<f64> = [[0.0; 3]].iter().chain(&corners).flatten().copied().collect();
    // Turned about an axis, with the velocity ω × r.
    let turning = places
        .chunks(3)
        .flat_map(|r| [0.2 * r[2] - 0.5 * r[1], 0.5 * r[0] - 0.1 * r[2], 0.1 * r[1] - 0.2 * r[0]]);
    let start = State::new(places.clone(), turning.collect());
    let (right, _) = run(&methane(0.0).bind().unwrap(), &Reference::default(), start.clone(), (0.01, 50));
    for carbon in [0.0, 1e-10] {
        with_all(&methane(carbon).bind().unwrap(), &start, (0.01, 50), |method, state, _| {
            let bound = if method == "VariationalEuler" { 0.05 } else { 1e-4 };
            for (found, right) in state.q.iter().zip(&right.q) {
                assert!((found - right).abs() < bound, "{method}, {carbon}: {found} {right}");
            }
        });
    }
}

#[test]
fn the_nearest_start_needs_no_mass_of_parts_that_rows_hold() {
    let hub = |angle: f64| [1.05 * angle.cos(), 0.97 * angle.sin()];
    let weights = [0.3_f64, 2.5, 4.4].into_iter().flat_map(hub);
    let q: Vec<f64> = [0.02, -0.04].into_iter().chain(weights).collect();
    let v: Vec<f64> = (0..8).map(|k| f64::from(k * k % 5) - 1.5).collect();
    let nearest = |ring: f64| {
        let system = Ring { ring }.bind().unwrap();
        let mut state = State::new(q.clone(), v.clone());
        project(&system, &mut state).unwrap();
        let mut rows = [0.0; 3];
        system.constraint_values(&state.q, 0.0, &mut rows);
        assert!(rows.iter().all(|row| row.abs() < 1e-14), "{ring}: {rows:?}");
        let mut jacobian = vec![0.0; system.jacobian_pattern().len()];
        system.jacobian(&state.q, 0.0, &mut [0.0; 3], &mut jacobian);
        rows.fill(0.0);
        system.jacobian_pattern().multiply_add(&jacobian, &state.v, &mut rows);
        assert!(rows.iter().all(|row| row.abs() < 1e-13), "{ring}: {rows:?}");
        state
    };
    let (none, some) = (nearest(0.0), nearest(1e-6));
    let pairs = none.q.iter().chain(&none.v).zip(some.q.iter().chain(&some.v));
    pairs.for_each(|(none, some)| assert!((none - some).abs() < 1e-5, "{none} {some}"));
}

#[test]
fn a_light_part_that_rows_leave_free_keeps_its_mass() {
    // A light bob on one rod from a heavy one: a pendulum of its own.
    let rods = |mass| Rods { masses: vec![1e3, mass], links: vec![(0, 1, 1.0)], field: 0.0 };
    let start = State::new(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    let system = rods(1e-9).bind().unwrap();
    for method in ["rattle", "midpoint"] {
        let span = (1e-3, 1000);
        let (State { q, .. }, _) = match method {
            "rattle" => run(&system, &Rattle::default(), start.clone(), span),
            _ => run(&system, &VariationalMidpoint::default(), start.clone(), span),
        };
        assert!((q[3] - 2_f64.cos()).abs() < 1e-5 && (q[4] - 2_f64.sin()).abs() < 1e-5, "{method}: {q:?}");
    }
}
