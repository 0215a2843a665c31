use least_action::prelude::*;

struct Springs {
    bonds: Vec<(usize, usize, f64)>,
}

#[lagrangian(sensitive(bonds))]
impl Springs {
    fn lagrangian(&self, x: [Scalar; 3]) -> Scalar {
        let springs = sum(&self.bonds, |&(i, j, k)| 0.5 * k * (x[i] - x[j]).powi(2));
        0.5 * sum(0..3, |i| der(x[i]).powi(2)) - springs
    }
}

fn main() {
    assert!(Springs { bonds: vec![(0, 1, 1.0)] }.bind().is_ok());
}
