//! Optimal control of discrete motions: inputs of forces that bring a motion from a start to an end, at
//! the least cost.
//!
//! The unknowns are the values u of the inputs and the states z at nodes, which cut the motion into
//! stretches. The problem is
//!
//! ```text
//! least  ½ Σ w ∫ u² dt + ½ Σ w ∫ (x − x*)² dt,
//! where  Φ(z_i, u) = z_{i+1},     l ≤ (u, z) ≤ h,     and z_S has the entries of the end,
//! ```
//!
//! with the map Φ of the steps of a stretch, as the method computes it. So the solution is exact for the
//! steps: a run with these inputs ends where the problem says. The derivatives of Φ are the
//! [sensitivities](least_action_core::drive::gradient::Sensitivities) of the stretch, and the Jacobian
//! of the constraints has a block for each stretch.
//!
//! # References
//! H. G. Bock and K. J. Plitt, A multiple shooting algorithm for direct solution of optimal control
//! problems, 1984. S. Ober-Blöbaum, O. Junge and J. E. Marsden, Discrete mechanics and optimal control,
//! ESAIM: COCV 17 (2011) 322–352, doi:10.1051/cocv/2010012.

use std::ops::{ControlFlow, Range};

use least_action_core::drive::Plan;
use least_action_core::drive::gradient::{Along, Observed};
use least_action_core::system::{Course, Signal, State};
use nalgebra_sparse::CooMatrix;

use crate::Error;
use crate::fit::{Motions, holds};
use crate::least_squares::{self, Iteration, Options, Problem, Slopes, Solution, Status, Values, minimize};

/// A problem of optimal control.
///
/// Names are coordinates, `x` or `bobs[3].y`, their velocities after `der.`, and inputs. A name without
/// its index or component means all of its entries, and `der` means all velocities.
#[derive(Debug, Clone)]
#[must_use = "nothing is solved before `.solve(…)`"]
pub struct Control {
    start: State,
    end: f64,
    stretches: Option<usize>,
    /// The inputs to choose; all of them if empty.
    inputs: Vec<String>,
    goals: Vec<(String, f64)>,
    bounds: Vec<(String, [f64; 2])>,
    costs: Vec<Cost>,
    /// The states that the nodes follow at first.
    states: Vec<State>,
    guess: Option<(Attempt, Vec<f64>)>,
    memory: u64,
}

/// A way to the inputs. If the end is given whole, the first begins with states on a line to it, and a
/// second one at the motion by the first inputs where the line leads nowhere. With a free end, the
/// motion comes first and the line second, and the cheaper result counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 0 on.
    pub number: usize,
    /// The unknowns that the attempt before has found, as bits; empty if it has found none.
    pub before: Vec<u64>,
}

/// A part of the cost.
#[derive(Debug, Clone)]
enum Cost {
    /// ½ w ∫ u² dt.
    Effort { input: String, weight: f64 },
    /// ½ w ∫ u̇² dt, by differences where the input jumps.
    Change { input: String, weight: f64 },
    /// ½ w ∫ (x − x*)² dt by the trapezoid rule over the nodes.
    Distance { name: String, from: f64, weight: f64 },
}

/// An optimal motion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Controlled {
    /// The inputs with their names.
    pub inputs: Vec<(String, Signal)>,
    /// The numbers θ of the model, with the values of these inputs.
    pub theta: Vec<f64>,
    /// The states at the nodes, the start first.
    pub states: Vec<State>,
    /// The cost.
    pub cost: f64,
    /// The largest gap between the end of a stretch and the next node, or the goal.
    pub violation: f64,
    /// The number of iterations.
    pub iterations: usize,
    /// The reason for their end.
    pub status: Status,
    /// All unknowns, for [`Control::guess`].
    pub unknowns: Vec<f64>,
}

impl Control {
    /// A motion from this start.
    pub fn from(start: State) -> Self {
        let (inputs, goals, bounds, costs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (states, guess, memory) = (Vec::new(), None, u64::MAX);
        Self { end: start.t, start, stretches: None, inputs, goals, bounds, costs, states, guess, memory }
    }

    /// Chooses an input; without this all sensitive inputs are chosen, and with it other inputs stay.
    pub fn by(mut self, input: impl Into<String>) -> Self {
        self.inputs.push(input.into());
        self
    }

    /// Sets the time of the end.
    pub fn until(self, end: f64) -> Self {
        Self { end, ..self }
    }

    /// Sets the value of a coordinate or a velocity at the end.
    pub fn to(mut self, name: impl Into<String>, value: f64) -> Self {
        self.goals.push((name.into(), value));
        self
    }

    /// Bounds an input, or a coordinate or a velocity at the nodes but not between them.
    pub fn within(mut self, name: impl Into<String>, lower: f64, upper: f64) -> Self {
        self.bounds.push((name.into(), [lower, upper]));
        self
    }

    /// Adds ½ w ∫ u² dt to the cost. Without any cost, each input counts with w = 1.
    pub fn effort(mut self, input: impl Into<String>, weight: f64) -> Self {
        self.costs.push(Cost::Effort { input: input.into(), weight });
        self
    }

    /// Adds ½ w ∫ u̇² dt to the cost, by differences of neighbouring values.
    pub fn change(mut self, input: impl Into<String>, weight: f64) -> Self {
        self.costs.push(Cost::Change { input: input.into(), weight });
        self
    }

    /// Adds ½ w ∫ (x − x*)² dt to the cost, by the trapezoid rule over the nodes and the start, for a
    /// coordinate or a velocity x.
    pub fn distance(mut self, name: impl Into<String>, from: f64, weight: f64) -> Self {
        self.costs.push(Cost::Distance { name: name.into(), from, weight });
        self
    }

    /// Sets the number of stretches; without it each has about five steps, and there are at most 50.
    pub fn stretches(self, count: usize) -> Self {
        Self { stretches: Some(count), ..self }
    }

    /// Begins with the nodes on states of a motion, in the order of time, on straight lines between
    /// them. Without them an [`Attempt`] has its own.
    pub fn along(self, states: Vec<State>) -> Self {
        Self { states, ..self }
    }

    /// Refuses to take more memory, in bytes.
    pub fn limited(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Begins at the unknowns of an earlier solution.
    pub fn guess(self, unknowns: Vec<f64>) -> Self {
        self.going_on(Attempt { number: ATTEMPTS, before: Vec::new() }, unknowns)
    }

    /// Goes on from an iteration of an attempt.
    pub fn going_on(self, attempt: Attempt, unknowns: Vec<f64>) -> Self {
        Self { guess: Some((attempt, unknowns)), ..self }
    }

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
        let mut best: Option<(Solution, Status, usize)> = None;
        let mut failure = None;
        if !attempt.before.is_empty() {
            let x: Vec<f64> = attempt.before.iter().map(|bits| f64::from_bits(*bits)).collect();
            let once = Options { iterations: 0, ..Options::default() };
            let found = minimize(&mut shooting, &x, &once, |_| ControlFlow::Continue(()))?;
            best = Some((found, Status::Still, 0));
        }
        loop {
            let is_given = !self.states.is_empty();
            let guess = match (first.take(), attempt.number) {
                (Some(guess), _) => Some(Ok(guess)),
                (None, 0) if is_given => Some(shooting.along(&self.states)),
                // A line holds free entries of the end where they start.
                (None, number @ (0 | 1)) if !is_given && (number == 0) == is_whole => Some(shooting.line()),
                (None, 0 | 1) if !is_given => match shooting.motion() {
                    Some(guess) => Some(Ok(guess)),
                    None => Some(shooting.line()),
                },
                _ => None,
            };
            let guess = guess.transpose().map_err(Error::Motion)?;
            let Some(guess) = guess else { break };
            let found_by =
                best.as_ref().filter(|(_, status, _)| *status != Status::Limit).map(|(.., number)| *number);
            // A line to an end that is given whole needs no second attempt if it led there. Others are
            // given up where they take much longer than the first.
            let iterations = match found_by {
                Some(_) if is_whole => break,
                Some(first) => (FURTHER * first).clamp(FEWEST, ITERATIONS),
                None => ITERATIONS,
            };
            match shooting.solve(&guess, iterations, |at| progress(at, &attempt)) {
                Ok((found, Status::Stopped, iterations)) => {
                    best = Some((found, Status::Stopped, iterations));
                    break;
                }
                Ok(found) => {
                    let cost = |of: &Solution| of.residuals.iter().map(|r| r * r).sum::<f64>();
                    let is_cheaper = best.as_ref().is_none_or(|(best, status, _)| {
                        let is_met = found.1 != Status::Limit || *status == Status::Limit;
                        is_met && cost(&found.0) < (1.0 - CHEAPER) * cost(best)
                    });
                    best = if is_cheaper { Some(found) } else { best };
                }
                Err(error) if motions.is_stopped() => return Err(error.into()),
                Err(error) => failure = failure.or(Some(error)),
            }
            let before = best.iter().flat_map(|(found, ..)| found.x.iter().map(|x| x.to_bits()));
            attempt = Attempt { number: attempt.number + 1, before: before.collect() };
        }
        let (found, status, iterations) = match (best, failure) {
            (Some(best), _) => best,
            (None, Some(failure)) => return Err(failure.into()),
            (None, None) => return Err(shooting.misfit(0)),
        };
        let costs = shooting.land_at(&found.x);
        let found = match status {
            Status::Stopped => found,
            _ => minimize(&mut shooting, &found.x, &LANDING, |_| ControlFlow::Continue(())).unwrap_or(found),
        };
        let cost = 0.5 * costs.iter().map(|cost| cost.at(&found.x).powi(2)).sum::<f64>();
        let theta = shooting.theta(&found.x);
        let inputs = shooting.inputs.iter().map(|input| {
            let values = found.x[input.unknowns.clone()].to_vec();
            let signal = match (input.signal.course(), input.signal.times()) {
                (_, []) => Signal::steady(values[0]),
                (Course::Constant, times) => Signal::constant(times.to_vec(), values),
                (Course::Linear, times) => Signal::linear(times.to_vec(), values),
            };
            (input.name.clone(), signal.unwrap_or_default())
        });
        let inputs = inputs.collect();
        let nodes = 0..shooting.times.len();
        Ok(Controlled {
            inputs,
            theta,
            states: nodes.map(|node| shooting.node(&found.x, node)).collect(),
            cost,
            violation: found.constraints.iter().fold(0.0, |most: f64, gap| most.max(gap.abs())),
            iterations,
            status,
            unknowns: found.x,
        })
    }
}

/// The tolerance of a solution: the cost has twice its digits.
const TOLERANCE: f64 = 1e-5;
/// The end of a slow descent: gaps as parts of the largest unknown, the decrease of the cost in an
/// iteration as a part of it, and so many iterations in a row.
const GAP: f64 = 1e-9;
const SLOW: f64 = 1e-6;
const IN_A_ROW: usize = 5;
/// The settings of the landing.
const LANDING: Options = Options { iterations: 4, tolerance: 1e-14, damping: 0.0 };
/// The most iterations.
const ITERATIONS: usize = 500;
/// The attempts; the part of the cost by which a later one has to be cheaper, and its iterations as a
/// multiple of the ones of the first, of which there are always a few.
const ATTEMPTS: usize = 2;
const CHEAPER: f64 = 1e-6;
const FURTHER: usize = 2;
const FEWEST: usize = 30;
/// The memory of a derivative in bytes, by rows and columns, in factors, and while they are made.
const OF_A_SLOPE: u64 = 100;
/// The steps of a stretch, and the most stretches, unless chosen.
const STEPS: u64 = 5;
const STRETCHES: u64 = 50;

/// Sees the end of a stretch, with its derivatives.
type See<'s> = dyn FnMut(usize, &Observed<'_>, &[[&[f64]; 2]]) + 's;

/// An input with its values.
struct Input {
    name: String,
    signal: Signal,
    /// Its first number in θ.
    first: usize,
    unknowns: Range<usize>,
}

/// A residual: a weighted sum of unknowns, less a number.
struct Residual {
    terms: Vec<(usize, f64)>,
    less: f64,
}

impl Residual {
    fn at(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|(unknown, factor)| factor * x[*unknown]).sum::<f64>() - self.less
    }
}

/// A control problem by multiple shooting. The unknowns are the values of inputs, then (q, v) of each
/// node behind the first.
struct Shooting<'m, M> {
    motions: &'m M,
    /// The names and the numbers of θ.
    parameters: Vec<(String, f64)>,
    start: State,
    times: Vec<f64>,
    /// The steps of each stretch.
    steps: Vec<u64>,
    inputs: Vec<Input>,
    /// The directions of each stretch, and the unknown of each.
    along: Vec<(Vec<String>, Vec<usize>)>,
    names: Vec<String>,
    goals: Vec<Option<f64>>,
    bounds: Vec<[f64; 2]>,
    residuals: Vec<Residual>,
    count: usize,
}

impl<'m, M: Motions> Shooting<'m, M> {
    fn new(control: &Control, motions: &'m M) -> Result<Self, Error<M::Error>> {
        let Control { start, end, .. } = control;
        let (parameters, mut next) = (motions.parameters(), 0);
        let named = motions.signals().into_iter().map(|(first, signal)| {
            (parameters[first].0.split('[').next().unwrap_or_default().to_owned(), first, signal)
        });
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            let message =
                "the model has no sensitive input: mark one as in `#[lagrangian(sensitive(torque))]`";
            return Err(message.to_owned().into());
        }
        if let Some(name) = control.inputs.iter().find(|name| !named.iter().any(|(own, ..)| own == *name)) {
            return Err(unknown(name, "input", named.iter().map(|(own, ..)| own)));
        }
        let is_chosen = |name: &String| control.inputs.is_empty() || control.inputs.contains(name);
        let chosen = named.into_iter().filter(|(name, ..)| is_chosen(name));
        let inputs = chosen.map(|(name, first, signal)| {
            let unknowns = next..next + signal.values().len();
            next = unknowns.end;
            Input { name, signal, first, unknowns }
        });
        let inputs: Vec<Input> = inputs.collect();
        let names = entries(motions.coordinates());
        let cut = stretches(start.t, *end, motions.step(), control.stretches);
        let [steps, count] = cut.ok_or_else(|| {
            format!(
                "the motion ends at t = {end}, which is less than a step after its start at t = {}",
                start.t
            )
        })?;
        let (width, acting) = (names.len() as u64, next as u64 + count.saturating_mul(inputs.len() as u64));
        // Each stretch has a row for each entry of its end, and tangents that know all values.
        let slopes = width.saturating_mul(count.saturating_mul(width + 1).saturating_add(acting));
        let tangents = (width + acting / count).saturating_mul(next as u64 + width);
        let needed = slopes.saturating_mul(OF_A_SLOPE).saturating_add(tangents.saturating_mul(8));
        if needed > control.memory {
            let memory = control.memory;
            return Err(Error::Mistake(format!(
                "the derivatives of all stretches take about {needed} bytes, and {memory} are allowed: take fewer pieces, fewer stretches \
                 or a longer step, or allow more memory"
            )));
        }
        let nodes: Vec<u64> = (0..=count)
            .map(|node| (u128::from(node) * u128::from(steps) / u128::from(count)) as u64)
            .collect();
        let times: Vec<f64> = nodes.iter().map(|node| start.t + *node as f64 * motions.step()).collect();
        if let Some(input) = inputs.iter().find(|input| times.iter().any(|time| !input.signal.reaches(*time)))
        {
            return Err(Error::Mistake(format!(
                "`{}` has values up to t = {}, and the last step ends at t = {}: give it more values, or a step that divides the time",
                input.name,
                input.signal.span()[1],
                times[times.len() - 1]
            )));
        }
        let count = next + (times.len() - 1) * names.len();
        let mut own = Self {
            goals: vec![None; names.len()],
            bounds: vec![[f64::NEG_INFINITY, f64::INFINITY]; count],
            along: Vec::new(),
            residuals: Vec::new(),
            start: start.clone(),
            motions,
            parameters,
            steps: nodes.windows(2).map(|pair| pair[1] - pair[0]).collect(),
            times,
            inputs,
            names,
            count,
        };
        for (name, [lower, upper]) in &control.bounds {
            own.bound(name, [*lower, *upper])?;
        }
        for (name, value) in &control.goals {
            for entry in own.coordinates(name)? {
                own.goals[entry] = Some(*value);
                let last = own.unknown(own.times.len() - 1, entry);
                let ([lower, upper], value) = (own.bounds[last], *value);
                if lower < upper && !(lower..=upper).contains(&value) {
                    return Err(Error::Mistake(format!(
                        "the end wants `{}` = {value}, and its bounds are [{lower}, {upper}]: no motion ends there; widen them, or choose \
                         another end",
                        own.names[entry]
                    )));
                }
                own.bounds[last] = [value; 2];
            }
        }
        let every: Vec<Cost> = own.inputs.iter().map(Input::effort).collect();
        for cost in if control.costs.is_empty() { &every } else { &control.costs } {
            own.pay(cost)?;
        }
        own.along = (0..own.times.len() - 1).map(|stretch| own.directions(stretch)).collect();
        Ok(own)
    }

    /// The refusal of a guess of another length.
    fn misfit(&self, found: usize) -> Error<M::Error> {
        Error::Mistake(format!("the guess has {found} numbers, and the problem has {} unknowns", self.count))
    }

    /// The unknown of an entry of a node behind the first.
    fn unknown(&self, node: usize, entry: usize) -> usize {
        let values = self.inputs.last().map_or(0, |input| input.unknowns.end);
        values + (node - 1) * self.names.len() + entry
    }

    /// The entries of a state that a name means.
    fn coordinates(&self, name: &str) -> Result<Vec<usize>, Error<M::Error>> {
        let meant: Vec<usize> =
            (0..self.names.len()).filter(|entry| holds(name, &self.names[*entry])).collect();
        if meant.is_empty() { Err(unknown(name, "coordinate or velocity", &self.names)) } else { Ok(meant) }
    }

    fn input(&self, name: &str) -> Result<&Input, Error<M::Error>> {
        let known = self.inputs.iter().map(|input| &input.name);
        self.inputs.iter().find(|input| input.name == name).ok_or_else(|| unknown(name, "input", known))
    }

    fn bound(&mut self, name: &str, [lower, upper]: [f64; 2]) -> Result<(), Error<M::Error>> {
        if lower.is_nan() || upper.is_nan() || lower > upper {
            return Err(Error::Mistake(format!(
                "`{name}` is bound to [{lower}, {upper}]: give a lower bound that is not above the upper one"
            )));
        }
        let unknowns: Vec<usize> = if let Ok(input) = self.input(name) {
            input.unknowns.clone().collect()
        } else {
            let inputs = self.inputs.iter().map(|input| &input.name);
            let no_name = |_| unknown(name, "input, coordinate or velocity", inputs.chain(&self.names));
            let (entries, nodes) = (self.coordinates(name).map_err(no_name)?, 1..self.times.len());
            nodes
                .flat_map(|node| entries.iter().map(move |entry| (node, *entry)))
                .map(|(node, entry)| self.unknown(node, entry))
                .collect()
        };
        unknowns.into_iter().for_each(|unknown| self.bounds[unknown] = [lower, upper]);
        Ok(())
    }

    /// Replaces the cost by the distance of the inputs from a point: the nearest motion without gaps is
    /// some Newton steps away.  Returns the cost.
    fn land_at(&mut self, x: &[f64]) -> Vec<Residual> {
        let values = self.inputs.iter().flat_map(|input| input.unknowns.clone());
        let nearest = values.map(|value| Residual { terms: vec![(value, 1.0)], less: x[value] });
        let nearest = nearest.collect();
        std::mem::replace(&mut self.residuals, nearest)
    }

    /// Adds the residuals of a cost.
    fn pay(&mut self, cost: &Cost) -> Result<(), Error<M::Error>> {
        let horizon = self.times.last().unwrap_or(&0.0) - self.start.t;
        let (part, name, weight) = match cost {
            Cost::Effort { input, weight } => ("effort", input, *weight),
            Cost::Change { input, weight } => ("change", input, *weight),
            Cost::Distance { name, weight, .. } => ("distance", name, *weight),
        };
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(Error::Mistake(format!(
                "the weight of the {part} of `{name}` is {weight}: give a finite number that is not negative"
            )));
        }
        let mut residuals = Vec::new();
        let mut add = |terms: Vec<(usize, f64)>, less| residuals.push(Residual { terms, less });
        match cost {
            Cost::Effort { .. } => {
                let Input { signal, unknowns, .. } = self.input(name)?;
                let lengths = signal.times().windows(2).map(|pair| pair[1] - pair[0]);
                let lengths: Vec<f64> = lengths.chain(signal.times().is_empty().then_some(horizon)).collect();
                for (length, first) in lengths.into_iter().zip(unknowns.clone()) {
                    let size = (weight * length).sqrt();
                    match signal.course() {
                        Course::Constant => add(vec![(first, size)], 0.0),
                        // ∫ u² dt = Δt (¼ (a + b)² + (b − a)²/12) from a to b.
                        Course::Linear => {
                            let (mean, slope) = (0.5 * size, size / 12.0_f64.sqrt());
                            add(vec![(first, mean), (first + 1, mean)], 0.0);
                            add(vec![(first, -slope), (first + 1, slope)], 0.0);
                        }
                    }
                }
            }
            Cost::Change { .. } => {
                let Input { signal, unknowns, .. } = self.input(name)?;
                let pairs = unknowns.clone().zip(unknowns.clone().skip(1));
                for ((first, second), times) in pairs.zip(signal.times().windows(2)) {
                    let size = (weight / (times[1] - times[0])).sqrt();
                    add(vec![(first, -size), (second, size)], 0.0);
                }
            }
            Cost::Distance { from, .. } => {
                let start = [&self.start.q[..], &self.start.v].concat();
                let (places, last) = (self.coordinates(name)?, self.times.len() - 1);
                for node in 0..=last {
                    // Half of the stretches on both sides.
                    let sides = self.times[last.min(node + 1)] - self.times[node.saturating_sub(1)];
                    let size = (0.5 * weight * sides).sqrt();
                    for entry in &places {
                        match node {
                            // A motion refuses a start of another length.
                            0 => add(Vec::new(), size * start.get(*entry).map_or(0.0, |own| from - own)),
                            _ => add(vec![(self.unknown(node, *entry), size)], size * from),
                        }
                    }
                }
            }
        }
        self.residuals.append(&mut residuals);
        Ok(())
    }

    /// The directions of a stretch: the entries of its start, and the values of inputs that act in it.
    fn directions(&self, stretch: usize) -> (Vec<String>, Vec<usize>) {
        let [from, to] = [self.times[stretch], self.times[stretch + 1]];
        let entries = (0..self.names.len()).filter(|_| stretch > 0);
        let mut all: Vec<(String, usize)> =
            entries.map(|entry| (self.names[entry].clone(), self.unknown(stretch, entry))).collect();
        for Input { signal, first, unknowns, .. } in &self.inputs {
            let times = signal.times();
            let reaches = |k: usize| match (times, signal.course()) {
                ([], _) => true,
                (times, Course::Constant) => times[k] < to && times[k + 1] > from,
                (times, Course::Linear) => {
                    times[k.saturating_sub(1)] < to && times[(k + 1).min(times.len() - 1)] > from
                }
            };
            let acting = (0..unknowns.len()).filter(|k| reaches(*k));
            all.extend(acting.map(|k| (self.parameters[first + k].0.clone(), unknowns.start + k)));
        }
        all.into_iter().unzip()
    }

    /// The state at a node.
    fn node(&self, x: &[f64], node: usize) -> State {
        if node == 0 {
            return self.start.clone();
        }
        let first = self.unknown(node, 0);
        let (q, v) = x[first..first + self.names.len()].split_at(self.names.len() / 2);
        State { t: self.times[node], q: q.to_vec(), v: v.to_vec() }
    }

    fn theta(&self, x: &[f64]) -> Vec<f64> {
        let mut theta = self.theta_of_model();
        for Input { first, unknowns, .. } in &self.inputs {
            theta[*first..first + unknowns.len()].copy_from_slice(&x[unknowns.clone()]);
        }
        theta
    }

    /// The inputs of the model, and the nodes on the line from the start to the goals. Where constraints
    /// tear it, as a line through the pivot of a rod, the line is bent.
    fn line(&self) -> Result<Vec<f64>, M::Error> {
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
            return Ok(self.beginning(&nodes));
        }
        let (length, all) = (distance(&ends[0].q, &ends[1].q), (t - start.t).max(f64::MIN_POSITIVE));
        let bent = self.times.iter().map(|time| {
            let (mut state, part) = (between(&ends, *time), (time - start.t) / all);
            for (place, entry) in state.q.iter_mut().enumerate() {
                let golden = ((place + 1) as f64 * 0.618_033_988_749_895).fract() - 0.5;
                *entry += 4.0 * BEND * length * golden * part * (1.0 - part);
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
        Ok(self.beginning(&self.settled(&[std::slice::from_ref(start), &nodes[..]].concat())?.0))
    }

    /// The inputs of the model, and the nodes on lines between states, moved onto the constraints.
    fn along(&self, states: &[State]) -> Result<Vec<f64>, M::Error> {
        Ok(self.beginning(&self.settled(states)?.0))
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
                let settled = begin(State { t, ..node.clone() }).and_then(|motion| {
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

    /// The inputs of the model, and the nodes on its motion; none where it has none.
    fn motion(&self) -> Option<Vec<f64>> {
        let mut nodes = Vec::new();
        let ran = self.motions.bound(&self.theta_of_model(), &mut |begin| {
            let mut state = self.start.clone();
            for (time, steps) in self.times.iter().skip(1).zip(&self.steps) {
                let motion = begin(state.clone())?.until(*time);
                motion.follow(&[], &|step| step == *steps, &mut |at, _| {
                    state = State { t: at.t, q: at.q.to_vec(), v: at.v.to_vec() };
                })?;
                nodes.push(state.clone());
            }
            Ok(())
        });
        ran.is_ok().then(|| self.beginning(&nodes))
    }

    /// The inputs of the model, and these nodes behind the start.
    fn beginning(&self, nodes: &[State]) -> Vec<f64> {
        let inputs = self.inputs.iter().flat_map(|input| input.signal.values());
        inputs.chain(nodes.iter().flat_map(|node| node.q.iter().chain(&node.v))).copied().collect()
    }

    fn theta_of_model(&self) -> Vec<f64> {
        self.parameters.iter().map(|(_, value)| *value).collect()
    }

    /// Minimizes the cost, until it falls slowly; beside the solution stand the reason for its end and
    /// the number of iterations.
    fn solve(
        &mut self,
        guess: &[f64],
        iterations: usize,
        mut progress: impl FnMut(&Iteration<'_>) -> ControlFlow<()>,
    ) -> Result<(Solution, Status, usize), least_squares::Error<M::Error>> {
        let options = Options { iterations, tolerance: TOLERANCE, ..Options::default() };
        let (mut last, mut slow, mut is_over) = (f64::INFINITY, 0, false);
        let found = minimize(self, guess, &options, |at| {
            let flow = progress(at);
            let size = at.x.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            let is_slow = at.violation <= GAP * size && last - at.cost <= SLOW * at.cost;
            slow = if is_slow { slow + 1 } else { 0 };
            last = at.cost;
            is_over = flow.is_continue() && slow >= IN_A_ROW;
            if is_over { ControlFlow::Break(()) } else { flow }
        })?;
        let (status, iterations) = (if is_over { Status::Still } else { found.status }, found.iterations);
        Ok((found, status, iterations))
    }

    /// Runs all stretches at x, and shows the last state of each with its derivatives along the
    /// directions of the stretch; none if they are not wanted.
    fn run(&self, x: &[f64], with_slopes: bool, see: &mut See<'_>) -> Result<(), M::Error> {
        self.motions.bound(&self.theta(x), &mut |begin| {
            for (node, (names, _)) in self.along.iter().enumerate() {
                let motion = begin(self.node(x, node))?.until(self.times[node + 1]);
                let names = names.iter().filter(|_| with_slopes);
                let names: Vec<Along<'_>> = names.map(|name| (name.as_str(), [&[][..]; 2])).collect();
                let steps = self.steps[node];
                motion.follow(&names, &|step| step == steps, &mut |at, slopes| see(node, at, slopes))?;
            }
            Ok(())
        })
    }
}

impl<M: Motions> Problem for Shooting<'_, M> {
    type Error = M::Error;

    fn unknowns(&self) -> usize {
        self.count
    }

    fn bounds(&self) -> Vec<[f64; 2]> {
        self.bounds.clone()
    }

    fn constraint(&self, index: usize) -> String {
        let (node, entry) = (index / self.names.len() + 1, index % self.names.len());
        format!("the gap of `{}` at t = {}", self.names[entry], self.times[node])
    }

    fn is_stopped(&self) -> bool {
        self.motions.is_stopped()
    }

    fn evaluate(&mut self, x: &[f64]) -> Result<Values, M::Error> {
        let mut constraints = Vec::new();
        self.run(x, false, &mut |node, end, _| {
            let next = &x[self.unknown(node + 1, 0)..];
            constraints.extend(end.q.iter().chain(end.v).zip(next).map(|(end, next)| end - next));
        })?;
        Ok(Values { residuals: self.residuals.iter().map(|residual| residual.at(x)).collect(), constraints })
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, M::Error> {
        let (width, nodes) = (self.names.len(), self.times.len() - 1);
        let mut residuals = CooMatrix::new(self.residuals.len(), self.count);
        for (row, residual) in self.residuals.iter().enumerate() {
            residual.terms.iter().for_each(|(unknown, factor)| residuals.push(row, *unknown, *factor));
        }
        let mut constraints = CooMatrix::new(width * nodes, self.count);
        self.run(x, true, &mut |node, _, slopes| {
            for entry in 0..width {
                constraints.push(node * width + entry, self.unknown(node + 1, entry), -1.0);
            }
            for (unknown, [of_q, of_v]) in self.along[node].1.iter().zip(slopes) {
                for (entry, slope) in of_q.iter().chain(*of_v).enumerate().filter(|(_, slope)| **slope != 0.0)
                {
                    constraints.push(node * width + entry, *unknown, *slope);
                }
            }
        })?;
        Ok(Slopes { residuals, constraints })
    }
}

impl Input {
    fn effort(&self) -> Cost {
        Cost::Effort { input: self.name.clone(), weight: 1.0 }
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

/// The numbers of steps and of stretches; none for less than a step.
fn stretches(start: f64, end: f64, step: f64, stretches: Option<usize>) -> Option<[u64; 2]> {
    let steps = Plan::until(start, end, step).ok()?.steps;
    let count = stretches.map_or(steps.div_ceil(STEPS).min(STRETCHES), |count| count as u64);
    Some([steps, count.clamp(1, steps)])
}

/// The error of a name that means no number of its kind.
fn unknown<'n, E>(name: &str, kind: &'static str, known: impl IntoIterator<Item = &'n String>) -> Error<E> {
    const SHOWN: usize = 8;
    let known: Vec<String> = known.into_iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    Error::Mistake(format!("`{name}` is no {kind} of the problem: it has {}", known.join(", ")))
}

/// The names of the entries of a state, positions first.
fn entries(coordinates: Vec<String>) -> Vec<String> {
    let rates: Vec<String> = coordinates.iter().map(|name| format!("der.{name}")).collect();
    [coordinates, rates].concat()
}
