//! Random declarations, by every method: a believed motion is right, and a right motion is believed.
//!
//! Each declaration is a text of Rust with up to three coordinates, coupled masses, potentials, forces,
//! dissipations, and rows on positions and velocities, in a crate outside of the workspace. Some points
//! go round in circles, and something follows their angle; some numbers have no mass, and a damper or a
//! row.
//! Right is the end of `reference` at a tolerance of 1e-11, and the judge of a method is its convergence:
//! with an eighth of the step the error is at most 0.4 of the error, or near the last digits.

use crate::workshop::{PROFILE, folder, program, root, target};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// splitmix64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.word() % bound as u64).unwrap()
    }

    fn often(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A number with three digits, so that the text and the start have the same.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = (self.word() >> 11) as f64 / (1_u64 << 53) as f64;
        ((low + (high - low) * part) * 1000.0).round() / 1000.0
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// The kinds of coordinates, with the ends of the expressions of their entries.
const KINDS: [(&str, &[&str]); 4] =
    [("Scalar", &[""]), ("Angle", &[""]), ("Vec2", &[".x", ".y"]), ("Vec3", &[".x", ".y", ".z"])];

/// The name of the coordinate without mass.
const LIGHT: &str = "f";

/// A declaration in the making, at its start.
struct Declaration {
    random: Random,
    /// `a: Scalar, b: Vec2`.
    arguments: String,
    /// The names and kinds of the coordinates, and all entries as expressions.
    coordinates: Vec<(String, &'static str)>,
    entries: Vec<String>,
    methods: String,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Orthonormal directions that rows take from the velocities.
    taken: Vec<Vec<f64>>,
}

impl Declaration {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let (mut coordinates, mut entries) = (Vec::new(), Vec::new());
        for name in ["a", "b", "c"].iter().take(1 + random.below(3)) {
            let (kind, ends) = *random.one_of(&KINDS);
            coordinates.push(((*name).to_owned(), kind));
            entries.extend(ends.iter().map(|end| format!("{name}{end}")));
        }
        let arguments: Vec<String> =
            coordinates.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
        let [q, v] = [1.2, 1.0].map(|most| entries.iter().map(|_| random.between(-most, most)).collect());
        let (methods, taken) = (String::new(), Vec::new());
        let mut made =
            Self { random, arguments: arguments.join(", "), coordinates, entries, methods, q, v, taken };
        let angle = made.random.often(30).then(|| made.add_circle()).flatten();
        if made.random.often(45) {
            made.add_rows();
        }
        let light = made.random.often(30).then(|| made.add_light(angle.as_deref()));
        let extra = light.or_else(|| angle.map(|angle| format!("- 0.3 * {angle}.powi(2)")));
        made.add_lagrangian(extra);
        made.add_forces();
        made
    }

    /// Sends a point around a circle, fast enough for more than a turn; returns the angle.
    fn add_circle(&mut self) -> Option<String> {
        let (place, _) = self.of_kind(&["Vec2"])?;
        let at = self.entries.iter().position(|entry| entry.starts_with(&place)).unwrap();
        let (radius, speed) = (self.random.between(0.8, 1.2), self.random.between(3.0, 5.0));
        let (q, v) = (&mut self.q[at..at + 2], &mut self.v[at..at + 2]);
        let turned = q[1].atan2(q[0]);
        q.copy_from_slice(&[radius * turned.cos(), radius * turned.sin()]);
        v.copy_from_slice(&[-speed * turned.sin(), speed * turned.cos()]);
        let mut gradient = vec![0.0; self.q.len()];
        gradient[at..at + 2].copy_from_slice(&self.q[at..at + 2]);
        self.take(&gradient);
        let arguments = &self.arguments;
        let _ = writeln!(
            self.methods,
            "#[holonomic] fn circle(&self, {arguments}) -> Scalar {{ {place}.norm_squared() - {radius:?}_f64.powi(2) }}"
        );
        Some(format!("{place}.y.atan2({place}.x)"))
    }

    /// Adds a number without mass, which a damper moves or a row holds, and returns its potential.
    fn add_light(&mut self, angle: Option<&str>) -> String {
        let (entry, at) = (self.entry(), self.random.below(2));
        let followed = self.entries.iter().position(|other| *other == entry).unwrap();
        let [a, b, c] = [0.2, 0.3, 0.4].map(|low| self.random.between(low, 1.0));
        self.arguments += &format!(", {LIGHT}: Scalar");
        let (arguments, q, v) = (self.arguments.clone(), self.q[followed], self.v[followed]);
        let (method, place) = if at == 0 {
            let law = format!("{a:?} * {entry}.sin() + {b:?} * der({entry}) - {c:?} * der({LIGHT})");
            (format!("#[force({LIGHT})] fn rate(&self, {arguments}) -> Scalar {{ {law} }}"), [q, 0.0])
        } else {
            let (of, at) = match angle {
                Some(angle) => {
                    let place = angle.split('.').next().map(|place| format!("{place}.x"));
                    let x = self.entries.iter().position(|entry| Some(entry) == place.as_ref()).unwrap();
                    let [x, y] = [x, x + 1];
                    let ([x, y], [vx, vy]) = ([self.q[x], self.q[y]], [self.v[x], self.v[y]]);
                    (angle.to_owned(), [y.atan2(x), (x * vy - y * vx) / (x * x + y * y)])
                }
                None => {
                    (format!("({entry} + {b:?} * {entry}.powi(2))"), [q + b * q * q, (1.0 + 2.0 * b * q) * v])
                }
            };
            let row = format!("{LIGHT} - {a:?} * {of}");
            (
                format!("#[holonomic] fn hold(&self, {arguments}) -> Scalar {{ {row} }}"),
                at.map(|part| a * part),
            )
        };
        let _ = writeln!(self.methods, "{method}");
        self.q.push(place[0]);
        self.v.push(place[1]);
        format!("- {c:?} * ({LIGHT} - {entry}).powi(2)")
    }

    fn entry(&mut self) -> String {
        let at = self.random.below(self.entries.len());
        self.entries[at].clone()
    }

    fn of_kind(&mut self, kinds: &[&str]) -> Option<(String, &'static str)> {
        let found: Vec<_> = self.coordinates.iter().filter(|(_, kind)| kinds.contains(kind)).collect();
        (!found.is_empty()).then(|| (*self.random.one_of(&found)).clone())
    }

    fn add_lagrangian(&mut self, extra: Option<String>) {
        let mut terms: Vec<String> = extra.into_iter().collect();
        for entry in self.entries.clone() {
            let [mass, stiffness] =
                [(0.5, 2.0), (0.5, 8.0)].map(|(low, high)| self.random.between(low, high));
            terms.push(format!("{mass:?} * der({entry}).powi(2)"));
            terms.push(format!("- {stiffness:?} * {entry}.powi(2)"));
        }
        if let (Some((angle, _)), true) = (self.of_kind(&["Angle"]), self.random.often(60)) {
            let (along, rod) = (self.entry(), self.random.between(0.3, 1.2));
            let along = if along == angle { "0.0".to_owned() } else { along };
            terms.push(format!(
                "0.5 * der(vec2({along} + {rod:?} * {angle}.sin(), -{rod:?} * {angle}.cos())).norm_squared()"
            ));
            terms.push(format!("{:?} * {angle}.cos()", self.random.between(0.5, 9.81)));
        }
        for _ in 0..self.random.below(4) {
            let [one, other] = [self.entry(), self.entry()];
            let k = self.random.between(-1.0, 1.0);
            terms.push(match self.random.below(9) {
                0 => format!("- {:?} * {one}.powi(4)", k.abs()),
                1 => format!("{k:?} * {one}.cos()"),
                2 => format!("{k:?} * (1.0 + {one}.powi(2)).ln()"),
                3 => format!("{k:?} * (-({one} - {other} + 0.2).powi(2)).exp()"),
                4 => format!("{k:?} * (0.1 + {one}.powi(2)).sqrt()"),
                5 => format!("{k:?} * {one} * {other}"),
                6 => format!("{k:?} * {one} * ({:?} * t).cos()", self.random.between(0.5, 4.0)),
                7 => format!("0.3 * {:?} * {one}.powi(2) * der({other}).powi(2)", k.abs()),
                _ => format!("- {k:?} * {one}.tanh()"),
            });
        }
        if let Some((place, _)) = self.of_kind(&["Vec2", "Vec3"]) {
            let k = self.random.between(-1.0, 1.0);
            match self.random.below(4) {
                0 => terms.push(format!("{k:?} / (0.3 + {place}.norm_squared())")),
                1 => terms.push(format!("{k:?} * {place}.norm().powi(3)")),
                2 => terms.push(format!("{k:?} * ({place}.norm_squared() + 0.01).powf(0.5)")),
                _ => {}
            }
        }
        let (arguments, terms) = (&self.arguments, terms.join(" + ").replace("+ -", "-"));
        let time = if terms.contains("* t)") { ", t: Time" } else { "" };
        let _ = writeln!(self.methods, "fn lagrangian(&self, {arguments}{time}) -> Scalar {{ {terms} }}");
    }

    fn add_forces(&mut self) {
        let (one, c) = (self.entry(), self.random.between(0.05, 0.6));
        let potential = match self.random.below(8) {
            0 => format!("{c:?} * der({one}).powi(2)"),
            1 => format!("{c:?} * (der({one}).powi(2) + 0.01).sqrt()"),
            2 => match self.of_kind(&["Vec2", "Vec3"]) {
                Some((place, _)) => format!("{c:?} * der({place}).norm().powi(3)"),
                None => format!("{c:?} * der({one}).powi(4)"),
            },
            _ => String::new(),
        };
        let arguments = self.arguments.clone();
        if !potential.is_empty() {
            let _ = writeln!(
                self.methods,
                "#[dissipation] fn losses(&self, {arguments}) -> Scalar {{ {potential} }}"
            );
        }
        if !self.random.often(35) {
            return;
        }
        let at = self.random.below(self.coordinates.len());
        let (name, kind) = self.coordinates[at].clone();
        let (body, time) = match (kind, self.random.below(3)) {
            ("Vec2", 0) => (format!("{c:?} * vec2(der({name}).y, -der({name}).x)"), ""),
            ("Vec2" | "Vec3", _) => (format!("-{c:?} * der({name}).norm() * der({name})"), ""),
            (_, 0) => (format!("{c:?} * (2.0 * t).sin()"), ", t: Time"),
            (_, 1) => (format!("-{c:?} * {name}.powi(3)"), ""),
            _ => (format!("-{c:?} * der({name})"), ""),
        };
        let kind = if kind == "Angle" { "Scalar" } else { kind };
        let _ = writeln!(
            self.methods,
            "#[force({name})] fn push(&self, {arguments}{time}) -> {kind} {{ {body} }}"
        );
    }

    /// Rows through the start: quadratic ones on positions, and some on velocities.
    fn add_rows(&mut self) {
        let n = self.entries.len();
        let arguments = self.arguments.clone();
        for row in 0..self.random.below(3) {
            let on_velocities = self.random.often(25);
            let factors: Vec<[f64; 2]> = (0..n)
                .map(|_| {
                    if self.random.often(70) {
                        [0, 1].map(|_| self.random.between(-1.0, 1.0))
                    } else {
                        [0.0; 2]
                    }
                })
                .collect();
            // g = Σ (α z² + β z), or Σ (α z + β) ż with the entry z before each.
            let gradient: Vec<f64> = (0..n)
                .map(|i| {
                    let [square, linear] = factors[i];
                    let other = if on_velocities { self.q[(i + n - 1) % n] } else { 2.0 * self.q[i] };
                    square * other + linear
                })
                .collect();
            if self.taken.len() + 1 >= n || !self.take(&gradient) {
                continue;
            }
            let mut text = String::new();
            for (i, [square, linear]) in factors.iter().enumerate() {
                let (entry, other) = (&self.entries[i], &self.entries[(i + n - 1) % n]);
                if *square == 0.0 && *linear == 0.0 {
                } else if on_velocities {
                    let _ = write!(text, "({square:?} * {other} + {linear:?}) * der({entry}) + ");
                } else {
                    let _ = write!(text, "({square:?} * {entry} + {linear:?}) * {entry} + ");
                }
            }
            let level: f64 = factors.iter().zip(&self.q).map(|([a, b], z)| (a * z + b) * z).sum();
            let (kind, level) = if on_velocities { ("nonholonomic", 0.0) } else { ("holonomic", level) };
            let _ = writeln!(
                self.methods,
                "#[{kind}] fn row{row}(&self, {arguments}) -> Scalar {{ {text}({:?}) }}",
                -level
            );
        }
    }

    /// Takes the direction of a row from the velocities; false if the rows before have most of it.
    fn take(&mut self, gradient: &[f64]) -> bool {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut own = gradient.to_vec();
        for taken in &self.taken {
            let part = dot(&own, taken);
            own.iter_mut().zip(taken).for_each(|(own, taken)| *own -= part * taken);
        }
        let norm = dot(&own, &own).sqrt();
        if norm < 0.3 {
            return false;
        }
        own.iter_mut().for_each(|own| *own /= norm);
        self.taken.push(own);
        // Twice, against rounding.
        for _ in 0..2 {
            for taken in &self.taken {
                let part = dot(&self.v, taken);
                self.v.iter_mut().zip(taken).for_each(|(v, taken)| *v -= part * taken);
            }
        }
        true
    }

    fn source(&self, name: &str) -> String {
        let Self { methods, q, v, .. } = self;
        format!(
            "#[derive(Debug, Clone, Default, Serialize, Deserialize)]\npub struct {name} {{}}\n\
             #[lagrangian]\nimpl {name} {{\n{methods}}}\n\
             impl Start for {name} {{ fn start(&self) -> State {{ State::new(vec!{q:?}, vec!{v:?}) }} }}\n"
        )
    }
}

/// The program of a crate with these declarations.
fn built(seeds: &[u64]) -> (PathBuf, PathBuf) {
    let directory = folder("random-declarations");
    let mut source = String::from("use least_action::prelude::*;\n");
    let mut models = String::new();
    for seed in seeds {
        source += &format!(
            "/// From the seed {seed}.\n{}",
            Declaration::new(*seed).source(&format!("Model{seed}"))
        );
        let _ = write!(models, ".model::<Model{seed}>(\"m{seed}\")");
    }
    let _ = write!(
        source,
        "fn main() -> std::process::ExitCode {{ least_action_command::Workbench::new(\"drawn\"){models}.main() }}"
    );
    let manifest = format!(
        "{PROFILE}\n[package]\nname = \"drawn\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         least-action = {{ path = \"{0}/integrator-core\" }}\nleast-action-command = {{ path = \"{0}/workbench\", \
         default-features = false }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n",
        root().display()
    );
    fs::create_dir_all(directory.join("src")).unwrap();
    fs::write(directory.join("Cargo.toml"), manifest).unwrap();
    fs::write(directory.join("src/main.rs"), source).unwrap();
    fs::copy(root().join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();
    let mut cargo = program(env!("CARGO"), "build --offline --quiet", &directory);
    let output = cargo.env("CARGO_TARGET_DIR", target()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (target().join("debug/drawn"), directory)
}

/// The end of a run: its places and whether it is believed; or the words of its failure, with its code.
fn run(built: &Path, folder: &Path, line: &str) -> Result<(Vec<f64>, bool), (i32, String)> {
    let output = program(built, &format!("run {line} --until 2 --format json"), folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or(-1);
    let Ok(result) = serde_json::from_slice::<Value>(&output.stdout) else { return Err((code, said)) };
    if code != 0 {
        return Err((code, said));
    }
    let q = result["q"].as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect();
    Ok((q, result["verdict"]["believed"] == true))
}

/// Runs every declaration by every method that takes it, and returns the number of runs and the misses.
fn judge(seeds: &[u64]) -> (usize, Vec<String>) {
    let (built, folder) = built(seeds);
    let listed = program(&built, "models --format json", &folder).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let (mut runs, mut misses) = (0, Vec::new());
    for model in listed["models"].as_array().unwrap() {
        let name = model["name"].as_str().unwrap();
        let reference = format!("{name} --method reference --step 0.1 --with tolerance=1e-11");
        let truth = match run(&built, &folder, &reference) {
            Ok((truth, true)) => truth,
            Ok(_) => {
                misses.push(format!("{reference}: not believed"));
                continue;
            }
            Err((_, said)) => {
                misses.push(format!("{reference}: {said}"));
                continue;
            }
        };
        let error = |q: &[f64]| q.iter().zip(&truth).map(|(q, truth)| (q - truth).abs()).fold(0.0, f64::max);
        for method in model["methods"].as_array().unwrap() {
            let method = method.as_str().unwrap();
            // Its accuracy follows its terraces, whatever the step.
            if method == "energy-stepping" {
                continue;
            }
            let line = |step: f64| format!("{name} --method {method} --step {step}");
            let coarse = run(&built, &folder, &line(0.02));
            runs += 1;
            // Refused in words: it needs an option, such as a penalty.
            if matches!(&coarse, Err((2, _))) {
                continue;
            }
            let fine = run(&built, &folder, &line(0.0025));
            runs += 1;
            let coarse_error = coarse.as_ref().map_or(f64::INFINITY, |(q, _)| error(q));
            match fine {
                Err((code, said)) => misses.push(format!("{}: stopped ({code}), {said}", line(0.0025))),
                Ok((q, believed)) => {
                    let fine_error = error(&q);
                    // `bdf` takes steps of its own, to its tolerance.
                    let floor = if method == "bdf" { 1e-4 } else { 1e-6 };
                    let is_right = fine_error <= (0.4 * coarse_error).max(floor) && fine_error < 0.1;
                    if believed != is_right {
                        let words = if believed { "believed" } else { "not believed" };
                        let line = line(0.0025);
                        misses.push(format!("{line}: {words}, errors {coarse_error:.1e}, {fine_error:.1e}"));
                    }
                }
            }
        }
    }
    (runs, misses)
}

#[test]
fn believed_motions_of_random_declarations_are_right_and_right_ones_are_believed() {
    let (runs, misses) = judge(&(1..=10).collect::<Vec<u64>>());
    assert!(runs > 100, "{runs} runs");
    assert!(misses.is_empty(), "{} of {runs} runs:\n{}", misses.len(), misses.join("\n"));
}

#[test]
#[ignore = "takes minutes: fifty new declarations, some 1000 runs"]
fn new_random_declarations_are_judged_rightly() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let (runs, misses) = judge(&(0..50).map(|k| now + k).collect::<Vec<u64>>());
    assert!(misses.is_empty(), "{} of {runs} runs:\n{}", misses.len(), misses.join("\n"));
}
