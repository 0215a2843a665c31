//! How far a member goes: its step, and the time or the number of steps at which it ends.

use least_action::drive::Plan as Steps;
use serde_json::Value;

use super::members::{Settings, Target};
use super::plan::Plan;
use crate::error::{Error, Result};

/// The step of a member, and its end.
pub(super) struct Course {
    pub(super) step: f64,
    end: End,
}

/// Where a member ends.
enum End {
    At(f64),
    After(u64),
}

impl Course {
    /// The course of a member with these settings.
    pub(super) fn of(plan: &Plan, settings: &Settings) -> Result<Self> {
        let (mut step, mut end) = (plan.step, plan.until.map(End::At));
        for (target, value) in settings {
            let given = value.as_f64().filter(|number| number.is_finite());
            let refused = |reason: &str| refused(plan, target, value, reason);
            match target {
                Target::Step => {
                    let given = given.filter(|step| *step > 0.0);
                    step = Some(given.ok_or_else(|| refused("the step must be positive and finite"))?);
                }
                Target::Until => {
                    end = Some(End::At(given.ok_or_else(|| refused("the time must be a finite number"))?));
                }
                Target::Steps => {
                    let given = whole(value).filter(|steps| *steps > 0);
                    let reason = "the steps of a member are a whole number from 1 on";
                    end = Some(End::After(given.ok_or_else(|| refused(reason))?));
                }
                _ => {}
            }
        }
        step.zip(end).map(|(step, end)| Self { step, end }).ok_or_else(|| {
            let reason =
                "neither the plan nor the member says its `step`, and where it ends, by `until` or `steps`";
            Error::parameters(&plan.model, reason)
        })
    }

    /// The steps from a time on, of which each `every`-th is measured.
    pub(super) fn steps(&self, start: f64, every: u64) -> Result<Steps> {
        let whole = match self.end {
            End::At(time) => Steps::until(start, time, self.step).map_err(Error::Plan)?,
            End::After(steps) => Steps { steps, every: 1 },
        };
        Ok(whole.every(every))
    }
}

/// A whole number, also one that is written with a point.
pub(super) fn whole(value: &Value) -> Option<u64> {
    let with_point = || {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < (1_u64 << 53) as f64).then_some(number as u64)
    };
    value.as_u64().or_else(with_point)
}

/// The refusal of a setting.
pub(super) fn refused(plan: &Plan, target: &Target, value: &Value, reason: &str) -> Error {
    Error::parameters(&plan.model, format_args!("`{target}` is {value}: {reason}"))
}
