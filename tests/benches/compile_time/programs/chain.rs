//! A chain of springs.

use least_action::prelude::*;

/// Masses on a line, each joined to the next by a spring.
pub struct Springs {
    /// The number of masses.
    pub masses: usize,
    /// The stiffness of a spring.
    pub stiffness: f64,
}

#[lagrangian]
impl Springs {
    fn lagrangian(&self, x: [Scalar; self.masses]) -> Scalar {
        let kinetic = sum(0..self.masses, |i| 0.5 * der(x[i]).powi(2));
        kinetic - sum(1..self.masses, |i| 0.5 * self.stiffness * (x[i] - x[i - 1] - 1.0).powi(2))
    }
}

fn main() {
    let springs = Springs { masses: 3, stiffness: 2.0 }.bind().expect("springs");
    println!("{}", springs.potential(&[0.0, 1.1, 2.0], 0.0));
}
