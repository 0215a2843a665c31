use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, r: Mat3, x: Vec3) -> Scalar {
        let m = mat3([[x.x, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        0.5 * self.mass * (der(r).norm_squared() + der(x).norm_squared()) - m.trace()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
