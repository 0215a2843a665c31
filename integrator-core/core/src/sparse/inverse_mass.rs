use super::factor::{FactorError, Factored, Solver};
use super::order::components;
use super::pattern::SymmetricMatrix;
use super::rows::RowPattern;

/// Coupled degrees of freedom up to this number are inverted as a dense block.
pub(super) const LARGEST_BLOCK: usize = 12;

/// M⁻¹ in the form that its sparsity allows; explicit where that is sparse, since S = G M⁻¹ Gᵀ is made
/// of its entries.
pub(super) enum InverseMass {
    /// The reciprocals of a diagonal mass.
    Diagonal(Vec<f64>),
    /// Independent small blocks, inverted: all entries of M⁻¹ by rows.
    Blocks { pattern: RowPattern, values: Vec<f64>, copy: Vec<f64> },
    /// A mass whose inverse is dense: factored.
    General(Box<Solver>),
}

impl InverseMass {
    pub(super) fn new(mass: &SymmetricMatrix) -> Factored<Self> {
        if mass.is_diagonal() {
            return reciprocals(&mass.values).map(Self::Diagonal);
        }
        let mut solver = Solver::symmetric(&mass.pattern);
        solver.factor(&mass.values)?;
        let blocks = components(&mass.pattern).members();
        if blocks.iter().all(|block| block.len() <= LARGEST_BLOCK) {
            return Self::invert(&mut solver, &blocks);
        }
        Ok(Self::General(Box::new(solver)))
    }

    /// M⁻¹ column by column, of all blocks at once.
    fn invert(solver: &mut Solver, blocks: &[Vec<usize>]) -> Factored<Self> {
        let dimension = solver.pattern().dimension();
        let pairs = blocks.iter().flat_map(|b| b.iter().flat_map(move |&i| b.iter().map(move |&j| (i, j))));
        let pattern = RowPattern::new(dimension, dimension, pairs);
        let (mut values, mut column) = (vec![0.0; pattern.len()], vec![0.0; dimension]);
        for k in 0..LARGEST_BLOCK {
            let with_column = || blocks.iter().filter_map(|block| Some((block, *block.get(k)?)));
            column.fill(0.0);
            with_column().for_each(|(_, j)| column[j] = 1.0);
            solver.substitute(&mut column);
            for (block, j) in with_column() {
                if column[j].is_nan() || column[j] <= 0.0 {
                    return Err(FactorError { pivot: 1.0 / column[j], index: j });
                }
                for &i in block {
                    if let Some(place) = pattern.position(i, j) {
                        values[place] = column[i];
                    }
                }
            }
        }
        Ok(Self::Blocks { pattern, values, copy: column })
    }

    /// x ← ± M⁻¹ x.
    #[inline]
    pub(super) fn apply(&mut self, sign: f64, x: &mut [f64]) {
        match self {
            Self::Diagonal(reciprocals) => {
                x.iter_mut().zip(reciprocals).for_each(|(entry, reciprocal)| *entry *= sign * *reciprocal);
            }
            _ => self.apply_coupled(sign, x),
        }
    }

    fn apply_coupled(&mut self, sign: f64, x: &mut [f64]) {
        match self {
            Self::Diagonal(_) => {}
            Self::Blocks { pattern, values, copy } => {
                copy.copy_from_slice(x);
                x.fill(0.0);
                pattern.multiply_add(values, copy, x);
            }
            Self::General(solver) => solver.substitute(x),
        }
        x.iter_mut().for_each(|entry| *entry *= sign);
    }
}

/// The inverse of a diagonal mass.
pub(crate) fn reciprocals(diagonal: &[f64]) -> Factored<Vec<f64>> {
    match diagonal.iter().position(|entry| !(*entry > 0.0 && entry.is_finite())) {
        Some(index) => Err(FactorError { pivot: diagonal[index], index }),
        None => Ok(diagonal.iter().map(|entry| 1.0 / entry).collect()),
    }
}
