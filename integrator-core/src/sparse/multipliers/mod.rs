//! The linear systems of constraint methods: S x = b with S = G₁ M⁻¹ G₂ᵀ.
//!
//! G₁ and G₂ are the constraint Jacobians at two positions: at the same one S is symmetric positive definite, as in the
//! velocity stage of RATTLE; at the new and the old one it is the matrix of Newton's method for the multipliers.
//!
//! What depends on the sparsity alone is done once: which products add up to which entry of S, the order of the
//! equations, the kind of factorization. S of a chain is tridiagonal; that of rigid molecules falls into sets of a few equations,
//! of which eight are solved at a time; reverse Cuthill-McKee finds narrow bands where the declaration hides them. All else goes
//! to a sparse LU.
//! A mass of small coupled blocks is inverted block by block, and S stays sparse. A mass whose inverse is dense leads to
//! the saddle-point system [M G₂ᵀ; G₁ 0], which is solved instead.

mod banded;
mod blocks;
mod gradient_rows;
mod inverse_mass;
mod lu;
mod order;
mod products;
mod saddle;
mod schur;
#[cfg(test)]
mod tests;

pub(crate) use self::blocks::Blocks;
pub(crate) use self::gradient_rows::{AnyRows, Chain, GradientRows};
use self::inverse_mass::InverseMass;
use self::saddle::Saddle;
use self::schur::Schur;
use super::{RowPattern, Sets, SymmetricMatrix};
use crate::lanes::Eight;
use thiserror::Error;

pub use self::inverse_mass::SingularMass;
pub(crate) use self::inverse_mass::{components, reciprocals};
pub(in crate::sparse) use self::lu::SparseLu;

/// A factorization that met a pivot which is zero but for rounding: the equation depends on the others.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "equation {row} depends on the others (pivot {pivot:.3e}): the constraints are redundant or the configuration is singular"
)]
pub struct ZeroPivot {
    /// The equation.
    pub row: usize,
    /// The pivot.
    pub pivot: f64,
}

/// How the system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// Every equation touches at most two others, as in a chain; independent equations are a special case.
    Tridiagonal,
    /// Independent sets of a few equations.
    Blocks {
        /// How many.
        count: usize,
        /// The number of equations of the largest.
        largest: usize,
    },
    /// All entries within `half` of the diagonal, perhaps after reordering.
    Banded {
        /// The half-bandwidth.
        half: usize,
    },
    /// A general sparse LU factorization of S.
    Sparse,
    /// A sparse LU factorization of [M G₂ᵀ; G₁ 0].
    SaddlePoint,
}

/// The system S x = b with S = G₁ M⁻¹ G₂ᵀ, analysed once and refactored at will.
///
/// Call [`factor_symmetric`](Self::factor_symmetric) with G₂, then perhaps [`factor`](Self::factor) with G₁, then solve.
/// After the first factorization nothing allocates (a general sparse LU may, when pivoting fills it more than ever before).
///
/// # Shapes
/// Jacobians: the values in the order of the pattern given at the start.  Multipliers and right sides: m.  Motions: n.
pub struct MultiplierSystem {
    mass: InverseMass,
    form: Form,
}

enum Form {
    /// With memory for the cells of a G₁.
    Blocks(Box<Blocks>, Vec<Eight>),
    Schur(Box<Schur>),
    Saddle(Box<Saddle>),
}

impl MultiplierSystem {
    /// Analyses the pattern and inverts or factors the mass.
    ///
    /// # Errors
    /// A mass that is singular or indefinite.
    pub fn new(mass: &SymmetricMatrix, jacobian: &RowPattern) -> Result<Self, SingularMass> {
        let inverse = InverseMass::new(mass)?;
        let blocks = match &inverse {
            InverseMass::Diagonal(reciprocals) => Blocks::new(reciprocals, jacobian),
            InverseMass::Blocks { .. } | InverseMass::General(_) => None,
        };
        let form = if let Some(blocks) = blocks {
            let left = blocks.sets().zero_cells();
            Form::Blocks(Box::new(blocks), left)
        } else if let Some(schur) = Schur::new(&inverse, jacobian) {
            Form::Schur(Box::new(schur))
        } else if let Some(saddle) = Saddle::new(mass, jacobian) {
            Form::Saddle(Box::new(saddle))
        } else {
            return Err(SingularMass { index: 0, pivot: f64::NAN });
        };
        Ok(Self { mass: inverse, form })
    }

    /// How the system is solved.
    pub fn structure(&self) -> Structure {
        match &self.form {
            Form::Blocks(blocks, _) => Structure::Blocks { count: blocks.count(), largest: blocks.largest() },
            Form::Schur(schur) => schur.structure(),
            Form::Saddle(_) => Structure::SaddlePoint,
        }
    }

    /// Takes G₂, along whose rows the constraint forces act, and factors G₂ M⁻¹ G₂ᵀ.
    ///
    /// # Errors
    /// An equation that depends on the others.
    pub fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        match &mut self.form {
            Form::Blocks(blocks, _) => blocks.factor_symmetric_of(jacobian),
            Form::Schur(schur) => schur.factor_symmetric(&self.mass, jacobian),
            Form::Saddle(saddle) => saddle.factor_symmetric(jacobian),
        }
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with another G₁ and the last G₂.
    ///
    /// # Errors
    /// An equation that depends on the others.
    pub fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot> {
        match &mut self.form {
            Form::Blocks(blocks, cells) => {
                blocks.sets().gather_entries(left, cells);
                blocks.factor(cells)
            }
            Form::Schur(schur) => schur.factor(left),
            Form::Saddle(saddle) => saddle.factor(left),
        }
    }

    /// x ← −S⁻¹ r with the last factorization: the multipliers that remove a residual.
    pub fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        match &mut self.form {
            Form::Blocks(blocks, _) => blocks.solve(residual, None, x),
            Form::Schur(schur) => schur.solve(residual, x),
            Form::Saddle(saddle) => saddle.solve(residual, x),
        }
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        match &mut self.form {
            Form::Blocks(blocks, _) => blocks.add_motion(multipliers, y),
            Form::Schur(schur) => schur.add_motion(multipliers, y),
            Form::Saddle(saddle) => {
                let motion = saddle.force(multipliers);
                self.mass.apply(motion);
                for (entry, &moved) in y.iter_mut().zip(&*motion) {
                    *entry += moved;
                }
            }
        }
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x: the motion that removes the residual.
    pub fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        if let Form::Blocks(blocks, _) = &mut self.form {
            return blocks.correct(residual, x, y);
        }
        self.solve(residual, x);
        self.add_motion(x, y);
    }

    /// The small independent sets into which the equations fall, if they do.
    pub(crate) fn sets(&self) -> Option<&Sets> {
        match &self.form {
            Form::Blocks(blocks, _) => Some(blocks.sets()),
            Form::Schur(_) | Form::Saddle(_) => None,
        }
    }

    /// The reciprocals of a diagonal mass.
    pub(crate) fn reciprocal_masses(&self) -> Option<&[f64]> {
        match &self.mass {
            InverseMass::Diagonal(reciprocals) => Some(reciprocals),
            InverseMass::Blocks { .. } | InverseMass::General(_) => None,
        }
    }

    /// The reciprocals of the mass, and the equations as small independent sets; itself, where they are none.
    pub(crate) fn into_blocks(self) -> Result<(Vec<f64>, Box<Blocks>), Box<Self>> {
        match self {
            Self { mass: InverseMass::Diagonal(reciprocals), form: Form::Blocks(blocks, _) } => {
                Ok((reciprocals, blocks))
            }
            other => Err(Box::new(other)),
        }
    }

    /// x ← −M⁻¹ x: the acceleration that a gradient gives.
    pub fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.mass.apply_negative(x);
    }
}
