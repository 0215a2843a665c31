//! The pages of motions in a report, which are small.

use std::borrow::Borrow;

use least_action::Model;
use least_action::drive::Recording;
use least_action::expr::Oracle;
use least_action::system::{Start, State};
use serde::Serialize;

use crate::error::Error;
use crate::model;
use crate::plot::Units;
use crate::registry::Instance;
use crate::view::{About, Moment, Motion, Scene};

/// The frames of a motion at most.
const FRAMES: u64 = 320;

/// The page of a motion of a model through these positions, each with its time; in the units that the paper has.
pub(super) fn through<M, Q>(model: M, units: Units, moments: &[(f64, Q)]) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start + Serialize + 'static,
    Q: Borrow<[f64]>,
{
    let (system, start) = model::bind(M::NAME, model, u64::MAX)?;
    let instance = Instance { name: M::NAME.to_owned(), system, start };
    let layout = instance.system.lagrangian().layout();
    let folder = std::env::temp_dir();
    let motion = Motion::of_scene(Scene::of(&instance)?, layout, units, &[], &folder);
    let mut motion = motion.of_at_most(FRAMES);
    let unwritable =
        |error: std::io::Error| Error::Unwritable { place: "the page".to_owned(), reason: error.to_string() };
    for (t, q) in moments {
        motion.push(&Moment { t: *t, q: q.borrow(), measured: &[] }).map_err(unwritable)?;
    }
    motion.page(About::default().of_embedded()).map(Some).map_err(unwritable)
}

/// The same through states.
pub(super) fn through_states<M>(model: M, units: Units, states: &[State]) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start + Serialize + 'static,
{
    let moments: Vec<(f64, &[f64])> = states.iter().map(|state| (state.t, &*state.q)).collect();
    through(model, units, &moments)
}

/// The same through what was recorded up to a time.
pub(super) fn through_recording<M>(
    model: M,
    units: Units,
    recording: &Recording,
    until: f64,
) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start + Serialize + 'static,
{
    let moments = recording.times().zip(recording.positions()).filter(|(t, _)| *t <= until);
    through(model, units, &moments.collect::<Vec<(f64, &[f64])>>())
}
