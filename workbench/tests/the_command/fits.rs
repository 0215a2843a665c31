//! Fits by name: their numbers, their files, and the refusals.

use std::fs;

use least_action_command::Workbench;
use least_action_models::{
    CartPendulum, DampedDoublePendulum, DoublePendulum, DoublePendulumAngles, SpringPendulum,
};
use serde_json::Value;

use crate::support::{Directory, Outcome};

/// Runs a command line over ready models, split at blanks.
fn run(line: &str) -> Outcome {
    let workbench = Workbench::new("bench")
        .model::<DoublePendulum>("double-pendulum")
        .model::<DoublePendulumAngles>("double-pendulum-angles")
        .model::<CartPendulum>("cart-pendulum")
        .model::<DampedDoublePendulum>("damped-double-pendulum")
        .model::<SpringPendulum>("spring-pendulum");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = workbench.run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn refused(line: &str) -> String {
    let outcome = run(line);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}: {}", outcome.err);
    // Notes may stand before.
    let last = outcome.err.lines().last().unwrap();
    last.strip_prefix("error: ").unwrap().to_owned()
}

/// A recording of a double pendulum in the field of the earth, and the fit of it.
fn recorded(directory: &Directory) -> String {
    let data = directory.path("seen.csv");
    let line = format!(
        "run double-pendulum --set gravity=9.3 --set masses=[1,1.4] --method rattle --step 0.02 --until 3 --every 5 --out {data}"
    );
    assert_eq!(run(&line).code, 0);
    format!("fit double-pendulum --data {data} --method rattle --step 0.02")
}

fn json(line: &str) -> Value {
    run(&format!("{line} --quiet --format json")).json()
}

fn value(found: &Value, name: &str) -> f64 {
    let all = found["estimates"].as_array().unwrap();
    all.iter().find(|own| own["name"] == name).unwrap()["value"].as_f64().unwrap()
}

#[test]
fn segments_find_numbers_that_are_far_away() {
    let directory = Directory::new();
    let (line, page) = (recorded(&directory), directory.path("fit.html"));
    let line = format!("{line} --free masses[1],gravity --bounds gravity=0:20,masses=0.1: --segments 6");
    let outcome = run(&format!("{line} --format json --report {page}"));
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!((value(&found, "gravity") - 9.3).abs() < 1e-8, "{found}");
    assert!((value(&found, "masses[1]") - 1.4).abs() < 1e-8, "{found}");
    assert_eq!((found["samples"].as_u64(), found["between"].as_u64()), (Some(124), Some(0)));
    assert!(outcome.err.contains("iteration 1, segments apart: |r| = "), "{}", outcome.err);
    assert!(outcome.err.contains("largest jump"), "{}", outcome.err);
    let page = fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("<figure").count(), 4);
    assert!(page.contains("masses[1]") && page.contains("data − motion"));
    assert!(page.contains("upper.x, m"), "the unit of a column");
}

#[test]
fn a_gap_is_no_sample() {
    let directory = Directory::new();
    let line = recorded(&directory);
    let whole = fs::read_to_string(directory.path("seen.csv")).unwrap();
    for gap in ["", "NaN"] {
        let mut rows: Vec<Vec<&str>> = whole.lines().map(|line| line.split(',').collect()).collect();
        rows[5][1] = gap;
        let rows: Vec<String> = rows.into_iter().map(|cells| cells.join(",")).collect();
        directory.file("seen.csv", &(rows.join("\n") + "\n"));
        let found = json(&format!("{line} --set gravity=9.2 --free masses[1],gravity"));
        assert_eq!(found["samples"].as_u64(), Some(123), "{found}");
        assert!((value(&found, "gravity") - 9.3).abs() < 1e-8, "{found}");
    }
}

#[test]
fn times_between_steps_and_columns_of_velocities() {
    let directory = Directory::new();
    let line = recorded(&directory).replace("--step 0.02", "--step 0.015");
    let line = format!("{line} --set masses=[1,1.3] --set gravity=9.2 --free masses[1],gravity");
    let found = json(&format!("{line} --columns upper.x=0.001,der.lower.y=0.01"));
    // Of 31 times a fifth is a step of 0.015.
    assert_eq!((found["samples"].as_u64(), found["between"].as_u64()), (Some(62), Some(40)), "{found}");
    assert!((value(&found, "gravity") - 9.3).abs() < 0.01, "{found}");
}

/// 60 angles of a driven double pendulum at the times of a camera, with errors of 1e-3, by DOP853 of
/// scipy at the tolerance 1e-12; and the least squares of scipy with DOP853 as the motion.
#[test]
fn dampers_and_a_motor_as_a_camera_saw_them() {
    let found = json(&camera("--bounds damping=0:"));
    assert_eq!((found["samples"].as_u64(), found["between"].as_u64()), (Some(120), Some(114)), "{found}");
    // The method and the cubic between two steps have errors of h⁴.
    for (name, right) in [("damping[0]", 0.116_419_5), ("damping[1]", 0.060_498_7), ("torque", 1.698_006_1)] {
        assert!((value(&found, name) - right).abs() < 1e-6, "{name}: {found}");
    }
}

#[test]
fn a_fit_goes_on_from_its_checkpoint() {
    let directory = Directory::new();
    let (line, file) = (recorded(&directory), directory.path("kept.json"));
    let line = format!("{line} --set gravity=9 --free masses[1],gravity --checkpoint {file}");
    let first = json(&format!("{line} --iterations 1"));
    assert_eq!(first["status"], "limit");
    assert_eq!(first["verdict"]["believed"], false, "{first}");
    let (rest, whole) = (json(&line), json(&line.replace("kept.json", "other.json")));
    assert!((value(&rest, "gravity") - value(&whole, "gravity")).abs() < 1e-9);
    assert!(rest["iterations"].as_u64() < whole["iterations"].as_u64());
    let other = refused(&line.replace("masses[1],gravity", "gravity"));
    assert!(other.contains("another `free`"), "{other}");
    // Another content under the same name, another command, and a changed bit are refused.
    let data = fs::read_to_string(directory.path("seen.csv")).unwrap();
    directory.file("seen.csv", &data.replacen("-0.9", "-0.8", 1));
    let other = refused(&line);
    assert!(other.contains("another `data`"), "{other}");
    let resumed = refused(&format!("resume {file}"));
    assert!(resumed.contains("it is the checkpoint of a `fit`: repeat that command"), "{resumed}");
    let of_control = "control cart-pendulum --to x=0.1 --until 1 --step 0.1 --method variational-midpoint";
    let other = refused(&format!("{of_control} --checkpoint {file}"));
    assert!(other.contains("it is the checkpoint of a `fit`: repeat that command"), "{other}");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = refused(&line);
    assert!(damaged.contains("is damaged"), "{damaged}");
}

/// A double pendulum that is thrown up: after 30 s a change of its start has grown by orders.
#[test]
fn a_chaotic_fit_is_not_believed() {
    let directory = Directory::new();
    let data = directory.path("wild.csv");
    let wild = "double-pendulum-angles --set gravity=9.81 --step 0.02";
    let start = directory.file("start.json", r#"{"q": [2.0, 2.5], "v": [0.0, 0.0]}"#);
    let recorded = run(&format!(
        "run {wild} --method variational-midpoint --until 30 --every 5 --start {start} --out {data}"
    ));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    let wild = wild.replace("9.81", "9.5");
    let line =
        format!("fit {wild} --method variational-midpoint --data {data} --start {start} --free gravity");
    for columns in ["", " --columns theta=0.001,phi=0.001"] {
        let outcome = run(&format!("{line}{columns} --format json"));
        let found: Value = serde_json::from_str(&outcome.out).unwrap();
        assert_eq!((outcome.code, &found["verdict"]["believed"]), (0, &false.into()), "{found}");
        assert!(found["estimates"][0]["error"].is_null(), "{found}");
        assert!(found["verdict"]["growth"].as_f64().unwrap() > 1e4, "{found}");
        let doubt = found["verdict"]["doubt"].as_str().unwrap();
        assert!(doubt.contains("amplifies a change") && doubt.contains("--segments"), "{doubt}");
        assert!(outcome.err.contains(&format!("warning: {doubt}")), "{}", outcome.err);
    }
    let found = json(&format!("{line} --segments 30"));
    assert!((value(&found, "gravity") - 9.81).abs() < 1e-8, "{found}");
    assert!(found["verdict"]["believed"] == true && found["estimates"][0]["error"].is_f64(), "{found}");
}

#[test]
fn a_start_that_follows_a_length_is_told() {
    let directory = Directory::new();
    let data = directory.path("long.csv");
    let line = "double-pendulum --method rattle --step 0.02".to_owned();
    let recorded = run(&format!(
        "run double-pendulum --set rods=[1.2,0.9] --method rattle --step 0.02 --until 2 --out {data}"
    ));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    let outcome = run(&format!("fit {line} --data {data} --free rods --format json"));
    let found: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!(
        outcome.err.contains("note: the model's own start follows `rods[0]`, `rods[1]`"),
        "{}",
        outcome.err
    );
    assert!(
        (value(&found, "rods[0]") - 1.2).abs() < 1e-9 && (value(&found, "rods[1]") - 0.9).abs() < 1e-9,
        "{found}"
    );
    assert_eq!(found["follows"], serde_json::json!(["rods[0]", "rods[1]"]));
    // A given start stays.
    let start = directory.file("start.json", r#"{"q": [1.0, 0.0, 2.0, 0.0], "v": [0, 0, 0, 0]}"#);
    let held = run(&format!("fit {line} --data {data} --free gravity --start {start} --format json"));
    assert!(!held.err.contains("follows"), "{}", held.err);
}

/// The value, the error and the unit of the last digit of `12.345(67)`, `12.3(1.2)` or `1.23(12)e5`.
fn parsed(printed: &str) -> [f64; 3] {
    let (value, rest) = printed.split_once('(').unwrap();
    let (error, power) = rest.split_once(')').unwrap();
    let power: i32 = power.strip_prefix('e').map_or(0, |power| power.parse().unwrap());
    let places = value.split_once('.').map_or(0, |(_, places)| places.len() as i32);
    let unit = 10.0_f64.powi(power - places);
    let of_error = if error.contains('.') { 10.0_f64.powi(power) } else { unit };
    [value.parse::<f64>().unwrap() * 10.0_f64.powi(power), error.parse::<f64>().unwrap() * of_error, unit]
}

const CAMERA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/the_command/brought/camera.csv");

fn camera(more: &str) -> String {
    format!(
        "fit damped-double-pendulum --data {CAMERA} --free damping,torque --method variational-trapezoid --with order=4 \
         --step 0.02 {more}"
    )
}

#[test]
fn numbers_are_printed_with_two_digits_of_their_errors() {
    let found = json(&camera("--columns theta=0.001,phi=0.001 --once"));
    let estimates = found["estimates"].as_array().unwrap();
    for (k, row) in estimates.iter().enumerate() {
        let [value, error, unit] = parsed(row["printed"].as_str().unwrap());
        let [right, of_right] = ["value", "error"].map(|name| row[name].as_f64().unwrap());
        assert!((value - right).abs() <= 0.501 * unit && (error - of_right).abs() <= 0.501 * unit, "{row}");
        assert!((9.5..100.0).contains(&(error / unit)), "{row}");
        let square = found["covariance"][k][k].as_f64().unwrap();
        assert!((square.sqrt() / of_right - 1.0).abs() < 1e-12);
        assert!((found["correlations"][k][k].as_f64().unwrap() - 1.0).abs() < 1e-12);
    }
    let number = |name: &str| found[name].as_f64().unwrap();
    let column = |name: &str| -> Vec<f64> {
        let columns = found["columns"].as_array().unwrap().iter();
        columns.flat_map(|own| own[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap())).collect()
    };
    let residuals = column("residuals");
    for (r, (motion, value)) in residuals.iter().zip(column("motion").iter().zip(column("values"))) {
        assert!((r - (motion - value) / 1e-3).abs() < 1e-9);
    }
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    assert!(
        (number("chi_square") - square).abs() < 1e-6 && (number("degrees") - 117.0).abs() < 0.5,
        "{square}"
    );
    assert!((0.01..0.99).contains(&number("probability")));
    assert!((number("bic") - number("aic") - 3.0 * (120.0_f64.ln() - 2.0)).abs() < 1e-9);
    let curve = found["columns"][0]["smooth"][0].as_array().unwrap();
    assert!(curve.len() > 300 && curve[0] == 0.0);
    let text = run(&camera("--columns theta=0.001,phi=0.001 --once --quiet")).out;
    assert!(text.contains("χ²/ν = ") && text.contains(estimates[0]["printed"].as_str().unwrap()), "{text}");
}

/// A sensor that reads 1.5 x + 0.2, a prior, and a swing of the table in one sample.
#[test]
fn sensors_priors_and_outliers() {
    let directory = Directory::new();
    let rows = fs::read_to_string(CAMERA).unwrap();
    let row = |(number, row): (usize, &str)| {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        let jump = if number == 20 { 0.3 } else { 0.0 };
        format!("{},{},{}\n", cells[0], 1.5 * cells[1] + 0.2 + jump, cells[2])
    };
    let rows: String = rows.lines().skip(1).enumerate().map(row).collect();
    let data = directory.file("sensor.csv", &format!("t,theta,phi\n{rows}"));
    let known =
        "--columns theta=0.0015,phi=0.001 --sensor theta:offset,scale --prior torque=1.7+-0.05 --once";
    let line = camera(known).replace(CAMERA, &data);
    let (squares, robust) = (json(&line), json(&format!("{line} --loss cauchy")));
    // As the camera saw it without the sensor and the jump.
    for (name, right, most) in [
        ("damping[1]", 0.0605, 1e-3),
        ("torque", 1.698, 4e-3),
        ("scale(theta)", 1.5, 4e-3),
        ("offset(theta)", 0.2, 1e-3),
    ] {
        assert!((value(&robust, name) - right).abs() < most, "{name}: {robust}");
    }
    assert!((value(&squares, "scale(theta)") - 1.5).abs() > 4e-3, "{squares}");
    assert_eq!(robust["verdict"]["believed"], true);
    assert!(robust["aic"].is_null() && robust["estimates"][0]["error"].is_f64(), "{robust}");
    // A strong prior holds its number.
    let held = json(&line.replace("+-0.05", "±0.0001").replace("torque=1.7", "torque=1.69"));
    assert!((value(&held, "torque") - 1.69).abs() < 1e-3, "{held}");
}

#[test]
fn a_second_start_warns_of_a_lower_minimum() {
    let directory = Directory::new();
    let data = directory.path("seen.csv");
    let swing = "double-pendulum-angles --step 0.02";
    let start = directory.file("start.json", r#"{"q": [0.3, 0.2], "v": [0.0, 0.0]}"#);
    let recorded = run(&format!(
        "run {swing} --set gravity=9.81 --method variational-midpoint --until 8 --every 5 --start {start} --out {data}"
    ));
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    let line = format!(
        "fit {swing} --set gravity=4 --method variational-midpoint --data {data} --start {start} --free gravity --format json"
    );
    let (once, twice) = (run(&format!("{line} --once")), run(&line));
    let [of_once, of_twice]: [Value; 2] = [&once, &twice].map(|ran| serde_json::from_str(&ran.out).unwrap());
    assert!((value(&of_once, "gravity") - 9.81).abs() > 0.5 && of_once["other"].is_null(), "{of_once}");
    assert!((value(&of_twice, "gravity") - 9.81).abs() < 1e-6, "{of_twice}");
    let words = "warning: the sum has several minima: the first guess leads to χ² = ";
    assert!(twice.err.contains(words) && !once.err.contains(words), "{}", twice.err);
    assert!(of_twice["other"]["chi_square"].as_f64() > of_twice["chi_square"].as_f64(), "{of_twice}");
}

#[test]
fn numbers_that_the_data_do_not_determine_are_named() {
    let directory = Directory::new();
    let line = recorded(&directory);
    let outcome = run(&format!("{line} --set gravity=9.2 --free masses,gravity"));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("not determined"), "{}", outcome.out);
    let named = "a common change of masses[0] +1.000, masses[1] +1.000, in relative units";
    assert!(outcome.out.contains(named), "{}", outcome.out);
}

#[test]
fn mistakes_have_one_line() {
    let directory = Directory::new();
    let line = recorded(&directory);
    let file = |name: &str, text: &str| directory.file(name, text);
    let of =
        |file: &str| format!("fit double-pendulum --data {file} --free gravity --method rattle --step 0.02");
    let refusals = [
        (format!("{line} --free gravty"), "no number `gravty` to fit: "),
        (
            format!("{line} --free gravity --columns lower.z"),
            "--columns `lower.z`: the model has no number `lower.z`",
        ),
        (format!("{line} --free gravity --columns lower.x=0"), "the standard deviation of `lower.x` is 0"),
        (format!("{line} --free gravity --bounds gravity"), "write NAME=LOWER:UPPER"),
        (format!("{line} --free gravity --bounds gravity=2:1"), "`gravity` has the bounds 2 and 1"),
        (format!("{line} --free gravity --bounds rods=0:1"), "`rods` is not free"),
        (format!("{line} --free gravity --segments 1000"), "1000 segments of "),
        (format!("{line} --free gravity --report fit.svg"), "--report"),
        (line.replace("--method rattle", "--method bdf") + " --free gravity", "`bdf` has no gradient"),
        (format!("{line} --free gravity --report absent/fit.html"), "absent"),
        (format!("{line} --free masses[7]"), "`masses` has 2 numbers"),
        (format!("{line} --free gravity --prior gravity=9"), "write NAME=VALUE±ERROR"),
        (format!("{line} --free gravity --prior gravity=9±1"), "give each column its standard deviation"),
        (
            format!("{line} --free gravity --columns lower.x=0.1 --prior rods=1±0.1"),
            "a prior of `rods`, which is not free: free are `gravity`",
        ),
        (format!("{line} --free gravity --sensor lower.x"), "--sensor `lower.x`: write COLUMN: offset"),
        (format!("{line} --free gravity --sensor lower.z:scale"), "no number `scale(lower.z)` to fit"),
        (format!("{line} --free gravity --loss hubber"), "no loss `hubber` (did you mean `huber`?)"),
        (
            format!("{line} --free gravity --columns lower.x=0.1 --loss huber=-1"),
            "the scale of the loss is -1",
        ),
        (of("absent.csv"), "absent.csv"),
        (of(&file("empty.csv", "t,lower.x\n")), "it has no rows with a sample"),
        (of(&file("foreign.csv", "t,x\n0,1\n")), "no column of a position of `double-pendulum`"),
        (of(&file("far.csv", "t,lower.x\n0,1\n0.1,inf\n0.2,1\n")), "`lower.x` is inf in sample 1"),
        (of(&file("gaps.csv", "t,lower.x\n0,\n0.1,NaN\n")), "it has no rows with a sample"),
        (of(&file("early.csv", "t,lower.x\n-1,1\n0.1,2\n")), "a sample at t = -1"),
        // No field of it is sensitive.
        (
            format!(
                "fit spring-pendulum --data {} --free gravity --method verlet --step 0.01",
                file("bob.csv", "t,bob.x\n0,1\n1,1\n")
            ),
            "#[lagrangian(sensitive(gravity))]",
        ),
    ];
    for (line, words) in refusals {
        let text = refused(&line);
        assert!(text.contains(words), "{line}: `{words}` is not in: {text}");
    }
}
