//! Pipes and devices, which may never end, are refused wherever a file is read.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Directory;

/// A command that waits for a pipe waits for ever.
const LIMIT: Duration = Duration::from_secs(10);

/// The refusal of an input by a command in the directory.
fn said(directory: &Directory, line: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_least-action"))
        .args(line.split_whitespace())
        .current_dir(directory.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let clock = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if clock.elapsed() > LIMIT {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}: {said}");
    said
}

#[test]
fn no_command_waits_for_a_pipe_or_reads_a_device() {
    let directory = Directory::new();
    for kind in ["pipe", "device"] {
        for ending in ["", ".csv", ".json", ".toml", ".parquet"] {
            let path = directory.path(&format!("{kind}{ending}"));
            if kind == "pipe" {
                assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
            } else {
                symlink("/dev/zero", path).unwrap();
            }
        }
        let plan = "model = \"kepler\"\nmethod = \"verlet\"\nstep = 0.1\nuntil = 1.0\n";
        directory.file("start.toml", &format!("start = \"{kind}.json\"\n{plan}[random]\ncount = 2\n"));
        for ending in ["csv", "parquet"] {
            let name = format!("table-{ending}.toml");
            directory.file(&name, &format!("{plan}[table]\nfile = \"{kind}.{ending}\"\n"));
        }
        let run = "run kepler --method verlet --step 0.1 --until 1";
        let mut lines = vec![
            format!("resume {kind}"),
            format!("{run} --checkpoint {kind}"),
            format!("{run} --start {kind}.json"),
            format!("{run} --params {kind}.toml"),
            format!("describe cube --set mesh={kind}"),
            format!("view {kind}.csv --out page.html"),
            format!("view {kind}.json --out page.html"),
            format!("report {kind}.csv --model kepler --out page.html"),
            format!("eval kepler --what third --direction {kind}.json --format json"),
            format!("project chain --start {kind}.json"),
            format!("bench kepler --start {kind}.json"),
        ];
        if cfg!(feature = "tables") {
            lines.push(format!("view {kind}.parquet --out page.html"));
            lines.extend(
                ["start.toml", "table-csv.toml", "table-parquet.toml"]
                    .map(|plan| format!("ensemble {plan} --out set")),
            );
            lines.push(format!("ensemble {kind}.toml --out set"));
        }
        for line in lines {
            let said = said(&directory, &line);
            assert!(said.contains("it is no regular file") && said.lines().count() == 1, "{line}: {said}");
        }
    }
}
