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
        let near = within(self.cutoff, atoms);
        kinetic - sum(near, |(_, _, d)| switched(d.norm(), atoms[0].x, self.cutoff))
    }
}

fn main() {}
