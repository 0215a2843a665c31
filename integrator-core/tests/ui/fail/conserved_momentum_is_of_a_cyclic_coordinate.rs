use least_action::prelude::*;

struct Kepler {
    strength: f64,
}

#[lagrangian(conserves(energy, momentum_phi))]
impl Kepler {
    fn lagrangian(&self, r: Scalar, phi: Angle) -> Scalar {
        0.5 * (der(r).powi(2) + (r * der(phi)).powi(2)) + self.strength / r - 0.1 * r * phi.sin()
    }
}

fn main() {
    assert!(Kepler { strength: 1.0 }.bind().is_ok());
}
