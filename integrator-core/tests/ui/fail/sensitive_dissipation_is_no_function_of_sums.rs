use least_action::prelude::*;

struct Drops {
    count: usize,
    drag: f64,
}

#[lagrangian(sensitive(drag))]
impl Drops {
    fn lagrangian(&self, x: [Scalar; self.count]) -> Scalar {
        sum(0..self.count, |i| der(x[i]).powi(2))
    }

    #[dissipation]
    fn rub(&self, x: [Scalar; self.count]) -> Scalar {
        let speed = sum(0..self.count, |i| der(x[i]).powi(2));
        self.drag * (1.0 + speed).sqrt()
    }
}

fn main() {
    assert!(Drops { count: 2, drag: 1.0 }.bind().is_ok());
}
