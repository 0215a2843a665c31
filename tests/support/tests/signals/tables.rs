//! Tables in time are functions of time like any other.

use least_action::drive::integrate;
use least_action::error::BindError;
use least_action::method::Rattle;
use least_action::prelude::*;
use least_action::system::SignalError;
use test_support::agreement::{Seeded, kernels_agree_with_oracle};

/// A table wherever time may stand: in masses, momenta, the potential, a force, a constraint.
#[derive(Clone)]
struct Everywhere {
    bodies: usize,
    mass: Signal,
    tilt: Signal,
    pull: Signal,
}

#[lagrangian]
impl Everywhere {
    fn lagrangian(&self, p: [Vec2; self.bodies], t: Time) -> Scalar {
        let moving = sum(0..self.bodies, |i| {
            let carried = p[i] + vec2(table(t, &self.tilt).sin(), 0.0) * p[i].y;
            0.5 * table(t, &self.mass) * der(carried).norm_squared()
        });
        moving - sum(1..self.bodies, |i| self.spring(t) * (p[i] - p[i - 1]).norm_squared().sqrt())
    }

    fn spring(&self, t: Time) -> Scalar {
        table(t, &self.pull).powi(2) + 0.1
    }

    #[force]
    fn drag(&self, p: [Vec2; self.bodies], t: Time) -> [Vec2; self.bodies] {
        each(0..self.bodies, |i| -der(p[i]) * table(t, &self.pull) - der(table(t, &self.tilt) * p[i]))
    }
}

/// Positions alone, so that kernels are compiled for registers, too.
#[derive(Clone)]
struct Springs {
    bodies: usize,
    pull: Signal,
    pivot: Signal,
}

#[lagrangian]
impl Springs {
    fn lagrangian(&self, x: [Scalar; self.bodies], t: Time) -> Scalar {
        sum(0..self.bodies, |i| 0.5 * der(x[i]).powi(2) - table(t, &self.pull) * x[i].cos())
    }

    #[holonomic]
    fn end(&self, x: [Scalar; self.bodies], t: Time) -> Scalar {
        x[0].powi(3) + x[1] * table(t, &self.pivot) - table(t, &self.pivot).powi(2)
    }
}

fn uneven(seed: f64) -> Result<Signal, SignalError> {
    let times: Vec<f64> = (0..40).map(|k| -1.0 + 0.1 * f64::from(k) + 0.03 * f64::from(k).sin()).collect();
    Signal::sampled(times, |t| 1.5 + (3.0 * t + seed).sin())
}

#[test]
fn kernels_with_tables_agree_with_dual_numbers() -> Result<(), SignalError> {
    let model = Everywhere { bodies: 4, mass: uneven(0.1)?, tilt: uneven(0.7)?, pull: uneven(2.0)? };
    let springs = Springs { bodies: 9, pull: uneven(0.3)?, pivot: uneven(0.9)? };
    let mut seeded = Seeded::new(11);
    for t in [-0.43, 0.0, 1.23, 2.5] {
        kernels_agree_with_oracle(&model, &seeded.numbers(8), &seeded.numbers(8), t);
        kernels_agree_with_oracle(&springs, &seeded.numbers(9), &seeded.numbers(9), t);
    }
    Ok(())
}

/// A pendulum whose pivot follows a table, and the same by a formula.
struct Carried {
    pivot: Signal,
}

#[lagrangian]
impl Carried {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, t: Time) -> Scalar {
        (bob - vec2(table(t, &self.pivot), 0.0)).norm_squared() - 1.0
    }
}

struct Formula {}

#[lagrangian]
impl Formula {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[holonomic]
    fn rod(&self, bob: Vec2, t: Time) -> Scalar {
        (bob - vec2(0.3 * (2.0 * t).sin(), 0.0)).norm_squared() - 1.0
    }
}

#[test]
fn a_pivot_that_follows_a_table_is_one_that_follows_a_formula() -> Result<(), Box<dyn std::error::Error>> {
    let start = |speed: f64| State::new(vec![1.0, 0.0], vec![speed, 0.0]);
    let formula = Formula {}.bind()?;
    let (end, step) = (3.0, 1e-3);
    let (exact, _) = integrate(&formula, &Rattle::default(), start(0.6), step)?.until(end).run()?;
    // Straight lines leave a part of h² of the function out.
    let mut errors = Vec::new();
    for pieces in [300_u32, 1200] {
        let times = (0..=pieces).map(|k| end * f64::from(k) / f64::from(pieces)).collect();
        let pivot = Signal::sampled(times, |t| 0.3 * (2.0 * t).sin())?;
        let speed = pivot.slope(0.0);
        let table = Carried { pivot }.bind()?;
        let (last, _) = integrate(&table, &Rattle::default(), start(speed), step)?.until(end).run()?;
        let difference =
            (last.state().q[0] - exact.state().q[0]).hypot(last.state().q[1] - exact.state().q[1]);
        errors.push(difference);
    }
    assert!(errors[0] < 2e-4 && errors[1] < 0.1 * errors[0], "{errors:?}");
    Ok(())
}

#[test]
fn the_slope_of_a_table_that_jumps_is_refused() -> Result<(), SignalError> {
    let jumps = Signal::constant(vec![0.0, 1.0, 2.0], vec![0.0, 1.0])?;
    let error = Carried { pivot: jumps.clone() }.bind().err();
    assert_eq!(error, Some(BindError::SlopeOfJumps { table: "self.pivot".to_owned() }));
    // Of a potential nothing but the value is needed; of a mass, the slope.
    let springs = Springs { bodies: 3, pull: jumps.clone(), pivot: uneven(0.3)? };
    assert!(springs.bind().is_ok());
    let everywhere = Everywhere { bodies: 2, mass: uneven(0.1)?, tilt: uneven(0.7)?, pull: uneven(2.0)? };
    assert!(Everywhere { pull: jumps.clone(), ..everywhere.clone() }.bind().is_ok());
    for model in
        [Everywhere { mass: jumps.clone(), ..everywhere.clone() }, Everywhere { tilt: jumps, ..everywhere }]
    {
        assert!(matches!(model.bind().err(), Some(BindError::SlopeOfJumps { .. })));
    }
    Ok(())
}
