//! Extended XYZ, VTK and glTF: their numbers beside the numbers of the recording, by readers of our own
//! and of others.

use std::fs;
use std::process::Command;

use least_action::nalgebra::{Matrix3, Quaternion, UnitQuaternion};
use serde_json::Value;

use super::workshop::Workshop;

const RUN: &str = "run chain --set links=3 --method rattle --step 0.05 --until 2 --every 4";
const BOX: &str = "run water-box --method rattle --step 0.0002 --until 0.001";

fn numbers(row: &Value, name: &str) -> Vec<f64> {
    row[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Bytes of base64, by its table.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = text.trim_end_matches('=').as_bytes();
    let groups = text.chunks(4).map(|group| {
        let word = group.iter().fold(0, |word, c| word << 6 | value(*c)) << (6 * (4 - group.len()));
        word.to_be_bytes()[1..group.len()].to_vec()
    });
    groups.flatten().collect()
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn extended_xyz_has_the_numbers_of_the_recording() {
    let workshop = Workshop::new("xyz");
    for format in ["xyz", "json"] {
        workshop.done(&format!("{RUN} --observe all --out chain.{format}"));
    }
    let (text, rows) = (workshop.read("chain.xyz"), workshop.rows("chain.json"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), rows.len() * 5);
    for (frame, row) in lines.chunks(5).zip(&rows) {
        assert_eq!(frame[0], "3");
        let energy = row["energy"].as_f64().unwrap();
        assert!(
            frame[1].contains(&format!(" time={:?} total_energy={energy:?}", row["t"].as_f64().unwrap())),
            "{}",
            frame[1]
        );
        let (q, v) = (numbers(row, "q"), numbers(row, "v"));
        for (k, line) in frame[2..].iter().enumerate() {
            let expected = format!(
                "X {:?} {:?} 0.0 {:?} {:?} 0.0 1.0 bobs",
                q[2 * k],
                q[2 * k + 1],
                v[2 * k],
                v[2 * k + 1]
            );
            assert_eq!(*line, expected);
        }
    }
    // A run that is gone on with has the file of one that was not stopped.
    workshop.done(&format!("{} --out parts.xyz --checkpoint c.ckpt", RUN.replace("--until 2", "--until 1")));
    workshop.done("resume c.ckpt --until 2");
    workshop.done(&format!("{RUN} --out whole.xyz"));
    assert_eq!(workshop.read("parts.xyz"), workshop.read("whole.xyz"));
    workshop.done(&format!("{BOX} --out box.xyz"));
    let text = workshop.read("box.xyz");
    let properties = "pbc=\"T T T\" Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1:group:S:1";
    assert!(text.lines().nth(1).unwrap().contains(properties));
    let species: String = text.lines().skip(2).take(6).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(species, "OHHOHH");
    // The box is in nm and ps; the bonds of SPC/E are 1 Å long.
    assert!(text.lines().nth(1).unwrap().contains(" length_unit=angstrom time_unit=ps time="));
    let place = |line: usize| -> Vec<f64> {
        text.lines().nth(line).unwrap().split(' ').skip(1).take(3).map(|x| x.parse().unwrap()).collect()
    };
    let bond: f64 = place(2).iter().zip(place(3)).map(|(o, h)| (o - h).powi(2)).sum();
    assert!((bond.sqrt() - 1.0).abs() < 1e-9, "{bond}");
    let edge: f64 = text.split("Lattice=\"").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((9.0..20.0).contains(&edge), "32 molecules of water fill a cube of {edge} Å");
    // A chain of metres stays one, and says so.
    assert!(lines[1].contains(" length_unit=m time_unit=s time="), "{}", lines[1]);
}

#[test]
fn vtk_has_the_numbers_of_the_recording() {
    let workshop = Workshop::new("vtk");
    for format in ["pvd", "json"] {
        workshop.done(&format!("{RUN} --out chain.{format}"));
    }
    let (list, rows) = (workshop.read("chain.pvd"), workshop.rows("chain.json"));
    let frames: Vec<&str> =
        list.lines().filter_map(|line| line.split_once("file=\"")?.1.strip_suffix("\"/>")).collect();
    assert_eq!(frames.len(), rows.len());
    for (frame, row) in frames.iter().zip(&rows) {
        let text = workshop.read(frame);
        let (_, rest) = text.split_once("Name=\"Points\"").unwrap();
        let array = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let bytes = decoded(array);
        assert_eq!(u64::from_le_bytes(bytes[..8].try_into().unwrap()), bytes.len() as u64 - 8);
        let (points, q) = (doubles(&bytes[8..]), numbers(row, "q"));
        // The bobs, and the pivot behind them.
        let expected: Vec<f64> = q.chunks(2).flat_map(|q| [q[0], q[1], 0.0]).chain([0.0; 3]).collect();
        assert_eq!(points, expected);
    }
    // A second run replaces the frames of the first, and no other files.
    workshop.done(&format!("{} --out chain.pvd", RUN.replace("--until 2", "--until 1")));
    assert_eq!(fs::read_dir(workshop.path("chain")).unwrap().count(), 6);
    workshop.write("chain/notes.txt", "mine");
    let ended = workshop.command(&format!("{RUN} --out chain.pvd"));
    assert!(ended.code == 2 && ended.err.contains("holds other files"), "{}", ended.err);
    assert!(!workshop.path("chain.partial").exists());
}

/// A file of glTF, read.
struct Gltf {
    document: Value,
    buffer: Vec<u8>,
}

impl Gltf {
    fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (b"glTF".as_slice(), 2, bytes.len()));
        let document: Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
        let buffer = bytes[28 + word(12)..].to_vec();
        assert_eq!(document["buffers"][0]["byteLength"], buffer.len());
        Self { document, buffer }
    }

    fn item(&self, list: &str, number: &Value) -> &Value {
        &self.document[list][usize::try_from(number.as_u64().unwrap()).unwrap()]
    }

    fn bytes(&self, accessor: &Value) -> &[u8] {
        let view = self.item("bufferViews", &self.item("accessors", accessor)["bufferView"]);
        let number = |name: &str| usize::try_from(view[name].as_u64().unwrap()).unwrap();
        &self.buffer[number("byteOffset")..][..number("byteLength")]
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        self.bytes(accessor).as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
    }

    fn indices(&self, accessor: &Value) -> Vec<usize> {
        self.bytes(accessor).as_chunks().0.iter().map(|word| u16::from_le_bytes(*word).into()).collect()
    }

    fn node(&self, name: &str) -> usize {
        self.document["nodes"].as_array().unwrap().iter().position(|node| node["name"] == name).unwrap()
    }

    /// The times and the values of a node's motion.
    fn moved(&self, node: usize, path: &str) -> [Vec<f32>; 2] {
        let animation = &self.document["animations"][0];
        let is_meant = |target: &Value| target["node"] == node && target["path"] == path;
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let channel = channels.find(|channel| is_meant(&channel["target"])).unwrap();
        let sampler = &animation["samplers"][usize::try_from(channel["sampler"].as_u64().unwrap()).unwrap()];
        ["input", "output"].map(|side| self.floats(&sampler[side]))
    }
}

#[test]
fn gltf_has_the_numbers_of_the_recording() {
    let workshop = Workshop::new("gltf");
    let recorded = |run: &str, name: &str| {
        for format in ["glb", "json"] {
            workshop.done(&format!("{run} --out {name}.{format}"));
        }
        let bytes = fs::read(workshop.path(&format!("{name}.glb"))).unwrap();
        (Gltf::read(&bytes), workshop.rows(&format!("{name}.json")))
    };
    let (chain, rows) = recorded(RUN, "chain");
    for bob in 0..3 {
        let [times, places] = chain.moved(chain.node(&format!("bobs[{bob}]")), "translation");
        assert_eq!((times.len(), places.len()), (rows.len(), 3 * rows.len()));
        for (k, row) in rows.iter().enumerate() {
            let q = numbers(row, "q");
            assert_eq!(places[3 * k..3 * k + 2], [q[2 * bob] as f32, q[2 * bob + 1] as f32]);
            assert!((f64::from(times[k]) - row["t"].as_f64().unwrap()).abs() < 1e-6);
        }
    }

    // A box is turned as its matrix, whose rows stand one behind the other.
    let (body, rows) = recorded("run rigid-body --method so3-verlet --step 0.05 --until 4", "body");
    let [_, turns] = body.moved(body.node("box[0]"), "rotation");
    for (turn, row) in turns.as_chunks::<4>().0.iter().zip(&rows) {
        let [x, y, z, w] = turn.map(f64::from);
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let matrix = Matrix3::from_row_slice(&numbers(row, "q"));
        assert!((turn.to_rotation_matrix().matrix() - matrix).amax() < 1e-6);
    }

    // A cone stands between its ends, 0.8 of the axis of the top, and has the radius of its base.
    let (top, rows) = recorded("run top --method variational-midpoint --step 0.01 --until 0.2", "top");
    let cone = top.node("body[0]");
    let [_, middles] = top.moved(cone, "translation");
    let [_, sizes] = top.moved(cone, "scale");
    for ((middle, size), row) in middles.chunks(3).zip(sizes.chunks(3)).zip(&rows) {
        let u = numbers(row, "q");
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(u[0], u[1], u[2], u[3]));
        let axis = turn * least_action::nalgebra::Vector3::z();
        assert!((0..3).all(|k| (f64::from(middle[k]) - 0.4 * axis[k]).abs() < 1e-6), "{middle:?} {axis}");
        assert!((size[0] - 0.45).abs() < 1e-6 && (size[1] - 0.8).abs() < 1e-6, "{size:?}");
    }
    let mesh = top.item("meshes", &top.document["nodes"][cone]["mesh"]);
    let places = top.floats(&mesh["primitives"][0]["attributes"]["POSITION"]);
    let reach = |y: f32| {
        let of_end = places.chunks(3).filter(|place| place[1] == y);
        of_end.map(|place| place[0].hypot(place[2])).fold(0.0_f32, f32::max)
    };
    assert!(reach(-0.5) == 0.0 && (reach(0.5) - 1.0).abs() < 1e-6, "an apex and a base");

    // A skin takes each corner of a surface from where it was to where its point is.
    let run = "run cube --set cells=1 --method verlet --step 1e-8 --until 1e-5 --every 100";
    let (cube, rows) = recorded(run, "cube");
    let surface = &cube.document["nodes"][cube.node("surface")];
    let (skin, primitive) =
        (cube.item("skins", &surface["skin"]), &cube.item("meshes", &surface["mesh"])["primitives"][0]);
    let (places, inverse) =
        (cube.floats(&primitive["attributes"]["POSITION"]), cube.floats(&skin["inverseBindMatrices"]));
    let joints = skin["joints"].as_array().unwrap();
    let of_corners = cube.indices(&primitive["attributes"]["JOINTS_0"]);
    let corners = cube.indices(&primitive["indices"]);
    assert!(corners.len() >= 36 && corners.iter().all(|corner| *corner < joints.len()));
    let last = numbers(rows.last().unwrap(), "q");
    let size = last.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    for corner in 0..joints.len() {
        assert_eq!(of_corners[4 * corner..4 * corner + 4], [corner, 0, 0, 0]);
        let node = cube.item("nodes", &joints[corner]);
        let name = node["name"].as_str().unwrap();
        let point: usize = name.split(['[', ']']).nth(1).unwrap().parse().unwrap();
        let scale = node["scale"][0].as_f64().unwrap();
        let [_, path] = cube.moved(cube.node(name), "translation");
        for k in 0..3 {
            let own = f64::from(inverse[16 * corner + 5 * k]) * f64::from(places[3 * corner + k])
                + f64::from(inverse[16 * corner + 12 + k]);
            let place = scale * own + f64::from(path[path.len() - 3 + k]);
            assert!((place - last[3 * point + k]).abs() < 1e-5 * size, "{name}");
        }
    }
}

#[test]
fn what_has_no_points_and_what_is_saved_is_refused() {
    let workshop = Workshop::new("no-points");
    for (line, word) in [
        (
            "run oscillator --method verlet --step 1e-4 --until 1e-3 --out x.xyz",
            "holds points, and `oscillator` has none",
        ),
        ("run oscillator --method verlet --step 1e-4 --until 1e-3 --out x.glb", "holds points"),
        ("run chain --method rattle --step 0.1 --until 1 --out x.pvd --checkpoint c", "--checkpoint"),
        ("run chain --method rattle --step 0.1 --until 1 --out x.glb --checkpoint c", "--checkpoint"),
        ("run chain --method rattle --step 0.1 --until 1 --out x.vtk", ".xyz, .pvd or .glb"),
    ] {
        let ended = workshop.command(line);
        assert_eq!((ended.code, ended.err.lines().count()), (2, 1), "{line}: {}", ended.err);
        assert!(ended.err.contains(word), "{line}: {}", ended.err);
        assert_eq!(fs::read_dir(workshop.path("")).unwrap().count(), 0, "{line}");
    }
}

/// Reads a file by a library of Python, which prints numbers as JSON; none where the library is not
/// there.
fn by_python(workshop: &Workshop, library: &str, script: &str) -> Option<Value> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let run = |code: &str| Command::new(&python).args(["-c", code]).current_dir(workshop.path("")).output();
    if !run(&format!("import {library}")).is_ok_and(|output| output.status.success()) {
        println!(
            "there is no {library} for `{python}`: its reading is left out; `pip install {library}` has it"
        );
        return None;
    }
    let output = run(script).unwrap();
    assert!(output.status.success(), "{library}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn readers_of_others_read_the_same_numbers() {
    let workshop = Workshop::new("readers");
    for format in ["xyz", "pvd", "glb", "json"] {
        workshop.done(&format!("{BOX} --out box.{format}"));
    }
    let rows = workshop.rows("box.json");
    let is = |read: &Value, expected: &[f64], tolerance: f64| {
        let read: Vec<f64> = read.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(read.len() >= expected.len(), "{} {}", read.len(), expected.len());
        for (x, y) in read.iter().zip(expected) {
            assert!((x - y).abs() <= tolerance, "{x} {y}");
        }
    };
    let script = "
import json, ase.io
frames = ase.io.read('box.xyz', ':')
last = frames[-1]
print(json.dumps(dict(count=len(frames), time=last.info['time'], energy=last.info['total_energy'], pbc=[bool(x) for x in last.pbc],
    q=last.positions.ravel().tolist(), v=last.arrays['velo'].ravel().tolist())))";
    let last = rows.last().unwrap();
    if let Some(read) = by_python(&workshop, "ase", script) {
        assert_eq!(
            (read["count"].as_u64(), &read["time"], &read["energy"]),
            (Some(6), &last["t"], &last["energy"])
        );
        assert_eq!(read["pbc"], serde_json::json!([true, true, true]));
        let angstroms = |name: &str| numbers(last, name).iter().map(|x| 10.0 * x).collect::<Vec<f64>>();
        is(&read["q"], &angstroms("q"), 0.0);
        is(&read["v"], &angstroms("v"), 0.0);
    }
    let script = "
import json, meshio
mesh = meshio.read('box/frame-000005.vtu')
print(json.dumps(dict(q=mesh.points.ravel().tolist(), v=mesh.point_data['velocity'].ravel().tolist(), cells={c.type: len(c.data) for c in mesh.cells})))";
    if let Some(read) = by_python(&workshop, "meshio", script) {
        is(&read["q"], &numbers(last, "q"), 0.0);
        is(&read["v"], &numbers(last, "v"), 0.0);
        assert_eq!(read["cells"], serde_json::json!({ "vertex": 96, "line": 96 }));
    }
    let script = "
import json, trimesh
scene = trimesh.load('box.glb', force='scene')
places = [scene.graph.get(f'atoms[{k}]')[0][:3, 3].tolist() for k in range(96)]
print(json.dumps(dict(q=[x for place in places for x in (place[0], -place[2], place[1])])))";
    if let Some(read) = by_python(&workshop, "trimesh", script) {
        is(&read["q"], &numbers(&rows[0], "q"), 1e-5);
    }
}
