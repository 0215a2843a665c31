use least_action::prelude::*;

struct Atoms {
    count: usize,
}

#[lagrangian]
impl Atoms {
    fn lagrangian(&self, p: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(p, |p| 0.5 * der(p).norm_squared());
        kinetic - sum(pairs(p), |(i, j)| (p[i] - p[j]).norm_squared())
    }
}

fn main() {
    assert!(Atoms { count: 2 }.bind().is_ok());
}
