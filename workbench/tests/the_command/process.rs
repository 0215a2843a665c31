//! The command as a process: exit codes, streams, and a reader that goes away.

use std::io::Write;
use std::process::{Command, Stdio};

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_least-action"))
}

#[test]
fn a_mistake_exits_with_2_and_says_so_on_standard_error_alone() {
    let output = command()
        .args(["run", "perpetuum-mobile", "--method", "verlet", "--step", "1", "--until", "2"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: unknown model `perpetuum-mobile`; there are: "), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = command().args(["models"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn rows_go_to_standard_output_and_a_start_comes_from_standard_input() {
    let circle = b"{\"t\": 0.0, \"q\": [1.0, 0.0], \"v\": [0.0, 1.0]}";
    let run = |arguments: &[&str]| {
        let mut child = command()
            .args(["run", "kepler", "--method", "verlet"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A run that reads no start may end before this one is written.
        let written = child.stdin.take().unwrap().write_all(circle);
        let kind = written.map_or_else(|error| Some(error.kind()), |()| None);
        assert!(kind.is_none_or(|kind| kind == std::io::ErrorKind::BrokenPipe), "{kind:?}");
        child
    };
    let output =
        run(&["--step", "0.1", "--start", "-", "--until", "1", "--out", "-"]).wait_with_output().unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!((output.status.code(), lines.len(), output.stderr.len()), (Some(0), 12, 0), "{rows}");
    assert_eq!(lines[0], "t,q.x,q.y,der.q.x,der.q.y,energy");
    assert_eq!(lines[1], "0.0,1.0,0.0,0.0,1.0,-0.5");
    // The choice is made once, for the start that was read.
    let output = run(&["--step", "0.1", "--start", "-", "--out", "-"]).wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.starts_with("note: chosen for this model: --until "), "{said}");
    // A reader that has seen enough is no failure.
    let mut child = run(&["--step", "0.1", "--until", "1e4", "--out", "-"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    // With pages to be made it is one.
    let page = std::env::temp_dir().join(format!("closed-{}.html", std::process::id()));
    let line = ["--step", "0.1", "--until", "1e4", "--out", "-", "--view", page.to_str().unwrap()];
    let mut child = run(&line);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("are not made") && !page.exists(), "{said}");
    // A result that is not to be believed is told.
    let output = run(&["--step", "0.9", "--until", "9", "--out", "-"]).wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("warning: ") || said.contains("error: "), "{said}");
    // Two things on one stream are none.
    let output =
        run(&["--step", "0.1", "--until", "1", "--out", "-", "--format", "json"]).wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn help_goes_to_standard_output() {
    let output = command().arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Usage: least-action"));
    assert!(output.stderr.is_empty());
}

/// The limit of a queue or a shell is a limit of the memory, told before an allocation fails and the
/// process with it.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_is_no_abort() {
    let limited = |kilobytes: u32, line: &str| {
        let program = env!("CARGO_BIN_EXE_least-action");
        let script = format!("ulimit -v {kilobytes} && exec {program} {line}");
        Command::new("sh").args(["-c", &script]).output().unwrap()
    };
    let refused = limited(4_194_304, "describe chain --set links=20000000");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.lines().count() == 1 && said.contains("would take 4.8 GB, and "), "{said}");
    let done = limited(4_194_304, "describe chain --set links=1000");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}
