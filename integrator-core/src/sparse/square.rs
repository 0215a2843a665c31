use super::multipliers::SparseLu;
use super::{FactorError, SymmetricPattern, SymmetricSolver};

/// The solver of A x = b for square sparse matrices of one pattern, symmetric or not.
///
/// A symmetric one goes to [`SymmetricSolver`], any other to a sparse LU with partial pivoting.  The latter takes
/// its memory in the first factorization, and more only when pivoting makes the factors fuller than ever before.
pub(crate) struct SquareSolver {
    kernel: Kernel,
}

enum Kernel {
    Symmetric { pattern: SymmetricPattern, values: Vec<f64>, solver: Box<SymmetricSolver> },
    General(Box<SparseLu>),
}

impl SquareSolver {
    /// For the matrices with these (row, column) entries, in any order and with repetitions; of a symmetric one
    /// those of one triangle.  `None` when there is no memory.
    pub(crate) fn analyse(
        dimension: usize,
        entries: impl Iterator<Item = (usize, usize)>,
        symmetric: bool,
    ) -> Option<Self> {
        if symmetric {
            let pattern = SymmetricPattern::new(dimension, entries);
            let solver = Box::new(SymmetricSolver::analyse(&pattern));
            let values = vec![0.0; pattern.len()];
            return Some(Self { kernel: Kernel::Symmetric { pattern, values, solver } });
        }
        let diagonal = (0..dimension).map(|i| (i, i));
        let mut sorted: Vec<(usize, usize)> = entries.map(|(i, j)| (j, i)).chain(diagonal).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let lu = SparseLu::new(dimension, &sorted)?;
        Some(Self { kernel: Kernel::General(Box::new(lu)) })
    }

    /// Where the entry (row, column) stands among the values; of a symmetric matrix, in either triangle.
    pub(crate) fn position(&self, row: usize, column: usize) -> Option<usize> {
        match &self.kernel {
            Kernel::Symmetric { pattern, .. } => pattern.position(row, column),
            Kernel::General(lu) => lu.position(row, column),
        }
    }

    /// The values of the matrix to be factored.
    pub(crate) fn values(&mut self) -> &mut [f64] {
        match &mut self.kernel {
            Kernel::Symmetric { values, .. } => values,
            Kernel::General(lu) => &mut lu.values,
        }
    }

    /// Factors the matrix of the present values.
    pub(crate) fn factor(&mut self) -> Result<(), FactorError> {
        match &mut self.kernel {
            Kernel::Symmetric { values, solver, .. } => solver.factor(values),
            Kernel::General(lu) => {
                lu.factor().map_err(|near| FactorError { pivot: near.pivot, index: near.row })
            }
        }
    }

    /// Replaces b by the solution of A x = b, with the last factorization; its residual is the caller's to judge.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        match &mut self.kernel {
            Kernel::Symmetric { solver, .. } => {
                // A solution that fails its check is left for the iteration around it, which does not converge then.
                if solver.solve(x).is_err() {
                    x.fill(f64::NAN);
                }
            }
            Kernel::General(lu) => lu.solve(x),
        }
    }

    /// y ← y + |A| x, with the absolute values of the entries.
    pub(crate) fn absolute_multiply_add(&self, x: &[f64], y: &mut [f64]) {
        match &self.kernel {
            Kernel::Symmetric { pattern, values, .. } => {
                for ((row, column), value) in pattern.entries().zip(values) {
                    y[row] += value.abs() * x[column];
                    if row != column {
                        y[column] += value.abs() * x[row];
                    }
                }
            }
            Kernel::General(lu) => lu.absolute_multiply_add(x, y),
        }
    }
}

impl std::fmt::Debug for SquareSolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let structure = match &self.kernel {
            Kernel::Symmetric { solver, .. } => Some(solver.structure()),
            Kernel::General(_) => None,
        };
        formatter.debug_struct("SquareSolver").field("symmetric", &structure).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = (1, 2, 3) is found again from A x, and |A| x is what it says.
    fn check(symmetric: bool, entries: &[(usize, usize, f64)]) {
        let places = entries.iter().map(|&(i, j, _)| (i, j));
        let mut solver = SquareSolver::analyse(3, places, symmetric).unwrap();
        let (mut b, mut sums) = ([0.0; 3], [0.0; 3]);
        for &(i, j, value) in entries {
            let place = solver.position(i, j).unwrap();
            solver.values()[place] += value;
            b[i] += value * (j + 1) as f64;
            sums[i] += value.abs() * (j + 1) as f64;
            if symmetric && i != j {
                b[j] += value * (i + 1) as f64;
                sums[j] += value.abs() * (i + 1) as f64;
            }
        }
        let mut found = [0.0; 3];
        solver.absolute_multiply_add(&[1.0, 2.0, 3.0], &mut found);
        assert_eq!(found.map(f64::to_bits), sums.map(f64::to_bits));
        solver.factor().unwrap();
        solver.solve(&mut b);
        assert!(b.iter().zip([1.0, 2.0, 3.0]).all(|(x, expected)| (x - expected).abs() < 1e-14), "{b:?}");
    }

    #[test]
    fn symmetric_and_unsymmetric_systems_are_solved() {
        check(true, &[(0, 0, 2.0), (1, 0, -1.0), (1, 1, 3.0), (2, 1, 0.5), (2, 2, 1.0)]);
        check(false, &[(0, 0, 2.0), (1, 0, -1.0), (0, 1, 0.3), (1, 1, 3.0), (2, 1, 0.5), (2, 2, 1.0)]);
        // The diagonal is zero: pivoting is needed.
        check(false, &[(0, 1, 2.0), (1, 0, -1.0), (2, 2, 1.0)]);
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut solver = SquareSolver::analyse(2, [(0, 1), (1, 0)].into_iter(), false).unwrap();
        solver.values().fill(1.0);
        assert!(solver.factor().is_err());
    }
}
