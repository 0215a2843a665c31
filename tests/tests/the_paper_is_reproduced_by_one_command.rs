//! `reproduce tao-owhadi`: every known number comes out, and the page stands alone.

use std::path::PathBuf;
use workbench::{MISTAKE, Workbench};

fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = Workbench::new("least-action").ready_models().run(arguments, &mut out, &mut err);
    (code, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}

#[test]
fn every_known_number_comes_out_and_the_page_stands_alone() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    let path = folder.to_str().ok_or("the folder has a name")?;
    let (code, out, err) = run(&["reproduce", "tao-owhadi", "--out", path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!out.contains("not reproduced"), "{out}");
    // Twenty rows with known numbers and eleven statements; two others are wrong.
    assert_eq!(out.matches("reproduced").count(), 31, "{out}");
    assert_eq!(out.matches("refuted:").count(), 2, "{out}");
    assert!(!out.contains("NaN"), "{out}");

    let page = std::fs::read_to_string(folder.join("tao-owhadi.html"))?;
    assert_eq!(page.matches("<svg").count(), 5);
    for outside in ["<script", "<link", "<img", "src=", "@import"] {
        assert!(!page.contains(outside), "the page needs nothing from outside: {outside}");
    }
    Ok(())
}

#[test]
fn mistakes_are_one_line() {
    let (code, out, err) = run(&["reproduce", "tao-owhady"]);
    assert_eq!((code, out.as_str()), (MISTAKE, ""));
    assert_eq!(
        err,
        "error: unknown paper `tao-owhady` (did you mean `tao-owhadi`?); there are: tao-owhadi, calvo-sanz-serna\n"
    );
}
