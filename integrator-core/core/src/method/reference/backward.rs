//! The implicit inner steps: numerical differentiation formulas of order 1 to 5; their error chooses
//! step and order.
//!
//! With the backward differences Dⱼ of y = (q, v) and γ_k = Σ 1/j, a step of order k solves
//! c f(y₁) = ψ + d,  y₁ = Σ Dⱼ + d,  c = h/((1 − κ_k) γ_k),  ψ = Σ γⱼ Dⱼ/((1 − κ_k) γ_k).
//! The unknowns are the accelerations a (and multipliers): v₁ = Σ Dⱼ(v) + c a − ψ(v), then q₁ = Σ
//! Dⱼ(q) + c v₁ − ψ(q). So the residual belongs to the equations of motion, and no iteration inverts a
//! mass. Differences also predict multipliers: with the Jacobian of an earlier step, their error would
//! be one of the accelerations.
//!
//! # Reference
//! L. F. Shampine, M. W. Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18 (1997) 1–22,
//! doi:10.1137/S1064827594276424.

use crate::carried::carried;
use crate::method::dynamics::equations::{INNER_STEPS, Interval, MotionEquations, Stuck, evaluate};
use crate::method::dynamics::newton_matrix::NewtonMatrix;
use crate::method::force_error::ForceError;

pub(super) const HIGHEST: usize = 5;

/// κ of each order, from 0.
const KAPPA: [f64; HIGHEST + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// γ of each order, from 0.
const GAMMA: [f64; HIGHEST + 1] = [0.0, 1.0, 3.0 / 2.0, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// The most iterations of Newton's method in a step.
const ITERATIONS: i32 = 4;

const MATRIX: &str =
    "the matrix of Newton's method, M + c D + c² S with the constraints, where there are any";

/// The factor of d in the error of order k; of a backward difference in the errors of orders k ± 1.
fn error_constant(order: usize) -> f64 {
    KAPPA[order] * GAMMA[order] + 1.0 / (order as f64 + 1.0)
}

pub(super) struct Backward {
    highest: usize,
    order: usize,
    /// The number of degrees of freedom.
    n: usize,
    /// D₀, … of (q, v, μ), valid up to the order + 2.
    differences: [Vec<f64>; HIGHEST + 3],
    matrix: NewtonMatrix,
    /// True once the parts of the matrix have been evaluated.
    linearized: bool,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    correction: Vec<f64>,
    y: Vec<f64>,
    /// (a, μ), and the residual, later the change.
    unknowns: Vec<f64>,
    residual: Vec<f64>,
    /// The power at the beginning of a step.
    power: f64,
    /// The last factorization that failed.
    failure: Option<ForceError>,
}

/// The number of iterations of Newton's method; `None` if it does not converge.
type Converged = Option<i32>;

impl Backward {
    /// The formulas of a system with these numbers of degrees of freedom and of multipliers.
    pub(super) fn new(highest: usize, [n, m]: [usize; 2], matrix: NewtonMatrix) -> Self {
        let vector = || vec![0.0; 2 * n + m];
        Self {
            highest,
            order: 1,
            n,
            differences: std::array::from_fn(|_| vector()),
            matrix,
            linearized: false,
            predicted: vector(),
            psi: vector(),
            correction: vector(),
            y: vec![0.0; 2 * n],
            unknowns: vec![0.0; n + m],
            residual: vec![0.0; n + m],
            power: 0.0,
            failure: None,
        }
    }

    /// Moves `y` to the end of the interval, beginning with order 1.
    pub(super) fn cross(
        &mut self,
        system: &mut dyn MotionEquations,
        interval: &Interval,
        y: &mut [f64],
    ) -> Result<(), Stuck> {
        let mut t = interval.start;
        let mut h = self.begin(system, interval, y).map_err(|error| Stuck { time: t, error })?;
        // The derivatives belong to the last interval, the factors to another step.
        let (mut current, mut factored, mut equal) = (false, false, 0);
        for _ in 0..INNER_STEPS {
            if h <= interval.smallest() {
                return Err(interval.stuck(t, self.failure.take(), "the inner steps become too small"));
            }
            let (fitted, last) = interval.fit(t, h);
            if (fitted - h).abs() > 0.0 {
                self.stretch(fitted / h);
                (h, factored, equal) = (fitted, false, 0);
            }
            let end = if last { interval.end } else { t + h };
            let c = h / ((1.0 - KAPPA[self.order]) * GAMMA[self.order]);
            self.predict();
            let mut converged = None;
            loop {
                if !self.linearized {
                    self.linearize(system, end, c);
                    (current, factored) = (true, false);
                }
                if !factored {
                    system.count(1, 0);
                    match self.matrix.factor(c) {
                        Ok(()) => factored = true,
                        Err(error) => self.failure = Some(ForceError::Singular { matrix: MATRIX, error }),
                    }
                }
                if factored {
                    converged = self.iterate(system, interval, end, c);
                }
                if converged.is_some() || current {
                    break;
                }
                self.linearized = false;
            }
            let Some(iterations) = converged else {
                self.stretch(0.5);
                (h, factored, equal) = (0.5 * h, false, 0);
                // Try again with derivatives at this place, unless they belong to this very step.
                continue;
            };
            let safety = 0.9 * f64::from(2 * ITERATIONS + 1) / f64::from(2 * ITERATIONS + iterations);
            let error = self.error(interval, error_constant(self.order), None);
            if error > 1.0 || error.is_nan() {
                let exponent = -1.0 / (self.order as f64 + 1.0);
                let factor =
                    if error.is_finite() { (safety * error.powf(exponent)).clamp(0.2, 0.9) } else { 0.2 };
                self.stretch(factor);
                (h, factored, equal) = (factor * h, false, 0);
                continue;
            }
            t = end;
            self.accept();
            system.arrive(&self.differences[0][..2 * self.n], t);
            let before = std::mem::replace(&mut self.power, system.power());
            system.add_work(h, &[0.5, 0.5], &[before, self.power]);
            self.failure = None;
            current = false;
            if last {
                y.copy_from_slice(&self.differences[0][..2 * self.n]);
                return Ok(());
            }
            equal += 1;
            if equal > self.order {
                let factor = self.choose(interval, error, safety);
                self.stretch(factor);
                (h, factored, equal) = (factor * h, false, 0);
            }
        }
        Err(interval.stuck(t, None, "a million inner steps were not enough"))
    }

    /// Sets the differences of order 1 at `y`; returns the first step.
    fn begin(
        &mut self,
        system: &mut dyn MotionEquations,
        interval: &Interval,
        y: &[f64],
    ) -> Result<f64, ForceError> {
        let Self { n, differences, predicted, psi, correction, .. } = self;
        let [rate, moved, next] = [correction, predicted, psi].map(|memory| &mut memory[..2 * *n]);
        evaluate(system, y, interval.start, rate)?;
        self.unknowns.copy_from_slice(system.unknowns());
        self.power = system.power();
        let first = interval.first_step(system, (y, rate), 1, [moved, next])?;
        let h = first.min(interval.end - interval.start);
        let (of_y, of_multipliers) = differences[0].split_at_mut(2 * *n);
        of_y.copy_from_slice(y);
        of_multipliers.copy_from_slice(&self.unknowns[*n..]);
        for difference in &mut differences[1..4] {
            difference.fill(0.0);
        }
        for (difference, rate) in differences[1].iter_mut().zip(rate) {
            *difference = h * *rate;
        }
        self.order = 1;
        Ok(h)
    }

    fn predict(&mut self) {
        let Self { order, differences, predicted, psi, .. } = self;
        predicted.copy_from_slice(&differences[0]);
        psi.fill(0.0);
        let scale = 1.0 / ((1.0 - KAPPA[*order]) * GAMMA[*order]);
        for (difference, gamma) in differences.iter().zip(GAMMA).take(*order + 1).skip(1) {
            for ((predicted, psi), entry) in predicted.iter_mut().zip(psi.iter_mut()).zip(difference) {
                *predicted += entry;
                *psi += scale * gamma * entry;
            }
        }
    }

    /// Predicts accelerations and multipliers from the differences.
    fn foresee(&mut self, c: f64) {
        let (a, multipliers) = self.unknowns.split_at_mut(self.n);
        for (a, psi) in a.iter_mut().zip(&self.psi[self.n..]) {
            *a = psi / c;
        }
        multipliers.copy_from_slice(&self.predicted[2 * self.n..]);
    }

    /// Computes y₁ and d from the present accelerations.
    fn place(&mut self, c: f64) {
        let Self { n, predicted, psi, correction, y, unknowns, .. } = self;
        let n = *n;
        let (q, v) = y.split_at_mut(n);
        let (of_q, rest) = correction.split_at_mut(n);
        let (of_v, of_multipliers) = rest.split_at_mut(n);
        for i in 0..n {
            of_v[i] = c * unknowns[i] - psi[n + i];
            v[i] = predicted[n + i] + of_v[i];
            of_q[i] = c * v[i] - psi[i];
            q[i] = predicted[i] + of_q[i];
        }
        let foreseen = unknowns[n..].iter().zip(&predicted[2 * n..]);
        for (correction, (multiplier, predicted)) in of_multipliers.iter_mut().zip(foreseen) {
            *correction = multiplier - predicted;
        }
    }

    fn linearize(&mut self, system: &mut dyn MotionEquations, t: f64, c: f64) {
        self.foresee(c);
        self.place(c);
        let (q, v) = self.y.split_at(self.n);
        system.linearize(q, v, t, &self.unknowns, &mut self.matrix);
        self.linearized = true;
    }

    fn iterate(
        &mut self,
        system: &mut dyn MotionEquations,
        interval: &Interval,
        t: f64,
        c: f64,
    ) -> Converged {
        let n = self.n;
        let tolerance = (10.0 * f64::EPSILON / interval.tolerance).max(interval.tolerance.sqrt().min(0.03));
        // Changes below this are rounding errors of y.
        let rounding = 100.0 * f64::EPSILON / interval.tolerance;
        self.foresee(c);
        self.place(c);
        let mut last = f64::INFINITY;
        for iteration in 1..=ITERATIONS {
            let (q, v) = self.y.split_at(n);
            system.residual(q, v, t, &self.unknowns, &mut self.residual);
            system.count(0, 1);
            self.matrix.solve(&mut self.residual);
            for (unknown, change) in self.unknowns.iter_mut().zip(&self.residual) {
                *unknown -= change;
            }
            let change = &self.residual[..n];
            let moved =
                change.iter().map(|change| c * c * change).chain(change.iter().map(|change| c * change));
            let norm = interval.norm(moved, &self.predicted[..2 * n]);
            self.place(c);
            if norm <= rounding {
                return Some(iteration);
            }
            let rate = norm / last;
            last = norm;
            if !norm.is_finite() {
                return None;
            }
            if iteration == 1 {
                continue;
            }
            if rate / (1.0 - rate) * norm < tolerance && rate < 1.0 {
                return Some(iteration);
            }
            if rate >= 1.0 || rate.powi(ITERATIONS - iteration) / (1.0 - rate) * norm > tolerance {
                return None;
            }
        }
        None
    }

    /// The error, `constant` times a difference or d.
    fn error(&self, interval: &Interval, constant: f64, difference: Option<usize>) -> f64 {
        let entries = difference.map_or(&self.correction, |index| &self.differences[index]);
        interval.norm(entries.iter().map(|entry| constant * entry), &self.predicted[..2 * self.n])
    }

    /// Updates the differences after a step.
    fn accept(&mut self) {
        let k = self.order;
        let (kept, above) = self.differences.split_at_mut(k + 2);
        for ((above, before), d) in above[0].iter_mut().zip(&mut kept[k + 1]).zip(&self.correction) {
            *above = d - *before;
            *before = *d;
        }
        for index in (0..=k).rev() {
            let (lower, upper) = self.differences.split_at_mut(index + 1);
            for (entry, next) in lower[index].iter_mut().zip(&upper[0]) {
                *entry += next;
            }
        }
    }

    /// Chooses the order with the longest step; returns the factor of the step.
    fn choose(&mut self, interval: &Interval, error: f64, safety: f64) -> f64 {
        let k = self.order;
        let factor = |error: f64, order: usize| {
            if error > 0.0 { error.powf(-1.0 / (order as f64 + 1.0)) } else { f64::INFINITY }
        };
        let mut best = (factor(error, k), k);
        if k > 1 {
            let lower = self.error(interval, error_constant(k - 1), Some(k));
            best = better(best, (factor(lower, k - 1), k - 1));
        }
        if k < self.highest {
            let higher = self.error(interval, error_constant(k + 1), Some(k + 2));
            best = better(best, (factor(higher, k + 1), k + 1));
        }
        self.order = best.1;
        (safety * best.0).min(10.0)
    }

    /// Adapts the differences to a step longer by this factor.
    fn stretch(&mut self, factor: f64) {
        let (there, back) = (change(self.order, factor), change(self.order, 1.0));
        let size = self.order + 1;
        let mut combined = [[0.0; HIGHEST + 1]; HIGHEST + 1];
        for (i, row) in combined.iter_mut().enumerate().take(size) {
            for (j, entry) in row.iter_mut().enumerate().take(size) {
                *entry = (0..size).map(|l| there[i][l] * back[l][j]).sum();
            }
        }
        for index in 0..self.predicted.len() {
            let old: [f64; HIGHEST + 1] = std::array::from_fn(|i| self.differences[i][index]);
            for (j, difference) in self.differences.iter_mut().enumerate().take(size) {
                difference[index] = combined.iter().zip(old).take(size).map(|(row, old)| row[j] * old).sum();
            }
        }
    }
}

fn better(one: (f64, usize), other: (f64, usize)) -> (f64, usize) {
    if other.0 > one.0 { other } else { one }
}

/// The matrix that changes the step of backward differences, its own inverse for the factor 1: a product
/// of ratios down each column.
fn change(order: usize, factor: f64) -> [[f64; HIGHEST + 1]; HIGHEST + 1] {
    let mut matrix = [[0.0; HIGHEST + 1]; HIGHEST + 1];
    matrix[0] = [1.0; HIGHEST + 1];
    for i in 1..=order {
        let before = matrix[i - 1];
        for (j, (entry, before)) in matrix[i].iter_mut().zip(before).enumerate().take(order + 1).skip(1) {
            *entry = before * (i as f64 - 1.0 - factor * j as f64) / i as f64;
        }
    }
    matrix
}

carried!([] Backward {
    order, differences, matrix, linearized, unknowns
} besides { highest, n, predicted, psi, correction, y, residual, power, failure });
