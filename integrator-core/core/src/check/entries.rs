//! Derivatives in dual numbers along directions.
//!
//! One evaluation gives the weighted sum of all entries along two vectors.

use crate::expr::Oracle;
use crate::forward::forward;
use num_dual::HyperHyperDual64;

/// Numbers with all derivatives along three directions up to the third.
///
/// Lower orders need fewer parts, but rustc compiles a declaration once for each kind of numbers.
type Jet = HyperHyperDual64;

/// The velocity at rest of systems that need the derivatives of its norm; its square is zero beside any
/// number.
pub(super) const STILL: f64 = 1e-60;

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

    forward! { model:
        nonholonomic(q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet>;
        dissipation(q: &[Jet], v: &[Jet], t: Jet) -> Jet;
        forces(q: &[Jet], v: &[Jet], t: Jet) -> Vec<Jet>;
    }
}

/// A scalar function on dual numbers.
type DualFunction<'f> = dyn Fn(&[Jet]) -> Jet + 'f;

/// A scalar function with its derivatives along directions.
pub(super) struct Differentiated<'f>(Box<DualFunction<'f>>);

impl Differentiated<'_> {
    /// f.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        (self.0)(&moving(x, [&[]; 3])).re
    }

    /// ∇f·a.
    pub(super) fn first(&self, x: &[f64], a: &[f64]) -> f64 {
        (self.0)(&moving(x, [a, &[], &[]])).eps1
    }

    /// a·Hess f·b.
    pub(super) fn second(&self, x: &[f64], a: &[f64], b: &[f64]) -> f64 {
        (self.0)(&moving(x, [a, b, &[]])).eps1eps2
    }

    /// (a·f‴·a)·b.
    pub(super) fn third(&self, x: &[f64], a: &[f64], b: &[f64]) -> f64 {
        (self.0)(&moving(x, [b, a, a])).eps1eps2eps3
    }
}

/// A point that moves in three directions; entries beyond the last component of a direction stand still.
fn moving(x: &[f64], directions: [&[f64]; 3]) -> Vec<Jet> {
    let entry = |(k, &x): (usize, &f64)| {
        let [a, b, c] = directions.map(|direction| direction.get(k).copied().unwrap_or(0.0));
        Jet::new(x, a, b, c, 0.0, 0.0, 0.0, 0.0)
    };
    x.iter().enumerate().map(entry).collect()
}

/// a, after as many zeros.
pub(super) fn shifted(a: &[f64]) -> Vec<f64> {
    [&vec![0.0; a.len()], a].concat()
}

/// The product of a vector with a part of each entry of a list.
fn dot(a: &[f64], list: &[Jet], part: fn(&Jet) -> f64) -> f64 {
    a.iter().zip(list).map(|(a, entry)| a * part(entry)).sum()
}

/// The time, which moves with q by these rates in the first two directions.
pub(super) fn passing(t: f64, rate: f64) -> Jet {
    Jet::new(t, rate, rate, 0.0, 0.0, 0.0, 0.0, 0.0)
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
            let at = |v: f64| -self.lagrangian(q, &vec![Jet::from_re(v); q.len()], Jet::from_re(t));
            let rest = at(0.0);
            let parts = [rest.re, rest.eps1, rest.eps1eps2, rest.eps1eps2eps3];
            if parts.iter().all(|part| part.is_finite()) { rest } else { at(STILL) }
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

    /// A part of g of (q, t), weighted with a, while q moves along b in the first two directions.
    pub(super) fn constraints_along(
        &self,
        (q, t): (&[f64], Jet),
        a: &[f64],
        b: &[f64],
        part: fn(&Jet) -> f64,
    ) -> f64 {
        dot(a, &self.constraints(&moving(q, [b, b, &[]]), t), part)
    }

    /// A part of c of z = (q, v), weighted with a, while z moves along b in the first direction.
    pub(super) fn nonholonomic_along(
        &self,
        (z, t): (&[f64], Jet),
        a: &[f64],
        b: &[f64],
        part: fn(&Jet) -> f64,
    ) -> f64 {
        let (z, n) = (moving(z, [b, &[], &[]]), z.len() / 2);
        dot(a, &self.nonholonomic(&z[..n], &z[n..], t), part)
    }

    /// a·F of z = (q, v), and its derivative along b.
    pub(super) fn forces_along(&self, z: &[f64], t: f64, a: &[f64], b: &[f64]) -> [f64; 2] {
        let (n, t) = (z.len() / 2, Jet::from_re(t));
        let moved = moving(z, [&shifted(a), b, &[]]);
        let dissipation = self.dissipation(&moved[..n], &moved[n..], t);
        let moved = moving(z, [b, &[], &[]]);
        let forces = self.forces(&moved[..n], &moved[n..], t);
        [
            dot(a, &forces, |force| force.re) - dissipation.eps1,
            dot(a, &forces, |force| force.eps1) - dissipation.eps1eps2,
        ]
    }
}
