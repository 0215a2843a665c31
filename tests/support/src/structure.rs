//! Measurements of claims: order by slope, symplecticity by the Jacobian of a step, reversibility.

use least_action::advanced::method::Substep;
use least_action::advanced::sparse::SymmetricMatrix;
use least_action::error::StepError;
use least_action::method::{Method, Stepper};
use least_action::system::{Lagrangian, Natural, State};
use std::cell::Cell;

/// The state after `steps` steps of size `step`.
///
/// # Panics
/// The run cannot start, or a step fails.
pub fn advance<S: ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    step: f64,
    steps: u64,
) -> State {
    let mut stepper = method.start(system, start.clone(), step).unwrap_or_else(|error| panic!("{error}"));
    for number in 1..=steps {
        let stepped = if CUT.get() { cut(&mut stepper, start.t, step, number) } else { stepper.step() };
        stepped.unwrap_or_else(|error| panic!("{error}"));
    }
    stepper.state().clone()
}

thread_local! {
    /// True while [`advance`] cuts its steps.
    static CUT: Cell<bool> = const { Cell::new(false) };
}

/// Measures with steps that are cut, each in two parts.
pub fn with_cut_steps<T>(measure: impl FnOnce() -> T) -> T {
    CUT.set(true);
    let measured = measure();
    CUT.set(false);
    measured
}

/// The parts of a step before and after another place in each.
fn cut(stepper: &mut impl Stepper, start: f64, step: f64, number: u64) -> Result<(), StepError> {
    let (begin, end) = (start + (number - 1) as f64 * step, start + number as f64 * step);
    let first = step * [0.37, 0.81, 0.12][(number % 3) as usize];
    let Some(parts) = stepper.parts() else { return stepper.step() };
    parts.advance(&Substep { number, size: first, end: begin + first })?;
    parts.advance(&Substep { number, size: step - first, end })
}

/// The largest difference of two slices.
///
/// # Panics
/// The lengths differ.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .fold(0.0, |worst, (a, b)| if (a - b).is_nan() { f64::NAN } else { f64::max(worst, (a - b).abs()) })
}

/// The largest difference of the positions and velocities of two states.
pub fn state_distance(a: &State, b: &State) -> f64 {
    distance(&a.q, &b.q).max(distance(&a.v, &b.v))
}

/// The slope of log error over log step by least squares; `error(steps)` is the error at the end of a
/// run of a fixed time in that many steps.
pub fn order_by_slope(steps: &[u64], error: impl Fn(u64) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = steps.iter().map(|&n| (-(n as f64).ln(), error(n).ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    covariance / variance
}

/// The largest entry of Jᵀ Ω J − Ω for the Jacobian J of one step in (q, p = M v).
///
/// J is taken by central differences of order 4 with steps of `width`. So a symplectic step has the
/// defect of the differences: a few 1e-16 / `width` plus the fourth power of `width` times derivatives
/// of the step.
///
/// # Panics
/// The mass matrix is not diagonal, or a step fails.
pub fn symplectic_defect<S: Natural + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    state: &State,
    step: f64,
    width: f64,
) -> f64 {
    let n = state.q.len();
    let columns: Vec<Vec<f64>> = (0..2 * n)
        .map(|j| {
            let image = |offset: f64| {
                let mut phase = to_phase(system.mass(), state);
                phase[j] += offset;
                let moved = from_phase(system.mass(), &phase, state.t);
                to_phase(system.mass(), &advance(system, method, &moved, step, 1))
            };
            let (near, far) = ([image(width), image(-width)], [image(2.0 * width), image(-2.0 * width)]);
            (0..2 * n)
                .map(|i| (8.0 * (near[0][i] - near[1][i]) - (far[0][i] - far[1][i])) / (12.0 * width))
                .collect()
        })
        .collect();
    let mut worst = 0.0_f64;
    for a in 0..2 * n {
        for b in 0..2 * n {
            let form: f64 =
                (0..n).map(|i| columns[a][i] * columns[b][n + i] - columns[a][n + i] * columns[b][i]).sum();
            let expected = if b == a + n {
                1.0
            } else if a == b + n {
                -1.0
            } else {
                0.0
            };
            worst = worst.max((form - expected).abs());
        }
    }
    worst
}

/// The distance from the start after `steps` steps forth and, with the velocity reversed, back.
pub fn reversal_defect<S: ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    step: f64,
    steps: u64,
) -> f64 {
    let there = advance(system, method, start, step, steps);
    let turned = reversed(&there);
    let back = reversed(&advance(system, method, &turned, step, steps));
    state_distance(&back, start)
}

/// Σ m (x v_y − y v_x) of point masses in the plane, for diagonal mass matrices.
pub fn angular_momentum(mass: &SymmetricMatrix, state: &State) -> f64 {
    let pairs = state.q.chunks_exact(2).zip(state.v.chunks_exact(2));
    pairs.enumerate().map(|(i, (p, v))| mass.values[2 * i] * (p[0] * v[1] - p[1] * v[0])).sum()
}

fn reversed(state: &State) -> State {
    State { v: state.v.iter().map(|v| -v).collect(), ..state.clone() }
}

fn to_phase(mass: &SymmetricMatrix, state: &State) -> Vec<f64> {
    let mut momentum = vec![0.0; state.v.len()];
    mass.multiply(&state.v, &mut momentum);
    [state.q.clone(), momentum].concat()
}

fn from_phase(mass: &SymmetricMatrix, phase: &[f64], t: f64) -> State {
    assert!(mass.is_diagonal(), "written for diagonal masses");
    let (q, p) = phase.split_at(phase.len() / 2);
    State { t, q: q.to_vec(), v: p.iter().zip(&mass.values).map(|(p, m)| p / m).collect() }
}

/// The symplectic defect of any Lagrangian in (q, p = ∂L/∂v): the largest entry of Jᵀ K₁ J − K₀ with the
/// Jacobian J of a step in (q, v), by the same differences; K is Ω in the coordinates (q, v) at either
/// end.
///
/// # Panics
/// A step fails.
pub fn lagrangian_symplectic_defect<S: Lagrangian + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    state: &State,
    step: f64,
    width: f64,
) -> f64 {
    symplectic_defect_on((system, system), method, (state, step, width), State::clone)
}

/// The symplectic defect of all motions within a manifold that a method keeps; `onto` gives the point of
/// the manifold near any state, and leaves a point on it. The momenta belong to the second face of the
/// system.
///
/// # Panics
/// A step fails.
pub fn symplectic_defect_on<S: ?Sized, L: Lagrangian + ?Sized, M: Method<S>>(
    (system, mechanics): (&S, &L),
    method: &M,
    (state, step, width): (&State, f64, f64),
    onto: impl Fn(&State) -> State,
) -> f64 {
    let n = state.q.len();
    let join = |state: &State| [state.q.clone(), state.v.clone()].concat();
    let (mut directions, mut columns) = (Vec::new(), Vec::new());
    for j in 0..2 * n {
        let ends = |offset: f64| {
            let mut moved = state.clone();
            let target = if j < n { &mut moved.q[j] } else { &mut moved.v[j - n] };
            *target += offset;
            let moved = onto(&moved);
            [join(&moved), join(&advance(system, method, &moved, step, 1))]
        };
        let (near, far) = ([ends(width), ends(-width)], [ends(2.0 * width), ends(-2.0 * width)]);
        let [direction, column] = [0, 1].map(|end| {
            let difference =
                |i: usize| 8.0 * (near[0][end][i] - near[1][end][i]) - (far[0][end][i] - far[1][end][i]);
            (0..2 * n).map(|i| difference(i) / (12.0 * width)).collect::<Vec<f64>>()
        });
        directions.push(direction);
        columns.push(column);
    }
    let (before, after) = (
        form(mechanics, state, &directions),
        form(mechanics, &advance(system, method, state, step, 1), &columns),
    );
    before.iter().zip(&after).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

/// δq₁·δp₂ − δp₁·δq₂ for all pairs of directions (δq, δv) at a state, where δp = L_vq δq + L_vv δv.
fn form<S: Lagrangian + ?Sized>(system: &S, state: &State, directions: &[Vec<f64>]) -> Vec<f64> {
    let n = state.q.len();
    let pattern = system.second_pattern();
    let (mut gradient, mut hessian) = (vec![0.0; 2 * n + 1], vec![0.0; pattern.len()]);
    system.second_derivatives(&state.q, &state.v, state.t, &mut gradient, &mut hessian);
    let momentum = |direction: &Vec<f64>| {
        let (mut z, mut product) = (direction.clone(), vec![0.0; 2 * n + 1]);
        z.push(0.0);
        pattern.multiply_add(&hessian, &z, &mut product);
        product[n..2 * n].to_vec()
    };
    let momenta: Vec<Vec<f64>> = directions.iter().map(momentum).collect();
    let pairs = (0..directions.len()).flat_map(|a| (0..directions.len()).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| {
            (0..n).map(|i| directions[a][i] * momenta[b][i] - momenta[a][i] * directions[b][i]).sum()
        })
        .collect()
}
