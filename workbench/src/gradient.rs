//! `gradient`: the exact derivative of a number of a motion by its start and by the parameters.

mod differences;
mod losses;

use std::io::{self, Write};

use least_action::drive::gradient::{Differentiation, Gradient, MemoryPlan};
use least_action::system::{Layout, Parametric, State};
use least_action_methods::{Entry, Options, Setup};
use serde::Serialize;

use crate::arguments::{AskedGradient, AskedRun, Format, Run};
use crate::error::{Error, Names};
use crate::methods::{self, Faces, OnModels};
use crate::print::{Text, json_line};
use crate::registry::{Instance, Registry};
use crate::streams::Streams;
use crate::{options, parameters, run, start};
use differences::Check;
use losses::Losses;

/// The growth above which a gradient is no help.
const GROWTH: f64 = 1e6;
/// The entries of the start that are shown.
const SHOWN: usize = 4;

/// The motion of which a number is differentiated.
struct Motion<'a> {
    registry: &'a Registry,
    arguments: &'a Run,
    method: &'static Entry,
    options: &'a Options,
}

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
    let run =
        Run { with: asked.with.clone(), start: asked.start.clone(), ..Run::of_model(asked.model.clone()) };
    let AskedGradient { method, step, until, .. } = asked;
    let (arguments, note) = run::chosen(
        registry,
        &AskedRun { method: method.clone(), step: *step, until: *until, every: None, run },
    )?;
    run::check_times(arguments.step, arguments.until)?;
    let method = methods::find(&arguments.method)?;
    let instance = parameters::bind(registry, &arguments.model)?;
    differentiable(method, &instance)?;
    let known = method.options(&*instance.system);
    let params = arguments.model.params.as_deref();
    let options = options::read(method.name, &known, params, &arguments.with)?;
    let layout = instance.system.lagrangian().layout();
    let state = match &arguments.start {
        Some(path) => start::read(path, layout)?,
        None => instance.own_start()?,
    };
    let mut losses = losses.on(&instance, &state, &arguments)?;
    let motion = Motion { registry, arguments: &arguments, method, options: &options };
    let faces = method.faces(&instance, &options)?;
    let values = faces.lagrangian().parametric().map(Parametric::numbers).unwrap_or_default();
    let found = motion.gradient(&faces, &state, &mut losses)?;
    let by = rows(layout, (&state, &values), &found, &asked.by)?;
    if let Some(note) = note {
        // The result is there when nobody listens.
        let _ = writeln!(streams.err, "note: {note}");
    }
    let check = asked
        .check
        .then(|| differences::check(&motion, &instance, &state, &found, &mut losses, asked.seed))
        .transpose()?;
    let outcome = Outcome {
        model: &instance.name,
        method: method.name,
        step: arguments.step,
        steps: found.steps,
        value: found.value,
        by,
        q: &found.q,
        v: &found.v,
        growth: found.growth,
        digits: digits(found.growth),
        plan: in_words(found.plan),
        check,
    };
    match asked.format {
        Format::Json => json_line(streams.out, &outcome)?,
        Format::Text => {
            outcome.text(layout, &mut streams.text()).map_err(|error| Error::stdout(&error))?;
        }
    }
    if found.growth > GROWTH {
        let _ = writeln!(
            streams.err,
            "warning: the motion amplifies a change of its start by {:.1e}: the gradient has {} digits, and no optimizer can follow it; \
             shorten the motion",
            found.growth, outcome.digits
        );
    }
    outcome.check.map_or(Ok(()), |check| check.verdict(&instance.name))
}

/// Refuses a method without a derivative, and names the methods of the model that have one.
pub(crate) fn differentiable(method: &'static Entry, instance: &Instance) -> Result<(), Error> {
    let Some(reason) = method.claims.no_derivative() else { return Ok(()) };
    let has_one = |name: &str| methods::find(name).is_ok_and(|entry| entry.derivative.is_some());
    let fits = methods::fits(instance).into_iter().filter(|fit| fit.fits && has_one(fit.method));
    let others = fits.map(|fit| fit.method).collect();
    Err(Error::NoDerivative { method: method.name, model: instance.name.clone(), reason, others })
}

impl Motion<'_> {
    /// J and its derivative, from this start.
    fn gradient(&self, faces: &Faces<'_>, state: &State, losses: &mut Losses) -> Result<Gradient, Error> {
        let Run { step, until, model, .. } = self.arguments;
        let setup =
            Setup { options: self.options, state: state.clone(), step: *step, seed: 0, forewarned: false };
        let motion = self.method.differentiate(faces, setup)?.until(*until);
        let motion = model.memory.into_iter().fold(motion, Differentiation::within);
        let found = motion.gradient(losses)?;
        let all = found.q.iter().chain(&found.v).chain(&found.parameters);
        if all.into_iter().any(|slope| !slope.is_finite()) {
            return Err(Error::NotFinite { model: model.name.clone(), quantity: "gradient" });
        }
        Ok(found)
    }
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
        let is_asked = |name: &str| {
            name.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
        };
        let mut is_known = false;
        for (chosen, (name, _)) in &mut all {
            let is_chosen = is_asked(name);
            *chosen |= is_chosen;
            is_known |= is_chosen;
        }
        if !is_known {
            let names = all.iter().map(|(_, (name, _))| name.clone()).collect();
            return Err(unknown("--by", &by.join(","), asked, names));
        }
    }
    Ok(all.into_iter().filter_map(|(chosen, named)| chosen.then(|| row(named))).collect())
}

/// The refusal of a name, with a near one and the first of all.
pub(crate) fn unknown(flag: &str, text: &str, name: &str, all: Names) -> Error {
    const FIRST: usize = 8;
    let hint = all.near(name);
    let more = all.0.len().saturating_sub(FIRST);
    let mut known = Names(all.0.into_iter().take(FIRST).collect());
    known.0.extend((more > 0).then(|| format!("… ({more} more)")));
    Error::UnknownNumber { place: format!("{flag} `{text}`"), name: name.to_owned(), hint, known }
}

/// The decimal digits that rounding leaves at this growth.
fn digits(growth: f64) -> u32 {
    let left = -(f64::EPSILON * growth.max(1.0)).log10();
    #[expect(clippy::cast_sign_loss, reason = "not negative")]
    let left = left.floor().max(0.0) as u32;
    left
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
        let Self { growth, digits, steps, method, step, plan, .. } = self;
        writeln!(out, "growth {growth:.1e}: {digits} digits are left")?;
        writeln!(out, "{steps} steps of {method}, step {step}; {plan}")?;
        self.check.as_ref().map_or(Ok(()), |check| check.text(out))
    }
}
