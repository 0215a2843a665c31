//! Derivatives in dual numbers along directions: single entries by unit vectors, and the weighted sum of all entries of a
//! large matrix by two vectors, at the cost of one evaluation each.

use crate::expr::oracle::{self, Function};
use crate::expr::{Number, Oracle};
use num_dual::{Dual64, HyperDual64, HyperHyperDual64};

/// A direction in the space of the arguments of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction<'d> {
    /// The unit vector of one argument.
    Unit(usize),
    /// Any vector.
    Any(&'d [f64]),
}

impl Direction<'_> {
    /// The component of one argument.
    pub(super) fn at(self, index: usize) -> f64 {
        match self {
            Self::Unit(unit) if unit == index => 1.0,
            Self::Unit(_) => 0.0,
            // Arguments after the last component do not move.
            Self::Any(vector) => vector.get(index).copied().unwrap_or(0.0),
        }
    }

    /// The direction among more arguments, of which `before` come first; the others are zero.
    pub(super) fn shifted<R>(self, before: usize, then: impl FnOnce(Direction<'_>) -> R) -> R {
        match self {
            Self::Unit(unit) => then(Direction::Unit(before + unit)),
            Self::Any(vector) => {
                let mut all = vec![0.0; before];
                all.extend(vector);
                then(Direction::Any(&all))
            }
        }
    }
}

/// A scalar function with its derivatives along directions.
pub(super) trait Differentiated {
    /// f.
    fn value(&self, x: &[f64]) -> f64;
    /// ∇f·a.
    fn first(&self, x: &[f64], a: Direction<'_>) -> f64;
    /// a·Hess f·b.
    fn second(&self, x: &[f64], a: Direction<'_>, b: Direction<'_>) -> f64;
    /// (a·f‴·a)·b.
    fn third(&self, x: &[f64], a: &[f64], b: Direction<'_>) -> f64;
}

impl<F: Function> Differentiated for F {
    fn value(&self, x: &[f64]) -> f64 {
        self.at(x)
    }

    fn first(&self, x: &[f64], a: Direction<'_>) -> f64 {
        self.at(&dual(x, a)).eps
    }

    fn second(&self, x: &[f64], a: Direction<'_>, b: Direction<'_>) -> f64 {
        self.at(&hyper_dual(x, a, b)).eps1eps2
    }

    fn third(&self, x: &[f64], a: &[f64], b: Direction<'_>) -> f64 {
        self.at(&hyper_hyper_dual(x, a, b)).eps1eps2eps3
    }
}

fn dual(x: &[f64], a: Direction<'_>) -> Vec<Dual64> {
    x.iter().enumerate().map(|(k, &x)| Dual64::new(x, a.at(k))).collect()
}

fn hyper_dual(x: &[f64], a: Direction<'_>, b: Direction<'_>) -> Vec<HyperDual64> {
    x.iter().enumerate().map(|(k, &x)| HyperDual64::new(x, a.at(k), b.at(k), 0.0)).collect()
}

fn hyper_hyper_dual(x: &[f64], a: &[f64], b: Direction<'_>) -> Vec<HyperHyperDual64> {
    let entry =
        |(k, (&x, &a)): (usize, (&f64, &f64))| HyperHyperDual64::new(x, b.at(k), a, a, 0.0, 0.0, 0.0, 0.0);
    x.iter().zip(a).enumerate().map(entry).collect()
}

/// The functions of a declaration in dual numbers, behind one face, so that the comparison is compiled once for all models.
pub(super) trait Duals {
    /// L of z = (q, v, t).
    fn lagrangian(&self) -> Box<dyn Differentiated + '_>;
    /// V of q.
    fn potential(&self, t: f64) -> Box<dyn Differentiated + '_>;
    /// The stiff part of V, of q.
    fn stiff(&self, t: f64) -> Box<dyn Differentiated + '_>;
    /// Σ w g of q.
    fn weighted<'a>(&'a self, t: f64, weights: &'a [f64]) -> Box<dyn Differentiated + 'a>;
    /// g.
    fn constraints(&self, q: &[f64], t: f64) -> Vec<f64>;
    /// G a.
    fn jacobian_along(&self, q: &[f64], t: f64, a: Direction<'_>) -> Vec<f64>;
    /// ∂g/∂t.
    fn constraint_rate(&self, q: &[f64], t: f64) -> Vec<f64>;
    /// d²g/dt² at zero acceleration.
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64>;
    /// a · Hess g · a.
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64]) -> Vec<f64>;
    /// c, and its derivative along b, of z = (q, v).
    fn nonholonomic_along(&self, z: &[f64], t: f64, b: Direction<'_>) -> [Vec<f64>; 2];
    /// ∂c/∂t.
    fn nonholonomic_rate(&self, z: &[f64], t: f64) -> Vec<f64>;
    /// a·F of z = (q, v), and its derivative along b.
    fn forces_along(&self, z: &[f64], t: f64, a: Direction<'_>, b: Direction<'_>) -> [f64; 2];
}

impl<M: Oracle> Duals for M {
    fn lagrangian(&self) -> Box<dyn Differentiated + '_> {
        Box::new(LagrangianOf(self))
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

    fn jacobian_along(&self, q: &[f64], t: f64, a: Direction<'_>) -> Vec<f64> {
        let rows = self.constraints_dual(&dual(q, a), Dual64::from_re(t));
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

    fn nonholonomic_along(&self, z: &[f64], t: f64, b: Direction<'_>) -> [Vec<f64>; 2] {
        let (z, n) = (dual(z, b), z.len() / 2);
        let rows = self.nonholonomic_dual(&z[..n], &z[n..], Dual64::from_re(t));
        [rows.iter().map(|row| row.re).collect(), rows.iter().map(|row| row.eps).collect()]
    }

    fn nonholonomic_rate(&self, z: &[f64], t: f64) -> Vec<f64> {
        let (q, v) = z.split_at(z.len() / 2);
        oracle::nonholonomic_rate(self, q, v, t)
    }

    fn forces_along(&self, z: &[f64], t: f64, a: Direction<'_>, b: Direction<'_>) -> [f64; 2] {
        let n = z.len() / 2;
        let dissipation = DissipationOf(self, t);
        let [first, second] = a.shifted(n, |a| [dissipation.first(z, a), dissipation.second(z, a, b)]);
        let moved = dual(z, b);
        let forces = self.forces_dual(&moved[..n], &moved[n..], Dual64::from_re(t));
        let weighted = |part: fn(&Dual64) -> f64| {
            forces.iter().enumerate().map(|(row, force)| a.at(row) * part(force)).sum::<f64>()
        };
        [weighted(|force| force.re) - first, weighted(|force| force.eps) - second]
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

/// D of z = (q, v).
struct DissipationOf<'m, M>(&'m M, f64);

impl<M: Oracle> Function for DissipationOf<'_, M> {
    fn at<T: Number>(&self, z: &[T]) -> T {
        let (q, v) = z.split_at(z.len() / 2);
        self.0.dissipation_dual(q, v, T::from(self.1))
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

/// A declaration whose constraints are replaced by the penalty ½ κ g·g, which is its stiff part.
pub(super) struct WithPenalty<'m, M> {
    pub(super) model: &'m M,
    /// κ = ω².
    pub(super) stiffness: f64,
}

impl<M: Oracle> Oracle for WithPenalty<'_, M> {
    fn lagrangian_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T {
        self.model.lagrangian_dual(q, v, t) - self.stiff_dual(q, t)
    }

    fn stiff_dual<T: Number>(&self, q: &[T], t: T) -> T {
        let values = self.model.constraints_dual(q, t);
        let squares: T = values.into_iter().map(|value| value * value).sum();
        squares * (0.5 * self.stiffness)
    }

    fn constraints_dual<T: Number>(&self, _q: &[T], _t: T) -> Vec<T> {
        Vec::new()
    }

    fn nonholonomic_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        self.model.nonholonomic_dual(q, v, t)
    }

    fn dissipation_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> T {
        self.model.dissipation_dual(q, v, t)
    }

    fn forces_dual<T: Number>(&self, q: &[T], v: &[T], t: T) -> Vec<T> {
        self.model.forces_dual(q, v, t)
    }
}
