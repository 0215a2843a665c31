use least_action::prelude::*;

struct Liquid {
    atoms: usize,
    cell: Cell,
}

#[lagrangian]
impl Liquid {
    fn lagrangian(&self, atoms: [Vec3; self.atoms]) -> Scalar {
        let kinetic = sum(0..self.atoms, |i| 0.5 * der(atoms[i]).norm_squared());
        let near = within(2.5, atoms).periodic(self.cell);
        kinetic - sum(near, |(_, _, d)| switched(d.norm(), 2.5, 2.0))
    }
}

fn main() {}
