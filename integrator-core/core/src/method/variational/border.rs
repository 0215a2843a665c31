//! The matrix of a step where L reads sums: bordered by them, so that it is as sparse as the elements of L.

use crate::method::report::Evaluations;
use crate::sparse::{FactorError, Solver, SymmetricPattern};
use crate::system::ThroughSums;

/// The matrix K̂ = L_vv + a L_vq + b L_qv + a b L_qq through the sums: what is left of
///
/// ```text
/// [ Bᵀ K A   Bᵀ Cᵀ ]     A = (a; 1; 0 | 1) on (δq; δv; δt | δu) = A (δv | δu),
/// [ C A       0    ]     B the same with b,
/// ```
///
/// when the changes δu of the sums, and the multipliers of C A (δv | δu) = 0, are eliminated; see [`ThroughSums`].
pub(super) struct Border<'s> {
    system: &'s dyn ThroughSums,
    matrix: Solver,
    of_second: Vec<Entry>,
    of_rows: Vec<Entry>,
    /// The places of u in C, and of its mirror image.
    of_sums: Vec<u32>,
    second: Vec<f64>,
    rows: Vec<f64>,
    vector: Vec<f64>,
}

/// A derivative, and where it stands in the matrix.
struct Entry {
    source: u32,
    place: u32,
    /// True where its row, or its column, is that of a position.
    row: bool,
    column: bool,
}

impl<'s> Border<'s> {
    /// `None` where there is no memory.
    pub(super) fn new(system: &'s dyn ThroughSums) -> Option<Self> {
        let (n, m) = (system.dimension(), system.sums());
        let unknown = |argument: usize| match argument {
            at if at < n => Some((at, true)),
            at if at < 2 * n => Some((at - n, false)),
            at => at.checked_sub(2 * n + 1).map(|sum| (n + sum, false)),
        };
        // Source, row and column of each entry.
        let (mut of_second, mut of_rows) = (Vec::new(), Vec::new());
        for (source, (row, column)) in system.bordered_pattern().entries().enumerate() {
            if let (Some(row), Some(column)) = (unknown(row), unknown(column)) {
                of_second.push((source, row, column));
                if row != column {
                    of_second.push((source, column, row));
                }
            }
        }
        for (source, (row, column)) in system.sum_pattern().entries().enumerate() {
            if let Some(column) = unknown(column) {
                let row = (n + m + row, false);
                of_rows.push((source, row, column));
                of_rows.push((source, column, row));
            }
        }
        let sums = (0..m).flat_map(|sum| [(n + m + sum, n + sum), (n + sum, n + m + sum)]);
        let places = of_second.iter().chain(&of_rows).map(|(_, (row, _), (column, _))| (*row, *column));
        let pattern = SymmetricPattern::new(n + 2 * m, places.chain(sums.clone()));
        let matrix = Solver::unsymmetric(&pattern)?;
        let place = |row, column| matrix.position(row, column).unwrap_or_default() as u32;
        let entry = |(source, (row, of_row), (column, of_column)): (usize, (usize, bool), (usize, bool))| {
            Entry { source: source as u32, place: place(row, column), row: of_row, column: of_column }
        };
        Some(Self {
            of_second: of_second.into_iter().map(entry).collect(),
            of_rows: of_rows.into_iter().map(entry).collect(),
            of_sums: sums.map(|(row, column)| place(row, column)).collect(),
            second: vec![0.0; system.bordered_pattern().len()],
            rows: vec![0.0; system.sum_pattern().len()],
            vector: vec![0.0; n + 2 * m],
            matrix,
            system,
        })
    }

    /// The factors of the matrix for a and b, and the first derivatives, at (q, v, t).
    pub(super) fn factor(
        &mut self,
        (q, v, t): (&[f64], &[f64], f64),
        [ahead, behind]: [f64; 2],
        gradient: &mut [f64],
        counts: &mut Evaluations,
    ) -> Result<(), FactorError> {
        let Self { system, matrix, of_second, of_rows, of_sums, second, rows, .. } = self;
        system.bordered_second(q, v, t, gradient, second, rows);
        counts.gradients += 1;
        counts.hessians += 1;
        counts.factorizations += 1;
        matrix.factor_with(|values| {
            values.fill(0.0);
            for (entries, derivatives, sign) in [(of_second, second, 1.0), (of_rows, rows, -1.0)] {
                for Entry { source, place, row, column } in entries {
                    let factor = if *row { behind } else { 1.0 } * if *column { ahead } else { 1.0 };
                    values[*place as usize] += sign * factor * derivatives[*source as usize];
                }
            }
            of_sums.iter().for_each(|place| values[*place as usize] += 1.0);
        })
    }

    /// Replaces r by the solution x of K̂ x = r, for an iteration that does not converge with a refused one.
    pub(super) fn solve_or_spoil(&mut self, r: &mut [f64]) {
        let (own, rest) = self.vector.split_at_mut(r.len());
        own.copy_from_slice(r);
        rest.fill(0.0);
        self.matrix.solve_or_spoil(&mut self.vector);
        r.copy_from_slice(&self.vector[..r.len()]);
    }
}
