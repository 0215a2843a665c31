use least_action::prelude::*;

struct Ball {
    restitution: f64,
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, x: Vec2, y: Vec2) -> Scalar {
        0.5 * (der(x).norm_squared() + der(y).norm_squared())
    }

    #[event(up)]
    fn landing(&self, x: Vec2) -> Scalar {
        x.y
    }

    #[event]
    fn nothing(&self, x: Vec2) -> Scalar {
        self.restitution
    }

    #[event]
    fn words(&self, x: Vec2) -> String {
        x.y
    }

    #[reset]
    fn without(&self, x: Vec2) -> Vec2 {
        -der(x)
    }

    #[reset(lading, x)]
    fn bounce(&self, x: Vec2) -> Vec2 {
        -der(x)
    }

    #[reset(landing)]
    fn kick(&self, x: Vec2) -> Vec2 {
        -der(x)
    }

    #[unilateral(bounce = 0.5)]
    fn floor(&self, x: Vec2) -> Scalar {
        x.y
    }

    #[unilateral]
    fn wall(&self, x: Vec2) -> Scalar {
        x.x + der(x).x
    }
}

fn main() {
    assert!(Ball { restitution: 1.0 }.bind().is_ok());
}
