//! `reproduce`: every known number comes out, and the page stands alone.

use least_action_command::{MISTAKE, Workbench};
use std::path::PathBuf;

fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(arguments, &mut out, &mut err);
    (code, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn every_known_number_comes_out_and_the_page_stands_alone() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    let path = folder.to_str().ok_or("the folder has a name")?;
    let (code, out, err) = run(&["reproduce", "tao-owhadi", "--out", path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!out.contains("not reproduced"), "{out}");
    // Twenty-five rows with known numbers and fourteen statements; two others are wrong.
    assert_eq!(out.matches("reproduced").count(), 39, "{out}");
    assert_eq!(out.matches("refuted:").count(), 2, "{out}");
    assert!(!out.contains("NaN"), "{out}");

    let page = std::fs::read_to_string(folder.join("tao-owhadi.html"))?;
    assert_eq!(page.matches("<svg width=").count(), 8);
    assert!(!page.contains("Not complete"));
    // Pendulums twice, multipliers twice, water, DNA, a body: each can be played, and nothing comes from
    // outside.
    assert_eq!(page.matches(" srcdoc=").count(), 7);
    for outside in [" src=", "<img", "@import", "url(", "fetch(", "https:"] {
        assert!(!page.contains(outside), "the page needs nothing from outside: {outside}");
    }
    assert!(page.len() < 3_000_000, "{}", page.len());
    Ok(())
}

/// The slow manifolds of Ariel, Sanz-Serna and Tsai: the printed numbers come out, but for three
/// misprints and a sentence.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn the_projection_onto_slow_manifolds_is_reproduced() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("slow");
    let path = folder.to_str().ok_or("the folder has a name")?;
    let (code, out, err) = run(&["reproduce", "ariel-sanz-serna-tsai", "--out", path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!out.contains("not reproduced"), "{out}");
    // Eighteen rows with known numbers and sixteen statements.
    assert_eq!(out.matches("reproduced").count(), 34, "{out}");
    assert_eq!(out.matches("refuted:").count(), 4, "{out}");
    assert!(!out.contains("NaN"), "{out}");
    let page = std::fs::read_to_string(folder.join("ariel-sanz-serna-tsai.html"))?;
    assert_eq!(page.matches("<svg width=").count(), 8);
    Ok(())
}

/// Force-stepping of Gonzalez, Schmidt and Ortiz, in its short form.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn force_stepping_is_reproduced() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("force-stepping");
    let path = folder.to_str().ok_or("the folder has a name")?;
    let (code, out, err) = run(&["reproduce", "gonzalez-schmidt-ortiz", "--out", path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!out.contains("not reproduced"), "{out}");
    let page = std::fs::read_to_string(folder.join("gonzalez-schmidt-ortiz.html"))?;
    assert_eq!(page.matches("<h2>").count(), 7);
    assert_eq!(page.matches("<svg width=").count(), 7);
    assert_eq!(page.matches(" srcdoc=").count(), 5);
    Ok(())
}

/// Optimal control and fits: each least cost at the order of its method, and each estimate.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn published_controls_and_estimates_come_out() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("solved");
    let path = folder.to_str().ok_or("the folder has a name")?;
    // Rows with known numbers and statements, figures, and motions.
    for (paper, [known, figures, motions]) in [("optimal-control", [16, 5, 2]), ("fits", [6, 2, 0])] {
        let (code, out, err) = run(&["reproduce", paper, "--out", path]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(!out.contains("not reproduced"), "{out}");
        assert_eq!(out.matches("reproduced").count(), known, "{out}");
        assert!(!out.contains("NaN"), "{out}");
        let page = std::fs::read_to_string(folder.join(format!("{paper}.html")))?;
        assert_eq!(page.matches("<svg width=").count(), figures);
        assert_eq!(page.matches(" srcdoc=").count(), motions);
    }
    Ok(())
}

#[test]
fn mistakes_are_one_line() {
    let (code, out, err) = run(&["reproduce", "tao-owhady"]);
    assert_eq!((code, out.as_str()), (MISTAKE, ""));
    assert_eq!(
        err,
        "error: unknown paper `tao-owhady` (did you mean `tao-owhadi`?); there are: tao-owhadi, \
         calvo-sanz-serna, ariel-sanz-serna-tsai, gonzalez-schmidt-ortiz, benchmark-problems, \
         optimal-control, fits\n"
    );
}
