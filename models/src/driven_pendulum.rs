use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A pendulum on a pivot that shakes up and down so fast that it stays upright.
///
/// The pivot moves with the velocity v_max sin θ and the acceleration v_max ω cos θ, θ = ω t + θ₀. In
/// its frame, with the angle q from the upward vertical, L = ½ l² q̇² − (g + v_max ω cos θ) l cos q for
/// unit mass. As ω grows, the slow motion Q obeys Q̈ = (g/l − v_max²/(2 l²) cos Q) sin Q, and q̇ = Q̇ +
/// v_max sin θ sin Q/l.
///
/// Units: SI.
///
/// # Source
/// M. P. Calvo and J. M. Sanz-Serna, *Heterogeneous multiscale methods for mechanical systems with
/// vibrations*, SIAM J. Sci. Comput. 32 (2010) 2029, section 2. With θ₀ = 0, which they do not print,
/// the start is one of slow motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrivenPendulum {
    /// Length l of the rod, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rod: f64,
    /// Gravitational acceleration g, m/s².
    pub gravity: f64,
    /// Greatest velocity of the pivot, m/s.
    pub v_max: f64,
    /// Angular frequency ω of the pivot, rad/s.
    pub omega: f64,
    /// Phase θ₀ at time zero, rad.
    pub phase: f64,
}

impl Default for DrivenPendulum {
    fn default() -> Self {
        Self { rod: 0.2, gravity: 9.8, v_max: 4.0, omega: 1e4, phase: 0.0 }
    }
}

#[lagrangian]
impl DrivenPendulum {
    fn lagrangian(&self, q: Angle, theta: Phase) -> Scalar {
        let gravity = self.gravity + self.v_max * self.omega * theta.cos();
        0.5 * self.rod.powi(2) * der(q).powi(2) - gravity * self.rod * q.cos()
    }

    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    #[phase]
    fn initial_phase(&self) -> f64 {
        self.phase
    }
}

/// At rest, 0.5 rad from the upward vertical.
impl Start for DrivenPendulum {
    fn start(&self) -> State {
        State::at_rest(vec![0.5])
    }

    fn look(&self) -> Look {
        let rod = self.rod;
        Look::new()
            .fixed("pivot", [Vector3::zeros()])
            .points("bob", move |q, _| vec![rod * Vector3::new(q[0].sin(), q[0].cos(), 0.0)])
            .rod(("pivot", 0), ("bob", 0))
    }
}
