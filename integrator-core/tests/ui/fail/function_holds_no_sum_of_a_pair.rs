use least_action::prelude::*;

struct Gas {
    atoms: usize,
}

#[lagrangian]
impl Gas {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let pairs = sum(within(1.5, atoms), |(_, _, d)| sum(1..4, |k| (-k as f64 * d.norm()).exp()).sqrt());
        sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared()) - pairs
    }
}

fn main() {}
