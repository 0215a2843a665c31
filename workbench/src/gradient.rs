//! `gradient`: the exact derivative of a number of a motion by its start and by the parameters.

mod differences;
pub(crate) mod losses;
pub(crate) mod motion;

use std::io::{self, Write};

use least_action::drive::gradient::{Following, Gradient, MemoryPlan};
use least_action::system::{Layout, State};
use least_action_optimization::fit::holds;
use serde::Serialize;

use crate::arguments::AskedGradient;
use crate::error::Error;
use crate::prepared::Prepared;
use crate::print::Text;
use crate::registry::Registry;
use crate::streams::Streams;
use differences::Check;
use motion::warn;

/// The entries of the start that are shown.
const SHOWN: usize = 4;

/// A derivative by one number.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    value: f64,
    derivative: f64,
    /// (θ/J) ∂J/∂θ; none where J is zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<f64>,
}

/// The output of the command.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    model: &'a str,
    method: &'static str,
    step: f64,
    steps: u64,
    /// The time of the end.
    end: f64,
    /// J.
    value: f64,
    /// The derivatives by the parameters, or by the names that were asked for.
    by: Vec<Row>,
    /// ∂J/∂q₀ and ∂J/∂v₀, in the order of the coordinates.
    q: &'a [f64],
    v: &'a [f64],
    growth: f64,
    /// The decimal digits that rounding leaves.
    digits: u32,
    /// The states that were kept, in words.
    plan: String,
    /// The parameters that the model's own start follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    follows: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
}

/// Differentiates a motion, and prints the result.
pub(crate) fn gradient(
    registry: &Registry,
    asked: &AskedGradient,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let losses = losses::read(&asked.loss)?;
    let mut motion = Prepared::new(registry, &asked.request)?;
    motion.differentiable(streams)?;
    let Prepared { instance, method, start, step, .. } = &motion;
    let layout = instance.system.lagrangian().layout();
    let mut losses = losses.on(&motion, streams)?;
    let mut found = motion.gradient(instance, start, &mut losses)?;
    let own = if asked.request.start.is_own() { Some(motion.own_start()?) } else { None };
    found = own.iter().fold(found, Gradient::following);
    let follows = own.iter().flat_map(Following::parameters);
    let follows = follows.filter_map(|number| found.names.get(number).cloned()).collect();
    motion.forewarn(start.clone(), streams)?;
    let values = motion.values()?;
    let by = rows(layout, (start, &values), &found, &asked.by)?;
    motion.notes().for_each(|note| streams.note(note));
    let check = asked
        .check
        .then(|| differences::check(&motion, &found, &mut losses, (start, own.is_some()), asked.seed))
        .transpose()?;
    let outcome = Outcome {
        model: &instance.name,
        method: method.name,
        step: *step,
        steps: found.steps,
        end: start.t + found.steps as f64 * step,
        value: found.value,
        by,
        q: &found.q,
        v: &found.v,
        growth: found.growth,
        digits: found.digits(),
        plan: in_words(found.plan),
        follows,
        check,
    };
    streams.print(asked.format, &outcome, |outcome, out| outcome.text(layout, out))?;
    warn(&found, streams);
    outcome.check.map_or(Ok(()), |check| check.verdict(&instance.name))
}

/// The derivatives by the numbers that `--by` names, or by all parameters.
fn rows(
    layout: &Layout,
    (state, values): (&State, &[f64]),
    found: &Gradient,
    by: &[String],
) -> Result<Vec<Row>, Error> {
    let parameters =
        found.names.iter().cloned().zip(values.iter().copied().zip(found.parameters.iter().copied()));
    let entries = |prefix: &'static str, values: &[f64], slopes: &[f64]| {
        let named = (0..layout.dimension()).map(move |index| format!("{prefix}{}", layout.name_of(index)));
        let numbers: Vec<_> = values.iter().copied().zip(slopes.iter().copied()).collect();
        named.zip(numbers)
    };
    let starts = entries("", &state.q, &found.q).chain(entries("der.", &state.v, &found.v));
    let row = |(name, (value, derivative)): (String, (f64, f64))| {
        let relative = (found.value != 0.0).then(|| value / found.value * derivative + 0.0);
        Row { name, value, derivative, relative }
    };
    if by.is_empty() {
        return Ok(parameters.map(row).collect());
    }
    let mut all: Vec<_> = parameters.chain(starts).map(|named| (false, named)).collect();
    for asked in by.iter().map(|name| name.trim()) {
        let mut is_known = false;
        for (chosen, (name, _)) in &mut all {
            let is_chosen = holds(asked, name);
            *chosen |= is_chosen;
            is_known |= is_chosen;
        }
        if !is_known {
            let names = all.iter().map(|(_, (name, _))| name.clone()).collect();
            return Err(Error::unknown_number("--by", &by.join(","), asked, names));
        }
    }
    Ok(all.into_iter().filter_map(|(chosen, named)| chosen.then(|| row(named))).collect())
}

/// The states that a gradient kept.
fn in_words(plan: MemoryPlan) -> String {
    match plan {
        MemoryPlan::Store => "all states in memory".to_owned(),
        MemoryPlan::TwoLevels { stretches } => format!("{stretches} checkpoints, and one further run"),
        MemoryPlan::ThreeLevels { stretches, inner } => {
            format!("{stretches} checkpoints, {inner} within each stretch, and two further runs")
        }
        _ => "checkpoints".to_owned(),
    }
}

impl Outcome<'_> {
    fn text(&self, layout: &Layout, out: &mut Text<'_>) -> io::Result<()> {
        writeln!(out, "J = {:?}", self.value)?;
        if self.by.is_empty() {
            let model = self.model;
            let reason =
                format!("`{model}` has no field in `#[lagrangian(sensitive(…))]` that this motion reads");
            writeln!(out, "no derivative by a parameter: {reason}")?;
        } else {
            let header = ["θ", "value", "dJ/dθ", "(θ/J) dJ/dθ"];
            let mut rows = vec![header.map(str::to_owned).to_vec()];
            rows.extend(self.by.iter().map(|row| {
                let relative = row.relative.map_or_else(String::new, |relative| format!("{relative:.6}"));
                vec![row.name.clone(), row.value.to_string(), format!("{:?}", row.derivative), relative]
            }));
            out.table(&rows)?;
        }
        for (name, prefix, slopes) in [("dq0", "", self.q), ("dv0", "der.", self.v)] {
            let size = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            // Beside the largest entry, rounding is no number to read.
            let least = 1e-12 * slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
            let mut order: Vec<usize> =
                (0..slopes.len()).filter(|index| slopes[*index].abs() > least).collect();
            order.sort_by(|a, b| slopes[*b].abs().total_cmp(&slopes[*a].abs()));
            let largest = order.iter().take(SHOWN);
            let largest: Vec<String> = largest
                .map(|index| format!("{prefix}{} {:.6e}", layout.name_of(*index), slopes[*index]))
                .collect();
            let beside = if largest.is_empty() { String::new() } else { format!("; {}", largest.join(", ")) };
            writeln!(out, "|dJ/{name}| = {size:.6e}{beside}")?;
        }
        let Self { growth, digits, steps, end, method, step, plan, .. } = self;
        writeln!(out, "growth {growth:.1e}: {digits} digits are left")?;
        let end = format!("{end:.9}");
        let end = end.trim_end_matches('0').trim_end_matches('.');
        writeln!(out, "{steps} steps of {method}, step {step}, to t = {end}; {plan}")?;
        motion::in_words(&self.follows).map_or(Ok(()), |words| writeln!(out, "note: {words}"))?;
        self.check.as_ref().map_or(Ok(()), |check| check.text(out))
    }
}
