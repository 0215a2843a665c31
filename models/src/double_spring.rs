use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A chain of unit masses on unit springs in the plane, without gravity, hinged at the origin.
///
/// The springs are declared as constraints |p_i − p_{i−1}| = 1: a method with a penalty ½ ω² Σ (|p_i −
/// p_{i−1}| − 1)² makes them springs of stiffness ω², a method with multipliers rigid rods.
///
/// Units: none.
///
/// # Source
/// G. Ariel, J. M. Sanz-Serna and R. Tsai, *A multiscale technique for finding slow manifolds of stiff
/// mechanical systems* (2012), section 5.1: two springs, with the start of their second example, which
/// satisfies the constraints. Their first starts at q = (1, 0.25, 2, 0) with the same velocities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoubleSpring {
    /// Number of springs.
    pub links: usize,
}

impl Default for DoubleSpring {
    fn default() -> Self {
        Self { links: 2 }
    }
}

#[lagrangian]
impl DoubleSpring {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared())
    }

    #[holonomic]
    fn springs(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm() - 1.0
        })
    }
}

/// Straight along the x-axis; bob i = 1, 2, … moves across with the velocity −½, ½, −½, ….
impl Start for DoubleSpring {
    fn start(&self) -> State {
        let across = |i: usize| if i.is_multiple_of(2) { 0.5 } else { -0.5 };
        let bobs = 1..=self.links;
        State::new(
            bobs.clone().flat_map(|i| [i as f64, 0.0]).collect(),
            bobs.flat_map(|i| [0.0, across(i)]).collect(),
        )
    }

    fn look(&self) -> Look {
        let look = Look::new().fixed("hinge", [Vector3::zeros()]);
        if self.links > 0 { look.rod(("hinge", 0), ("bobs", 0)) } else { look }
    }
}
