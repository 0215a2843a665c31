//! One member: from its settings to its row.

use std::sync::atomic::{AtomicBool, Ordering};

use least_action::drive::{
    ConstraintResidual, Guide, Keeper, Moment, Plan as Steps, RunError, Summary, Watch, drive_kept,
};
use least_action::error::StepError;
use least_action::method::{Stepper, project};
use least_action::system::{Layout, State};
use least_action_methods::{Entry, Options, Running, Setup};
use serde_json::Value;

use super::course::{Course, refused, whole};
use super::digest::{self, Digest};
use super::follower::Follower;
use super::frame::Frame;
use super::members::{Members, Target};
use super::plan::Plan;
use crate::columnar::table::{Cell, Columns, Kind};
use crate::error::{Error, Names, Result};
use crate::methods::{self, OnModels};
use crate::observe::Observed;
use crate::options;
use crate::output::residual_names;
use crate::registry::{Instance, Registry};

/// The sources of each member and of its run.
pub(super) struct Recipe<'r> {
    pub(super) registry: &'r Registry,
    pub(super) plan: &'r Plan,
    pub(super) members: &'r Members,
    pub(super) method: &'static Entry,
    /// The state of all members, where the plan names one.
    pub(super) start: Option<State>,
    /// The memory that a member may take, in bytes.
    pub(super) memory: u64,
    /// The steps that a member takes at most.
    pub(super) most: u64,
    /// True once the members are to stop where they are.
    pub(super) stop: &'r AtomicBool,
}

/// A member that is bound, with everything that it takes to run.
pub(super) struct Member {
    pub(super) instance: Instance,
    pub(super) options: Options,
    pub(super) state: State,
    pub(super) course: Course,
    /// The steps that it takes at most: a forecast takes a few of them.
    most: u64,
    seed: u64,
}

/// The company of a run.
pub(super) struct Company<'m> {
    follower: Follower<'m>,
    pub(super) watch: Watch<'m>,
    pub(super) steps: Steps,
}

impl Company<'_> {
    /// Sees the run.
    pub(super) fn see<T>(&mut self, see: impl FnOnce(Guide<'_, '_, '_>) -> T) -> T {
        see(Guide { plan: self.steps, watch: &mut self.watch, observers: &mut [&mut self.follower] })
    }

    /// Takes the steps of the run.
    pub(super) fn drive(&mut self, run: &mut dyn Stepper, stop: &AtomicBool) -> Result<Summary, RunError> {
        let mut keeper = Keeper::default().stopped_by(stop);
        drive_kept(run, self.steps, &mut self.watch, &mut [&mut self.follower], &mut keeper)
    }
}

/// The kept rows of a member.
pub(super) struct Kept {
    pub(super) row: Vec<Cell>,
    pub(super) path: Vec<Vec<Cell>>,
    pub(super) failed: Option<String>,
}

impl Member {
    /// The steps of its run, with the measured ones.
    pub(super) fn steps(&self, plan: &Plan) -> Result<Steps> {
        let signals = self.instance.system.lagrangian().signals();
        let whole = self.course.steps(self.state.t, plan.every)?;
        let whole = whole.within(signals, self.state.t, self.course.step).map_err(Error::Plan)?;
        Ok(Steps { steps: whole.steps.min(self.most), ..whole })
    }
}

/// About so many members are looked at for their lengths, at most.
const LOOKED_AT: u64 = 1 << 16;

/// The names of the layout.
fn names(layout: &Layout) -> Vec<String> {
    (0..layout.dimension()).map(|index| layout.name_of(index)).collect()
}

impl Recipe<'_> {
    /// Binds a member.
    pub(super) fn bind(&self, member: u64) -> Result<Member> {
        let Plan { model, set, with, .. } = self.plan;
        let settings = self.members.settings(member);
        let mut parameters: Vec<(String, Value)> =
            set.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut options: Vec<(&str, &Value)> = with.iter().map(|(name, value)| (&**name, value)).collect();
        let mut seed = self.members.seed(member);
        let course = Course::of(self.plan, &settings)?;
        for (target, value) in &settings {
            match target {
                Target::Parameter(name) => parameters.push((name.clone(), value.clone())),
                Target::Option(name) => options.push((name, value)),
                Target::Seed => {
                    let given = whole(value);
                    seed = given.ok_or_else(|| {
                        refused(self.plan, target, value, "a seed is a whole number from 0 on")
                    })?;
                }
                Target::Step | Target::Until | Target::Steps | Target::Start(_) | Target::Label(_) => {}
            }
        }
        let instance = self.registry.instance(model, &parameters, self.memory)?;
        let known = self.method.options(&*instance.system);
        let options = options::of(self.method.name, &known, options)?;
        let layout = instance.system.lagrangian().layout();
        let mut state = match &self.start {
            Some(state) if state.q.len() == layout.dimension() => state.clone(),
            Some(state) => {
                let reason = format!(
                    "`start` has {} coordinates, and this member of `{model}` has {}",
                    state.q.len(),
                    layout.dimension()
                );
                return Err(Error::parameters(model, reason));
            }
            None => instance.own_start()?,
        };
        let names = names(layout);
        for (target, value) in &settings {
            if let Target::Start(name) = target {
                let number = value.as_f64().filter(|number| number.is_finite());
                let number =
                    number.ok_or_else(|| refused(self.plan, target, value, "it must be a finite number"))?;
                *place(name, &names, &mut state).ok_or_else(|| self.unknown(name, &names))? = number;
            }
        }
        if self.plan.project
            && let Some(constrained) = instance.system.faces().constrained
        {
            project(constrained, &mut state)?;
        }
        Ok(Member { instance, options, state, course, most: self.most, seed })
    }

    /// The most measured moments of a member: beside the bound one, many all over the plan tell.
    pub(super) fn moments(&self, bound: &Member) -> Result<u64> {
        let of = |steps: Steps| 1 + steps.steps.div_ceil(steps.every);
        let time = Target::Start("t".to_owned());
        let own = of(bound.steps(self.plan)?);
        let differs = |target: &Target| {
            matches!(target, Target::Step | Target::Until | Target::Steps) || *target == time
        };
        if !self.members.targets.iter().any(differs) {
            return Ok(own);
        }
        let apart = self.members.count.div_ceil(LOOKED_AT) as usize;
        let others = (0..self.members.count).step_by(apart).filter_map(|number| {
            let settings = self.members.settings(number);
            let start = settings.iter().find(|(target, _)| *target == time);
            let start = start.and_then(|(_, value)| value.as_f64()).unwrap_or(bound.state.t);
            Course::of(self.plan, &settings).ok()?.steps(start, self.plan.every).ok().map(of)
        });
        Ok(others.fold(own, u64::max))
    }

    /// The columns of all members, taken from this one.
    pub(super) fn frame(&self, member: &Member) -> Result<Frame> {
        let Member { instance, options, .. } = member;
        let system = instance.system.lagrangian();
        let faces = self.method.faces(instance, options)?;
        let observed = self.observed(member, &faces)?;
        let coordinates = names(system.layout());
        let observed: Vec<String> = observed.names().map(str::to_owned).collect();
        let residuals = [faces.constraints().is_some(), faces.nonholonomic().is_some()];
        let number = |name: String| (name, Kind::Number);
        let mut columns: Columns = vec![("member".to_owned(), Kind::Integer)];
        // Seeds and steps have a column in every dataset.
        let is_of_all = |target: &&Target| matches!(target, Target::Seed | Target::Steps);
        for target in self.members.targets.iter().filter(|target| !is_of_all(target)) {
            let kind = if self.members.are_numbers(target) { Kind::Number } else { Kind::Text };
            columns.push((target.to_string(), kind));
        }
        columns.push(("seed".to_owned(), Kind::Natural));
        columns.push(("steps".to_owned(), Kind::Integer));
        columns.push(("believed".to_owned(), Kind::Truth));
        columns.push(("doubt".to_owned(), Kind::Text));
        columns.push(("error".to_owned(), Kind::Text));
        let moment = || -> Vec<String> {
            let mut names = vec!["t".to_owned()];
            names.extend(coordinates.iter().cloned());
            names.extend(coordinates.iter().map(|name| format!("der.{name}")));
            names
        };
        columns.extend(moment().into_iter().map(number));
        let followed = followed(&observed, residuals);
        for name in &followed {
            columns.push(number(name.clone()));
            columns.extend(digest::NAMES.iter().map(|of| number(format!("{name}.{of}"))));
        }
        self.check_label(&columns)?;
        let mut path: Columns = vec![("member".to_owned(), Kind::Integer)];
        path.extend(moment().into_iter().chain(followed).map(number));
        Ok(Frame { columns, path, coordinates, observed, residuals })
    }

    fn observed<'m>(&self, member: &'m Member, faces: &'m methods::Faces<'m>) -> Result<Observed<'m>> {
        let Plan { observe, boltzmann, .. } = self.plan;
        Observed::new(&member.instance, faces, observe, (&member.state, *boltzmann))
    }

    /// The row of a member before its run, with its settings.
    pub(super) fn kept(&self, number: u64, frame: &Frame) -> Kept {
        let mut kept = Kept { row: vec![Cell::None; frame.columns.len()], path: Vec::new(), failed: None };
        kept.set(frame, "member", Cell::Integer(number as i64));
        // Unless it sets one of its own.
        kept.set(frame, "seed", Cell::Natural(self.members.seed(number)));
        let settings = self.members.settings(number);
        // The column of the steps counts the ones that the member did.
        for (target, value) in settings.into_iter().filter(|(target, _)| *target != Target::Steps) {
            let cell = cell(&value, &target, self.members.are_numbers(&target));
            kept.set(frame, &target.to_string(), cell);
        }
        kept
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Starts the run of a member, with its company.
    pub(super) fn start<'m>(
        &self,
        number: u64,
        member: &'m Member,
        faces: &'m methods::Faces<'m>,
        frame: &Frame,
    ) -> Result<(Box<dyn Stepper + 'm>, Company<'m>)> {
        let Member { options, state, course, seed, .. } = member;
        let steps = member.steps(self.plan)?;
        let setup =
            Setup { options, state: state.clone(), step: course.step, seed: *seed, forewarned: false };
        let Running { stepper, .. } = self.method.start(faces, setup)?;
        let follower = self.follower(number, member, faces, frame)?;
        Ok((stepper, Company { follower, watch: Watch::of(faces.lagrangian()), steps }))
    }

    /// The faces that the method sees of a member, which has the coordinates of all.
    pub(super) fn faces<'m>(&self, member: &'m Member, frame: &Frame) -> Result<methods::Faces<'m>> {
        if names(member.instance.system.lagrangian().layout()) != frame.coordinates {
            let reason = "its coordinates differ from the coordinates of the first member: all members of an ensemble share them";
            return Err(Error::parameters(&self.plan.model, reason));
        }
        self.method.faces(&member.instance, &member.options)
    }

    /// Who follows the quantities of a member.
    pub(super) fn follower<'m>(
        &self,
        number: u64,
        member: &'m Member,
        faces: &'m methods::Faces<'m>,
        frame: &Frame,
    ) -> Result<Follower<'m>> {
        let count = followed(&frame.observed, frame.residuals).len();
        let mut own = vec![faces.energy()];
        own.extend(faces.constraints().map(|all| Box::new(ConstraintResidual::of(all)) as _));
        own.extend(faces.nonholonomic().map(|all| Box::new(ConstraintResidual::of_velocities(all)) as _));
        Ok(Follower {
            number,
            own,
            values: vec![f64::NAN; count],
            digests: vec![Digest::default(); count],
            observed: self.observed(member, faces)?,
            path: self.plan.path.then(Vec::new),
        })
    }

    /// Refuses names of members under the name of another column.
    fn check_label(&self, columns: &Columns) -> Result {
        let label = self.plan.table.as_ref().and_then(|table| Some((&table.file, table.label.as_ref()?)));
        match label {
            Some((file, label)) if columns.iter().filter(|(name, _)| name == label).count() > 1 => {
                let reason = format!(
                    "its column `{label}` is kept, and a dataset has another column of this name: rename it"
                );
                Err(Error::malformed(file, reason))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a number of the start that a member does not have.
    pub(super) fn check_start(&self, name: &str, member: &Member) -> Result {
        let names = names(member.instance.system.lagrangian().layout());
        let mut state = member.state.clone();
        place(name, &names, &mut state).map(drop).ok_or_else(|| self.unknown(name, &names))
    }

    fn unknown(&self, name: &str, names: &[String]) -> Error {
        let known: Names = std::iter::once("t").chain(names.iter().map(String::as_str)).collect();
        let bare = name.strip_prefix("der.").unwrap_or(name);
        let what = format!("`start.{name}` is no number of the start");
        Error::parameters(&self.plan.model, known.refusal(what, bare, "there are, also behind `der.`:"))
    }
}

/// The names of all that is followed along a run.
fn followed(observed: &[String], residuals: [bool; 2]) -> Vec<String> {
    let residuals = residual_names(residuals);
    std::iter::once("energy".to_owned()).chain(residuals).chain(observed.iter().cloned()).collect()
}

/// The number of a state that has this name.
fn place<'s>(name: &str, names: &[String], state: &'s mut State) -> Option<&'s mut f64> {
    if name == "t" {
        return Some(&mut state.t);
    }
    let (name, values) = match name.strip_prefix("der.") {
        Some(name) => (name, &mut state.v),
        None => (name, &mut state.q),
    };
    values.get_mut(names.iter().position(|known| known == name)?)
}

/// The value of a setting in its column, which holds numbers alone or texts.
fn cell(value: &Value, target: &Target, is_number: bool) -> Cell {
    match (value, target) {
        (_, Target::Seed) => whole(value).map_or(Cell::None, Cell::Natural),
        (Value::Null, _) => Cell::None,
        (number, _) if is_number => number.as_f64().into(),
        (Value::String(text), _) => Cell::Text(text.clone()),
        (other, _) => Cell::Text(other.to_string()),
    }
}

impl Kept {
    fn set(&mut self, frame: &Frame, name: &str, cell: Cell) {
        self.set_from(frame, name, [cell]);
    }

    /// Fills a column and the columns behind it.
    fn set_from(&mut self, frame: &Frame, name: &str, cells: impl IntoIterator<Item = Cell>) {
        let first = frame.columns.iter().position(|(known, _)| known == name).unwrap_or(self.row.len());
        for (slot, cell) in self.row[first..].iter_mut().zip(cells) {
            *slot = cell;
        }
    }

    /// Tells the error of a member.
    pub(super) fn fail(&mut self, frame: &Frame, error: &Error) {
        let line = error.line();
        self.set(frame, "error", Cell::Text(line.clone()));
        self.failed = Some(line);
    }

    /// Takes in the end of a run.
    pub(super) fn end(
        &mut self,
        frame: &Frame,
        Company { mut follower, watch, .. }: Company<'_>,
        run: &dyn Stepper,
        outcome: Result<Summary, RunError>,
    ) -> Result {
        let (Summary { steps, verdict, .. }, failure) = match outcome {
            Ok(summary) => (summary, None),
            Err(RunError::Step { source, summary }) => (*summary, Some(source)),
            // Its block is thrown away.
            Err(RunError::Stopped { .. }) => return Err(Error::Closed),
            Err(error) => return Err(Error::Plan(error)),
        };
        let _held = run.hold_angles();
        let (state, report) = (run.state(), run.report());
        let blown_up = matches!(failure, Some(StepError::BlownUp { .. }));
        let last = watch.good().filter(|_| blown_up).unwrap_or(state);
        let told = failure.as_ref().filter(|_| blown_up).map(ToString::to_string);
        let doubt = told.or_else(|| verdict.doubt());
        self.set(frame, "steps", Cell::Integer(steps as i64));
        self.set(frame, "believed", Cell::Truth(doubt.is_none() && failure.is_none()));
        self.set(frame, "doubt", doubt.into());
        let mut digests: Vec<_> = follower.digests.iter().map(Digest::numbers).collect();
        if blown_up {
            // The last moment that was observed may be a later one.
            follower.measure(&Moment { step: steps, of: steps, state: last, multipliers: None, report });
            for (digest, value) in digests.iter_mut().zip(&follower.values) {
                digest[0] = Some(*value).filter(|value| !value.is_nan());
            }
        }
        let numbers = std::iter::once(last.t).chain(last.q.iter().copied()).chain(last.v.iter().copied());
        let digests = digests.into_iter().flatten().map(Cell::from);
        self.set_from(frame, "t", numbers.map(Cell::Number).chain(digests));
        self.path = follower.path.unwrap_or_default();
        failure.map_or(Ok(()), |failure| Err(Error::Step(failure)))
    }
}
