//! The document and its bytes while they grow.
//!
//! It is written as JSON: the records of the crate `gltf-json` lack defaults for most of their fields,
//! and would add some seventy lines to this file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::shapes::{Shape, UNTURNED, turn};

/// The numbers of glTF for 32-bit floats and 16-bit indices, and for vertices and indices in a buffer.
const FLOAT: u32 = 5126;
const INDEX: u32 = 5123;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
/// The seconds that a motion may last, and the seconds of a stretched one.
const LASTS: std::ops::RangeInclusive<f64> = 0.5..=600.0;
const STRETCHED: f64 = 10.0;
/// A document while it grows.
pub(super) struct Document {
    bytes: Vec<u8>,
    /// The lists of the document by their keys in glTF.
    lists: BTreeMap<&'static str, Vec<Value>>,
    /// The attributes and the indices of each shape.
    shapes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    times: usize,
    /// The time of the first key frame, and the factor of the others.
    first_time: f64,
    seconds_per_time: f64,
}

impl Document {
    pub(super) fn new(times: &[f64], dimension: usize) -> Self {
        let (begin, end) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
        let lasts = end - begin;
        let seconds_per_time = if LASTS.contains(&lasts) || lasts <= 0.0 { 1.0 } else { STRETCHED / lasts };
        let (bytes, lists) = (Vec::new(), BTreeMap::new());
        let [shapes, samplers, channels] = [const { Vec::new() }; 3];
        let first_time = begin;
        let mut document =
            Self { bytes, lists, shapes, samplers, channels, times: 0, first_time, seconds_per_time };
        // z is up in the space of a model, and y in glTF.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turn = if dimension == 3 { [-half, 0.0, 0.0, half] } else { [0.0, 0.0, 0.0, 1.0] };
        document.push("nodes", json!({ "name": "motion", "rotation": turn }));
        let seconds: Vec<[f32; 1]> =
            times.iter().map(|time| [((time - begin) * seconds_per_time) as f32]).collect();
        document.times = document.floats("SCALAR", &seconds, None, true);
        document
    }

    /// Appends an entry to a list, and returns its number.
    fn push(&mut self, list: &'static str, entry: Value) -> usize {
        let list = self.lists.entry(list).or_default();
        list.push(entry);
        list.len() - 1
    }

    /// A node that was added.
    fn node(&mut self, number: usize) -> &mut Value {
        &mut self.lists.entry("nodes").or_default()[number]
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": begin, "byteLength": self.bytes.len() - begin });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.push("bufferViews", view)
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
        self.push("accessors", accessor)
    }

    /// Adds a shape, and returns its number.
    pub(super) fn mesh(&mut self, shape: &Shape) -> usize {
        let places = self.floats("VEC3", &shape.vertices, Some(VERTICES), true);
        let mut attributes = json!({ "POSITION": places });
        if !shape.normals.is_empty() {
            attributes["NORMAL"] = self.floats("VEC3", &shape.normals, Some(VERTICES), false).into();
        }
        let indices = shape.triangles.as_flattened();
        let view = self.view(indices.iter().flat_map(|index| index.to_le_bytes()), Some(INDICES));
        let indices = self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": INDEX, "count": indices.len(), "type": "SCALAR" }),
        );
        self.shapes.push(json!({ "attributes": attributes, "indices": indices }));
        self.shapes.len() - 1
    }

    /// A shape in a colour, as a mesh.
    pub(super) fn coloured(&mut self, shape: usize, [r, g, b]: [f64; 3]) -> usize {
        let look =
            json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.5 });
        let mut primitive = self.shapes[shape].clone();
        primitive["material"] = self.push("materials", json!({ "pbrMetallicRoughness": look })).into();
        self.push("meshes", json!({ "primitives": [primitive] }))
    }

    fn animate<const N: usize>(&mut self, node: usize, path: &str, kind: &str, values: &[[f32; N]]) {
        // A place that is no number keeps the one before: glTF has no word for it.
        let mut last = [0.0; N];
        let known = values.iter().map(|value| {
            if value.iter().all(|x| x.is_finite()) {
                last = *value;
            }
            last
        });
        let known: Vec<[f32; N]> = known.collect();
        let output = self.floats(kind, &known, None, false);
        self.samplers.push(json!({ "input": self.times, "output": output, "interpolation": "LINEAR" }));
        self.channels
            .push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    pub(super) fn moved(&mut self, name: &str, mesh: usize, scale: [f32; 3], path: &[[f32; 3]]) -> usize {
        let first =
            path.first().filter(|place| place.iter().all(|x| x.is_finite())).copied().unwrap_or_default();
        let node = json!({ "name": name, "mesh": mesh, "scale": scale, "translation": first });
        let node = self.push("nodes", node);
        if path.iter().any(|place| place.map(f32::to_bits) != path[0].map(f32::to_bits)) {
            self.animate(node, "translation", "VEC3", path);
        }
        node
    }

    /// A box by its half lengths and its turn in each frame; returns its node.
    pub(super) fn box_of(
        &mut self,
        name: &str,
        mesh: usize,
        path: &[[f32; 3]],
        sides: [f32; 3],
        turns: &[[f64; 4]],
    ) -> usize {
        let node = self.moved(name, mesh, sides, path);
        let turns: Vec<[f32; 4]> = turns.iter().map(|turn| turn.map(|x| x as f32)).collect();
        self.node(node)["rotation"] = turns.first().map_or(json!(UNTURNED), |first| json!(first));
        self.animate(node, "rotation", "VEC4", &turns);
        node
    }

    /// A surface whose corners move with nodes without a turn: each has its corner at its place in the
    /// first frame.
    pub(super) fn surface(&mut self, shape: &Shape, colour: [f64; 3], joints: &[usize]) {
        let number = self.mesh(shape);
        let count = joints.len();
        let of_joints = (0..count as u16).flat_map(|k| [k, 0, 0, 0]).flat_map(u16::to_le_bytes);
        let view = self.view(of_joints, Some(VERTICES));
        let accessor = json!({ "bufferView": view, "componentType": INDEX, "count": count, "type": "VEC4" });
        self.shapes[number]["attributes"]["JOINTS_0"] = self.push("accessors", accessor).into();
        let weights = self.floats("VEC4", &vec![[1.0, 0.0, 0.0, 0.0]; count], Some(VERTICES), false);
        self.shapes[number]["attributes"]["WEIGHTS_0"] = weights.into();
        let mesh = self.coloured(number, colour);
        // From the first place of a corner to the frame of its node, whose ball has a size of its own.
        let inverse = |(joint, [x, y, z]): (&usize, &[f32; 3])| {
            let scale = 1.0 / self.lists["nodes"][*joint]["scale"][0].as_f64().unwrap_or(1.0) as f32;
            let [x, y, z] = [x, y, z].map(|x| -scale * x);
            [scale, 0.0, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 0.0, scale, 0.0, x, y, z, 1.0]
        };
        let inverse: Vec<[f32; 16]> = joints.iter().zip(&shape.vertices).map(inverse).collect();
        let inverse = self.floats("MAT4", &inverse, None, false);
        let skin = self.push("skins", json!({ "joints": joints, "inverseBindMatrices": inverse }));
        self.push("nodes", json!({ "name": "surface", "mesh": mesh, "skin": skin }));
    }

    pub(super) fn link(&mut self, name: &str, mesh: usize, radius: f32, ends: &[[[f32; 3]; 2]]) {
        let middle = |[a, b]: &[[f32; 3]; 2]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
        let along = |[a, b]: &[[f32; 3]; 2]| [0, 1, 2].map(|k| b[k] - a[k]);
        let length = |ends| along(ends).iter().map(|x| x * x).sum::<f32>().sqrt();
        let mut before = UNTURNED;
        let turns = ends.iter().map(|ends| {
            before = turn(along(ends), before);
            before
        });
        let turns: Vec<[f64; 4]> = turns.collect();
        let middles: Vec<[f32; 3]> = ends.iter().map(middle).collect();
        let scales: Vec<[f32; 3]> = ends.iter().map(|ends| [radius, length(ends), radius]).collect();
        let first = scales.first().copied().unwrap_or([radius; 3]);
        let node = self.box_of(name, mesh, &middles, first, &turns);
        self.animate(node, "scale", "VEC3", &scales);
    }

    /// Writes the file: a header, the JSON, with the identity of the run among its extras, and the
    /// bytes.
    pub(super) fn write(mut self, run: &str, out: &mut impl Write) -> io::Result<()> {
        let children = (1..self.lists["nodes"].len()).collect::<Vec<usize>>();
        self.node(0)["children"] = children.into();
        let Self { first_time, seconds_per_time, .. } = self;
        let extras = json!({ "first_time": first_time, "seconds_per_time": seconds_per_time });
        self.push("scenes", json!({ "nodes": [0], "extras": extras }));
        self.push("buffers", json!({ "byteLength": self.bytes.len() }));
        if !self.channels.is_empty() {
            let motion = json!({ "name": "motion", "samplers": self.samplers, "channels": self.channels });
            self.push("animations", motion);
        }
        let mut document = json!(self.lists);
        document["scene"] = 0.into();
        document["asset"] =
            json!({ "version": "2.0", "generator": concat!("least-action ", env!("CARGO_PKG_VERSION")) });
        if let Ok(run) = serde_json::from_str::<Value>(run) {
            document["asset"]["extras"] = json!({ "run": run });
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
