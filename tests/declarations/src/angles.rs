use least_action::prelude::*;

/// Rotors on a ring, each coupled to the next by a spring and by inertia. One rotor is its own
/// neighbour, and of two every pair meets twice.
#[derive(Debug, Clone)]
pub struct Ring {
    /// Number of rotors.
    pub rotors: usize,
    /// Stiffness.
    pub coupling: f64,
    /// Inertia that neighbours share, below one half.
    pub shared: f64,
}

#[lagrangian]
impl Ring {
    fn lagrangian(&self, theta: [Angle; self.rotors]) -> Scalar {
        let n = self.rotors;
        let kinetic = sum(0..n, |k| {
            0.5 * der(theta[k]).powi(2) + self.shared * der(theta[k]) * der(theta[(k + 1) % n])
        });
        let bond = |k| self.coupling * (1.0 - (theta[(k + 1) % n] - 2.0 * theta[k]).cos());
        let twist = sum(0..n, |k| (theta[(k + 1) % n] * theta[k] * theta[(k + 2) % n]).sin());
        kinetic - sum(0..n, bond) - twist
    }

    #[holonomic]
    fn geared(&self, theta: [Angle; self.rotors]) -> [Scalar; self.rotors] {
        each(0..self.rotors, |k| theta[k].sin() * theta[(k + 1) % self.rotors] - 0.3)
    }
}

/// A pendulum of many links in angles from the downward vertical: the place of each bob is the sum of
/// the links above it, and its velocity the derivative.
#[derive(Debug, Clone)]
pub struct Linkage {
    /// Lengths of the links.
    pub rods: Vec<f64>,
    /// Masses of the bobs.
    pub masses: Vec<f64>,
    /// Gravitational acceleration.
    pub gravity: f64,
}

#[lagrangian]
impl Linkage {
    fn lagrangian(&self, theta: [Angle; self.rods.len()]) -> Scalar {
        sum(self.masses.iter().enumerate(), |(i, &mass)| {
            let place = sum(0..=i, |j| self.rods[j] * vec2(theta[j].sin(), -theta[j].cos()));
            0.5 * mass * der(place).norm_squared() - mass * self.gravity * place.y
        })
    }

    /// The last bob slides on a line, and a sum meets itself in each equation.
    #[holonomic]
    fn tip(&self, theta: [Angle; self.rods.len()]) -> Vec2 {
        let tip = sum(0..self.rods.len(), |j| self.rods[j] * vec2(theta[j].sin(), -theta[j].cos()));
        vec2(tip.x * tip.y - 0.2, tip.norm_squared() - 1.0)
    }
}
