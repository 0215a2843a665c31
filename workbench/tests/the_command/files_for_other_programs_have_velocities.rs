//! Points that are no coordinates have the derivative of their place as velocity, in VTK and in XYZ;
//! bodies have their masses and turns in XYZ, and glTF has the first time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::{Directory, ready};

/// The numbers of an array of VTK.
fn array(text: &str, name: &str) -> Vec<f64> {
    let (_, rest) = text.split_once(&format!("Name=\"{name}\"")).unwrap();
    let bytes = STANDARD.decode(rest.split_once('>').unwrap().1.split_once('<').unwrap().0).unwrap();
    bytes[8..].as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

/// The words of the points of a frame of XYZ, and the line of its properties.
fn frame(text: &str, number: usize) -> (String, Vec<Vec<String>>) {
    let points: usize = text.lines().next().unwrap().parse().unwrap();
    let mut lines = text.lines().skip((points + 2) * number + 1);
    let properties = lines.next().unwrap().to_owned();
    (properties, lines.take(points).map(|line| line.split(' ').map(str::to_owned).collect()).collect())
}

fn numbers(words: &[String]) -> Vec<f64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn velocities_are_derivatives_of_places() {
    let directory = Directory::new();
    let path = |name: &str| directory.path(name);
    let run = "run cart-pendulum --method variational-midpoint --step 0.01 --until 0.5 --every 10 --format json --out";
    for name in ["c.pvd", "c.xyz", "c.json"] {
        ready(&format!("{run} {}", path(name))).json();
    }
    let rows: Value = serde_json::from_str(&std::fs::read_to_string(path("c.json")).unwrap()).unwrap();
    let xyz = std::fs::read_to_string(path("c.xyz")).unwrap();
    for (k, row) in rows.as_array().unwrap().iter().enumerate() {
        let of = |name: &str, place: usize| row[name][place].as_f64().unwrap();
        let (theta, rate, rod) = (of("q", 1), of("v", 1), 0.5);
        let right = [of("v", 0) + rod * theta.cos() * rate, rod * theta.sin() * rate, 0.0];
        let vtk = std::fs::read_to_string(path(&format!("c/frame-{k:06}.vtu"))).unwrap();
        let (places, velocities) = (array(&vtk, "Points"), array(&vtk, "velocity"));
        let at = [of("q", 0) + rod * theta.sin(), -rod * theta.cos(), 0.0];
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        let bob = places.chunks(3).position(|place| near(place, &at)).unwrap();
        assert!(near(&velocities[3 * bob..], &right), "{k}: {velocities:?} {right:?}");
        let (properties, points) = frame(&xyz, k);
        assert!(properties.contains("Properties=species:S:1:pos:R:3:velo:R:3:group:S:1"), "{properties}");
        let words = points.iter().find(|words| words[7] == "bob").unwrap();
        assert!(near(&numbers(&words[1..7]), &[at, right].concat()), "{words:?} {right:?}");
    }
}

#[test]
fn velocities_of_the_author_s_own_points_are_differences() {
    // The top draws its points by a closure: those on its axis turn with it.
    let directory = Directory::new();
    let out = directory.path("top.xyz");
    ready(&format!(
        "run top --method variational-midpoint --step 1e-3 --until 0.02 --format json --out {out}"
    ));
    let text = std::fs::read_to_string(out).unwrap();
    let (_, before) = frame(&text, 9);
    let (_, at) = frame(&text, 10);
    let (_, after) = frame(&text, 11);
    let mut fastest = 0.0_f64;
    for ((before, at), after) in before.iter().zip(&at).zip(&after) {
        let [before, at, after] = [before, at, after].map(|words| numbers(&words[1..7]));
        for k in 0..3 {
            let difference = (after[k] - before[k]) / 2e-3;
            assert!((at[3 + k] - difference).abs() < 1e-3 * (1.0 + difference.abs()), "{at:?} {difference}");
            fastest = fastest.max(at[3 + k].abs());
        }
    }
    assert!(fastest > 0.1, "{fastest}");
}

#[test]
fn bodies_have_their_turns_and_their_masses() {
    let directory = Directory::new();
    let out = directory.path("b.xyz");
    ready(&format!("run rigid-body --method so3-verlet --step 0.01 --until 0.5 --format json --out {out}"));
    let (properties, points) = frame(&std::fs::read_to_string(&out).unwrap(), 50);
    assert!(properties.contains(":orientation:R:4:group:S:1"), "{properties}");
    let json = ready("run rigid-body --method so3-verlet --step 0.01 --until 0.5 --format json").json();
    let turn = numbers(&points[0][points[0].len() - 5..points[0].len() - 1]);
    // The matrix of the quaternion x, y, z, w.
    let (u, w) = (&turn[..3], turn[3]);
    let length: f64 = turn.iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-14);
    for (k, entry) in json["q"].as_array().unwrap().iter().enumerate() {
        let (i, j) = (k / 3, k % 3);
        let across = [[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]][i][j];
        let right = 2.0 * (u[i] * u[j] + w * across) + if i == j { 2.0 * w * w - 1.0 } else { 0.0 };
        assert!((entry.as_f64().unwrap() - right).abs() < 1e-12, "{k}: {entry} {right}");
    }
    let out = directory.path("d.xyz");
    ready(&format!(
        "run double-pendulum --set masses=[1.5,0.25] --method rattle --step 0.01 --until 0.1 --out {out}"
    ));
    let (properties, points) = frame(&std::fs::read_to_string(&out).unwrap(), 3);
    assert!(properties.contains(":velo:R:3:masses:R:1:group:S:1"), "{properties}");
    assert_eq!([&*points[0][7], &*points[1][7]], ["1.5", "0.25"]);
}

#[test]
fn a_motion_that_begins_later_says_so() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"t": 7.5, "q": [1, 0, 2, -1], "v": [0, 0, 0, 0]}"#);
    let out = directory.path("d.glb");
    ready(&format!("run double-pendulum --method rattle --step 0.01 --until 9 --start {start} --out {out}"));
    let bytes = std::fs::read(out).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""extras":{"first_time":7.5,"seconds_per_time":1.0}"#), "{}", &text[..400]);
    // The words of the motion's bits are no numbers that readers of JSON round.
    let (_, rest) = text.split_once(r#""motion":[["#).unwrap();
    assert!(rest[1..17].bytes().all(|byte| byte.is_ascii_hexdigit()), "{}", &rest[..40]);
}
