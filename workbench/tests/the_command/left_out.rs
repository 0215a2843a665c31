//! A program that was built without a part says in one line which feature brings it.
//!
//! Without default features, and with `ready-models`, the program leaves all of them out.

/// Asserts that a command line is refused for want of a feature.
#[cfg(not(all(feature = "papers", feature = "expand", feature = "tables")))]
fn assert_left_out(line: &str, what: &str, feature: &str) {
    let done = crate::support::run(line);
    let said = format!(
        "error: {what} is left out of this program: give the package `least-action-command` the feature `{feature}`\n"
    );
    assert_eq!((done.code, done.out.as_str(), done.err), (2, "", said), "{line}");
}

#[cfg(not(feature = "papers"))]
#[test]
fn papers() {
    assert_left_out("reproduce tao-owhadi", "`reproduce`", "papers");
}

#[cfg(not(feature = "expand"))]
#[test]
fn the_compiler() {
    assert_left_out("expand spring-pendulum", "`expand`", "expand");
}

#[cfg(not(feature = "tables"))]
#[test]
fn tables() {
    use crate::support::Directory;

    let directory = Directory::new();
    let [columns, plan, out] = ["a.parquet", "plan.toml", "data"].map(|name| directory.path(name));
    let run = "run spring-pendulum --method verlet --step 0.01 --until 0.1";
    assert_left_out(&format!("{run} --out {columns}"), "the format .parquet", "tables");
    assert_left_out(&format!("{run} --out {columns} --checkpoint {out}"), "the format .parquet", "tables");
    directory.file("b.parquet", "PAR1");
    let page = directory.path("b.html");
    assert_left_out(
        &format!("view {} --out {page}", directory.path("b.parquet")),
        "the format .parquet",
        "tables",
    );
    assert_left_out(&format!("ensemble {plan} --out {out}"), "`ensemble`", "tables");
    assert_eq!(directory.names(), ["b.parquet"], "nothing is begun");
}
