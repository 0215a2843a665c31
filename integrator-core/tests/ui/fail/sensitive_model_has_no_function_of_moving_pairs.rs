use least_action::prelude::*;

struct Drops {
    count: usize,
    mass: f64,
}

#[lagrangian(sensitive(mass))]
impl Drops {
    fn lagrangian(&self, p: [Vec2; self.count]) -> Scalar {
        let speed = sum(within(1.0, p), |(i, j, d)| (1.0 - d.norm()).powi(4) * der(p[i] - p[j]).norm_squared());
        sum(0..self.count, |i| self.mass * der(p[i]).norm_squared()) + (1.0 + speed).sqrt()
    }
}

fn main() {
    assert!(Drops { count: 2, mass: 1.0 }.bind().is_ok());
}
