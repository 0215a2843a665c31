//! The kernels that average trajectories.

/// An even function K on [−1, 1], with ∫ K = 1, that averages a trajectory.
///
/// A sampled kernel is refused if its weights do not add up to one, or do not have the claimed moments.
pub trait AveragingKernel: std::fmt::Debug {
    /// The name in messages.
    const NAME: &'static str;
    /// p such that ∫ xʲ K(x) dx = 0 for j = 1, …, p: polynomials of degree p pass unchanged.
    const MOMENTS: u32;
    /// ν such that the Fourier transform of K decays like |s|^−ν: how fast oscillations are damped.
    const DECAY: u32;

    /// K(x) for 0 ≤ x ≤ 1.
    fn value(&self, x: f64) -> f64;
}

/// The kernel of the paper: piecewise cubic, continuous, three vanishing moments, ν = 2.
///
/// K(x) = 2 − 2x − 8x² + 8x³ up to x = ½, and 2 − (22/3) x + 8x² − (8/3) x³ from there to 1. It is the
/// kernel of cubic Lagrange interpolation, so that its samples at k/n have its moments exactly for even
/// n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PiecewiseCubic;

impl AveragingKernel for PiecewiseCubic {
    const NAME: &'static str = "piecewise cubic";
    const MOMENTS: u32 = 3;
    const DECAY: u32 = 2;

    // In factors, for exact zeros.
    fn value(&self, x: f64) -> f64 {
        if x <= 0.5 {
            8.0 * (1.0 - x) * (0.25 - x * x)
        } else {
            8.0 / 3.0 * (1.0 - x) * (x - 0.5) * (x - 1.5)
        }
    }
}

/// A smoother kernel with 3 or 5 vanishing moments, ν = 5.
///
/// With 3, K(x) = (2079/1024) (1 − x²)⁴ (1 − (13/3) x²). Its transform is wider than
/// the transform of the paper's kernel and decays faster: with a window of five periods an iteration
/// leaves 1.2·10⁻⁴ of an oscillation of frequency ω, instead of 10⁻².
///
/// With 5, K(x) = (45045/16384) (1 − x²)⁴ (1 − 10 x² + 17 x⁴). It moves a slow solution by O(ω⁻⁶)
/// instead of O(ω⁻⁴), at the price of a still wider window: with eight periods an iteration leaves
/// 4·10⁻⁵ of an oscillation of frequency ω.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Smooth<const MOMENTS: u32>;

impl AveragingKernel for Smooth<3> {
    const NAME: &'static str = "smooth";
    const MOMENTS: u32 = 3;
    const DECAY: u32 = 5;

    fn value(&self, x: f64) -> f64 {
        let square = x * x;
        2079.0 / 1024.0 * (1.0 - square).powi(4) * (1.0 - 13.0 / 3.0 * square)
    }
}

impl AveragingKernel for Smooth<5> {
    const NAME: &'static str = "smooth of order five";
    const MOMENTS: u32 = 5;
    const DECAY: u32 = 5;

    fn value(&self, x: f64) -> f64 {
        let square = x * x;
        45_045.0 / 16_384.0 * (1.0 - square).powi(4) * (1.0 + square * (17.0 * square - 10.0))
    }
}
