//! Text and numbers of written pages and pictures, read without a browser.

use std::fs;

use least_action_command::Workbench;
use serde_json::Value;

use crate::support::Directory;

/// Runs a line over the ready models; `{}` is the directory.
fn done(directory: &Directory, line: &str) {
    let line = line.replace("{}", directory.path("").trim_end_matches('/'));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(line.split_whitespace(), &mut out, &mut err);
    assert_eq!(code, 0, "{line}: {}", String::from_utf8_lossy(&err));
}

/// A part of a page by its mark.
fn part(page: &str, id: &str) -> String {
    let begin = page.find(&format!("id=\"{id}\">")).unwrap() + id.len() + 6;
    page[begin..begin + page[begin..].find("</script>").unwrap()].to_owned()
}

fn head(directory: &Directory, name: &str) -> Value {
    serde_json::from_str(&part(&fs::read_to_string(directory.path(name)).unwrap(), "head")).unwrap()
}

#[test]
fn conserved_quantities_are_shown_by_their_change_from_the_start() {
    let directory = Directory::new();
    done(
        &directory,
        "run kepler --method reference --step 0.1 --until 7 --observe all --view {}/k.html --report {}/r.html",
    );
    let head = head(&directory, "k.html");
    let strips = head["strips"].as_array().unwrap();
    let told: Vec<_> =
        strips.iter().map(|strip| (strip["axis"].as_str().unwrap(), &strip["change"])).collect();
    assert_eq!(told, [("E(t) − E(0)", &true.into()), ("change of angular momentum z", &true.into())]);
    let first = strips[1]["curves"][0]["first"].as_f64().unwrap();
    assert!((first - 0.526_782_687_642_636_9).abs() < 1e-12, "√(1 − e²): {first}");
    let report = fs::read_to_string(directory.path("r.html")).unwrap();
    assert!(report.contains("Angular momentum z: change from 0.526783"));
    // A temperature that comes and goes is no such quantity.
    let liquid = "--set atoms=32 --set cutoff=1.5 --set on=1.2 --method verlet --step 0.002 --until 0.2";
    done(&directory, &format!("run liquid {liquid} --observe temperature --view {{}}/l.html"));
    assert_eq!(self::head(&directory, "l.html")["strips"][1]["axis"], "temperature");
}

#[test]
fn a_rotation_is_drawn_by_its_axis_and_no_panel_is_empty() {
    let directory = Directory::new();
    done(&directory, "run rigid-body --method so3-verlet --step 0.05 --until 1 --plot {}/r.svg");
    let svg = fs::read_to_string(directory.path("r.svg")).unwrap();
    assert!(svg.contains("Coordinates: 3 of 9 coordinates") && svg.contains("r[(2, 2)]"), "{svg:.4000}");
    // Three components, the energy and the constraint of the rotation.
    assert_eq!(svg.matches("<svg x=").count(), 5);
}

/// At a step of an averaging method the energy is the energy of a phase, a saw-tooth of the size of the
/// vibration.
#[test]
fn pages_of_averaged_motions_show_no_energy_and_say_why() {
    let directory = Directory::new();
    let line = "run driven-pendulum --set omega=1e8 --method hmm-asynchronous --step 0.0125 --until 0.25";
    done(
        &directory,
        &format!("{line} --view {{}}/h.html --report {{}}/r.html --plot {{}}/h.svg --out {{}}/h.csv"),
    );
    done(&directory, "view {}/h.csv --out {}/later.html");
    for page in ["h.html", "later.html"] {
        let head = head(&directory, page);
        let axes: Vec<&str> =
            head["strips"].as_array().unwrap().iter().map(|strip| strip["axis"].as_str().unwrap()).collect();
        assert_eq!(axes, ["q, rad"], "{page}");
        assert!(head["notes"][0].as_str().unwrap().starts_with("The energy is left out: "), "{page}");
        assert!(!head["sections"].to_string().contains("energy at the end"), "{page}");
    }
    for file in ["r.html", "h.svg"] {
        assert!(
            !fs::read_to_string(directory.path(file)).unwrap().contains("Change of the energy"),
            "{file}"
        );
    }
    let rows = fs::read_to_string(directory.path("h.csv")).unwrap();
    assert!(rows.lines().next().unwrap().contains("energy"), "the recording has all that was measured");
}

/// Between frames a page is on the cubic of the recorded velocities, whoever recorded them.
#[test]
fn pages_have_the_velocities_that_were_recorded() {
    let directory = Directory::new();
    let endings: &[&str] =
        if cfg!(feature = "tables") { &["csv", "json", "parquet"] } else { &["csv", "json"] };
    let velocities = |name: &str| part(&fs::read_to_string(directory.path(name)).unwrap(), "velocities");
    for (k, ending) in endings.iter().enumerate() {
        let line = format!("run kepler --method reference --step 0.1 --until 7 --out {{}}/{k}.{ending}");
        done(&directory, &format!("{line} --view {{}}/own.html"));
        done(&directory, &format!("view {{}}/{k}.{ending} --out {{}}/{k}.html"));
        assert!(velocities("own.html").len() > 100, "{}", velocities("own.html").len());
        assert_eq!(velocities("own.html"), velocities(&format!("{k}.html")), "{ending}");
    }
    assert!((head(&directory, "own.html")["interval"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    // A file of another program that has none is drawn on lines, and so is a motion whose frames are
    // near.
    let rows = fs::read_to_string(directory.path("0.csv")).unwrap();
    let places: Vec<String> =
        rows.lines().map(|row| row.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    directory.file("bare.csv", &places.join("\n"));
    done(&directory, "view {}/bare.csv --model kepler --out {}/bare.html");
    done(
        &directory,
        "run kepler --set eccentricity=0 --method reference --step 0.001 --until 1 --view {}/near.html",
    );
    for page in ["bare.html", "near.html"] {
        assert_eq!(
            (velocities(page).as_str(), &head(&directory, page)["interval"]),
            ("", &Value::Null),
            "{page}"
        );
    }
}

#[test]
#[cfg(feature = "tables")]
fn the_page_of_a_member_names_it_with_its_settings_method_and_step() {
    let directory = Directory::new();
    let plan = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.5\nevery = 5\npath = true\n\
                [set]\ngravity = 0.5\n[grid]\n\"set.omega\" = [10.0, 20.0]\nstep = [0.01, 0.02]\n";
    directory.file("plan.toml", plan);
    done(&directory, "ensemble {}/plan.toml --out {}/out");
    done(&directory, "view {}/out --member 3 --out {}/m.html");
    done(&directory, "report {}/out --member 3 --out {}/r.html");
    let head = head(&directory, "m.html");
    assert!(head["title"].as_str().unwrap().ends_with("out, member 3"), "{}", head["title"]);
    let rows: Vec<String> = head["sections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["rows"].as_array().unwrap())
        .map(|row| format!("{}={}", row[0].as_str().unwrap(), row[1].as_str().unwrap()))
        .collect();
    for wanted in ["member=3", "set.omega=20", "gravity=0.5", "method=verlet", "step=0.02"] {
        assert!(rows.iter().any(|row| row == wanted), "{wanted}: {rows:?}");
    }
    let report = fs::read_to_string(directory.path("r.html")).unwrap();
    assert!(
        report.contains("<dt>member</dt><dd>3</dd>") && report.contains("<dt>method</dt><dd>verlet</dd>")
    );
}
