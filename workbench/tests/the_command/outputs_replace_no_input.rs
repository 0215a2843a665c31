//! No output of any command replaces a file that it reads, also through links, nor another output; a
//! refused command leaves no folder; printed commands are words of a shell.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Command;

use least_action_command::Workbench;

use crate::support::{Directory, ready, run_by};

/// The inputs of these commands.
fn inputs(directory: &Directory) -> Vec<(String, String)> {
    let rows = "t,upper.x,upper.y\n0,0,-1\n0.1,0,-1\n0.2,0,-1\n";
    let plan = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.1\nuntil = 0.5\n";
    [
        ("start.json", r#"{"q": [0, -1, 1, -2], "v": [0, 0, 0, 0]}"#.to_owned()),
        ("other.json", r#"{"q": [0.0, 0.1], "v": [0, 0]}"#.to_owned()),
        ("rows.csv", rows.to_owned()),
        ("out/push.csv", "t,push\n0,0\n0.5,1\n1,0\n".to_owned()),
        ("set/members/part-00000.csv", "set.mass\n1\n2\n".to_owned()),
        ("plan.toml", format!("{plan}[table]\nfile = \"set/members/part-00000.csv\"\n")),
    ]
    .map(|(name, text)| {
        fs::create_dir_all(directory.path("out")).unwrap();
        fs::create_dir_all(directory.path("set/members")).unwrap();
        (directory.file(name, &text), text)
    })
    .into()
}

#[test]
fn outputs_replace_no_inputs() {
    let directory = Directory::new();
    let inputs = inputs(&directory);
    let path = |name: &str| directory.path(name);
    for (link, file) in
        [("l.json", "start.json"), ("l.svg", "start.json"), ("l.html", "rows.csv"), ("c.svg", "other.json")]
    {
        symlink(path(file), path(link)).unwrap();
    }
    symlink(path("out/push.csv"), path("push.csv")).unwrap();
    let run =
        format!("run double-pendulum --method rattle --step 0.1 --until 1 --start {}", path("start.json"));
    let fit =
        format!("fit double-pendulum --data {} --free gravity --method rattle --step 0.05", path("rows.csv"));
    let push = format!("--set push={{\"file\":\"{}\"}}", path("push.csv"));
    let control =
        format!("control cart-pendulum {push} --to x=0.1 --until 1 --step 0.1 --method variational-midpoint");
    let before = directory.names();
    for line in [
        format!("{run} --out {}", path("l.json")),
        format!("{run} --plot {}", path("l.svg")),
        format!("{run} --checkpoint {}", path("l.json")),
        format!("{fit} --report {}", path("l.html")),
        format!("{fit} --checkpoint {}", path("rows.csv")),
        format!("{control} --out {}", path("out")),
        format!(
            "bench double-pendulum --method rattle --start {} --plot {}",
            path("start.json"),
            path("l.svg")
        ),
        format!("describe cart-pendulum {push} --plot {}", path("p.svg")),
        format!("view {} --model double-pendulum --out {}", path("rows.csv"), path("l.html")),
        format!("report {} --model double-pendulum --out {}", path("rows.csv"), path("l.html")),
        format!("ensemble {} --out {}", path("plan.toml"), path("set")),
    ] {
        // A name that leads to an input is refused, and the others are written.
        let is_apart = line.ends_with("p.svg");
        let outcome = ready(&line);
        if is_apart {
            assert_eq!(outcome.code, 0, "{line}: {}", outcome.err);
            fs::remove_file(path("p.svg")).unwrap();
        } else {
            let said = "the command reads this file; choose another name for its output";
            assert!(outcome.code == 2 && outcome.err.contains(said), "{line}: {}", outcome.err);
        }
        for (file, text) in &inputs {
            assert_eq!(fs::read_to_string(file).unwrap(), *text, "{line}");
        }
        assert_eq!(directory.names(), before, "{line}");
    }
    fs::write(path("same.html"), "").unwrap();
    symlink(path("same.html"), path("second.html")).unwrap();
    let outcome = ready(&format!("{run} --view {} --report {}", path("same.html"), path("second.html")));
    assert!(outcome.code == 2 && outcome.err.contains("--view names the same file"), "{}", outcome.err);
}

#[test]
fn a_refused_command_leaves_no_folder() {
    let directory = Directory::new();
    let control = "control cart-pendulum --to x=0.1 --until 1 --step 0.1 --method variational-midpoint";
    let file = directory.file("file", "");
    let before = directory.names();
    let refused = ready(&format!("{control} --out {file}/out"));
    assert!(refused.code != 0 && refused.err.contains("cannot write"), "{}", refused.err);
    assert!(!refused.err.contains("iteration"), "told before the work: {}", refused.err);
    for line in [
        format!("{control} --bounds push=-1e-9:1e-9 --out {}", directory.path("a/b")),
        format!("{control} --cost nothing --out {}", directory.path("a")),
    ] {
        let refused = ready(&line);
        assert!(refused.code != 0, "{line}");
        assert_eq!(directory.names(), before, "{line}");
    }
}

#[test]
fn a_printed_command_is_one_of_a_shell() {
    let directory = Directory::new();
    let folder = directory.path("it's a $HOME");
    let line = "control cart-pendulum --set gravity=9.8 --to x=0.01,theta=0,der=0 --from theta=0 --until 1 --step 0.1 \
                --method variational-midpoint --format json --out";
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = line.split_whitespace().chain([folder.as_str()]);
    let code = Workbench::new("bench").ready_models().run(arguments, &mut out, &mut err);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
    let found: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let script = format!("printf '%s\\n' {}", found["run"].as_str().unwrap());
    let words = String::from_utf8(Command::new("sh").args(["-c", &script]).output().unwrap().stdout).unwrap();
    let words: Vec<&str> = words.lines().collect();
    assert!(words.contains(&format!("{folder}/start.json").as_str()), "{words:?}");
    let again = Workbench::new("bench").ready_models().run(words[1..].iter(), &mut Vec::new(), &mut err);
    assert_eq!(again, 0, "{}", String::from_utf8_lossy(&err));
}

#[test]
fn files_of_other_kinds_and_numbers_that_are_none_are_named() {
    let directory = Directory::new();
    let file = directory.file("run.toml", "[run]\nuntil = nan\n");
    let refused = ready(&format!("run kepler --params {file}"));
    assert!(
        refused.code == 2 && refused.err.contains("NaN is no finite number at line 2"),
        "{}",
        refused.err
    );
    // A file of any size is none, and a long one takes no memory.
    let saved = directory.file("saved", "rows");
    let long = |text: &str| {
        let mut file = File::create(&saved).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.set_len(1 << 40).unwrap();
        ready(&format!("resume {saved} --memory 10M")).err
    };
    assert!(long("rows").contains("is no checkpoint of a run"));
    let said = long("least-action checkpoint 1\n");
    assert!(said.contains("its 1099511627776 bytes take more than the 10000000 bytes of memory"), "{said}");
    // Multipliers have names, in the result and in the first row.
    let out = directory.path("rows.json");
    let run = format!("run double-pendulum --method rattle --step 0.1 --until 0.2 --format json --out {out}");
    let names = serde_json::json!(["lambda.rods[0]", "lambda.rods[1]"]);
    assert_eq!(run_by(&Workbench::new("bench").ready_models(), &run).json()["multiplier_names"], names);
    let rows: serde_json::Value = serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(rows[0]["multiplier_names"], names);
}
