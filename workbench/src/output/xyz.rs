//! Extended XYZ: a frame of points one behind the other, as OVITO and ASE read them.
//!
//! A frame is the number of points, a line of properties, and a line for each point: its species, its
//! place, its velocity, its mass where all points have one, its turn as a quaternion x, y, z, w where
//! there are boxes, and the name of its coordinate. The look of the model names the species; others are
//! X, no atom of an element.
//!
//! Readers take lengths for Å.
//! A model that states a unit of matter, from fm to µm, has lengths in Å, and velocities in Å by its
//! unit of time.
//! The line of properties names both units.
//! Other lengths stay: readers draw points as large as atoms, and would not show a chain of metres.
//!
//! # Reference
//! The format of libAtoms: <https://github.com/libAtoms/extxyz>.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use least_action::advanced::carried::{CarryError, Memory};
use least_action_pages::plot::Units;
use least_action_pages::view::{Group, Moment, Scene};

use super::gltf::{UNTURNED, turned};
use super::{Columns, Row, Sink, Table};
use crate::error::Result;
use crate::registry::Instance;

/// A point of a frame.
struct Body {
    point: usize,
    species: String,
    /// The name of its group.
    group: String,
    mass: Option<f64>,
    /// The first of three points on the half axes of its box.
    faces: Option<usize>,
}

pub(super) struct Xyz<'s> {
    sink: Sink,
    scene: Scene<'s>,
    bodies: Vec<Body>,
    /// The cell and the properties, the same in all frames.
    properties: String,
    /// The length of the file by the length of the model.
    scale: f64,
    /// The numbers behind velocities whose names are words, with these.
    told: Vec<(usize, String)>,
    /// Whose run it is, for the first frame.
    run: String,
    places: Vec<f64>,
    rates: Vec<f64>,
}

impl<'s> Xyz<'s> {
    pub(super) fn create(sink: Sink, columns: &Columns, instance: &'s Instance) -> Result<Self> {
        let scene = super::scene(&sink, instance)?;
        let boxes = scene.drawn.boxes.iter();
        let faces: HashMap<usize, usize> = boxes.map(|turned| (turned.centre, turned.faces)).collect();
        let body = |(point, group): (usize, &Group)| Body {
            point,
            species: group.species_of(point).unwrap_or("X").to_owned(),
            group: if group.name.is_empty() { "body".to_owned() } else { group.name.clone() },
            mass: group.mass_of(point),
            faces: faces.get(&point).copied(),
        };
        let mut bodies: Vec<Body> = scene.bodies().into_iter().map(body).collect();
        let units = Units::of(&instance.system.description().documentation);
        let angstroms = units.angstroms();
        let scale = angstroms.unwrap_or(1.0);
        let mut properties = String::new();
        if let Some(cell) = scene.drawn.cell {
            let plane = scene.drawn.dimension == 2;
            // A plane repeats in two directions; readers want three edges.
            let rows = cell
                .iter()
                .enumerate()
                .flat_map(|(k, row)| if plane && k == 2 { [0.0, 0.0, 1.0] } else { *row });
            let numbers: Vec<String> = rows.map(|x| format!("{:?}", scale * x)).collect();
            let repeats = if plane { "T T F" } else { "T T T" };
            properties = format!("Lattice=\"{}\" pbc=\"{repeats}\" ", numbers.join(" "));
        }
        properties.push_str("Properties=species:S:1:pos:R:3:velo:R:3");
        if bodies.iter().all(|body| body.mass.is_some()) {
            properties.push_str(":masses:R:1");
        } else {
            bodies.iter_mut().for_each(|body| body.mass = None);
        }
        if !scene.drawn.boxes.is_empty() {
            properties.push_str(":orientation:R:4");
        }
        properties.push_str(":group:S:1");
        let [length, time] = units.length_and_time();
        let length = if angstroms.is_some() { Some("angstrom") } else { length };
        for (name, unit) in [("length_unit", length), ("time_unit", time)] {
            if let Some(unit) = unit {
                let quote = if unit.contains(' ') { "\"" } else { "" };
                properties.push_str(&format!(" {name}={quote}{unit}{quote}"));
            }
        }
        let is_word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let before = 1 + 2 * instance.system.lagrangian().layout().dimension();
        let told = columns.names.iter().enumerate().skip(before).filter(|(_, name)| is_word(name));
        // In the format, `energy` is the potential one.
        let told = told
            .map(|(k, name)| (k, if name == "energy" { "total_energy".to_owned() } else { name.clone() }));
        let run = columns.run.clone();
        let (told, [places, rates]) = (told.collect(), [const { Vec::new() }; 2]);
        Ok(Self { sink, scene, bodies, properties, scale, told, run, places, rates })
    }
}

impl Table for Xyz<'_> {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        let (dimension, scale) = (self.scene.drawn.dimension, self.scale);
        self.scene.place(row.q, row.t, &mut self.places);
        self.scene.rates(&Moment { t: row.t, q: row.q, v: row.v, measured: &[] }, &mut self.rates);
        let file = &mut self.sink.file;
        writeln!(file, "{}", self.bodies.len())?;
        write!(file, "{} time={:?}", self.properties, row.t)?;
        let mut numbers = row.numbers().enumerate();
        for (place, name) in &self.told {
            if let Some((_, number)) = numbers.find(|(k, _)| k == place) {
                write!(file, " {name}={number:?}")?;
            }
        }
        if !self.run.is_empty() {
            let run = std::mem::take(&mut self.run).replace('\\', "\\\\").replace('"', "\\\"");
            write!(file, " run=\"{run}\"")?;
        }
        let at = |all: &[f64], point: usize, k: usize| {
            if k < dimension { all[dimension * point + k] } else { 0.0 }
        };
        for Body { point, species, group, mass, faces } in &self.bodies {
            write!(file, "\n{species}")?;
            for all in [&self.places, &self.rates] {
                for k in 0..3 {
                    write!(file, " {:?}", scale * at(all, *point, k))?;
                }
            }
            if let Some(mass) = mass {
                write!(file, " {mass:?}")?;
            }
            if !self.scene.drawn.boxes.is_empty() {
                let axis =
                    |face: usize| [0, 1, 2].map(|k| at(&self.places, face, k) - at(&self.places, *point, k));
                let turn = faces.map(|faces| turned([0, 1, 2].map(|k| axis(faces + k)), UNTURNED).1);
                for x in turn.unwrap_or(UNTURNED) {
                    write!(file, " {x:?}")?;
                }
            }
            write!(file, " {group}")?;
        }
        writeln!(file)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sink.file.flush()
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        if memory.puts_back() {
            // The first frame has it already.
            self.run.clear();
        }
        self.sink.carry(memory)
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        // Readers know a frame that is cut by its number of points.
        self.sink.rescue(0, b"").ok().map(|()| super::kept(draft))
    }
}
