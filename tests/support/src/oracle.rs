//! Derivatives of a declaration by dual numbers: slow, simple, and independent of the kernels' compiler.
//!
//! Every function evaluates the declaration once for each entry of its result.
//! Positions q and velocities v have length n; z = (q, v, t) has length 2n + 1.
//! Matrices are full, by rows.

use least_action::expr::num_dual::{Dual, Dual64, HyperDual64, HyperHyperDual64};
use least_action::expr::{Number, Oracle};

/// L(q, v, t).
pub fn lagrangian<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> f64 {
    model.lagrangian_dual(q, v, t)
}

/// ∂L/∂z with z = (q, v, t).
pub fn lagrangian_gradient<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    gradient(&LagrangianOf(model), &joined(q, v, t))
}

/// ∂²L/∂z∂z with z = (q, v, t).
pub fn lagrangian_hessian<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<Vec<f64>> {
    hessian(&LagrangianOf(model), &joined(q, v, t))
}

/// The mass matrix ∂²L/∂v∂v.
pub fn mass<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<Vec<f64>> {
    let n = q.len();
    let all = lagrangian_hessian(model, q, v, t);
    all[n..2 * n].iter().map(|row| row[n..2 * n].to_vec()).collect()
}

/// The energy v·∂L/∂v − L.
pub fn energy<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> f64 {
    let momenta = &lagrangian_gradient(model, q, v, t)[q.len()..];
    v.iter().zip(momenta).map(|(v, p)| v * p).sum::<f64>() - lagrangian(model, q, v, t)
}

/// V(q, t) = −L(q, 0, t).
pub fn potential<M: Oracle>(model: &M, q: &[f64], t: f64) -> f64 {
    PotentialOf { model, t }.at(q)
}

/// ∇V(q, t).
pub fn potential_gradient<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<f64> {
    gradient(&PotentialOf { model, t }, q)
}

/// Hess V(q, t).
pub fn potential_hessian<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<Vec<f64>> {
    hessian(&PotentialOf { model, t }, q)
}

/// a·V‴(q, t)·a = ∇(aᵀ Hess V a) with a held fixed.
pub fn potential_third<M: Oracle>(model: &M, q: &[f64], t: f64, a: &[f64]) -> Vec<f64> {
    third(&PotentialOf { model, t }, q, a)
}

/// V₁(q, t), the stiff part of the potential.
pub fn stiff<M: Oracle>(model: &M, q: &[f64], t: f64) -> f64 {
    model.stiff_dual(q, t)
}

/// Hess V₁(q, t) of the stiff part.
pub fn stiff_hessian<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<Vec<f64>> {
    hessian(&StiffOf { model, t }, q)
}

/// g(q, t).
pub fn constraints<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<f64> {
    model.constraints_dual(q, t)
}

/// G = ∂g/∂q, by rows (equations).
pub fn constraint_jacobian<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<Vec<f64>> {
    let rows = constraints(model, q, t).len();
    let mut jacobian = vec![vec![0.0; q.len()]; rows];
    for column in 0..q.len() {
        let values = model.constraints_dual(&along(q, column), Dual64::from_re(t));
        for (row, value) in jacobian.iter_mut().zip(values) {
            row[column] = value.eps;
        }
    }
    jacobian
}

/// ∂g/∂t.
pub fn constraint_rate<M: Oracle>(model: &M, q: &[f64], t: f64) -> Vec<f64> {
    let q: Vec<_> = q.iter().map(|&q| Dual64::from_re(q)).collect();
    model.constraints_dual(&q, Dual64::new(t, 1.0)).into_iter().map(|value| value.eps).collect()
}

/// d²g/dt² along q + s v, t + s: vᵀ Hess g v + 2 ∂ₜ∇g·v + ∂ₜₜ g for each equation.
pub fn constraint_curvature<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    second_along(model, q, v, t, 1.0)
}

/// aᵀ Hess g a for each equation.
pub fn constraint_quadratic<M: Oracle>(model: &M, q: &[f64], t: f64, a: &[f64]) -> Vec<f64> {
    second_along(model, q, a, t, 0.0)
}

/// Σ w Hess g.
pub fn weighted_hessian<M: Oracle>(model: &M, q: &[f64], t: f64, weights: &[f64]) -> Vec<Vec<f64>> {
    hessian(&WeightedConstraints { model, t, weights }, q)
}

/// Σ w (a·g‴·a).
pub fn weighted_third<M: Oracle>(model: &M, q: &[f64], t: f64, weights: &[f64], a: &[f64]) -> Vec<f64> {
    third(&WeightedConstraints { model, t, weights }, q, a)
}

/// c(q, v, t) of all constraints on velocities.
pub fn nonholonomic<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    model.nonholonomic_dual(q, v, t)
}

/// ∂c/∂(q, v), by rows (equations).
pub fn nonholonomic_derivatives<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<Vec<f64>> {
    let rows = nonholonomic(model, q, v, t).len();
    derivatives_by_motion(q, v, rows, |q, v| model.nonholonomic_dual(q, v, Dual64::from_re(t)))
}

/// ∂c/∂t.
pub fn nonholonomic_rate<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    let fixed = |x: &[f64]| x.iter().map(|&x| Dual64::from_re(x)).collect::<Vec<_>>();
    let values = model.nonholonomic_dual(&fixed(q), &fixed(v), Dual64::new(t, 1.0));
    values.into_iter().map(|value| value.eps).collect()
}

/// F(q, v, t), the forces that no potential gives: of `#[force]`, and −∂D/∂v.
pub fn forces<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    all_forces(model, q, v, t)
}

/// The forces on dual numbers.
fn all_forces<T: Number, M: Oracle>(model: &M, q: &[T], v: &[T], t: T) -> Vec<T> {
    let fixed = |x: &[T]| x.iter().map(|&x| Dual::from_re(x)).collect::<Vec<Dual<T>>>();
    let (positions, time) = (fixed(q), Dual::from_re(t));
    let mut forces = model.forces_dual(q, v, t);
    for (index, force) in forces.iter_mut().enumerate() {
        let mut velocities = fixed(v);
        if let Some(velocity) = velocities.get_mut(index) {
            velocity.eps = T::one();
        }
        *force -= model.dissipation_dual(&positions, &velocities, time).eps;
    }
    forces
}

/// ∂F/∂(q, v), by rows.
pub fn force_derivatives<M: Oracle>(model: &M, q: &[f64], v: &[f64], t: f64) -> Vec<Vec<f64>> {
    derivatives_by_motion(q, v, q.len(), |q, v| all_forces(model, q, v, Dual64::from_re(t)))
}

/// The derivatives of a list by (q, v), by rows.
fn derivatives_by_motion(
    q: &[f64],
    v: &[f64],
    rows: usize,
    list: impl Fn(&[Dual64], &[Dual64]) -> Vec<Dual64>,
) -> Vec<Vec<f64>> {
    let n = q.len();
    let z: Vec<f64> = q.iter().chain(v).copied().collect();
    let mut derivatives = vec![vec![0.0; z.len()]; rows];
    for column in 0..z.len() {
        let moved = along(&z, column);
        for (row, value) in derivatives.iter_mut().zip(list(&moved[..n], &moved[n..])) {
            row[column] = value.eps;
        }
    }
    derivatives
}

/// A smooth real function of several numbers, on dual numbers of any order.
pub trait Function {
    /// f(x).
    fn at<T: Number>(&self, x: &[T]) -> T;
}

/// ∇f(x).
pub fn gradient<F: Function>(f: &F, x: &[f64]) -> Vec<f64> {
    first_derivatives(&|point| f.at(point), x)
}

/// Hess f(x).
pub fn hessian<F: Function>(f: &F, x: &[f64]) -> Vec<Vec<f64>> {
    second_derivatives(&|point| f.at(point), x)
}

/// a·f‴(x)·a = ∇(aᵀ Hess f a) with a held fixed; missing entries of a are zero.
pub fn third<F: Function>(f: &F, x: &[f64], a: &[f64]) -> Vec<f64> {
    third_derivatives(&|point| f.at(point), x, a)
}

// Compiled once, not for every function.

fn first_derivatives(f: &dyn Fn(&[Dual64]) -> Dual64, x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|i| f(&along(x, i)).eps).collect()
}

fn second_derivatives(f: &dyn Fn(&[HyperDual64]) -> HyperDual64, x: &[f64]) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| {
        let point: Vec<_> =
            (0..x.len()).map(|k| HyperDual64::new(x[k], indicator(k == i), indicator(k == j), 0.0)).collect();
        f(&point).eps1eps2
    };
    (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j)).collect()).collect()
}

fn third_derivatives(f: &dyn Fn(&[HyperHyperDual64]) -> HyperHyperDual64, x: &[f64], a: &[f64]) -> Vec<f64> {
    let entry = |i: usize| {
        let point: Vec<_> = (0..x.len())
            .map(|k| {
                let a = a.get(k).copied().unwrap_or(0.0);
                HyperHyperDual64::new(x[k], indicator(k == i), a, a, 0.0, 0.0, 0.0, 0.0)
            })
            .collect();
        f(&point).eps1eps2eps3
    };
    (0..x.len()).map(entry).collect()
}

struct LagrangianOf<'a, M>(&'a M);

impl<M: Oracle> Function for LagrangianOf<'_, M> {
    fn at<T: Number>(&self, z: &[T]) -> T {
        let n = z.len() / 2;
        self.0.lagrangian_dual(&z[..n], &z[n..2 * n], z[2 * n])
    }
}

struct PotentialOf<'a, M> {
    model: &'a M,
    t: f64,
}

impl<M: Oracle> Function for PotentialOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        -self.model.lagrangian_dual(q, &vec![T::zero(); q.len()], T::from(self.t))
    }
}

struct StiffOf<'a, M> {
    model: &'a M,
    t: f64,
}

impl<M: Oracle> Function for StiffOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        self.model.stiff_dual(q, T::from(self.t))
    }
}

struct WeightedConstraints<'a, M> {
    model: &'a M,
    t: f64,
    weights: &'a [f64],
}

impl<M: Oracle> Function for WeightedConstraints<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        let values = self.model.constraints_dual(q, T::from(self.t));
        values.into_iter().zip(self.weights).map(|(value, &weight)| value * weight).sum()
    }
}

/// The point x, moving in the direction of coordinate `index`.
fn along(x: &[f64], index: usize) -> Vec<Dual64> {
    x.iter().enumerate().map(|(k, &x)| Dual64::new(x, indicator(k == index))).collect()
}

fn indicator(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// z = (q, v, t); missing velocities are NaN.
fn joined(q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    let velocities = (0..q.len()).map(|i| v.get(i).copied().unwrap_or(f64::NAN));
    q.iter().copied().chain(velocities).chain([t]).collect()
}

/// The second derivatives of g along (q + s direction, t + s rate) at s = 0.
fn second_along<M: Oracle>(model: &M, q: &[f64], direction: &[f64], t: f64, rate: f64) -> Vec<f64> {
    let point: Vec<_> = q.iter().zip(direction).map(|(&q, &d)| HyperDual64::new(q, d, d, 0.0)).collect();
    let time = HyperDual64::new(t, rate, rate, 0.0);
    model.constraints_dual(&point, time).into_iter().map(|value| value.eps1eps2).collect()
}
