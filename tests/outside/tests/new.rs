//! The crate that `new` writes works as it is.

use crate::workshop::{folder, least_action, printed, program, root, target};
use std::fs;
use std::path::Path;

/// Cargo in a crate, with the versions of this workspace.
fn cargo(line: &str, folder: &Path) -> std::process::Command {
    let mut command = program(env!("CARGO"), line, folder);
    command.env("CARGO_TARGET_DIR", target());
    command
}

#[test]
fn a_new_crate_is_tested_and_run() {
    let folder = folder("new");
    let told = printed(&mut least_action("new two-beads", &folder));
    assert!(told.contains("cd two-beads\n    cargo run -- run two-beads"), "{told}");
    let made = folder.join("two-beads");
    // Its versions are those of the library, which it finds wherever both are moved to.
    assert!(made.join("Cargo.lock").is_file() && made.join("rust-toolchain.toml").is_file());
    assert!(!fs::read_to_string(made.join("Cargo.toml")).unwrap().contains("path = \"/"));
    // Nothing is left to be filled in, and nothing to be formatted.
    for file in ["Cargo.toml", "README.md", "src/lib.rs", "src/main.rs", "src/model.rs", "tests/model.rs"] {
        let text = fs::read_to_string(made.join(file)).unwrap();
        assert!(
            !["{name}", "{module}", "{model}", "{command}", "{library}"]
                .iter()
                .any(|place| text.contains(place)),
            "{file}: {text}"
        );
    }
    printed(&mut program(env!("CARGO"), "fmt --check", &made));
    let tested = cargo("test --offline", &made).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    assert!(tested.status.success() && out.contains("2 passed"), "{out}\n{err}");
    assert!(!err.contains("warning"), "{err}");
    let line =
        "run two-beads --set curvature=2 --method rattle --step 0.01 --until 1 --plot bead.svg --format json";
    let mut command = program(target().join("debug/two-beads"), line, &made);
    let said: serde_json::Value = serde_json::from_str(&printed(&mut command)).unwrap();
    assert_eq!(said["verdict"]["believed"], true);
    assert!(made.join("bead.svg").is_file());
    // A second one of the name is refused, and nothing is touched.
    let again = least_action("new two-beads", &folder).output().unwrap();
    let message = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(2), "{message}");
    assert_eq!(
        message,
        "error: new two-beads: there is something of that name: give another one, or remove it\n"
    );
}

/// Follows the first page of the book after its first command, which installs the program.
#[test]
fn the_first_model_is_made_as_the_document_says() {
    let document = fs::read_to_string(root().join("docs/start.md")).unwrap();
    let blocks = |language: &str| -> Vec<String> {
        let opening = format!("```{language}\n");
        let parts = document.split(&opening).skip(1);
        parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
    };
    let shown = blocks("sh");
    let commands: Vec<&str> = shown.iter().flat_map(|block| block.lines()).collect();
    let [install, new, go, run, describe, _, rub] = commands[..] else {
        panic!("seven commands: {commands:?}")
    };
    assert_eq!((install, go), ("cargo install --locked --path workbench", "cd ../cart-pendulum"));
    let folder = folder("first");
    let clone = folder.join("clone");
    fs::create_dir(&clone).unwrap();
    printed(&mut least_action(new.strip_prefix("least-action ").unwrap(), &clone));
    let made = folder.join("cart-pendulum");
    let [model, friction, ..] = &blocks("rust")[..] else { panic!("a model and its friction") };
    fs::write(made.join("src/model.rs"), model).unwrap();
    printed(&mut program(env!("CARGO"), "fmt --check", &made));
    let cargo = |line: &str| {
        let ran = cargo(&line.replace("cargo run", "run --offline"), &made).output().unwrap();
        let err = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success() && !err.contains("warning"), "{line}: {err}");
        (String::from_utf8(ran.stdout).unwrap(), err)
    };
    let (_, told) = cargo(run);
    assert!(told.contains("note: chosen"), "{told}");
    let page = fs::read_to_string(made.join("cart.html")).unwrap();
    for word in ["\"name\":\"bob\"", "\"rods\":[[1,0]]", "\"sliding\":[1]"] {
        assert!(page.contains(word), "{word}");
    }
    let (described, _) = cargo(describe);
    assert!(described.contains("A pendulum on a cart that rolls on a rail."), "{described}");
    // Its test in the place of the test of the bead.
    let [test] = &blocks("rust,ignore")[..] else { panic!("a test") };
    fs::write(made.join("tests/model.rs"), test).unwrap();
    printed(&mut program(env!("CARGO"), "fmt --check", &made));
    let (tested, _) = cargo("test --offline --test model");
    assert!(tested.contains("2 passed"), "{tested}");
    // The friction in the same block.
    let with_friction = model.replacen("}\n\nimpl Start", &format!("\n{friction}}}\n\nimpl Start"), 1);
    fs::write(made.join("src/model.rs"), with_friction).unwrap();
    printed(&mut program(env!("CARGO"), "fmt --check", &made));
    let said: serde_json::Value = serde_json::from_str(&cargo(&format!("{rub} --format json")).0).unwrap();
    let mut observed = said["observed"].as_array().unwrap().iter();
    let balance = observed.find(|one| one["name"] == "energy_balance").unwrap();
    assert!(balance["last"].as_f64().unwrap().abs() < 1e-2, "{said}");
    // From 2 J on, nearly down to the rest at −4.9 J.
    assert!(said["energy"].as_f64().unwrap() < -4.0, "{said}");
    assert!(made.join("cart.svg").is_file());
}

/// Names that Rust has for something else, and that no one reserves.
#[test]
fn new_crates_of_odd_names_build() {
    let folder = folder("odd");
    for name in ["main", "union", "std-x", "tests"] {
        printed(&mut least_action(&format!("new {name}"), &folder));
        let made = folder.join(name);
        let checked = cargo("check --offline --all-targets", &made).output().unwrap();
        let err = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success() && !err.contains("warning"), "{name}: {err}");
    }
}

#[test]
fn a_new_crate_that_cannot_be_is_refused_in_one_line() {
    let folder = folder("refused");
    for (line, reason) in [
        ("new Beads", "has to begin with a small letter"),
        ("new be.ads", "small letters, digits, `-` and `_` alone"),
        ("new lambda", "Rust, Python or a crate that it needs has this name"),
        ("new serde", "Rust, Python or a crate that it needs has this name"),
        ("new ..", "has to begin with a small letter"),
        ("new beads --library .", "give the folder of Least Action by --library"),
        ("new beads --library missing", "give the folder of Least Action by --library"),
    ] {
        let output = least_action(line, &folder).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        assert!(message.contains(reason), "{line}: {message}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}
