use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, r: Mat3, x: Vec3) -> Scalar {
        let k = 1;
        0.5 * self.mass * (der(r).norm_squared() + der(x).norm_squared()) - r[(0, k)] - r[0] - r[(1, 3)]
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
