//! The problems of `tests/data/variational.json`, declared.

use integrator_core::system::{Lagrangian, State};
use integrator_core::{Bound, Model, lagrangian};
use serde_json::Value;
use test_support::reference::{numbers, read};

/// A problem with its numbers.
pub(super) struct Problem {
    pub(super) system: Box<dyn Lagrangian>,
    pub(super) start: State,
    pub(super) data: Value,
}

/// The problem of this name.
pub(super) fn problem(name: &str) -> Problem {
    let data = read("variational.json")["problems"][name].take();
    let parameters = numbers(&data["parameters"]);
    let system = declared(name, &parameters);
    let start = State::new(numbers(&data["q0"]), numbers(&data["v0"]));
    Problem { system, start, data }
}

fn declared(name: &str, p: &[f64]) -> Box<dyn Lagrangian> {
    match name {
        "driven_damped_double_pendulum" => Box::new(DrivenPendulum::of(p)),
        other => panic!("{other} is not declared"),
    }
}

fn bound<M: Model>(model: &M) -> Bound<M> {
    model.bind().unwrap_or_else(|error| panic!("{error}"))
}

/// A double pendulum in angles, with viscous hinges and a motor in the first.
pub(super) struct DrivenPendulum {
    masses: [f64; 2],
    rods: [f64; 2],
    gravity: f64,
    drag: [f64; 2],
    torque: f64,
    rate: f64,
}

impl DrivenPendulum {
    pub(super) fn of(p: &[f64]) -> Bound<Self> {
        let [m1, m2, l1, l2, gravity, c1, c2, torque, rate] = *p else { panic!("nine parameters") };
        bound(&Self { masses: [m1, m2], rods: [l1, l2], gravity, drag: [c1, c2], torque, rate })
    }
}

#[lagrangian]
impl DrivenPendulum {
    fn lagrangian(&self, a: Scalar, b: Scalar) -> Scalar {
        let upper = self.rods[0] * vec2(a.sin(), -a.cos());
        let lower = upper + self.rods[1] * vec2(b.sin(), -b.cos());
        0.5 * self.masses[0] * der(upper).norm_squared() + 0.5 * self.masses[1] * der(lower).norm_squared()
            - self.gravity * (self.masses[0] * upper.y + self.masses[1] * lower.y)
    }

    #[force(a)]
    fn motor(&self, a: Scalar, b: Scalar, t: Time) -> Scalar {
        self.torque * (self.rate * t).cos() - self.drag[0] * der(a) - self.drag[1] * (der(a) - der(b))
    }

    #[force(b)]
    fn hinge(&self, a: Scalar, b: Scalar) -> Scalar {
        -self.drag[1] * (der(b) - der(a))
    }
}
