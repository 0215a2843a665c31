//! glTF: bodies as balls and links as bars, moved by key frames, as Blender and any viewer of models play them.
//!
//! Every point that a picture shows is a node with a mesh, whose translation is animated; so is every rod and spring, with its rotation and its length. The frames are kept as
//! for a page, at most 4000, evenly spread. In space z is up, and a node above all turns it to the y of glTF. Time is that of the model in seconds, unless that would last less than half
//! a second or more than ten minutes: then it is stretched to ten seconds, and `extras.seconds_per_time` of the scene says by how much.
//!
//! # Reference
//! glTF 2.0, ISO/IEC 12113:2022.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use integrator_core::carried::{Carried, CarryError, Memory};
use serde_json::{Value, json};

use super::{Row, Sink, Table};
use crate::error::Error;
use crate::files::Draft;
use crate::registry::Instance;
use crate::view::{GroupKind, Scene, Spool};

/// The numbers of glTF for 32-bit floats and 16-bit indices, and for vertices and indices in a buffer.
const FLOAT: u32 = 5126;
const INDEX: u32 = 5123;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
/// The seconds that a motion may last, and those to which another is stretched.
const LASTS: std::ops::RangeInclusive<f64> = 0.5..=600.0;
const STRETCHED: f64 = 10.0;
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
    places: Vec<f64>,
    frame: Vec<f64>,
}

impl<'s> Gltf<'s> {
    pub(super) fn create(sink: Sink, target: &Path, instance: &'s Instance) -> Result<Self, Error> {
        let scene = super::scene(&sink, instance)?;
        let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
        let spool = Spool::new(1 + scene.drawn.dimension * scene.drawn.points, &folder);
        Ok(Self { sink, scene, spool, places: Vec::new(), frame: Vec::new() })
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
        let frames = times.len();
        for (number, group) in self.scene.drawn.groups.iter().enumerate() {
            if group.kind == GroupKind::Hidden {
                continue;
            }
            let grey = group.kind == GroupKind::Mount;
            let colour = if grey { [0.12; 3] } else { COLOURS[number % COLOURS.len()] };
            let mesh = document.coloured(ball, colour);
            let size = group.radius.map_or(if grey { 0.6 * radius } else { radius }, |radius| radius as f32);
            for k in 0..group.count {
                let path: Vec<[f32; 3]> = (0..frames).map(|frame| at(frame, group.first + k)).collect();
                document.moved(&format!("{}[{k}]", group.name), mesh, [size; 3], &path);
            }
        }
        let mesh = document.coloured(bar, [0.12; 3]);
        let links = self
            .scene
            .drawn
            .rods
            .iter()
            .map(|ends| ("rod", ends, 0.3))
            .chain(self.scene.drawn.springs.iter().map(|ends| ("spring", ends, 0.15)));
        for (name, [a, b], thickness) in links {
            let ends: Vec<[[f32; 3]; 2]> = (0..frames).map(|frame| [at(frame, *a), at(frame, *b)]).collect();
            document.link(name, mesh, thickness * radius, &ends);
        }
        document.write(&mut self.sink.file)
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

/// Vertices with their normals, and triangles.
struct Shape {
    vertices: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u16; 3]>,
}

/// A ball of radius one.
fn ball() -> Shape {
    const AROUND: u16 = 20;
    const DOWN: u16 = 12;
    let angle = |part: u16, of: u16, whole: f32| whole * f32::from(part) / f32::from(of);
    let mut vertices = Vec::new();
    for ring in 0..=DOWN {
        let (sine, cosine) = angle(ring, DOWN, std::f32::consts::PI).sin_cos();
        for k in 0..=AROUND {
            let (y, x) = angle(k, AROUND, std::f32::consts::TAU).sin_cos();
            vertices.push([sine * x, cosine, -sine * y]);
        }
    }
    let width = AROUND + 1;
    let quads = (0..DOWN).flat_map(|ring| (0..AROUND).map(move |k| ring * width + k));
    let triangles =
        quads.flat_map(|at| [[at, at + width, at + 1], [at + 1, at + width, at + width + 1]]).collect();
    Shape { normals: vertices.clone(), vertices, triangles }
}

/// A bar of radius one along y, from −½ to ½, open at its ends.
fn bar() -> Shape {
    const AROUND: u16 = 16;
    let (mut vertices, mut normals) = (Vec::new(), Vec::new());
    for k in 0..=AROUND {
        let (z, x) = (std::f32::consts::TAU * f32::from(k) / f32::from(AROUND)).sin_cos();
        for y in [-0.5, 0.5] {
            vertices.push([x, y, z]);
            normals.push([x, 0.0, z]);
        }
    }
    let triangles =
        (0..AROUND).map(|k| 2 * k).flat_map(|at| [[at, at + 1, at + 2], [at + 2, at + 1, at + 3]]).collect();
    Shape { vertices, normals, triangles }
}

/// The turn that takes y to a direction, as a quaternion x, y, z, w; nearest to the one before.
fn turn(direction: [f32; 3], before: [f32; 4]) -> [f32; 4] {
    let [x, y, z] = direction;
    let size = (x * x + y * y + z * z).sqrt();
    if size.is_nan() || size <= 0.0 {
        return before;
    }
    let (x, y, z) = (x / size, y / size, z / size);
    // The half way from y; of −y, any turn by a half circle will do.
    let quaternion = if y > -0.999_999 { [z, 0.0, -x, 1.0 + y] } else { [1.0, 0.0, 0.0, 0.0] };
    let length = quaternion.iter().map(|q| q * q).sum::<f32>().sqrt();
    let side = quaternion.iter().zip(before).map(|(a, b)| a * b).sum::<f32>();
    quaternion.map(|q| if side < 0.0 { -q / length } else { q / length })
}

/// A document while it grows.
struct Document {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// The attributes and the indices of each shape.
    shapes: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    times: usize,
    seconds_per_time: f64,
    dimension: usize,
}

impl Document {
    fn new(times: &[f64], dimension: usize) -> Self {
        let (begin, end) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
        let lasts = end - begin;
        let seconds_per_time = if LASTS.contains(&lasts) || lasts <= 0.0 { 1.0 } else { STRETCHED / lasts };
        let (bytes, nodes) = (Vec::new(), vec![Value::Null]);
        let mut document = Self {
            bytes,
            views: Vec::new(),
            accessors: Vec::new(),
            shapes: Vec::new(),
            materials: Vec::new(),
            meshes: Vec::new(),
            nodes,
            samplers: Vec::new(),
            channels: Vec::new(),
            times: 0,
            seconds_per_time,
            dimension,
        };
        let seconds: Vec<[f32; 1]> =
            times.iter().map(|time| [((time - begin) * seconds_per_time) as f32]).collect();
        document.times = document.floats("SCALAR", &seconds, None, true);
        document
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": begin, "byteLength": self.bytes.len() - begin });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }

    fn floats<const N: usize>(
        &mut self,
        kind: &str,
        all: &[[f32; N]],
        target: Option<u32>,
        bounds: bool,
    ) -> usize {
        let view = self.view(all.as_flattened().iter().flat_map(|x| x.to_le_bytes()), target);
        let mut accessor =
            json!({ "bufferView": view, "componentType": FLOAT, "count": all.len(), "type": kind });
        if bounds {
            let end = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|k| all.iter().map(|x| x[k]).reduce(pick).unwrap_or(0.0)).collect()
            };
            accessor["min"] = end(f32::min).into();
            accessor["max"] = end(f32::max).into();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds a shape, and returns its number.
    fn mesh(&mut self, shape: &Shape) -> usize {
        let places = self.floats("VEC3", &shape.vertices, Some(VERTICES), true);
        let normals = self.floats("VEC3", &shape.normals, Some(VERTICES), false);
        let indices = shape.triangles.as_flattened();
        let view = self.view(indices.iter().flat_map(|index| index.to_le_bytes()), Some(INDICES));
        self.accessors.push(
            json!({ "bufferView": view, "componentType": INDEX, "count": indices.len(), "type": "SCALAR" }),
        );
        let indices = self.accessors.len() - 1;
        self.shapes
            .push(json!({ "attributes": { "POSITION": places, "NORMAL": normals }, "indices": indices }));
        self.shapes.len() - 1
    }

    /// A shape in a colour, as a mesh.
    fn coloured(&mut self, shape: usize, [r, g, b]: [f64; 3]) -> usize {
        self.materials.push(json!({
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.5 }
        }));
        let mut primitive = self.shapes[shape].clone();
        primitive["material"] = (self.materials.len() - 1).into();
        self.meshes.push(json!({ "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn animate<const N: usize>(&mut self, node: usize, path: &str, kind: &str, values: &[[f32; N]]) {
        // A place that is no number keeps the one before: glTF has no word for it.
        let mut last = [0.0; N];
        let known: Vec<[f32; N]> = values
            .iter()
            .map(|value| {
                if value.iter().all(|x| x.is_finite()) {
                    last = *value;
                }
                last
            })
            .collect();
        let output = self.floats(kind, &known, None, false);
        self.samplers.push(json!({ "input": self.times, "output": output, "interpolation": "LINEAR" }));
        self.channels
            .push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    fn moved(&mut self, name: &str, mesh: usize, scale: [f32; 3], path: &[[f32; 3]]) {
        let first =
            path.first().filter(|place| place.iter().all(|x| x.is_finite())).copied().unwrap_or_default();
        self.nodes.push(json!({ "name": name, "mesh": mesh, "scale": scale, "translation": first }));
        let node = self.nodes.len() - 1;
        if path.iter().any(|place| place.map(f32::to_bits) != path[0].map(f32::to_bits)) {
            self.animate(node, "translation", "VEC3", path);
        }
    }

    fn link(&mut self, name: &str, mesh: usize, radius: f32, ends: &[[[f32; 3]; 2]]) {
        let middle = |[a, b]: &[[f32; 3]; 2]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
        let along = |[a, b]: &[[f32; 3]; 2]| [0, 1, 2].map(|k| b[k] - a[k]);
        let length = |ends| along(ends).iter().map(|x| x * x).sum::<f32>().sqrt();
        let mut before = [0.0, 0.0, 0.0, 1.0];
        let turns: Vec<[f32; 4]> = ends
            .iter()
            .map(|ends| {
                before = turn(along(ends), before);
                before
            })
            .collect();
        let middles: Vec<[f32; 3]> = ends.iter().map(middle).collect();
        let scales: Vec<[f32; 3]> = ends.iter().map(|ends| [radius, length(ends), radius]).collect();
        self.moved(name, mesh, scales.first().copied().unwrap_or([radius; 3]), &middles);
        let node = self.nodes.len() - 1;
        self.nodes[node]["rotation"] = turns.first().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]).to_vec().into();
        self.animate(node, "rotation", "VEC4", &turns);
        self.animate(node, "scale", "VEC3", &scales);
    }

    /// Writes the file: a header, the JSON and the bytes.
    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        let children: Vec<usize> = (1..self.nodes.len()).collect();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        // What is up in space is z for a model, and y for glTF.
        let turn = if self.dimension == 3 { [-half, 0.0, 0.0, half] } else { [0.0, 0.0, 0.0, 1.0] };
        self.nodes[0] = json!({ "name": "motion", "rotation": turn, "children": children });
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("least-action ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0], "extras": { "seconds_per_time": self.seconds_per_time } }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "motion", "samplers": self.samplers, "channels": self.channels }]);
        }
        let mut text = serde_json::to_vec(&document)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = |bytes: usize| {
            u32::try_from(bytes)
                .map_err(|_| io::Error::other("the motion does not fit into the 4 GB of a .glb file"))
        };
        let all = length(12 + 8 + text.len() + 8 + self.bytes.len())?;
        for word in [0x4654_6C67, 2, all, length(text.len())?, 0x4E4F_534A] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(&text)?;
        for word in [length(self.bytes.len())?, 0x004E_4942] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(&self.bytes)?;
        out.flush()
    }
}

impl Table for Gltf<'_> {
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.scene.place(row.q, row.t, &mut self.places);
        self.frame.clear();
        self.frame.push(row.t);
        self.frame.extend_from_slice(&self.places);
        self.spool.push(&self.frame).map_err(|error| Sink::unwritable(&self.sink.path, &error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn complete(mut self: Box<Self>, draft: Draft) -> Result<(), Error> {
        self.document().map_err(|error| Sink::unwritable(&self.sink.path, &error))?;
        draft.complete()
    }
}

impl Carried for Gltf<'_> {
    fn carry(&mut self, _: &mut Memory<'_>) -> Result<(), CarryError> {
        // Of a run that is saved, this format is refused.
        Ok(())
    }
}
