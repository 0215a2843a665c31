//! The loss of the reference numbers of gradients.

use least_action::drive::gradient::{Loss, Observed};

/// J = wq·q_N + wv·v_N + ½ κ (|q_N|² + |v_N|²) + ρ Σ (½ |q_k|² + q_k·v_k).
#[derive(Debug, Clone)]
pub struct Weighted {
    /// wq, of length n.
    pub wq: Vec<f64>,
    /// wv, of length n.
    pub wv: Vec<f64>,
    /// κ.
    pub kappa: f64,
    /// ρ.
    pub rho: f64,
}

impl Loss for Weighted {
    fn sees(&self, step: u64, of: u64) -> bool {
        step == of || (self.rho != 0.0 && step > 0)
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (i, (q, v)) in at.q.iter().zip(at.v).enumerate() {
            if at.step == at.of {
                value += self.wq[i] * q + self.wv[i] * v + 0.5 * self.kappa * (q * q + v * v);
                of_q[i] += self.wq[i] + self.kappa * q;
                of_v[i] += self.wv[i] + self.kappa * v;
            }
            value += self.rho * (0.5 * q * q + q * v);
            of_q[i] += self.rho * (q + v);
            of_v[i] += self.rho * q;
        }
        value
    }
}
