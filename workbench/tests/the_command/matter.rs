//! Temperature, pressure and structure of ready models along a run.

use crate::support::{Directory, Outcome};
use least_action_command::Workbench;
use serde_json::Value;

/// Runs a command line on the ready models.
fn run(line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(line.split_whitespace(), &mut out, &mut err);
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

#[test]
fn liquids_have_a_temperature_a_pressure_and_a_structure() {
    let directory = Directory::new();
    let [table, g, picture] = ["run.csv", "g.csv", "g.svg"].map(|name| directory.path(name));
    let line = "run liquid --method verlet --step 0.004 --until 0.4 --every 10";
    let wanted = "temperature,pressure,virial,pressure_xy,mean_square_displacement,radial_distribution";
    let outcome = run(&format!(
        "{line} --observe {wanted} --bins 50 --reach 2.5 --radial {g} --out {table} --format json"
    ))
    .json();
    let observed = |name: &str| {
        let all = outcome["observed"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name} in {outcome}")).clone()
    };
    assert!((observed("temperature")["first"].as_f64().unwrap() - 1.44).abs() < 1e-12);
    assert_eq!(observed("mean_square_displacement")["first"], 0.0);
    // 3 p Ω = 2 K + tr W, with the energy of 107 free atoms by the temperature.
    let last = |name: &str| observed(name)["last"].as_f64().unwrap();
    let volume = 108.0 / 0.8442;
    let sum = 3.0 * 107.0 * last("temperature") + last("virial");
    assert!((3.0 * volume * last("pressure") / sum - 1.0).abs() < 1e-10, "{outcome}");
    let radial = &outcome["radial_distribution"][0];
    assert_eq!((&radial["kinds"][1], &radial["samples"]), (&Value::from("atoms"), &Value::from(11)));
    let bins = radial["bins"].as_array().unwrap();
    let counted = std::fs::read_to_string(&g).unwrap();
    let lines: Vec<&str> = counted.lines().collect();
    assert_eq!((bins.len(), lines.len(), lines[0]), (50, 51, "lower,upper,g_atoms_atoms"));
    for (bin, line) in bins.iter().zip(&lines[1..]) {
        let numbers: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let of_bin = ["lower", "upper", "g"].map(|name| bin[name].as_f64().unwrap());
        assert_eq!(numbers, of_bin);
    }
    // No atoms overlap, and the first neighbours are many.
    let g_at = |r: f64| bins[(r / 0.05) as usize]["g"].as_f64().unwrap();
    assert!(g_at(0.7) == 0.0 && g_at(1.1) > 1.5, "{radial}");
    let drawn = run(&format!("{line} --radial {picture}"));
    assert!(drawn.out.contains("radial distribution, atoms – atoms"), "{}", drawn.out);
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));

    for (line, said) in [
        (
            format!("{line} --set density=-0.8442"),
            "parameter `density` of `liquid`: -0.8442 is refused: it must be positive",
        ),
        (format!("{line} --out {g} --radial {g}"), "--out names the same file; give each a name of its own"),
        (format!("{line} --radial g.txt"), "--radial g.txt: the name must end in .csv, .json or .svg"),
        (
            format!("{line} --radial {g} --bins 0"),
            "--bins: `radial_distribution`: the number of bins is 0, and must be from 1 to 1000000",
        ),
        (format!("{line} --radial {g} --reach 4"), "error: --reach: "),
        (format!("{line} --radial {g} --reach 4"), "the cutoff 4 is more than half"),
        (
            format!("run chain --method rattle --step 0.01 --until 0.1 --radial {g}"),
            "error: --radial: `radial_distribution` is a quantity of points in a cell",
        ),
        (
            format!("{line} --reach 2"),
            "error: --reach: it belongs to a radial distribution; add --radial FILE",
        ),
        (
            format!("{line} --radial {g} --bins -1"),
            "invalid value '-1' for '--bins <N>': expected a whole number",
        ),
        (format!("{line} --observe temperature --boltzmann 0"), "the constant of Boltzmann is 0"),
        (
            "run chain --method rattle --step 0.01 --until 0.1 --observe pressure".to_owned(),
            "has no sum over near pairs",
        ),
        (
            "run kepler-polar --method reference --step 0.1 --until 1 --observe temperature".to_owned(),
            "needs a constant mass",
        ),
    ] {
        let refused = run(&line);
        assert!(refused.err.contains(said) && refused.err.lines().count() == 1, "{}", refused.err);
        assert_eq!(refused.code, 2, "{line}");
    }
}

/// In JSON the first row has the names, by which reports call the numbers of all rows.
#[test]
fn what_is_observed_has_its_name_in_every_file() {
    let directory = Directory::new();
    let [rows, report] = ["run.json", "run.html"].map(|name| directory.path(name));
    let line = "run liquid --method verlet --step 0.004 --until 0.04 --observe temperature,pressure";
    assert_eq!(run(&format!("{line} --out {rows}")).code, 0);
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(&rows).unwrap()).unwrap();
    assert_eq!(recorded[0]["observed_names"], serde_json::json!(["temperature", "pressure"]));
    assert!(recorded[1].get("observed_names").is_none() && recorded[1]["observed"].is_array());
    assert_eq!(run(&format!("report {rows} --model liquid --out {report}")).code, 0);
    let page = std::fs::read_to_string(&report).unwrap();
    assert!(page.contains("temperature") && page.contains("pressure") && !page.contains("observed[0]"));
}

/// Either of its options turns a thermostat on, and the run tells the defaults of the rest.
#[test]
fn what_is_not_given_of_a_thermostat_is_told() {
    let line = "run liquid --method verlet --step 0.004 --until 0.04";
    let directory = Directory::new();
    for (given, said) in [
        ("--with friction=1", Some("friction 1, inverse_temperature 1 (by default)")),
        ("--with inverse_temperature=1.4", Some("friction 0.01 (by default), inverse_temperature 1.4")),
        ("--with friction=1 --with inverse_temperature=1.4", Some("friction 1, inverse_temperature 1.4")),
        ("", None),
    ] {
        let outcome = run(&format!("{line} {given}"));
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{given}");
        let told = outcome.out.lines().find_map(|line| line.strip_prefix("thermostat"));
        assert_eq!(told.map(str::trim), said, "{given}: {}", outcome.out);
        // A thermostat keeps nothing of the method's conserved quantities.
        let report = directory.path("report.html");
        assert_eq!(run(&format!("{line} {given} --report {report}")).code, 0);
        let page = std::fs::read_to_string(&report).unwrap();
        assert_eq!(page.contains("symplectic"), said.is_none(), "{given}");
        assert_eq!(page.contains("nothing: the thermostat gives and takes"), said.is_some(), "{given}");
    }
}
