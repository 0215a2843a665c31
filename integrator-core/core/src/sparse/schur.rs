use super::factor::{Elimination, FactorError, Solver};
use super::full::total;
use super::inverse_mass::InverseMass;
use super::members::SchurOfMembers;
use super::pattern::SymmetricPattern;
use super::rows::RowPattern;

/// S = G₁ M⁻¹ G₂ᵀ on its own pattern: for a mass whose inverse is sparse.
///
/// The sparsity is analysed once: which blocks of a row of G₁ and of M⁻¹ G₂ᵀ have their columns in common.
pub(super) struct Schur {
    jacobian: RowPattern,
    /// The pattern and values of G₂ M⁻¹: its rows are the directions into which the multipliers move the positions.
    directions: RowPattern,
    values: Vec<f64>,
    /// For a block mass: position in the directions, in G and in M⁻¹ of each term.
    spread: Vec<[u32; 3]>,
    /// The number of columns in a block of both.
    block: usize,
    lower: Products,
    upper: Products,
    solver: Solver,
}

/// Which blocks of two value arrays have products that add up to each entry of a triangle of S.
#[derive(Default)]
struct Products {
    /// Where the products of each entry begin, and the end of the last.
    starts: Vec<u32>,
    blocks: Vec<[u32; 2]>,
}

impl Schur {
    /// `None` where S would hold many more products than G has entries: a saddle-point system is sparser then.
    pub(super) fn new(mass: &InverseMass, jacobian: &RowPattern) -> Option<Self> {
        let (directions, spread) = match mass {
            InverseMass::Diagonal(_) => (jacobian.clone(), Vec::new()),
            InverseMass::Blocks { pattern, .. } => spread_directions(pattern, jacobian),
            InverseMass::General(_) => return None,
        };
        let block = if directions == *jacobian { jacobian.block() } else { 1 };
        let of_columns = by_columns(&directions, block);
        let limit = 32 * (jacobian.len() + 32 * 32);
        let mut count = 0;
        let mut pairs = Vec::new();
        for (left, (row, column)) in jacobian.entries().step_by(block).enumerate() {
            count += of_columns[column].len() * block;
            if count > limit {
                return None;
            }
            pairs.extend(of_columns[column].iter().map(|&(other, right)| (row, other, left as u32, right)));
        }
        let entries = pairs.iter().map(|&(row, column, _, _)| (row, column));
        let pattern = SymmetricPattern::new(jacobian.height(), entries);
        let products = |lower: bool| {
            let own = pairs.iter().filter(|(row, column, ..)| (column <= row) == lower);
            let term = |&(row, column, left, right): &(usize, usize, u32, u32)| {
                Some((pattern.position(row, column)? as u32, [left, right]))
            };
            Products::new(pattern.len(), own.filter_map(term).collect())
        };
        Some(Self {
            jacobian: jacobian.clone(),
            values: vec![0.0; directions.len()],
            directions,
            spread,
            block,
            lower: products(true),
            upper: products(false),
            solver: Solver::square(&pattern),
        })
    }

    /// The system of members side by side. `None` where the mass is not diagonal, or where S has many rows
    /// and is neither diagonal nor tridiagonal.
    pub(super) fn of_members(&self, is_few: bool) -> Option<SchurOfMembers> {
        let narrow = Elimination::Banded { bandwidth: 1, renumbered: false };
        let elimination = self.solver.elimination();
        let is_narrow = elimination == Elimination::Diagonal || elimination == narrow;
        if !self.spread.is_empty() || !(is_few || is_narrow) {
            return None;
        }
        Some(SchurOfMembers {
            jacobian: self.jacobian.clone(),
            starts: self.lower.starts.clone(),
            blocks: self.lower.blocks.clone(),
            block: self.block,
            pattern: self.solver.pattern().clone(),
            is_few,
        })
    }

    /// Takes G₂.
    pub(super) fn stand(&mut self, mass: &InverseMass, jacobian: &[f64]) {
        match mass {
            InverseMass::Diagonal(reciprocals) => {
                self.jacobian.scale_columns(jacobian, reciprocals, &mut self.values);
            }
            InverseMass::Blocks { values: inverse, .. } => {
                self.values.fill(0.0);
                for &[target, entry, of_mass] in &self.spread {
                    self.values[target as usize] += jacobian[entry as usize] * inverse[of_mass as usize];
                }
            }
            InverseMass::General(_) => {}
        }
    }

    /// Factors G₂ M⁻¹ G₂ᵀ, of the G₂ taken last, with shifts added to the diagonal, if any are given.
    pub(super) fn factor_symmetric(&mut self, jacobian: &[f64], shifts: &[f64]) -> Result<(), FactorError> {
        self.fill(jacobian, true);
        self.shift(shifts);
        self.solver.refactor_mirrored()
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with the last G₂, and shifts.
    pub(super) fn factor(&mut self, left: &[f64], shifts: &[f64]) -> Result<(), FactorError> {
        self.fill(left, false);
        self.shift(shifts);
        self.solver.refactor()
    }

    fn shift(&mut self, shifts: &[f64]) {
        for (row, shift) in shifts.iter().enumerate() {
            if let Some(place) = self.solver.position(row, row) {
                self.solver.values_mut()[place] += shift;
            }
        }
    }

    /// See [`Solver::demand_pivots`].
    pub(super) fn demand_pivots(&mut self, least: f64) {
        self.solver.demand_pivots(least);
    }

    fn fill(&mut self, left: &[f64], mirrored: bool) {
        match self.block {
            2 => self.fill_by::<2>(left, mirrored),
            3 => self.fill_by::<3>(left, mirrored),
            _ => self.fill_by::<1>(left, mirrored),
        }
    }

    fn fill_by<const N: usize>(&mut self, left: &[f64], mirrored: bool) {
        let entries = self.solver.pattern().len();
        let (lower, upper) = self.solver.values_mut().split_at_mut(entries);
        self.lower.fill::<N>(left, &self.values, lower);
        if !mirrored {
            self.upper.fill::<N>(left, &self.values, upper);
        }
    }

    /// x ← −S⁻¹ r.
    pub(super) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        for (x, residual) in x.iter_mut().zip(residual) {
            *x = -residual;
        }
        self.solver.substitute(x);
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(super) fn add_motion(&self, multipliers: &[f64], y: &mut [f64]) {
        self.directions.transpose_multiply_add(&self.values, multipliers, y);
    }

    /// How S is solved.
    pub(super) fn elimination(&self) -> Elimination {
        self.solver.elimination()
    }
}

impl Products {
    /// Groups (target, blocks) by target; the order within a target is kept fixed.
    fn new(targets: usize, mut terms: Vec<(u32, [u32; 2])>) -> Self {
        terms.sort_unstable();
        let mut starts = vec![0; targets + 1];
        for (target, _) in &terms {
            starts[*target as usize + 1] += 1;
        }
        for target in 0..targets {
            starts[target + 1] += starts[target];
        }
        Self { starts, blocks: terms.into_iter().map(|(_, blocks)| blocks).collect() }
    }

    /// Writes the entries.
    fn fill<const N: usize>(&self, left: &[f64], right: &[f64], entries: &mut [f64]) {
        let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
        let mut at = 0;
        for (entry, &end) in entries.iter_mut().zip(&self.starts[1..]) {
            let mut sum = [0.0; N];
            for &[a, b] in &self.blocks[at..end as usize] {
                let (a, b) = (&left[a as usize], &right[b as usize]);
                for k in 0..N {
                    sum[k] += a[k] * b[k];
                }
            }
            at = end as usize;
            *entry = total(sum);
        }
    }
}

/// The pattern of G M⁻¹ for a block mass, and the terms that make it.
fn spread_directions(inverse: &RowPattern, jacobian: &RowPattern) -> (RowPattern, Vec<[u32; 3]>) {
    let terms: Vec<(usize, usize, usize, usize)> = jacobian
        .entries()
        .enumerate()
        .flat_map(|(entry, (row, k))| {
            inverse.row(k).map(move |place| (row, inverse.columns()[place] as usize, entry, place))
        })
        .collect();
    let pattern = RowPattern::new(
        jacobian.height(),
        jacobian.width(),
        terms.iter().map(|&(row, column, _, _)| (row, column)),
    );
    let spread = terms
        .into_iter()
        .filter_map(|(row, column, entry, place)| {
            Some([pattern.position(row, column)? as u32, entry as u32, place as u32])
        })
        .collect();
    (pattern, spread)
}

/// For each column the rows with a block that begins there, with the number of the block.
fn by_columns(pattern: &RowPattern, block: usize) -> Vec<Vec<(usize, u32)>> {
    let mut columns = vec![Vec::new(); pattern.width()];
    for (place, (row, column)) in pattern.entries().step_by(block).enumerate() {
        columns[column].push((row, place as u32));
    }
    columns
}
