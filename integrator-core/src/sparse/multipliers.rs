//! The linear systems of constraint methods: S x = b with S = G₁ M⁻¹ G₂ᵀ.
//!
//! G₁ and G₂ are the constraint Jacobians at two positions: at the same one S is symmetric positive definite, as in the
//! velocity stage of RATTLE; at the new and the old one it is the matrix of Newton's method for the multipliers.
//!
//! S of a chain is tridiagonal, that of rigid molecules falls into small blocks, and the [solver](super::Solver) finds out which it is.
//! A mass of small coupled blocks is inverted block by block, and S stays sparse. A mass whose inverse is dense leads to
//! the saddle-point system [M G₂ᵀ; G₁ 0], which is solved instead.

#[cfg(test)]
mod tests;

use super::factor::{FactorError, Saddle};
use super::inverse_mass::InverseMass;
use super::pattern::SymmetricMatrix;
use super::rows::RowPattern;
use super::schur::Schur;

/// The system S x = b with S = G₁ M⁻¹ G₂ᵀ, analysed once and refactored at will.
///
/// Call [`factor_symmetric`](Self::factor_symmetric) with G₂, then perhaps [`factor`](Self::factor) with G₁, then solve.
/// After the first factorization nothing allocates (a general sparse LU may, when pivoting fills it more than ever before).
/// An error of a factorization names an equation that depends on the others.
///
/// # Shapes
/// Jacobians: the values in the order of the pattern given at the start.  Multipliers and right sides: m.  Motions: n.
pub(crate) struct MultiplierSystem {
    mass: InverseMass,
    form: Form,
}

enum Form {
    Schur(Box<Schur>),
    Saddle(Box<WithMass>),
}

/// The saddle-point system of a constant mass.
struct WithMass {
    saddle: Saddle,
    mass: Vec<f64>,
    jacobian: RowPattern,
    /// The values of G₂.
    carrier: Vec<f64>,
    unknowns: Vec<f64>,
    motion: Vec<f64>,
}

impl MultiplierSystem {
    /// Analyses the pattern and inverts or factors the mass.
    ///
    /// # Errors
    /// A mass that is singular or indefinite.
    pub(crate) fn new(mass: &SymmetricMatrix, jacobian: &RowPattern) -> Result<Self, FactorError> {
        let inverse = InverseMass::new(mass)?;
        let form = if let Some(schur) = Schur::new(&inverse, jacobian) {
            Form::Schur(Box::new(schur))
        } else {
            let saddle =
                Saddle::new(&mass.pattern, jacobian).ok_or(FactorError { index: 0, pivot: f64::NAN })?;
            Form::Saddle(Box::new(WithMass {
                saddle,
                mass: mass.values.clone(),
                jacobian: jacobian.clone(),
                carrier: vec![0.0; jacobian.len()],
                unknowns: vec![0.0; jacobian.width() + jacobian.height()],
                motion: vec![0.0; jacobian.width()],
            }))
        };
        Ok(Self { mass: inverse, form })
    }

    /// How S is solved; `None` where it is not formed.
    #[cfg(test)]
    fn elimination(&self) -> Option<super::factor::Elimination> {
        match &self.form {
            Form::Schur(schur) => Some(schur.elimination()),
            Form::Saddle(_) => None,
        }
    }

    /// Takes G₂, along whose rows the constraint forces act, and factors nothing.
    pub(crate) fn stand(&mut self, jacobian: &[f64]) {
        match &mut self.form {
            Form::Schur(schur) => schur.stand(&self.mass, jacobian),
            Form::Saddle(system) => system.carrier.copy_from_slice(jacobian),
        }
    }

    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    pub(crate) fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), FactorError> {
        self.stand(jacobian);
        match &mut self.form {
            Form::Schur(schur) => schur.factor_symmetric(jacobian),
            Form::Saddle(system) => system.factor(jacobian),
        }
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with another G₁ and the last G₂.
    pub(crate) fn factor(&mut self, left: &[f64]) -> Result<(), FactorError> {
        match &mut self.form {
            Form::Schur(schur) => schur.factor(left),
            Form::Saddle(system) => system.factor(left),
        }
    }

    /// x ← −S⁻¹ r with the last factorization: the multipliers that remove a residual.
    pub(crate) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        match &mut self.form {
            Form::Schur(schur) => schur.solve(residual, x),
            Form::Saddle(system) => system.solve(residual, x),
        }
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(crate) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        match &mut self.form {
            Form::Schur(schur) => schur.add_motion(multipliers, y),
            Form::Saddle(system) => {
                let WithMass { jacobian, carrier, motion, .. } = &mut **system;
                motion.fill(0.0);
                jacobian.transpose_multiply_add(carrier, multipliers, motion);
                self.mass.apply(1.0, motion);
                for (entry, &moved) in y.iter_mut().zip(&*motion) {
                    *entry += moved;
                }
            }
        }
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x: the motion that removes the residual.
    pub(crate) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.solve(residual, x);
        self.add_motion(x, y);
    }

    /// x ← −M⁻¹ x: the acceleration that a gradient gives.
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.mass.apply(-1.0, x);
    }
}

impl WithMass {
    fn factor(&mut self, left: &[f64]) -> Result<(), FactorError> {
        let n = self.jacobian.width();
        self.saddle
            .factor(&self.mass, left, &self.carrier)
            .map_err(|error| FactorError { index: error.index.saturating_sub(n), ..error })
    }

    /// From M y + G₂ᵀ x = 0 and G₁ y = r follows G₁ M⁻¹ G₂ᵀ x = −r.
    fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        let (motion, multipliers) = self.unknowns.split_at_mut(self.jacobian.width());
        motion.fill(0.0);
        multipliers.copy_from_slice(residual);
        // A solution that fails its check is left for the iteration around it, which does not converge then.
        if self.saddle.solve(&mut self.unknowns).is_err() {
            self.unknowns.fill(f64::NAN);
        }
        x.copy_from_slice(&self.unknowns[self.jacobian.width()..]);
    }
}
