//! What `#[lagrangian]` emits for each term family: straight-line code for one element.

use super::home::Homes;
use super::instant::Instant;
use super::side::Side;
use crate::describe::Smoothness;
use crate::lanes::Real;

/// The code of one element of a family: f(x, c, t, θ) with X local coordinates, C coefficients, the time
/// and the fast phase.
///
/// The same code runs over `f64`, for one element, and over SIMD lanes, for a few at once.
///
/// The Hessian of one element is kept as the H entries of its lower triangle that are not identically zero.
pub trait Kernel<const X: usize, const C: usize, const H: usize>: Homes + Send + Sync {
    /// The family in messages and descriptions: where it stands and what it is.
    const NAME: &'static str;

    /// The local row and column of each stored Hessian entry.
    const ENTRIES: [(usize, usize); H];

    /// What one element reads, in the words of the declaration.
    const READS: &'static [&'static str];

    /// How smooth f is; see [`Smoothness`].
    const SMOOTHNESS: Smoothness = Smoothness::Smooth;

    /// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
    const OPERATIONS: [u32; 4];

    /// Which coefficients value, gradient, gradient with Hessian, and third contraction read.
    const COEFFICIENTS: [&'static [usize]; 4];

    /// How many consecutive coordinates are read together: what an element reads are points of so many.
    const POINT: usize;

    /// Whether it is worth code for SIMD registers.
    type Side: Side;

    /// f.
    fn value<T: Real>(x: &[T; X], c: &[T; C], now: Instant<T>) -> T;

    /// ∂f/∂x.
    fn gradient<T: Real>(x: &[T; X], c: &[T; C], now: Instant<T>) -> [T; X];

    /// Writes ∂f/∂x and the stored entries of ∂²f/∂x∂x.
    fn second<T: Real>(
        x: &[T; X],
        c: &[T; C],
        now: Instant<T>,
        gradient: &mut impl Fill<T>,
        hessian: &mut impl Fill<T>,
    );

    /// ∂f/∂t.
    fn rate<T: Real>(x: &[T; X], c: &[T; C], now: Instant<T>) -> T;
}

/// What takes the entries of a vector or a matrix, each once, when it is known.
pub trait Fill<T> {
    /// Takes an entry.
    fn put(&mut self, entry: usize, value: T);

    /// Takes all entries.
    #[inline(always)]
    fn put_all<const N: usize>(&mut self, values: [T; N]) {
        for (entry, value) in values.into_iter().enumerate() {
            self.put(entry, value);
        }
    }
}

impl<T, const N: usize> Fill<T> for [T; N] {
    #[inline(always)]
    fn put(&mut self, entry: usize, value: T) {
        self[entry] = value;
    }
}

/// A kernel of positions only, with what the engines need of V and of constraints.
pub trait PositionKernel<const X: usize, const C: usize, const H: usize>: Kernel<X, C, H> {
    /// Whether the third derivatives vanish identically, so that they need not be evaluated.
    const QUADRATIC: bool;

    /// Hess f · a.
    fn product<T: Real>(x: &[T; X], a: &[T; X], c: &[T; C], now: Instant<T>) -> [T; X];

    /// a·f‴·a = ∂/∂x (aᵀ Hess f a).
    fn third<T: Real>(x: &[T; X], a: &[T; X], c: &[T; C], now: Instant<T>) -> [T; X];
}

/// A kernel of a constraint equation.
pub trait ConstraintKernel<const X: usize, const C: usize, const H: usize>: PositionKernel<X, C, H> {
    /// f and ∂f/∂x.
    fn value_gradient<T: Real>(x: &[T; X], c: &[T; C], now: Instant<T>) -> (T, [T; X]);

    /// aᵀ Hess f a.
    fn quadratic<T: Real>(x: &[T; X], a: &[T; X], c: &[T; C], now: Instant<T>) -> T;

    /// The stored entries of ∂²f/∂x∂x.
    #[inline(always)]
    fn hessian<T: Real>(x: &[T; X], c: &[T; C], now: Instant<T>) -> [T; H] {
        let zero = now.number(0.0);
        let (mut gradient, mut hessian) = ([zero; X], [zero; H]);
        Self::second(x, c, now, &mut gradient, &mut hessian);
        hessian
    }

    /// d²f/dt² along x(t) with velocity v and without acceleration.
    fn curvature<T: Real>(x: &[T; X], v: &[T; X], c: &[T; C], now: Instant<T>) -> T;
}
