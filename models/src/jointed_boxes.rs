use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A chain of boxes that hangs from the origin, with ball joints in the middles of their small faces.
///
/// A box has its centre and its rotation matrix R, with Rᵀ R = 1, so that the mass is constant:
/// ½ m |ċ|² + ½ Σ_k J_k |Ṙ e_k|², with the second moments J_k = m s_k²/12 of its sides. The chain starts
/// straight and at rest, falls, and whips: the fastest turns come long after the start, so that the
/// command takes steps of 2 ms unless a run names its own. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JointedBoxes {
    /// The number of boxes.
    pub boxes: usize,
    /// Mass of a box, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Sides of a box, m; the joints are at both ends of the first.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub sides: Vector3<f64>,
    /// Gravitational acceleration along −z, m/s².
    pub gravity: f64,
}

impl Default for JointedBoxes {
    fn default() -> Self {
        Self { boxes: 4, mass: 1.0, sides: Vector3::new(0.5, 0.2, 0.1), gravity: 9.81 }
    }
}

#[lagrangian]
impl JointedBoxes {
    fn lagrangian(&self, centres: [Vec3; self.boxes], turns: [Mat3; self.boxes]) -> Scalar {
        let moments = vec3((self.mass / 12.0).sqrt() * self.sides);
        sum(0..self.boxes, |i| {
            0.5 * self.mass * der(centres[i]).norm_squared()
                + 0.5 * (der(turns[i]) * Mat3::from_diagonal(moments)).norm_squared()
                - self.mass * self.gravity * centres[i].z
        })
    }

    #[holonomic]
    fn rotations(&self, turns: [Mat3; self.boxes]) -> [Mat3; self.boxes] {
        each(0..self.boxes, |i| turns[i].transpose() * turns[i] - Mat3::IDENTITY)
    }

    #[holonomic]
    fn joints(&self, centres: [Vec3; self.boxes], turns: [Mat3; self.boxes]) -> [Vec3; self.boxes] {
        let half = 0.5 * self.sides.x;
        let end = |i| centres[i] + turns[i] * vec3(half, 0.0, 0.0);
        each(0..self.boxes, |i| {
            let before = if i == 0 { Vec3::ZERO } else { end(i - 1) };
            centres[i] - turns[i] * vec3(half, 0.0, 0.0) - before
        })
    }
}

/// Straight along x and at rest.
impl Start for JointedBoxes {
    fn start(&self) -> State {
        let place = |i: usize| vec![self.sides.x * (i as f64 + 0.5), 0.0, 0.0];
        let turn = |_: usize| vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        State::at_rest((0..self.boxes).flat_map(place).chain((0..self.boxes).flat_map(turn)).collect())
    }

    fn look(&self) -> Look {
        Look::new().boxes("turns", Some("centres"), self.sides)
    }

    /// They hang without a tension, and the tail whips with six turns in a second after the fall.
    fn step(&self) -> Option<f64> {
        Some(2e-3)
    }
}
