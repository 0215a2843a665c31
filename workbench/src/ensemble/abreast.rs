//! Members side by side in the lanes of registers, where their method and model allow it: each has the
//! bits of its run alone.

use std::ops::Range;

use least_action::advanced::noether::Motion;
use least_action::drive::{Moment, Observer, Watch};
use least_action::error::{MemberError, StepError};
use least_action::method::MemberSteppers;
use least_action::system::State;

use super::follower::Follower;
use super::frame::Frame;
use super::member::{Ended, Kept, Member, Recipe};
use crate::error::Error;
use crate::model::Erased;

/// One of the members in lanes.
struct Lane<'m> {
    follower: Follower<'m>,
    watch: Watch<'m>,
    /// The error by which its run has ended, and the state there: the others of its register step on.
    failure: Option<StepError>,
    last: Option<State>,
    over: bool,
}

impl Recipe<'_> {
    /// Runs consecutive members, side by side where possible; none if they were stopped before all had
    /// ended.
    pub(super) fn run_block(&self, numbers: Range<u64>, frame: &Frame) -> Option<Vec<Kept>> {
        let bound: Vec<Result<Member, Error>> = numbers.clone().map(|number| self.bind(number)).collect();
        let well = || {
            numbers.clone().zip(&bound).filter_map(|(number, member)| Some((number, member.as_ref().ok()?)))
        };
        let mut abreast = self.abreast(&well().collect::<Vec<_>>(), frame).unwrap_or_default().into_iter();
        let together = abreast.len() > 0;
        let mut run = |(number, member): (u64, Result<Member, Error>)| match member {
            Ok(_) if together => abreast.next().unwrap_or_else(|| self.kept(number, frame)),
            Ok(member) => self.run(number, Ok(&member), frame),
            Err(error) => self.run(number, Err(error), frame),
        };
        let unless_stopped = |kept| (!self.is_stopped()).then_some(kept);
        numbers.zip(bound).map(|each| unless_stopped(run(each))).collect()
    }

    /// Members that start and step together; none where they do not.
    fn abreast(&self, members: &[(u64, &Member)], frame: &Frame) -> Option<Vec<Kept>> {
        let (_, first) = members.first()?;
        let system = first.instance.system.lagrangian();
        // The work on a system is found from its multipliers, which lanes do not have.
        let conserves = system.conserved().iter().any(|quantity| quantity.motion == Motion::Time);
        let is_of_states = |name: &String| {
            name == "energy" || system.conserved().iter().any(|quantity| quantity.name == *name)
        };
        if members.len() < 2 || !conserves || !self.plan.observe.iter().all(is_of_states) {
            return None;
        }
        let steps = first.steps(self.plan).ok()?;
        if members.iter().any(|(_, member)| member.steps(self.plan).ok() != Some(steps)) {
            return None;
        }
        let systems: Vec<&dyn Erased> = members.iter().map(|(_, member)| &*member.instance.system).collect();
        let side_by_side = first.instance.system.side_by_side(&systems)?;
        let faces =
            members.iter().map(|(_, member)| self.faces(member, frame).ok()).collect::<Option<Vec<_>>>()?;
        let starts = members.iter().map(|(_, member)| member.state.clone()).collect();
        let sizes: Vec<f64> = members.iter().map(|(_, member)| member.course.step).collect();
        let options: Vec<_> = members.iter().map(|(_, member)| &member.options).collect();
        let mut run = self.method.start_members(&side_by_side, &options, starts, &sizes)?;
        let lanes = members.iter().zip(&faces).map(|(&(number, member), faces)| {
            let follower = self.follower(number, member, faces, frame).ok()?;
            Some(Lane {
                follower,
                watch: Watch::of(faces.lagrangian()),
                failure: None,
                last: None,
                over: false,
            })
        });
        let mut lanes = lanes.collect::<Option<Vec<_>>>()?;
        for step in 0..=steps.steps {
            if self.is_stopped() {
                return None;
            }
            if step > 0 {
                run.step();
            }
            for (place, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| !lane.over) {
                lane.look(&mut run, place, step, steps);
            }
        }
        let ended = lanes.into_iter().zip(members).enumerate().map(|(place, (lane, &(number, _)))| {
            let mut kept = self.kept(number, frame);
            let outcome = match run.failure(place) {
                Some(MemberError::Start(error)) => Err(Error::from(error.clone())),
                _ => lane.end(&mut run, place, frame, &mut kept),
            };
            if let Err(error) = outcome {
                kept.fail(frame, &error);
            }
            kept
        });
        Some(ended.collect())
    }
}

impl Lane<'_> {
    /// Looks at a member after a step, as the loop of a single run does.
    fn look(
        &mut self,
        run: &mut MemberSteppers<'_>,
        place: usize,
        step: u64,
        plan: least_action::drive::Plan,
    ) {
        let (report, of) = (run.report(), plan.steps);
        let failure = run.failure(place).cloned();
        let is_shown = step.is_multiple_of(plan.every) || step == of;
        if failure.is_none() && !is_shown && !self.watch.may_be_due(step) && step < of {
            return;
        }
        let done = run.steps(place);
        let moment = Moment { step: done, of, state: run.state(place), multipliers: None, report };
        match failure {
            Some(MemberError::Start(_)) => self.over = true,
            Some(MemberError::Step(error)) => {
                // The last good state, unless it was shown already.
                if !done.is_multiple_of(plan.every) {
                    let _ = self.follower.observe(&moment);
                }
                let _ = self.watch.finish_at(&moment);
                self.fail(error, moment.state);
            }
            None => {
                if let Err(error) = self.watch.look_at(&moment) {
                    return self.fail(error, moment.state);
                }
                if is_shown {
                    let _ = self.follower.observe(&moment);
                }
                if step == of
                    && let Err(error) = self.watch.finish_at(&moment)
                {
                    self.fail(error, moment.state);
                }
            }
        }
    }

    fn fail(&mut self, error: StepError, state: &State) {
        self.failure = Some(error);
        self.last = Some(state.clone());
        self.over = true;
    }

    /// Tells the end of the run in its row.
    fn end(
        self,
        run: &mut MemberSteppers<'_>,
        place: usize,
        frame: &Frame,
        kept: &mut Kept,
    ) -> Result<(), Error> {
        let Self { follower, watch, failure, last, .. } = self;
        let verdict = watch.verdict();
        let mut steps = run.steps(place);
        if matches!(failure, Some(StepError::BlownUp { .. })) {
            steps = watch.good_step().unwrap_or(steps);
        }
        let report = run.report();
        let state = last.as_ref().unwrap_or_else(|| run.state(place));
        kept.end(frame, follower, &watch, (state, report), Ended { steps, verdict, failure })
    }
}
