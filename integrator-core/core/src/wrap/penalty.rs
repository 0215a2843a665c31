use crate::system::Holonomic;

/// The energy ½ ω² g·g at a place, with memory.
#[derive(Debug)]
pub(super) struct Penalty {
    /// ω².
    pub(super) stiffness: f64,
    /// g, m.
    pub(super) values: Vec<f64>,
    /// G.
    pub(super) jacobian: Vec<f64>,
    /// ω² g, m.
    pub(super) weights: Vec<f64>,
    /// m.
    pub(super) products: Vec<f64>,
    /// Σ ω² g_c Hess g_c, which takes its length on first use.
    pub(super) weighted: Vec<f64>,
}

impl Penalty {
    pub(super) fn new(stiffness: f64, rows: usize, entries: usize) -> Self {
        let of_rows = || vec![0.0; rows];
        let [values, weights, products] = [(); 3].map(|()| of_rows());
        Self { stiffness, values, jacobian: vec![0.0; entries], weights, products, weighted: Vec::new() }
    }

    /// ½ ω² g·g, for the g in memory.
    pub(super) fn energy(&self) -> f64 {
        0.5 * self.stiffness * self.values.iter().map(|value| value * value).sum::<f64>()
    }

    /// Takes g, G and ω² g.
    pub(super) fn linearize(&mut self, rows: &(impl Holonomic + ?Sized), (q, t): (&[f64], f64)) {
        rows.jacobian(q, t, &mut self.values, &mut self.jacobian);
        for (weight, value) in self.weights.iter_mut().zip(&self.values) {
            *weight = self.stiffness * value;
        }
    }

    /// Adds ω² Gᵀ g, once [linearized](Self::linearize).
    pub(super) fn add_gradient(&self, rows: &(impl Holonomic + ?Sized), gradient: &mut [f64]) {
        rows.jacobian_pattern().transpose_multiply_add(&self.jacobian, &self.weights, gradient);
    }

    /// Adds ω² Gᵀ (G a) + Σ ω² g_c H_c a, once linearized.
    pub(super) fn add_product(
        &mut self,
        rows: &(impl Holonomic + ?Sized),
        (q, t): (&[f64], f64),
        a: &[f64],
        product: &mut [f64],
    ) {
        self.move_along(rows, a, self.stiffness);
        rows.jacobian_pattern().transpose_multiply_add(&self.jacobian, &self.products, product);
        rows.add_weighted_product(q, t, &self.weights, a, product);
    }

    /// Adds the third derivative, contracted twice with a, once linearized.
    pub(super) fn add_third(
        &mut self,
        rows: &(impl Holonomic + ?Sized),
        (q, t): (&[f64], f64),
        a: &[f64],
        contraction: &mut [f64],
    ) {
        // Σ ω² g_c a·g_c‴·a
        rows.add_weighted_third(q, t, &self.weights, a, contraction);
        // Gᵀ (ω² aᵀ H_c a)
        rows.constraint_quadratic(q, t, a, &mut self.products);
        for entry in &mut self.products {
            *entry *= self.stiffness;
        }
        rows.jacobian_pattern().transpose_multiply_add(&self.jacobian, &self.products, contraction);
        // Σ 2 ω² (G_c a) H_c a
        self.move_along(rows, a, 2.0 * self.stiffness);
        rows.add_weighted_product(q, t, &self.products, a, contraction);
    }

    /// Takes a multiple of G a as products.
    pub(super) fn move_along(&mut self, rows: &(impl Holonomic + ?Sized), a: &[f64], factor: f64) {
        self.products.fill(0.0);
        rows.jacobian_pattern().multiply_add(&self.jacobian, a, &mut self.products);
        for entry in &mut self.products {
            *entry *= factor;
        }
    }
}
