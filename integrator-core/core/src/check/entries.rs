//! Derivatives in dual numbers along directions.
//!
//! One evaluation gives a single entry along unit vectors,
//! or the weighted sum of all entries along two vectors.

use crate::expr::Oracle;
use num_dual::HyperHyperDual64;

/// Numbers with all derivatives along three directions up to the third.
///
/// Lower orders need fewer parts, but rustc compiles a declaration once for each kind of numbers.
type Jet = HyperHyperDual64;

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

    /// The product with a vector.
    pub(super) fn dot(self, values: &[f64]) -> f64 {
        match self {
            Self::Unit(unit) => values[unit],
            Self::Any(vector) => vector.iter().zip(values).map(|(a, value)| a * value).sum(),
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

/// The functions of a declaration on dual numbers.
pub(super) trait Duals {
    /// L(q, v, t).
    fn lagrangian(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet;
    /// The stiff part of V.
    fn stiff(&self, q: &[Jet], t: Jet) -> Jet;
    /// g(q, t).
    fn constraints(&self, q: &[Jet], t: Jet) -> Vec<Jet>;
    /// c(q, v, t).
    fn nonholonomic(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet>;
    /// D(q, v, t).
    fn dissipation(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet;
    /// The forces that are declared, without −∂D/∂v.
    fn forces(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet>;
}

impl<M: Oracle> Duals for M {
    fn lagrangian(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet {
        self.lagrangian_dual(q, v, t)
    }

    fn stiff(&self, q: &[Jet], t: Jet) -> Jet {
        self.stiff_dual(q, t)
    }

    fn constraints(&self, q: &[Jet], t: Jet) -> Vec<Jet> {
        self.constraints_dual(q, t)
    }

    fn nonholonomic(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet> {
        self.nonholonomic_dual(q, v, t)
    }

    fn dissipation(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet {
        self.dissipation_dual(q, v, t)
    }

    fn forces(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet> {
        self.forces_dual(q, v, t)
    }
}

/// A declaration whose constraints are replaced by the penalty ½ κ g·g, which is its stiff part.
pub(super) struct WithPenalty<'m> {
    pub(super) model: &'m dyn Duals,
    /// κ = ω².
    pub(super) stiffness: f64,
}

impl Duals for WithPenalty<'_> {
    fn lagrangian(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet {
        self.model.lagrangian(q, v, t) - self.stiff(q, t)
    }

    fn stiff(&self, q: &[Jet], t: Jet) -> Jet {
        let squares: Jet = self.model.constraints(q, t).into_iter().map(|value| value * value).sum();
        squares * (0.5 * self.stiffness)
    }

    fn constraints(&self, _q: &[Jet], _t: Jet) -> Vec<Jet> {
        Vec::new()
    }

    fn nonholonomic(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet> {
        self.model.nonholonomic(q, v, t)
    }

    fn dissipation(&self, q: &[Jet], v: &[Jet], t: Jet) -> Jet {
        self.model.dissipation(q, v, t)
    }

    fn forces(&self, q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet> {
        self.model.forces(q, v, t)
    }
}

/// A scalar function on dual numbers.
type DualFunction<'f> = dyn Fn(&[Jet]) -> Jet + 'f;

/// A scalar function with its derivatives along directions.
pub(super) struct Differentiated<'f>(Box<DualFunction<'f>>);

impl Differentiated<'_> {
    /// f.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        (self.0)(&moving(x, STILL, STILL, STILL)).re
    }

    /// ∇f·a.
    pub(super) fn first(&self, x: &[f64], a: Direction<'_>) -> f64 {
        (self.0)(&moving(x, a, STILL, STILL)).eps1
    }

    /// a·Hess f·b.
    pub(super) fn second(&self, x: &[f64], a: Direction<'_>, b: Direction<'_>) -> f64 {
        (self.0)(&moving(x, a, b, STILL)).eps1eps2
    }

    /// (a·f‴·a)·b.
    pub(super) fn third(&self, x: &[f64], a: &[f64], b: Direction<'_>) -> f64 {
        let a = Direction::Any(a);
        (self.0)(&moving(x, b, a, a)).eps1eps2eps3
    }
}

/// No direction.
const STILL: Direction<'static> = Direction::Any(&[]);

/// A point that moves in three directions.
fn moving(x: &[f64], a: Direction<'_>, b: Direction<'_>, c: Direction<'_>) -> Vec<Jet> {
    let entry = |(k, &x): (usize, &f64)| Jet::new(x, a.at(k), b.at(k), c.at(k), 0.0, 0.0, 0.0, 0.0);
    x.iter().enumerate().map(entry).collect()
}

/// The time, which moves with q by these rates in the first two directions.
fn passing(t: f64, rate: f64) -> Jet {
    Jet::new(t, rate, rate, 0.0, 0.0, 0.0, 0.0, 0.0)
}

/// A number of each entry of a list.
fn each(list: &[Jet], part: fn(&Jet) -> f64) -> Vec<f64> {
    list.iter().map(part).collect()
}

impl dyn Duals + '_ {
    /// L of z = (q, v, t).
    pub(super) fn of_motion(&self) -> Differentiated<'_> {
        Differentiated(Box::new(|z| {
            let n = z.len() / 2;
            self.lagrangian(&z[..n], &z[n..2 * n], z[2 * n])
        }))
    }

    /// V of q.
    pub(super) fn potential(&self, t: f64) -> Differentiated<'_> {
        Differentiated(Box::new(move |q| {
            -self.lagrangian(q, &vec![Jet::from_re(0.0); q.len()], Jet::from_re(t))
        }))
    }

    /// The stiff part of V, of q.
    pub(super) fn stiff_part(&self, t: f64) -> Differentiated<'_> {
        Differentiated(Box::new(move |q| self.stiff(q, Jet::from_re(t))))
    }

    /// Σ w g of q.
    pub(super) fn weighted<'a>(&'a self, t: f64, weights: &'a [f64]) -> Differentiated<'a> {
        Differentiated(Box::new(move |q| {
            let values = self.constraints(q, Jet::from_re(t));
            values.into_iter().zip(weights).map(|(value, &weight)| value * weight).sum()
        }))
    }

    /// g.
    pub(super) fn constraint_values(&self, q: &[f64], t: f64) -> Vec<f64> {
        each(&self.constraints(&moving(q, STILL, STILL, STILL), Jet::from_re(t)), |value| value.re)
    }

    /// G a.
    pub(super) fn jacobian_along(&self, q: &[f64], t: f64, a: Direction<'_>) -> Vec<f64> {
        each(&self.constraints(&moving(q, a, STILL, STILL), Jet::from_re(t)), |value| value.eps1)
    }

    /// ∂g/∂t.
    pub(super) fn constraint_rate(&self, q: &[f64], t: f64) -> Vec<f64> {
        each(&self.constraints(&moving(q, STILL, STILL, STILL), passing(t, 1.0)), |value| value.eps1)
    }

    /// d²g/dt² at zero acceleration.
    pub(super) fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
        let v = Direction::Any(v);
        each(&self.constraints(&moving(q, v, v, STILL), passing(t, 1.0)), |value| value.eps1eps2)
    }

    /// a · Hess g · a.
    pub(super) fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64]) -> Vec<f64> {
        let a = Direction::Any(a);
        each(&self.constraints(&moving(q, a, a, STILL), Jet::from_re(t)), |value| value.eps1eps2)
    }

    /// c, and its derivative along b, of z = (q, v).
    pub(super) fn nonholonomic_along(&self, z: &[f64], t: f64, b: Direction<'_>) -> [Vec<f64>; 2] {
        let (z, n) = (moving(z, b, STILL, STILL), z.len() / 2);
        let rows = self.nonholonomic(&z[..n], &z[n..], Jet::from_re(t));
        [rows.iter().map(|row| row.re).collect(), rows.iter().map(|row| row.eps1).collect()]
    }

    /// ∂c/∂t.
    pub(super) fn nonholonomic_rate(&self, z: &[f64], t: f64) -> Vec<f64> {
        let (z, n) = (moving(z, STILL, STILL, STILL), z.len() / 2);
        each(&self.nonholonomic(&z[..n], &z[n..], passing(t, 1.0)), |row| row.eps1)
    }

    /// a·F of z = (q, v), and its derivative along b.
    pub(super) fn forces_along(&self, z: &[f64], t: f64, a: Direction<'_>, b: Direction<'_>) -> [f64; 2] {
        let (n, t) = (z.len() / 2, Jet::from_re(t));
        let moved = a.shifted(n, |a| moving(z, a, b, STILL));
        let dissipation = self.dissipation(&moved[..n], &moved[n..], t);
        let moved = moving(z, b, STILL, STILL);
        let forces = self.forces(&moved[..n], &moved[n..], t);
        let weighted = |part: fn(&Jet) -> f64| {
            forces.iter().enumerate().map(|(row, force)| a.at(row) * part(force)).sum::<f64>()
        };
        [weighted(|force| force.re) - dissipation.eps1, weighted(|force| force.eps1) - dissipation.eps1eps2]
    }
}
