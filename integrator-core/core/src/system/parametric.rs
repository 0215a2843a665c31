use super::{Sampling, Signal};
use crate::sparse::RowPattern;

/// Derivatives by the sensitive parameters θ of a model, which are coordinates at rest: x = (q, θ).
///
/// The derivatives by x contain the derivatives by θ: Hess V · (a, 0) has Hess V · a in its first n
/// rows, and ∂(∇V · a)/∂θ in the rows behind. Along a direction (0, b), the first n rows are the
/// derivative of ∇V along b.
///
/// An [input](Self::inputs) of forces is one parameter, the average of its signal over a step.
///
/// # Shapes
/// q, v: n. Directions and results by x: n + p, q first, with p parameters. Derivatives by rows: the
/// order of their pattern. For a q, v or direction of another length results are NaN.
pub trait Parametric: Send + Sync {
    /// The number p of parameters.
    fn count(&self) -> usize;

    /// The values θ; an input has 0, because each step has an average of its own.
    fn values(&self) -> &[f64];

    /// The parameters that are inputs of forces, with their signals.
    fn inputs(&self) -> &[(usize, Signal)];

    /// The names of [`numbers`](Self::numbers): a signal `torque` of several values has `torque[3]`.
    fn number_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for parameter in 0..self.count() {
            let (name, own) = (self.name(parameter), self.inputs().iter().find(|own| own.0 == parameter));
            match own.map(|(_, signal)| signal).filter(|signal| !signal.times().is_empty()) {
                Some(signal) => names.extend((0..signal.values().len()).map(|k| format!("{name}[{k}]"))),
                None => names.push(name),
            }
        }
        names
    }

    /// The numbers of all sensitive fields in their order, with each value of each signal.
    fn numbers(&self) -> Vec<f64> {
        let mut numbers = self.values().to_vec();
        for (place, signal) in self.inputs().iter().rev() {
            numbers.splice(*place..=*place, signal.values().iter().copied());
        }
        numbers
    }

    /// The name of a parameter, such as `masses[3]`.
    fn name(&self, parameter: usize) -> String;

    /// The entries (i, j) for which an element of V, of L + V or of g reads both q_i or v_i and θ_j;
    /// `None` if sums or near pairs hide them.
    fn couplings(&self) -> Option<[Vec<(usize, usize)>; 3]> {
        None
    }

    /// Adds Hess V(q, t) · a by x to `product`.
    fn add_potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]);

    /// Adds a·V‴(q, t)·a = ∇(aᵀ Hess V a) by x with fixed a to `contraction`.
    fn add_potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// Adds a·V₁‴(q, t)·a by x for the [stiff part](super::Stiff) V₁ to `contraction`.
    fn add_stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]);

    /// True if V⁗ and g⁗ are known: no term reads sums or near pairs, or calls a function of Rust.
    fn has_third_rates(&self) -> bool;

    /// Adds V⁗(q, t)[a, a, d] by x to `rate`: the rate of a·V‴·a as x moves along d. The direction a has
    /// length n.
    fn add_potential_third_rate(&self, q: &[f64], t: f64, along: (&[f64], &[f64]), rate: &mut [f64]);

    /// Adds Hess L · (a, b) at (q, v, t) to the products by x and by v; b and the second product have
    /// length n.
    fn add_lagrangian_product(
        &self,
        at: (&[f64], &[f64], f64),
        along: (&[f64], &[f64]),
        products: (&mut [f64], &mut [f64]),
    );

    /// As [`add_lagrangian_product`](Self::add_lagrangian_product) for L + V, all of L but the
    /// potential.
    fn add_kinetic_product(
        &self,
        at: (&[f64], &[f64], f64),
        along: (&[f64], &[f64]),
        products: (&mut [f64], &mut [f64]),
    );

    /// Adds Σ w_c Hess g_c(q, t) · a by x to `product`.
    fn add_constraint_product(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], product: &mut [f64]);

    /// The pattern of ∂g/∂x: m rows, n + p columns.
    fn constraint_pattern(&self) -> &RowPattern;

    /// Writes g(q, t) and ∂g/∂x over both arguments.
    fn constraint_jacobian(&self, q: &[f64], t: f64, values: &mut [f64], jacobian: &mut [f64]);

    /// Adds Σ w_c a·g_c‴(q, t)·a by x to `contraction`.
    fn add_constraint_third(&self, q: &[f64], t: f64, weights: &[f64], a: &[f64], contraction: &mut [f64]);

    /// Adds Σ w_c g_c⁗(q, t)[a, a, d] by x to `rate`, with a direction a of length n.
    fn add_constraint_third_rate(
        &self,
        q: &[f64],
        t: f64,
        weights: &[f64],
        along: (&[f64], &[f64]),
        rate: &mut [f64],
    );

    /// Adds g_c‴(q, t)[a, a, d] to `rate`, of length m, with a direction a of length n.
    fn add_constraint_quadratic_rate(&self, q: &[f64], t: f64, along: (&[f64], &[f64]), rate: &mut [f64]);

    /// Writes aᵀ Hess g_c(q, t) a over `quadratic`, of length m.
    fn constraint_quadratic(&self, q: &[f64], t: f64, a: &[f64], quadratic: &mut [f64]);

    /// Writes d²g/dt² at zero acceleration, at (q, t) and the velocity v of x, over `curvature`.
    fn constraint_curvature(&self, q: &[f64], v: &[f64], t: f64, curvature: &mut [f64]);

    /// The pattern of ∂F/∂(x, v): row i acts on x_i, and rows from n on are empty;
    /// column j is x_j, column n + p + j is v_j.
    fn force_pattern(&self) -> &RowPattern;

    /// Adds ∂F/∂(x, v) at (q, v, t) to `derivatives`.
    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]);

    /// As `add_force_derivatives`; with a sampling, F has averages of its inputs.
    #[doc(hidden)]
    fn add_force_derivatives_sampled(
        &self,
        at: (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        derivatives: &mut [f64],
    );

    /// The pattern of ∂c/∂(x, v) for constraints c on velocities: column j is x_j, column n + p + j is
    /// v_j.
    fn nonholonomic_pattern(&self) -> &RowPattern;

    /// Writes c and ∂c/∂(x, v) at (q, v, t) over both arguments.
    fn nonholonomic_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        derivatives: &mut [f64],
    );
}
