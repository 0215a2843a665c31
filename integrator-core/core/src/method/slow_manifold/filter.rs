//! The kernel of the paper, sampled on the micro-grid.

/// The weights `W_k` = `W_{−k}`, k = 0, …, n, of the trapezoidal rule for ∫ K(x) f(x) dx, without the
/// end points, where K vanishes.
///
/// A small bump corrects samples on a coarse grid to unit mass and a vanishing second moment: slow
/// solutions see the moments of the weights, not of K.
#[derive(Debug, Clone)]
pub struct Filter {
    weights: Vec<f64>,
}

/// An even function K on [−1, 1]: piecewise cubic, continuous, with ∫ K = 1, three vanishing moments and
/// a Fourier transform that decays like s⁻².
///
/// K(x) = 2 − 2x − 8x² + 8x³ up to x = ½, and 2 − (22/3) x + 8x² − (8/3) x³ from there to 1. It is the
/// kernel of cubic Lagrange interpolation, so that its samples at k/n have its moments exactly for even
/// n.
pub fn kernel(x: f64) -> f64 {
    // In factors, for exact zeros.
    if x <= 0.5 { 8.0 * (1.0 - x) * (0.25 - x * x) } else { 8.0 / 3.0 * (1.0 - x) * (x - 0.5) * (x - 1.5) }
}

impl Filter {
    /// The weights on k/n, |k| < `samples` = n.
    pub fn sample(samples: usize) -> Self {
        let at = |k: usize| k as f64 / samples as f64;
        let mut weights: Vec<f64> = (0..samples).map(|k| kernel(at(k)) / samples as f64).collect();
        let moment = |weights: &[f64], power: i32| {
            let rest = weights.iter().enumerate().skip(1);
            let rest: f64 = rest.map(|(k, weight)| weight * at(k).powi(power)).sum();
            2.0 * rest + if power == 0 { weights[0] } else { 0.0 }
        };
        let (missing, second) = (1.0 - moment(&weights, 0), moment(&weights, 2));
        if missing.abs().max(second.abs()) > 64.0 * f64::EPSILON {
            // W_k + (α + β x²) B_k with a bump B has mass 1 and second moment 0.
            let bump: Vec<f64> = (0..samples).map(|k| (1.0 - at(k).powi(2)).powi(2)).collect();
            let [zeroth, twice, fourth] = [0, 2, 4].map(|power| moment(&bump, power));
            let determinant = zeroth * fourth - twice * twice;
            let alpha = (fourth * missing + twice * second) / determinant;
            let beta = -(twice * missing + zeroth * second) / determinant;
            for (k, (weight, bump)) in weights.iter_mut().zip(&bump).enumerate() {
                *weight += (alpha + beta * at(k).powi(2)) * bump;
            }
        }
        Self { weights }
    }

    /// W₀, W₁, ….
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}
