use faer::dyn_stack::{MemBuffer, MemStack};
use faer::prelude::ReborrowMut;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};

/// A square sparse matrix by columns and its LU factorization with partial pivoting.
///
/// The column order (COLAMD) is found once. The factors keep their memory from one factorization to the next; only
/// pivoting that makes them fuller than they have ever been makes it grow.
pub(in crate::sparse) struct SparseLu {
    dimension: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    pub(in crate::sparse) values: Vec<f64>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
    probe: Vec<f64>,
    factored: bool,
}

/// A factorization that cannot be used: the row where the near null vector is largest, and how near it is.
pub(in crate::sparse) struct NearNull {
    pub(in crate::sparse) row: usize,
    pub(in crate::sparse) pivot: f64,
}

/// A matrix is taken for singular when one solve enlarges a vector by more than this over the norm of the matrix.
const SINGULAR: f64 = 1e-13;

impl SparseLu {
    /// The matrix with these (column, row) entries, in order and without repetition; `None` when there is no memory.
    pub(in crate::sparse) fn new(dimension: usize, entries: &[(usize, usize)]) -> Option<Self> {
        let mut starts = vec![0; dimension + 1];
        for &(column, _) in entries {
            starts[column + 1] += 1;
        }
        for column in 0..dimension {
            starts[column + 1] += starts[column];
        }
        let rows: Vec<usize> = entries.iter().map(|&(_, row)| row).collect();
        let pattern = SymbolicSparseColMatRef::new_checked(dimension, dimension, &starts, None, &rows);
        let parameters = LuSymbolicParams {
            // The supernodal code takes temporary memory in each factorization and gains nothing at this sparsity.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL,
            ..LuSymbolicParams::default()
        };
        let symbolic = factorize_symbolic_lu(pattern, parameters).ok()?;
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(need).ok()?;
        Some(Self {
            dimension,
            values: vec![0.0; rows.len()],
            probe: vec![0.0; dimension],
            factored: false,
            starts,
            rows,
            symbolic,
            numeric: NumericLu::new(),
            memory,
        })
    }

    /// Where the entry (row, column) stands among the values.
    pub(in crate::sparse) fn position(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].binary_search(&row).ok().map(|k| range.start + k)
    }

    /// y ← y + |A| x, with the absolute values of the entries.
    pub(in crate::sparse) fn absolute_multiply_add(&self, x: &[f64], y: &mut [f64]) {
        for (column, x) in x.iter().enumerate() {
            let range = self.starts[column]..self.starts[column + 1];
            for (&row, value) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                y[row] += value.abs() * x;
            }
        }
    }

    /// Factors the matrix of the present values.
    ///
    /// Partial pivoting hides a rank deficiency in rounding errors, so the factors are probed by one solve: it turns a
    /// fixed vector into the direction that the matrix nearly annihilates, whose largest entry names the culprit.
    /// Where a pivot is exactly zero, a shift of the diagonal by a rounding error makes that direction visible.
    pub(in crate::sparse) fn factor(&mut self) -> Result<(), NearNull> {
        let mut norm = 0.0_f64;
        for &value in &self.values {
            if !value.is_finite() {
                return Err(NearNull { row: 0, pivot: value });
            }
            norm = norm.max(value.abs());
        }
        self.eliminate();
        if let Some((_, largest)) = self.amplify() {
            let pivot = 1.0 / largest;
            if pivot > SINGULAR * norm {
                return Ok(());
            }
        }
        self.shift_diagonal(SINGULAR * norm);
        self.eliminate();
        let culprit = self.amplify();
        self.shift_diagonal(-SINGULAR * norm);
        Err(culprit
            .map_or(NearNull { row: 0, pivot: 0.0 }, |(row, largest)| NearNull { row, pivot: 1.0 / largest }))
    }

    fn eliminate(&mut self) {
        let size = self.dimension;
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
        for (index, entry) in probe.iter_mut().enumerate() {
            // A low-discrepancy sequence: orthogonal to no null vector that a mechanism has.
            *entry = 0.5 + (0.618_033_988_749_894_9 * (index + 1) as f64).fract();
        }
        self.solve(&mut probe);
        let finite = probe.iter().all(|entry| entry.is_finite());
        let mut largest = (0, 0.0_f64);
        for (index, entry) in probe.iter().enumerate() {
            if entry.abs() > largest.1 {
                largest = (index, entry.abs());
            }
        }
        self.probe = probe;
        finite.then_some(largest)
    }

    fn shift_diagonal(&mut self, shift: f64) {
        for index in 0..self.dimension {
            if let Some(place) = self.position(index, index) {
                self.values[place] += shift;
            }
        }
    }

    /// x ← A⁻¹ x with the last factorization.
    pub(in crate::sparse) fn solve(&mut self, x: &mut [f64]) {
        let lu = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let length = x.len();
        let mut column = MatMut::from_column_major_slice_mut(x, length, 1);
        lu.solve_in_place_with_conj(Conj::No, column.rb_mut(), Par::Seq, MemStack::new(&mut self.memory));
    }
}
