//! A recording that does not fit is refused by its row and its column, by `fit`, `gradient`, `view` and
//! `report` alike; the cut last row of one is left out, and a column of words that nobody asks for is
//! not read.

use std::fs::File;

use crate::support::{Directory, Outcome, ready};

/// What each command says about a recording.
fn said(directory: &Directory, recording: &str) -> Vec<Outcome> {
    let model = "double-pendulum-angles";
    let by = "--step 0.05";
    let page = directory.path("page.html");
    let lines = [
        format!("fit {model} --data {recording} --free gravity --method variational-midpoint {by}"),
        format!("gradient {model} --loss data:{recording} --method variational-midpoint {by} --until 0.2"),
        format!("view {recording} --model {model} --out {page}"),
        format!("report {recording} --model {model} --out {page}"),
    ];
    lines.iter().map(|line| ready(line)).collect()
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let directory = Directory::new();
    let head = "t,theta,phi\n";
    for (name, text, words) in [
        (
            "c.csv",
            format!("{head}0,0,0,1\n0,05,0,01,1,2\n"),
            "row 1 has 4 cells, and the header 3; numbers have a point",
        ),
        ("c.csv", format!("{head}0,1,1\n1,0.05,1,1\n0.1,1,1\n"), "row 2 has 4 cells, and the header 3"),
        ("c.csv", format!("{head}0,1,1\n0.05,1\n0.1,1,1\n"), "row 2 has 2 cells, and the header 3"),
        ("c.csv", format!("{head}0,1,1\n0.05,1,1\n0.1,1\n"), "row 3 has 2 cells, and the header 3"),
        (
            "c.csv",
            format!("{head}0,1,1\n0.05,n/a,1\n0.1,1,1\n"),
            "`n/a` in row 2 of the column `theta` is no number",
        ),
        (
            "c.csv",
            format!("{head}0,1,1\n0.05,1,1\n0.1,1,-\n"),
            "`-` in row 3 of the column `phi` is no number",
        ),
        (
            "c.csv",
            format!("{head}0.1,1,1\n0.05,1,1\n"),
            "row 2 goes back in time, from 0.1 to 0.05: sort the rows by `t`",
        ),
        ("c.csv", format!("{head}0,1,1\n,1,1\n"), "row 2 has no time"),
        (
            "c.json",
            "[{\"t\":0,\"q\":[1,2]},{\"t\":0.05,\"q\":[9,1,2]}]".to_owned(),
            "row 2 has 3 numbers in `q`, and the first row 2 numbers",
        ),
        (
            "c.json",
            "[{\"t\":0,\"q\":[0,1,2]},{\"t\":0.05,\"q\":[0,1,2]}]".to_owned(),
            "its rows have 3 coordinates, and `double-pendulum-angles` has 2",
        ),
        (
            "c.json",
            "[{\"t\":0,\"q\":[1,2]},{\"t\":0.05}]".to_owned(),
            "row 2 has no `q`, as the first row has",
        ),
        (
            "c.json",
            "[{\"t\":0,\"q\":[1,2]},{\"t\":0.05,\"q\":[1,\"2\"]}]".to_owned(),
            "row 2 has \"2\" in `q`, which is no number",
        ),
        ("c.json", "[{\"t\":0.05,\"q\":[1,2]},{\"t\":0,\"q\":[1,2]}]".to_owned(), "row 2 goes back in time"),
    ] {
        for outcome in said(&directory, &directory.file(name, &text)) {
            assert!(outcome.code == 2 && outcome.err.contains(words), "{words}: {}", outcome.err);
        }
    }
    assert!(!directory.names().contains(&"page.html".to_owned()));
}

#[test]
fn a_last_row_without_its_end_of_line_is_left_out() {
    let directory = Directory::new();
    let whole = "t,note,theta,phi\n0,a,1.5707963267948966,0\n0.05,b,1.57,0.01\n0.1,c,1.55,0.02\n";
    let [own, cut] = [("whole.csv", whole), ("cut.csv", &whole[..whole.len() - 2])];
    let [own, cut] = [own, cut].map(|(name, text)| said(&directory, &directory.file(name, text)));
    let words =
        "row 3, the last one, has no end of line, so that its last number may be cut, and is left out";
    for (own, cut) in own.iter().zip(&cut) {
        assert_eq!(own.code, 0, "{}", own.err);
        assert!(!own.err.contains("end of line") && !own.err.contains("no number"), "{}", own.err);
        assert!(cut.code == 0 && cut.err.contains(words), "{}", cut.err);
    }
    // Without its last row the loss is another one.
    assert_ne!(own[1].out, cut[1].out);
}

#[test]
fn a_row_without_an_end_takes_no_memory_without_one() {
    let directory = Directory::new();
    let path = directory.file("endless.csv", "t");
    File::options().write(true).open(&path).unwrap().set_len(1 << 27).unwrap();
    let refused = ready(&format!("view {path} --out {}", directory.path("page.html")));
    assert!(
        refused.code == 2 && refused.err.contains("a row of it is longer than those that are read"),
        "{}",
        refused.err
    );
}
