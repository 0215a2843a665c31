use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// N four-bars in a row: uniform rods on the ground points (i, 0), with couplers between their tips.
///
/// All have unit length and mass. Where the bars lie level the constraints depend on each other, and a
/// step must pass. At the start the bars stand on their dead top: the rate at which the tips leave it
/// tells a step, and no frequency does. The tips move alike: with the angle α from the vertical,
/// α̈ = 3 (3 N + 1) g sin α/(8 N + 2). Units: SI.
///
/// # Source
/// IFToMM library of computational benchmark problems, *N four-bar mechanism*; M. González, D. Dopico,
/// U. Lugrís and J. Cuadrado, *A benchmarking system for MBS simulation software*, Multibody Syst. Dyn.
/// 16 (2006) 179.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FourBars {
    /// The number N of windows.
    pub windows: usize,
    /// Gravitational acceleration along −y, m/s².
    pub gravity: f64,
    /// Velocity of the tips at the start, m/s.
    pub velocity: f64,
}

impl Default for FourBars {
    fn default() -> Self {
        Self { windows: 2, gravity: 9.81, velocity: 1.0 }
    }
}

#[lagrangian]
impl FourBars {
    fn lagrangian(&self, tips: [Vec2; self.windows + 1]) -> Scalar {
        let bars =
            sum(0..=self.windows, |i| der(tips[i]).norm_squared() / 6.0 - 0.5 * self.gravity * tips[i].y);
        let couplers = sum(0..self.windows, |i| {
            let (left, right) = (der(tips[i]), der(tips[i + 1]));
            (left.norm_squared() + left.dot(right) + right.norm_squared()) / 6.0
                - 0.5 * self.gravity * (tips[i].y + tips[i + 1].y)
        });
        bars + couplers
    }

    #[holonomic]
    fn bars(&self, tips: [Vec2; self.windows + 1]) -> [Scalar; self.windows + 1] {
        each(0..=self.windows, |i| (tips[i] - vec2(i as f64, 0.0)).norm_squared() - 1.0)
    }

    #[holonomic]
    fn couplers(&self, tips: [Vec2; self.windows + 1]) -> [Scalar; self.windows] {
        each(0..self.windows, |i| (tips[i + 1] - tips[i]).norm_squared() - 1.0)
    }
}

/// All bars upright, the tips in motion along x.
impl Start for FourBars {
    fn start(&self) -> State {
        let tips: Vec<Vector2<f64>> = (0..=self.windows).map(|i| Vector2::new(i as f64, 1.0)).collect();
        State::of_points(&tips, vec![Vector2::new(self.velocity, 0.0); tips.len()])
    }
}
