//! Points in frames that turn with the time: their masses are constant, for methods of natural systems.

use least_action::drive::integrate;
use least_action::method::{Composition, Reference, Verlet};
use least_action::prelude::*;
use least_action::system::Natural;
use test_support::agreement::kernels_agree_with_oracle;

/// A bead on a hoop that turns about its upright diameter.
struct Hoop {
    mass: f64,
    radius: f64,
    gravity: f64,
    spin: f64,
}

#[lagrangian]
impl Hoop {
    fn lagrangian(&self, angle: Angle, t: Time) -> Scalar {
        let turn = self.spin * t;
        let place = self.radius * vec3(angle.sin() * turn.cos(), angle.sin() * turn.sin(), -angle.cos());
        0.5 * self.mass * der(place).norm_squared() - self.mass * self.gravity * place.z
    }
}

/// A slide in a slot of a table that sways, on a spring.
struct Slot {
    mass: f64,
    stiffness: f64,
    sway: f64,
}

#[lagrangian]
impl Slot {
    fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
        let turn = self.sway * (1.7 * t).sin() + 0.3 * t;
        let place = x * vec2(turn.cos(), turn.sin());
        0.5 * self.mass * der(place).norm_squared() - 0.5 * self.stiffness * (x - 1.0).powi(2)
    }
}

#[test]
fn their_kernels_are_those_of_the_declaration() {
    let hoop = Hoop { mass: 1.3, radius: 0.7, gravity: 9.81, spin: 4.0 };
    kernels_agree_with_oracle(&hoop, &[0.8], &[1.1], 0.37);
    kernels_agree_with_oracle(&Slot { mass: 0.6, stiffness: 2.0, sway: 0.4 }, &[1.2], &[-0.7], 0.9);
}

/// ½ m r² θ̇² − ½ m r² Ω² sin²θ − m g r cos θ has neither the time nor another mass than m r².
#[test]
fn a_hoop_that_turns_is_natural() {
    let hoop = Hoop { mass: 1.3, radius: 0.7, gravity: 9.81, spin: 4.0 };
    let system = hoop.bind().expect("a hoop");
    assert!((system.mass().values[0] - 1.3 * 0.49).abs() < 1e-15, "{:?}", system.mass().values);
    assert!(!system.description().structure.time_dependent);
    let potential =
        |angle: f64| -0.5 * 1.3 * 0.49 * 16.0 * angle.sin().powi(2) - 1.3 * 9.81 * 0.7 * angle.cos();
    assert!((system.potential(&[0.8], 5.0) - potential(0.8)).abs() < 1e-13);
    let start = State::new(vec![0.8], vec![0.5]);
    let ends = [
        integrate(&system, &Composition::of(Verlet, 8), start.clone(), 0.01),
        integrate(&system, &Reference::default(), start, 0.01),
    ]
    .map(|run| {
        run.expect("a start").until(2.0).record().expect("a run").column("angle").expect("the angle")[200]
    });
    assert!((ends[0] - ends[1]).abs() < 1e-10, "{ends:?}");
}
