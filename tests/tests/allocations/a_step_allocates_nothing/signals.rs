//! Signals are read without an allocation.

use super::check;
use least_action::method::{
    Composition, Rattle, Reference, VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::prelude::*;

/// A pendulum on a trolley that follows a table, with a motor.
struct Crane {
    torque: Signal,
    trolley: Signal,
}

#[lagrangian]
impl Crane {
    fn lagrangian(&self, theta: Angle, t: Time) -> Scalar {
        let load = vec2(table(t, &self.trolley) + theta.sin(), -theta.cos());
        0.5 * der(load).norm_squared() - 9.81 * load.y
    }

    #[force]
    fn motor(&self, torque: Input) -> Angle {
        torque
    }
}

/// The same by a constraint, without a motor.
struct Rod {
    trolley: Signal,
}

#[lagrangian]
impl Rod {
    fn lagrangian(&self, load: Vec2) -> Scalar {
        0.5 * der(load).norm_squared() - 9.81 * load.y
    }

    #[holonomic]
    fn rod(&self, load: Vec2, t: Time) -> Scalar {
        (load - vec2(table(t, &self.trolley), 0.0)).norm_squared() - 1.0
    }
}

pub(super) fn steps() {
    let times: Vec<f64> = (0..=300).map(|k| 0.01 * f64::from(k)).collect();
    let torque = Signal::constant(times.clone(), (0..300_u32).map(|k| f64::from(k % 5)).collect()).unwrap();
    let trolley = Signal::sampled(times, |t| t * t).unwrap();
    let rod = Rod { trolley: trolley.clone() }.bind().unwrap();
    let crane = Crane { torque, trolley }.bind().unwrap();
    let start = || State::new(vec![0.3], vec![0.1]);
    check(&crane, &VariationalEuler::default(), start(), 0.02);
    check(&crane, &VariationalMidpoint::default(), start(), 0.02);
    check(&crane, &Composition::of(VariationalTrapezoid::default(), 4), start(), 0.02);
    check(&crane, &Reference::default(), start(), 0.02);
    let start = || State::new(vec![0.0, -1.0], vec![0.0, 0.0]);
    check(&rod, &Rattle::default(), start(), 0.02);
    check(&rod, &VariationalMidpoint::default(), start(), 0.02);
}
