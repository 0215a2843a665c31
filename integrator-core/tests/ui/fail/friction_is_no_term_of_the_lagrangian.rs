#![deny(deprecated)]

use least_action::prelude::*;

struct Damped {
    mass: f64,
    damping: f64,
    field: f64,
}

#[lagrangian]
impl Damped {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let turning = self.field * ((x - 1.0) * der(y) - y * der(x));
        let friction = self.damping * (x + y) * (der(x) + der(y));
        0.5 * self.mass * (der(x).powi(2) + der(y).powi(2)) - x.powi(2) + turning - self.damping * der(x) - friction
    }
}

/// As above, on purpose.
struct Gauged;

#[lagrangian]
#[allow(deprecated)]
impl Gauged {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) + x * der(x)
    }
}

/// A force that changes with time comes from such a term.
struct Driven;

#[lagrangian]
impl Driven {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        0.5 * der(x).powi(2) + t.sin() * der(x)
    }
}

fn main() {}
