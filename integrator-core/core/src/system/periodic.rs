use super::System;
use super::cell::Cell;
use nalgebra::Matrix3;

/// A system of points with a potential V whose sums over near pairs are all in one cell,
/// which repeats in every direction of the points' space.
///
/// Its *virial* is minus the derivative of V by a homogeneous strain E, which takes every point x to
/// (1 + E) x and every edge h of the cell to (1 + E) h. A sum over near pairs depends on their
/// separations d alone, nearest images, which become (1 + E) d; so with f = −∂V/∂d
///
/// ```text
/// W = −∂V/∂E = Σ f ⊗ d − Σ ∂U/∂x ⊗ x,
/// ```
///
/// where U is the rest of V, a function of the points without images.
///
/// # Shapes
/// q, rest: n.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.4.
pub trait Periodic: System {
    /// The cell.
    fn cell(&self) -> Cell;

    /// The number of components of the points, 2 or 3.
    fn space(&self) -> usize;

    /// The volume of the cell; in the plane, its area.
    fn volume(&self) -> f64;

    /// The largest distance of summed pairs.
    fn reach(&self) -> f64;

    /// Writes Σ f ⊗ d over all near pairs over `virial`, and the gradient of the rest U over `rest`.
    fn pair_virial(&self, q: &[f64], t: f64, virial: &mut Matrix3<f64>, rest: &mut [f64]);

    /// A sum over near pairs in a constraint, in the words of the declaration:
    /// its forces are not known by separations.
    fn near_sum_of_constraints(&self) -> Option<&str>;

    /// A term of U that is unchanged when points move by whole cells, in the words of the declaration:
    /// waves, or differences to nearest images. U alone does not give its derivative by a strain of the
    /// cell.
    fn repeating_term(&self, q: &[f64], t: f64) -> Option<&str>;
}
