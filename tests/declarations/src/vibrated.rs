use least_action::prelude::*;

/// A pendulum whose pivot is shaken up and down at high frequency.
#[derive(Debug, Clone)]
pub struct Kapitza {
    /// Length of the rod.
    pub rod: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Greatest velocity of the pivot.
    pub v_max: f64,
    /// Frequency of the pivot.
    pub omega: f64,
    /// Phase at time zero.
    pub phase: f64,
}

#[lagrangian]
impl Kapitza {
    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    #[phase]
    fn initial_phase(&self) -> f64 {
        self.phase
    }

    fn lagrangian(&self, angle: Angle, theta: Phase) -> Scalar {
        let pivot = vec2(0.0, self.v_max / self.omega * theta.cos());
        let bob = pivot + self.rod * vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }
}

/// The pendulum in Cartesian coordinates: the rod is a constraint that moves with phase and time.
#[derive(Debug, Clone)]
pub struct Shaken {
    /// Length of the rod.
    pub rod: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Half axes of the ellipse on which the pivot runs.
    pub amplitudes: [f64; 2],
    /// Its frequency.
    pub omega: f64,
}

#[lagrangian]
impl Shaken {
    #[frequency]
    fn frequency(&self) -> f64 {
        self.omega
    }

    fn pivot(&self, theta: Phase) -> Vec2 {
        vec2(self.amplitudes[0] * theta.cos(), self.amplitudes[1] * theta.sin())
    }

    fn lagrangian(&self, bob: Vec2, theta: Phase, t: Time) -> Scalar {
        0.5 * der(bob).norm_squared() - (self.gravity + 0.1 * t.sin()) * bob.y - 0.25 * theta.cos() * bob.x
    }

    #[holonomic]
    fn rod(&self, theta: Phase, bob: Vec2) -> Scalar {
        (bob - self.pivot(theta)).norm_squared() - self.rod.powi(2)
    }
}
