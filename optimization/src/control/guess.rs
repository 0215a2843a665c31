//! The first guesses of the states at nodes.

use least_action_core::system::State;

use super::shooting::Shooting;
use crate::fit::{Motions, golden};

/// The first guess of an attempt.
#[derive(Clone, Copy)]
pub(super) enum Guess {
    /// The nodes on lines between given states.
    Along,
    /// The nodes on a line to the end.
    Line,
    /// The nodes on the motion by the first inputs, or on a line where it leads nowhere.
    Motion,
}

impl<M: Motions> Shooting<'_, M> {
    /// The inputs of the model, and the nodes of a guess; `states` are the given ones.
    pub(super) fn guess(&self, kind: Guess, states: &[State]) -> Result<Vec<f64>, M::Error> {
        let nodes = match kind {
            Guess::Along => self.settled(states)?.0,
            Guess::Line => self.line()?,
            Guess::Motion => self.motion().map_or_else(|| self.line(), Ok)?,
        };
        let inputs = self.inputs.iter().flat_map(|input| input.signal.values());
        Ok(inputs.chain(nodes.iter().flat_map(|node| node.q.iter().chain(&node.v))).copied().collect())
    }

    /// The nodes on the line from the start to the goals. Where constraints
    /// tear it, as a line through the pivot of a rod, the line is bent.
    fn line(&self) -> Result<Vec<State>, M::Error> {
        /// The bend in the middle, in lengths of the line, before multiples of the golden ratio.
        const BEND: f64 = 2.0;
        /// The longest way between two nodes, in mean ones.
        const TORN: f64 = 3.0;
        let goal = |start: &[f64], goals: &[Option<f64>]| -> Vec<f64> {
            start.iter().zip(goals).map(|(start, goal)| goal.unwrap_or(*start)).collect()
        };
        let (start, (of_q, of_v)) = (&self.start, self.goals.split_at(self.names.len() / 2));
        let t = self.times.last().copied().unwrap_or(start.t);
        let end = State { t, q: goal(&start.q, of_q), v: goal(&start.v, of_v) };
        let ends = [start.clone(), end];
        let (nodes, is_lost) = self.settled(&ends)?;
        let from_start: Vec<&State> = std::iter::once(start).chain(&nodes).collect();
        let ways: Vec<f64> = from_start.windows(2).map(|pair| distance(&pair[0].q, &pair[1].q)).collect();
        let mean = ways.iter().sum::<f64>() / ways.len() as f64;
        if !is_lost && ways.iter().all(|way| *way <= TORN * mean) {
            return Ok(nodes);
        }
        let (length, all) = (distance(&ends[0].q, &ends[1].q), (t - start.t).max(f64::MIN_POSITIVE));
        let bent = self.times.iter().map(|time| {
            let (mut state, part) = (between(&ends, *time), (time - start.t) / all);
            for (place, entry) in state.q.iter_mut().enumerate() {
                *entry += 4.0 * BEND * length * golden(place) * part * (1.0 - part);
            }
            state
        });
        let mut nodes = self.settled(&bent.collect::<Vec<_>>())?.0;
        // The velocities of the way.
        let way: Vec<State> = std::iter::once(start).chain(&nodes).cloned().collect();
        for (node, pair) in nodes.iter_mut().zip(way.windows(3)) {
            let rates = pair[2].q.iter().zip(&pair[0].q).map(|(b, a)| (b - a) / (pair[2].t - pair[0].t));
            node.v = rates.collect();
        }
        Ok(self.settled(&[std::slice::from_ref(start), &nodes[..]].concat())?.0)
    }

    /// The nodes on lines between states, moved onto the constraints; true if one of them cannot be
    /// moved, and is where the one before it is.
    fn settled(&self, states: &[State]) -> Result<(Vec<State>, bool), M::Error> {
        let mut nodes: Vec<State> = self.times.iter().skip(1).map(|time| between(states, *time)).collect();
        let step = self.motions.step();
        // Inputs end with the motion.
        let latest = self.times.last().map_or(0.0, |end| end - step);
        let mut is_lost = false;
        self.motions.bound(&self.theta_of_model(), &mut |begin| {
            let mut before = self.start.clone();
            for node in &mut nodes {
                let t = node.t.min(latest);
                let settled = begin(State { t, ..node.clone() }, None).and_then(|motion| {
                    let mut found = node.clone();
                    motion.until(t + step).follow(&[], &|step| step == 0, &mut |at, _| {
                        (found.q, found.v) = (at.q.to_vec(), at.v.to_vec());
                    })?;
                    Ok(found)
                });
                is_lost |= settled.is_err();
                *node = settled.unwrap_or_else(|_| State { t: node.t, ..before.clone() });
                before = node.clone();
            }
            Ok(())
        })?;
        Ok((nodes, is_lost))
    }

    /// The nodes on the motion by the inputs of the model; none where it has none.
    fn motion(&self) -> Option<Vec<State>> {
        let mut nodes = Vec::new();
        let ran = self.motions.bound(&self.theta_of_model(), &mut |begin| {
            let mut state = self.start.clone();
            for (time, steps) in self.times.iter().skip(1).zip(&self.steps) {
                let motion = begin(state.clone(), None)?.until(*time);
                motion.follow(&[], &|step| step == *steps, &mut |at, _| {
                    state = State { t: at.t, q: at.q.to_vec(), v: at.v.to_vec() };
                })?;
                nodes.push(state.clone());
            }
            Ok(())
        });
        ran.is_ok().then_some(nodes)
    }
}

/// The state at a time on lines between states.
fn between(states: &[State], time: f64) -> State {
    let last = states.len().saturating_sub(1);
    let next = states.partition_point(|state| state.t < time).clamp(1.min(last), last);
    let (a, b) = (&states[next.saturating_sub(1)], &states[next]);
    let part = if b.t > a.t { ((time - a.t) / (b.t - a.t)).clamp(0.0, 1.0) } else { 0.0 };
    let mixed = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect();
    State { t: time, q: mixed(&a.q, &b.q), v: mixed(&a.v, &b.v) }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
