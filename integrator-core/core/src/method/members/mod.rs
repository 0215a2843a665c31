//! Members of an ensemble that step side by side, each with the bits of a run alone.
//!
//! All members step in lanes. If a member needs more, such as a new matrix in Newton's method or an
//! error message, it repeats the step alone and is put back into its lane: rare cases have one source,
//! and a member fails with the error of a run alone.

mod composed;
mod lockstep;
mod rattle;
mod verlet;

pub(super) use lockstep::{LaneBits, Lockstep};

use super::contract::{Claims, Stepper};
use super::flow::{Flow, Substep};
use super::report::Report;
use super::running::{Ready, Running};
use crate::binding::Members;
use crate::binding::members::Member;
use crate::error::{MemberError, MembersError, StepError};
use crate::system::State;

/// A method that steps members of an ensemble side by side.
pub trait StepsMembers: Claims {
    /// Starts each member from its own state with its own step.
    ///
    /// A member that cannot start, or whose step fails later, ends with
    /// [an error](MemberSteppers::failure); the others continue.
    ///
    /// # Errors
    /// The model does not fit, or there are not as many states or steps as members.
    fn start_members<'s>(
        &self,
        members: &Members<'s>,
        starts: Vec<State>,
        steps: &[f64],
    ) -> Result<MemberSteppers<'s>, MembersError>;
}

/// A method with a flow for one member, and a flow for members in lanes with equal bits.
trait InLanes: Claims + 'static {
    /// The requirement on a member.
    type System<'s>: ?Sized + 's;
    /// The flow of one member, without memory beside the state.
    type Flow<'s>: Flow;
    type Lockstep: Lockstep + 'static;

    /// The tolerance of its [reports](Report::tolerance).
    fn tolerance(&self) -> Option<f64> {
        None
    }

    /// The member as a system of the method; or the part of the member that the method cannot take.
    fn system<'s>(member: &Member<'s>) -> Result<&'s Self::System<'s>, &'static str>;

    fn start_one<'s>(
        &self,
        system: &'s Self::System<'s>,
        state: State,
        step: f64,
    ) -> Ready<'s, Self::Flow<'s>>;

    /// The members in the lanes from `first` on, with the flows of the started ones; or the part of them
    /// that has no lanes.
    fn lockstep<'s>(
        &self,
        members: &Members<'s>,
        first: usize,
        started: &[Option<&Self::Flow<'s>>],
    ) -> Result<Self::Lockstep, &'static str>;
}

impl<M: InLanes> StepsMembers for M {
    fn start_members<'s>(
        &self,
        members: &Members<'s>,
        starts: Vec<State>,
        steps: &[f64],
    ) -> Result<MemberSteppers<'s>, MembersError> {
        MemberSteppers::start(self, members, starts, steps)
    }
}

/// The run of one member alone, for steps that it does not take with the others.
pub(super) trait Alone {
    fn step_from(&mut self, state: &State, substep: &Substep) -> Result<&State, StepError>;
}

impl<F: Flow> Alone for Running<'_, F> {
    fn step_from(&mut self, state: &State, substep: &Substep) -> Result<&State, StepError> {
        self.go_on_from(state);
        self.advance(substep)?;
        Ok(Stepper::state(self))
    }
}

/// A run in progress of members side by side.
pub struct MemberSteppers<'s> {
    groups: Vec<LaneGroup<'s>>,
    lanes: usize,
    count: usize,
    tolerance: Option<f64>,
}

/// The members in the lanes of a register.
struct LaneGroup<'s> {
    members: Vec<One<'s>>,
    lockstep: Box<dyn Lockstep>,
    living: LaneBits,
    /// The sizes of the steps, and the times of their ends, in lanes.
    sizes: Vec<f64>,
    ends: Vec<f64>,
}

struct One<'s> {
    alone: Option<Box<dyn Alone + 's>>,
    start_time: f64,
    step: f64,
    steps: u64,
    steps_alone: u64,
    failure: Option<MemberError>,
    /// The last good state; only if `read`, otherwise it is in the lane.
    state: State,
    read: bool,
}

impl<'s> MemberSteppers<'s> {
    fn start(
        method: &impl InLanes,
        members: &Members<'s>,
        starts: Vec<State>,
        steps: &[f64],
    ) -> Result<Self, MembersError> {
        let count = members.len();
        for (quantity, found) in [("starts", starts.len()), ("steps", steps.len())] {
            if found != count {
                return Err(MembersError::WrongCount { members: count, quantity, found });
            }
        }
        let each =
            members.all().iter().zip(starts).zip(steps).map(|((member, state), step)| (member, state, *step));
        let (lanes, mut each) = (members.lanes(), each);
        let groups = (0..count).step_by(lanes).map(|first| {
            LaneGroup::start(method, members, first, each.by_ref().take(lanes))
                .map_err(|part| MembersError::NotSideBySide { model: members.model().to_owned(), part })
        });
        let groups = groups.collect::<Result<_, _>>()?;
        Ok(Self { groups, lanes, count, tolerance: method.tolerance() })
    }

    /// The report of a member; evaluations are not counted.
    pub fn report(&self) -> Report<'static> {
        Report { tolerance: self.tolerance, ..Report::default() }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.count
    }

    /// False: there is at least one.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Advances each member that has not failed by one of its steps; allocates nothing.
    pub fn step(&mut self) {
        self.groups.iter_mut().for_each(LaneGroup::step);
    }

    /// The number of steps that a member has done.
    ///
    /// # Panics
    /// There is no such member.
    pub fn steps(&self, member: usize) -> u64 {
        self.one(member).steps
    }

    /// The number of steps that a member has taken alone; each takes longer than a step in lanes.
    ///
    /// # Panics
    /// There is no such member.
    pub fn steps_alone(&self, member: usize) -> u64 {
        self.one(member).steps_alone
    }

    /// The last good state of a member.
    ///
    /// # Panics
    /// There is no such member.
    pub fn state(&mut self, member: usize) -> &State {
        let Self { groups, lanes, .. } = self;
        let LaneGroup { members, lockstep, .. } = &mut groups[member / *lanes];
        let one = &mut members[member % *lanes];
        if !one.read {
            lockstep.get(member % *lanes, &mut one.state);
            one.state.t = one.time();
            one.read = true;
        }
        &one.state
    }

    /// The error that has ended a member.
    ///
    /// # Panics
    /// There is no such member.
    pub fn failure(&self, member: usize) -> Option<&MemberError> {
        self.one(member).failure.as_ref()
    }

    fn one(&self, member: usize) -> &One<'s> {
        &self.groups[member / self.lanes].members[member % self.lanes]
    }
}

impl std::fmt::Debug for MemberSteppers<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MemberSteppers").field("len", &self.count).finish_non_exhaustive()
    }
}

impl One<'_> {
    /// The time of the last good state: a multiple of the step, so that rounding does not accumulate.
    fn time(&self) -> f64 {
        if self.steps == 0 { self.start_time } else { self.start_time + self.steps as f64 * self.step }
    }
}

impl<'s> LaneGroup<'s> {
    /// Starts the runs of the members in the lanes from `first` on, each with its state and step.
    fn start<'m, M: InLanes>(
        method: &M,
        members: &Members<'s>,
        first: usize,
        each: impl Iterator<Item = (&'m Member<'s>, State, f64)>,
    ) -> Result<Self, &'static str>
    where
        's: 'm,
    {
        let (mut own, mut runs, mut living) = (Vec::new(), Vec::new(), 0);
        for (lane, (member, state, step)) in each.enumerate() {
            let outcome = method.start_one(M::system(member)?, state.clone(), step);
            living |= u8::from(outcome.is_ok()) << lane;
            own.push(One {
                alone: None,
                start_time: state.t,
                step,
                steps: 0,
                steps_alone: 0,
                failure: outcome.as_ref().err().cloned().map(MemberError::from),
                state,
                read: true,
            });
            runs.push(outcome.ok());
        }
        let started: Vec<_> = runs.iter().map(|run| run.as_ref().map(Running::flow)).collect();
        let mut lockstep: Box<dyn Lockstep> = Box::new(method.lockstep(members, first, &started)?);
        // Lanes without a run copy the numbers of a lane with one.
        let usual = own.iter().position(|one| one.failure.is_none()).unwrap_or(0);
        let in_lane = |lane: usize| if living >> lane & 1 == 1 { lane } else { usual };
        for lane in 0..members.lanes() {
            lockstep.put(lane, &own[in_lane(lane)].state);
        }
        lockstep.stand();
        let sizes: Vec<f64> = (0..members.lanes()).map(|lane| own[in_lane(lane)].step).collect();
        for (one, run) in own.iter_mut().zip(runs) {
            one.alone = run.map(|run| Box::new(run) as _);
        }
        let ends = sizes.clone();
        Ok(Self { members: own, lockstep, living, sizes, ends })
    }

    fn step(&mut self) {
        let Self { members, lockstep, living, sizes, ends } = self;
        if *living == 0 {
            return;
        }
        for (end, one) in ends.iter_mut().zip(&*members) {
            *end = one.start_time + (one.steps + 1) as f64 * one.step;
        }
        let left = lockstep.advance(*living, sizes, ends);
        let (begun, mut moved) = (*living, false);
        for (lane, one) in members.iter_mut().enumerate().filter(|(lane, _)| begun >> lane & 1 == 1) {
            one.read = false;
            if left >> lane & 1 == 0 {
                one.steps += 1;
                continue;
            }
            lockstep.get(lane, &mut one.state);
            one.state.t = one.time();
            let substep = Substep { number: one.steps + 1, size: one.step, end: ends[lane] };
            // Every living member has its own run.
            let Some(alone) = &mut one.alone else { continue };
            match alone.step_from(&one.state, &substep) {
                Ok(state) => {
                    lockstep.put(lane, state);
                    moved = true;
                    one.steps += 1;
                    one.steps_alone += 1;
                }
                Err(error) => {
                    *living &= !(1 << lane);
                    one.failure = Some(error.into());
                    one.read = true;
                }
            }
        }
        if moved {
            lockstep.stand();
        }
    }
}
