//! The multiscale methods and the page of their paper.

use least_action_command::{MISTAKE, Workbench};
use serde_json::Value;

fn run(line: &str) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(line.split_whitespace(), &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn json(line: &str) -> Value {
    let (code, out, err) = run(&format!("{line} --format json"));
    assert_eq!((code, err.as_str()), (0, ""), "{line}");
    serde_json::from_str(&out).unwrap()
}

fn refused(line: &str, words: &str) {
    let (code, out, err) = run(line);
    assert_eq!((code, out.as_str(), err.matches('\n').count()), (MISTAKE, "", 1), "{line}: {err}");
    assert!(err.contains(words), "{line}: {err}");
}

const PENDULUM: &str = "run driven-pendulum --step 0.0125 --until 1";
const RODS: &str = "run driven-double-pendulum --step 0.00625 --until 1 --with slow_time=0.4";

#[test]
fn runs_have_the_numbers_of_an_independent_implementation() {
    let end = |line: &str| json(&format!("{PENDULUM} {line}"))["q"][0].as_f64().unwrap();
    let simple = end("--set omega=1e8 --method hmm-asynchronous");
    assert!((simple - 0.175_054_616_301_362_54).abs() < 1e-6, "{simple}");
    let named =
        end("--set omega=1e8 --method hmm-asynchronous --with filter=box --with micro_steps_per_period=80");
    assert_eq!(simple.to_bits(), named.to_bits());
    let exponential =
        end("--set omega=1e6 --method hmm-asynchronous --with filter=exponential --with window=40");
    assert!((exponential - 0.175_071_574_992_960_2).abs() < 1e-8, "{exponential}");
    let synchronous = end("--set omega=1e6 --set phase=-1.5707963267948966 --method hmm-synchronous");
    assert!((synchronous - 0.175_054_598_346_791_82).abs() < 1e-8, "{synchronous}");
    let cubic = end("--set omega=1e6 --method hmm-synchronous --with filter=cubic");
    assert!((cubic - simple).abs() < 1e-4, "{cubic}");
    let verlet = end("--set omega=1e8 --method hmm-asynchronous --with macro_solver=verlet");
    assert!((verlet - simple).abs() < 1e-6, "{verlet}");
    // Eight micro-steps of order 4 in a period are no worse than eighty of Verlet.
    let nystrom =
        json(&format!("{PENDULUM} --set omega=1e8 --method hmm-asynchronous --with micro_solver=nystrom"));
    let exact = 0.168_561_190_028_708_6;
    let error = (nystrom["q"][0].as_f64().unwrap() - exact).abs();
    assert!(error < (simple - exact).abs(), "{nystrom}");
    assert_eq!(nystrom["evaluations"]["micro_steps"], 80 * 4);
    // The rest of order 6 is the error of a period of 40 micro-steps.
    let sixth =
        end("--set omega=1e6 --method hmm-asynchronous --with order=6 --with micro_steps_per_period=400");
    assert!((sixth - 0.168_561_190_028_708_6).abs() < 2e-3, "{sixth}");

    let rods = json(&format!("{RODS} --method hmm-asynchronous"));
    assert_eq!(rods["evaluations"]["micro_steps"], 5120);
    let rattle = json(&format!("{RODS} --method hmm-asynchronous --with macro_solver=rattle"));
    assert_eq!(rattle["evaluations"]["micro_steps"], 161 * 32);
    for k in 0..4 {
        let (a, b) = (rods["q"][k].as_f64().unwrap(), rattle["q"][k].as_f64().unwrap());
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert!(rods["constraint_residual"].as_f64().unwrap() < 1e-14);
    let other = json(&format!("{RODS} --method hmm-synchronous --with filter=cubic"));
    assert!((other["q"][0].as_f64().unwrap() - rods["q"][0].as_f64().unwrap()).abs() < 0.1);
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    refused(&format!("{PENDULUM} --method hmm-synchronous --with filter=box"), "not even about its centre");
    refused(
        &format!("{PENDULUM} --method hmm-asynchronous --with window=0.5"),
        "window = 0.5 is outside [1, ∞)",
    );
    refused(&format!("{PENDULUM} --method hmm-asynchronous --with window=1.5"), "whole numbers of periods");
    refused(
        &format!("{PENDULUM} --method hmm-asynchronous --with micro_steps_per_period=7.5"),
        "whole numbers from 4",
    );
    refused(
        &format!("{PENDULUM} --method hmm-asynchronous --with macro_solver=shake"),
        "it has no constraints",
    );
    refused(&format!("{RODS} --method hmm-asynchronous --with macro_solver=verlet"), "it has constraints");
    refused(&format!("{RODS} --method hmm-asynchronous --with micro_solver=nystrom"), "it has constraints");
    refused(
        &format!("{PENDULUM} --method hmm-asynchronous --with macro_solver=leap-frog --with order=4"),
        "take verlet",
    );
    refused(&format!("{PENDULUM} --set omega=0 --method hmm-asynchronous"), "frequency");
    refused(&format!("{PENDULUM} --method hmm-synchronous --with order=4"), "order = 4");
    refused("run kepler --method hmm-asynchronous --step 0.1 --until 1", "it needs a fast phase");
    refused("run kepler-polar --method hmm-synchronous --step 0.1 --until 1", "constant mass matrix");
    let (code, out, err) =
        run("run driven-pendulum --step 0.5 --until 5 --method hmm-asynchronous --format json");
    assert_eq!((code, err.matches('\n').count()), (1, 1), "{err}");
    assert!(err.contains("above the limit of stability"), "{err}");
    assert!(out.contains("\"failure\""), "what was computed is kept: {out}");
}

#[cfg(feature = "papers")]
#[test]
fn the_paper_is_reproduced_by_one_command() {
    let directory = crate::support::Directory::new();
    let folder = directory.path("report");
    let (code, out, err) = run(&format!("reproduce calvo-sanz-serna --out {folder}"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!out.contains("not reproduced") && !out.contains("NaN"), "{out}");
    // Sixteen rows of tables and sixteen statements; three others are wrong.
    assert_eq!(out.matches("refuted:").count(), 3, "{out}");
    assert_eq!(out.matches("reproduced").count(), 16 + 14, "{out}");
    let page = std::fs::read_to_string(format!("{folder}/calvo-sanz-serna.html")).unwrap();
    assert_eq!(page.matches("<svg width=").count(), 2);
}
