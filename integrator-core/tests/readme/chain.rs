use least_action::prelude::*;

struct Chain {
    links: usize,
    mass: f64,
    rod: f64,
    gravity: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| {
            0.5 * self.mass * der(bobs[i]).norm_squared() - self.mass * self.gravity * bobs[i].y
        })
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        let pivot = |i: usize| if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
        each(0..self.links, |i| (bobs[i] - pivot(i)).norm_squared() - self.rod.powi(2))
    }
}
