// A skate binds the velocity alone.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model {
    pub mass: f64,
}

#[lagrangian]
impl Model {
    fn lagrangian(&self, p: Vec2, phi: Angle) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() + 0.5 * der(phi).powi(2)
    }

    #[holonomic]
    fn skate(&self, p: Vec2, phi: Angle) -> Scalar {
        der(p.x) * phi.sin() - p.y * phi.cos()
    }
}

fn main() {}
