use least_action::prelude::*;

struct Skate {
    mass: f64,
}

#[lagrangian(conserves(energy, linear_momentum))]
impl Skate {
    fn lagrangian(&self, p: Vec2, phi: Angle) -> Scalar {
        0.5 * self.mass * der(p).norm_squared() + 0.5 * der(phi).powi(2)
    }

    #[nonholonomic]
    fn skate(&self, p: Vec2, phi: Angle) -> Scalar {
        der(p.x) * phi.sin() - der(p.y) * phi.cos()
    }
}

fn main() {
    assert!(Skate { mass: 1.0 }.bind().is_ok());
}
