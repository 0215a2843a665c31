use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Chaplygin's sleigh: a body in the plane on a blade that slides along its edge and not across it.
///
/// The blade is at (x, y), the centre of mass ahead of it by a; −ẋ sin φ + ẏ cos φ = 0 constrains
/// velocities alone. Energy is conserved, and the sleigh ends up running straight: the motion is not
/// symplectic. Units: SI.
///
/// # Source
/// S. A. Chaplygin, On the theory of motion of nonholonomic systems, Mat. Sbornik 28 (1911) 303; A. M.
/// Bloch, *Nonholonomic Mechanics and Control* (2015), section 1.7.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChaplyginSleigh {
    /// Mass, kg.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Moment of inertia about the centre of mass, kg·m².
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub inertia: f64,
    /// Distance a of the centre of mass ahead of the blade, m.
    pub offset: f64,
    /// Heading φ at the start.
    pub heading: f64,
    /// Velocity along the blade, m/s, and turning rate, 1/s, at the start.
    pub rates: [f64; 2],
}

impl Default for ChaplyginSleigh {
    fn default() -> Self {
        Self { mass: 1.2, inertia: 0.35, offset: 0.25, heading: 0.3, rates: [0.5, 1.1] }
    }
}

#[lagrangian]
impl ChaplyginSleigh {
    fn lagrangian(&self, blade: Vec2, heading: Angle) -> Scalar {
        let centre = blade + self.offset * vec2(heading.cos(), heading.sin());
        0.5 * self.mass * der(centre).norm_squared() + 0.5 * self.inertia * der(heading).powi(2)
    }

    #[nonholonomic]
    fn edge(&self, blade: Vec2, heading: Angle) -> Scalar {
        der(blade).dot(vec2(-heading.sin(), heading.cos()))
    }
}

/// At the origin, sliding along the blade and turning.
impl Start for ChaplyginSleigh {
    fn start(&self) -> State {
        let (sine, cosine) = self.heading.sin_cos();
        let [speed, turning] = self.rates;
        State::new(vec![0.0, 0.0, self.heading], vec![speed * cosine, speed * sine, turning])
    }

    /// Four times in which the turning fades, at the speed in which its energy ends.
    fn until(&self) -> Option<f64> {
        let about_blade = self.inertia + self.mass * self.offset.powi(2);
        let [speed, turning] = self.rates;
        let last = (speed.powi(2) + about_blade / self.mass * turning.powi(2)).sqrt();
        let fades = about_blade / (self.mass * self.offset.abs() * last);
        fades.is_finite().then_some(4.0 * fades)
    }

    fn look(&self) -> Look {
        let offset = self.offset;
        Look::new()
            .points("edge", move |q, _| {
                let half = 0.3 * offset * Vector3::new(q[2].cos(), q[2].sin(), 0.0);
                let blade = Vector3::new(q[0], q[1], 0.0);
                vec![blade - half, blade + half]
            })
            .hide("blade")
            .cylinder(("edge", 0), ("edge", 1), 0.05 * offset)
            .rod(("blade", 0), ("centre", 0))
    }
}
