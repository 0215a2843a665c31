//! The small pages of motions in a report.

use std::borrow::Borrow;

use least_action::Model;
use least_action::drive::Recording;
use least_action::expr::Oracle;
use least_action::system::{Start, State};
use least_action_pages::Error as PageError;
use least_action_pages::model::{Drawable, Subject, bind};
use least_action_pages::plot::Units;
use least_action_pages::view::{About, Moment, Motion, Scene};

use crate::error::Error;

/// The frames of a motion at most.
const FRAMES: u64 = 320;

/// The page of a motion of a model through these positions, with their times, in the paper's units.
pub(super) fn through<M, Q>(model: M, units: Units, moments: &[(f64, Q)]) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start,
    Q: Borrow<[f64]>,
{
    let (system, start) = bind(&M::FACTS.name, model, u64::MAX)?;
    let scene = Scene::of(Subject { name: &M::FACTS.name, system: &system, start: &start })?;
    let layout = system.lagrangian().layout();
    let folder = std::env::temp_dir();
    let motion = Motion::of_scene(scene, layout, units, &[], &folder);
    let mut motion = motion.of_at_most(FRAMES);
    let unwritable = |error: std::io::Error| Error::from(PageError::unwritable("the page", &error));
    for (t, q) in moments {
        motion.push(&Moment { t: *t, q: q.borrow(), v: &[], measured: &[] }).map_err(unwritable)?;
    }
    motion.page(About::default().of_embedded()).map(Some).map_err(unwritable)
}

/// [`through`] for states.
pub(super) fn through_states<M>(model: M, units: Units, states: &[State]) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start,
{
    let moments: Vec<(f64, &[f64])> = states.iter().map(|state| (state.t, &*state.q)).collect();
    through(model, units, &moments)
}

/// [`through`] for a recording up to a time.
pub(super) fn through_recording<M>(
    model: M,
    units: Units,
    recording: &Recording,
    until: f64,
) -> Result<Option<String>, Error>
where
    M: Model + Oracle + Start,
{
    let moments = recording.times().zip(recording.positions()).filter(|(t, _)| *t <= until);
    through(model, units, &moments.collect::<Vec<(f64, &[f64])>>())
}
