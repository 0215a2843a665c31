use least_action::prelude::*;

struct Chain {
    links: usize,
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = |i| 0.5 * self.mass * der(bobs[i]).norm_sqared();
        kinetic(0) + kinetic(1) + sum(0..self.links, |i| kinetic(i))
    }
}

fn main() {
    assert!(Chain { links: 3, mass: 1.0, rod: 1.0 }.bind().is_ok());
}
