use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A ring of DNA base pairs: each is an angle in a Morse well; torsion springs couple neighbours.
///
/// V = Σ ½ (θ_{k+1} − θ_k)² + ε (exp(−a (1 − cos θ_k − x₀)) − 1)².
///
/// Units: none.
///
/// # Source
/// M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
/// Numer. Anal. (2014), section 4.4. Their figures imply that the chain is closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dna {
    /// Number of base pairs.
    pub pairs: usize,
    /// Steepness a of the well.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub a: f64,
    /// Place of the minimum: 1 − cos θ = x₀ there.
    pub x0: f64,
    /// Depth ε of the well, in units of the torsion springs.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub epsilon: f64,
}

impl Default for Dna {
    fn default() -> Self {
        Self { pairs: 200, a: 7.0, x0: 0.3, epsilon: 1.0 / 1400.0 }
    }
}

#[lagrangian]
impl Dna {
    fn lagrangian(&self, theta: [Angle; self.pairs]) -> Scalar {
        let n = self.pairs;
        let kinetic = sum(0..n, |k| 0.5 * der(theta[k]).powi(2));
        let torsion = sum(0..n, |k| 0.5 * (theta[(k + 1) % n] - theta[k]).powi(2));
        let morse =
            sum(0..n, |k| self.epsilon * ((-self.a * (1.0 - theta[k].cos() - self.x0)).exp() - 1.0).powi(2));
        kinetic - torsion - morse
    }
}

/// θ_k = 0.8 + 0.1 sin k, velocities cos(4 π k/n)/√n, k = 1 … n; the paper's small parts are random.
impl Start for Dna {
    fn start(&self) -> State {
        let (n, pairs) = (self.pairs as f64, || (1..=self.pairs).map(|k| k as f64));
        let velocity = |k: f64| (4.0 * std::f64::consts::PI * k / n).cos() / n.sqrt();
        State::new(pairs().map(|k| 0.8 + 0.1 * k.sin()).collect(), pairs().map(velocity).collect())
    }

    fn look(&self) -> Look {
        let n = self.pairs;
        // Bases turn about the axes of their backbone, a ring, and are as long as neighbours are apart.
        let radius = n as f64 / std::f64::consts::TAU;
        Look::new()
            .points("bases", move |q, _| {
                let base = |(k, theta): (usize, &f64)| {
                    let (sine, cosine) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
                    let out = Vector3::new(cosine, sine, 0.0);
                    radius * out + 2.0 * (theta.cos() * Vector3::z() + theta.sin() * out)
                };
                q.iter().enumerate().map(base).collect()
            })
            .bonds("bases", (0..n).map(|k| (k, (k + 1) % n)))
    }
}
