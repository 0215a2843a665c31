//! The attempts at a control.

use std::ops::ControlFlow;

use least_action_core::system::{Course, Signal};

use super::guess::Guess;
use super::shooting::{Residual, Shooting};
use super::{Attempt, Control, Controlled};
use crate::Error;
use crate::fit::Motions;
use crate::least_squares::{Iteration, Options, Solution, Status, minimize};

/// The most iterations.
const ITERATIONS: usize = 500;
/// The part of the cost by which a later attempt has to be cheaper, and its iterations as a multiple of
/// the ones of the first, of which there are always a few.
const CHEAPER: f64 = 1e-6;
const FURTHER: usize = 2;
const FEWEST: usize = 30;
/// The largest gap of a solution, as a part of the largest unknown.
const MET: f64 = 1e-5;
/// The settings of the landing.
const LANDING: Options = Options { iterations: 4, tolerance: 1e-14, damping: 0.0 };

impl Control {
    /// Finds the inputs. `progress` sees each iteration of each attempt, and may stop.
    ///
    /// ```
    /// use least_action::method::VariationalMidpoint;
    /// use least_action::prelude::*;
    /// use least_action::system::Signal;
    /// use least_action_optimization::control::Control;
    /// use least_action_optimization::fit::Moving;
    /// use std::ops::ControlFlow;
    ///
    /// #[derive(Clone)]
    /// struct Cart { push: Signal }
    ///
    /// #[lagrangian(sensitive(push))]
    /// impl Cart {
    ///     fn lagrangian(&self, x: Scalar) -> Scalar {
    ///         0.5 * der(x).powi(2)
    ///     }
    ///
    ///     #[force]
    ///     fn motor(&self, push: Input) -> Scalar {
    ///         push
    ///     }
    /// }
    ///
    /// // A metre in a second from rest to rest costs ½ ∫ u² dt = 6: u = 6 − 12 t.
    /// let times = (0..=50).map(|k| 0.02 * f64::from(k)).collect();
    /// let cart = Cart { push: Signal::linear(times, vec![0.0; 51])? };
    /// let motions = Moving::new(cart, VariationalMidpoint::default(), 0.02)?;
    /// let control = Control::from(State::at_rest(vec![0.0])).until(1.0).to("x", 1.0).to("der.x", 0.0);
    /// let found = control.solve(&motions, |_, _| ControlFlow::Continue(()))?;
    /// assert!((found.cost - 6.0).abs() < 0.01);
    /// assert!((found.inputs[0].1.value(0.25) - 3.0).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A name is unknown, bounds exclude each other, a motion has no derivatives, or no motion fulfils
    /// the conditions.
    pub fn solve<M: Motions>(
        &self,
        motions: &M,
        mut progress: impl FnMut(&Iteration<'_>, &Attempt) -> ControlFlow<()>,
    ) -> Result<Controlled, Error<M::Error>> {
        let mut shooting = Shooting::new(self, motions)?;
        let (mut attempt, mut first) =
            self.guess.clone().map_or_else(Default::default, |(attempt, x)| (attempt, Some(x)));
        let lengths =
            first.iter().map(Vec::len).chain(Some(attempt.before.len()).filter(|length| *length > 0));
        if let Some(found) = { lengths }.find(|length| *length != shooting.count) {
            return Err(shooting.misfit(found));
        }
        let is_whole = shooting.goals.iter().all(Option::is_some);
        // A line holds free entries of the end where they start.
        let guesses: &[Guess] = match (self.states.is_empty(), is_whole) {
            (false, _) => &[Guess::Along],
            (true, true) => &[Guess::Line, Guess::Motion],
            (true, false) => &[Guess::Motion, Guess::Line],
        };
        let (mut best, mut failure): (Option<Solution>, _) = (None, None);
        if !attempt.before.is_empty() {
            let x: Vec<f64> = attempt.before.iter().map(|bits| f64::from_bits(*bits)).collect();
            let once = Options { iterations: 0, ..Options::default() };
            let found = minimize(&mut shooting, &x, &once, |_| ControlFlow::Continue(()))?;
            best = Some(Solution { status: Status::Still, ..found });
        }
        loop {
            let guess = match (first.take(), guesses.get(attempt.number)) {
                (Some(guess), _) => guess,
                (None, Some(kind)) => shooting.guess(*kind, &self.states).map_err(Error::Motion)?,
                (None, None) => break,
            };
            // A line to an end that is given whole needs no second attempt if it led there. Others are
            // given up where they take much longer than the first.
            let iterations = match best.as_ref().filter(|best| is_met(best)) {
                Some(_) if is_whole => break,
                Some(best) => (FURTHER * best.iterations).clamp(FEWEST, ITERATIONS),
                None => ITERATIONS,
            };
            match shooting.solve(&guess, iterations, |at| progress(at, &attempt)) {
                Ok(found) if found.status == Status::Stopped => {
                    best = Some(found);
                    break;
                }
                Ok(found) => {
                    let cost = |of: &Solution| of.residuals.iter().map(|r| r * r).sum::<f64>();
                    let is_cheaper = best.as_ref().is_none_or(|best| {
                        let is_met = is_met(&found) || !is_met(best);
                        is_met && cost(&found) < (1.0 - CHEAPER) * cost(best)
                    });
                    best = if is_cheaper { Some(found) } else { best };
                }
                Err(error) if motions.is_stopped() => return Err(error.into()),
                Err(error) => failure = failure.or(Some(error)),
            }
            let before = best.iter().flat_map(|best| best.x.iter().map(|x| x.to_bits()));
            attempt = Attempt { number: attempt.number + 1, before: before.collect() };
        }
        match (best, failure) {
            (Some(best), _) => Ok(shooting.landed(best)),
            (None, Some(failure)) => Err(failure.into()),
            (None, None) => Err(shooting.misfit(0)),
        }
    }
}

/// True for a solution whose gaps are small; where a motion breaks down, they are small beside its
/// slopes alone.
fn is_met(found: &Solution) -> bool {
    let most = |all: &[f64]| all.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    found.status != Status::Limit && most(&found.constraints) <= MET * most(&found.x).max(1.0)
}

impl<M: Motions> Shooting<'_, M> {
    /// The solution without its gaps, as an optimal motion.
    fn landed(mut self, mut found: Solution) -> Controlled {
        let Solution { status, iterations, .. } = found;
        // The nearest motion without gaps is some Newton steps away: the distance of the inputs from the
        // solution takes the place of the cost.
        let values = self.inputs.iter().flat_map(|input| input.unknowns.clone());
        let nearest = values.map(|value| Residual { terms: vec![(value, 1.0)], less: found.x[value] });
        let costs = std::mem::replace(&mut self.residuals, nearest.collect());
        if status != Status::Stopped {
            let landed = minimize(&mut self, &found.x, &LANDING, |_| ControlFlow::Continue(()));
            found = landed.unwrap_or(found);
        }
        let x = &found.x;
        let inputs = self.inputs.iter().map(|input| {
            let values = x[input.unknowns.clone()].to_vec();
            let signal = match (input.signal.course(), input.signal.times()) {
                (_, []) => Signal::steady(values[0]),
                (Course::Constant, times) => Signal::constant(times.to_vec(), values),
                (Course::Linear, times) => Signal::linear(times.to_vec(), values),
            };
            (input.name.clone(), signal.unwrap_or_default())
        });
        Controlled {
            inputs: inputs.collect(),
            theta: self.theta(x),
            states: (0..self.times.len()).map(|node| self.node(x, node)).collect(),
            cost: 0.5 * costs.iter().map(|cost| cost.at(x).powi(2)).sum::<f64>(),
            violation: found.constraints.iter().fold(0.0, |most: f64, gap| most.max(gap.abs())),
            iterations,
            status,
            unknowns: found.x,
        }
    }
}
