//! Single entries of derivatives in dual numbers, so that a few entries of a large matrix cost no more than those few.

use super::compare::Random;
use crate::expr::oracle::{self, Function};
use crate::expr::{Number, Oracle};
use num_dual::{Dual64, HyperDual64, HyperHyperDual64};

/// The most entries of a quantity that are compared.
const MOST: usize = 2000;

/// All numbers below `count`, or some of them.
pub(super) fn some(count: usize, random: &mut Random) -> Vec<usize> {
    if count <= MOST {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = (0..MOST).map(|_| random.below(count)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// All pairs (row, column) with column ≤ row below `count`, or some of them, half of those where `pattern` has an entry.
pub(super) fn some_pairs(
    count: usize,
    pattern: &mut dyn Iterator<Item = (usize, usize)>,
    random: &mut Random,
) -> Vec<(usize, usize)> {
    if count * (count + 1) / 2 <= MOST {
        return (0..count).flat_map(|row| (0..=row).map(move |column| (row, column))).collect();
    }
    let pattern: Vec<(usize, usize)> = pattern.collect();
    let mut chosen: Vec<(usize, usize)> = (0..MOST)
        .map(|k| {
            if k % 2 == 0 && !pattern.is_empty() {
                pattern[random.below(pattern.len())]
            } else {
                let (row, column) = (random.below(count), random.below(count));
                (row.max(column), row.min(column))
            }
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

fn unit(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// A scalar function with single entries of its derivatives.
pub(super) trait Differentiated {
    /// f.
    fn value(&self, x: &[f64]) -> f64;
    /// ∂f/∂xᵢ.
    fn first(&self, x: &[f64], i: usize) -> f64;
    /// ∂²f/∂xᵢ∂xⱼ.
    fn second(&self, x: &[f64], i: usize, j: usize) -> f64;
    /// (Hess f · a)ᵢ.
    fn product(&self, x: &[f64], a: &[f64], i: usize) -> f64;
    /// (a·f‴·a)ᵢ.
    fn third(&self, x: &[f64], a: &[f64], i: usize) -> f64;
}

impl<F: Function> Differentiated for F {
    fn value(&self, x: &[f64]) -> f64 {
        self.at(x)
    }

    fn first(&self, x: &[f64], i: usize) -> f64 {
        self.at(&dual(x, i)).eps
    }

    fn second(&self, x: &[f64], i: usize, j: usize) -> f64 {
        self.at(&hyper_dual(x, i, &|k| unit(k == j))).eps1eps2
    }

    fn product(&self, x: &[f64], a: &[f64], i: usize) -> f64 {
        self.at(&hyper_dual(x, i, &|k| a[k])).eps1eps2
    }

    fn third(&self, x: &[f64], a: &[f64], i: usize) -> f64 {
        self.at(&hyper_hyper_dual(x, i, a)).eps1eps2eps3
    }
}

fn dual(x: &[f64], i: usize) -> Vec<Dual64> {
    x.iter().enumerate().map(|(k, &x)| Dual64::new(x, unit(k == i))).collect()
}

fn hyper_dual(x: &[f64], i: usize, other: &dyn Fn(usize) -> f64) -> Vec<HyperDual64> {
    let entry = |(k, &x): (usize, &f64)| HyperDual64::new(x, unit(k == i), other(k), 0.0);
    x.iter().enumerate().map(entry).collect()
}

fn hyper_hyper_dual(x: &[f64], i: usize, a: &[f64]) -> Vec<HyperHyperDual64> {
    let entry = |(k, (&x, &a)): (usize, (&f64, &f64))| {
        HyperHyperDual64::new(x, unit(k == i), a, a, 0.0, 0.0, 0.0, 0.0)
    };
    x.iter().zip(a).enumerate().map(entry).collect()
}

/// The functions of a declaration in dual numbers, behind one face, so that the comparison is compiled once for all models.
pub(super) trait Duals {
    /// L of z = (q, v, t).
    fn lagrangian(&self) -> Box<dyn Differentiated + '_>;
    /// The energy at z.
    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64;
    /// V of q.
    fn potential(&self, t: f64) -> Box<dyn Differentiated + '_>;
    /// The stiff part of V, of q.
    fn stiff(&self, t: f64) -> Box<dyn Differentiated + '_>;
    /// Σ w g of q.
    fn weighted<'a>(&'a self, t: f64, weights: &'a [f64]) -> Box<dyn Differentiated + 'a>;
    /// g.
    fn constraints(&self, q: &[f64], t: f64) -> Vec<f64>;
    /// A column of G.
    fn jacobian_column(&self, q: &[f64], t: f64, column: usize) -> Vec<f64>;
    /// ∂g/∂t.
    fn constraint_rate(&self, q: &[f64], t: f64) -> Vec<f64>;
    /// d²g/dt² at zero acceleration.
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64>;
    /// a · Hess g · a.
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64]) -> Vec<f64>;
}

impl<M: Oracle> Duals for M {
    fn lagrangian(&self) -> Box<dyn Differentiated + '_> {
        Box::new(LagrangianOf(self))
    }

    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        oracle::energy(self, q, v, t)
    }

    fn potential(&self, t: f64) -> Box<dyn Differentiated + '_> {
        Box::new(PotentialOf(self, t))
    }

    fn stiff(&self, t: f64) -> Box<dyn Differentiated + '_> {
        Box::new(StiffOf(self, t))
    }

    fn weighted<'a>(&'a self, t: f64, weights: &'a [f64]) -> Box<dyn Differentiated + 'a> {
        Box::new(WeightedOf(self, t, weights))
    }

    fn constraints(&self, q: &[f64], t: f64) -> Vec<f64> {
        oracle::constraints(self, q, t)
    }

    fn jacobian_column(&self, q: &[f64], t: f64, column: usize) -> Vec<f64> {
        let rows = self.constraints_dual(&dual(q, column), Dual64::from_re(t));
        rows.into_iter().map(|value| value.eps).collect()
    }

    fn constraint_rate(&self, q: &[f64], t: f64) -> Vec<f64> {
        oracle::constraint_rate(self, q, t)
    }

    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        oracle::constraint_curvature(self, q, v, t)
    }

    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64]) -> Vec<f64> {
        oracle::constraint_quadratic(self, q, t, a)
    }
}

/// L of z = (q, v, t).
struct LagrangianOf<'m, M>(&'m M);

impl<M: Oracle> Function for LagrangianOf<'_, M> {
    fn at<T: Number>(&self, z: &[T]) -> T {
        let n = z.len() / 2;
        self.0.lagrangian_dual(&z[..n], &z[n..2 * n], z[2 * n])
    }
}

/// V of q.
struct PotentialOf<'m, M>(&'m M, f64);

impl<M: Oracle> Function for PotentialOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        -self.0.lagrangian_dual(q, &vec![T::zero(); q.len()], T::from(self.1))
    }
}

/// The stiff part of V, of q.
struct StiffOf<'m, M>(&'m M, f64);

impl<M: Oracle> Function for StiffOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        self.0.stiff_dual(q, T::from(self.1))
    }
}

/// Σ w g of q.
struct WeightedOf<'m, M>(&'m M, f64, &'m [f64]);

impl<M: Oracle> Function for WeightedOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        let values = self.0.constraints_dual(q, T::from(self.1));
        values.into_iter().zip(self.2).map(|(value, &weight)| value * weight).sum()
    }
}
