//! Explicit Runge–Kutta tableaux, checked.

use crate::error::StartError;

/// An explicit Runge–Kutta method with `STAGES` stages and of order `ORDER`, both checked.
///
/// Z_i = z + h Σ_{j<i} a_ij φ(Z_j),  z₁ = z + h Σ b_i φ(Z_i),  c_i = Σ_j a_ij.
///
/// # Reference
/// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), chapter II,
/// doi:10.1007/978-3-540-78862-1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tableau<const STAGES: usize, const ORDER: u32> {
    a: [[f64; STAGES]; STAGES],
    b: [f64; STAGES],
    c: [f64; STAGES],
}

impl<const STAGES: usize, const ORDER: u32> Tableau<STAGES, ORDER> {
    /// The tableau with these coefficients, after a check of all order conditions up to `ORDER`.
    ///
    /// # Errors
    /// A coefficient that is not finite or makes the method implicit, an order condition violated by
    /// more than 1e-10.
    pub fn new(a: [[f64; STAGES]; STAGES], b: [f64; STAGES]) -> Result<Self, StartError> {
        let tableau = Self::unchecked(a, b);
        tableau.check()?;
        Ok(tableau)
    }

    const fn unchecked(a: [[f64; STAGES]; STAGES], b: [f64; STAGES]) -> Self {
        let mut c = [0.0; STAGES];
        let mut i = 0;
        while i < STAGES {
            let mut j = 0;
            while j < i {
                c[i] += a[i][j];
                j += 1;
            }
            i += 1;
        }
        Self { a, b, c }
    }

    fn check(&self) -> Result<(), StartError> {
        for (row, (stage, weight)) in self.a.iter().zip(&self.b).enumerate() {
            if let Some(&value) = stage.iter().chain([weight]).find(|value| !value.is_finite()) {
                return Err(StartError::TableauNotFinite { row, value });
            }
            for (column, &value) in stage.iter().enumerate().skip(row) {
                if value != 0.0 {
                    return Err(StartError::TableauNotExplicit { row, column, value });
                }
            }
        }
        for tree in trees(&self.a, ORDER as usize) {
            let value: f64 = self.b.iter().zip(&tree.inner).map(|(weight, inner)| weight * inner).sum();
            let expected = 1.0 / tree.density;
            if (value - expected).abs() > 1e-10 {
                return Err(StartError::TableauOrder { order: ORDER, failed: tree.order, value, expected });
            }
        }
        Ok(())
    }

    /// The coefficients a_ij, j < i, of stage i.
    pub fn stage(&self, i: usize) -> &[f64] {
        &self.a[i][..i]
    }

    /// The weights b_i.
    pub fn weights(&self) -> &[f64] {
        &self.b
    }

    /// The nodes c_i.
    pub fn nodes(&self) -> &[f64] {
        &self.c
    }
}

impl Tableau<4, 4> {
    /// The classical method of order 4.
    pub const CLASSICAL: Self = Self::unchecked(
        [[0.0; 4], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    );

    /// Kutta's method with the 3/8 rule.
    pub const THREE_EIGHTHS: Self = Self::unchecked(
        [[0.0; 4], [1.0 / 3.0, 0.0, 0.0, 0.0], [-1.0 / 3.0, 1.0, 0.0, 0.0], [1.0, -1.0, 1.0, 0.0]],
        [1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0],
    );
}

impl Tableau<2, 2> {
    /// The explicit midpoint rule.
    pub const MIDPOINT: Self = Self::unchecked([[0.0, 0.0], [0.5, 0.0]], [0.0, 1.0]);
}

impl Tableau<3, 3> {
    /// Heun's method of order 3.
    pub const HEUN: Self =
        Self::unchecked([[0.0; 3], [1.0 / 3.0, 0.0, 0.0], [0.0, 2.0 / 3.0, 0.0]], [0.25, 0.0, 0.75]);
}

impl Tableau<6, 5> {
    /// The method of order 5 of Dormand and Prince.
    pub const DORMAND_PRINCE: Self = Self::unchecked(
        [
            [0.0; 6],
            [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
            [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
            [19_372.0 / 6561.0, -25_360.0 / 2187.0, 64_448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
            [9017.0 / 3168.0, -355.0 / 33.0, 46_732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18_656.0, 0.0],
        ],
        [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    );
}

/// A rooted tree and its order condition on a tableau: Σ b_i φ_i = 1/γ.
pub struct Tree {
    /// The number of vertices.
    pub order: usize,
    /// γ.
    density: f64,
    /// φ_i: the product over the branches of Σ_j a_ij φ_j(branch).
    inner: Vec<f64>,
    /// Σ_j a_ij φ_j, its factor as a branch of another tree.
    branch: Vec<f64>,
}

/// All rooted trees with up to `most` vertices.
pub fn trees<const STAGES: usize>(a: &[[f64; STAGES]; STAGES], most: usize) -> Vec<Tree> {
    let mut known: Vec<Tree> = Vec::new();
    for order in 1..=most {
        let mut found = Vec::new();
        grow(&known, order - 1, known.len(), &[1.0; STAGES], order as f64, &mut found);
        known.extend(found.into_iter().map(|(inner, density)| {
            let branch = a.iter().map(|row| row.iter().zip(&inner).map(|(a, phi)| a * phi).sum()).collect();
            Tree { order, density, inner, branch }
        }));
    }
    known
}

/// Adds branches to a root until `left` vertices are used, in the order of the list, so that every tree
/// is found once.
fn grow(
    known: &[Tree],
    left: usize,
    below: usize,
    inner: &[f64],
    density: f64,
    found: &mut Vec<(Vec<f64>, f64)>,
) {
    if left == 0 {
        found.push((inner.to_vec(), density));
        return;
    }
    for (index, tree) in known[..below].iter().enumerate().filter(|(_, tree)| tree.order <= left) {
        let inner: Vec<f64> = inner.iter().zip(&tree.branch).map(|(inner, branch)| inner * branch).collect();
        grow(known, left - tree.order, index + 1, &inner, density * tree.density, found);
    }
}
