//! The sparse matrix of Newton's method for an implicit inner step.

use crate::carried::carried;
use crate::method::entries::{Contributions, NodeMatrixEntries};
use crate::sparse::{Factored, RowPattern, Solver, SymmetricPattern};
use crate::system::Lagrangian;

/// The derivative [M + c D + c² S, Bᵀ; B, 0] of the equations of motion in (a, μ), where q and v move
/// with a as c² and c: D = L_vq − L_qv − F_v, S = −L_qq − F_q + Σ μ Hess g.
///
/// Third derivatives of L, the derivatives of B beside a and v, and the derivatives of the forces Aᵀ μ
/// are omitted: they are not stiff, and the iteration judges itself. Only nonzero entries are stored.
/// Without D and B the matrix is symmetric and is factored as such.
pub(in crate::method) struct NewtonMatrix {
    solver: Solver,
    contributions: Contributions,
    /// The sources and the places of the entries of Hess g and of their mirror images.
    of_weighted: Vec<[u32; 2]>,
    /// The places of the entries of B and of Bᵀ.
    of_rows: Vec<[u32; 2]>,
    /// The derivatives in the matrix, in the order of their patterns: of L and F, Σ μ Hess g, and B.
    pub(in crate::method) second: Vec<f64>,
    pub(in crate::method) of_force: Vec<f64>,
    pub(in crate::method) weighted: Vec<f64>,
    pub(in crate::method) rows: Vec<f64>,
}

impl NewtonMatrix {
    /// For constraints of both kinds with derivatives B of this pattern. `None` without memory.
    pub(in crate::method) fn new<L: Lagrangian + ?Sized>(lagrangian: &L, rows: &RowPattern) -> Option<Self> {
        let n = lagrangian.dimension();
        let (holonomic, forced) = (lagrangian.holonomic(), lagrangian.forced());
        let entries = NodeMatrixEntries::of(lagrangian, rows.height() > 0);
        let weighted = || {
            let entries = holonomic.into_iter().flat_map(|holonomic| holonomic.weighted_pattern().entries());
            entries.zip(0_u32..).flat_map(|((row, column), source)| {
                let mirrored = (row != column).then_some((source, (column, row)));
                [Some((source, (row, column))), mirrored].into_iter().flatten()
            })
        };
        let lower = || rows.entries().map(|(row, column)| (n + row, column));
        let places = entries.places().chain(weighted().map(|(_, place)| place)).chain(lower());
        let pattern = SymmetricPattern::new(n + rows.height(), places.collect::<Vec<_>>());
        let mut solver =
            if entries.symmetric { Solver::symmetric(&pattern) } else { Solver::pivoted(&pattern)? };
        // The iteration notices a useless solution by itself.
        solver.accept_small_pivots();
        Some(Self {
            contributions: entries.placed(|row, column| solver.place(row, column)),
            of_weighted: weighted().map(|(source, (i, j))| [source, solver.place(i, j)]).collect(),
            of_rows: lower().map(|(i, j)| [solver.place(i, j), solver.place(j, i)]).collect(),
            second: vec![0.0; lagrangian.second_pattern().len()],
            of_force: vec![0.0; forced.map_or(0, |forced| forced.force_pattern().len())],
            weighted: vec![0.0; holonomic.map_or(0, |holonomic| holonomic.weighted_pattern().len())],
            rows: vec![0.0; rows.len()],
            solver,
        })
    }

    pub(in crate::method) fn factor(&mut self, c: f64) -> Factored {
        let values = self.solver.values_mut();
        values.fill(0.0);
        self.contributions.add([1.0, c, c], [&self.second, &self.of_force], values);
        for &[source, place] in &self.of_weighted {
            values[place as usize] += c * c * self.weighted[source as usize];
        }
        for (&[lower, upper], &entry) in self.of_rows.iter().zip(&self.rows) {
            (values[lower as usize], values[upper as usize]) = (entry, entry);
        }
        self.solver.refactor()
    }

    /// x ← K⁻¹ x, unchecked.
    pub(in crate::method) fn solve(&mut self, x: &mut [f64]) {
        self.solver.substitute(x);
    }
}

carried!([] NewtonMatrix {
    second, of_force, weighted, rows
} besides { solver, contributions, of_weighted, of_rows });
