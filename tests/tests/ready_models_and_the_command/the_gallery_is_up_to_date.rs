//! `docs/gallery`: every ready model with its picture, its equations, its declaration and the commands that
//! make the picture, and a page.
//!
//! `GALLERY=overwrite cargo test -p least-action-tests --test the_whole -- the_gallery` writes the pages anew.

#![expect(clippy::expect_used, reason = "a test file, where a failure is a panic")]

use least_action::advanced::describe::Formulas;
use least_action::system::Text;
use least_action_tests::command::json;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A page: its file, its title, and its models with the time of the picture.
type Page = (&'static str, &'static str, &'static [(&'static str, f64)]);

const PAGES: &[Page] = &[
    (
        "pendulums",
        "Pendulums and chains",
        &[
            ("double-pendulum", 3.0),
            ("double-pendulum-angles", 3.0),
            ("pendulums", 2.0),
            ("chain", 12.0),
            ("cart-pendulum", 1.0),
            ("cart-double-pendulum", 0.5),
        ],
    ),
    (
        "driven",
        "Driven and stiff systems",
        &[
            ("driven-pendulum", 0.01),
            ("driven-pendulum-cartesian", 0.05),
            ("driven-double-pendulum", 0.05),
            ("oscillator", 12.0),
            ("double-spring", 3.0),
            ("damped-double-pendulum", 2.0),
        ],
    ),
    ("orbits", "Orbits", &[("kepler", 4.0), ("kepler-polar", 4.0), ("kepler-radial", 12.0)]),
    (
        "linkages",
        "Linkages and vehicles",
        &[("slider-crank", 1.0), ("four-bar", 1.0), ("four-bars", 0.5), ("bricard", 1.0), ("car-axis", 1.0)],
    ),
    (
        "bodies",
        "Bodies that turn and roll",
        &[
            ("rigid-body", 5.0),
            ("top", 1.0),
            ("jointed-boxes", 1.0),
            ("chaplygin-sleigh", 5.0),
            ("snakeboard", 5.0),
        ],
    ),
    (
        "elastic",
        "Springs, solids and points on a sphere",
        &[
            ("spring-pendulum", 3.0),
            ("spring-chain", 5.0),
            ("spring-net", 5.0),
            ("cube", 1.2e-4),
            ("fekete-points", 1.0),
            ("smoothed-drop", 1.0),
        ],
    ),
    (
        "molecules",
        "Molecules",
        &[
            ("water", 5.0),
            ("dna", 5.0),
            ("polymer", 1.0),
            ("polymer-constrained", 1.0),
            ("argon", 0.01),
            ("lennard-jones", 1.0),
        ],
    ),
    ("matter", "Liquids and crystals", &[("liquid", 2.0), ("copper", 0.2), ("water-box", 0.05)]),
];

/// A declaration or a display of more lines is cut.
const LONGEST: usize = 24;

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(relative)
}

/// The Lagrangian, the constraints and the abbreviations in them, or as many as a page has room for.
fn display(formulas: &Value) -> String {
    let text = |value: &Value| -> Text { value.as_str().expect("a formula").to_owned().into() };
    let texts = |name: &str| formulas[name].as_array().expect("formulas").iter().map(text).collect();
    let lagrangian = text(&formulas["lagrangian"]);
    let shortest = Formulas { lagrangian, ..Formulas::default() };
    let constraints = Formulas { constraints: texts("constraints"), ..shortest.clone() };
    let whole = Formulas { definitions: texts("definitions"), ..constraints.clone() };
    let displays =
        [whole, constraints, shortest].map(|formulas| formulas.align().replace("align*", "aligned"));
    let fits = displays.into_iter().find(|display| display.lines().count() <= LONGEST / 2);
    fits.map_or_else(String::new, |display| format!("```math\n{display}```\n\n"))
}

/// The methods of a declaration as the file of the model has them.
fn declaration(file: &str) -> String {
    let text = std::fs::read_to_string(path(file)).expect("the file of the model");
    let begin = text.find("#[lagrangian").expect("a declaration");
    let end = text[begin..].find("\n}\n").expect("the end of the declaration");
    let lines: Vec<&str> = text[begin..begin + end + 2].lines().collect();
    if lines.len() <= LONGEST {
        return lines.join("\n");
    }
    // The longest beginning that ends with a method.
    let cut = lines[..LONGEST].iter().rposition(|line| *line == "    }").unwrap_or(LONGEST - 2);
    format!("{}\n    // … {} more lines in {file}", lines[..=cut].join("\n"), lines.len() - cut - 1)
}

fn entry(&(name, time): &(&str, f64)) -> String {
    let described = json(&format!("describe {name} --format json"));
    let documentation = described["documentation"].as_str().expect("documentation");
    let (about, source) = documentation.split_once("# Source\n").unwrap_or((documentation, ""));
    let mut entry = format!("## `{name}`\n\n");
    for paragraph in about.trim().split("\n\n") {
        let _ = writeln!(entry, "{}\n", paragraph.replace('\n', " "));
    }
    let picture = format!("pictures/gallery/{name}.png");
    let _ = writeln!(entry, "![A frame of the page of {name}](../{picture})\n");
    let _ = writeln!(entry, "`least-action live {name} --out {name}.html` makes it move.\n");
    entry.push_str(&display(&described["formulas"]));
    let file = format!("models/src/{}.rs", name.replace('-', "_"));
    let _ = writeln!(entry, "```rust,ignore\n{}\n```\n", declaration(&file));
    if !source.is_empty() {
        let _ = writeln!(entry, "Source: {}\n", source.trim().replace('\n', " "));
    }
    let _ = writeln!(
        entry,
        "```sh\nleast-action run {name} --view {name}.html\n\
         chromium --headless --window-size=640,440 --screenshot=docs/{picture} \
         \"file://$PWD/{name}.html#picture&t={time}\"\n```\n"
    );
    assert!(path("docs").join(&picture).exists(), "{picture} is missing: run the commands beside it");
    entry
}

#[test]
fn every_ready_model_is_on_a_page_of_the_gallery() {
    let listed = json("models --format json");
    let names: BTreeSet<&str> = listed["models"]
        .as_array()
        .expect("models")
        .iter()
        .filter_map(|model| model["name"].as_str())
        .collect();
    let shown: Vec<&str> =
        PAGES.iter().flat_map(|(_, _, models)| models.iter().map(|(name, ..)| *name)).collect();
    assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), names);
    assert_eq!(shown.len(), names.len(), "each stands there once");
}

/// All models in a line each.
fn index() -> String {
    let mut index = String::from(
        "# Ready models\n\nEach model has its picture, its equations, its declaration and the commands that made the picture.\n\
         The command below the picture makes a [page that computes](../running/live.md) the motion itself; the book shows it in place of the picture.\n\
         `least-action describe MODEL` tells the rest: parameters, conserved quantities, and the methods that fit.\n",
    );
    for (file, title, models) in PAGES {
        let _ = writeln!(index, "\n## {title}\n");
        for (name, ..) in *models {
            let described = json(&format!("describe {name} --format json"));
            let documentation = described["documentation"].as_str().expect("documentation");
            let first = documentation.split("\n\n").next().unwrap_or_default().replace('\n', " ");
            let _ = writeln!(index, "- [`{name}`]({file}.md#{name}): {first}");
        }
    }
    index
}

#[test]
fn pages_of_the_gallery_are_up_to_date() {
    let page = |(file, title, models): &Page| {
        let entries: Vec<String> = models.iter().map(entry).collect();
        (*file, format!("# {title}\n\n{}\n", entries.concat().trim_end()))
    };
    for (file, page) in PAGES.iter().map(page).chain([("index", index())]) {
        let file = path(&format!("docs/gallery/{file}.md"));
        if std::env::var("GALLERY").is_ok_and(|wish| wish == "overwrite") {
            std::fs::write(&file, page).expect("the page can be written");
        } else {
            let current = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(current == page, "{} is out of date: see GALLERY=overwrite", file.display());
        }
    }
}
