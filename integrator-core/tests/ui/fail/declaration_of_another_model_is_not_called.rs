// A field whose type is a model is a parameter; its helpers are those of its own block.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Arm {
    pub length: f64,
}

#[lagrangian]
impl Arm {
    fn tip(&self, q: Angle) -> Vec2 {
        self.length * vec2(q.sin(), -q.cos())
    }

    fn lagrangian(&self, q: Angle) -> Scalar {
        0.5 * der(self.tip(q)).norm_squared()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Twin {
    pub left: Arm,
}

#[lagrangian]
impl Twin {
    fn lagrangian(&self, left: Angle, right: Angle) -> Scalar {
        self.left.lagrangian(left) + 0.5 * der(right).powi(2)
    }

    #[holonomic]
    fn rod(&self, left: Angle) -> Scalar {
        self.left.tip(left).y
    }
}

fn main() {}
