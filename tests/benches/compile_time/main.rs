//! The time and the memory that a crate with large models takes to compile: measured, not estimated.
//!
//! The limits of the solids hold for a plain `cargo build`; the cost of `cargo build --release` is
//! printed beside. The limits of the other programs are seconds of processor of the release build.
//!
//! The crates stand outside of this workspace, as a user's would, and share the target directory of this
//! run, so that all but the crate is built before the clock starts. Other work of the machine is
//! measured too: run it alone by `cargo bench -p least-action-tests --bench compile_time`

#![expect(clippy::unwrap_used, reason = "a benchmark may end at what is not there")]

use least_action_tests::command::Directory;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A compressible neo-Hookean solid as a user declares it, with the energy of each of its `families`.
fn neo_hookean(families: usize) -> String {
    let mut terms = String::new();
    for family in 0..families {
        // The families differ in their last term, so that no two of them are one kernel.
        write!(
            terms,
            "        let energy{family} = sum(self.parts[{family}].iter(), |element| {{
            let first = nodes[element.nodes[0]];
            let a = nodes[element.nodes[1]] - first;
            let b = nodes[element.nodes[2]] - first;
            let c = nodes[element.nodes[3]] - first;
            let x = element.shape[0][0] * a + element.shape[1][0] * b + element.shape[2][0] * c;
            let y = element.shape[0][1] * a + element.shape[1][1] * b + element.shape[2][1] * c;
            let z = element.shape[0][2] * a + element.shape[1][2] * b + element.shape[2][2] * c;
            let stretch = x.norm_squared() + y.norm_squared() + z.norm_squared() - 3.0;
            let growth = x.dot(y.cross(z)).ln();
            element.volume * (0.5 * self.mu * stretch - self.mu * growth + self.lambda * growth.powi({}))
        }});\n",
            family + 2
        )
        .unwrap();
    }
    let total = (0..families).map(|family| format!("energy{family}")).collect::<Vec<_>>().join(" - ");
    format!(
        "//! An elastic solid.

use least_action::prelude::*;

/// An elastic solid, made of parts.
pub struct Solid {{
    /// The mass of each node.
    pub masses: Vec<f64>,
    /// The tetrahedra of each part.
    pub parts: Vec<Vec<Tetrahedron>>,
    /// The shear modulus.
    pub mu: f64,
    /// The other constant of Lame.
    pub lambda: f64,
}}

/// A tetrahedron at rest.
pub struct Tetrahedron {{
    /// Its nodes.
    pub nodes: [usize; 4],
    /// Its volume.
    pub volume: f64,
    /// The inverse of the matrix of its edges.
    pub shape: [[f64; 3]; 3],
}}

#[lagrangian]
impl Solid {{
    fn lagrangian(&self, nodes: [Vec3; self.masses.len()]) -> Scalar {{
        let kinetic = sum(self.masses.iter().enumerate(), |(i, mass)| 0.5 * mass * der(nodes[i]).norm_squared());
{terms}        kinetic - {total}
    }}
}}

fn main() {{
    let shape = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let part = || vec![Tetrahedron {{ nodes: [0, 1, 2, 3], volume: 1.0 / 6.0, shape }}];
    let solid = Solid {{ masses: vec![1.0; 4], parts: (0..{families}).map(|_| part()).collect(), mu: 1.0, lambda: 2.0 }};
    let solid = solid.bind().expect(\"a solid\");
    let q = [0.0, 0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 1.2, 0.0, 0.0, 0.0, 0.9];
    let (mut gradient, mut hessian) = ([0.0; 12], vec![0.0; solid.potential_pattern().len()]);
    solid.potential_second(&q, 0.0, &mut gradient, &mut hessian);
    println!(\"{{}} {{}}\", solid.potential(&q, 0.0), hessian.len());
}}
"
    )
}

/// A crate outside of this workspace.
struct Crate {
    directory: Directory,
    manifest: String,
}

impl Crate {
    fn new(name: &str) -> Self {
        let directory = Directory::new(name);
        let core = root().join("integrator-core");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nleast-action = {{ path = \"{}\" }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\n[workspace]\n\n\
             [profile.dev]\nopt-level = 1\n",
            core.display()
        );
        let manifest = directory.file("Cargo.toml", &manifest);
        std::fs::copy(root().join("Cargo.lock"), directory.path("Cargo.lock")).unwrap();
        Self { directory, manifest }
    }

    /// Builds the crate with this program.
    fn build(&self, program: &str, profile: Profile) -> Cost {
        self.directory.file("src/main.rs", program);
        // …/target/release/deps/this-benchmark
        let test = std::env::current_exe().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--offline", "--quiet", "--manifest-path", &self.manifest]);
        cargo.arg("--target-dir").arg(test.ancestors().nth(3).unwrap());
        if profile == Profile::Release {
            cargo.arg("--release");
        }
        let (clock, before) = (Instant::now(), processor_seconds());
        let mut child = cargo.stderr(Stdio::inherit()).spawn().unwrap();
        let memory = watch(&mut child);
        let seconds = clock.elapsed().as_secs_f64();
        assert!(child.wait().unwrap().success());
        let processor = before.zip(processor_seconds()).map(|(before, after)| after - before);
        Cost { seconds, processor, memory }
    }

    /// The quickest of three builds, since other work can only lengthen them. Before each, the crate is
    /// built without the model, so that its dependencies exist, and nothing of the model.
    fn rebuild(&self, program: &str, profile: Profile) -> Cost {
        let builds = (0..3).map(|_| {
            self.build("use least_action as _;\n\nfn main() {}\n", profile);
            self.build(program, profile)
        });
        builds.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
    }
}

/// The profile with which a crate is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Profile {
    Dev,
    Release,
}

/// A program with a file of the ready models, whose start is of no matter here.
fn ready(file: &str, model: &str) -> String {
    let models = root().join("models/src");
    format!(
        "//! A ready model.

use least_action::Model;

mod liquid {{
    pub(crate) fn lattice(_: usize, _: f64) -> Vec<f64> {{
        Vec::new()
    }}

    pub(crate) fn maxwell(_: usize, _: f64, _: u64) -> Vec<f64> {{
        Vec::new()
    }}
}}
#[path = \"{0}/{file}.rs\"]
mod model;
#[path = \"{0}/scatter.rs\"]
mod scatter;

fn main() {{
    let system = model::{model}::default().bind().expect(\"a system\");
    println!(\"{{}}\", system.description().model);
}}
",
        models.display()
    )
}

/// The cost of a build.
struct Cost {
    seconds: f64,
    /// Seconds of all processors together: much more than the others tell of other work on the machine.
    processor: Option<f64>,
    /// The most memory that one process of it held, in bytes.
    memory: Option<u64>,
}

/// The seconds of processor of ended children of this process, and of theirs.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    // In hundredths of a second, the fields 16 and 17 of which `)` ends the second.
    let ticks: u64 = fields.get(13..15)?.iter().map(|field| field.parse::<u64>().unwrap_or_default()).sum();
    Some(ticks as f64 / 100.0)
}

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Waits for a process; returns the most memory of it or a descendant, `None` if the system hides it.
fn watch(child: &mut Child) -> Option<u64> {
    let mut most = None;
    while child.try_wait().unwrap().is_none() {
        most = most.max(descendants(child.id()).into_iter().filter_map(peak).max());
        std::thread::sleep(Duration::from_millis(20));
    }
    most
}

/// The process and all that it has started.
fn descendants(process: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // `number (name) state parent …`: the name may hold anything but its last parenthesis.
        let text = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields = text.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
        if let Some(parent) = fields.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()) {
            children.entry(parent).or_default().push(number);
        }
    }
    let mut all = vec![process];
    let mut next = 0;
    while let Some(parent) = all.get(next) {
        all.extend(children.remove(parent).unwrap_or_default());
        next += 1;
    }
    all
}

/// The most memory that a process has held so far, in bytes.
fn peak(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}

/// Measures both builds of a program, of which the plain one has limits.
fn measure(what: &str, name: &str, program: &str, seconds: f64, bytes: u64) {
    let built = Crate::new(name);
    let [dev, release] = [Profile::Dev, Profile::Release].map(|profile| built.rebuild(program, profile));
    println!("{what}: {dev} (at most {seconds} s, {} MB); with --release: {release}", bytes / 1_000_000);
    assert!(dev.seconds <= seconds, "{what}: {dev}, at most {seconds} s");
    assert!(
        dev.memory.is_none_or(|memory| memory <= bytes),
        "{what}: {dev}, at most {} MB",
        bytes / 1_000_000
    );
}

/// Measures the release build of a program, which has a limit of seconds of processor.
fn measure_release(what: &str, name: &str, program: &str, seconds: f64) {
    let release = Crate::new(name).rebuild(program, Profile::Release);
    println!("{what}: with --release {release} (at most {seconds} s of processor)");
    assert!(release.processor.is_none_or(|processor| processor <= seconds), "{what}: {release}");
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seconds, processor, memory } = self;
        let unknown = || "unknown".to_owned();
        let processor = processor.map_or_else(unknown, |seconds| format!("{seconds:.2} s"));
        let memory = memory.map_or_else(unknown, |memory| format!("{} MB", memory / 1_000_000));
        write!(f, "{seconds:.2} s, processor {processor}, memory {memory}")
    }
}

fn main() {
    let programs = [
        ("a chain of springs", "chain-of-springs", include_str!("programs/chain.rs"), 2.7),
        ("a rod whose ends are told apart by `if`", "rod-with-ends", include_str!("programs/rod.rs"), 12.0),
        ("a cloth of triangles", "cloth-of-triangles", include_str!("programs/cloth.rs"), 10.0),
        ("a molecule of thirteen terms", "molecule-of-terms", include_str!("programs/molecule.rs"), 10.0),
    ];
    for (what, name, program, seconds) in programs {
        measure_release(what, name, program, seconds);
    }
    for (what, file, model) in
        [("water in a box", "water_box", "WaterBox"), ("a polymer", "polymer", "Polymer")]
    {
        measure_release(what, &file.replace('_', "-"), &ready(file, model), 10.0);
    }
    measure("a crate with the neo-Hookean model", "one-family", &neo_hookean(1), 4.0, 1_000_000_000);
    // As many as the compiler accepts.
    let program = neo_hookean(9);
    measure("nine families of that kind in one model", "nine-families", &program, 20.0, 1_000_000_000);
}
