//! The pages of a run: of its moments as they come; of a saved run, which may go on, of its recording.

use std::path::Path;

use least_action::system::State;
use least_action_pages::files;
use least_action_pages::plot;
use least_action_pages::view::{Kind, Viewer, rounded};

use super::recorder::Recorder;
use crate::arguments::Run;
use crate::error::Error;
use crate::output;
use crate::radial;
use crate::registry::Instance;
use crate::view::{self, about};

/// The pages that a run is asked for.
pub(super) fn pages(arguments: &Run) -> impl Iterator<Item = (Kind, &Path)> {
    let pages = [(Kind::Motion, &arguments.view), (Kind::Report, &arguments.report)];
    pages.into_iter().filter_map(|(kind, page)| Some((kind, page.as_deref()?)))
}

/// Begins the pages that take moments as they come.
pub(super) fn begin<'s>(
    instance: &'s Instance,
    arguments: &Run,
    measured: &[String],
) -> Result<Vec<Viewer<'s>>, Error> {
    if arguments.checkpoint.is_some() {
        // They are made of the recording in the end.
        pages(arguments).try_for_each(|(kind, page)| files::check(kind.flag(), page))?;
        return Ok(Vec::new());
    }
    pages(arguments)
        .map(|(kind, page)| {
            let units = view::units(instance).with_boltzmann(arguments.boltzmann);
            Ok(Viewer::new(kind, instance.subject(), units, measured, (kind.flag(), page))?)
        })
        .collect()
}

/// Writes the pages of a run that has ended.
pub(super) fn complete(
    instance: &Instance,
    arguments: &Run,
    recorder: &mut Recorder<'_>,
    end: (u64, f64),
    (command, start): (&str, &State),
    notes: Vec<String>,
    failure: Option<&Error>,
) -> Result<(), Error> {
    if pages(arguments).next().is_none() {
        return Ok(());
    }
    let result = result(recorder, end);
    // A run that is gone on with has the pages of an undisturbed one.
    let command = if arguments.checkpoint.is_some() { "" } else { command };
    let beginning = (command, start);
    let mut about = about::of_run(instance, arguments, beginning, result, notes, failure.map(Error::line));
    if let (Some(radial), Some(_)) = (&recorder.radial, &arguments.report) {
        about.figures.push(plot::figure(radial::panel(&radial.told(), &recorder.units))?);
    }
    if let (Some(_), Some(recording)) = (&arguments.checkpoint, &arguments.out) {
        if !recorder.is_recorded {
            // Its file is none of this run.
            return Ok(());
        }
        return pages(arguments).try_for_each(|(kind, page)| {
            view::page_of_recording(kind, instance, recording, page, about.clone())
        });
    }
    let rows = arguments.out.as_deref().filter(|out| recorder.is_recorded && output::is_table(out));
    for ((kind, page), viewer) in pages(arguments).zip(recorder.viewers.drain(..)) {
        viewer.complete(about.clone()).map_err(|error| match rows {
            Some(rows) => Error::from(error).with(&how_to_make_it(kind, page, rows)),
            None => error.into(),
        })?;
    }
    Ok(())
}

/// Words on a page for which there was no room, of a run whose rows are whole.
fn how_to_make_it(kind: Kind, page: &Path, rows: &Path) -> String {
    let command = kind.flag().trim_start_matches('-');
    format!("`{command} {} --out {}` makes it of the rows", rows.display(), page.display())
}

/// The result in words.
fn result(recorder: &Recorder<'_>, (steps, t): (u64, f64)) -> Vec<[String; 2]> {
    let mut rows = vec![["steps".to_owned(), steps.to_string()], ["t at the end".to_owned(), rounded(t)]];
    if recorder.shows_energy {
        rows.push(["energy at the end".to_owned(), rounded(recorder.energy)]);
        rows.push(["changed by".to_owned(), format!("{:.3e}", recorder.energy - recorder.initial_energy)]);
    }
    let residuals = [("max |g| at the end", recorder.residual), ("max |c| at the end", recorder.rolling)];
    for (name, residual) in residuals {
        rows.extend(residual.map(|residual| [name.to_owned(), format!("{residual:.3e}")]));
    }
    rows
}
