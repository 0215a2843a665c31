//! `models` and `describe`: the ready models, and the properties of a model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use least_action::advanced::describe::{
    ConstraintGroup, Description, Force, ForceGroup, Part, Smoothness, TermFamily,
};
use least_action::advanced::noether::{Certainty, ConservedQuantity, Motion};
use least_action::advanced::sparse::SymmetricPattern;
use least_action::system::Natural;
use least_action_pages::plot;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::arguments::{Describe, DescribeFormat, Format, List};
use crate::error::{Error, Names, Result};
use crate::methods::{self, Advice, Fit, KINDS};
use crate::model::Erased;
use crate::parameters;
use crate::print::{Text, json_line};
use crate::registry::Registry;
use crate::streams::Streams;

/// One line of `models`.
#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    dimension: usize,
    constraints: usize,
    summary: String,
    methods: Vec<&'static str>,
    /// The kinds of these methods, a letter each.
    #[serde(skip)]
    kinds: String,
}

/// Lists the models.
pub(crate) fn models(registry: &Registry, arguments: &List, streams: &mut Streams<'_>) -> Result {
    let mut list = Vec::new();
    for name in registry.names().0 {
        let instance = registry.instance(&name, &[], u64::MAX)?;
        let description = instance.system.description();
        let fits = methods::fits_by_kind(&instance);
        list.push(Listed {
            name,
            dimension: description.dimension,
            constraints: description.equations,
            summary: description.summary(),
            methods: fits.iter().filter(|fit| fit.fits).map(|fit| fit.method).collect(),
            kinds: methods::letters(&fits),
        });
    }
    let models = BTreeMap::from([("models", &list)]);
    streams.print(arguments.format, &models, |_, out| models_text(&list, out))
}

fn models_text(list: &[Listed], out: &mut Text<'_>) -> io::Result<()> {
    let widest = list.iter().map(|model| model.name.len()).max().unwrap_or(0);
    writeln!(out, "{:widest$}     n     m  methods", "model")?;
    for Listed { name, dimension, constraints, kinds, summary, .. } in list {
        writeln!(out, "{name:widest$}  {dimension:>4}  {constraints:>4}  {kinds}")?;
        writeln!(out, "    {summary}")?;
    }
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{} {}", kind.letter, kind.words)).collect();
    writeln!(
        out,
        "\nn: degrees of freedom, m: constraint equations, both for the default parameters.\n\
         methods that fit: {}.\n\
         `describe MODEL` says more, and names them.",
        kinds.join(", ")
    )
}

/// The numbers of nonzeros that decide the cost of a step: names, words, and numbers where the model has
/// the matrix and memory for it.
#[derive(Debug)]
struct Sparsity {
    counts: [(&'static str, &'static str, Option<usize>); 10],
    /// The reason for which second derivatives were not counted.
    not_counted: Option<String>,
}

impl Serialize for Sparsity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = self.counts.iter().filter_map(|(name, _, count)| Some((*name, Value::from((*count)?))));
        let reason = self.not_counted.iter().map(|reason| ("not_counted", Value::from(&**reason)));
        serializer.collect_map(counts.chain(reason))
    }
}

impl Sparsity {
    fn of(system: &dyn Erased, description: &Description) -> Self {
        let natural = system.faces().natural;
        let entries = entries_of_elements(description);
        let refused = (entries > MOST_ENTRIES).then(|| {
            format!("their elements fill up to {entries:.1e} entries; a method that uses second derivatives finds them at its start")
        });
        let affords = refused.is_none();
        let lagrangian = system.lagrangian();
        let hessian = natural.filter(|_| affords).map(Natural::potential_pattern);
        let (constraints, forced) = (lagrangian.holonomic(), lagrangian.forced());
        let width = |pattern: &SymmetricPattern| {
            pattern.entries().map(|(row, column)| row - column).max().unwrap_or(0)
        };
        let stiff = system.faces().stiff.filter(|_| affords).map(|stiff| stiff.stiff_pattern().len());
        let jacobian = constraints.map(|rows| rows.jacobian_pattern().len());
        let nonholonomic = lagrangian.nonholonomic().map(|rows| rows.nonholonomic_pattern().len());
        let affordable = forced.filter(|forced| forced.affords_force_derivatives().is_ok());
        let force = affordable.map(|forced| forced.force_pattern().len());
        let weighted = constraints.filter(|_| affords).map(|rows| rows.weighted_pattern().len());
        let second = affords.then(|| lagrangian.second_pattern().len());
        let through = lagrangian.through_sums().filter(|_| affords);
        let bordered = through.map(|sums| sums.bordered_pattern().len() + sums.sum_pattern().len());
        let of_bordered = "the same bordered by the sums that L reads, which variational methods factor where it is sparser";
        Self {
            counts: [
                ("mass", "mass, lower triangle", natural.map(|natural| natural.mass().pattern.len())),
                ("hessian", "Hess V, lower triangle", hessian.map(SymmetricPattern::len)),
                ("hessian_half_bandwidth", "Hess V, half bandwidth", hessian.map(width)),
                ("stiff_hessian", "Hessian of the stiff part, lower triangle", stiff),
                ("jacobian", "constraint Jacobian", jacobian),
                ("nonholonomic_jacobian", "derivatives of constraints on velocities in (q, v)", nonholonomic),
                ("force_jacobian", "derivatives of forces in (q, v)", force),
                ("constraint_hessian", "weighted constraint Hessian, lower triangle", weighted),
                ("lagrangian_second", "second derivatives of L in (q, v, t), lower triangle", second),
                ("lagrangian_bordered", of_bordered, bordered),
            ],
            not_counted: refused.or_else(|| Some(forced?.affords_force_derivatives().err()?.to_string())),
        }
    }
}

/// Entries of elements that are counted within a second or two.
const MOST_ENTRIES: f64 = 2e7;

/// The entries that the elements of all families fill at most in matrices of second derivatives.
fn entries_of_elements(description: &Description) -> f64 {
    let constraints = description.constraints.iter().flat_map(|group| &group.families);
    let families = description.families.iter().chain(constraints);
    families
        .map(|family| family.elements as f64 * (family.variables * (family.variables + 1) / 2) as f64)
        .sum()
}

/// Everything that `describe` says.
#[derive(Debug, Serialize)]
struct Report {
    name: String,
    #[serde(flatten)]
    description: Description,
    parameters: Map<String, Value>,
    sparsity: Sparsity,
    methods: Vec<Fit>,
    /// The advice which of the methods to take.
    take: Vec<&'static Advice>,
}

/// Describes one model.
pub(crate) fn describe(registry: &Registry, arguments: &Describe, streams: &mut Streams<'_>) -> Result {
    let instance = parameters::bind(registry, &arguments.model)?;
    let system = &*instance.system;
    let description = system.description();
    let methods = methods::fits(&instance);
    let report = Report {
        name: instance.name.clone(),
        sparsity: Sparsity::of(system, &description),
        description,
        parameters: system.parameters(),
        take: Advice::on(system, &methods),
        methods,
    };
    if let Some(path) = &arguments.plot {
        plot::check_ending(path)?;
        instance.apart(&arguments.model.params, &[("--plot", path)])?;
        system.lagrangian().affords_second_derivatives()?;
        plot::write_pattern(path, &instance.name, system.lagrangian(), system.faces().natural)?;
    }
    match arguments.format {
        DescribeFormat::Json => json_line(streams.out, &report),
        DescribeFormat::Text => streams.print(Format::Text, &report, describe_text),
        DescribeFormat::Latex => streams
            .out
            .write_all(report.description.formulas.align().as_bytes())
            .map_err(|error| Error::stdout(&error)),
    }
}

fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default()
}

fn describe_text(report: &Report, out: &mut Text<'_>) -> io::Result<()> {
    let Report { name, description, parameters, sparsity, methods, take } = report;
    writeln!(out, "{name} ({})", description.model)?;
    for paragraph in description.documentation.split("\n\n") {
        match paragraph.split_once('\n').filter(|_| paragraph.starts_with('#')) {
            Some((heading, rest)) => {
                writeln!(out, "    {}: {}", heading.trim_start_matches(['#', ' ']), rest.replace('\n', " "))?;
            }
            // Lists and tables keep their lines.
            None if paragraph.lines().any(|line| line.starts_with(['*', '-', '|', '`'])) => {
                paragraph.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
            }
            None => writeln!(out, "    {}", paragraph.replace('\n', " "))?,
        }
    }
    advise(take, out)?;
    list_methods(methods, out)?;
    if !parameters.is_empty() {
        writeln!(out, "\nParameters (--set NAME=VALUE)")?;
        let rows = parameters::shown(parameters).into_iter().map(|[name, value]| {
            let comment = description.fields.get(&*name).map_or("", |text| first_paragraph(text));
            vec![name, value, comment.replace('\n', " ")]
        });
        out.indented(4, &rows.collect::<Vec<_>>())?;
    }
    coordinates(description, out)?;
    structure(description, out)?;
    conserved(description, out)?;
    families(&format!("Families of L = {}", split(description)), &description.families, out)?;
    for group in &description.sums {
        let numbers = if group.equations == 1 { "number" } else { "numbers" };
        families(&format!("Sum {}: {} {numbers}", group.name, group.equations), &group.families, out)?;
    }
    let constraints = description.constraints.iter().map(|group| ("Constraint", group));
    let nonholonomic = description.nonholonomic.iter().map(|group| ("Constraint on velocities", group));
    for (sort, group) in constraints.chain(nonholonomic) {
        let kept = match &group.kept_components {
            Some(kept) => {
                format!(", {} of the 9 components of each matrix: the others repeat them", kept.len())
            }
            None => String::new(),
        };
        let title = format!("{sort} {}: {} equations{kept}", group.name, group.equations);
        families(&title, &group.families, out)?;
        if let Some(note) = derivatives_of_positions(group) {
            writeln!(out, "    note: {note}")?;
        }
    }
    let events = description.events.iter().map(|group| ("Event", group));
    for (sort, group) in events.chain(description.gaps.iter().map(|group| ("Gap", group))) {
        let numbers = if group.equations == 1 { "number" } else { "numbers" };
        families(&format!("{sort} {}: {} {numbers}", group.name, group.equations), &group.families, out)?;
    }
    for group in &description.forces {
        let title = match &group.coordinate {
            Some(coordinate) => format!("Force {} on {coordinate}", group.name),
            None => format!("Force of the dissipation {}", group.name),
        };
        families(&title, &group.families, out)?;
    }
    writeln!(out, "\nNonzeros")?;
    for (_, label, count) in sparsity.counts {
        count.map_or(Ok(()), |count| writeln!(out, "    {count:>10}  {label}"))?;
    }
    if let Some(reason) = &sparsity.not_counted {
        writeln!(out, "    second derivatives are not counted: {reason}")?;
    }
    Ok(())
}

/// The methods to take, and why.
fn advise(take: &[&'static Advice], out: &mut Text<'_>) -> io::Result<()> {
    writeln!(out, "\nTake")?;
    take.iter().try_for_each(|advice| {
        let Advice { system, because, .. } = advice;
        writeln!(out, "    for {system}: {}\n        because: {because}", advice.take())
    })
}

/// The methods that fit, and each reason for which others do not, once.
fn list_methods(methods: &[Fit], out: &mut Text<'_>) -> io::Result<()> {
    writeln!(out, "\nMethods")?;
    for Fit { method, order, keeps, note, .. } in methods.iter().filter(|fit| fit.fits) {
        let keeps = if keeps.is_empty() { String::new() } else { format!(", keeps {}", keeps.join(", ")) };
        let note = note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
        writeln!(out, "    {method}: order {order}{keeps}{note}")?;
    }
    let others = methods.iter().filter(|fit| !fit.fits);
    let reasons = methods::by_reason(others.map(|fit| (fit.method, fit.note.as_deref().unwrap_or_default())));
    reasons.into_iter().try_for_each(|(reason, names)| writeln!(out, "    not {names}: {reason}"))
}

/// The equations on velocities that say the same of positions, in a sentence.
fn derivatives_of_positions(group: &ConstraintGroup) -> Option<String> {
    let ConstraintGroup { name, equations, derivatives_of_positions: rows, .. } = group;
    let (them, is, position) = match rows[..] {
        [] => return None,
        [_] if *equations == 1 => (format!("`{name}`"), "is the derivative", "that position"),
        [row] => (format!("`{name}[{row}]`"), "is the derivative", "that position"),
        _ if rows.len() == *equations => {
            (format!("all rows of `{name}`"), "are derivatives", "the positions")
        }
        _ => {
            let rows = rows.iter().take(8).map(|row| format!("{name}[{row}]"));
            (rows.collect::<Names>().to_string(), "are derivatives", "the positions")
        }
    };
    let of = if is == "is the derivative" { "of a position" } else { "of positions" };
    Some(format!("{them} {is} {of}; #[holonomic] would keep {position}"))
}

fn coordinates(description: &Description, out: &mut Text<'_>) -> io::Result<()> {
    writeln!(out, "\nCoordinates: n = {} degrees of freedom", description.dimension)?;
    let rows = description.coordinates.iter().map(|group| {
        let lengths = group.lengths.iter().fold(String::new(), |text, length| format!("{text}[{length}]"));
        let end = group.offset + group.size();
        vec![
            format!("{}{lengths}", group.name),
            format!("{:?}", group.kind),
            format!("q[{}..{end}]", group.offset),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    out.indented(4, &rows)
}

fn structure(description: &Description, out: &mut Text<'_>) -> io::Result<()> {
    let structure = &description.structure;
    let listed = |names: &[Cow<'static, str>]| names.iter().cloned().collect::<Names>();
    let shape = if structure.mass_diagonal { "diagonal" } else { "not diagonal" };
    let mass = methods::varying_mass(&structure.mass)
        .map_or_else(|| format!("constant, {shape}"), |varies| format!("{varies}; {shape}"));
    let force = match &structure.force {
        Force::PositionOnly => "does not depend on velocity".to_owned(),
        Force::DependsOn(names) => format!("depends on the velocity of {}", listed(names)),
        Force::Unproven(names) => {
            format!("could not be shown to be free of the velocity of {}", listed(names))
        }
    };
    let reads_velocity = |group: &&ForceGroup| {
        group.families.iter().any(|family| family.gathers.iter().any(|read| read.starts_with("der(")))
    };
    let damped: Names =
        description.forces.iter().filter(reads_velocity).map(|group| group.name.clone()).collect();
    let force = match (damped.0.is_empty(), &structure.force) {
        (true, _) => force,
        (false, Force::PositionOnly) => format!("depends on velocity through {damped}"),
        (false, _) => format!("{force}; and on velocity through {damped}"),
    };
    let time = match (structure.time_dependent, structure.even_in_phase) {
        (_, Some(true)) => "explicit, through a fast phase in which the motion is even",
        (_, Some(false)) => "explicit, through a fast phase",
        (true, None) => "explicit",
        (false, None) => "none",
    };
    writeln!(out, "\nStructure")?;
    let rows = [
        vec!["mass".to_owned(), mass],
        vec!["force".to_owned(), force],
        vec!["dependence on time".to_owned(), time.to_owned()],
        vec!["constraint equations".to_owned(), format!("m = {}", description.equations)],
    ];
    out.indented(4, &rows)
}

/// The parts of L that the model has.
fn split(description: &Description) -> String {
    let has = |part: Part| description.families.iter().any(|family| family.part == part);
    let parts = [Part::Kinetic, Part::General, Part::Potential, Part::Stiff];
    let mut text = String::new();
    for part in parts.into_iter().filter(|part| has(*part)) {
        let subtracted = matches!(part, Part::Potential | Part::Stiff);
        text.push_str(match (subtracted, text.is_empty()) {
            (true, true) => "−",
            (true, false) => " − ",
            (false, true) => "",
            (false, false) => " + ",
        });
        text.push_str(name_of(part));
    }
    text
}

fn name_of(part: Part) -> &'static str {
    match part {
        Part::Kinetic => "kinetic",
        Part::General => "general",
        Part::Potential => "potential",
        Part::Stiff => "stiff",
        Part::Sum => "sum",
        Part::Constraint => "constraint",
        Part::Force => "force",
    }
}

/// Symmetries, and the quantities that they conserve, or leave to forces and constraints on velocities.
fn conserved(description: &Description, out: &mut Text<'_>) -> io::Result<()> {
    writeln!(out, "\nConserved, for all parameters")?;
    if description.conserved.is_empty() {
        writeln!(out, "    nothing was found")?;
    }
    quantities(&description.conserved, out)?;
    if description.balanced.is_empty() {
        return Ok(());
    }
    let forces = (!description.forces.is_empty()).then_some("F·ξ");
    let rows = (!description.nonholonomic.is_empty()).then_some("μ·A ξ");
    let terms: Vec<&str> = forces.into_iter().chain(rows).collect();
    let is_energy = |quantity: &ConservedQuantity| quantity.motion == Motion::Time;
    let of_energy =
        if description.balanced.iter().any(is_energy) { ", with ξ = v for the energy" } else { "" };
    writeln!(out, "\nBalanced, for all parameters: dJ/dt = {}{of_energy}", terms.join(" + "))?;
    quantities(&description.balanced, out)
}

fn quantities(quantities: &[ConservedQuantity], out: &mut Text<'_>) -> io::Result<()> {
    let rows = quantities.iter().map(|quantity| {
        let certainty = match quantity.certainty {
            Certainty::Proven => "proven",
            Certainty::Numerical => "not proven, but no point was found where it fails",
        };
        let ConservedQuantity { name, symmetry, formula, unit, .. } = quantity;
        let unit = format!("[{unit}]");
        [name, formula, unit.as_str(), symmetry, certainty].map(str::to_owned).to_vec()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    out.indented(4, &rows)
}

fn families(title: &str, families: &[TermFamily], out: &mut Text<'_>) -> io::Result<()> {
    if families.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for family in families {
        let TermFamily { name, elements, variables, operations: counts, expression, .. } = family;
        let part = name_of(family.part);
        let of = if *elements == 1 { "element" } else { "elements" };
        let in_them = if *variables == 1 { "variable" } else { "variables" };
        writeln!(out, "    {name}: {expression}")?;
        writeln!(
            out,
            "        {part}, {elements} {of} of {variables} {in_them}, reads {}",
            family.gathers.join(" ")
        )?;
        writeln!(
            out,
            "        operations: value {}, gradient {}, Hessian {}, third {}",
            counts.value, counts.gradient, counts.hessian, counts.third
        )?;
        match family.smoothness {
            Smoothness::Smooth => {}
            Smoothness::Times(0) => writeln!(out, "        continuous, its derivative need not be")?,
            Smoothness::Times(1) => writeln!(out, "        once continuously differentiable")?,
            Smoothness::Times(order) => {
                writeln!(out, "        {order} times continuously differentiable")?;
            }
            Smoothness::Unknown => writeln!(out, "        its branches could not be shown to meet")?,
        }
        if let Some(range) = &family.range {
            writeln!(out, "        {range}")?;
        }
    }
    Ok(())
}
