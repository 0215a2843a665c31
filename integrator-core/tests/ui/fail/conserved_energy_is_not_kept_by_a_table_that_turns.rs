use least_action::prelude::*;

struct Ball {
    rate: f64,
}

#[lagrangian(conserves(energy))]
impl Ball {
    fn lagrangian(&self, p: Vec2, turned: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() + 0.2 * der(turned).norm_squared()
    }

    #[nonholonomic]
    fn rolls(&self, p: Vec2, turned: Vec2) -> Vec2 {
        der(vec2(p.x - turned.y, p.y + turned.x)) + self.rate * vec2(p.y, -p.x)
    }
}

fn main() {
    assert!(Ball { rate: 1.0 }.bind().is_ok());
}
