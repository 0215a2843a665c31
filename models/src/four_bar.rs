use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A four-bar linkage: three uniform rods in a row, from the origin to the point (d, 0).
///
/// The angles are relative: the rods have the directions a, a + b and a + b + c from the x axis. The
/// mass depends on b and c, and two constraints close the loop. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FourBar {
    /// Masses of the rods, kg.
    #[serde(deserialize_with = "crate::allowed::partly_positive")]
    pub masses: [f64; 3],
    /// Lengths of the rods, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub rods: [f64; 3],
    /// Distance d of the fixed ends, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub base: f64,
    /// Gravitational acceleration along −y, m/s².
    pub gravity: f64,
    /// Direction of the first rod at the start.
    pub crank: f64,
    /// Angular velocity of the first rod at the start, 1/s.
    pub rate: f64,
}

impl Default for FourBar {
    fn default() -> Self {
        Self {
            masses: [1.0, 2.0, 1.5],
            rods: [1.0, 2.0, 1.5],
            base: 2.2,
            gravity: 9.81,
            crank: 1.2,
            rate: 0.346_751_856_371_211_8,
        }
    }
}

#[lagrangian]
impl FourBar {
    fn lagrangian(&self, a: Angle, b: Angle, c: Angle) -> Scalar {
        let along = |angle| vec2(angle.cos(), angle.sin());
        let first = self.rods[0] * along(a);
        let second = first + self.rods[1] * along(a + b);
        let energy = |mass, length, direction, middle| {
            0.5 * mass * der(middle).norm_squared() + mass * length * length / 24.0 * der(direction).powi(2)
                - mass * self.gravity * middle.y
        };
        energy(self.masses[0], self.rods[0], a, 0.5 * first)
            + energy(self.masses[1], self.rods[1], a + b, 0.5 * (first + second))
            + energy(self.masses[2], self.rods[2], a + b + c, second + 0.5 * self.rods[2] * along(a + b + c))
    }

    #[holonomic]
    fn end(&self, a: Angle, b: Angle, c: Angle) -> Vec2 {
        let along = |angle| vec2(angle.cos(), angle.sin());
        self.rods[0] * along(a) + self.rods[1] * along(a + b) + self.rods[2] * along(a + b + c)
            - vec2(self.base, 0.0)
    }
}

/// The second rod above the line to the fixed end, in motion.
impl Start for FourBar {
    fn start(&self) -> State {
        let along = |angle: f64| Vector2::new(angle.cos(), angle.sin());
        let across = |angle: f64| Vector2::new(-angle.sin(), angle.cos());
        let [first, second, third] = self.rods;
        let left = Vector2::new(self.base, 0.0) - first * along(self.crank);
        let distance = left.norm();
        let opening = (distance.powi(2) + second.powi(2) - third.powi(2)) / (2.0 * distance * second);
        let two = left.y.atan2(left.x) + opening.acos();
        let rest = left - second * along(two);
        let three = rest.y.atan2(rest.x);
        // The end is at rest: l₂ β̇ n(β) + l₃ γ̇ n(γ) = −l₁ α̇ n(α), n the direction across a rod.
        let motion = -first * self.rate * across(self.crank);
        let turned = third * (two - three).sin();
        let two_rate = motion.dot(&along(three)) * third / (-second * turned);
        let three_rate = motion.dot(&along(two)) / turned;
        let rates = vec![self.rate, two_rate - self.rate, three_rate - two_rate];
        State::new(vec![self.crank, two - self.crank, three - two], rates)
    }

    fn look(&self) -> Look {
        let rods = self.rods;
        Look::new()
            .fixed("ends", [Vector3::zeros(), Vector3::new(self.base, 0.0, 0.0)])
            .points("pins", move |q, _| {
                let along = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
                let first = rods[0] * along(q[0]);
                vec![first, first + rods[1] * along(q[0] + q[1])]
            })
            .rod(("ends", 0), ("pins", 0))
            .bonds("pins", [(0, 1)])
            .rod(("pins", 1), ("ends", 1))
    }
}
