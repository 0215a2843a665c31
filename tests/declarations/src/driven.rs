use least_action::prelude::*;

/// A pendulum in an angle whose pivot moves on an ellipse.
#[derive(Debug, Clone)]
pub struct Swing {
    /// Length of the rod.
    pub rod: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Half axes of the ellipse.
    pub amplitudes: [f64; 2],
    /// Angular frequency of the pivot.
    pub frequency: f64,
}

#[lagrangian]
impl Swing {
    fn lagrangian(&self, t: Time, angle: Angle) -> Scalar {
        let phase = self.frequency * t;
        let pivot = vec2(self.amplitudes[0] * phase.cos(), self.amplitudes[1] * phase.sin());
        let bob = pivot + self.rod * vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }
}

/// Beads on a drum that breathes: the constraints and the potential depend on time.
#[derive(Debug, Clone)]
pub struct Drum {
    /// Number of beads.
    pub beads: usize,
    /// The depth to which the drum breathes.
    pub depth: f64,
    /// The frequency of the breath.
    pub frequency: f64,
}

#[lagrangian]
impl Drum {
    fn radius(&self, t: Time) -> Scalar {
        1.0 + self.depth * (self.frequency * t).sin()
    }

    fn lagrangian(&self, beads: [Vec3; self.beads], t: Time) -> Scalar {
        let kinetic = sum(beads.iter(), |bead| 0.5 * der(*bead).norm_squared());
        let field = vec3((0.5 * t).sin(), t.powi(2), 0.25);
        kinetic - sum(beads.iter(), |bead| bead.dot(field) + (bead.x * t).cos())
    }

    #[holonomic]
    fn on_the_drum(&self, t: Time, beads: [Vec3; self.beads]) -> [Scalar; self.beads] {
        each(0..self.beads, |i| {
            beads[i].norm_squared() - self.radius(t).powi(2) + t.exp() * beads[i].x.powi(3)
        })
    }

    #[holonomic]
    fn centre(&self, beads: [Vec3; self.beads], t: Time) -> Vec3 {
        sum(0..self.beads, |i| beads[i]) / self.beads as f64 - t * vec3(0.25, 0.5, t)
    }
}

/// A point that drifts in a steady wind: its kinetic energy is measured in the moving air.
#[derive(Debug, Clone)]
pub struct Wind {
    /// Velocity of the air.
    pub velocity: [f64; 2],
    /// Mass.
    pub mass: f64,
}

#[lagrangian]
impl Wind {
    fn lagrangian(&self, place: Vec2, height: Scalar) -> Scalar {
        let relative = der(place) - vec2(self.velocity);
        0.5 * self.mass * relative.norm_squared() + 0.5 * (der(height) + 2.0).powi(2)
            - place.norm_squared() * height
    }
}
