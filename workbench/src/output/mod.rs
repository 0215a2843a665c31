//! Trajectories on disk, row by row: a run that fails leaves its rows.

mod beside;
mod csv;
mod gltf;
mod journal;
mod json;
#[cfg_attr(not(feature = "tables"), path = "../left_out/npz.rs")]
mod npz;
#[cfg_attr(not(feature = "tables"), path = "../left_out/parquet.rs")]
mod parquet;
mod rows;
mod trajectory;
mod vtk;
mod xyz;

pub(crate) use beside::{metadata_of, read_beside, redirect, tell_beside};
pub(crate) use json::{COORDINATES, MULTIPLIER_NAMES, OBSERVED_NAMES, RUN};
pub(crate) use rows::Rows;
pub(crate) use trajectory::{Trajectory, how_to_go_on};

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use least_action::advanced::carried::{Carried, CarryError, Memory};
use least_action::files;
use least_action::system::{Layout, State};
use least_action_pages::files::Draft;
use least_action_pages::view::Scene;
use serde::Serialize;
use twox_hash::XxHash64;

use crate::error::{Error, Result};
use crate::registry::Instance;

/// One recorded instant.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row<'r> {
    pub(crate) t: f64,
    pub(crate) q: &'r [f64],
    pub(crate) v: &'r [f64],
    pub(crate) energy: f64,
    /// max |g|, for constrained models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) constraint_residual: Option<f64>,
    /// max |c|, for models with constraints on velocities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nonholonomic_residual: Option<f64>,
    /// The name of an event, in a table of moments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<&'r str>,
    /// The values of the quantities that `--observe` names.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(crate) observed: &'r [f64],
    /// λ in M q̈ = −∇V + Gᵀ λ, where the method computes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multipliers: Option<&'r [f64]>,
}

impl<'r> Row<'r> {
    /// A moment of this name, with its numbers.
    pub(crate) fn of_moment((name, state): (&'r str, &'r State), energy: f64, observed: &'r [f64]) -> Self {
        let State { t, q, v } = state;
        let (constraint_residual, nonholonomic_residual, multipliers) = (None, None, None);
        let event = Some(name);
        Self { t: *t, q, v, energy, constraint_residual, nonholonomic_residual, event, observed, multipliers }
    }

    /// All numbers of the row, in the order of [`Columns`].
    fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.t)
            .chain(self.q.iter().copied())
            .chain(self.v.iter().copied())
            .chain(std::iter::once(self.energy))
            .chain(self.constraint_residual)
            .chain(self.nonholonomic_residual)
            .chain(self.observed.iter().copied())
            .chain(self.multipliers.into_iter().flatten().copied())
    }
}

/// The names of the columns: `t`, the coordinates, their velocities as `der.` and the coordinate,
/// `energy`. Constrained models have `constraint_residual` and, of constraints on velocities,
/// `nonholonomic_residual`. The observed quantities follow, and the multipliers where the method
/// computes them: as `lambda.` and the name of the equation, of constraints on velocities as `mu.`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    names: Vec<String>,
    /// The number of coordinates.
    dimension: usize,
    /// The columns of observed quantities.
    observed: Range<usize>,
    /// Whose run it is, as a line of JSON.
    run: String,
    /// The column of a table of moments that is the place of a name; formats with texts have the name.
    named: Option<usize>,
}

impl Columns {
    /// A table of moments: the first observed column is the place of a name.
    pub(crate) fn naming(self, names: &[String]) -> Self {
        let run = serde_json::json!({ "events": names }).to_string();
        Self { named: Some(self.observed.start), run, ..self }
    }

    /// Of the run of this identity, which has these residuals.
    pub(crate) fn new(
        layout: &Layout,
        residuals: [bool; 2],
        observed: &[String],
        multipliers: &[String],
        run: &str,
    ) -> Self {
        let coordinates = || (0..layout.dimension()).map(|index| layout.name_of(index));
        let mut names = vec!["t".to_owned()];
        names.extend(coordinates());
        names.extend(coordinates().map(|name| format!("der.{name}")));
        names.push("energy".to_owned());
        names.extend(residual_names(residuals));
        let before = names.len();
        names.extend(observed.iter().cloned());
        names.extend(multipliers.iter().cloned());
        let dimension = layout.dimension();
        let (observed, run) = (before..before + observed.len(), run.to_owned());
        Self { names, dimension, observed, run, named: None }
    }
}

/// The names of the residuals of constraints, of those on positions and on velocities that there are.
pub(crate) fn residual_names(there: [bool; 2]) -> impl Iterator<Item = String> {
    let names = ["constraint_residual", "nonholonomic_residual"];
    names.into_iter().zip(there).filter(|(_, there)| *there).map(|(name, _)| name.to_owned())
}

/// A trajectory file that is being written.
pub(crate) trait Table {
    /// Appends a row.
    fn write(&mut self, row: &Row<'_>) -> io::Result<()>;

    /// Writes the rows in memory and closes the file, so that it can be read.
    fn finish(&mut self) -> io::Result<()>;

    /// Carries the end of the rows of a run that is saved, for which [`check_saved`] refuses the formats
    /// that carry nothing.
    fn carry(&mut self, _: &mut Memory<'_>) -> Result<(), CarryError> {
        Ok(())
    }

    /// Gives the file that was finished its name.
    fn complete(self: Box<Self>, draft: Draft) -> Result {
        Ok(draft.complete()?)
    }

    /// Makes a file that can be read of the rows that a checkpoint knows, where a draft is none.
    ///
    /// The rows are safe in the draft: a lack of room for the file stops nothing before the end of the
    /// run.
    fn publish(&mut self, _: &Draft) {}

    /// Makes a draft that takes nothing more readable, and says where its rows stand, if it has any.
    fn rescue(&mut self, _: &Path) -> Option<String> {
        None
    }
}

/// The formats, by the ending of the file.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Csv,
    Json,
    Parquet,
    /// Arrays of NumPy.
    Npz,
    /// Points frame by frame: extended XYZ, VTK, glTF.
    Xyz,
    Vtk,
    Gltf,
}

impl Ending {
    fn of(path: &Path) -> Result<Self> {
        if is_standard(path) {
            return Ok(Self::Csv);
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("parquet" | "npz") if cfg!(not(feature = "tables")) => {
                Err(Error::left_out(&format!("the format .{}", ending.unwrap_or_default()), "tables"))
            }
            Some("parquet") => Ok(Self::Parquet),
            Some("npz") => Ok(Self::Npz),
            Some("xyz" | "extxyz") => Ok(Self::Xyz),
            Some("pvd") => Ok(Self::Vtk),
            Some("glb") => Ok(Self::Gltf),
            _ => Err(Error::unknown_ending("--out", path, ".csv, .parquet, .json, .npz, .xyz, .pvd or .glb")),
        }
    }
}

/// True if the rows go to standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(files::STANDARD)
}

/// Refuses a file whose ending says no format.
pub(crate) fn check(path: &Path) -> Result {
    Ending::of(path).map(drop)
}

/// Refuses a file of a run that is saved now and then if it cannot be gone on with.
pub(crate) fn check_saved(path: &Path) -> Result {
    match Ending::of(path)? {
        Ending::Csv | Ending::Json | Ending::Parquet | Ending::Xyz => Ok(()),
        Ending::Npz | Ending::Vtk | Ending::Gltf => Err(Error::unknown_ending(
            "--out of a run with --checkpoint",
            path,
            ".csv, .parquet, .json or .xyz",
        )),
    }
}

/// Refuses a file for a table of moments whose ending says no format of numbers.
pub(crate) fn check_moments(path: &Path) -> Result<(), Error> {
    match Ending::of(path)? {
        Ending::Csv | Ending::Json | Ending::Parquet | Ending::Npz => Ok(()),
        Ending::Xyz | Ending::Vtk | Ending::Gltf => {
            Err(Error::unknown_ending("--events", path, ".csv, .parquet, .json or .npz"))
        }
    }
}

/// True if a file has all numbers of a run, and pages can be made of it.
pub(crate) fn is_table(path: &Path) -> bool {
    !is_standard(path) && matches!(Ending::of(path), Ok(Ending::Csv | Ending::Json | Ending::Parquet))
}

/// The points of a model that has some, for a format that knows nothing else.
fn scene<'s>(sink: &Sink, instance: &'s Instance) -> Result<Scene<'s>> {
    let scene = Scene::of(instance.subject())?;
    if scene.bodies().is_empty() {
        return Err(Error::Mistake(format!(
            "{} holds points, and `{}` has none: take .csv, .parquet or .json, or say in its `fn look` where they are",
            sink.path.display(),
            instance.name
        )));
    }
    Ok(scene)
}

/// A buffered file that knows its path, for messages.
struct Sink {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Sink {
    fn create(draft: &Draft) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, draft.handle()?);
        Ok(Self { path: draft.path().to_owned(), file })
    }

    /// Carries the end of the written rows, which are on disk when it is saved; bytes behind it are cut
    /// off when it is put back.
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { path, file } = self;
        let failed = |error: io::Error| CarryError::Beside(unwritable(path, &error).into());
        file.flush().map_err(failed)?;
        let file = file.get_mut();
        let (mut end, mut sum) =
            if memory.puts_back() { (0, 0) } else { synced_end(file).map_err(failed)? };
        end.carry(memory)?;
        sum.carry(memory)?;
        if memory.puts_back() { cut_behind(file, end, sum).map_err(failed) } else { Ok(()) }
    }

    /// The file alone, without the bytes that it did not take.
    fn cut(&mut self) -> io::Result<&mut File> {
        let empty = BufWriter::new(self.file.get_ref().try_clone()?);
        let (file, _) = std::mem::replace(&mut self.file, empty).into_parts();
        drop(file);
        Ok(self.file.get_mut())
    }

    /// Cuts the line that is not whole, and so many bytes before, and puts an end in their place.
    fn rescue(&mut self, between: u64, end: &[u8]) -> io::Result<()> {
        let file = self.cut()?;
        let mut length = file.metadata()?.len();
        let mut bytes = [0; 1 << 12];
        while length > 0 {
            let from = length.saturating_sub(bytes.len() as u64);
            let part = &mut bytes[..(length - from) as usize];
            file.seek(SeekFrom::Start(from))?;
            file.read_exact(part)?;
            match part.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => {
                    length = from + last as u64 + 1;
                    break;
                }
                None => length = from,
            }
        }
        length =
            length.checked_sub(between).filter(|length| *length > 0).ok_or(io::ErrorKind::UnexpectedEof)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        // Rows without an end can be read as well as rows that were cut.
        let _ = file.write_all(end);
        Ok(())
    }
}

/// The error of a write that failed; a reader of standard output may have seen enough.
fn unwritable(path: &Path, error: &io::Error) -> Error {
    if is_standard(path) { Error::stdout(error) } else { Error::unwritable(path.display(), error) }
}

/// The place of a file, on disk up to it, with a checksum of the last bytes before it.
fn synced_end(file: &mut File) -> io::Result<(u64, u64)> {
    let end = file.stream_position()?;
    file.sync_data()?;
    Ok((end, last_bytes(file, end)?))
}

/// Cuts a file at an end before which it has bytes of this checksum.
fn cut_behind(file: &mut File, end: u64, sum: u64) -> io::Result<()> {
    if file.metadata()?.len() < end || last_bytes(file, end)? != sum {
        return Err(io::Error::other("its rows are no rows of the saved run"));
    }
    file.set_len(end)
}

/// Words on rows that stand in a draft.
fn kept(draft: &Path) -> String {
    format!("the rows until then stand in {}", draft.display())
}

/// A checksum of the last bytes before an end, at which the file stands then.
fn last_bytes(file: &mut File, end: u64) -> io::Result<u64> {
    let length = end.min(1 << 12);
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(end - length))?;
    file.read_exact(&mut bytes)?;
    Ok(XxHash64::oneshot(0, &bytes))
}
