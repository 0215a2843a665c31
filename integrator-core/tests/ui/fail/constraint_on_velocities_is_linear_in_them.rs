use least_action::prelude::*;

struct Motor {
    speed: f64,
}

#[lagrangian]
impl Motor {
    fn lagrangian(&self, p: Vec2, q: [Scalar; 3]) -> Scalar {
        0.5 * der(p).norm_squared() + sum(0..3, |i| 0.5 * der(q[i]).powi(2))
    }

    #[nonholonomic]
    fn speed(&self, p: Vec2) -> Scalar {
        der(p).norm_squared() - self.speed.powi(2)
    }

    #[nonholonomic]
    fn together(&self, q: [Scalar; 3]) -> [Scalar; 2] {
        each(0..2, |i| q[i] * der(q[i + 1]) + 2.0 * der(q[i]) * der(q[i + 1]) - 1.0)
    }

    // Quadratic as it stands, and linear when it is multiplied out.
    #[nonholonomic]
    fn fine(&self, p: Vec2) -> Scalar {
        (der(p.x) + p.x).powi(2) - der(p.x) * (der(p.x) + p.x) - p.y * der(p.y)
    }
}

fn main() {
    assert!(Motor { speed: 1.0 }.bind().is_ok());
}
