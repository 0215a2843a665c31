//! The matrix of a step where L or forces read sums: bordered
//! by them, so that it is as sparse as the elements.

use super::applied::Instant;
use super::report::Evaluations;
use crate::sparse::{FactorError, Factored, RowPattern, SolveError, Solver, SymmetricPattern};
use crate::system::{Lagrangian, ThroughSums};

/// Matrices that take so many times more products than there are entries are left as sparse as the
/// elements of L.
const FULL: u64 = 64;

/// Of at least so many entries of a bordered matrix one
/// is not zero; others fill up as they are factored.
const SPARSE: usize = 16;

/// A system with the sums that it reads, where they make its matrices sparser.
pub(super) fn through_sums<S: Lagrangian + ?Sized>(system: &S) -> Option<&dyn ThroughSums> {
    let through = system.through_sums()?;
    let dissipation = through.dissipation_by_sums().map_or(0, SymmetricPattern::len);
    let of_forces = through.force_by_sums().len() + dissipation;
    let sparse = through.bordered_pattern().len() + through.sum_pattern().len() + of_forces;
    let unknowns = system.dimension() + 2 * through.sums();
    let is_sparse = sparse.saturating_mul(SPARSE) < unknowns.saturating_mul(unknowns);
    (is_sparse && through.elimination() > FULL * sparse as u64).then_some(through)
}

/// Where a matrix has a part, and how it counts: its number, the factors a and b, and its weight w.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodePart {
    pub(super) number: usize,
    pub(super) ahead: f64,
    pub(super) behind: f64,
    pub(super) weight: f64,
}

impl NodePart {
    /// L_vv alone.
    pub(super) const MASS: Self = Self { number: 0, ahead: 0.0, behind: 0.0, weight: 1.0 };
}

/// The matrix K̂ = Σ w (L_vv + a L_vq + b (L_qv + F_v) + a b (L_qq + F_q)) through the sums: the rest of
///
/// ```text
/// [ Σ w (Bᵀ K A + b F_z A)   w Bᵀ Cᵀ   −w b C_vᵀ ]
/// [ C A                       0          0       ]
/// [ K_D A                     0         C_uᵀ     ]
/// ```
///
/// after the elimination of the changes δu of the sums and of the multipliers; see [`ThroughSums`].
/// Here (δq; δv; δt | δu) = A (δv | δu) with A = (a; 1; 0 | 1), and B likewise with b.
/// The rows of v of K_D are rows of δv with the factor −w b.
/// Each node has sums of its own.
///
/// For chains of pendulums in angles, whose second derivatives n × n are full, its cost grows with n.
pub(super) struct Border<'s> {
    system: &'s dyn ThroughSums,
    matrix: Solver,
    nodes: Vec<NodeEntries>,
    with_forces: bool,
    second: Vec<f64>,
    rows: Vec<f64>,
    force: Vec<f64>,
    dissipation: Vec<f64>,
    vector: Vec<f64>,
    /// The size of K, with which the rows and columns of
    /// multipliers count: so the units of L change no pivot.
    scale: f64,
}

/// The entries of a node.
struct NodeEntries {
    of_second: Vec<BorderEntry>,
    of_rows: Vec<BorderEntry>,
    of_force: Vec<BorderEntry>,
    of_dissipation: Vec<BorderEntry>,
    /// Ones.
    identity: Vec<u32>,
}

/// A derivative, and its place in the matrix.
#[derive(Debug, Clone, Copy)]
struct BorderEntry {
    source: u32,
    row: u32,
    column: u32,
    place: u32,
    /// A sum of [`WEIGHT`], [`BEHIND`], [`AHEAD`] and [`NEGATIVE`].
    factor: u8,
}

/// An entry counts with the weight of the node, with b, with a, and with a minus sign.
const WEIGHT: u8 = 1;
const BEHIND: u8 = 2;
const AHEAD: u8 = 4;
const NEGATIVE: u8 = 8;

/// The bit of a factor, if an entry has it.
fn bit(has: bool, factor: u8) -> u8 {
    if has { factor } else { 0 }
}

/// The numbers of the unknowns of a node: velocities, sums, multipliers of L, multipliers of D.
struct NodeUnknowns {
    n: usize,
    m: usize,
    first: usize,
}

impl NodeUnknowns {
    /// The unknown of an argument, and true if it is a position; the time is none.
    fn of(&self, argument: usize) -> Option<(usize, bool)> {
        let n = self.n;
        match argument {
            at if at < n => Some((at, true)),
            at if at < 2 * n => Some((at - n, false)),
            at => at.checked_sub(2 * n + 1).map(|sum| (self.first + sum, false)),
        }
    }

    fn multiplier(&self, sum: usize) -> usize {
        self.first + self.m + sum
    }

    fn of_dissipation(&self, sum: usize) -> usize {
        self.first + 2 * self.m + sum
    }

    fn entry(&self, source: usize, (row, column): (usize, usize), factor: u8) -> BorderEntry {
        let factor = factor | bit(row < self.n, WEIGHT);
        let (source, row, column) = (source as u32, row as u32, column as u32);
        BorderEntry { source, row, column, place: 0, factor }
    }

    /// The entries of K.
    fn of_second(&self, pattern: &SymmetricPattern) -> Vec<BorderEntry> {
        let mut entries = Vec::new();
        for (source, (row, column)) in pattern.entries().enumerate() {
            let (Some((i, is_q)), Some((j, of_q))) = (self.of(row), self.of(column)) else { continue };
            entries.push(self.entry(source, (i, j), bit(is_q, BEHIND) | bit(of_q, AHEAD)));
            if row != column {
                entries.push(self.entry(source, (j, i), bit(of_q, BEHIND) | bit(is_q, AHEAD)));
            }
        }
        entries
    }

    /// The entries of −∂s/∂z in C A and Bᵀ Cᵀ; of the first `dissipating` sums in C_vᵀ and C_uᵀ, too.
    fn of_rows(&self, pattern: &RowPattern, dissipating: usize) -> Vec<BorderEntry> {
        let mut entries = Vec::new();
        for (source, (sum, column)) in pattern.entries().enumerate() {
            let Some((j, is_q)) = self.of(column) else { continue };
            let multiplier = self.multiplier(sum);
            entries.push(self.entry(source, (multiplier, j), NEGATIVE | bit(is_q, AHEAD)));
            entries.push(self.entry(source, (j, multiplier), NEGATIVE | bit(is_q, BEHIND)));
            if sum >= dissipating || is_q {
                continue;
            }
            let multiplier = self.of_dissipation(sum);
            match column.checked_sub(2 * self.n + 1) {
                None => entries.push(self.entry(source, (j, multiplier), BEHIND)),
                Some(other) => {
                    entries.push(self.entry(source, (self.of_dissipation(other), multiplier), NEGATIVE));
                }
            }
        }
        entries
    }

    /// The entries of ∂F/∂z.
    fn of_force(&self, pattern: &RowPattern) -> Vec<BorderEntry> {
        let entries = pattern.entries().enumerate().filter_map(|(source, (row, column))| {
            let (j, is_q) = self.of(column)?;
            Some(self.entry(source, (row, j), BEHIND | bit(is_q, AHEAD)))
        });
        entries.collect()
    }

    /// The entries of K_D: rows of velocities are rows of the
    /// force, and rows of sums determine the multipliers.
    fn of_second_of_dissipation(&self, pattern: &SymmetricPattern) -> Vec<BorderEntry> {
        let n = self.n;
        let mut entries = Vec::new();
        let mut add = |source: usize, row: usize, column: usize| {
            let Some((j, is_q)) = self.of(column) else { return };
            if (n..2 * n).contains(&row) {
                entries.push(self.entry(source, (row - n, j), NEGATIVE | BEHIND | bit(is_q, AHEAD)));
            } else if let Some(sum) = row.checked_sub(2 * n + 1) {
                entries.push(self.entry(source, (self.of_dissipation(sum), j), bit(is_q, AHEAD)));
            }
        };
        for (source, (row, column)) in pattern.entries().enumerate() {
            add(source, row, column);
            if row != column {
                add(source, column, row);
            }
        }
        entries
    }
}

impl<'s> Border<'s> {
    /// For so many nodes; `None` where there is no memory.
    pub(super) fn new(system: &'s dyn ThroughSums, nodes: usize, with_forces: bool) -> Option<Self> {
        let (n, m) = (system.dimension(), system.sums());
        let dissipation = system.dissipation_by_sums().filter(|_| with_forces);
        let dissipating = dissipation.map_or(0, |pattern| pattern.dimension() - (2 * n + 1));
        let of_node = 2 * m + dissipating;
        let mut found: Vec<(NodeEntries, Vec<(usize, usize)>)> = (0..nodes)
            .map(|node| {
                let unknowns = NodeUnknowns { n, m, first: n + node * of_node };
                let multiplier = |sum| (unknowns.multiplier(sum), unknowns.first + sum);
                let of_dissipation = |sum| (unknowns.of_dissipation(sum), unknowns.of_dissipation(sum));
                let ones = (0..m).map(multiplier).flat_map(|(i, j)| [(i, j), (j, i)]);
                let ones = ones.chain((0..dissipating).map(of_dissipation)).collect();
                let places = NodeEntries {
                    of_second: unknowns.of_second(system.bordered_pattern()),
                    of_rows: unknowns.of_rows(system.sum_pattern(), dissipating),
                    of_force: if with_forces { unknowns.of_force(system.force_by_sums()) } else { vec![] },
                    of_dissipation: dissipation
                        .map_or_else(Vec::new, |pattern| unknowns.of_second_of_dissipation(pattern)),
                    identity: Vec::new(),
                };
                (places, ones)
            })
            .collect();
        let places = found.iter().flat_map(|(places, ones)| {
            let at = |entry: &BorderEntry| (entry.row as usize, entry.column as usize);
            places.all().into_iter().flatten().map(at).chain(ones.iter().copied())
        });
        let dimension = n + nodes * of_node;
        let matrix = Solver::unsymmetric(&SymmetricPattern::new(dimension, places.collect::<Vec<_>>()))?;
        for (places, ones) in &mut found {
            for entry in places.all_mut().into_iter().flatten() {
                entry.place = matrix.place(entry.row as usize, entry.column as usize);
            }
            places.identity = ones.iter().map(|&(row, column)| matrix.place(row, column)).collect();
        }
        Some(Self {
            nodes: found.into_iter().map(|(places, _)| places).collect(),
            with_forces,
            second: vec![0.0; system.bordered_pattern().len()],
            rows: vec![0.0; system.sum_pattern().len()],
            force: vec![0.0; if with_forces { system.force_by_sums().len() } else { 0 }],
            dissipation: vec![0.0; dissipation.map_or(0, SymmetricPattern::len)],
            vector: vec![0.0; dimension],
            scale: 1.0,
            matrix,
            system,
        })
    }

    /// Begins a matrix.
    pub(super) fn clear(&mut self) {
        self.matrix.values_mut().fill(0.0);
    }

    /// Adds the part of a node, and writes the first
    /// derivatives (L_q + F, L_v, L_t) there over `gradient`.
    pub(super) fn add(
        &mut self,
        part: NodePart,
        (q, v, at): (&[f64], &[f64], Instant),
        gradient: &mut [f64],
        counts: &mut Evaluations,
    ) {
        let Self { system, matrix, nodes, second, rows, force, dissipation, scale, .. } = self;
        system.bordered_second(q, v, at.t, gradient, second, rows);
        counts.gradients += 1;
        counts.hessians += 1;
        if self.with_forces {
            force.fill(0.0);
            dissipation.fill(0.0);
            system.add_bordered_force(
                (q, v, at.t),
                at.sampling,
                &mut gradient[..q.len()],
                force,
                dissipation,
            );
        }
        let (places, values) = (&nodes[part.number], matrix.values_mut());
        let kinds = [(WEIGHT, part.weight), (BEHIND, part.behind), (AHEAD, part.ahead), (NEGATIVE, -1.0)];
        let factors: [f64; 16] = std::array::from_fn(|kind| {
            let own = kinds.iter().filter(|(bit, _)| kind as u8 & bit != 0);
            own.map(|(_, factor)| factor).product()
        });
        let size = second.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        *scale = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        let derivatives = [(&*second, 1.0), (rows, *scale), (force, 1.0), (dissipation, 1.0)];
        for (entries, (derivatives, scale)) in places.all().into_iter().zip(derivatives) {
            for BorderEntry { source, place, factor, .. } in entries {
                let factor = scale * factors[usize::from(*factor)];
                // An infinite derivative that does not count would make the matrix no number.
                if factor != 0.0 {
                    values[*place as usize] += factor * derivatives[*source as usize];
                }
            }
        }
        places.identity.iter().for_each(|place| values[*place as usize] += *scale);
    }

    /// Factors the matrix.
    pub(super) fn factor(&mut self, counts: &mut Evaluations) -> Factored {
        counts.factorizations += 1;
        self.matrix.refactor().map_err(|error| FactorError { index: self.freedom_of(error.index), ..error })
    }

    /// The degree of freedom of an unknown, or one that its sum reads.
    #[cold]
    fn freedom_of(&self, index: usize) -> usize {
        let (n, m, pattern) = (self.system.dimension(), self.system.sums(), self.system.sum_pattern());
        let Some(behind) = index.checked_sub(n).filter(|_| m > 0) else { return index };
        let of_node = (self.vector.len() - n) / self.nodes.len();
        let columns = &pattern.columns()[pattern.row(behind % of_node % m)];
        columns
            .iter()
            .map(|column| *column as usize)
            .find(|column| *column < 2 * n)
            .map_or(0, |column| column % n)
    }

    /// Replaces r = L_q + F by the accelerations: the solution a of L_vv a + L_vq v + L_vt = r, after
    /// [`NodePart::MASS`].
    pub(super) fn accelerate(&mut self, v: &[f64], r: &mut [f64]) -> Result<(), SolveError> {
        let Self { system, matrix, second, rows, vector, scale, .. } = self;
        let (n, m) = (v.len(), system.sums());
        let (own, rest) = vector.split_at_mut(n);
        own.copy_from_slice(r);
        rest.fill(0.0);
        // Where the sums stand still at first, the arguments move by (v, 0, 1 | 0).
        let rate = |argument: usize| match argument {
            at if at < n => v[at],
            at if at == 2 * n => 1.0,
            _ => 0.0,
        };
        let row = |argument: usize| match argument {
            at if (n..2 * n).contains(&at) => Some(at - n),
            at => at.checked_sub(2 * n + 1).map(|sum| n + sum),
        };
        for ((i, j), value) in system.bordered_pattern().entries().zip(&*second) {
            for (i, j) in [(i, j), (j, i)].into_iter().take(if i == j { 1 } else { 2 }) {
                if let Some(row) = row(i) {
                    vector[row] -= value * rate(j);
                }
            }
        }
        for ((sum, column), value) in system.sum_pattern().entries().zip(&*rows) {
            vector[n + m + sum] += *scale * value * rate(column);
        }
        matrix.solve(vector)?;
        r.copy_from_slice(&vector[..n]);
        Ok(())
    }

    /// Replaces r by the solution x of K̂ x = r.
    pub(super) fn solve(&mut self, r: &mut [f64]) -> Result<(), SolveError> {
        let (own, rest) = self.vector.split_at_mut(r.len());
        own.copy_from_slice(r);
        rest.fill(0.0);
        self.matrix.solve(&mut self.vector)?;
        r.copy_from_slice(&self.vector[..r.len()]);
        Ok(())
    }

    /// Replaces r by the solution x of K̂ x = r, for an
    /// iteration that does not converge with a refused one.
    pub(super) fn solve_or_spoil(&mut self, r: &mut [f64]) {
        if self.solve(r).is_err() {
            r.fill(f64::NAN);
        }
    }
}

impl NodeEntries {
    fn all(&self) -> [&Vec<BorderEntry>; 4] {
        [&self.of_second, &self.of_rows, &self.of_force, &self.of_dissipation]
    }

    fn all_mut(&mut self) -> [&mut Vec<BorderEntry>; 4] {
        [&mut self.of_second, &mut self.of_rows, &mut self.of_force, &mut self.of_dissipation]
    }
}
