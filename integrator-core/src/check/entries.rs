//! Single entries of derivatives in dual numbers, so that a few of a large matrix cost what a few cost.

use super::compare::Random;
use crate::expr::{Number, Oracle, oracle::Function};
use num_dual::{Dual64, HyperDual64, HyperHyperDual64};

/// Of a quantity with more entries, as many are compared.
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
    pattern: impl Iterator<Item = (usize, usize)>,
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

/// ∂f/∂xᵢ.
pub(super) fn first(f: &impl Function, x: &[f64], i: usize) -> f64 {
    let point: Vec<_> = x.iter().enumerate().map(|(k, &x)| Dual64::new(x, unit(k == i))).collect();
    f.at(&point).eps
}

/// ∂²f/∂xᵢ∂xⱼ.
pub(super) fn second(f: &impl Function, x: &[f64], i: usize, j: usize) -> f64 {
    let point: Vec<_> =
        x.iter().enumerate().map(|(k, &x)| HyperDual64::new(x, unit(k == i), unit(k == j), 0.0)).collect();
    f.at(&point).eps1eps2
}

/// (Hess f · a)ᵢ.
pub(super) fn product(f: &impl Function, x: &[f64], a: &[f64], i: usize) -> f64 {
    let point: Vec<_> =
        x.iter().zip(a).enumerate().map(|(k, (&x, &a))| HyperDual64::new(x, unit(k == i), a, 0.0)).collect();
    f.at(&point).eps1eps2
}

/// (a·f‴·a)ᵢ.
pub(super) fn third(f: &impl Function, x: &[f64], a: &[f64], i: usize) -> f64 {
    let point: Vec<_> = x
        .iter()
        .zip(a)
        .enumerate()
        .map(|(k, (&x, &a))| HyperHyperDual64::new(x, unit(k == i), a, a, 0.0, 0.0, 0.0, 0.0))
        .collect();
    f.at(&point).eps1eps2eps3
}

/// L of z = (q, v, t).
pub(super) struct LagrangianOf<'m, M>(pub(super) &'m M);

impl<M: Oracle> Function for LagrangianOf<'_, M> {
    fn at<T: Number>(&self, z: &[T]) -> T {
        let n = z.len() / 2;
        self.0.lagrangian_dual(&z[..n], &z[n..2 * n], z[2 * n])
    }
}

/// V of q.
pub(super) struct PotentialOf<'m, M>(pub(super) &'m M, pub(super) f64);

impl<M: Oracle> Function for PotentialOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        -self.0.lagrangian_dual(q, &vec![T::zero(); q.len()], T::from(self.1))
    }
}

/// The stiff part of V, of q.
pub(super) struct StiffOf<'m, M>(pub(super) &'m M, pub(super) f64);

impl<M: Oracle> Function for StiffOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        self.0.stiff_dual(q, T::from(self.1))
    }
}

/// Σ w g of q.
pub(super) struct WeightedOf<'m, M>(pub(super) &'m M, pub(super) f64, pub(super) &'m [f64]);

impl<M: Oracle> Function for WeightedOf<'_, M> {
    fn at<T: Number>(&self, q: &[T]) -> T {
        let values = self.0.constraints_dual(q, T::from(self.1));
        values.into_iter().zip(self.2).map(|(value, &weight)| value * weight).sum()
    }
}
