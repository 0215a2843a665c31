//! A body that is turned by half a turn about any axis has that turn in glTF, and its writing ends.

use serde_json::Value;

use crate::support::{Directory, ready};

#[test]
fn half_turns_about_any_axis_are_recorded() {
    let directory = Directory::new();
    let mut axes = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];
    axes.extend((0..8).map(|k| {
        let (turn, height) = (2.4 * f64::from(k), 0.9 - 0.25 * f64::from(k));
        let (sine, cosine) = turn.sin_cos();
        let ring = (1.0_f64 - height * height).sqrt();
        [ring * cosine, ring * sine, height]
    }));
    for axis in axes {
        let entry = |i: usize, j: usize| 2.0 * axis[i] * axis[j] - if i == j { 1.0 } else { 0.0 };
        let q: Vec<f64> = (0..9).map(|k| entry(k / 3, k % 3)).collect();
        let start = directory.file("start.json", &format!("{{\"q\": {q:?}, \"v\": {:?}}}", [0.0; 9]));
        let out = directory.path("turned.glb");
        let line = format!(
            "run rigid-body --method so3-verlet --step 0.01 --until 0.02 --start {start} --out {out} --format json"
        );
        ready(&line).json();
        let bytes = std::fs::read(&out).unwrap();
        let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
        let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let nodes = document["nodes"].as_array().unwrap();
        let body = nodes.iter().find(|node| node["name"] == "box[0]").unwrap();
        let turn = |k: usize| body["rotation"][k].as_f64().unwrap();
        // One of the two quaternions of the turn: ±(axis, 0).
        let along: f64 = (0..3).map(|k| axis[k] * turn(k)).sum();
        assert!((along.abs() - 1.0).abs() < 1e-6 && turn(3).abs() < 1e-6, "{axis:?}: {body}");
    }
}
