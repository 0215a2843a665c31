//! Accelerations under rows, with a constant mass: accurate solutions use them.

use super::factor::{
    Factored, REFINE_ABOVE, REFUSE_ABOVE, Saddle, SolveError, Solver, largest_magnitude, worst_row,
};
use super::inverse_mass::InverseMass;
use super::pattern::SymmetricMatrix;
use super::rows::RowPattern;
use super::schur::Schur;
use crate::carried::carried;

/// Where a pivot of M or S is below this part of its column, the whole matrix is factored:
/// M⁻¹ and S have lost half of their digits.
const LEAST_PIVOT: f64 = 1e-8;

/// The equations M a + Bᵀ μ = b, B a = c.
///
/// S = B M⁻¹ Bᵀ gives the multipliers if M is positive definite, its inverse is sparse, no part is
/// [light](super::light), and the rows are independent.
/// Otherwise the saddle point system does; each factorization chooses by its own numbers.
pub(crate) struct ConstrainedMass<'s> {
    pub(crate) mass: &'s SymmetricMatrix,
    rows: RowPattern,
    saddle: Saddle,
    by_schur: Option<Box<BySchur>>,
    /// True if the last factors are those of S.
    has_schur: bool,
}

struct BySchur {
    inverse: InverseMass,
    schur: Schur,
    /// The number of entries of the longest row, and an estimate of ‖B‖∞.
    longest: f64,
    size: f64,
    /// −μ, a change of it, and B a − c.
    multipliers: Vec<f64>,
    change: Vec<f64>,
    residual: Vec<f64>,
}

impl<'s> ConstrainedMass<'s> {
    /// `None` without memory.
    pub(crate) fn new(mass: &'s SymmetricMatrix, rows: &RowPattern) -> Option<Self> {
        Some(Self {
            saddle: Saddle::new(&mass.pattern, rows)?,
            by_schur: BySchur::new(mass, rows).map(Box::new),
            has_schur: false,
            rows: rows.clone(),
            mass,
        })
    }

    /// Factors the equations with these values of B.
    ///
    /// # Errors
    /// The matrix is singular.
    pub(crate) fn factor(&mut self, rows: &[f64]) -> Factored {
        let Self { mass, saddle, by_schur, has_schur, .. } = self;
        *has_schur = by_schur.as_mut().is_some_and(|by_schur| {
            !saddle.has_light_parts(&mass.values, rows) && by_schur.factor(rows).is_ok()
        });
        if *has_schur { Ok(()) } else { saddle.factor(&mass.values, rows, rows) }
    }

    /// Replaces (b, c) by (a, μ), with the B factored last.
    ///
    /// # Errors
    /// The residual stays large: the matrix is all but singular.
    pub(crate) fn solve(&mut self, rows: &[f64], x: &mut [f64]) -> Result<(), SolveError> {
        match &mut self.by_schur {
            Some(by_schur) if self.has_schur => by_schur.solve((&self.rows, rows), x),
            _ => self.saddle.solve(x),
        }
    }
}

impl BySchur {
    /// `None` if S is no way for this mass and these rows.
    fn new(mass: &SymmetricMatrix, rows: &RowPattern) -> Option<Self> {
        if rows.height() == 0 {
            return None;
        }
        let inverse = InverseMass::new(mass).ok()?;
        let mut schur = Schur::new(&inverse, rows)?;
        schur.demand_pivots(LEAST_PIVOT);
        let mut solver = Solver::symmetric(&mass.pattern);
        solver.demand_pivots(LEAST_PIVOT);
        solver.factor(&mass.values).ok()?;
        let longest = (0..rows.height()).map(|row| rows.row(row).len()).max()?;
        let [multipliers, change, residual] = [(); 3].map(|()| vec![0.0; rows.height()]);
        Some(Self { inverse, schur, longest: longest as f64, size: 0.0, multipliers, change, residual })
    }

    fn factor(&mut self, rows: &[f64]) -> Factored {
        self.size = self.longest * largest_magnitude(rows);
        self.schur.stand(&self.inverse, rows);
        self.schur.factor_symmetric(rows, &[])
    }

    /// a = M⁻¹ b − M⁻¹ Bᵀ μ with S μ = B M⁻¹ b − c.
    fn solve(&mut self, rows: (&RowPattern, &[f64]), x: &mut [f64]) -> Result<(), SolveError> {
        let (a, c) = x.split_at_mut(rows.0.width());
        self.inverse.apply(1.0, a);
        // Of M⁻¹ b: at an equilibrium a is its rounding.
        let scale = self.size * largest_magnitude(a) + largest_magnitude(c);
        self.multipliers.fill(0.0);
        self.correct(rows, a, c);
        let mut error = self.error(scale);
        if error > REFINE_ABOVE {
            self.correct(rows, a, c);
            error = self.error(scale);
        }
        c.iter_mut().zip(&self.multipliers).for_each(|(c, negative)| *c = -negative);
        // Written so that a residual that is not a number is refused.
        if error <= REFUSE_ABOVE { Ok(()) } else { Err(self.refused(error, a.len())) }
    }

    /// Moves a, and adds to the multipliers, by B a − c; then writes the new B a − c over the residual.
    fn correct(&mut self, rows: (&RowPattern, &[f64]), a: &mut [f64], c: &[f64]) {
        self.leave(rows, a, c);
        self.schur.solve(&self.residual, &mut self.change);
        self.schur.add_motion(&self.change, a);
        self.multipliers.iter_mut().zip(&self.change).for_each(|(sum, change)| *sum += change);
        self.leave(rows, a, c);
    }

    /// Writes B a − c over the residual.
    fn leave(&mut self, (pattern, rows): (&RowPattern, &[f64]), a: &[f64], c: &[f64]) {
        self.residual.iter_mut().zip(c).for_each(|(residual, c)| *residual = -c);
        pattern.multiply_add(rows, a, &mut self.residual);
    }

    /// ‖B a − c‖∞ / (‖B‖∞ ‖M⁻¹ b‖∞ + ‖c‖∞).
    fn error(&self, scale: f64) -> f64 {
        let largest = largest_magnitude(&self.residual);
        // A comparison skips NaN, and a sum does not.
        if self.residual.iter().sum::<f64>().is_finite() {
            largest / scale.max(f64::MIN_POSITIVE)
        } else {
            f64::NAN
        }
    }

    #[cold]
    fn refused(&self, residual: f64, before: usize) -> SolveError {
        SolveError { residual, index: before + worst_row(&self.residual) }
    }
}

carried!(['s] ConstrainedMass<'s> { saddle } besides { mass, rows, by_schur, has_schur });
