//! The page of a run: of its moments as they come, or, where it is saved and may be gone on with, of its recording.

use std::path::{Path, PathBuf};

use super::recorder::Recorder;
use crate::arguments::Run;
use crate::error::Error;
use crate::files;
use crate::registry::Instance;
use crate::view::{self, About, Viewer};

/// Begins a page that takes moments as they come.
pub(super) fn begin<'s>(
    instance: &'s Instance,
    arguments: &Run,
    measured: &[String],
) -> Result<Option<Viewer<'s>>, Error> {
    let Run { view: Some(page), checkpoint, start, model, .. } = arguments else { return Ok(None) };
    if checkpoint.is_some() {
        // It is made of the recording in the end.
        return files::check("--view", page).map(|()| None);
    }
    let inputs: Vec<&Path> = [&model.params, start].into_iter().flatten().map(PathBuf::as_path).collect();
    Viewer::new(instance, measured, page, &inputs).map(Some)
}

/// Writes the page of a run that has ended, if one was asked for.
pub(super) fn complete(
    instance: &Instance,
    arguments: &Run,
    recorder: &mut Recorder<'_>,
    end: (u64, f64),
    notes: Vec<String>,
    failure: Option<&Error>,
) -> Result<(), Error> {
    let Some(page) = &arguments.view else { return Ok(()) };
    let about = About::of_run(instance, arguments, result(recorder, end), notes, failure.map(Error::line));
    match (recorder.viewer.take(), &arguments.out) {
        (Some(viewer), _) => viewer.complete(about),
        (None, Some(recording)) => view::page_of_recording(instance, recording, page, about),
        (None, None) => Err(Error::ViewWithoutRecording),
    }
}

/// The result in words.
fn result(recorder: &Recorder<'_>, (steps, t): (u64, f64)) -> Vec<[String; 2]> {
    let mut rows = vec![["steps".to_owned(), steps.to_string()], ["t at the end".to_owned(), t.to_string()]];
    rows.push(["energy at the end".to_owned(), format!("{:?}", rounded(recorder.energy))]);
    rows.push(["changed by".to_owned(), format!("{:.3e}", recorder.energy - recorder.initial_energy)]);
    let residuals = [("max |g| at the end", recorder.residual), ("max |c| at the end", recorder.rolling)];
    for (name, residual) in residuals {
        rows.extend(residual.map(|residual| [name.to_owned(), format!("{residual:.3e}")]));
    }
    rows
}

/// To ten digits, which fit into the panel.
fn rounded(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}
