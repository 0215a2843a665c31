//! Sparse L U with partial pivoting by `faer`.

use super::kernel::{Elimination, Entries, Factor, FactorError};
use super::probe::Probe;
use crate::sparse::pattern::SymmetricPattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::prelude::ReborrowMut;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

/// A square sparse matrix by columns and its factors.
///
/// The column order (COLAMD) is found once. The factors keep their memory from one factorization to the next; only
/// pivoting that makes them fuller than they have ever been makes it grow.
pub(super) struct Lu {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// Where each entry of the lower triangle stands, and its mirror image.
    places: Vec<[u32; 2]>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
    probe: Probe,
    factored: bool,
}

/// The rounding error that is added to the diagonal of a singular matrix, as a part of its norm.
const SHIFT: f64 = 1e-13;

impl Lu {
    /// `None` when there is no memory.
    pub(super) fn new(pattern: &SymmetricPattern) -> Option<Self> {
        let dimension = pattern.dimension();
        let mut entries: Vec<(usize, usize)> =
            pattern.entries().flat_map(|(row, column)| [(column, row), (row, column)]).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut starts = vec![0; dimension + 1];
        for &(column, _) in &entries {
            starts[column + 1] += 1;
        }
        for column in 0..dimension {
            starts[column + 1] += starts[column];
        }
        let rows: Vec<usize> = entries.iter().map(|&(_, row)| row).collect();
        let matrix = SymbolicSparseColMatRef::new_checked(dimension, dimension, &starts, None, &rows);
        let parameters = LuSymbolicParams {
            // The supernodal code takes temporary memory in each factorization and gains nothing at this sparsity.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL,
            ..LuSymbolicParams::default()
        };
        let symbolic = factorize_symbolic_lu(matrix, parameters).ok()?;
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(need).ok()?;
        let place = |row: usize, column: usize| {
            let range = starts[column]..starts[column + 1];
            rows[range.clone()].binary_search(&row).ok().map(|k| (range.start + k) as u32)
        };
        let both = |(row, column)| Some([place(row, column)?, place(column, row)?]);
        Some(Self {
            places: pattern.entries().filter_map(both).collect(),
            values: vec![0.0; rows.len()],
            probe: Probe::new(dimension),
            factored: false,
            starts,
            rows,
            symbolic,
            numeric: NumericLu::new(),
            memory,
        })
    }

    fn eliminate(&mut self) {
        let size = self.starts.len() - 1;
        let matrix = SparseColMatRef::new(
            SymbolicSparseColMatRef::new_checked(size, size, &self.starts, None, &self.rows),
            self.values.as_slice(),
        );
        let stack = MemStack::new(&mut self.memory);
        let outcome =
            self.symbolic.factorize_numeric_lu(&mut self.numeric, matrix, Par::Seq, stack, Spec::default());
        // A structurally singular matrix leaves no factors: the probe must then see that nothing can be solved.
        self.factored = outcome.is_ok();
    }

    /// The largest entry of A⁻¹ times a fixed vector, with its row; `None` when the factors contain a zero pivot.
    fn amplify(&mut self) -> Option<(usize, f64)> {
        if !self.factored {
            return None;
        }
        let mut probe = std::mem::take(&mut self.probe);
        let largest = probe.amplify(|x| self.solve(x));
        self.probe = probe;
        largest
    }

    fn shift_diagonal(&mut self, shift: f64) {
        for [place, mirror] in &self.places {
            if place == mirror {
                self.values[*place as usize] += shift;
            }
        }
    }
}

impl Factor for Lu {
    /// A matrix is taken for singular when one solve enlarges a vector by more than the reciprocal of the smallest pivot over its norm.
    ///
    /// The factors are [probed](Probe) by one solve.
    /// Where a pivot is exactly zero, a shift of the diagonal by a rounding error makes that direction visible.
    fn factor(&mut self, entries: &Entries<'_>) -> Result<(), FactorError> {
        let upper = entries.upper.unwrap_or(entries.lower);
        for (&[place, mirror], (&lower, &upper)) in self.places.iter().zip(entries.lower.iter().zip(upper)) {
            self.values[mirror as usize] = upper;
            self.values[place as usize] = lower;
        }
        let mut norm = 0.0_f64;
        for &value in &self.values {
            if !value.is_finite() {
                return Err(FactorError { pivot: value, index: 0 });
            }
            norm = norm.max(value.abs());
        }
        self.eliminate();
        if let Some((_, largest)) = self.amplify() {
            let pivot = 1.0 / largest;
            if pivot > entries.smallest_pivot * norm {
                return Ok(());
            }
        }
        self.shift_diagonal(SHIFT * norm);
        self.eliminate();
        let culprit = self.amplify();
        Err(culprit.map_or(FactorError { pivot: 0.0, index: 0 }, |(index, largest)| FactorError {
            pivot: 1.0 / largest,
            index,
        }))
    }

    fn solve(&mut self, x: &mut [f64]) {
        let lu = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let length = x.len();
        let mut column = MatMut::from_column_major_slice_mut(x, length, 1);
        lu.solve_in_place_with_conj(Conj::No, column.rb_mut(), Par::Seq, MemStack::new(&mut self.memory));
    }

    fn elimination(&self) -> Elimination {
        Elimination::General
    }
}

impl std::fmt::Debug for Lu {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Lu").field("dimension", &(self.starts.len() - 1)).finish_non_exhaustive()
    }
}
