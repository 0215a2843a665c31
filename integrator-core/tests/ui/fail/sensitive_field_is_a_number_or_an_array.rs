use least_action::prelude::*;

struct Springs {
    stiffness: Vec<f64>,
}

fn of_all(stiffness: &[f64]) -> f64 {
    stiffness[0]
}

#[lagrangian(sensitive(stiffness))]
impl Springs {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        let own = self.stiffness.clone();
        0.5 * der(x).powi(2) - self.stiffness[0] * own[1] * of_all(&self.stiffness) * x.powi(2)
    }
}

fn main() {
    assert!(Springs { stiffness: vec![1.0, 2.0] }.bind().is_ok());
}
