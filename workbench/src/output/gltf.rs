//! glTF: bodies as balls and links as bars, moved by key frames, as Blender and any viewer of models
//! play them.
//!
//! Every point of a picture is a node with a mesh, whose translation is animated. Rods and springs have
//! a rotation and a length, boxes a rotation. Surfaces are skins of the nodes of their points. The
//! frames are the frames of a page, at most 4000, evenly spread. In space z is up, and a node above all
//! turns z to the y of glTF. Time is the time of the model in seconds. A motion of less than half a
//! second or more than ten minutes is stretched to ten seconds. The key frames begin at 0: `extras` of
//! the scene has the time of the first one, `first_time`, and the factor of the others,
//! `seconds_per_time`.
//!
//! # Reference
//! glTF 2.0, ISO/IEC 12113:2022.

mod document;
mod shapes;

use std::io;
use std::path::Path;

use super::{Columns, Row, Sink, Table, unwritable};
use crate::error::Result;
use crate::registry::Instance;
use document::Document;
use least_action_pages::files::{Draft, folder};
use least_action_pages::view::{Group, GroupKind, Scene, Spool};
use shapes::{Shape, ball, bar, cube, round};
pub(super) use shapes::{UNTURNED, turned};

/// Colours of groups, linear.
const COLOURS: [[f64; 3]; 6] = [
    [0.03, 0.16, 0.73],
    [0.64, 0.13, 0.03],
    [0.01, 0.34, 0.25],
    [0.26, 0.09, 0.58],
    [0.54, 0.29, 0.03],
    [0.54, 0.06, 0.2],
];

pub(super) struct Gltf<'s> {
    sink: Sink,
    scene: Scene<'s>,
    spool: Spool,
    run: String,
    places: Vec<f64>,
    frame: Vec<f64>,
}

impl<'s> Gltf<'s> {
    pub(super) fn create(
        sink: Sink,
        columns: &Columns,
        target: &Path,
        instance: &'s Instance,
    ) -> Result<Self> {
        let scene = super::scene(&sink, instance)?;
        let spool = Spool::new(1 + scene.drawn.dimension * scene.drawn.points, folder(target));
        Ok(Self { sink, scene, spool, run: columns.run.clone(), places: Vec::new(), frame: Vec::new() })
    }

    fn document(&mut self) -> io::Result<()> {
        let dimension = self.scene.drawn.dimension;
        let (mut times, mut places) = (Vec::new(), Vec::<[f32; 3]>::new());
        self.spool.for_each(1, &mut |_, frame| {
            times.push(frame[0]);
            let of_point = frame[1..].chunks(dimension);
            places.extend(
                of_point.map(|place| std::array::from_fn(|k| place.get(k).copied().unwrap_or(0.0) as f32)),
            );
            Ok(())
        })?;
        let points = self.scene.drawn.points;
        let at = |frame: usize, point: usize| places[frame * points + point];
        let mut document = Document::new(&times, dimension);
        let radius = radius(&self.scene, &places[..points]);
        let ball = document.mesh(&ball());
        let bar = document.mesh(&bar());
        let cube = document.mesh(&cube());
        let frames = times.len();
        let inside = self.scene.drawn.inside();
        // The nodes of points that carry a surface.
        let mut nodes = vec![None; points];
        for (number, group) in self.scene.drawn.groups.iter().enumerate() {
            if group.kind == GroupKind::Hidden {
                continue;
            }
            let grey = group.kind == GroupKind::Mount;
            let colour = if grey { [0.12; 3] } else { COLOURS[number % COLOURS.len()] };
            let mesh = document.coloured(ball, colour);
            let size = group.radius.map_or(if grey { 0.6 * radius } else { radius }, |radius| radius as f32);
            let is_seen = |k: &usize| group.radius.is_some() || !inside.contains(&(group.first + k));
            for k in (0..group.count).filter(is_seen) {
                let path: Vec<[f32; 3]> = (0..frames).map(|frame| at(frame, group.first + k)).collect();
                let node = document.moved(&format!("{}[{k}]", group.name), mesh, [size; 3], &path);
                nodes[group.first + k] = Some(node);
            }
        }
        let mesh = document.coloured(bar, [0.12; 3]);
        let rods = self.scene.drawn.rods.iter().map(|ends| ("rod", ends, 0.3));
        let springs = self.scene.drawn.springs.iter().map(|ends| ("spring", ends, 0.15));
        for (name, [a, b], thickness) in rods.chain(springs) {
            let ends: Vec<[[f32; 3]; 2]> = (0..frames).map(|frame| [at(frame, *a), at(frame, *b)]).collect();
            document.link(name, mesh, thickness * radius, &ends);
        }
        for (number, solid) in self.scene.drawn.solids.iter().enumerate() {
            let [first, last] = solid.radii.map(|radius| radius as f32);
            let largest = first.max(last);
            let shape = document.mesh(&round([first / largest, last / largest]));
            let of_point = |group: &Group| (group.first..group.first + group.count).contains(&solid.ends[0]);
            let group = self.scene.drawn.groups.iter().position(of_point).unwrap_or(0);
            let mesh = document.coloured(shape, COLOURS[group % COLOURS.len()]);
            let ends: Vec<[[f32; 3]; 2]> =
                (0..frames).map(|frame| solid.placed(solid.ends.map(|point| at(frame, point)))).collect();
            document.link(&format!("body[{number}]"), mesh, largest, &ends);
        }
        let mesh = document.coloured(cube, COLOURS[0]);
        for (number, drawn) in self.scene.drawn.boxes.iter().enumerate() {
            let path: Vec<[f32; 3]> = (0..frames).map(|frame| at(frame, drawn.centre)).collect();
            let (mut sides, mut before) = ([0.0; 3], UNTURNED);
            let turns: Vec<[f64; 4]> = (0..frames)
                .map(|frame| {
                    let axes = [0, 1, 2].map(|axis| {
                        let face = at(frame, drawn.faces + axis);
                        [0, 1, 2].map(|k| f64::from(face[k] - path[frame][k]))
                    });
                    let (own, turn) = turned(axes, before);
                    // Its sides are the sides in the first frame.
                    if frame == 0 {
                        sides = own.map(|side| side as f32);
                    }
                    before = turn;
                    turn
                })
                .collect();
            document.box_of(&format!("box[{number}]"), mesh, &path, sides, &turns);
        }
        self.surface(&mut document, &places[..points], &nodes);
        document.write(&self.run, &mut self.sink.file)
    }

    /// The triangles of the scene between points with a node, as many as indices of 16 bits reach.
    fn surface(&self, document: &mut Document, places: &[[f32; 3]], nodes: &[Option<usize>]) {
        let mut corner = vec![None; places.len()];
        let (mut joints, mut vertices, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for face in &self.scene.drawn.faces {
            let triangle = face.map(|point| {
                if corner[point].is_none()
                    && places[point].iter().all(|x| x.is_finite())
                    && let (Some(node), Ok(number)) = (nodes[point], u16::try_from(joints.len()))
                {
                    corner[point] = Some(number);
                    joints.push(node);
                    vertices.push(places[point]);
                }
                corner[point]
            });
            if let [Some(a), Some(b), Some(c)] = triangle {
                triangles.push([a, b, c]);
            }
        }
        if !triangles.is_empty() {
            document.surface(&Shape { vertices, normals: Vec::new(), triangles }, COLOURS[2], &joints);
        }
    }
}

/// A radius that leaves room between bodies.
fn radius(scene: &Scene<'_>, places: &[[f32; 3]]) -> f32 {
    let bounds = |k: usize| {
        let all = places.iter().map(|place| place[k]).filter(|x| x.is_finite());
        let (low, high) =
            all.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low <= high { high - low } else { 0.0 }
    };
    let extent = (0..3).map(bounds).fold(0.0, f32::max);
    let extent = if extent > 0.0 { extent } else { 1.0 };
    let count = scene.bodies().len().max(1) as f32;
    extent * (0.5 * count.powf(-1.0 / scene.drawn.dimension as f32)).min(0.04)
}

impl Table for Gltf<'_> {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.scene.place(row.q, row.t, &mut self.places);
        self.frame.clear();
        self.frame.push(row.t);
        self.frame.extend_from_slice(&self.places);
        self.spool.push(&self.frame)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn complete(mut self: Box<Self>, draft: Draft) -> Result {
        self.document().map_err(|error| unwritable(&self.sink.path, &error))?;
        Ok(draft.complete()?)
    }
}
