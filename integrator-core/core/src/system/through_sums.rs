use super::{Lagrangian, Sampling};
use crate::sparse::{RowPattern, SymmetricPattern};

/// A Lagrangian L(q, v, t, u) of m sums u = s(q, v, t, u), each of earlier sums only.
///
/// Its second derivatives by z = (q, v, t | u) are as sparse as its elements, while by (q, v, t) alone
/// they may be full. K is the matrix of second derivatives of L + w·s with the weights w = ∂L/∂u of the
/// sums. A change δz of the arguments changes the first derivatives by K δz + Cᵀ μ, where C δz = 0 with
/// C = ∂(u − s)/∂z, and where the last m changes are zero: this determines δu and μ.
///
/// Forces are F(z) − ∂D/∂v, where Rayleigh's function D may read the first sums,
/// with its own matrix K_D and its own μ_D.
pub trait ThroughSums: Lagrangian {
    /// The number of products for eliminating the sums from the derivatives.
    fn elimination(&self) -> u64;

    /// The number m of sums.
    fn sums(&self) -> usize;

    /// The pattern of K (dimension 2n + 1 + m).
    fn bordered_pattern(&self) -> &SymmetricPattern;

    /// The pattern of ∂s/∂z (m rows, 2n + 1 + m columns).
    fn sum_pattern(&self) -> &RowPattern;

    /// Writes ∂L/∂(q, v, t) through the sums (length 2n + 1),
    /// K and ∂s/∂z, each in the order of its pattern.
    fn bordered_second(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    );

    /// The pattern of ∂F/∂z (n rows).
    fn force_by_sums(&self) -> &RowPattern;

    /// The pattern of K_D, if there is a D;
    /// its dimension is 2n + 1 plus the number of the first sums, which D may read.
    fn dissipation_by_sums(&self) -> Option<&SymmetricPattern>;

    /// Adds all forces to `force` (length n), ∂F/∂z to `rows` and K_D to `dissipation`;
    /// with a sampling, inputs are averages.
    fn add_bordered_force(
        &self,
        state: (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        force: &mut [f64],
        rows: &mut [f64],
        dissipation: &mut [f64],
    );
}
