//! Checkpoints, recordings and datasets know whose they are: the same inputs go on wherever they stand,
//! and others are refused by name.

use crate::support::{Directory, Outcome};
use least_action::Model;
use least_action::prelude::*;
use least_action_command::Workbench;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A shaker in versions of its author's program: as it ran, with another sign, with another function
/// beside, and with another default.
macro_rules! shaker {
    ($version:ident, $sign:tt, $stiffness:literal, $mass:literal) => {
        mod $version {
            use least_action::prelude::*;

            #[derive(Debug, Serialize, Deserialize)]
            #[serde(default)]
            pub(super) struct Shaker {
                pub(super) torque: Signal,
                pub(super) mass: f64,
            }

            impl Default for Shaker {
                fn default() -> Self {
                    Self { torque: Signal::default(), mass: $mass }
                }
            }

            impl Shaker {
                fn stiffness(&self) -> f64 {
                    $stiffness
                }
            }

            #[lagrangian]
            impl Shaker {
                fn lagrangian(&self, x: Scalar) -> Scalar {
                    0.5 * self.mass * der(x).powi(2) - 0.5 * self.stiffness() * x.powi(2) $sign 0.25 * x.powi(4)
                }

                #[force]
                fn motor(&self, torque: Input) -> Scalar {
                    torque
                }
            }

            impl Start for Shaker {
                fn start(&self) -> State {
                    State::new(vec![1.0], vec![0.5])
                }
            }
        }
    };
}

shaker!(own, -, 1.0, 1.0);
shaker!(signed, +, 1.0, 1.0);
shaker!(stiffened, -, 1.5, 1.0);
shaker!(heavier, -, 1.0, 2.0);

fn run_in<M>(line: &str) -> Outcome
where
    M: Model
        + least_action::expr::Oracle
        + least_action::emitted::v1::Declared
        + Default
        + Serialize
        + serde::de::DeserializeOwned
        + Start,
{
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let workbench = Workbench::new("bench").model::<M>("shaker");
    let code = workbench.run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn run(line: &str) -> Outcome {
    run_in::<own::Shaker>(line)
}

const TORQUE: &str = "0, 0.5\n2, -1.25\n20, 3\n";

/// The line of a run with a torque from a file.
fn begun(directory: &Directory, name: &str) -> String {
    let (torque, out) = (directory.file("torque.csv", TORQUE), directory.path(name));
    format!(
        "run shaker --set torque={{\"file\":\"{torque}\"}} --method variational-trapezoid --step 0.1 --until 2 --out {out}"
    )
}

#[test]
fn a_run_goes_on_with_its_own_inputs_alone() {
    let directory = Directory::new();
    let saved = directory.path("saved");
    let whole = run(&begun(&directory, "whole.csv").replace("--until 2", "--until 4"));
    assert_eq!((whole.code, whole.err.as_str()), (0, ""));
    let stopped = run(&format!("{} --checkpoint {saved}", begun(&directory, "path.csv")));
    assert_eq!((stopped.code, stopped.err.as_str()), (0, ""));
    let kept = ["saved", "path.csv", "path.csv-metadata.json"];
    let before = kept.map(|name| fs::read(directory.path(name)).unwrap());
    let line = format!("resume {saved} --until 4");
    let refused = |outcome: Outcome, part: &str| {
        assert_eq!(outcome.code, 2, "{part}: {}", outcome.out);
        let words = format!(
            "error: the run of {saved} cannot be gone on with: it is one of another `shaker`: they differ in {part}"
        );
        assert!(outcome.err.starts_with(&words), "{}", outcome.err);
        assert!(kept.map(|name| fs::read(directory.path(name)).unwrap()) == before, "a file was touched");
    };
    // A time that the run has not reached, in its last digit.
    directory.file("torque.csv", &TORQUE.replace("20, 3", "20, 4"));
    refused(run(&line), "the file of the parameter `torque`, whose content has changed");
    directory.file("torque.csv", TORQUE);
    refused(run_in::<signed::Shaker>(&line), "its declaration");
    refused(run_in::<stiffened::Shaker>(&line), "its parameters, or what they are computed from");
    refused(run_in::<heavier::Shaker>(&line), "the parameter `mass`, which was 1.0 and is 2.0");
    let gone_on = run(&line);
    assert_eq!((gone_on.code, gone_on.err.as_str()), (0, ""));
    assert!(fs::read(directory.path("whole.csv")).unwrap() == fs::read(directory.path("path.csv")).unwrap());
}

#[test]
fn a_recording_knows_its_run() {
    let directory = Directory::new();
    let page = directory.path("page.html");
    for ending in ["csv", "json", "parquet"] {
        let name = format!("path.{ending}");
        assert_eq!(run(&begun(&directory, &name)).code, 0);
        // A recording has the numbers of the signal, and needs its file no more.
        fs::remove_file(directory.path("torque.csv")).unwrap();
        for (kind, given) in [("view", ""), ("report", ""), ("view", "--model shaker --set mass=1")] {
            let shown = run(&format!("{kind} {} --out {page} {given}", directory.path(&name)));
            assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{ending}");
            assert!(fs::read_to_string(&page).unwrap().contains("variational-trapezoid"));
        }
        for (given, part) in [
            ("--model bead", "its model is `shaker`, and not `bead`"),
            ("--set mass=2", "its `mass` is 1.0, and not 2"),
            ("--set torque=1", "its `torque` is "),
        ] {
            let refused = run(&format!("view {} --out {page} {given}", directory.path(&name)));
            assert_eq!(refused.code, 2, "{}", refused.err);
            assert!(refused.err.contains(part), "{}", refused.err);
        }
        let edited = run_in::<signed::Shaker>(&format!("view {} --out {page}", directory.path(&name)));
        assert_eq!(edited.code, 0);
        assert!(
            edited.err.contains("is no more the one that ran: they differ in its declaration"),
            "{}",
            edited.err
        );
        let other = crate::support::run(&format!("view {} --out {page}", directory.path(&name)));
        assert_eq!(other.code, 0);
        assert!(other.err.contains("it is a run of `shaker`, which cannot be shown here"), "{}", other.err);
    }
    // Metadata of another file of the same name are not believed.
    let path = directory.path("path.csv");
    let rows = fs::read_to_string(&path).unwrap();
    fs::write(&path, rows.replace("0.5", "0.6")).unwrap();
    let doubted = run(&format!("view {path} --out {page}"));
    assert!(doubted.err.contains("whose run it is, is not known"), "{}", doubted.err);
}

/// The file of a run in another folder, under another name, is the same to the byte; metadata of CSV
/// name it.
#[test]
fn the_same_inputs_elsewhere_give_the_same_bytes() {
    let (here, there) = (Directory::new(), Directory::new());
    for ending in ["csv", "json", "parquet", "xyz", "glb", "pvd"] {
        let bytes = |directory: &Directory, name: &str| {
            let out = directory.path(&format!("{name}.{ending}"));
            let line = format!("run chain --set links=4 --method rattle --step 0.05 --until 1 --out {out}");
            let outcome = crate::support::run(&line);
            assert_eq!(outcome.code, 0, "{}", outcome.err);
            let text = fs::read(out).unwrap();
            // The frames of a .pvd file stand in the folder of its name.
            if ending == "pvd" {
                String::from_utf8(text).unwrap().replace(name, "").into_bytes()
            } else {
                text
            }
        };
        let (own, other) = (bytes(&here, "one"), bytes(&there, "other"));
        assert!(own == other, "{ending}");
        let text = String::from_utf8_lossy(&own).replace('\\', "");
        let told = text.contains("\"model\":\"chain\",\"parameters\":{\"links\":4,");
        assert_eq!(told, ending != "csv", "{ending}");
    }
}

fn process(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_least-action"));
    let outcome = command.args(line.split_whitespace()).current_dir(folder).output().unwrap();
    (outcome.status.code(), String::from_utf8(outcome.stderr).unwrap())
}

/// Four nodes, which make a body without a cube.
const MESH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n$EndNodes\n\
                    $Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";

#[test]
fn a_run_is_moved_with_its_folder() {
    let directory = Directory::new();
    let root = Path::new(&directory.path("")).to_owned();
    let here = root.join("here");
    fs::create_dir(&here).unwrap();
    fs::create_dir(here.join("inputs")).unwrap();
    fs::write(here.join("inputs/block.msh"), MESH).unwrap();
    let run =
        "run cube --set mesh=here/inputs/block.msh --method verlet --step 1e-8 --every 20 --format json";
    let line = |until: &str, out: &str, more: &str| format!("{run} --until {until} --out {out} {more}");
    assert_eq!(process(&root, &line("2e-6", "here/whole.json", "")), (Some(0), String::new()));
    let saved = "--checkpoint here/saved --plot here/path.svg";
    assert_eq!(process(&root, &line("1e-6", "here/path.json", saved)), (Some(0), String::new()));
    let (there, whole) = (root.join("there"), fs::read(here.join("whole.json")).unwrap());
    fs::rename(&here, &there).unwrap();
    // Somewhere else altogether, by another name of the folder.
    assert_eq!(process(&there.join("inputs"), "resume ../saved --until 1.5e-6"), (Some(0), String::new()));
    assert_eq!(process(&there, "view path.json --out page.html"), (Some(0), String::new()));
    let elsewhere = process(&root, "resume there/saved --until 2e-6 --out elsewhere.json");
    assert_eq!(elsewhere, (Some(0), String::new()));
    assert!(fs::read(root.join("elsewhere.json")).unwrap() == whole);
    assert!(fs::read(there.join("path.json")).unwrap() != whole);
    for (given, part) in [("--out rows.csv", "keep the ending"), ("", "")] {
        let refused = process(&root, &format!("resume there/saved --until 3e-6 {given}"));
        assert!(part.is_empty() || refused.0 == Some(2) && refused.1.contains(part), "{}", refused.1);
    }
    fs::write(there.join("inputs/block.msh"), MESH.replace("0.1 0 0", "0.2 0 0")).unwrap();
    let (code, err) = process(&there, "resume saved --until 4e-6");
    assert!(
        code == Some(2) && err.contains("the file of the parameter `mesh`, whose content has changed"),
        "{err}"
    );
    let (code, err) = process(&there, "view path.json --out page.html");
    assert!(code == Some(0) && err.contains("they differ in the file of the parameter `mesh`"), "{err}");
}

/// Each axis of the grid is an input, and so are the files that its values name.
#[test]
fn a_dataset_goes_on_with_its_own_inputs_alone() {
    let directory = Directory::new();
    let torque = |name: &str| directory.file(name, TORQUE);
    let others = [torque("first.csv"), torque("second.csv")];
    let plan = || {
        let [first, second] = &others;
        format!(
            "model = \"shaker\"\nmethod = \"variational-trapezoid\"\nstep = 0.1\nuntil = 1.0\npath = true\npart = 2\n[grid]\n\
             \"set.mass\" = [1.0, 2.0]\n\"set.torque\" = [{{ file = \"{first}\" }}, {{ file = \"{second}\" }}]\n"
        )
    };
    let file = directory.file("plan.toml", &plan());
    let out = directory.path("out");
    let line = format!("ensemble {file} --out {out} --threads 1 --format json");
    let count = |outcome: &Outcome| {
        let done: Value = serde_json::from_str(&outcome.out).unwrap();
        done["members_done"].as_u64().unwrap()
    };
    assert_eq!(count(&run(&line)), 4);
    assert_eq!(count(&run(&line)), 0);
    let part = format!("{out}/members/part-00001.parquet");
    let whole = fs::read(&part).unwrap();
    let redone = |what: &str| {
        let outcome = run(&line);
        assert!(outcome.err.starts_with("warning: part 1 is damaged"), "{what}: {}", outcome.err);
        assert_eq!(count(&outcome), 2, "{what}");
        assert!(fs::read(&part).unwrap() == whole, "{what}");
    };
    for at in (0..8 * whole.len()).step_by(419) {
        let mut flipped = whole.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        fs::write(&part, flipped).unwrap();
        redone("a bit");
    }
    for length in [0, 1, 11, whole.len() / 2, whole.len() - 1] {
        fs::write(&part, &whole[..length]).unwrap();
        redone("a cut");
    }
    fs::copy(format!("{out}/members/part-00000.parquet"), &part).unwrap();
    redone("another part");
    let path = format!("{out}/_path/part-00001.parquet");
    fs::write(&path, "").unwrap();
    redone("an empty path");
    fs::remove_file(&path).unwrap();
    redone("no path");
    let refused = |outcome: Outcome, part: &str| {
        assert_eq!(outcome.code, 2, "{part}: {}", outcome.err);
        assert!(
            outcome.err.contains(&format!("it holds an ensemble with another {part}")),
            "{}",
            outcome.err
        );
    };
    for other in &others {
        fs::write(other, TORQUE.replace("-1.25", "-1.5")).unwrap();
        refused(run(&line), &format!("content of {other}, the file of `set.torque`"));
        fs::write(other, TORQUE).unwrap();
    }
    refused(run_in::<signed::Shaker>(&line), "`shaker`: they differ in its declaration");
    refused(run_in::<stiffened::Shaker>(&line), "`shaker`: they differ in its parameters");
    // The same content under another name is the same plan.
    fs::rename(&others[0], directory.path("renamed.csv")).unwrap();
    directory.file("plan.toml", &plan().replace("first.csv", "renamed.csv"));
    let renamed = run(&line);
    assert_eq!((renamed.code, count(&renamed)), (0, 0), "{}", renamed.err);
}
