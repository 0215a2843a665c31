//! Ensembles whose processes are killed, are asked to end, or write side by side: the same bytes.

use crate::process::{Directory, Ended};
use crate::random::Random;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Double pendulums, every hundredth with a mass that makes no system.
const PLAN: &str = r#"
model = "double-pendulum"
method = "rattle"
step = 0.01
until = 2.0
every = 20
path = true
project = true
part = 25

[table]
file = "masses.csv"

[random]
count = 8

[random.draw]
"start.der.upper.y" = { normal = [0.0, 0.5] }
"#;

fn plan(directory: &Directory) {
    let masses: Vec<&str> = (0..100).map(|k| if k == 42 { "[1,-1]" } else { "[1,2]" }).collect();
    let lines: Vec<String> = masses.iter().map(|masses| format!("\"{masses}\"\n")).collect();
    directory.write("masses.csv", &format!("set.masses\n{}", lines.concat()));
    directory.write("plan.toml", PLAN);
}

fn begin(directory: &Directory, line: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_least-action"))
        .args(line.split_whitespace())
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The files of a dataset that have their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let folders = [folder.to_owned(), folder.join("members"), folder.join("_path")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let whole = paths.filter(|path| path.extension().is_none_or(|ending| ending != "partial"));
    whole
        .map(|path| (path.strip_prefix(folder).unwrap().display().to_string(), fs::read(&path).unwrap()))
        .collect()
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// True if a process has done the rest, also where members of it failed.
fn is_done(worker: &mut Child) -> bool {
    matches!(worker.wait().unwrap().code(), Some(0 | 3))
}

/// Kills the processes of shards at random moments, and calls them again until all is done.
fn killed(directory: &Directory, random: &mut Random, kills: usize) {
    let out = directory.path().join("killed");
    let _ = fs::remove_dir_all(&out);
    let line = |shard: usize| format!("ensemble plan.toml --out killed --threads 1 --shard {}/2", shard + 1);
    let mut workers = [0, 1].map(|shard| begin(directory, &line(shard)));
    for _ in 0..kills {
        std::thread::sleep(Duration::from_micros(random.below(30_000) as u64));
        let shard = random.below(2);
        let _ = workers[shard].kill();
        workers[shard].wait().unwrap();
        workers[shard] = begin(directory, &line(shard));
    }
    for worker in &mut workers {
        assert!(is_done(worker));
    }
    let whole = directory.path().join("whole");
    if !whole.exists() {
        // Eight of the members fail, and are told of.
        assert_eq!(directory.run(&words("ensemble plan.toml --out whole")).ended, Ended::Failed);
    }
    assert!(files(&out) == files(&whole));
    assert_eq!(files(&whole).len(), 1 + 2 * 32);
}

#[test]
fn a_dataset_whose_workers_are_killed_is_the_same() {
    let directory = Directory::new();
    plan(&directory);
    killed(&directory, &mut Random::of(2, 1), 20);
}

#[test]
#[ignore = "long: a minute: 20 kills, 50 times"]
fn a_dataset_whose_workers_are_killed_1000_times_is_the_same() {
    let (directory, mut random) = (Directory::new(), Random::of(crate::new_seed(), 1));
    plan(&directory);
    (0..50).for_each(|_| killed(&directory, &mut random, 20));
}

#[test]
fn processes_that_write_one_dataset_share_its_parts() {
    let directory = Directory::new();
    plan(&directory);
    let mut workers = [(); 3].map(|()| begin(&directory, "ensemble plan.toml --out shared --threads 1"));
    for worker in &mut workers {
        assert!(is_done(worker));
    }
    assert_eq!(directory.run(&words("ensemble plan.toml --out alone")).ended, Ended::Failed);
    assert!(files(&directory.path().join("shared")) == files(&directory.path().join("alone")));
}

#[cfg(unix)]
#[test]
fn an_ensemble_that_is_asked_to_end_keeps_whole_parts_and_goes_on() {
    // The first part is soon done; the first member of the second would take minutes.
    let directory = Directory::new();
    directory.write("times.csv", "step\n1e-2\n1e-2\n1e-8\n1e-8\n");
    let plan = "model = \"double-pendulum\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 2.0\nevery = 100000000\npart = 2\n\n[table]\nfile = \"times.csv\"\n";
    directory.write("plan.toml", plan);
    let line = words("ensemble plan.toml --out out --threads 1");
    let worker = begin(&directory, &line.join(" "));
    let parts = || fs::read_dir(directory.path().join("out/members")).into_iter().flatten().flatten();
    let is_whole =
        |name: &std::ffi::OsStr| Path::new(name).extension().is_some_and(|ending| ending == "parquet");
    while !parts().any(|part| is_whole(&part.file_name())) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = worker.id().to_string();
    let clock = std::time::Instant::now();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = worker.wait_with_output().unwrap();
    assert!(clock.elapsed() < Duration::from_secs(20), "members are stopped in their midst");
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(143), "{told}");
    let last = told.lines().last().unwrap();
    assert!(last.contains("SIGTERM") && last.contains("the same command goes on"), "{told}");
    assert_eq!(parts().filter(|part| is_whole(&part.file_name())).count(), 1);
    // Finished members are not run again.
    let again = directory.run(&words("ensemble plan.toml --out out --threads 1 --shard 1/2 --format json"));
    assert_eq!(again.ended, Ended::Well, "{}", again.err);
    assert!(again.out.contains("\"members_done\":0"), "{}", again.out);
}
