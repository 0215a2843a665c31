//! The report of a fit: the data beside the motion.

use std::path::Path;

use least_action_optimization::fit::Fitted;
use least_action_pages::document::Document;
use least_action_pages::files::replace;
use least_action_pages::plot::{Panel, panels, scattered};

use super::outcome::Outcome;
use crate::error::Error;
use crate::registry::Instance;
use crate::view;

/// Refuses a name of no page.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let is_page = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    if is_page { Ok(()) } else { Err(Error::unknown_ending("--report", path, ".html")) }
}

/// Writes the page.
pub(super) fn write(
    path: &Path,
    instance: &Instance,
    outcome: &Outcome<'_>,
    found: &Fitted,
) -> Result<(), Error> {
    let mut page = Document::new(&format!("A fit of {}", instance.name));
    let [(numbers, rows), (columns, of_columns)] = outcome.tables();
    page.table(&numbers, &rows);
    page.notes(&outcome.verdict.doubt.iter().cloned().chain(outcome.remarks()).collect::<Vec<_>>());
    page.table(&columns, &of_columns);
    let (units, layout) = (view::units(instance), instance.system.lagrangian().layout());
    for curve in &found.curves {
        let name = &curve.column;
        let points = |values: &[f64]| curve.times.iter().copied().zip(values.to_vec());
        let misses: Vec<f64> = curve.samples.iter().zip(&curve.motion).map(|(a, b)| b - a).collect();
        let panel = |heading, axis, curves| Panel::of(heading, units.time(), axis, curves);
        let axis = units.column(layout, name);
        let mut miss = axis.clone();
        miss.name = format!("Δ {name}").into();
        let beside = vec![
            ("data".to_owned(), scattered(points(&curve.samples))),
            ("motion".to_owned(), points(&curve.motion).collect()),
        ];
        let both = [
            panel("data and motion", axis, beside),
            panel("motion − data", miss, vec![(String::new(), scattered(points(&misses)))]),
        ];
        let title = format!("{name} in {}", curve.data);
        page.figure(&title, &panels(&title, &both)?);
    }
    Ok(replace("--report", path, &page.finish())?)
}
