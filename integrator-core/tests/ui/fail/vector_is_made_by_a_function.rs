// `Vec2::new` is not how a vector is made.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() - (p - Vec2::new(1.0, 2.0)).norm()
    }
}

fn main() {}
