use least_action::prelude::*;

struct Spring {
    stiffness: f64,
    mass: f64,
}

fn of_the_model(spring: &Spring) -> f64 {
    spring.mass
}

impl Spring {
    fn elsewhere(&self) -> f64 {
        self.stiffness
    }
}

#[lagrangian(sensitive(stiffness, mass))]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        let rounded = f64::from(self.mass as f32);
        let whole = of_the_model(self);
        let hidden = self.softening() + self.through() + self.elsewhere() + rounded + whole + f64::from(self.mass);
        let written = format!("{}", self.mass).len();
        0.5 * self.mass * der(x).powi(2) - self.stiffness * hidden * x.powi(2) - self.blind() - written as f64
    }

    fn softening(&self) -> f64 {
        if self.stiffness > 1.0 { 1.0 } else { self.stiffness }
    }

    fn through(&self) -> f64 {
        self.softening()
    }

    fn blind(&self) -> f64 {
        1.0
    }
}

fn main() {
    assert!(Spring { stiffness: 1.0, mass: 1.0 }.bind().is_ok());
}
