use least_action::prelude::*;

struct Chain {
    bonds: usize,
}

#[lagrangian(sensitive(bonds))]
impl Chain {
    fn lagrangian(&self, x: [Scalar; 3]) -> Scalar {
        let bonds = self.bonds;
        sum(0..3, |i| der(x[i]).powi(2)) - sum(0..bonds, |i| x[i].powi(4))
    }
}

fn main() {
    assert!(Chain { bonds: 1 }.bind().is_ok());
}
