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
use crate::error::{Error, Result};
use crate::prepared::Prepared;
use crate::print::Text;
use crate::registry::Registry;
use crate::start::entries;
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
pub(crate) fn gradient(registry: &Registry, asked: &AskedGradient, streams: &mut Streams<'_>) -> Result {
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
    let check = || differences::check(&motion, &found, &mut losses, (start, own.is_some()), asked.seed);
    let check = asked.check.then(check).transpose()?;
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
) -> Result<Vec<Row>> {
    let row = |((name, &value), &derivative): ((String, &f64), &f64)| {
        let relative = (found.value != 0.0).then(|| value / found.value * derivative + 0.0);
        Row { name, value, derivative, relative }
    };
    let parameters = found.names.iter().cloned().zip(values).zip(&found.parameters).map(row);
    if by.is_empty() {
        return Ok(parameters.collect());
    }
    let starts = entries(layout).into_iter().zip(state.q.iter().chain(&state.v));
    let mut all: Vec<Row> = parameters.chain(starts.zip(found.q.iter().chain(&found.v)).map(row)).collect();
    let is_asked = |asked: &String, row: &Row| holds(asked.trim(), &row.name);
    if let Some(asked) = by.iter().find(|asked| !all.iter().any(|row| is_asked(asked, row))) {
        let names = all.iter().map(|row| row.name.clone()).collect();
        return Err(Error::unknown_number("--by", &by.join(","), asked.trim(), names));
    }
    all.retain(|row| by.iter().any(|asked| is_asked(asked, row)));
    Ok(all)
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
            let reason = "has no field in `#[lagrangian(sensitive(…))]` that this motion reads";
            writeln!(out, "no derivative by a parameter: `{}` {reason}", self.model)?;
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
            let is_read = |index: &usize| slopes[*index].abs() > least;
            let mut order: Vec<usize> = (0..slopes.len()).filter(is_read).collect();
            order.sort_by(|a, b| slopes[*b].abs().total_cmp(&slopes[*a].abs()));
            let entry = |&index: &usize| format!("{prefix}{} {:.6e}", layout.name_of(index), slopes[index]);
            let largest: Vec<String> = order.iter().take(SHOWN).map(entry).collect();
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
