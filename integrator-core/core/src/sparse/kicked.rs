//! The linear systems of constrained steps with forces that depend on velocities:
//!
//! ```text
//! [ K  −G₂ᵀ ] [ δ ]     [ R ]
//! [ G₁   0  ] [ y ] = − [ r ]      K = M − c ∂F/∂v.
//! ```
//!
//! Drag acts on each particle by itself as a rule: K then falls into small blocks like M, is inverted
//! block by block, and S = G₁ K⁻¹ G₂ᵀ is as sparse as without drag. Where forces couple velocities far
//! and wide the whole is factored instead. Where rows depend on each other, shifts are added to S, as by
//! [`MultiplierSystem`](super::MultiplierSystem).

use super::factor::{FactorError, Factored, Solver};
use super::inverse_mass::{InverseMass, LARGEST_BLOCK};
use super::order::components;
use super::pattern::{SymmetricMatrix, SymmetricPattern};
use super::rows::RowPattern;
use super::schur::Schur;

/// The system, analysed once and refactored at will; call [`set`](Self::set), [`factor`](Self::factor),
/// and then solve.
///
/// # Shapes
/// Jacobians: the values in the order of the pattern given at the start.  R, δ: n.  r, y: m.
pub struct KickSystem {
    form: KickElimination,
    jacobian: RowPattern,
    /// G₁.
    left: Vec<f64>,
    rows: Vec<f64>,
    unknowns: Vec<f64>,
}

enum KickElimination {
    Schur(Box<Blocks>),
    Saddle(Box<KickSaddle>),
}

/// K in independent blocks.
struct Blocks {
    /// Where each entry of M and its mirror image, and each derivative of F with its source, stand in K.
    of_mass: Vec<[u32; 2]>,
    of_force: Vec<[u32; 2]>,
    /// All entries of the blocks of K by rows; of a diagonal K, its diagonal.
    values: Vec<f64>,
    /// The transposed of K⁻¹, likewise.
    inverse: InverseMass,
    /// The members of each block; none where K is diagonal.
    members: Vec<Vec<usize>>,
    schur: Schur,
}

/// K with the rows of the constraints.
struct KickSaddle {
    solver: Solver,
    /// True if the solver exchanges rows for larger pivots.
    is_pivoted: bool,
    of_mass: Vec<[u32; 2]>,
    of_force: Vec<[u32; 2]>,
    /// The places of G₁ and of −G₂ᵀ.
    of_jacobian: Vec<[u32; 2]>,
    /// The places of the shifts.
    of_rows: Vec<u32>,
}

impl KickSystem {
    /// For a mass, the (row, column) of the nonzero entries of ∂F/∂v in the order in which their values
    /// are given, and G.
    ///
    /// `None` when there is no memory.
    pub fn new(mass: &SymmetricMatrix, velocities: &[(usize, usize)], jacobian: &RowPattern) -> Option<Self> {
        let n = mass.pattern.dimension();
        let ordered = velocities.iter().map(|&(row, column)| (row.max(column), row.min(column)));
        let pattern = SymmetricPattern::new(n, mass.pattern.entries().chain(ordered));
        let form = match Blocks::new(&pattern, &mass.pattern, velocities, jacobian) {
            Some(blocks) => KickElimination::Schur(Box::new(blocks)),
            None => KickElimination::Saddle(Box::new(KickSaddle::new(
                &pattern,
                &mass.pattern,
                velocities,
                jacobian,
            )?)),
        };
        Some(Self {
            form,
            left: vec![0.0; jacobian.len()],
            rows: vec![0.0; jacobian.height()],
            unknowns: vec![0.0; n + jacobian.height()],
            jacobian: jacobian.clone(),
        })
    }

    /// True if S is formed; else the whole is factored.
    pub fn is_reduced(&self) -> bool {
        matches!(self.form, KickElimination::Schur(_))
    }

    /// Takes K = M − c ∂F/∂v.
    ///
    /// # Errors
    /// K is singular, which a force that drives can make it.
    pub fn set(&mut self, mass: &[f64], c: f64, derivatives: &[f64]) -> Factored {
        match &mut self.form {
            KickElimination::Schur(blocks) => blocks.set(mass, c, derivatives),
            KickElimination::Saddle(whole) => {
                whole.set(mass, c, derivatives);
                Ok(())
            }
        }
    }

    /// Takes G₂ and G₁, and factors, with shifts of S, if any are given.
    ///
    /// # Errors
    /// A row, counted behind the n degrees of freedom, depends on the others, or K is singular.
    pub fn factor(&mut self, carrier: &[f64], left: &[f64], shifts: &[f64]) -> Factored {
        let n = self.jacobian.width();
        self.left.copy_from_slice(left);
        match &mut self.form {
            KickElimination::Schur(blocks) => {
                blocks.schur.stand(&blocks.inverse, carrier);
                // A diagonal K and one G make S symmetric.
                let mirrored = blocks.members.is_empty() && std::ptr::eq(carrier, left);
                let schur = &mut blocks.schur;
                let factored = if mirrored {
                    schur.factor_symmetric(carrier, shifts)
                } else {
                    schur.factor(left, shifts)
                };
                factored.map_err(|error| FactorError { index: n + error.index, ..error })
            }
            KickElimination::Saddle(whole) => whole.factor(carrier, left, shifts),
        }
    }

    /// The solution (δ, y) for the right sides R, which δ is written over, and r.
    pub fn solve(&mut self, r: &[f64], delta: &mut [f64], y: &mut [f64]) {
        let n = delta.len();
        match &mut self.form {
            KickElimination::Schur(blocks) => {
                blocks.apply(delta);
                delta.iter_mut().for_each(|entry| *entry = -*entry);
                // S y = −(r − G₁ K⁻¹ R)
                self.rows.copy_from_slice(r);
                self.jacobian.multiply_add(&self.left, delta, &mut self.rows);
                blocks.schur.solve(&self.rows, y);
                blocks.schur.add_motion(y, delta);
            }
            KickElimination::Saddle(whole) => {
                let (first, last) = self.unknowns.split_at_mut(n);
                first.iter_mut().zip(&*delta).for_each(|(unknown, entry)| *unknown = -entry);
                last.iter_mut().zip(r).for_each(|(unknown, entry)| *unknown = -entry);
                whole.solver.substitute(&mut self.unknowns);
                delta.copy_from_slice(&self.unknowns[..n]);
                y.copy_from_slice(&self.unknowns[n..]);
            }
        }
    }
}

impl Blocks {
    /// `None` where K has no small blocks, or S would be dense.
    fn new(
        pattern: &SymmetricPattern,
        mass: &SymmetricPattern,
        velocities: &[(usize, usize)],
        jacobian: &RowPattern,
    ) -> Option<Self> {
        let n = pattern.dimension();
        let members = if pattern.len() == n { Vec::new() } else { components(pattern).members() };
        if members.iter().any(|block| block.len() > LARGEST_BLOCK) {
            return None;
        }
        let rows = if members.is_empty() {
            RowPattern::new(n, n, (0..n).map(|i| (i, i)))
        } else {
            let pairs =
                members.iter().flat_map(|b| b.iter().flat_map(move |&i| b.iter().map(move |&j| (i, j))));
            RowPattern::new(n, n, pairs)
        };
        let of_mass = mass.entries().map(|(i, j)| [rows.place(i, j), rows.place(j, i)]).collect();
        let of_force = velocities.iter().zip(0_u32..).map(|(&(i, j), k)| [k, rows.place(i, j)]).collect();
        let values = vec![0.0; rows.len()];
        let inverse = if members.is_empty() {
            InverseMass::Diagonal(values.clone())
        } else {
            InverseMass::Blocks { pattern: rows, values: values.clone(), copy: vec![0.0; n] }
        };
        let schur = Schur::new(&inverse, jacobian)?;
        Some(Self { of_mass, of_force, values, inverse, members, schur })
    }

    fn set(&mut self, mass: &[f64], c: f64, derivatives: &[f64]) -> Factored {
        let Self { of_mass, of_force, values, inverse, members, .. } = self;
        fill(of_mass, of_force, mass, (c, derivatives), values);
        match inverse {
            InverseMass::Diagonal(reciprocals) => {
                for (index, (reciprocal, &pivot)) in reciprocals.iter_mut().zip(&*values).enumerate() {
                    if pivot == 0.0 || !pivot.is_finite() {
                        return Err(FactorError { pivot, index });
                    }
                    *reciprocal = 1.0 / pivot;
                }
            }
            InverseMass::Blocks { pattern, values: inverse, .. } => {
                for block in members {
                    invert_transposed(block, pattern, values, inverse)?;
                }
            }
            InverseMass::General(_) => {}
        }
        Ok(())
    }

    /// x ← K⁻¹ x.
    fn apply(&mut self, x: &mut [f64]) {
        match &mut self.inverse {
            InverseMass::Diagonal(reciprocals) => {
                x.iter_mut().zip(reciprocals).for_each(|(x, reciprocal)| *x *= *reciprocal);
            }
            InverseMass::Blocks { pattern, values, copy } => {
                copy.copy_from_slice(x);
                x.fill(0.0);
                pattern.transpose_multiply_add(values, copy, x);
            }
            InverseMass::General(_) => {}
        }
    }
}

/// M − c ∂F/∂v at their places.
fn fill(
    of_mass: &[[u32; 2]],
    of_force: &[[u32; 2]],
    mass: &[f64],
    (c, derivatives): (f64, &[f64]),
    values: &mut [f64],
) {
    values.fill(0.0);
    for (&[lower, upper], &mass) in of_mass.iter().zip(mass) {
        (values[lower as usize], values[upper as usize]) = (mass, mass);
    }
    for &[source, place] in of_force {
        values[place as usize] -= c * derivatives[source as usize];
    }
}

/// The places of the degrees of freedom in their order, and of each row behind the last of its columns.
///
/// K is near a positive definite matrix, and so no pivot
/// vanishes in this order where rows are independent.
fn behind_columns(jacobian: &RowPattern) -> Vec<u32> {
    let (n, height) = (jacobian.width(), jacobian.height());
    let last = |row: usize| jacobian.columns()[jacobian.row(row)].iter().copied().max().unwrap_or(0);
    let rows = (0..height).map(|row| (last(row), n + row));
    let mut order: Vec<(u32, usize)> = (0..n).map(|unknown| (unknown as u32, unknown)).chain(rows).collect();
    order.sort_unstable();
    let mut places = vec![0; n + height];
    order.iter().zip(0..).for_each(|(&(_, unknown), place)| places[unknown] = place);
    places
}

/// The transposed inverse of one block, by Gauss and Jordan with pivots of its columns.
fn invert_transposed(block: &[usize], pattern: &RowPattern, values: &[f64], inverse: &mut [f64]) -> Factored {
    let size = block.len();
    // Both have rows of the length of the largest block.
    let mut matrix = [[0.0; LARGEST_BLOCK]; LARGEST_BLOCK];
    let mut result = [[0.0; LARGEST_BLOCK]; LARGEST_BLOCK];
    for (k, &row) in block.iter().enumerate() {
        matrix[k][..size].copy_from_slice(&values[pattern.row(row)]);
        result[k][k] = 1.0;
    }
    for k in 0..size {
        let mut best = k;
        for i in k + 1..size {
            if matrix[i][k].abs() > matrix[best][k].abs() {
                best = i;
            }
        }
        matrix.swap(k, best);
        result.swap(k, best);
        let pivot = matrix[k][k];
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(FactorError { index: block[k], pivot });
        }
        for j in 0..size {
            matrix[k][j] /= pivot;
            result[k][j] /= pivot;
        }
        let (row, own) = (matrix[k], result[k]);
        for i in (0..size).filter(|&i| i != k) {
            let factor = matrix[i][k];
            if factor != 0.0 {
                for j in 0..size {
                    matrix[i][j] -= factor * row[j];
                    result[i][j] -= factor * own[j];
                }
            }
        }
    }
    for (k, &row) in block.iter().enumerate() {
        for (j, entry) in inverse[pattern.row(row)].iter_mut().enumerate() {
            *entry = result[j][k];
        }
    }
    Ok(())
}

impl KickSaddle {
    fn new(
        pattern: &SymmetricPattern,
        mass: &SymmetricPattern,
        velocities: &[(usize, usize)],
        jacobian: &RowPattern,
    ) -> Option<Self> {
        let n = pattern.dimension();
        let lower = || jacobian.entries().map(|(row, column)| (n + row, column));
        let whole = SymmetricPattern::new(n + jacobian.height(), pattern.entries().chain(lower()));
        let band = Solver::in_order(&whole, behind_columns(jacobian));
        let is_pivoted = band.is_none();
        let mut solver = band.or_else(|| Solver::unsymmetric(&whole))?;
        solver.accept_small_pivots();
        let both = |(i, j)| [solver.place(i, j), solver.place(j, i)];
        let of_mass = mass.entries().map(both).collect();
        let of_force = velocities.iter().zip(0_u32..).map(|(&(i, j), k)| [k, solver.place(i, j)]).collect();
        let of_jacobian = lower().map(both).collect();
        let of_rows = (n..n + jacobian.height()).map(|row| solver.place(row, row)).collect();
        Some(Self { solver, is_pivoted, of_mass, of_force, of_jacobian, of_rows })
    }

    fn set(&mut self, mass: &[f64], c: f64, derivatives: &[f64]) {
        fill(&self.of_mass, &self.of_force, mass, (c, derivatives), self.solver.values_mut());
    }

    fn factor(&mut self, carrier: &[f64], left: &[f64], shifts: &[f64]) -> Factored {
        let values = self.solver.values_mut();
        for (row, &place) in self.of_rows.iter().enumerate() {
            values[place as usize] = shifts.get(row).copied().unwrap_or(0.0);
        }
        for (&[lower, upper], (left, carrier)) in self.of_jacobian.iter().zip(left.iter().zip(carrier)) {
            (values[lower as usize], values[upper as usize]) = (*left, -carrier);
        }
        match self.solver.refactor() {
            Err(error) if !self.is_pivoted => self.pivot(error),
            factored => factored,
        }
    }

    /// Exchanges rows from now on: the order of the band has failed.
    ///
    /// Rows that depend on each other do this, and forces that drive.
    #[cold]
    fn pivot(&mut self, error: FactorError) -> Factored {
        let (pattern, values) = self.solver.pattern_and_values();
        let Some(mut pivoted) = Solver::unsymmetric(pattern) else { return Err(error) };
        pivoted.accept_small_pivots();
        pivoted.values_mut().copy_from_slice(values);
        (self.solver, self.is_pivoted) = (pivoted, true);
        self.solver.refactor()
    }
}
