//! The matrix of Newton's method for an implicit inner step, in its pattern.

use crate::carried::carried;
use crate::sparse::{FactorError, RowPattern, Solver, SymmetricPattern};
use crate::system::Lagrangian;

/// The part of the matrix K = M + c D + c² S that a derivative belongs to: L_vv, what multiplies v, what multiplies q.
#[derive(Debug, Clone, Copy)]
enum Part {
    Mass,
    Damping,
    Stiffness,
}

/// A number among derivatives of the model, and the entry of the matrix to which it is added or from which it is taken.
#[derive(Debug, Clone, Copy)]
struct Contribution {
    source: u32,
    place: u32,
    part: Part,
    sign: f64,
}

/// The derivative [M + c D + c² S, Bᵀ; B, 0] of the equations of motion in (a, μ), where q and v move with a as c² and c:
/// D = L_vq − L_qv − F_v, S = −L_qq − F_q + Σ μ Hess g.
///
/// Third derivatives of L, the derivatives of B beside a and v, and those of the forces Aᵀ μ, are left out: they are not stiff, and the
/// iteration judges itself.  What is stored are the nonzero entries alone.  Where D and B are none, the matrix is symmetric and is factored as such.
pub(super) struct NewtonMatrix {
    solver: Solver,
    of_lagrangian: Vec<Contribution>,
    of_forces: Vec<Contribution>,
    of_constraints: Vec<Contribution>,
    /// The places of the entries of B and of Bᵀ.
    of_rows: Vec<[u32; 2]>,
    /// The values of M, D and S in the order of the solver; D is empty where the matrix is symmetric.
    parts: [Vec<f64>; 3],
    rows: Vec<f64>,
}

impl NewtonMatrix {
    /// For a system whose constraints, of both kinds, have derivatives B of this pattern.  `None` when there is no memory.
    pub(super) fn new<L: Lagrangian + ?Sized>(lagrangian: &L, rows: &RowPattern) -> Option<Self> {
        let n = lagrangian.dimension();
        let (holonomic, forced) = (lagrangian.holonomic(), lagrangian.forced());
        let second = lagrangian.second_pattern();
        // (index among the derivatives, row, column, part, sign); an entry in the lower triangle stands for its mirror image too.
        let derivatives = || {
            second.entries().zip(0_u32..).flat_map(move |((row, column), source)| {
                let both = |row: usize, column: usize, part, signs: [f64; 2]| {
                    let mirrored = (row != column).then_some((source, column, row, part, signs[1]));
                    [Some((source, row, column, part, signs[0])), mirrored]
                };
                let found = if row < n {
                    both(row, column, Part::Stiffness, [-1.0, -1.0])
                } else if row < 2 * n && column < n {
                    // L_vq at its place, and L_qv, taken away, at the mirrored one; on the diagonal they cancel.
                    let (row, column) = (row - n, column);
                    if row == column { [None, None] } else { both(row, column, Part::Damping, [1.0, -1.0]) }
                } else if row < 2 * n {
                    both(row - n, column - n, Part::Mass, [1.0, 1.0])
                } else {
                    [None, None]
                };
                found.into_iter().flatten()
            })
        };
        let forces = || {
            let entries = forced.into_iter().flat_map(|forced| forced.force_pattern().entries()).zip(0_u32..);
            entries.map(move |((row, column), source)| {
                if column < n {
                    (source, row, column, Part::Stiffness, -1.0)
                } else {
                    (source, row, column - n, Part::Damping, -1.0)
                }
            })
        };
        let weighted = || {
            let entries = holonomic.into_iter().flat_map(|holonomic| holonomic.weighted_pattern().entries());
            entries.zip(0_u32..).flat_map(|((row, column), source)| {
                let mirrored = (row != column).then_some((source, column, row, Part::Stiffness, 1.0));
                [Some((source, row, column, Part::Stiffness, 1.0)), mirrored].into_iter().flatten()
            })
        };
        let lower = || rows.entries().map(|(row, column)| (n + row, column));
        let ordered =
            |(_, row, column, ..): (u32, usize, usize, Part, f64)| (row.max(column), row.min(column));
        let pattern = SymmetricPattern::new(
            n + rows.height(),
            derivatives().chain(forces()).chain(weighted()).map(ordered).chain(lower()),
        );
        let symmetric = rows.height() == 0
            && forced.is_none()
            && !derivatives().any(|(_, _, _, part, _)| matches!(part, Part::Damping));
        let mut solver = if symmetric { Solver::symmetric(&pattern) } else { Solver::pivoted(&pattern)? };
        // The iteration tells by itself where a solution is of no use.
        solver.accept_small_pivots();
        let length = solver.values_mut().len();
        let contributions = |found: &mut dyn Iterator<Item = (u32, usize, usize, Part, f64)>| {
            found
                .filter(|&(_, row, column, ..)| !symmetric || row >= column)
                .filter_map(|(source, row, column, part, sign)| {
                    let place = solver.position(row, column)? as u32;
                    Some(Contribution { source, place, part, sign })
                })
                .collect::<Vec<_>>()
        };
        Some(Self {
            of_lagrangian: contributions(&mut derivatives()),
            of_forces: contributions(&mut forces()),
            of_constraints: contributions(&mut weighted()),
            of_rows: lower()
                .filter_map(|(i, j)| Some([solver.position(i, j)? as u32, solver.position(j, i)? as u32]))
                .collect(),
            parts: [length, if symmetric { 0 } else { length }, length].map(|length| vec![0.0; length]),
            rows: vec![0.0; rows.len()],
            solver,
        })
    }

    /// Begins to write the parts anew, with the derivatives of L.
    pub(super) fn set_lagrangian(&mut self, second: &[f64]) {
        for part in &mut self.parts {
            part.fill(0.0);
        }
        scatter(&self.of_lagrangian, second, &mut self.parts);
    }

    /// Adds ∂F/∂(q, v).
    pub(super) fn add_forces(&mut self, derivatives: &[f64]) {
        scatter(&self.of_forces, derivatives, &mut self.parts);
    }

    /// Adds Σ μ Hess g, and takes B.
    pub(super) fn add_constraints(&mut self, weighted: &[f64], rows: &[f64]) {
        scatter(&self.of_constraints, weighted, &mut self.parts);
        self.rows.copy_from_slice(rows);
    }

    /// Factors the matrix for this c.
    pub(super) fn factor(&mut self, c: f64) -> Result<(), FactorError> {
        let [mass, damping, stiffness] = &self.parts;
        let values = self.solver.values_mut();
        for ((value, mass), stiffness) in values.iter_mut().zip(mass).zip(stiffness) {
            *value = mass + c * c * stiffness;
        }
        for (value, damping) in values.iter_mut().zip(damping) {
            *value += c * damping;
        }
        for (&[lower, upper], &entry) in self.of_rows.iter().zip(&self.rows) {
            (values[lower as usize], values[upper as usize]) = (entry, entry);
        }
        self.solver.refactor()
    }

    /// x ← K⁻¹ x, unchecked.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        self.solver.substitute(x);
    }
}

fn scatter(contributions: &[Contribution], derivatives: &[f64], parts: &mut [Vec<f64>; 3]) {
    for &Contribution { source, place, part, sign } in contributions {
        parts[part as usize][place as usize] += sign * derivatives[source as usize];
    }
}

carried!([] NewtonMatrix { parts, rows } besides { solver, of_lagrangian, of_forces, of_constraints, of_rows });
