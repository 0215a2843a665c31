//! VTK: a file of points and cells for each frame, and a `.pvd` file with their times, as ParaView and
//! PyVista read them.
//!
//! `run.pvd` has its frames in the folder `run`. Points are all points of a picture; cells are bodies,
//! rods, springs and triangles, and of boxes three half axes. Arrays are inline, as base64 behind their
//! length.
//!
//! # Reference
//! VTK file formats, <https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html>.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use least_action::files;
use least_action_pages::files::Draft;
use least_action_pages::view::{Drawn, GroupKind, Moment, Scene};

use super::{Columns, Row, Sink, Table, unwritable};
use crate::error::{Error, Result};
use crate::registry::Instance;

/// The numbers of VTK for a point, a line and a triangle.
const POINT: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;

pub(super) struct Vtk<'s> {
    sink: Sink,
    scene: Scene<'s>,
    /// The folder while it is filled, the folder that it becomes, and its name.
    partial: PathBuf,
    folder: PathBuf,
    name: String,
    /// The cells and the groups of the points, the same in all frames.
    cells: String,
    count: usize,
    groups: String,
    frames: u64,
    closed: bool,
    /// True if the frames stay where they are.
    is_kept: bool,
    places: Vec<f64>,
    rates: Vec<f64>,
}

impl<'s> Vtk<'s> {
    pub(super) fn create(
        mut sink: Sink,
        columns: &Columns,
        target: &Path,
        instance: &'s Instance,
    ) -> Result<Self> {
        let scene = super::scene(&sink, instance)?;
        let folder = target.with_extension("");
        let refuse = |reason: String| Error::uncreatable(&folder, &reason);
        if folder.exists() {
            let entries = fs::read_dir(&folder).map_err(|error| refuse(error.to_string()))?;
            if entries.flatten().any(|entry| !is_frame(&entry.path())) {
                return Err(refuse(
                    "it is to hold the frames of the .pvd file, and holds other files; choose another name"
                        .to_owned(),
                ));
            }
        }
        let (partial, old) = (files::beside(&folder), files::with_ending(&folder, "replaced"));
        let prepare = || {
            // A process that was killed has left them.
            if partial.exists() {
                clear(&partial)?;
            }
            if old.exists() {
                if folder.exists() { clear(&old)? } else { fs::rename(&old, &folder)? }
            }
            fs::create_dir(&partial)
        };
        prepare().map_err(|error| refuse(error.to_string()))?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (cells, count) = cells(&scene.drawn);
        let groups = groups(&scene.drawn);
        // Two hyphens would end a comment; JSON has another way to write them, in words alone.
        let run = columns.run.replace("--", "-\\u002d");
        let head = format!(
            "<?xml version=\"1.0\"?>\n<!-- run {run} -->\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n"
        );
        sink.file.write_all(head.as_bytes()).map_err(|error| unwritable(&sink.path, &error))?;
        Ok(Self {
            sink,
            scene,
            partial,
            folder,
            name,
            cells,
            count,
            groups,
            frames: 0,
            closed: false,
            is_kept: false,
            places: Vec::new(),
            rates: Vec::new(),
        })
    }

    /// Gives the folder its name; the frames of an older one go when the new one has it.
    fn publish(&self) -> io::Result<()> {
        let old = files::with_ending(&self.folder, "replaced");
        if self.folder.exists() {
            fs::rename(&self.folder, &old)?;
        }
        fs::rename(&self.partial, &self.folder).inspect_err(|_| {
            let _ = fs::rename(&old, &self.folder);
        })?;
        if old.exists() { clear(&old) } else { Ok(()) }
    }
}

fn frame_name(number: u64) -> String {
    format!("frame-{number:06}.vtu")
}

fn is_frame(path: &Path) -> bool {
    path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        name.starts_with("frame-") && name.ends_with(".vtu")
    })
}

/// Removes a folder of frames.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_frame(&path) {
            fs::remove_file(path)?;
        }
    }
    fs::remove_dir(folder)
}

fn bytes<T: Copy, const N: usize>(numbers: &[T], of: fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|number| of(*number)).collect()
}

/// An array: its name, the kind of its numbers, the components of a tuple and the number of tuples,
/// where its surroundings do not tell them.
fn array(name: &str, kind: &str, components: usize, tuples: usize, bytes: &[u8]) -> String {
    let mut text = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
    // A String takes every text.
    let _ = match (components, tuples) {
        (0, 0) => Ok(()),
        (0, tuples) => write!(text, " NumberOfTuples=\"{tuples}\""),
        (components, _) => write!(text, " NumberOfComponents=\"{components}\""),
    };
    text.push_str(" format=\"binary\">");
    let whole = [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    STANDARD.encode_string(whole, &mut text);
    text.push_str("</DataArray>\n");
    text
}

/// The cells of a scene.
fn cells(drawn: &Drawn) -> (String, usize) {
    let (mut connectivity, mut offsets, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |kind: u8, points: &[usize]| {
        connectivity.extend(points.iter().map(|point| *point as i64));
        offsets.push(connectivity.len() as i64);
        kinds.push(kind);
    };
    for group in drawn.groups.iter().filter(|group| group.kind != GroupKind::Hidden) {
        (group.first..group.first + group.count).for_each(|point| add(POINT, &[point]));
    }
    drawn.rods.iter().chain(&drawn.springs).for_each(|ends| add(LINE, ends));
    drawn.faces.iter().for_each(|face| add(TRIANGLE, face));
    for turned in &drawn.boxes {
        (turned.faces..turned.faces + 3).for_each(|tip| add(LINE, &[turned.centre, tip]));
    }
    let text = format!(
        "<Cells>\n{}{}{}</Cells>\n",
        array("connectivity", "Int64", 0, 0, &bytes(&connectivity, i64::to_le_bytes)),
        array("offsets", "Int64", 0, 0, &bytes(&offsets, i64::to_le_bytes)),
        array("types", "UInt8", 0, 0, &kinds),
    );
    (text, kinds.len())
}

/// The number of the group of each point.
fn groups(drawn: &Drawn) -> String {
    let numbers =
        drawn.groups.iter().enumerate().flat_map(|(k, group)| std::iter::repeat_n(k as i64, group.count));
    array("group", "Int64", 0, 0, &bytes(&numbers.collect::<Vec<_>>(), i64::to_le_bytes))
}

impl Table for Vtk<'_> {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        let dimension = self.scene.drawn.dimension;
        self.scene.place(row.q, row.t, &mut self.places);
        self.scene.rates(&Moment { t: row.t, q: row.q, v: row.v, measured: &[] }, &mut self.rates);
        let in_space = |all: &[f64]| -> Vec<f64> {
            let points = all.chunks(dimension);
            points.flat_map(|point| (0..3).map(|k| point.get(k).copied().unwrap_or(0.0))).collect()
        };
        let [places, rates] = [&self.places, &self.rates].map(|all| in_space(all));
        let file = frame_name(self.frames);
        let path = self.partial.join(&file);
        let mut out = BufWriter::new(File::create(&path)?);
        let written = write!(
            out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <UnstructuredGrid>\n<FieldData>\n{}{}</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n\
             <PointData Vectors=\"velocity\">\n{}{}</PointData>\n<Points>\n{}</Points>\n{}</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
            array("TimeValue", "Float64", 0, 1, &bytes(&[row.t], f64::to_le_bytes)),
            array("energy", "Float64", 0, 1, &bytes(&[row.energy], f64::to_le_bytes)),
            self.scene.drawn.points,
            self.count,
            array("velocity", "Float64", 3, 0, &bytes(&rates, f64::to_le_bytes)),
            self.groups,
            array("Points", "Float64", 3, 0, &bytes(&places, f64::to_le_bytes)),
            self.cells,
        );
        written.and_then(|()| out.flush()).inspect_err(|_| {
            // Half a frame is none, and takes the room that the list of frames needs.
            let _ = fs::remove_file(path);
        })?;
        self.frames += 1;
        writeln!(
            self.sink.file,
            "<DataSet timestep=\"{:?}\" group=\"\" part=\"0\" file=\"{}/{file}\"/>",
            row.t, self.name
        )
    }

    fn finish(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        self.sink.file.write_all(b"</Collection>\n</VTKFile>\n")?;
        self.sink.file.flush()
    }

    fn complete(self: Box<Self>, draft: Draft) -> Result {
        // The list on disk before its frames take the place of others.
        let written = draft.handle()?.sync_all().and_then(|()| self.publish());
        written.map_err(|error| unwritable(&self.sink.path, &error))?;
        Ok(draft.complete()?)
    }

    fn rescue(&mut self, _: &Path) -> Option<String> {
        // The frames can be read without their list.
        let _ = self.finish();
        self.is_kept = self.frames > 0;
        self.is_kept.then(|| format!("{} frames stand in {}", self.frames, self.partial.display()))
    }
}

impl Drop for Vtk<'_> {
    fn drop(&mut self) {
        if !self.is_kept && self.partial.exists() {
            // Frames without a run that ended harm nobody if they stay.
            let _ = clear(&self.partial);
        }
    }
}
