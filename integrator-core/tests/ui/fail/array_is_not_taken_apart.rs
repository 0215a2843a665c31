use least_action::prelude::*;

struct Water {
    molecules: usize,
}

#[lagrangian]
impl Water {
    fn lagrangian(&self, sites: [[Vec3; 3]; self.molecules]) -> Scalar {
        sum(0..self.molecules, |m| {
            let [a, b, c] = sites[m];
            0.5 * (der(a).norm_squared() + der(b).norm_squared() + der(c).norm_squared())
        })
    }
}

fn main() {
    assert!(Water { molecules: 1 }.bind().is_ok());
}
