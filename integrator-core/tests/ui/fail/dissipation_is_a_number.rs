use least_action::prelude::*;

struct Particle {
    drag: f64,
}

#[lagrangian]
impl Particle {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared()
    }

    #[dissipation]
    fn drag(&self, p: Vec2) -> Vec2 {
        self.drag * der(p)
    }
}

fn main() {
    assert!(Particle { drag: 1.0 }.bind().is_ok());
}
