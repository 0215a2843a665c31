use super::ZeroPivot;
use super::inverse_mass::full_entries;
use super::lu::SparseLu;
use crate::sparse::{RowPattern, SymmetricMatrix};

/// The saddle-point system [M G₂ᵀ; G₁ 0], for a mass whose inverse is dense or equations that share a coordinate with
/// very many others: nothing denser than M and G is ever formed.
pub(super) struct Saddle {
    dimension: usize,
    jacobian: RowPattern,
    /// The values of G₂.
    carrier: Vec<f64>,
    lu: SparseLu,
    /// Where the entries of G₂ᵀ and of G₁ stand in the matrix.
    right: Vec<u32>,
    left: Vec<u32>,
    unknowns: Vec<f64>,
    motion: Vec<f64>,
}

impl Saddle {
    pub(super) fn new(mass: &SymmetricMatrix, jacobian: &RowPattern) -> Option<Self> {
        let dimension = jacobian.width();
        let size = dimension + jacobian.height();
        let inertia = full_entries(mass);
        let mut entries = inertia.clone();
        for (row, column) in jacobian.entries() {
            entries.push((column, dimension + row));
            entries.push((dimension + row, column));
        }
        // Zeros on the diagonal of the empty block, where a redundant equation is looked for.
        entries.extend((dimension..size).map(|index| (index, index)));
        entries.sort_unstable();
        let mut lu = SparseLu::new(size, &entries)?;
        for (column, row) in inertia {
            let place = lu.position(row, column)?;
            lu.values[place] = mass.pattern.position(row, column).map_or(0.0, |k| mass.values[k]);
        }
        let positions = |transposed: bool| -> Option<Vec<u32>> {
            jacobian
                .entries()
                .map(|(row, column)| {
                    let (i, j) = (dimension + row, column);
                    let place = if transposed { lu.position(j, i) } else { lu.position(i, j) };
                    place.map(|k| k as u32)
                })
                .collect()
        };
        Some(Self {
            right: positions(true)?,
            left: positions(false)?,
            dimension,
            carrier: vec![0.0; jacobian.len()],
            jacobian: jacobian.clone(),
            lu,
            unknowns: vec![0.0; size],
            motion: vec![0.0; dimension],
        })
    }

    pub(super) fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.carrier.copy_from_slice(jacobian);
        for (&place, &value) in self.right.iter().zip(jacobian) {
            self.lu.values[place as usize] = value;
        }
        self.factor(jacobian)
    }

    pub(super) fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot> {
        for (&place, &value) in self.left.iter().zip(left) {
            self.lu.values[place as usize] = value;
        }
        let dimension = self.dimension;
        self.lu
            .factor()
            .map_err(|null| ZeroPivot { row: null.row.saturating_sub(dimension), pivot: null.pivot })
    }

    /// From M y + G₂ᵀ x = 0 and G₁ y = r follows G₁ M⁻¹ G₂ᵀ x = −r.
    pub(super) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        let (motion, multipliers) = self.unknowns.split_at_mut(self.dimension);
        motion.fill(0.0);
        multipliers.copy_from_slice(residual);
        self.lu.solve(&mut self.unknowns);
        x.copy_from_slice(&self.unknowns[self.dimension..]);
    }

    /// G₂ᵀ λ, to which M⁻¹ is still to be applied.
    pub(super) fn force(&mut self, multipliers: &[f64]) -> &mut [f64] {
        self.motion.fill(0.0);
        self.jacobian.transpose_multiply_add(&self.carrier, multipliers, &mut self.motion);
        &mut self.motion
    }
}
