//! A control as a least-squares problem over the values of inputs and the states at nodes.

use std::ops::{ControlFlow, Range};

use least_action_core::drive::Plan;
use least_action_core::drive::gradient::{Along, Direction};
use least_action_core::system::{Course, Signal, State};

use super::bends::Bends;
use super::{Control, Cost, Integral};
use crate::Error;
use crate::fit::{Motions, OF_A_SLOPE, entry_names, holds};
use crate::least_squares::{
    self, Iteration, Options, Problem, Rows, Slopes, Solution, Status, Values, minimize,
};

/// The tolerance of a solution: the cost has twice its digits.
const TOLERANCE: f64 = 1e-5;
/// The end of a slow descent: gaps as parts of the largest unknown, the decrease of the cost in an
/// iteration as a part of it, and so many iterations in a row.
const GAP: f64 = 1e-9;
const SLOW: f64 = 1e-6;
const IN_A_ROW: usize = 5;
/// The part of a stretch that is nothing but rounding.
const NEAR: f64 = 1e-6;
/// The steps of a stretch, and the most stretches, unless chosen.
const STEPS: u64 = 4;
const STRETCHES: u64 = 50;

/// An input with its values.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) signal: Signal,
    /// Its first number in θ.
    first: usize,
    pub(super) unknowns: Range<usize>,
}

/// A residual: a weighted sum of unknowns, less a number.
pub(super) struct Residual {
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) less: f64,
}

impl Residual {
    pub(super) fn at(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|(unknown, factor)| factor * x[*unknown]).sum::<f64>() - self.less
    }
}

/// A control problem by multiple shooting. The unknowns are the values of inputs, then (q, v) of each
/// node behind the first.
pub(super) struct Shooting<'m, M> {
    pub(super) motions: &'m M,
    /// The names and the numbers of θ.
    parameters: Vec<(String, f64)>,
    pub(super) start: State,
    pub(super) times: Vec<f64>,
    /// The steps of each stretch.
    pub(super) steps: Vec<u64>,
    pub(super) inputs: Vec<Input>,
    /// The directions of each stretch, and the unknown of each.
    along: Vec<(Vec<Direction>, Vec<usize>)>,
    pub(super) names: Vec<String>,
    pub(super) goals: Vec<Option<f64>>,
    bounds: Vec<[f64; 2]>,
    pub(super) residuals: Vec<Residual>,
    pub(super) count: usize,
    bends: Bends,
    /// The last point, with its stretches.
    ran: Option<(Vec<f64>, Ends)>,
}

/// The gaps at the ends of stretches, and the derivatives of each end by its directions, row by row.
struct Ends {
    gaps: Vec<f64>,
    slopes: Vec<Vec<f64>>,
}

impl<'m, M: Motions> Shooting<'m, M> {
    pub(super) fn new(control: &Control, motions: &'m M) -> Result<Self, Error<M::Error>> {
        let Control { start, end, .. } = control;
        let (parameters, mut next) = (motions.parameters(), 0);
        let name = |first: usize| parameters[first].0.split('[').next().unwrap_or_default().to_owned();
        let named = motions.signals().into_iter().map(|(first, signal)| (name(first), first, signal));
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            let remedy = "mark one as in `#[lagrangian(sensitive(torque))]`";
            return Err(format!("the model has no sensitive input: {remedy}").into());
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
        let names = entry_names(&motions.coordinates());
        let Ok(Plan { steps, .. }) = Plan::until(start.t, *end, motions.step()) else {
            return Err(Error::Mistake(format!(
                "the motion ends at t = {end}, which is less than a step after its start at t = {}",
                start.t
            )));
        };
        let chosen = control.stretches.map(|count| count as u64);
        let count = chosen.unwrap_or_else(|| steps.div_ceil(STEPS).min(STRETCHES)).clamp(1, steps);
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
        let node = |node: u64| (u128::from(node) * u128::from(steps) / u128::from(count)) as u64;
        let nodes: Vec<u64> = (0..=count).map(node).collect();
        let times: Vec<f64> = nodes.iter().map(|node| start.t + *node as f64 * motions.step()).collect();
        let ends = |input: &&Input| times.iter().any(|time| !input.signal.reaches(*time));
        if let Some(input) = inputs.iter().find(ends) {
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
            bends: Bends::default(),
            ran: None,
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
        let effort = |of: &Input| Cost { of: Integral::Effort, name: of.name.clone(), weight: 1.0 };
        let every: Vec<Cost> = own.inputs.iter().map(effort).collect();
        for cost in if control.costs.is_empty() { &every } else { &control.costs } {
            own.pay(cost)?;
        }
        own.along = (0..own.times.len() - 1).map(|stretch| own.directions(stretch)).collect();
        own.bends = Bends::new(own.along.iter().map(|(_, own)| own.clone()).collect(), count);
        Ok(own)
    }

    /// The refusal of a guess of another length.
    pub(super) fn misfit(&self, found: usize) -> Error<M::Error> {
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
            let (own, entries) = (&*self, self.coordinates(name).map_err(no_name)?);
            let of_node = |node| entries.iter().map(move |entry| own.unknown(node, *entry));
            (1..own.times.len()).flat_map(of_node).collect()
        };
        unknowns.into_iter().for_each(|unknown| self.bounds[unknown] = [lower, upper]);
        Ok(())
    }

    /// Adds the residuals of a cost.
    fn pay(&mut self, cost: &Cost) -> Result<(), Error<M::Error>> {
        let horizon = self.times.last().unwrap_or(&0.0) - self.start.t;
        let Cost { of, name, weight } = cost;
        let part = match of {
            Integral::Effort => "effort",
            Integral::Change => "change",
            Integral::Distance { .. } => "distance",
        };
        if !(*weight >= 0.0 && weight.is_finite()) {
            return Err(Error::Mistake(format!(
                "the weight of the {part} of `{name}` is {weight}: give a finite number that is not negative"
            )));
        }
        let mut residuals = Vec::new();
        let mut add = |terms: Vec<(usize, f64)>, less| residuals.push(Residual { terms, less });
        match of {
            Integral::Effort => {
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
            Integral::Change => {
                let Input { signal, unknowns, .. } = self.input(name)?;
                let pairs = unknowns.clone().zip(unknowns.clone().skip(1));
                for ((first, second), times) in pairs.zip(signal.times().windows(2)) {
                    let size = (weight / (times[1] - times[0])).sqrt();
                    add(vec![(first, -size), (second, size)], 0.0);
                }
            }
            Integral::Distance { from } => {
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
    fn directions(&self, stretch: usize) -> (Vec<Direction>, Vec<usize>) {
        let [from, to] = [self.times[stretch], self.times[stretch + 1]];
        let entries = (0..self.names.len()).filter(|_| stretch > 0);
        let n = self.names.len() / 2;
        let direction = |entry: usize| {
            if entry < n { Direction::Position(entry) } else { Direction::Velocity(entry - n) }
        };
        let mut all: Vec<(Direction, usize)> =
            entries.map(|entry| (direction(entry), self.unknown(stretch, entry))).collect();
        // A piece that ends where the stretch begins does not act in it, whatever the rounding.
        let near = NEAR * (to - from);
        for Input { signal, first, unknowns, .. } in &self.inputs {
            let times = signal.times();
            // A value of a linear course acts on both sides.
            let acts = |k: &usize| {
                let first = if signal.course() == Course::Linear { k.saturating_sub(1) } else { *k };
                times.is_empty()
                    || times[first] < to - near && times[(k + 1).min(times.len() - 1)] > from + near
            };
            all.extend(
                (0..unknowns.len())
                    .filter(acts)
                    .map(|k| (Direction::Parameter(first + k), unknowns.start + k)),
            );
        }
        all.into_iter().unzip()
    }

    /// The state at a node.
    pub(super) fn node(&self, x: &[f64], node: usize) -> State {
        if node == 0 {
            return self.start.clone();
        }
        let first = self.unknown(node, 0);
        let (q, v) = x[first..first + self.names.len()].split_at(self.names.len() / 2);
        State { t: self.times[node], q: q.to_vec(), v: v.to_vec() }
    }

    pub(super) fn theta(&self, x: &[f64]) -> Vec<f64> {
        let mut theta = self.theta_of_model();
        for Input { first, unknowns, .. } in &self.inputs {
            theta[*first..first + unknowns.len()].copy_from_slice(&x[unknowns.clone()]);
        }
        theta
    }

    pub(super) fn theta_of_model(&self) -> Vec<f64> {
        self.parameters.iter().map(|(_, value)| *value).collect()
    }

    /// Minimizes the cost, until it falls slowly.
    pub(super) fn solve(
        &mut self,
        guess: &[f64],
        iterations: usize,
        mut progress: impl FnMut(&Iteration<'_>) -> ControlFlow<()>,
    ) -> Result<Solution, least_squares::Error<M::Error>> {
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
        Ok(Solution { status: if is_over { Status::Still } else { found.status }, ..found })
    }

    fn ends(&self, x: &[f64]) -> Result<Ends, M::Error> {
        let (mut gaps, mut first) = (Vec::new(), Vec::new());
        self.motions.bound(&self.theta(x), &mut |begin| {
            let mut ended = None;
            for (node, (directions, _)) in self.along.iter().enumerate() {
                let motion = begin(self.node(x, node), ended.take())?.until(self.times[node + 1]);
                let along: Vec<Along<'_>> =
                    directions.iter().map(|direction| (*direction, [&[][..]; 2])).collect();
                let (steps, n) = (self.steps[node], self.names.len() / 2);
                let now = motion.follow(&along, &|step| step == steps, &mut |at, slopes| {
                    let next = &x[self.unknown(node + 1, 0)..];
                    gaps.extend(at.q.iter().chain(at.v).zip(next).map(|(end, next)| end - next));
                    let row = |entry: usize| slopes.iter().map(move |both| both[entry / n][entry % n]);
                    first.push((0..2 * n).flat_map(row).collect());
                })?;
                ended = Some(now);
            }
            Ok(())
        })?;
        Ok(Ends { gaps, slopes: first })
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
        let ends = self.ends(x)?;
        let constraints = ends.gaps.clone();
        self.ran = Some((x.to_vec(), ends));
        Ok(Values { residuals: self.residuals.iter().map(|residual| residual.at(x)).collect(), constraints })
    }

    fn linearize(&mut self, x: &[f64]) -> Result<Slopes, M::Error> {
        let known = self.ran.take().filter(|(at, ..)| at == x);
        let Ends { slopes: first, .. } = known.map_or_else(|| self.ends(x), |(_, ends)| Ok(ends))?;
        let (mut residuals, mut constraints) = (Rows::default(), Rows::default());
        self.residuals.iter().for_each(|residual| residuals.push(residual.terms.iter().copied()));
        for (node, ((_, own), first)) in self.along.iter().zip(&first).enumerate() {
            for (entry, slopes) in first.chunks(own.len()).enumerate() {
                let slopes = own.iter().copied().zip(slopes.iter().copied());
                constraints.push(slopes.chain([(self.unknown(node + 1, entry), -1.0)]));
            }
        }
        let mut bends = std::mem::take(&mut self.bends);
        // Where there are no neighbours the steps take the stretches as straight.
        let _ = bends.stand(x, first, |x| self.ends(x).map(|ends| ends.slopes));
        self.bends = bends;
        Ok(Slopes { residuals: residuals.over(x.len()), constraints: constraints.over(x.len()) })
    }

    fn curvature(&mut self, multipliers: &[f64]) -> Vec<(usize, usize, f64)> {
        self.bends.weighed(multipliers)
    }
}

/// The error of a name that means no number of its kind.
fn unknown<'n, E>(name: &str, kind: &'static str, known: impl IntoIterator<Item = &'n String>) -> Error<E> {
    const SHOWN: usize = 8;
    let known: Vec<String> = known.into_iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    Error::Mistake(format!("`{name}` is no {kind} of the problem: it has {}", known.join(", ")))
}
