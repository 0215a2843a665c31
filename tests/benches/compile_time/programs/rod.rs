//! A rod whose ends are told apart by `if`: one is clamped, the other carries a weight.

use least_action::prelude::*;

/// Joints of a rod in the plane.
pub struct Rod {
    /// The number of joints.
    pub joints: usize,
    /// The stiffnesses against stretching and bending.
    pub stiffness: [f64; 2],
    /// The length of a piece at rest.
    pub piece: f64,
    /// The weight at the free end.
    pub load: f64,
}

#[lagrangian]
impl Rod {
    fn lagrangian(&self, joints: [Vec2; self.joints]) -> Scalar {
        let kinetic = sum(0..self.joints, |i| {
            let mass = if i == self.joints - 1 { 2.0 } else { 1.0 };
            0.5 * mass * der(joints[i]).norm_squared()
        });
        let elastic = sum(0..self.joints, |i| {
            let before = if i == 0 { vec2(-self.piece, 0.0) } else { joints[i - 1] };
            let last = if i == self.joints - 1 { joints[i] } else { joints[i + 1] };
            let (back, ahead) = (joints[i] - before, last - joints[i]);
            let stretch =
                if i == 0 { 0.5 } else { 1.0 } * 0.5 * self.stiffness[0] * (back.norm() - self.piece).powi(2);
            let bend = if i == 0 {
                0.5 * self.stiffness[1] * back.y.atan2(back.x).powi(2)
            } else if i == self.joints - 1 {
                0.0 * back.x
            } else {
                let (cross, dot) = (back.x * ahead.y - back.y * ahead.x, back.dot(ahead));
                0.5 * self.stiffness[1] * cross.atan2(dot).powi(2)
            };
            let load =
                if i + 1 == self.joints { self.load * joints[i].y } else { 0.1 * self.load * joints[i].y };
            stretch + bend + load
        });
        kinetic - elastic
    }
}

fn main() {
    let rod = Rod { joints: 4, stiffness: [100.0, 1.0], piece: 1.0, load: 0.3 }.bind().expect("a rod");
    println!("{}", rod.potential(&[0.0, 0.0, 1.0, 0.1, 2.0, 0.0, 3.0, 0.2], 0.0));
}
