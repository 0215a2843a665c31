use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// The driven pendulum in Cartesian coordinates, a unit mass on a rod, seen from its pivot. y points up.
///
/// L = ½ |q̇|² − (g + v_max ω cos θ) q_y with |q|² = l², θ = ω t + θ₀.
///
/// Units: SI.
///
/// # Source
/// As of the driven pendulum; the constraint is treated as in its section 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrivenPendulumCartesian {
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

impl Default for DrivenPendulumCartesian {
    fn default() -> Self {
        Self { rod: 0.2, gravity: 9.8, v_max: 4.0, omega: 1e4, phase: 0.0 }
    }
}

#[lagrangian]
impl DrivenPendulumCartesian {
    fn lagrangian(&self, bob: Vec2, theta: Phase) -> Scalar {
        let gravity = self.gravity + self.v_max * self.omega * theta.cos();
        0.5 * der(bob).norm_squared() - gravity * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - self.rod.powi(2)
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
impl Start for DrivenPendulumCartesian {
    fn start(&self) -> State {
        State::at_rest(vec![self.rod * 0.5_f64.sin(), self.rod * 0.5_f64.cos()])
    }
}
