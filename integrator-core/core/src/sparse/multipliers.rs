//! The linear systems of constraint methods: S x = b with S = G₁ M⁻¹ G₂ᵀ.
//!
//! G₁ and G₂ are the constraint Jacobians at two positions: at one position S is symmetric positive
//! definite, as in the velocity stage of RATTLE; at the new and the old one it is the matrix of Newton's
//! method for the multipliers.
//!
//! S of a chain is tridiagonal, and S of rigid molecules falls into small blocks: the
//! [solver](super::Solver) chooses.
//! A mass of small coupled blocks is inverted block by block, and S stays sparse.
//! A mass whose inverse is dense leads to the saddle-point
//! system [M G₂ᵀ; G₁ 0], which is solved instead.
//!
//! Where rows depend on each other S is singular, and S + δ W has factors.
//! The weights W are alike unless the lengths of rows differ much.
//! With true residuals, its solutions are iterations of the [proximal method](super::Proximal).

use super::factor::{FactorError, Factored, SMALLEST_PIVOT, Saddle, delta, weights};
use super::few::Few;
use super::inverse_mass::InverseMass;
use super::pattern::SymmetricMatrix;
use super::rows::RowPattern;
use super::schur::Schur;

/// The system S x = b with S = G₁ M⁻¹ G₂ᵀ, analysed once and refactored at will.
///
/// Call [`factor_symmetric`](Self::factor_symmetric) with G₂, then perhaps [`factor`](Self::factor) with
/// G₁, then solve.
/// After the first factorization nothing allocates (a general sparse LU may, when pivoting fills it more
/// than ever before).
/// An error of a factorization names an equation that depends on the others.
///
/// # Shapes
/// Jacobians: the values in the order of the pattern given at the start.
/// Multipliers and right sides: m.
/// Motions: n.
pub struct MultiplierSystem {
    mass: InverseMass,
    form: MultiplierElimination,
    jacobian: RowPattern,
    /// 1/M_ii.
    reciprocals: Vec<f64>,
    softened: bool,
    /// A pivot of S below this part of the largest entry of
    /// its column is one of rows that depend on each other.
    least_pivot: f64,
    /// δ W, of G₂, where the system is softened.
    shifts: Vec<f64>,
}

enum MultiplierElimination {
    Few(Few),
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
    pub fn new(mass: &SymmetricMatrix, jacobian: &RowPattern) -> Factored<Self> {
        let inverse = InverseMass::new(mass)?;
        let form = if jacobian.is_full() {
            MultiplierElimination::Few(Few::new(jacobian))
        } else if let Some(schur) = Schur::new(&inverse, jacobian) {
            MultiplierElimination::Schur(Box::new(schur))
        } else {
            let saddle =
                Saddle::new(&mass.pattern, jacobian).ok_or(FactorError { index: 0, pivot: f64::NAN })?;
            MultiplierElimination::Saddle(Box::new(WithMass {
                saddle,
                mass: mass.values.clone(),
                jacobian: jacobian.clone(),
                carrier: vec![0.0; jacobian.len()],
                unknowns: vec![0.0; jacobian.width() + jacobian.height()],
                motion: vec![0.0; jacobian.width()],
            }))
        };
        let reciprocal = |i: usize| mass.pattern.position(i, i).map_or(1.0, |place| 1.0 / mass.values[place]);
        Ok(Self {
            mass: inverse,
            form,
            reciprocals: (0..mass.pattern.dimension()).map(reciprocal).collect(),
            softened: false,
            least_pivot: SMALLEST_PIVOT,
            shifts: vec![0.0; jacobian.height()],
            jacobian: jacobian.clone(),
        })
    }

    /// How S is solved; `None` where it is not formed.
    pub fn elimination(&self) -> Option<super::factor::Elimination> {
        match &self.form {
            MultiplierElimination::Schur(schur) => Some(schur.elimination()),
            MultiplierElimination::Few(_) | MultiplierElimination::Saddle(_) => None,
        }
    }

    /// 1/M_ii, and the part of a column below which a pivot of S is refused, of few rows and a diagonal
    /// mass.
    pub(crate) fn few(&self) -> Option<(&[f64], f64)> {
        match (&self.form, &self.mass) {
            (MultiplierElimination::Few(_), InverseMass::Diagonal(reciprocals)) => {
                Some((reciprocals, self.least_pivot))
            }
            _ => None,
        }
    }

    /// Factors S + δ W instead of S from now on, or S again.
    pub(crate) fn soften(&mut self, softened: bool) {
        if self.softened != softened {
            self.softened = softened;
            self.demand(if softened { SMALLEST_PIVOT } else { self.least_pivot });
        }
    }

    /// Refuses pivots of S below this part of the largest entry of their column, as of rows that depend
    /// on each other; `None` restores the first number.
    pub(crate) fn demand_pivots(&mut self, least: Option<f64>) {
        self.least_pivot = least.unwrap_or(SMALLEST_PIVOT);
        if !self.softened {
            self.demand(self.least_pivot);
        }
    }

    fn demand(&mut self, least: f64) {
        match &mut self.form {
            // It is told in each factorization.
            MultiplierElimination::Few(_) => {}
            MultiplierElimination::Schur(schur) => schur.demand_pivots(least),
            MultiplierElimination::Saddle(system) => system.saddle.demand_pivots(least),
        }
    }

    /// δ W of the G₂ taken last, where the system is softened.
    pub(crate) fn shifts(&self) -> Option<&[f64]> {
        self.softened.then_some(&self.shifts)
    }

    /// z ← δ (S + δ W)⁻¹ W z with the last factorization of a softened system.
    ///
    /// It leaves the part in the null space of S, and all but removes the rest.
    pub(crate) fn keep_null(&mut self, z: &mut [f64], scratch: &mut [f64]) {
        for ((out, z), shift) in scratch.iter_mut().zip(&*z).zip(&self.shifts) {
            *out = -shift * z;
        }
        self.solve(scratch, z);
    }

    /// Takes G₂, along whose rows the constraint forces act, and factors nothing.
    pub(crate) fn stand(&mut self, jacobian: &[f64]) {
        if self.softened {
            let Self { jacobian: pattern, reciprocals, shifts, .. } = self;
            for (row, square) in shifts.iter_mut().enumerate() {
                let entries = pattern.row(row).map(|place| (pattern.columns()[place] as usize, place));
                *square = entries.map(|(j, place)| jacobian[place].powi(2) * reciprocals[j]).sum();
            }
            weights(shifts);
            let delta = delta(shifts.len());
            shifts.iter_mut().for_each(|weight| *weight *= delta);
        }
        match &mut self.form {
            MultiplierElimination::Few(few) => few.stand(&mut self.mass, jacobian),
            MultiplierElimination::Schur(schur) => schur.stand(&self.mass, jacobian),
            MultiplierElimination::Saddle(system) => system.carrier.copy_from_slice(jacobian),
        }
    }

    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    ///
    /// # Errors
    /// The matrix is singular.
    pub fn factor_symmetric(&mut self, jacobian: &[f64]) -> Factored {
        self.stand(jacobian);
        self.factor_with(jacobian, true)
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with another G₁ and the last G₂.
    ///
    /// # Errors
    /// The matrix is singular.
    pub fn factor(&mut self, left: &[f64]) -> Factored {
        self.factor_with(left, false)
    }

    fn factor_with(&mut self, left: &[f64], symmetric: bool) -> Factored {
        let Self { softened, shifts, least_pivot, .. } = self;
        let (shifts, least) = if *softened { (&shifts[..], SMALLEST_PIVOT) } else { (&[][..], *least_pivot) };
        match &mut self.form {
            MultiplierElimination::Few(few) => few.factor((left, symmetric), shifts, least),
            MultiplierElimination::Schur(schur) if symmetric => schur.factor_symmetric(left, shifts),
            MultiplierElimination::Schur(schur) => schur.factor(left, shifts),
            MultiplierElimination::Saddle(system) => system.factor(left, shifts),
        }
    }

    /// x ← −S⁻¹ r with the last factorization: the multipliers that remove a residual.
    #[inline]
    pub fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        match &mut self.form {
            MultiplierElimination::Few(few) => few.solve(residual, x),
            MultiplierElimination::Schur(schur) => schur.solve(residual, x),
            MultiplierElimination::Saddle(system) => system.solve(residual, x),
        }
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    #[inline]
    pub fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        match &mut self.form {
            MultiplierElimination::Few(few) => few.add_motion(multipliers, y),
            MultiplierElimination::Schur(schur) => schur.add_motion(multipliers, y),
            MultiplierElimination::Saddle(system) => system.add_motion(&mut self.mass, multipliers, y),
        }
    }

    /// The motions by all multipliers added up as if none cancelled, as a diagonal mass has them.
    pub(crate) fn magnitudes(&self, jacobian: &[f64], multipliers: &[f64], motion: &mut [f64]) {
        motion.fill(0.0);
        for ((row, column), value) in self.jacobian.entries().zip(jacobian) {
            motion[column] += (value * multipliers[row]).abs() * self.reciprocals[column];
        }
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x: the motion that removes the residual.
    #[inline(always)]
    pub(crate) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        if let MultiplierElimination::Few(few) = &self.form {
            return few.correct(residual, x, y);
        }
        self.solve(residual, x);
        self.add_motion(x, y);
    }

    /// x ← M⁻¹ x.
    #[inline]
    pub(crate) fn apply_inverse_mass(&mut self, x: &mut [f64]) {
        self.mass.apply(1.0, x);
    }

    /// x ← −M⁻¹ x: the acceleration that a gradient gives.
    #[inline]
    pub(crate) fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.mass.apply(-1.0, x);
    }
}

impl WithMass {
    fn add_motion(&mut self, mass: &mut InverseMass, multipliers: &[f64], y: &mut [f64]) {
        let Self { jacobian, carrier, motion, .. } = self;
        motion.fill(0.0);
        jacobian.transpose_multiply_add(carrier, multipliers, motion);
        mass.apply(1.0, motion);
        y.iter_mut().zip(&*motion).for_each(|(entry, moved)| *entry += moved);
    }

    fn factor(&mut self, left: &[f64], shifts: &[f64]) -> Factored {
        let n = self.jacobian.width();
        self.saddle
            .factor_shifted(&self.mass, left, &self.carrier, shifts)
            .map_err(|error| FactorError { index: error.index.saturating_sub(n), ..error })
    }

    /// From M y + G₂ᵀ x = 0 and G₁ y = r follows G₁ M⁻¹ G₂ᵀ x = −r.
    fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        let (motion, multipliers) = self.unknowns.split_at_mut(self.jacobian.width());
        motion.fill(0.0);
        multipliers.copy_from_slice(residual);
        // A solution that fails its check is left for the
        // iteration around it, which does not converge then.
        if self.saddle.solve(&mut self.unknowns).is_err() {
            self.unknowns.fill(f64::NAN);
        }
        x.copy_from_slice(&self.unknowns[self.jacobian.width()..]);
    }
}
