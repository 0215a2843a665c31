//! What `#[lagrangian]` emits for each term family: straight-line code for one element.

/// The code of one element of a family: f(x, c, t) with X local coordinates and C coefficients.
///
/// The Hessian of one element is kept as the H entries of its lower triangle that are not identically zero.
pub trait Kernel<const X: usize, const C: usize, const H: usize>: Send + Sync + 'static {
    /// The family in messages and descriptions: where it stands and what it is.
    const NAME: &'static str;

    /// The local row and column of each stored Hessian entry.
    const ENTRIES: [(usize, usize); H];

    /// What one element reads, in the words of the declaration.
    const READS: &'static [&'static str];

    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    const OPERATIONS: [u32; 4];

    /// f.
    fn value(x: &[f64; X], c: &[f64; C], t: f64) -> f64;

    /// ∂f/∂x.
    fn gradient(x: &[f64; X], c: &[f64; C], t: f64) -> [f64; X];

    /// ∂f/∂x and the stored entries of ∂²f/∂x∂x.
    fn second(x: &[f64; X], c: &[f64; C], t: f64) -> ([f64; X], [f64; H]);

    /// ∂f/∂t.
    fn rate(x: &[f64; X], c: &[f64; C], t: f64) -> f64;
}

/// A kernel of positions only, with what the engines need of V and of constraints.
pub trait PositionKernel<const X: usize, const C: usize, const H: usize>: Kernel<X, C, H> {
    /// Whether the third derivatives vanish identically, so that they need not be evaluated.
    const QUADRATIC: bool;

    /// Hess f · a.
    fn product(x: &[f64; X], a: &[f64; X], c: &[f64; C], t: f64) -> [f64; X];

    /// a·f‴·a = ∂/∂x (aᵀ Hess f a).
    fn third(x: &[f64; X], a: &[f64; X], c: &[f64; C], t: f64) -> [f64; X];
}

/// A kernel of a constraint equation.
pub trait ConstraintKernel<const X: usize, const C: usize, const H: usize>: PositionKernel<X, C, H> {
    /// f and ∂f/∂x.
    fn value_gradient(x: &[f64; X], c: &[f64; C], t: f64) -> (f64, [f64; X]);

    /// aᵀ Hess f a.
    fn quadratic(x: &[f64; X], a: &[f64; X], c: &[f64; C], t: f64) -> f64;

    /// d²f/dt² along x(t) with velocity v and without acceleration.
    fn curvature(x: &[f64; X], v: &[f64; X], c: &[f64; C], t: f64) -> f64;
}
