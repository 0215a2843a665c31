//! Rows that a program has in memory: pages of them, and recordings that become them.

use std::io;
use std::path::Path;

use least_action::system::State;
use least_action_pages::plot::{self, Film};
use least_action_pages::view::{Kind, Moment, Motion, Scene, Viewer, check};

use super::about;
use super::recording::{Known, Recording};
use crate::arguments::{By, ModelChoice, Request, Run, StartChoice, Until};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::output::Rows;
use crate::parameters;
use crate::registry::Registry;
use crate::settings::written;
use crate::view;

/// The rows of a run in memory: times and positions, and measured columns with their names.
pub(crate) struct Columns<'c> {
    pub(crate) t: &'c [f64],
    pub(crate) q: &'c [f64],
    pub(crate) v: &'c [f64],
    pub(crate) names: &'c [String],
    pub(crate) measured: &'c [&'c [f64]],
}

impl Columns<'_> {
    /// The state of the first row.
    fn first(&self) -> State {
        let n = self.q.len() / self.t.len().max(1);
        let of = |numbers: &[f64]| numbers.iter().take(n).copied().collect();
        State { t: self.t.first().copied().unwrap_or(0.0), q: of(self.q), v: of(self.v) }
    }

    /// Shows every so many-th row, and the last one.
    fn for_each<E>(
        &self,
        stride: usize,
        mut show: impl FnMut(&Moment<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { t, q, v, measured: columns, .. } = self;
        let (n, last) = (q.len() / t.len().max(1), t.len().saturating_sub(1));
        let mut measured = Vec::with_capacity(columns.len());
        for row in (0..last).step_by(stride).chain((!t.is_empty()).then_some(last)) {
            measured.clear();
            measured.extend(columns.iter().map(|column| column[row]));
            let of_row = n * row..n * (row + 1);
            let v = v.get(of_row.clone()).unwrap_or_default();
            show(&Moment { t: t[row], q: &q[of_row], v, measured: &measured })?;
        }
        Ok(())
    }
}

/// The most frames of a page that a notebook shows beside others.
const NOTEBOOK_FRAMES: usize = 600;

/// The page of rows in memory, of which it has some that are evenly spread.
pub(crate) fn page_of_rows(registry: &Registry, arguments: &Run, rows: &Columns<'_>) -> Result<String> {
    let instance = parameters::bind(registry, &arguments.request.model)?;
    let layout = instance.system.lagrangian().layout();
    let units = view::units(&instance).with_boltzmann(arguments.boltzmann);
    let folder = std::env::temp_dir();
    let mut motion = Motion::of_scene(Scene::of(instance.subject())?, layout, units, rows.names, &folder);
    let unwritable = |error: io::Error| Error::unwritable("the page", &error);
    let stride = rows.t.len().div_ceil(NOTEBOOK_FRAMES).max(1);
    rows.for_each(stride, |moment| motion.push(moment)).map_err(unwritable)?;
    let about = about::of_run(&instance, arguments, ("", &rows.first()), Vec::new(), Vec::new(), None);
    motion.page(about).map_err(unwritable)
}

/// The units of columns, as far as the model states them.
pub(crate) fn units_of(
    registry: &Registry,
    arguments: &Run,
    names: &[String],
) -> Result<Vec<(String, String)>> {
    let instance = parameters::bind(registry, &arguments.request.model)?;
    let (layout, units) = (instance.system.lagrangian().layout(), view::units(&instance));
    let units = units.with_boltzmann(arguments.boltzmann);
    let axis = |name: &str| if name == "t" { units.time() } else { units.column(layout, name) };
    let unit = |name: &String| Some((name.clone(), axis(name).unit()?.to_owned()));
    Ok(names.iter().filter_map(unit).collect())
}

/// The picture of rows in memory, an SVG file as text.
pub(crate) fn picture_of_rows(registry: &Registry, arguments: &Run, rows: &Columns<'_>) -> Result<String> {
    let instance = parameters::bind(registry, &arguments.request.model)?;
    let system = instance.system.lagrangian();
    let mut film = Film::new(system.layout(), system.holonomic(), &rows.first());
    (film.units, film.measured) = (view::units(&instance), rows.names.to_vec());
    rows.for_each(1, |Moment { t, q, v, measured }| {
        film.push(&State { t: *t, q: q.to_vec(), v: v.to_vec() }, measured);
        Ok::<_, Error>(())
    })?;
    Ok(plot::drawn(&instance.name, &film)?)
}

/// Writes a page of rows in memory.
pub(crate) fn write_page(
    kind: Kind,
    registry: &Registry,
    arguments: &Run,
    rows: &Columns<'_>,
    path: &Path,
) -> Result {
    let name = kind.flag().trim_start_matches('-');
    check(name, path)?;
    let instance = parameters::bind(registry, &arguments.request.model)?;
    let units = view::units(&instance).with_boltzmann(arguments.boltzmann);
    let mut viewer = Viewer::new(kind, instance.subject(), units, rows.names, (name, path))?;
    rows.for_each(1, |moment| viewer.push(moment))?;
    let about = about::of_run(&instance, arguments, ("", &rows.first()), Vec::new(), Vec::new(), None);
    Ok(viewer.complete(about)?)
}

/// A recording in memory.
pub(crate) struct Loaded {
    pub(crate) rows: Rows,
    /// The run, if the recording knows it.
    pub(crate) asked: Option<(Request, u64)>,
    /// Doubts about it, in sentences.
    pub(crate) doubts: Vec<String>,
}

/// Reads a recording, or a member of an ensemble.
pub(crate) fn load(path: &Path, member: Option<u64>) -> Result<Loaded> {
    let mut recording = Recording::open(path, member)?;
    let (coordinates, chosen) = recording.everything()?;
    let names = chosen.names();
    let of_velocity = coordinates.iter().map(|name| format!("der.{name}"));
    let velocities: Vec<Option<usize>> =
        of_velocity.map(|name| names.iter().position(|known| *known == name)).collect();
    let is_other = |k: &usize| !velocities.contains(&Some(*k));
    let others: Vec<usize> = (0..names.len()).filter(is_other).collect();
    let mut rows = Rows {
        coordinates,
        others: others.iter().map(|k| (names[*k].clone(), Vec::new())).collect(),
        ..Rows::default()
    };
    let ending = recording.for_each(&chosen, &mut |moment| {
        let measured = moment.measured;
        rows.t.push(moment.t);
        rows.q.extend_from_slice(moment.q);
        rows.v.extend(velocities.iter().map(|place| place.map_or(f64::NAN, |k| measured[k])));
        for ((_, column), k) in rows.others.iter_mut().zip(&others) {
            column.push(measured[*k]);
        }
        Ok(())
    })?;
    let asked = recording.known.as_ref().and_then(|known| asked(known, &rows));
    let mut doubts: Vec<String> =
        ending.map(|reason| format!("it ends early: {reason}")).into_iter().collect();
    doubts.extend(recording.doubt.take().map(|doubt| format!("whose run it is, is not known: {doubt}")));
    Ok(Loaded { rows, asked, doubts })
}

/// The request and the seed of the run that a recording is of.
fn asked(known: &Known, rows: &Rows) -> Option<(Request, u64)> {
    let Identity { method, options, step, seed, .. } = known.run.as_ref()?;
    let set = known.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let request = Request {
        model: ModelChoice { name: known.model.clone(), set, params: None, memory: None },
        by: By {
            method: Some(method.clone()),
            with: options.iter().map(written).collect(),
            step: Some(*step),
        },
        until: Until::at(rows.t.last().copied()),
        start: StartChoice::default(),
    };
    Some((request, *seed))
}
