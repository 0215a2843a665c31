use least_action::prelude::*;

struct Drops {
    count: usize,
    mass: f64,
}

#[lagrangian(sensitive(mass))]
impl Drops {
    fn lagrangian(&self, x: [Scalar; self.count]) -> Scalar {
        let speed = sum(0..self.count, |i| self.mass * der(x[i]).powi(2));
        sum(0..self.count, |i| der(x[i]).powi(2)) + (1.0 + speed).sqrt()
    }
}

fn main() {
    assert!(Drops { count: 2, mass: 1.0 }.bind().is_ok());
}
