use super::{Lagrangian, Sampling};
use crate::sparse::{RowPattern, SymmetricPattern};

/// A Lagrangian L(q, v, t, u) that reads m sums u = s(q, v, t, u), of which none reads itself or one
/// behind it.
///
/// Its second derivatives by z = (q, v, t | u) are as sparse as its elements, where those by (q, v, t)
/// alone may be full: with the weights w = ∂L/∂u of the sums, K is the matrix of those of L + w·s. A
/// change δz of the arguments changes the derivatives by them by K δz + Cᵀ μ, where C δz = 0 for C = ∂(u
/// − s)/∂z, and where the last m of these changes are zero: it determines δu and μ.
///
/// Forces are F(z) − ∂D/∂v, where Rayleigh's function D may read the first sums: D has a matrix K_D and
/// changes μ_D of its own.
pub trait ThroughSums: Lagrangian {
    /// The number of products that it takes to eliminate the sums from the derivatives.
    fn elimination(&self) -> u64;

    /// The number m of sums.
    fn sums(&self) -> usize;

    /// The pattern of K (dimension 2n + 1 + m).
    fn bordered_pattern(&self) -> &SymmetricPattern;

    /// The pattern of ∂s/∂z (m rows, 2n + 1 + m columns).
    fn sum_pattern(&self) -> &RowPattern;

    /// ∂L/∂(q, v, t) through the sums (length 2n + 1), K and ∂s/∂z, each in the order of its pattern,
    /// written over these arguments.
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

    /// The pattern of K_D, if there is a D: its dimension is 2n + 1 and the number of the first sums,
    /// which D may read.
    fn dissipation_by_sums(&self) -> Option<&SymmetricPattern>;

    /// Adds all forces to `force` (length n), ∂F/∂z to `rows` and K_D to `dissipation`; inputs are
    /// averages where a sampling is given.
    fn add_bordered_force(
        &self,
        state: (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        force: &mut [f64],
        rows: &mut [f64],
        dissipation: &mut [f64],
    );
}
