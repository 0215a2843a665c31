use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A slider–crank with a motor: a crank, a rod, and a slider that a constraint keeps on the x axis.
///
/// Both angles are measured from the x axis; crank and rod are uniform. The torque on the crank is τ₀ +
/// τ₁ cos(ω t) − c α̇. The mass depends on both angles. Units: SI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SliderCrank {
    /// Masses of the crank, the rod and the slider, kg.
    #[serde(deserialize_with = "crate::allowed::partly_positive")]
    pub masses: [f64; 3],
    /// Lengths of the crank and the rod, m; the rod is the longer one.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub lengths: [f64; 2],
    /// Gravitational acceleration along −y, m/s².
    pub gravity: f64,
    /// Torque of the motor, its mean τ₀ and its amplitude τ₁, N·m.
    pub torque: [f64; 2],
    /// Angular frequency ω of the torque, 1/s.
    pub frequency: f64,
    /// Coefficient c of the damper of the crank, N·m·s.
    #[serde(deserialize_with = "crate::allowed::not_negative")]
    pub damping: f64,
    /// Angle of the crank at the start.
    pub crank: f64,
    /// Angular velocity of the crank at the start, 1/s.
    pub rate: f64,
}

impl Default for SliderCrank {
    fn default() -> Self {
        Self {
            masses: [0.5, 0.8, 1.0],
            lengths: [0.3, 0.9],
            gravity: 9.81,
            torque: [1.5, 0.4],
            frequency: 2.0,
            damping: 0.2,
            crank: 0.399_950_996_449_610_9,
            rate: 0.912_508_196_801_198_5,
        }
    }
}

#[lagrangian]
impl SliderCrank {
    fn lagrangian(&self, crank: Angle, rod: Angle) -> Scalar {
        let along = |angle| vec2(angle.cos(), angle.sin());
        let pin = self.lengths[0] * along(crank);
        let middle = pin + 0.5 * self.lengths[1] * along(rod);
        let slider = pin.x + self.lengths[1] * rod.cos();
        let kinetic = self.masses[0] * self.lengths[0].powi(2) / 6.0 * der(crank).powi(2)
            + 0.5 * self.masses[1] * der(middle).norm_squared()
            + self.masses[1] * self.lengths[1].powi(2) / 24.0 * der(rod).powi(2)
            + 0.5 * self.masses[2] * der(slider).powi(2);
        kinetic - self.gravity * (0.5 * self.masses[0] * pin.y + self.masses[1] * middle.y)
    }

    #[holonomic]
    fn slide(&self, crank: Angle, rod: Angle) -> Scalar {
        self.lengths[0] * crank.sin() + self.lengths[1] * rod.sin()
    }

    #[force(crank)]
    fn motor(&self, crank: Angle, t: Time) -> Scalar {
        self.torque[0] + self.torque[1] * (self.frequency * t).cos() - self.damping * der(crank)
    }
}

/// The rod to the right of the crank, in motion.
impl Start for SliderCrank {
    fn start(&self) -> State {
        let [short, long] = self.lengths;
        let rod = (-short / long * self.crank.sin()).asin();
        let rate = -short * self.crank.cos() * self.rate / (long * rod.cos());
        State::new(vec![self.crank, rod], vec![self.rate, rate])
    }

    fn look(&self) -> Look {
        let [short, long] = self.lengths;
        Look::new()
            .fixed("shaft", [Vector3::zeros()])
            .points("pins", move |q, _| {
                let pin = short * Vector3::new(q[0].cos(), q[0].sin(), 0.0);
                vec![pin, pin + long * Vector3::new(q[1].cos(), q[1].sin(), 0.0)]
            })
            .points("piston", move |q, _| {
                let end = short * q[0].cos() + long * q[1].cos();
                [-0.2, 0.2].map(|side| Vector3::new(end + side * short, 0.0, 0.0)).to_vec()
            })
            .rod(("shaft", 0), ("pins", 0))
            .bonds("pins", [(0, 1)])
            .cylinder(("piston", 0), ("piston", 1), 0.15 * short)
    }
}
