use least_action::prelude::*;

struct Pendulum {
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Pendulum {
    fn lagrangian(&self, bob: Vec3) -> Scalar {
        let frame = Mat3::from_colums([bob, bob, bob]);
        0.5 * self.mass * der(bob).norm_squared() - frame.determinant()
    }
}

fn main() {
    assert!(Pendulum { mass: 1.0, rod: 1.0 }.bind().is_ok());
}
