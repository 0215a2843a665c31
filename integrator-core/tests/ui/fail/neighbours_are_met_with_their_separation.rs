use least_action::prelude::*;

struct Liquid {
    atoms: usize,
    cutoff: f64,
    cell: Cell,
}

#[lagrangian]
impl Liquid {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared());
        let near = within(self.cutoff, atoms).periodic(self.cell);
        kinetic - sum(0..self.atoms, |i| sum(near.of(i), |j| (atoms[i] - atoms[j]).norm()))
    }
}

fn main() {}
