//! A kernel sampled on the micro-grid.

use super::AveragingKernel;
use crate::error::StartError;

/// The largest difference between the moments of samples and kernel; a coarser grid is refused.
const COARSE: f64 = 0.01;

/// The weights `W_k` = `W_{−k}`, k = 0, …, n, of the trapezoidal rule for ∫ K(x) f(x) dx, without
/// trailing zeros.
///
/// A small bump corrects samples on a coarse grid to unit mass and a vanishing second moment: slow
/// solutions see the moments of the weights, not of K.
#[derive(Debug, Clone)]
pub struct Filter {
    weights: Vec<f64>,
}

impl Filter {
    /// The weights on k/n, |k| ≤ `samples` = n.
    ///
    /// # Errors
    /// The weights do not have the moments of the kernel.
    pub fn sample<K: AveragingKernel>(kernel: &K, samples: usize) -> Result<Self, StartError> {
        let n = samples as f64;
        let end = |k: usize| if k == samples { 0.5 } else { 1.0 };
        let mut weights: Vec<f64> = (0..=samples).map(|k| end(k) * kernel.value(k as f64 / n) / n).collect();
        let moment = |weights: &[f64], power: i32| {
            let rest = weights.iter().enumerate().skip(1);
            let rest: f64 = rest.map(|(k, weight)| weight * (k as f64 / n).powi(power)).sum();
            2.0 * rest + if power == 0 { weights[0] } else { 0.0 }
        };
        let refuse = |moment, value: f64, expected: f64| {
            if (value - expected).abs() <= COARSE {
                return Ok(());
            }
            Err(StartError::KernelMoment { kernel: K::NAME, moment, value, expected, samples })
        };
        let (missing, second) = (1.0 - moment(&weights, 0), moment(&weights, 2));
        refuse(0, 1.0 - missing, 1.0)?;
        if K::MOMENTS >= 2 {
            refuse(2, second, 0.0)?;
        }
        if missing.abs().max(second.abs()) > 64.0 * f64::EPSILON {
            // W_k + (α + β x²) B_k with a bump B has mass 1 and, if required, second moment 0.
            let bump: Vec<f64> = (0..=samples).map(|k| (1.0 - (k as f64 / n).powi(2)).powi(2)).collect();
            let [zeroth, twice, fourth] = [0, 2, 4].map(|power| moment(&bump, power));
            let (alpha, beta) = if K::MOMENTS >= 2 {
                let determinant = zeroth * fourth - twice * twice;
                let alpha = (fourth * missing + twice * second) / determinant;
                (alpha, -(twice * missing + zeroth * second) / determinant)
            } else {
                (missing / zeroth, 0.0)
            };
            for (k, (weight, bump)) in weights.iter_mut().zip(&bump).enumerate() {
                *weight += (alpha + beta * (k as f64 / n).powi(2)) * bump;
            }
        }
        let last = weights.iter().rposition(|weight| *weight != 0.0).unwrap_or(0);
        weights.truncate(last + 1);
        Ok(Self { weights })
    }

    /// W₀, W₁, ….
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}
