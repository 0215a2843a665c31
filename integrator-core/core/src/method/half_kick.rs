//! Kicks by forces that depend on the velocity: the first half of a kick is implicit, the second
//! explicit, with one velocity between them.
//!
//! M u = M v₀ + ½ h (−∇V(q₀, t₀) + F(q₀, u, t₀)),  q₁ = q₀ + h u,
//! M v₁ = M u + ½ h (−∇V(q₁, t₁) + F(q₁, u, t₁)).
//!
//! The trapezoidal rule for ∫ (L, F) dt along the chord of velocity u: symmetric, of order 2, with u and
//! not v in both halves. A motion in which F balances −∇V is a fixed point for every h; under a monotone
//! drag alone the energy never grows.

use super::applied::Instant;
use super::border::{Border, NodePart, through_sums};
use super::dissipation::are_assembled;
use super::force_error::{Attempt, ForceError};
use super::mass_solver::MassSolver;
use super::matrix_free::MatrixFree;
use super::newton::{Damped, Differentiable, Newton, NewtonEquations, Unknown, rehearse};
use super::report::Evaluations;
use crate::binding::threads::first_not_finite;
use crate::error::Begun;
use crate::sparse::{Factored, Solver, SymmetricMatrix, SymmetricPattern};
use crate::system::{Forced, Natural, State};

/// K = M − c ∂F/∂v.
#[derive(Debug)]
pub(super) struct KickMatrix {
    solver: Solver,
    /// The places of each entry of M and of its mirror image.
    of_mass: Vec<[u32; 2]>,
    /// Each derivative with respect to a velocity, and its place.
    of_force: Vec<[u32; 2]>,
}

impl KickMatrix {
    pub(super) const NAME: &'static str = "M − ½ h ∂F/∂v";

    pub(super) fn new(mass: &SymmetricMatrix, forced: &dyn Forced) -> Self {
        let n = mass.pattern.dimension();
        let of_velocities = || {
            let entries = forced.force_pattern().entries().zip(0_u32..);
            entries.filter(|((_, column), _)| *column >= n).map(|((row, column), k)| (row, column - n, k))
        };
        let ordered = of_velocities().map(|(row, column, _)| (row.max(column), row.min(column)));
        let pattern = SymmetricPattern::new(n, mass.pattern.entries().chain(ordered));
        let solver = Solver::square(&pattern);
        let of_mass = mass.pattern.entries().map(|(i, j)| [solver.place(i, j), solver.place(j, i)]).collect();
        let of_force = of_velocities().map(|(row, column, k)| [k, solver.place(row, column)]).collect();
        Self { solver, of_mass, of_force }
    }

    /// Factors K; `derivatives` are all derivatives of F.
    pub(super) fn factor(&mut self, mass: &[f64], c: f64, derivatives: &[f64]) -> Factored {
        let values = self.solver.values_mut();
        values.fill(0.0);
        for (&[lower, upper], &mass) in self.of_mass.iter().zip(mass) {
            (values[lower as usize], values[upper as usize]) = (mass, mass);
        }
        for &[source, place] in &self.of_force {
            values[place as usize] -= c * derivatives[source as usize];
        }
        self.solver.refactor()
    }

    /// x ← K⁻¹ x; NaN if the solution fails its check.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        self.solver.solve_or_spoil(x);
    }
}

/// Kicks of a system without constraints.
pub(super) struct HalfKick<'s> {
    parts: KickEquation<'s>,
    newton: Damped,
    inverse: MassSolver,
}

/// The equation of a kick: its memory and its matrix.
struct KickEquation<'s> {
    forced: &'s dyn Forced,
    mass: &'s SymmetricMatrix,
    matrix: Matrix<'s>,
    /// ∂F/∂(q, v); with sums the gradient of L.
    derivatives: Vec<f64>,
    /// M w; then accelerations.
    impulse: Vec<f64>,
}

/// K factored, bordered by the sums that F reads where it is sparser so, or as products if the
/// derivatives of F are too many to assemble or belong to near pairs.
enum Matrix<'s> {
    Factored(Box<KickMatrix>),
    Bordered(Box<Border<'s>>),
    Free(Box<MatrixFree>),
}

/// The last correction relative to the largest velocity, and the most corrections.
const NEWTON: Newton = Newton { tolerance: 1e-14, iterations: 50 };

impl<'s> HalfKick<'s> {
    /// Prepares kicks over `step` from `state` on.
    pub(super) fn new<S: Natural + ?Sized>(
        system: &'s S,
        forced: &'s dyn Forced,
        State { t, q, v }: &State,
        step: f64,
    ) -> Begun<Self> {
        let mass = system.mass();
        let by_products = forced.force_is_symmetric() && !are_assembled(forced);
        let border = system.mechanics().and_then(through_sums).and_then(|sums| Border::new(sums, 1, true));
        let matrix = if let Some(border) = border {
            Matrix::Bordered(Box::new(border))
        } else if by_products {
            Matrix::Free(Box::new(MatrixFree::new(MassSolver::new(system, mass)?, v.len())))
        } else {
            forced.affords_force_derivatives()?;
            Matrix::Factored(Box::new(KickMatrix::new(mass, forced)))
        };
        let mut parts = KickEquation {
            forced,
            mass,
            derivatives: match matrix {
                Matrix::Factored(_) => vec![0.0; forced.force_pattern().len()],
                Matrix::Bordered(_) => vec![0.0; 2 * v.len() + 1],
                Matrix::Free(_) => Vec::new(),
            },
            matrix,
            impulse: vec![0.0; v.len()],
        };
        // A failure here is no error: the first step starts from another velocity and reports its own.
        let _ = rehearse(&mut Kick { parts: &mut parts, q, at: Instant::at(*t), c: 0.5 * step }, v);
        let inverse = MassSolver::new(system, mass)?;
        Ok(Self { parts, newton: Damped::new(v.len(), NEWTON), inverse })
    }

    /// Replaces w by the solution u of M u = M w + c F(q, u, t).
    pub(super) fn implicit(
        &mut self,
        (q, at): (&[f64], Instant),
        c: f64,
        w: &mut [f64],
        counts: &mut Evaluations,
    ) -> Attempt {
        self.parts.mass.multiply(w, &mut self.parts.impulse);
        self.newton.solve(&mut Kick { parts: &mut self.parts, q, at, c }, w, counts)
    }

    /// M⁻¹ F(q, u, t).
    pub(super) fn explicit(&mut self, (q, u, at): (&[f64], &[f64], Instant)) -> Attempt<&[f64]> {
        let acceleration = &mut self.parts.impulse;
        acceleration.fill(0.0);
        self.parts.forced.add_force_sampled(q, u, at.t, at.sampling, acceleration);
        self.inverse.apply(acceleration)?;
        Ok(acceleration)
    }
}

/// M (u − w) − c F(q, u, t) = 0.
struct Kick<'k, 's> {
    parts: &'k mut KickEquation<'s>,
    q: &'k [f64],
    at: Instant,
    c: f64,
}

impl Kick<'_, '_> {
    /// Completes the residual, which holds F.
    fn finish(&self, u: &[f64], residual: &mut [f64]) {
        let KickEquation { mass, impulse, .. } = &*self.parts;
        for (residual, impulse) in residual.iter_mut().zip(impulse) {
            *residual = -self.c * *residual - impulse;
        }
        mass.pattern.multiply_add(&mass.values, u, residual);
    }
}

impl NewtonEquations for Kick<'_, '_> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the velocities between two kicks", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, u: &[f64], residual: &mut [f64], _counts: &mut Evaluations) {
        residual.fill(0.0);
        self.parts.forced.add_force_sampled(self.q, u, self.at.t, self.at.sampling, residual);
        self.finish(u, residual);
    }

    fn solve(&mut self, r: &mut [f64]) {
        let KickEquation { forced, mass, matrix, .. } = &mut *self.parts;
        match matrix {
            Matrix::Factored(matrix) => matrix.solve(r),
            Matrix::Bordered(matrix) => matrix.solve_or_spoil(r),
            Matrix::Free(free) => free.solve(mass, *forced, (self.q, self.at, self.c), r),
        }
    }
}

impl Differentiable for Kick<'_, '_> {
    fn linearize(&mut self, u: &[f64], residual: &mut [f64], counts: &mut Evaluations) -> Attempt {
        residual.fill(0.0);
        let KickEquation { forced, mass, matrix, derivatives, .. } = &mut *self.parts;
        derivatives.fill(0.0);
        let Instant { t, sampling } = self.at;
        match matrix {
            Matrix::Factored(_) => {
                forced.add_force_derivatives_sampled(self.q, u, t, sampling, residual, derivatives);
            }
            _ => forced.add_force_sampled(self.q, u, t, sampling, residual),
        }
        if let Some(index) = first_not_finite(residual) {
            return Err(ForceError::NotFinite { index });
        }
        match matrix {
            Matrix::Factored(matrix) => {
                counts.factorizations += 1;
                matrix.factor(&mass.values, self.c, derivatives)
            }
            Matrix::Bordered(matrix) => {
                matrix.clear();
                // M + b F_v with b = −c: the L of a natural system has no L_qv.
                let part = NodePart { behind: -self.c, ..NodePart::MASS };
                matrix.add(part, (self.q, u, self.at), derivatives, counts);
                matrix.factor(counts)
            }
            Matrix::Free(free) => {
                free.at(mass, u, residual);
                Ok(())
            }
        }
        .map_err(|error| ForceError::Singular { matrix: KickMatrix::NAME, error })?;
        self.finish(u, residual);
        Ok(())
    }
}
