use least_action::prelude::*;

struct Chain {
    links: usize,
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * self.mass * der(bobs[i]).norm_squared() - self.mass * bobs[i].y)
    }

    #[holonomic]
    fn hangs(&self, bobs: [Vec3; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| bobs[i].norm_squared() - self.rod.powi(2))
    }
}

fn main() {
    assert!(Chain { links: 3, mass: 1.0, rod: 1.0 }.bind().is_ok());
}
