use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A heavy symmetric top with its tip at a fixed point, by a unit quaternion u.
///
/// With the angular velocity ω = 2 ū u̇ in the body, L = ½ A (ω₁² + ω₂²) + ½ C ω₃² − m g ℓ (u₀² − u₁² −
/// u₂² + u₃²), and |u|² = 1. The mass has rank three of four; with the constraint the motion is
/// determined. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Top {
    /// Moments of inertia about the tip, A across the axis and C along it, kg·m².
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub inertia: [f64; 2],
    /// Weight times the distance of the centre of mass from the tip, m g ℓ, N·m.
    pub moment: f64,
    /// Angle of the axis from the vertical at the start.
    pub tilt: f64,
    /// Angular velocity about the axis at the start, 1/s.
    pub spin: f64,
}

impl Default for Top {
    fn default() -> Self {
        Self { inertia: [1.0, 0.5], moment: 2.0, tilt: 0.4, spin: 12.0 }
    }
}

#[lagrangian]
impl Top {
    fn lagrangian(&self, u: [Scalar; 4]) -> Scalar {
        let rate = |i| der(u[i]);
        let across = 2.0 * (u[0] * rate(1) - u[1] * rate(0) - u[2] * rate(3) + u[3] * rate(2));
        let beside = 2.0 * (u[0] * rate(2) - u[2] * rate(0) - u[3] * rate(1) + u[1] * rate(3));
        let along = 2.0 * (u[0] * rate(3) - u[3] * rate(0) - u[1] * rate(2) + u[2] * rate(1));
        let height = u[0].powi(2) - u[1].powi(2) - u[2].powi(2) + u[3].powi(2);
        0.5 * self.inertia[0] * (across.powi(2) + beside.powi(2)) + 0.5 * self.inertia[1] * along.powi(2)
            - self.moment * height
    }

    #[holonomic]
    fn unit(&self, u: [Scalar; 4]) -> Scalar {
        sum(0..4, |i| u[i].powi(2)) - 1.0
    }
}

/// Tilted about x, with its spin alone.
impl Start for Top {
    fn start(&self) -> State {
        let (sine, cosine) = (0.5 * self.tilt).sin_cos();
        // u̇ = ½ u ω with ω = (0, 0, spin).
        let half = 0.5 * self.spin;
        State::new(vec![cosine, sine, 0.0, 0.0], vec![0.0, 0.0, -half * sine, half * cosine])
    }

    fn look(&self) -> Look {
        Look::new()
            .fixed("tip", [Vector3::zeros()])
            .points("head", |u, _| {
                // The end of the handle, the middle of the base, and a mark on its rim for the spin.
                let turn = |x: Vector3<f64>| {
                    let (scalar, vector) = (u[0], Vector3::new(u[1], u[2], u[3]));
                    x + 2.0 * vector.cross(&(vector.cross(&x) + scalar * x))
                };
                [[0.0, 0.0, 1.0], [0.0, 0.0, 0.8], [0.45, 0.0, 0.8]].map(|x| turn(x.into())).to_vec()
            })
            .cone(("tip", 0), ("head", 1), 0.45)
            .cylinder(("head", 1), ("head", 0), 0.04)
            .radius("head", 0.05)
            .ground(Vector3::zeros(), Vector3::z())
    }
}
