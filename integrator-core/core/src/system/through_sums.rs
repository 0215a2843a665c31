use super::Lagrangian;
use crate::sparse::{RowPattern, SymmetricPattern};

/// A Lagrangian L(q, v, t, u) that reads m sums u = s(q, v, t, u), of which none reads itself or one behind it.
///
/// Its second derivatives by z = (q, v, t | u) are as sparse as its elements, where those by (q, v, t) alone may be full: with the weights
/// w = ∂L/∂u of the sums, K is the matrix of those of L + w·s. A change δz of the arguments changes the derivatives by them by K δz + Cᵀ μ,
/// where C δz = 0 for C = ∂(u − s)/∂z, and where the last m of these changes are zero: it determines δu and μ.
pub trait ThroughSums: Lagrangian {
    /// The number of products that it takes to eliminate the sums from the second derivatives.
    fn elimination(&self) -> u64;

    /// The number m of sums.
    fn sums(&self) -> usize;

    /// The pattern of K (dimension 2n + 1 + m).
    fn bordered_pattern(&self) -> &SymmetricPattern;

    /// The pattern of ∂s/∂z (m rows, 2n + 1 + m columns).
    fn sum_pattern(&self) -> &RowPattern;

    /// ∂L/∂(q, v, t) through the sums (length 2n + 1), K and ∂s/∂z, each in the order of its pattern, written over these arguments.
    fn bordered_second(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    );
}
