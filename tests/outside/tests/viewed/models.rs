//! The pages of the ready models: bodies are drawn at their places in the run.

use serde_json::{Value, json};

use super::browser::Browser;
use super::workshop::{Workshop, size};

/// Methods in the order in which they are taken, where they fit.
const METHODS: [&str; 4] = ["rattle", "verlet", "variational-midpoint", "reference"];

/// A step that resolves the motion of a model, where the usual one does not.
const STEPS: [(&str, f64); 12] = [
    ("argon", 1e-5),
    ("cube", 1e-8),
    ("driven-pendulum", 1e-5),
    ("driven-pendulum-cartesian", 1e-5),
    ("driven-double-pendulum", 1e-5),
    ("oscillator", 1e-4),
    ("spring-pendulum", 1e-4),
    ("water", 5e-4),
    ("water-box", 2e-4),
    ("car-axis", 2e-4),
    ("jointed-boxes", 1e-3),
    ("dna", 0.05),
];

/// Where a point is in the picture, by the camera that the page states, and nothing else of the page.
pub(crate) fn projected(camera: &Value, centre: [f64; 3], half: f64, place: [f64; 3]) -> [f64; 2] {
    let number = |value: &Value| value.as_f64().unwrap();
    let target: Vec<f64> = camera["target"].as_array().unwrap().iter().map(number).collect();
    let turn: Vec<f64> = camera["turn"].as_array().unwrap().iter().map(number).collect();
    let from: Vec<f64> = (0..3).map(|k| (place[k] - centre[k]) / half - target[k]).collect();
    let [x, y, z] = [0, 1, 2].map(|row| (0..3).map(|k| turn[3 * row + k] * from[k]).sum::<f64>());
    // In the plane the eye is infinitely far away.
    let nearer = camera["distance"].as_f64().map_or(1.0, |distance| distance / (distance - z));
    let scale = number(&camera["scale"]) * nearer;
    [number(&camera["width"]) / 2.0 + scale * x, number(&camera["height"]) / 2.0 - scale * y]
}

/// The statements of the page about its camera and its numbers.
pub(crate) fn frame_of_reference(browser: &mut Browser) -> (Value, [f64; 3], f64) {
    let camera = browser.evaluate("leastAction.camera.state()");
    let head =
        browser.evaluate("({ centre: leastAction.motion.head.centre, half: leastAction.motion.head.half })");
    let centre = [0, 1, 2].map(|k| head["centre"][k].as_f64().unwrap());
    (camera, centre, head["half"].as_f64().unwrap())
}

/// How many of these pixels change when bodies, surfaces and boxes are not drawn.
pub(crate) fn drawn(browser: &mut Browser, pixels: &[[f64; 2]]) -> usize {
    let script = "(() => {
        const { picture, draw } = leastAction;
        const pixels = PIXELS;
        const read = () => pixels.map(([x, y]) => [...picture.context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data].join());
        draw();
        const all = read();
        const { kinds, scene } = picture;
        const solids = picture.solids.all;
        picture.kinds = kinds.map(() => 'hidden');
        picture.scene = { ...scene, faces: [], boxes: [] };
        picture.solids.all = [];
        draw();
        const without = read();
        Object.assign(picture, { kinds, scene });
        picture.solids.all = solids;
        draw();
        return all.filter((pixel, k) => pixel !== without[k]).length;
    })()";
    let changed = browser.evaluate(&script.replace("PIXELS", &json!(pixels).to_string()));
    usize::try_from(changed.as_u64().unwrap()).unwrap()
}

/// The places of all entries that are vectors, in a row of a recording.
fn places(coordinates: &[Value], q: &[f64]) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for coordinate in coordinates {
        let components = match coordinate["kind"].as_str().unwrap() {
            "vec2" => 2,
            "vec3" => 3,
            _ => continue,
        };
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let entries: usize = coordinate["lengths"].as_array().unwrap().iter().map(number).product();
        let offset = number(&coordinate["offset"]);
        for entry in q[offset..offset + entries * components].chunks(components) {
            places.push([0, 1, 2].map(|k| entry.get(k).copied().unwrap_or(0.0)));
        }
    }
    places
}

fn q_of(row: &Value) -> Vec<f64> {
    row["q"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Places moved by the edges of a periodic cell by which the page moves its first points, which entries
/// are; that these are in the cell is tested below.
fn in_their_cell(browser: &mut Browser, places: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let moves = browser.evaluate(
        "(() => {
            const { motion, picture, draw } = leastAction;
            draw();
            const moved = motion.positions(leastAction.player.place, new Float32Array(3 * motion.points));
            return [...picture.positions].map((x, k) => motion.head.half * (x - moved[k]));
        })()",
    );
    let moves: Vec<f64> = moves.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(0.0)).collect();
    let places = places.iter().zip(moves.chunks(3));
    places.map(|(place, by)| [0, 1, 2].map(|k| place[k] + by[k])).collect()
}

/// Each ready model makes a page without an error and without a request, and at three times its bodies
/// are where the recording says.
pub(crate) fn bodies_are_drawn_where_they_are(browser: &mut Browser, workshop: &Workshop) {
    browser.resize(1200, 900);
    let models: Value = serde_json::from_str(&workshop.done("models --format json")).unwrap();
    let (mut points, mut curves) = (0, 0);
    for model in models["models"].as_array().unwrap() {
        let name = model["name"].as_str().unwrap();
        let fits = model["methods"].as_array().unwrap();
        let method = METHODS.iter().find(|method| fits.iter().any(|fit| fit == **method)).unwrap();
        let step = STEPS.iter().find(|(of, _)| *of == name).map_or(2e-3, |(_, step)| *step);
        let until = 40.0 * step;
        let run = format!(
            "run {name} --method {method} --step {step:e} --until {until:e} --view {name}.html --out {name}.json"
        );
        workshop.done(&run);
        let url = workshop.url(&format!("{name}.html"));
        browser.open(&url);
        let rows = workshop.rows(&format!("{name}.json"));
        assert_eq!(browser.number("leastAction.motion.frames"), rows.len() as f64, "{name}");
        let description: Value =
            serde_json::from_str(&workshop.done(&format!("describe {name} --format json"))).unwrap();
        let coordinates = description["coordinates"].as_array().unwrap();
        for frame in [0, rows.len() / 2, rows.len() - 1] {
            browser.evaluate(&format!("leastAction.player.seek({frame})"));
            let all = places(coordinates, &q_of(&rows[frame]));
            if all.is_empty() {
                let shown = browser.evaluate(
                    "(() => {
                        const { picture, motion, draw } = leastAction;
                        if (motion.points > 0) draw();
                        const { width, height } = picture.canvas;
                        const data = picture.context.getImageData(0, 0, width, height).data;
                        const stage = rgb(leastAction.picture.theme.stage);
                        let count = 0;
                        for (let k = 0; k < data.length; k += 4) if (Math.abs(data[k] - stage[0]) + Math.abs(data[k + 1] - stage[1]) > 60) count++;
                        return count;
                    })()",
                );
                assert!(shown.as_u64().unwrap() > 200, "{name}: {shown} pixels");
                curves += 1;
                continue;
            }
            let (camera, centre, half) = frame_of_reference(browser);
            let all = in_their_cell(browser, &all);
            let some = all.iter().step_by(all.len().div_ceil(25));
            let pixels: Vec<[f64; 2]> = some.map(|place| projected(&camera, centre, half, *place)).collect();
            // Of many, a few may be behind a rod.
            let seen = drawn(browser, &pixels);
            assert!(
                seen + pixels.len() / 10 >= pixels.len(),
                "{name} at frame {frame}: {seen} of {pixels:?}"
            );
            points += seen;
        }
        browser.complain(&url);
        assert!(size(&workshop.path(&format!("{name}.html"))) < 2_000_000, "{name}");
    }
    assert!(points > 500 && curves >= 10, "{points} {curves}");
}

/// Atoms that have left their cell are drawn in it, whole edges from where the recording has them;
/// molecules stay whole.
pub(crate) fn bodies_in_a_cell_are_drawn_in_it(browser: &mut Browser, workshop: &Workshop) {
    let runs = [
        ("liquid --method verlet --step 0.004", 2.0, 1),
        ("water-box --set temperature=3000 --method rattle --step 0.001", 0.3, 3),
    ];
    for (run, until, atoms) in runs {
        workshop.done(&format!("run {run} --until {until} --every 10 --view cell.html"));
        browser.open(&workshop.url("cell.html"));
        browser.evaluate("leastAction.player.seek(leastAction.motion.frames - 1); leastAction.draw()");
        let told = browser.evaluate(
            "(() => {
                const { motion, picture } = leastAction;
                const { centre, half, scene } = motion.head;
                const edge = scene.cell[0][0];
                const inEdges = (positions) => [...positions].map((x, k) => (half * x + centre[k % 3]) / edge);
                const moved = inEdges(motion.positions(motion.frames - 1, new Float32Array(3 * motion.points)));
                return [moved, inEdges(picture.positions)];
            })()",
        );
        let [moved, drawn] = [0, 1].map(|k| -> Vec<f64> {
            told[k].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        });
        let middles = |all: &[f64]| -> Vec<f64> {
            let molecules = all.chunks(3 * atoms);
            let mean =
                |atoms_of: &[f64], k: usize| atoms_of.iter().skip(k).step_by(3).sum::<f64>() / atoms as f64;
            molecules.flat_map(|one| [0, 1, 2].map(|k| mean(one, k))).collect()
        };
        let is_in = |x: &f64| (-0.003..1.003).contains(x);
        assert!(!middles(&moved).iter().all(is_in), "{run}: no atom has left the cell");
        assert!(middles(&drawn).iter().all(is_in), "{run}: {drawn:?}");
        for (one, other) in moved.chunks(3 * atoms).zip(drawn.chunks(3 * atoms)) {
            for k in 0..3 * atoms {
                let (edges, of_first) = (one[k] - other[k], one[k % 3] - other[k % 3]);
                assert!(
                    (edges - edges.round()).abs() < 1e-3 && edges.round() == of_first.round(),
                    "{run}: {edges}"
                );
            }
        }
    }
}

/// The bobs of a double pendulum in angles, by the formulas of its declaration.
pub(crate) fn an_angle_is_drawn_where_its_bob_is(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("run double-pendulum-angles --method reference --step 0.05 --until 10 --view angles.html --out angles.json");
    browser.open(&workshop.url("angles.html"));
    let rows = workshop.rows("angles.json");
    for frame in [0, 77, 200] {
        browser.evaluate(&format!("leastAction.player.seek({frame})"));
        let q = q_of(&rows[frame]);
        let upper = [q[0].sin(), -q[0].cos(), 0.0];
        let lower = [upper[0] + 2.0_f64.sqrt() * q[1].sin(), upper[1] - 2.0_f64.sqrt() * q[1].cos(), 0.0];
        let (camera, centre, half) = frame_of_reference(browser);
        let pixels = [upper, lower].map(|place| projected(&camera, centre, half, place));
        assert_eq!(drawn(browser, &pixels), 2, "frame {frame}: {pixels:?}");
        // A place where no body is does not change.
        let beside = pixels.map(|[x, y]| [x + 60.0, y]);
        assert_eq!(drawn(browser, &beside), 0, "frame {frame}");
    }
}
