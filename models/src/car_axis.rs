use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A car axis: a rod on two springs, the left on flat ground, the right on bumps of height r sin(ω t).
///
/// The left end moves on the perpendicular to the wheel base, a constraint that depends on time. The
/// system is stiff: the springs have the frequency √2/ε. Units: none.
///
/// # Source
/// F. Mazzia and C. Magherini, *Test set for initial value problem solvers*, release 2.4 (2008),
/// problem II-10.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CarAxis {
    /// The small parameter ε; the springs have the stiffness 1/ε².
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub epsilon: f64,
    /// Mass M of the chassis.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Length L of the axis.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub length: f64,
    /// Length L₀ of the springs at rest.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub spring: f64,
    /// Height r of the bumps.
    pub bump: f64,
    /// Angular frequency ω of the bumps.
    pub omega: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
}

impl Default for CarAxis {
    fn default() -> Self {
        Self { epsilon: 0.01, mass: 10.0, length: 1.0, spring: 0.5, bump: 0.1, omega: 10.0, gravity: 1.0 }
    }
}

#[lagrangian]
impl CarAxis {
    fn lagrangian(&self, left: Vec2, right: Vec2, t: Time) -> Scalar {
        let half = 0.5 * self.mass * self.epsilon.powi(2);
        let kinetic = 0.5 * half * (der(left).norm_squared() + der(right).norm_squared());
        let springs = 0.5 * (left.norm() - self.spring).powi(2)
            + 0.5 * ((right - self.wheel(t)).norm() - self.spring).powi(2);
        kinetic - springs - half * self.gravity * (left.y + right.y)
    }

    /// The place of the right wheel.
    fn wheel(&self, t: Time) -> Vec2 {
        let height = self.bump * (self.omega * t).sin();
        vec2((self.length.powi(2) - height * height).sqrt(), height)
    }

    #[holonomic]
    fn perpendicular(&self, left: Vec2, t: Time) -> Scalar {
        self.wheel(t).dot(left)
    }

    #[holonomic]
    fn axis(&self, left: Vec2, right: Vec2) -> Scalar {
        (left - right).norm_squared() - self.length.powi(2)
    }
}

/// The axis level on springs at rest, in motion as in the test set.
impl Start for CarAxis {
    fn start(&self) -> State {
        // The bump begins to lift the right wheel, and the springs stay perpendicular to the axis.
        let rate = self.bump * self.omega;
        let places = [Vector2::new(0.0, self.spring), Vector2::new(self.length, self.spring)];
        State::of_points(places, [Vector2::new(-self.spring * rate / self.length, 0.0); 2])
    }

    fn look(&self) -> Look {
        let (length, bump, omega) = (self.length, self.bump, self.omega);
        Look::new()
            .points("wheels", move |_, t| {
                let height = bump * (omega * t).sin();
                vec![Vector3::zeros(), Vector3::new((length.powi(2) - height * height).sqrt(), height, 0.0)]
            })
            .spring(("wheels", 0), ("left", 0))
            .spring(("wheels", 1), ("right", 0))
    }
}
