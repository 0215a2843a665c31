//! `report` of an ensemble: its results over the axes of its plan, and the bundle of its paths.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use least_action_pages::document::Document;
use least_action_pages::files::replace;
use least_action_pages::plot::{self, Axis, Figure, Panel, Units, bounds, commented, scattered, spread};
use least_action_pages::view::rounded;

use super::dataset::MANIFEST;
use super::digest;
use super::manifest::Manifest;
use crate::arguments::View;
use crate::columnar::table::{self, Cell, Columns, Kind};
use crate::error::{Error, Result};
use crate::memory;
use crate::registry::{Instance, Registry};
use crate::streams::Streams;
use crate::view::{self, about};

/// The results that are drawn, each over so many axes at most, and the members of a bundle.
const RESULTS: usize = 6;
const AXES: usize = 2;
const BUNDLE: usize = 48;

/// The names of quantities with their values, a number for each member.
type Table = Vec<(String, Vec<f64>)>;
/// The points of a coordinate by member.
type Curves = BTreeMap<u64, Vec<(f64, f64)>>;

/// Makes the page.
pub(crate) fn report(registry: &Registry, arguments: &View, streams: &Streams<'_>) -> Result {
    view::check_page(arguments)?;
    let folder = &arguments.file;
    let manifest: Manifest = serde_json::from_value(view::manifest(folder)?)
        .map_err(|error| Error::malformed(&folder.join(MANIFEST), error))?;
    let plan = &manifest.plan;
    let set: Vec<_> = plan.set.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    // Without its model an ensemble has its numbers.
    let instance = registry.instance(&plan.model, &set, memory::available()).ok();
    let named = |name: &str| manifest.columns.iter().position(|(column, _)| column == name).unwrap_or(0);
    let (seed, error, t) = (named("seed"), named("error"), named("t"));
    let (mut numbers, mut failed) = (vec![Vec::new(); manifest.columns.len()], 0);
    for_each_row(&folder.join("members"), |row| {
        failed += usize::from(row[error] != Cell::None);
        row.iter().zip(&mut numbers).for_each(|(cell, column)| column.push(number(cell)));
    })?;
    let mut table: Table = manifest.columns.iter().map(|(name, _)| name.clone()).zip(numbers).collect();
    let is_digest = |name: &str| digest::NAMES.iter().any(|of| name.ends_with(&format!(".{of}")));
    let is_result = |(name, _): &(String, Vec<f64>)| {
        !name.starts_with("der.") && !name.ends_with("_residual") && !is_digest(name)
    };
    let results: Table = table.split_off(t + 1).into_iter().filter(is_result).collect();
    let varies = |values: &[f64]| values.iter().any(|value| value.total_cmp(&values[0]).is_ne());
    let is_axis = |(place, (_, values)): &(usize, (String, Vec<f64>))| {
        manifest.columns[*place].1 == Kind::Number && varies(values)
    };
    table.truncate(seed);
    let axes: Table = table.into_iter().enumerate().filter(is_axis).map(|(_, column)| column).collect();

    let mut page = Document::new(&format!("An ensemble of {}", plan.model));
    page.documentation(&instance.as_ref().map_or_else(String::new, |one| one.system.description().summary()));
    let done = results.first().map_or(0, |(_, values)| values.len());
    let row = |name: &str, value: String| [name.to_owned(), value];
    let mut rows = vec![
        row("members", format!("{done} of {}", manifest.members)),
        row("failed", failed.to_string()),
        row("method", plan.method.clone().unwrap_or_default()),
        row("step", plan.step.map_or_else(String::new, |step| format!("{step:?}"))),
    ];
    rows.extend(plan.until.map(|until| row("until", format!("{until:?}"))));
    rows.push(row("done by", manifest.program.clone()));
    page.facts(&[about::section("Plan", rows), about::made_by(&streams.command)]);
    let of = |(name, values): &(String, Vec<f64>)| {
        let known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let (low, high) = bounds(known.iter().copied());
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let numbers = [low, mean, high].map(|x| if known.is_empty() { "–".to_owned() } else { rounded(x) });
        [vec![axis(name, instance.as_ref()).to_string()], numbers.into()].concat()
    };
    page.table(&["", "least", "mean", "largest"], &axes.iter().chain(&results).map(of).collect::<Vec<_>>());
    let is_grid = [plan.list.is_some(), plan.table.is_some(), plan.random.is_some()] == [false; 3];
    let mut figures = Vec::new();
    for k in spread(results.len(), RESULTS) {
        figures.extend(figures_of(&results[k], &axes, is_grid, instance.as_ref())?);
    }
    if plan.path {
        figures.extend(bundle(folder, &manifest, instance.as_ref())?);
    }
    figures.iter().for_each(|Figure { heading, svg }| page.figure(heading, svg));
    Ok(replace("--out", &arguments.out, &page.finish())?)
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Number(number) => *number,
        Cell::Integer(number) => *number as f64,
        _ => f64::NAN,
    }
}

/// Shows the rows of the files in a folder, in the order of their members.
fn for_each_row(folder: &Path, mut show: impl FnMut(Vec<Cell>)) -> Result {
    let entries = fs::read_dir(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let is_whole =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "parquet" || ending == "done");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_whole).collect();
    files.sort_unstable();
    files.iter().try_for_each(|file| table::read(file).map(|rows| rows.into_iter().for_each(&mut show)))
}

/// The axis of a column, whose unit a comment of the model's author tells.
fn axis(name: &str, instance: Option<&Instance>) -> Axis {
    let Some(instance) = instance else { return Axis::number(name.to_owned()) };
    let of = |name: &str| view::units(instance).column(instance.system.lagrangian().layout(), name);
    match (name.strip_prefix("set."), name.strip_prefix("start.")) {
        (Some(parameter), _) => {
            let field = parameter.split('[').next().unwrap_or(parameter);
            let fields = instance.system.description().fields;
            Axis::in_unit(name, fields.get(field).and_then(|comment| commented(comment)))
        }
        (_, Some(place)) => of(place).called(name.to_owned()),
        _ => of(name),
    }
}

/// A result over the axes: over two axes of a grid by colours, else over each by points.
fn figures_of(
    (name, values): &(String, Vec<f64>),
    axes: &Table,
    is_grid: bool,
    instance: Option<&Instance>,
) -> Result<Vec<Figure>> {
    let own = axis(name, instance);
    if let ([(x, along), (y, up)], true) = (&axes[..], is_grid) {
        let cells: Vec<[f64; 3]> =
            along.iter().zip(up).zip(values).map(|((x, y), value)| [*x, *y, *value]).collect();
        let of = [axis(x, instance), axis(y, instance)];
        return Ok(vec![plot::heat(&format!("{own} at the end"), of.each_ref(), &cells)?]);
    }
    let over = |(x, along): &(String, Vec<f64>)| {
        let points = along.iter().copied().zip(values.iter().copied());
        let points = if is_grid && axes.len() == 1 { points.collect() } else { scattered(points) };
        let heading = format!("{name} at the end");
        Ok(plot::figure(Panel::of(&heading, axis(x, instance), own.clone(), vec![(String::new(), points)]))?)
    };
    axes.iter().take(AXES).map(over).collect()
}

/// The coordinates of some members over time.
fn bundle(folder: &Path, manifest: &Manifest, instance: Option<&Instance>) -> Result<Vec<Figure>> {
    let columns: &Columns = &manifest.path_columns;
    let is_shown = |k: &usize| !columns[*k].0.starts_with("der.") && !columns[*k].0.ends_with("_residual");
    let others: Vec<usize> = (2..columns.len()).filter(is_shown).collect();
    let shown: Vec<usize> = spread(others.len(), RESULTS).map(|k| others[k]).collect();
    let members: Vec<u64> = spread(manifest.members as usize, BUNDLE).map(|member| member as u64).collect();
    let mut curves = vec![Curves::new(); shown.len()];
    for_each_row(&folder.join("_path"), |row| {
        let (member, t) = (number(&row[0]) as u64, number(&row[1]));
        if members.binary_search(&member).is_ok() {
            for (curves, k) in curves.iter_mut().zip(&shown) {
                curves.entry(member).or_default().push((t, number(&row[*k])));
            }
        }
    })?;
    let time = instance.map_or_else(Units::default, view::units).time();
    let figure = |(curves, k): (Curves, &usize)| {
        let name = &columns[*k].0;
        let heading = format!("{name} of {} members", curves.len());
        let curves = curves.into_values().map(|points| (String::new(), points)).collect();
        Ok(plot::figure(Panel::of(&heading, time.clone(), axis(name, instance), curves))?)
    };
    curves.into_iter().zip(&shown).map(figure).collect()
}
