//! Members side by side in the lanes of registers, where their method and model allow it: each has the
//! bits of its run alone.

use std::iter;
use std::time::Instant;

use least_action::drive::{Plan as Steps, RunError, Stopped, Summary};
use least_action::lanes::Width;
use least_action::method::{Abreast, Stepper};

use super::frame::Frame;
use super::member::{Company, Kept, Member, Recipe};
use crate::error::{Error, Result};

type Run<'m> = Box<dyn Stepper + 'm>;

impl Recipe<'_> {
    /// Binds and runs members, whose rows tell failures; none if they were stopped before all had ended.
    pub(super) fn run(&self, mut numbers: &[u64], frame: &Frame) -> Option<Vec<Kept>> {
        let mut kept = Vec::new();
        while let Some((&number, rest)) = numbers.split_first() {
            let first = self.bind(number);
            // Models in lanes are small; no others are bound beside each other.
            let is_in_lanes = |member: &Member| member.instance.system.lagrangian().in_lanes().is_some();
            let lanes = if first.as_ref().is_ok_and(is_in_lanes) { Width::widest().lanes() } else { 1 };
            let (own, others) = rest.split_at(rest.len().min(lanes - 1));
            let bound: Vec<_> =
                iter::once(first).chain(own.iter().map(|number| self.bind(*number))).collect();
            kept.extend(self.run_bound(&numbers[..bound.len()], bound, frame));
            if self.is_stopped() {
                return None;
            }
            numbers = others;
        }
        Some(kept)
    }

    /// Runs bound members, side by side if they begin alike.
    fn run_bound(&self, numbers: &[u64], bound: Vec<Result<Member>>, frame: &Frame) -> Vec<Kept> {
        let mut kept: Vec<Kept> = numbers.iter().map(|number| self.kept(*number, frame)).collect();
        let fail = |kept: &mut Kept, error: Error| kept.fail(frame, &error);
        let members = bound.into_iter().enumerate().filter_map(|(place, bound)| {
            bound.map_err(|error| fail(&mut kept[place], error)).ok().map(|member| (place, member))
        });
        let members: Vec<(usize, Member)> = members.collect();
        let faces = members.iter().filter_map(|(place, member)| {
            let faces = self.faces(member, frame).map_err(|error| fail(&mut kept[*place], error)).ok()?;
            Some((*place, member, faces))
        });
        let faces: Vec<_> = faces.collect();
        let (mut places, mut runs, mut company) = (Vec::new(), Vec::new(), Vec::new());
        for (place, member, faces) in &faces {
            match self.start(numbers[*place], member, faces, frame) {
                Ok((run, own)) => {
                    places.push(*place);
                    runs.push(run);
                    company.push(own);
                }
                Err(error) => fail(&mut kept[*place], error),
            }
        }
        let outcomes = self.drive(&mut runs, &mut company);
        for (((place, run), own), outcome) in places.into_iter().zip(&runs).zip(company).zip(outcomes) {
            let end = kept[place].end(frame, own, &**run, outcome);
            if let Err(error) = end {
                fail(&mut kept[place], error);
            }
        }
        kept
    }

    /// Drives runs to their ends, in lanes if they take equal steps.
    fn drive<'m>(&self, runs: &mut [Run<'m>], company: &mut [Company<'m>]) -> Vec<Result<Summary, RunError>> {
        let plans: Vec<Steps> = company.iter().map(|own| own.steps).collect();
        let alike = plans.windows(2).all(|plans| plans[0] == plans[1]);
        match (plans.first(), Abreast::of(Width::widest(), runs)) {
            (Some(plan), Some(mut abreast)) if alike && plan.every > 0 => {
                self.drive_abreast(&mut abreast, *plan, runs, company)
            }
            _ => runs.iter_mut().zip(company).map(|(run, own)| own.drive(&mut **run, self.stop)).collect(),
        }
    }

    fn drive_abreast<'m>(
        &self,
        abreast: &mut Abreast,
        plan: Steps,
        runs: &mut [Run<'m>],
        company: &mut [Company<'m>],
    ) -> Vec<Result<Summary, RunError>> {
        let clock = Instant::now();
        let begin = |(run, own): (&Run<'m>, &mut Company<'m>)| own.see(|mut guide| guide.begin(&**run)).err();
        let mut ends: Vec<Option<Stopped>> = runs.iter().zip(&mut *company).map(begin).collect();
        for step in 1..=plan.steps {
            if self.is_stopped() || ends.iter().all(Option::is_some) {
                break;
            }
            abreast.step(runs);
            let is_shown = step % plan.every == 0 || step == plan.steps;
            for (lane, ((run, own), end)) in runs.iter_mut().zip(&mut *company).zip(&mut ends).enumerate() {
                let failure = abreast.failure(lane);
                let is_seen = is_shown || failure.is_some();
                if end.is_some() || !(is_seen || own.watch.may_be_due(step)) {
                    continue;
                }
                abreast.bring(lane, &mut **run);
                if !(is_seen || own.watch.is_due(&**run)) {
                    continue;
                }
                abreast.go_on(lane, &mut **run);
                let outcome = failure.cloned().map_or(Ok(()), Err);
                *end = own.see(|mut guide| guide.after(&**run, step, outcome)).err();
                if end.is_some() {
                    abreast.leave(lane);
                }
            }
        }
        let finish = |((run, own), end): ((&Run<'m>, &mut Company<'m>), Option<Stopped>)| {
            let end = if self.is_stopped() { Some(Stopped::Asked) } else { end };
            let outcome = end.map_or_else(|| own.see(|mut guide| guide.end(&**run)), Err);
            own.see(|guide| guide.finish(&**run, clock, outcome))
        };
        runs.iter().zip(company).zip(ends).map(finish).collect()
    }
}
