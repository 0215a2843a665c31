//! Quantities that are measured along a run.

use crate::counted::allocations;
use least_action::drive::{Balance, Moment, Quantity};
use least_action::method::{Method, Report, Stepper, VariationalMidpoint};
use least_action::prelude::*;

/// A sledge on a blade, driven and braked.
struct Sledge {
    torque: Signal,
}

#[lagrangian]
impl Sledge {
    fn lagrangian(&self, blade: Vec2, heading: Angle) -> Scalar {
        let centre = blade + 0.25 * vec2(heading.cos(), heading.sin());
        0.6 * der(centre).norm_squared() + 0.175 * der(heading).powi(2)
    }

    #[nonholonomic]
    fn edge(&self, blade: Vec2, heading: Angle) -> Scalar {
        der(blade).dot(vec2(-heading.sin(), heading.cos()))
    }

    #[force]
    fn wheel(&self, heading: Angle, torque: Input) -> Angle {
        torque - 0.1 * der(heading)
    }
}

pub(super) fn balances() {
    let times: Vec<f64> = (0..=10).map(|k| 0.15 * f64::from(k)).collect();
    let torque = Signal::constant(times, vec![0.3, -0.2, 0.5, 0.1, 0.4, 0.0, 0.2, 0.3, -0.1, 0.2]).unwrap();
    let system = Sledge { torque }.bind().unwrap();
    let start = State::new(vec![0.0, 0.0, 0.3], vec![0.5 * 0.3_f64.cos(), 0.5 * 0.3_f64.sin(), 1.1]);
    let mut stepper = VariationalMidpoint::default().start(&system, start, 0.05).unwrap();
    let mut quantities =
        [Balance::of_energy(&system), Balance::named(&system, "angular_momentum_z").unwrap()];
    let mut values = [0.0; 2];
    let mut finite = true;
    let count = allocations(|| {
        for step in 0..=20 {
            let (state, multipliers) = (stepper.state(), stepper.multipliers());
            let moment = Moment { step, of: 20, state, multipliers, report: Report::default() };
            for quantity in &mut quantities {
                quantity.measure(&moment, &mut values);
                finite &= values.iter().all(|value| value.is_finite());
            }
            finite &= stepper.step().is_ok();
        }
    });
    assert_eq!(count, 0, "balances");
    assert!(finite);
}
