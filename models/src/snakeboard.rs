use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A snakeboard: a board on two pairs of wheels that its rider turns, with a rotor in the middle.
///
/// The pairs turn against each other, and it gains speed by wheels and rotor. The wheels roll and do not
/// slide: −ẋ sin(θ ± φ) + ẏ cos(θ ± φ) ∓ r θ̇ cos φ = 0. The torques on rotor and wheels are T₀ cos(ω₀
/// t) and T₁ cos(ω₁ t). Units: SI.
///
/// # Source
/// J. P. Ostrowski, A. Lewis, R. Murray and J. Burdick, Nonholonomic mechanics and locomotion: the
/// snakeboard example, Proc. IEEE Int. Conf. Robotics and Automation (1994) 2391.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Snakeboard {
    /// Mass of everything, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Distance r of the wheels from the middle, m.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub length: f64,
    /// Moments of inertia of the rotor and of a pair of wheels, kg·m².
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub inertia: [f64; 2],
    /// Amplitudes T₀ and T₁ of the torques on rotor and wheels, N·m.
    pub torques: [f64; 2],
    /// Angular frequencies ω₀ and ω₁ of the torques, 1/s.
    pub frequencies: [f64; 2],
    /// Angle φ of the wheels at the start.
    pub wheels: f64,
    /// Heading θ at the start.
    pub heading: f64,
}

impl Default for Snakeboard {
    fn default() -> Self {
        Self {
            mass: 1.0,
            length: 0.2,
            inertia: [0.03, 0.01],
            torques: [0.02, 0.004],
            frequencies: [1.3, 0.9],
            wheels: -0.24,
            heading: 0.1,
        }
    }
}

#[lagrangian]
impl Snakeboard {
    fn lagrangian(&self, middle: Vec2, heading: Angle, rotor: Angle, wheels: Angle) -> Scalar {
        0.5 * self.mass * der(middle).norm_squared()
            + 0.5 * self.mass * self.length.powi(2) * der(heading).powi(2)
            + 0.5 * self.inertia[0] * der(rotor).powi(2)
            + self.inertia[0] * der(rotor) * der(heading)
            + self.inertia[1] * der(wheels).powi(2)
    }

    #[nonholonomic]
    fn rolling(&self, middle: Vec2, heading: Angle, wheels: Angle) -> [Scalar; 2] {
        each([1.0, -1.0], |side| {
            let direction = heading + side * wheels;
            der(middle).dot(vec2(-direction.sin(), direction.cos()))
                - side * self.length * wheels.cos() * der(heading)
        })
    }

    #[force(rotor)]
    fn rotor_torque(&self, t: Time) -> Scalar {
        self.torques[0] * (self.frequencies[0] * t).cos()
    }

    #[force(wheels)]
    fn wheel_torque(&self, t: Time) -> Scalar {
        self.torques[1] * (self.frequencies[1] * t).cos()
    }
}

/// At rest.
impl Start for Snakeboard {
    fn start(&self) -> State {
        State::at_rest(vec![0.0, 0.0, self.heading, 0.0, self.wheels])
    }

    fn look(&self) -> Look {
        let (length, wheel) = (self.length, 0.15 * self.length);
        Look::new()
            .points("axles", move |q, _| {
                // The middles of the front and the rear axle, and their ends, turned against each other.
                let middle = Vector3::new(q[0], q[1], 0.0);
                let along = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
                let axle = |side: f64| {
                    let centre = middle + side * length * along(q[2]);
                    let half = 0.4 * length * along(q[2] + side * q[4] + std::f64::consts::FRAC_PI_2);
                    [centre, centre - half, centre + half]
                };
                [axle(1.0), axle(-1.0)].concat()
            })
            .points("rotor", move |q, _| {
                let half = 0.5 * length * Vector3::new((q[2] + q[3]).cos(), (q[2] + q[3]).sin(), 0.0);
                let middle = Vector3::new(q[0], q[1], 0.0);
                vec![middle - half, middle + half]
            })
            .bonds("axles", [(0, 3), (1, 2), (4, 5)])
            .disc(("axles", 1), ("axles", 0), wheel)
            .disc(("axles", 2), ("axles", 0), wheel)
            .disc(("axles", 4), ("axles", 3), wheel)
            .disc(("axles", 5), ("axles", 3), wheel)
            .bonds("rotor", [(0, 1)])
    }
}
