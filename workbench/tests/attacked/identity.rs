//! One byte of an input changes between a run and its continuation: refused by name, or equal to the
//! byte.

use crate::process::{Directory, Ended};
use crate::random::Random;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// One tetrahedron, which flies.
const MESH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n\
                    $EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
const PLAN: &str = "model = \"cube\"\nmethod = \"verlet\"\nstep = 1e-8\nuntil = 1e-7\npath = true\npart = 3\n\
                    [set]\nmesh = \"block.msh\"\n[table]\nfile = \"masses.csv\"\n";
const TABLE: &str = "set.density\n900\n1000\n1100\n1200\n";

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Another byte at a random place.
fn changed(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let at = random.below(bytes.len());
    bytes[at] ^= 1 << random.below(8);
    bytes
}

fn prepared() -> Directory {
    let directory = Directory::new();
    directory.write("block.msh", MESH);
    directory.write("plan.toml", PLAN);
    directory.write("masses.csv", TABLE);
    let run = "run cube --set mesh=block.msh --method verlet --step 1e-8 --until 1e-7 --out path.csv --checkpoint saved";
    assert_eq!(directory.run(&words(run)).ended, Ended::Well);
    let ensemble = directory.run(&words("ensemble plan.toml --out data --threads 1"));
    assert_eq!(ensemble.ended, Ended::Well, "{}", ensemble.err);
    directory
}

fn attack(count: usize, seed: u64) {
    let (directory, mut random) = (prepared(), Random::of(seed, 1));
    let kept = || {
        let mut all = files(directory.path());
        all.retain(|name, _| !["stdout", "stderr"].iter().any(|stream| name.ends_with(stream)));
        all
    };
    let before = kept();
    for _ in 0..count {
        let (input, text) =
            [("block.msh", MESH), ("plan.toml", PLAN), ("masses.csv", TABLE)][random.below(3)];
        directory.write_bytes(input, &changed(&mut random, text));
        let resumed = (input == "block.msh").then_some("resume saved --until 2e-7");
        for line in resumed.into_iter().chain(["ensemble plan.toml --out data --threads 1"]) {
            let outcome = directory.run(&words(line));
            let changed = String::from_utf8_lossy(&directory.bytes(input).unwrap()).into_owned();
            match outcome.ended {
                Ended::Refused => {}
                // Between values, a plan and a table have bytes that say nothing.
                Ended::Well if input != "block.msh" => {}
                other => panic!("{other:?}: {line} after {changed:?}: {}", outcome.err),
            }
        }
        directory.write(input, text);
        assert!(kept() == before, "a file was touched");
    }
    // With its own inputs all goes on.
    assert_eq!(directory.run(&words("resume saved --until 2e-7")).ended, Ended::Well);
    assert_eq!(directory.run(&words("ensemble plan.toml --out data --threads 1")).ended, Ended::Well);
}

#[test]
fn no_changed_byte_of_an_input_goes_on() {
    attack(40, 1);
}

#[test]
#[ignore = "long: a minute; draws new seeds"]
fn no_changed_byte_of_1000_goes_on() {
    attack(1000, crate::new_seed());
}
