//! A bead on a wire.

use least_action::prelude::*;

/// A bead that slides without friction on the wire y = ½ curvature x², which stands upright. y points up.
///
/// Its fields are the parameters: `--set curvature=2` on the command line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bead {
    /// Mass, kg.
    pub mass: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Curvature of the wire at its lowest point, 1/m.
    pub curvature: f64,
}

impl Default for Bead {
    fn default() -> Self {
        Self { mass: 1.0, gravity: 9.81, curvature: 1.0 }
    }
}

/// A bead on a wire.
#[lagrangian]
impl Bead {
    fn lagrangian(&self, bead: Vec2) -> Scalar {
        let kinetic = 0.5 * self.mass * der(bead).norm_squared();
        let potential = self.mass * self.gravity * bead.y;
        kinetic - potential
    }

    /// The bead stays on the wire.
    #[holonomic]
    fn wire(&self, bead: Vec2) -> Scalar {
        bead.y - 0.5 * self.curvature * bead.x.powi(2)
    }
}

/// At rest, a metre beside the lowest point.
impl Start for Bead {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 0.5 * self.curvature])
    }
}
