use least_action::prelude::*;

struct Chain {
    links: usize,
    first: usize,
    kind: usize,
    bonds: usize,
    stiffness: f64,
}

#[lagrangian(sensitive(links, first, kind, bonds, stiffness))]
impl Chain {
    fn lagrangian(&self, x: [Scalar; self.links]) -> Scalar {
        let bonds = self.bonds;
        let springs = sum(1..self.links, |i| self.stiffness * (x[i] - x[i - 1]).powi(2));
        let more = sum(0..bonds, |i| x[i].powi(4));
        let factor = match self.kind {
            0 => 1.0,
            _ => 2.0,
        };
        sum(x, |x| der(x).powi(2)) - factor * springs - x[self.first] - more
    }
}

fn main() {
    assert!(Chain { links: 2, first: 0, kind: 0, bonds: 1, stiffness: 1.0 }.bind().is_ok());
}
