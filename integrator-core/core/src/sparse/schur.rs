//! S = G₁ M⁻¹ G₂ᵀ on its own sparse pattern: chains and molecules under constraints use it.

use super::factor::{Elimination, Factored, Solver};
use super::full::total;
use super::inverse_mass::InverseMass;
use super::pattern::SymmetricPattern;
use super::rows::RowPattern;

/// S = G₁ M⁻¹ G₂ᵀ on its own pattern: for a mass whose inverse is sparse.
///
/// The sparsity is analysed once: which blocks of a row
/// of G₁ and of M⁻¹ G₂ᵀ have their columns in common.
pub(super) struct Schur {
    jacobian: RowPattern,
    /// The pattern and values of G₂ M⁻¹: its rows are the
    /// directions into which the multipliers move the positions.
    directions: RowPattern,
    values: Vec<f64>,
    /// For a block mass: position in the directions, in G and in M⁻¹ of each term.
    spread: Vec<[u32; 3]>,
    /// The number of columns in a block of both.
    block: usize,
    /// True if the directions have the pattern of G: the diagonal of S is the products of their rows.
    by_rows: bool,
    lower: Products,
    upper: Products,
    solver: Solver,
}

/// Which blocks of two value arrays have products that add up to the entries of a triangle of S.
#[derive(Default)]
struct Products {
    /// Entries of one product, each with its blocks: most constraints share one point.
    single: Vec<[u32; 3]>,
    /// The others, each with the end of its products.
    entries: Vec<[u32; 2]>,
    blocks: Vec<[u32; 2]>,
}

/// An entry of S and the blocks of one of its products.
type Term = (u32, [u32; 2]);

/// Row and column of S, and the blocks of a product there.
type Pair = (usize, usize, [u32; 2]);

impl Schur {
    /// `None` where S would hold many more products than G
    /// has entries: a saddle-point system is sparser then.
    pub(super) fn new(mass: &InverseMass, jacobian: &RowPattern) -> Option<Self> {
        let (directions, spread) = match mass {
            InverseMass::Diagonal(_) => (jacobian.clone(), Vec::new()),
            InverseMass::Blocks { pattern, .. } => spread_directions(pattern, jacobian),
            InverseMass::General(_) => return None,
        };
        let by_rows = directions == *jacobian;
        let block = if by_rows { jacobian.block() } else { 1 };
        let pairs = pairs(jacobian, &directions, block)?;
        let entries = pairs.iter().map(|&(row, column, _)| (row, column));
        let pattern = SymmetricPattern::new(jacobian.height(), entries);
        let products = |lower: bool| {
            let own = pairs
                .iter()
                .filter(|(row, column, _)| (column <= row) == lower && !(by_rows && column == row));
            Products::new(own.map(|pair| term(&pattern, pair)).collect())
        };
        Some(Self {
            jacobian: jacobian.clone(),
            values: vec![0.0; directions.len()],
            directions,
            spread,
            block,
            by_rows,
            lower: products(true),
            upper: products(false),
            solver: Solver::square(&pattern),
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
    pub(super) fn factor_symmetric(&mut self, jacobian: &[f64], shifts: &[f64]) -> Factored {
        self.fill(jacobian, true);
        self.shift(shifts);
        self.solver.refactor_mirrored()
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with the last G₂, and shifts.
    pub(super) fn factor(&mut self, left: &[f64], shifts: &[f64]) -> Factored {
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
        let Self { jacobian, values, solver, lower, upper, by_rows, .. } = self;
        let (pattern, entries) = solver.pattern_and_values();
        let (below, above) = entries.split_at_mut(pattern.len());
        if *by_rows {
            let starts = pattern.starts();
            jacobian.row_products::<N>(left, values, |row, product| below[starts[row]] = product);
        } else {
            below.fill(0.0);
        }
        lower.fill::<N>(left, values, below);
        if !mirrored {
            upper.fill::<N>(left, values, above);
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
    /// The order of the products of an entry is kept fixed.
    fn new(mut terms: Vec<Term>) -> Self {
        terms.sort_unstable();
        let mut all = Self::default();
        for own in terms.chunk_by(|a, b| a.0 == b.0) {
            if let &[(entry, [a, b])] = own {
                all.single.push([entry, a, b]);
                continue;
            }
            all.blocks.extend(own.iter().map(|(_, blocks)| *blocks));
            all.entries.push([own[0].0, all.blocks.len() as u32]);
        }
        all
    }

    /// Writes the entries that have products.
    fn fill<const N: usize>(&self, left: &[f64], right: &[f64], entries: &mut [f64]) {
        let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
        for &[entry, a, b] in &self.single {
            let (a, b) = (&left[a as usize], &right[b as usize]);
            entries[entry as usize] = total::<N, _>(std::array::from_fn(|k| a[k] * b[k]));
        }
        let mut at = 0;
        for &[entry, end] in &self.entries {
            let mut sum = [0.0; N];
            for &[a, b] in &self.blocks[at..end as usize] {
                let (a, b) = (&left[a as usize], &right[b as usize]);
                for k in 0..N {
                    sum[k] += a[k] * b[k];
                }
            }
            at = end as usize;
            entries[entry as usize] = total(sum);
        }
    }
}

/// The pattern of G M⁻¹ for a block mass, and the terms that make it.
fn spread_directions(inverse: &RowPattern, jacobian: &RowPattern) -> (RowPattern, Vec<[u32; 3]>) {
    let terms = jacobian.entries().enumerate().flat_map(|(entry, (row, k))| {
        inverse.row(k).map(move |place| (row, inverse.columns()[place] as usize, entry, place))
    });
    let terms: Vec<(usize, usize, usize, usize)> = terms.collect();
    let pattern = RowPattern::new(
        jacobian.height(),
        jacobian.width(),
        terms.iter().map(|&(row, column, _, _)| (row, column)),
    );
    let spread = terms
        .into_iter()
        .map(|(row, column, entry, place)| [pattern.place(row, column), entry as u32, place as u32])
        .collect();
    (pattern, spread)
}

/// The products of S: row and column of each, and its blocks.
/// `None` where there are many more of them than G has entries.
fn pairs(jacobian: &RowPattern, directions: &RowPattern, block: usize) -> Option<Vec<Pair>> {
    let of_columns = by_columns(directions, block);
    let limit = 32 * (jacobian.len() + 32 * 32);
    let mut pairs = Vec::new();
    for (left, (row, column)) in jacobian.entries().step_by(block).enumerate() {
        if (pairs.len() + of_columns[column].len()) * block > limit {
            return None;
        }
        pairs.extend(of_columns[column].iter().map(|&(other, right)| (row, other, [left as u32, right])));
    }
    Some(pairs)
}

fn term(pattern: &SymmetricPattern, &(row, column, blocks): &Pair) -> Term {
    (pattern.place(row, column), blocks)
}

/// For each column the rows with a block that begins there, with the number of the block.
fn by_columns(pattern: &RowPattern, block: usize) -> Vec<Vec<(usize, u32)>> {
    let mut columns = vec![Vec::new(); pattern.width()];
    for (place, (row, column)) in pattern.entries().step_by(block).enumerate() {
        columns[column].push((row, place as u32));
    }
    columns
}
