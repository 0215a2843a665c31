//! The report of a fit: the data beside the motion.

use std::path::Path;

use least_action_optimization::fit::Fitted;
use least_action_pages::document::Document;
use least_action_pages::files::replace;
use least_action_pages::plot::{Panel, panels, scattered};

use super::outcome::Outcome;
use crate::error::{Error, Result};
use crate::registry::Instance;
use crate::view;

/// Refuses a name of no page.
pub(super) fn check(path: &Path) -> Result {
    let is_page = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
    if is_page { Ok(()) } else { Err(Error::unknown_ending("--report", path, ".html")) }
}

/// Writes the page.
pub(super) fn write(path: &Path, instance: &Instance, outcome: &Outcome<'_>, found: &Fitted) -> Result {
    let mut page = Document::new(&format!("A fit of {}", instance.name));
    let [(numbers, rows), (columns, of_columns)] = outcome.tables();
    page.table(&numbers, &rows);
    let doubts = outcome.verdict.doubt.iter().cloned().chain(outcome.lower());
    page.notes(&doubts.chain(outcome.remarks()).collect::<Vec<_>>());
    if let Some((names, rows)) = outcome.of_correlations() {
        page.table(&names, &rows);
    }
    page.table(&columns, &of_columns);
    let (units, layout) = (view::units(instance), instance.system.lagrangian().layout());
    for curve in &found.curves {
        let name = &curve.column;
        let panel = |heading, axis, curves| Panel::of(heading, units.time(), axis, curves);
        let axis = units.column(layout, name);
        let mut miss = axis.clone();
        miss.name = format!("Δ {name}").into();
        // Bars of one standard deviation go on with the curve before them.
        let measured = |values: &[f64]| {
            let points = curve.times.iter().copied().zip(values.iter().copied());
            let bar = |(t, x)| [(t, x - curve.sigma), (t, x + curve.sigma), (t, f64::NAN)];
            let bars = points.clone().filter(|_| curve.sigma > 0.0).flat_map(bar);
            [("data ± σ".to_owned(), scattered(points.clone())), (String::new(), bars.collect())]
        };
        let [times, motion] = &curve.smooth;
        let smooth = times.iter().copied().zip(motion.iter().copied()).collect();
        let misses = curve.values.iter().zip(&curve.motion).map(|(value, motion)| value - motion);
        let misses: Vec<f64> = misses.collect();
        let ends = [times.first(), times.last()].into_iter().flatten();
        let zero = ("motion".to_owned(), ends.map(|time| (*time, 0.0)).collect());
        let beside = |curve, values| [curve].into_iter().chain(measured(values)).collect();
        let both = [
            panel("data and motion", axis, beside(("motion".to_owned(), smooth), &curve.values)),
            panel("data − motion", miss, beside(zero, &misses)),
        ];
        let title = format!("{name} in {}", curve.data);
        page.figure(&title, &panels(&title, &both)?);
    }
    Ok(replace("--report", path, &page.finish())?)
}
