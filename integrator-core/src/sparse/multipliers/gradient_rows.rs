//! What a Newton iteration asks of constraint gradients that stand in rows, and how it is done for any of them and for chains.

use super::banded::Tridiagonal;
use super::inverse_mass::apply_negative;
use super::{MultiplierSystem, ZeroPivot};
use crate::sparse::RowPattern;
use crate::sparse::links::Links;

/// Products with G, and the systems S x = b with S = G₁ M⁻¹ G₂ᵀ, where G₂ is the G of the last symmetric factorization.
pub(crate) trait GradientRows: Send {
    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot>;
    /// Factors G₁ M⁻¹ G₂ᵀ.
    fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot>;
    /// x ← −S⁻¹ r.
    fn solve(&mut self, residual: &[f64], x: &mut [f64]);
    /// y ← y + M⁻¹ G₂ᵀ λ.
    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]);
    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x: the motion that removes the residual.
    fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.solve(residual, x);
        self.add_motion(x, y);
    }
    /// x ← −M⁻¹ x.
    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]);
    /// r ← r + G x.
    fn add_product(&self, jacobian: &[f64], x: &[f64], residual: &mut [f64]);
    /// 1 / Σ_j |G_cj| (|q_j| + h |v_j|) for every row c.
    fn reciprocal_sizes(&self, jacobian: &[f64], motion: (&[f64], &[f64], f64), sizes: &mut [f64]);
    /// Whether Σ_j A_cj B_cj > 0 for every row c.
    fn face_forward(&self, a: &[f64], b: &[f64]) -> bool;
}

/// Any constraints.
pub(crate) struct AnyRows {
    system: MultiplierSystem,
    pattern: RowPattern,
}

/// One chain of links between neighbouring groups of S coordinates with a diagonal mass.
pub(crate) struct Chain<const S: usize> {
    links: Links,
    reciprocals: Vec<f64>,
    /// G₂ M⁻¹.
    directions: Vec<f64>,
    matrix: Tridiagonal,
}

impl AnyRows {
    pub(crate) fn new(system: MultiplierSystem, pattern: &RowPattern) -> Self {
        Self { system, pattern: pattern.clone() }
    }
}

impl<const S: usize> Chain<S> {
    /// `None` where the constraints are something else.
    pub(crate) fn new(system: &MultiplierSystem, pattern: &RowPattern) -> Option<Self> {
        let links = pattern.links().filter(|links| links.size as usize == S)?;
        Some(Self {
            links,
            reciprocals: system.reciprocal_masses()?.to_vec(),
            directions: vec![0.0; pattern.len()],
            matrix: Tridiagonal::new(pattern.height()),
        })
    }
}

impl GradientRows for AnyRows {
    fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.system.factor_symmetric(jacobian)
    }

    fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot> {
        self.system.factor(left)
    }

    fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        self.system.solve(residual, x);
    }

    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.system.add_motion(multipliers, y);
    }

    fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.system.correct(residual, x, y);
    }

    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        self.system.apply_negative_inverse_mass(x);
    }

    fn add_product(&self, jacobian: &[f64], x: &[f64], residual: &mut [f64]) {
        self.pattern.multiply_add(jacobian, x, residual);
    }

    fn reciprocal_sizes(&self, jacobian: &[f64], motion: (&[f64], &[f64], f64), sizes: &mut [f64]) {
        self.pattern.reciprocal_sizes(jacobian, motion, sizes);
    }

    fn face_forward(&self, a: &[f64], b: &[f64]) -> bool {
        let mut all = true;
        self.pattern.row_products(a, b, |product| all &= product > 0.0);
        all
    }
}

impl<const S: usize> GradientRows for Chain<S> {
    fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        let rows = self.matrix.values.as_chunks_mut::<3>().0;
        self.links.scaled_link_products::<S>(jacobian, &self.reciprocals, &mut self.directions, rows);
        self.matrix.factor()
    }

    fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot> {
        let rows = self.matrix.values.as_chunks_mut::<3>().0;
        self.links.link_products::<S>(left, &self.directions, rows);
        self.matrix.factor()
    }

    fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        self.matrix.solve(residual, x);
    }

    fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.links.transpose_multiply_add::<S>(&self.directions, multipliers, y);
    }

    fn apply_negative_inverse_mass(&mut self, x: &mut [f64]) {
        apply_negative(&self.reciprocals, x);
    }

    fn add_product(&self, jacobian: &[f64], x: &[f64], residual: &mut [f64]) {
        self.links.multiply_add::<S>(jacobian, x, residual);
    }

    fn reciprocal_sizes(&self, jacobian: &[f64], motion: (&[f64], &[f64], f64), sizes: &mut [f64]) {
        self.links.reciprocal_sizes::<S>(jacobian, motion, sizes);
    }

    fn face_forward(&self, a: &[f64], b: &[f64]) -> bool {
        let mut all = true;
        self.links.row_products::<S>(a, b, &mut |product| all &= product > 0.0);
        all
    }
}
