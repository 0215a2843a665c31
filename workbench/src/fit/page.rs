//! The report of a fit: the data beside the motion.

use std::path::Path;

use least_action_optimization::fit::Fitted;
use least_action_pages::document::Document;
use least_action_pages::files::replace;
use least_action_pages::plot::{Axis, Panel, panels};

use super::outcome::Outcome;
use crate::error::Error;
use crate::registry::Instance;
use crate::view;

/// Writes the page.
pub(super) fn write(
    path: &Path,
    instance: &Instance,
    outcome: &Outcome<'_>,
    found: &Fitted,
) -> Result<(), Error> {
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("html")) {
        return Err(Error::unknown_ending("--report", path, ".html"));
    }
    let mut page = Document::new(&format!("A fit of {}", instance.name));
    let [(numbers, rows), (columns, of_columns)] = outcome.tables();
    page.table(&numbers, &rows);
    page.notes(&outcome.remarks());
    page.table(&columns, &of_columns);
    let units = view::units(instance);
    for curve in &found.curves {
        let points = |values: &mut dyn Iterator<Item = f64>| {
            curve.times.iter().copied().zip(values).collect::<Vec<_>>()
        };
        let misses = || curve.samples.iter().zip(&curve.motion).map(|(sample, motion)| motion - sample);
        let panel = |heading: &str, axis: String, curves| Panel {
            heading: heading.to_owned(),
            along: units.time(),
            axis: Axis::number(axis),
            curves,
        };
        let name = &curve.column;
        let beside = vec![
            ("data".to_owned(), points(&mut curve.samples.iter().copied())),
            ("motion".to_owned(), points(&mut curve.motion.iter().copied())),
        ];
        let both = [
            panel("data and motion", name.clone(), beside),
            panel("motion − data", format!("Δ {name}"), vec![(String::new(), points(&mut misses()))]),
        ];
        let title = format!("{name} in {}", curve.data);
        page.figure(&title, &panels(&title, &both)?);
    }
    Ok(replace("--report", path, &page.finish())?)
}
