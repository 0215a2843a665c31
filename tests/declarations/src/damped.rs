use least_action::prelude::*;

/// Bobs in air: a chain with drag, a wind that turns with time, and a follower load on the last bob.
#[derive(Debug, Clone)]
pub struct Damped {
    /// Number of bobs.
    pub links: usize,
    /// Drag for each velocity.
    pub drag: f64,
    /// The load that follows the last link.
    pub load: f64,
}

#[lagrangian]
impl Damped {
    fn lagrangian(&self, hinge: Angle, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(bobs.iter(), |bob| 0.5 * der(*bob).norm_squared()) + 0.5 * der(hinge).powi(2);
        let springs = sum(1..self.links, |i| 0.5 * (bobs[i] - bobs[i - 1]).norm_squared());
        kinetic - springs - hinge.sin() * bobs[0].x
    }

    #[force]
    fn air(&self, bobs: [Vec2; self.links], t: Time) -> [Vec2; self.links] {
        each(0..self.links, |i| {
            let relative = der(bobs[i]) - vec2(t.cos(), t.sin());
            let follower = if i + 1 == self.links && i > 0 {
                let link = bobs[i] - bobs[i - 1];
                self.load * vec2(-link.y, link.x) / link.norm()
            } else {
                Vec2::ZERO
            };
            follower - self.drag * relative.norm() * relative
        })
    }

    /// Friction that saturates.
    #[force(hinge)]
    fn friction(&self, hinge: Angle, bobs: [Vec2; self.links]) -> Angle {
        -der(hinge).clamp(-0.5, 0.5) + 0.1 * bobs[0].cross(der(bobs[0]))
    }
}

/// A falling point in a medium that slows it: the solution is known.
#[derive(Debug, Clone)]
pub struct Sinking {
    /// Drag for each velocity.
    pub drag: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
}

#[lagrangian]
impl Sinking {
    fn lagrangian(&self, height: Scalar) -> Scalar {
        0.5 * der(height).powi(2) - self.gravity * height
    }

    #[force]
    fn drag(&self, height: Scalar) -> Scalar {
        -self.drag * der(height)
    }
}
