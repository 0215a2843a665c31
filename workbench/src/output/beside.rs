//! The identity of a run in a file of metadata beside its CSV file, where the standard looks for one;
//! and recordings that go on elsewhere.
//!
//! A line of its own in the CSV file would be a row to most of its readers.
//!
//! # Reference
//! W3C, *Model for Tabular Data and Metadata on the Web* (2015), §5.3: the metadata of `run.csv` stand
//! in `run.csv-metadata.json`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use least_action::files::{self, beside, followed};
use least_action_pages::files::{read_text, replace};
use serde_json::{Value, json};

use super::{Ending, last_bytes, unwritable};
use crate::error::{Error, Result};
use crate::identity::written;
use crate::places::KEY;

/// The file of metadata that is written beside an output, if one is.
pub(crate) fn metadata_of(path: &Path) -> Option<PathBuf> {
    let is_csv = !super::is_standard(path) && matches!(Ending::of(path), Ok(Ending::Csv));
    is_csv.then(|| metadata(path))
}

fn metadata(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-metadata.json");
    path.with_file_name(name)
}

/// The number of bytes of a file, and a checksum of the last of them: metadata of a file that was
/// replaced are told by it.
fn sign(path: &Path) -> std::io::Result<Value> {
    let mut file = files::open(path)?;
    let bytes = file.metadata()?.len();
    Ok(json!({ "bytes": bytes, "end": written(last_bytes(&mut file, bytes)?) }))
}

/// Says whose run a file has that is complete.
pub(crate) fn tell_beside(path: &Path, run: &str) -> Result {
    if !matches!(Ending::of(path), Ok(Ending::Csv)) || !path.is_file() {
        return Ok(());
    }
    let sign = sign(path).map_err(|error| unwritable(path, &error))?;
    let run: Value = serde_json::from_str(run).unwrap_or_default();
    let url = path.file_name().unwrap_or_default().to_string_lossy();
    let told = json!({
        "@context": "http://www.w3.org/ns/csvw",
        "url": url,
        KEY: { "file": sign, "run": run },
    });
    Ok(replace("--out", &metadata(path), &format!("{told}\n"))?)
}

/// Whose run a CSV file has.
///
/// # Errors
/// The metadata beside it belong to another file, in words.
pub(crate) fn read_beside(path: &Path) -> Result<Option<String>, String> {
    let beside = metadata(path);
    if !beside.is_file() {
        return Ok(None);
    }
    let told = read_text(&beside).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(own) = told.as_ref().and_then(|told| told.get(KEY)) else { return Ok(None) };
    if sign(path).ok().as_ref() == own.get("file") {
        return Ok(own.get("run").map(Value::to_string));
    }
    Err(format!("{} is of another file of this name, or of this one before it was changed", beside.display()))
}

/// Copies the rows of a run that goes on with its recording elsewhere, unless they stand there already.
pub(crate) fn redirect(from: &Path, to: &Path) -> Result {
    // Drafts stand beside the files to which links lead.
    let [old, new] = [from, to].map(followed);
    if new.exists() || beside(&new).exists() {
        return Ok(());
    }
    // The rows of a run that was stopped stand in its draft.
    let (rows, place) = match beside(&old) {
        draft if draft.exists() => (draft, beside(&new)),
        _ => (old, new),
    };
    let copy = beside(&place);
    let copied = File::create(&copy).and_then(|mut file| files::copy(&rows, &mut file));
    let copied = copied.and_then(|()| fs::rename(&copy, &place));
    copied.map_err(|error| {
        let _ = fs::remove_file(&copy);
        let reason = format!("{error}; a run that goes on needs its earlier rows");
        Error::unreadable(from, &reason)
    })
}
