//! General sparse matrices: L D Lᵀ by `faer`, in the order of approximate minimum degree.
//!
//! The symbolic part is done once; numeric factorizations and solves write into memory allocated with it.

use super::kernel::{Elimination, Entries, Factor, FactorError, largest_magnitude};
use crate::sparse::pattern::SymmetricPattern;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltRegularization};
use faer::prelude::Reborrow;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side, Spec};

pub(super) struct General {
    matrix: SymbolicSparseColMat<u32>,
    symbolic: SymbolicCholesky<u32>,
    factors: Vec<f64>,
    memory: MemBuffer,
}

impl std::fmt::Debug for General {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("General").field("symbolic", &self.symbolic).finish_non_exhaustive()
    }
}

impl General {
    /// Orders the unknowns and allocates; `None` when the library refuses, as when memory is short.
    pub(super) fn new(pattern: &SymmetricPattern) -> Option<Self> {
        let dimension = pattern.dimension();
        let starts =
            pattern.starts().iter().map(|&start| u32::try_from(start).ok()).collect::<Option<_>>()?;
        let matrix =
            SymbolicSparseColMat::new_checked(dimension, dimension, starts, None, pattern.rows().to_vec());
        // Never `SymmetricOrdering::Identity` together with `Side::Lower`: faer 0.24 panics on that.
        let symbolic = factorize_symbolic_cholesky(
            matrix.rb(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let requirement = StackReq::or(
            symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Spec::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        );
        let memory = MemBuffer::try_new(requirement).ok()?;
        Some(Self { factors: vec![0.0; symbolic.len_val()], matrix, symbolic, memory })
    }

    /// Each pivot beside the diagonal entry and the entries below it in the column of its unknown.
    /// (In the supernodal form the pivots stand inside panels; there the residual alone is the judge.)
    fn check_pivots(&self, entries: &Entries<'_>) -> Result<(), FactorError> {
        let SymbolicCholeskyRaw::Simplicial(simplicial) = self.symbolic.raw() else { return Ok(()) };
        let Entries { pattern, lower, .. } = entries;
        for (place, &start) in simplicial.col_ptr().iter().take(pattern.dimension()).enumerate() {
            let index = self.unknown_at(place);
            let column = &lower[pattern.starts()[index]..pattern.starts()[index + 1]];
            let pivot = self.factors[start as usize];
            if !entries.acceptable(pivot, largest_magnitude(column)) {
                return Err(FactorError { pivot, index });
            }
        }
        Ok(())
    }

    fn unknown_at(&self, place: usize) -> usize {
        // In panels faer counts some columns twice, so that a place may lie beyond the last one.
        let place = place.min(self.symbolic.nrows().saturating_sub(1));
        self.symbolic.perm().map_or(place, |order| order.arrays().0[place] as usize)
    }
}

impl Factor for General {
    fn factor(&mut self, entries: &Entries<'_>) -> Result<(), FactorError> {
        let Entries { pattern, lower, .. } = entries;
        if let Some(position) = lower.iter().position(|value| !value.is_finite()) {
            let index = pattern.rows()[position] as usize;
            return Err(FactorError { pivot: lower[position], index });
        }
        let outcome = self.symbolic.factorize_numeric_ldlt(
            &mut self.factors,
            SparseColMatRef::new(self.matrix.rb(), lower),
            Side::Lower,
            LdltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        if let Err(LdltError::ZeroPivot { index }) = outcome {
            return Err(FactorError { pivot: 0.0, index: self.unknown_at(index) });
        }
        self.check_pivots(entries)
    }

    fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        LdltRef::new(&self.symbolic, &self.factors).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, rows, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }

    fn elimination(&self) -> Elimination {
        Elimination::General
    }
}
