use least_action::prelude::*;

struct Stone {
    gravity: Vector3<f64>,
}

#[lagrangian]
impl Stone {
    fn lagrangian(&self, stone: Vec3) -> Scalar {
        0.5 * der(stone).norm_squared() + self.gravity.dot(stone)
    }
}

fn main() {
    assert!(Stone { gravity: Vector3::zeros() }.bind().is_ok());
}
