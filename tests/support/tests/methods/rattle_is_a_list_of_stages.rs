//! A step of RATTLE with drag is a list of three stages, each an implicit equation R(y₁, y₀, θ) = 0 over
//! the state y = (q, v, u): the residual gives its action by Newton's method, its tangent and its
//! covector by the derivatives of the residual.
//!
//! ```text
//! held drift:  M (u − v₀) − ½ h (f(q₀) + F(u)) − G(q₀)ᵀ x = 0,  q₁ = q₀ + h u,  g(q₁) = 0;
//! kick:        M (v₁ − u) − ½ h (f(q₁) + F(u)) = 0;
//! tangent:     M (v₂ − v₁) − G(q₁)ᵀ μ = 0,  G(q₁) v₂ = 0.
//! ```
//!
//! The stages are dense and short; the library has sparse and fast ones. Both are one method.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a failure is a panic")]

use least_action::drive::gradient::{Function, differentiate};
use least_action::drive::integrate;
use least_action::method::Rattle;
use least_action::nalgebra::{DMatrix, DVector};
use least_action::prelude::*;

struct Pair {
    mass: f64,
    rods: [f64; 2],
    drag: f64,
    gravity: f64,
}

#[lagrangian(sensitive(drag, gravity))]
impl Pair {
    fn lagrangian(&self, upper: Vec2, lower: Vec2) -> Scalar {
        0.5 * der(upper).norm_squared() + 0.5 * self.mass * der(lower).norm_squared()
            - self.gravity * (upper.y + self.mass * lower.y)
    }

    #[holonomic]
    fn rods(&self, upper: Vec2, lower: Vec2) -> [Scalar; 2] {
        [upper.norm_squared() - self.rods[0].powi(2), (lower - upper).norm_squared() - self.rods[1].powi(2)]
    }

    #[force(lower)]
    fn air(&self, lower: Vec2) -> Vec2 {
        -self.drag * der(lower).norm() * der(lower)
    }
}

const MODEL: Pair = Pair { mass: 0.7, rods: [1.0, 0.8], drag: 0.3, gravity: 9.81 };
/// Degrees of freedom, rows and parameters.
const N: usize = 4;
const M: usize = 2;
const P: usize = 2;
const STEP: f64 = 0.02;
const STEPS: usize = 40;

/// The functions of the model by hand, at θ = (drag, gravity).
impl Pair {
    fn masses(&self) -> [f64; N] {
        [1.0, 1.0, self.mass, self.mass]
    }

    /// −∇V, and its derivative by gravity.
    fn weight(&self, theta: &[f64]) -> (DVector<f64>, DVector<f64>) {
        let down = DVector::from_row_slice(&[0.0, -1.0, 0.0, -self.mass]);
        (theta[1] * &down, down)
    }

    /// F(u), ∂F/∂u, and the derivative of F by drag.
    fn air(theta: &[f64], u: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>, DVector<f64>) {
        let (w, speed) = (u.rows(2, 2), u.rows(2, 2).norm());
        let (mut unit, mut slope) = (DVector::zeros(N), DMatrix::zeros(N, N));
        unit.rows_mut(2, 2).copy_from(&(-speed * w));
        let square = w * w.transpose() / speed + DMatrix::identity(2, 2) * speed;
        slope.view_mut((2, 2), (2, 2)).copy_from(&(-theta[0] * square));
        (theta[0] * &unit, slope, unit)
    }

    /// g, and the linear function G(q), whose derivative along a is G(a).
    fn rows(&self, q: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let (a, b) = (q.rows(0, 2), q.rows(2, 2) - q.rows(0, 2));
        let g = [a.norm_squared() - self.rods[0].powi(2), b.norm_squared() - self.rods[1].powi(2)];
        let mut jacobian = DMatrix::zeros(M, N);
        for k in 0..2 {
            jacobian[(0, k)] = 2.0 * a[k];
            jacobian[(1, k)] = -2.0 * b[k];
            jacobian[(1, 2 + k)] = 2.0 * b[k];
        }
        (DVector::from_row_slice(&g), jacobian)
    }

    /// ∂(Gᵀ x)/∂q.
    fn bend(&self, x: &DVector<f64>) -> DMatrix<f64> {
        let column = |k| {
            let unit = DVector::from_fn(N, |i, _| if i == k { 1.0 } else { 0.0 });
            self.rows(&unit).1.transpose() * x
        };
        DMatrix::from_columns(&[0, 1, 2, 3].map(column))
    }
}

/// The derivatives of a residual by its unknowns, by (q, v, u) before, and by θ.
struct Linearized {
    residual: DVector<f64>,
    unknowns: DMatrix<f64>,
    before: DMatrix<f64>,
    theta: DMatrix<f64>,
}

/// The state (q, v, u), which each stage replaces in part.
type Point = DVector<f64>;

/// A stage: the number of unknowns that it solves for, where they go in (q, v, u), and the equation.
struct Stage {
    unknowns: usize,
    /// The place in the state of the first N unknowns, and of N unknowns behind the multipliers.
    places: [Option<usize>; 2],
    linearize: fn(&Pair, &[f64], &Point, &DVector<f64>) -> Linearized,
}

const STAGES: [Stage; 3] = [
    Stage { unknowns: 2 * N + M, places: [Some(2 * N), Some(0)], linearize: held_drift },
    Stage { unknowns: N, places: [Some(N), None], linearize: kick },
    Stage { unknowns: N + M, places: [Some(N), None], linearize: tangent },
];

fn zeros(unknowns: usize) -> Linearized {
    let matrix = |width| DMatrix::zeros(unknowns, width);
    let (before, theta) = (matrix(3 * N), matrix(P));
    Linearized { residual: DVector::zeros(unknowns), unknowns: matrix(unknowns), before, theta }
}

/// Unknowns u, x and q₁.
fn held_drift(model: &Pair, theta: &[f64], y: &Point, z: &DVector<f64>) -> Linearized {
    let mut all = zeros(2 * N + M);
    let (q, v) = (y.rows(0, N).into_owned(), y.rows(N, N).into_owned());
    let (u, x) = (z.rows(0, N).into_owned(), z.rows(N, M).into_owned());
    let new = z.rows(N + M, N).into_owned();
    let ((weight, down), (air, slope, unit)) = (model.weight(theta), Pair::air(theta, &u));
    let ((_, old_rows), (g, new_rows)) = (model.rows(&q), model.rows(&new));
    let (mass, half) = (DMatrix::from_diagonal(&DVector::from_row_slice(&model.masses())), 0.5 * STEP);
    let kick = &mass * (&u - v) - half * (weight + air) - old_rows.transpose() * &x;
    all.residual.rows_mut(0, N).copy_from(&kick);
    all.residual.rows_mut(N, M).copy_from(&g);
    all.residual.rows_mut(N + M, N).copy_from(&(&new - q - STEP * &u));
    all.unknowns.view_mut((0, 0), (N, N)).copy_from(&(&mass - half * slope));
    all.unknowns.view_mut((0, N), (N, M)).copy_from(&-old_rows.transpose());
    all.unknowns.view_mut((N, N + M), (M, N)).copy_from(&new_rows);
    all.unknowns.view_mut((N + M, 0), (N, N)).copy_from(&(-STEP * DMatrix::identity(N, N)));
    all.unknowns.view_mut((N + M, N + M), (N, N)).copy_from(&DMatrix::identity(N, N));
    all.before.view_mut((0, 0), (N, N)).copy_from(&-model.bend(&x));
    all.before.view_mut((0, N), (N, N)).copy_from(&-mass);
    all.before.view_mut((N + M, 0), (N, N)).copy_from(&-DMatrix::identity(N, N));
    all.theta.view_mut((0, 0), (N, 1)).copy_from(&(-half * unit));
    all.theta.view_mut((0, 1), (N, 1)).copy_from(&(-half * down));
    all
}

/// Unknowns v.
fn kick(model: &Pair, theta: &[f64], y: &Point, z: &DVector<f64>) -> Linearized {
    let mut all = zeros(N);
    let u = y.rows(2 * N, N).into_owned();
    let ((weight, down), (air, slope, unit)) = (model.weight(theta), Pair::air(theta, &u));
    let (mass, half) = (DMatrix::from_diagonal(&DVector::from_row_slice(&model.masses())), 0.5 * STEP);
    all.residual = &mass * (z - &u) - half * (weight + air);
    all.before.view_mut((0, 2 * N), (N, N)).copy_from(&(-&mass - half * slope));
    all.theta = DMatrix::from_columns(&[-half * unit, -half * down]);
    all.unknowns = mass;
    all
}

/// Unknowns v and μ.
fn tangent(model: &Pair, _: &[f64], y: &Point, z: &DVector<f64>) -> Linearized {
    let mut all = zeros(N + M);
    let (q, v) = (y.rows(0, N).into_owned(), y.rows(N, N).into_owned());
    let (new, mu) = (z.rows(0, N).into_owned(), z.rows(N, M).into_owned());
    let (_, rows) = model.rows(&q);
    let mass = DMatrix::from_diagonal(&DVector::from_row_slice(&model.masses()));
    all.residual.rows_mut(0, N).copy_from(&(&mass * (&new - v) - rows.transpose() * &mu));
    all.residual.rows_mut(N, M).copy_from(&(&rows * &new));
    all.unknowns.view_mut((0, 0), (N, N)).copy_from(&mass);
    all.unknowns.view_mut((0, N), (N, M)).copy_from(&-rows.transpose());
    all.unknowns.view_mut((N, 0), (M, N)).copy_from(&rows);
    all.before.view_mut((0, 0), (N, N)).copy_from(&-model.bend(&mu));
    all.before.view_mut((0, N), (N, N)).copy_from(&-mass);
    // G(q) v is bilinear, and symmetric in both for squares of distances.
    all.before.view_mut((N, 0), (M, N)).copy_from(&model.rows(&new).1);
    all
}

impl Stage {
    /// The state after the stage, and its linearization there.
    fn act(&self, theta: &[f64], y: &Point) -> (Point, Linearized) {
        let mut z = DVector::zeros(self.unknowns);
        z.rows_mut(0, N).copy_from(&y.rows(N, N));
        if self.places[1].is_some() {
            z.rows_mut(N + M, N).copy_from(&y.rows(0, N));
        }
        for _ in 0..30 {
            let all = (self.linearize)(&MODEL, theta, y, &z);
            z -= all.unknowns.lu().solve(&all.residual).unwrap();
        }
        (self.put(y, &z), (self.linearize)(&MODEL, theta, y, &z))
    }

    /// The unknowns in their places of a state.
    fn put(&self, y: &Point, z: &DVector<f64>) -> Point {
        let mut after = y.clone();
        for (first, place) in [0, N + M].into_iter().zip(self.places) {
            place.iter().for_each(|place| after.rows_mut(*place, N).copy_from(&z.rows(first, N)));
        }
        after
    }

    fn tangent(&self, at: &Linearized, change: &Point, theta: &DVector<f64>) -> Point {
        let right = -(&at.before * change + &at.theta * theta);
        self.put(change, &at.unknowns.clone().lu().solve(&right).unwrap())
    }

    /// Carries a covector back, and adds its part of θ.
    fn covector(&self, at: &Linearized, after: &Point, theta: &mut DVector<f64>) -> Point {
        let (mut before, mut right) = (after.clone(), DVector::zeros(self.unknowns));
        for (first, place) in [0, N + M].into_iter().zip(self.places) {
            if let Some(place) = place {
                right.rows_mut(first, N).copy_from(&after.rows(place, N));
                before.rows_mut(place, N).fill(0.0);
            }
        }
        let weights = at.unknowns.transpose().lu().solve(&right).unwrap();
        *theta -= at.theta.transpose() * &weights;
        before - at.before.transpose() * weights
    }
}

fn start() -> Vec<f64> {
    vec![0.6, -0.8, 0.6, -1.6]
}

/// A velocity that both rods allow.
fn velocity() -> Vec<f64> {
    vec![0.4, 0.3, 1.2, 0.3]
}

#[test]
fn rattle_is_a_list_of_stages() {
    let (theta, mut y) = ([MODEL.drag, MODEL.gravity], DVector::zeros(3 * N));
    y.rows_mut(0, N).copy_from_slice(&start());
    y.rows_mut(N, N).copy_from_slice(&velocity());
    let along = DVector::from_row_slice(&[1.0, 0.5]);
    let (mut change, mut tape) = (DVector::zeros(3 * N), Vec::new());
    for _ in 0..STEPS {
        for stage in &STAGES {
            let (after, at) = stage.act(&theta, &y);
            change = stage.tangent(&at, &change, &along);
            tape.push((stage, at));
            y = after;
        }
    }

    let (system, end) = (MODEL.bind().unwrap(), STEP * STEPS as f64);
    let state = State { t: 0.0, q: start(), v: velocity() };
    let run = integrate(&system, &Rattle::default(), state.clone(), STEP).unwrap().until(end);
    let run = run.record().unwrap();
    for (own, library) in y.iter().zip(run.positions().last().unwrap()) {
        assert!((own - library).abs() < 1e-12, "{own} for {library}");
    }

    // The loss x of the lower mass at the end, along θ and back.
    let motion = differentiate(&system, &Rattle::default(), state, STEP).unwrap().until(end);
    let gradient = motion.gradient(&mut Function::end(|q, _| q[2])).unwrap();
    let library: f64 = gradient.parameters.iter().zip(&along).map(|(slope, part)| slope * part).sum();
    assert!((change[2] - library).abs() < 1e-10, "{} for {library}", change[2]);
    let (mut covector, mut by_theta) = (DVector::zeros(3 * N), DVector::zeros(P));
    covector[2] = 1.0;
    for (stage, at) in tape.iter().rev() {
        covector = stage.covector(at, &covector, &mut by_theta);
    }
    for (own, library) in by_theta.iter().zip(&gradient.parameters) {
        assert!((own - library).abs() < 1e-10, "{own} for {library}");
    }
}
