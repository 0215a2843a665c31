use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, r: Mat3, x: Vec3) -> Scalar {
        0.5 * self.mass * (der(r).norm_squared() + der(x).norm_squared())
    }

    #[holonomic]
    fn turned(&self, r: Mat3) -> Scalar {
        r.transpose() * r - Mat3::IDENTITY
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
