//! The choices for a plan that leaves them open.

use least_action_methods::Entry;
use serde_json::{Map, Value};

use super::members::{Members, Target};
use super::plan::Plan;
use crate::arguments::{By, ModelChoice, Request, StartChoice, Until};
use crate::error::Result;
use crate::methods;
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::settings::written;

/// Chooses what a plan leaves open, as a run of the common part would, and tells it.
pub(super) fn complete(
    plan: &mut Plan,
    registry: &Registry,
    members: &Members,
    memory: u64,
) -> Result<(&'static Entry, Option<String>)> {
    let has = |own: &[Target]| members.targets.iter().any(|target| own.contains(target));
    let (steps, ends) = (has(&[Target::Step]), has(&[Target::Until, Target::Steps]));
    if let (Some(method), true, true) =
        (&plan.method, plan.step.is_some() || steps, plan.until.is_some() || ends)
    {
        return Ok((methods::find(method)?, None));
    }
    let texts = |own: &Map<String, Value>| own.iter().map(written).collect();
    // Steps and ends of members leave none to be chosen.
    let (step, until) = (plan.step.or(steps.then_some(1.0)), plan.until.or(ends.then_some(0.0)));
    let by = By { method: plan.method.clone(), with: texts(&plan.with), step };
    let start = StartChoice { file: plan.start.clone(), ..StartChoice::default() };
    let model =
        ModelChoice { name: plan.model.clone(), set: texts(&plan.set), params: None, memory: Some(memory) };
    let motion = Prepared::new(registry, &Request { model, by, until: Until::at(until), start })?;
    plan.method = Some(motion.method.name.to_owned());
    plan.step = plan.step.or((!steps).then_some(motion.step));
    plan.until = plan.until.or((!ends).then_some(motion.until));
    Ok((motion.method, Some(motion.notes().collect::<Vec<_>>().join("; "))))
}
