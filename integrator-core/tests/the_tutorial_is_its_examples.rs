//! The README and `docs/tutorial` print the programs in `examples/`, which `cargo test` runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The names of the files in a folder that have this ending.
fn names(folder: &Path, ending: &str) -> io::Result<BTreeSet<String>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    let ours = paths.iter().filter(|path| path.extension().is_some_and(|found| found == ending));
    Ok(ours.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect())
}

/// The programs on a page.
fn programs(page: &str) -> Vec<&str> {
    let blocks = page.split("```rust\n").skip(1);
    blocks.filter_map(|rest| rest.split_inclusive("```").next()?.strip_suffix("```")).collect()
}

#[test]
fn each_chapter_prints_its_example_and_each_example_has_a_chapter() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (chapters, examples) = (here.join("../docs/tutorial"), here.join("examples"));
    assert_eq!(names(&chapters, "md")?, names(&examples, "rs")?);
    for name in names(&examples, "rs")? {
        let page = fs::read_to_string(chapters.join(&name).with_extension("md"))?;
        let example = fs::read_to_string(examples.join(&name).with_extension("rs"))?;
        assert_eq!(programs(&page), [example], "{name}");
        let command = format!("cargo run -p least-action --example {name}\n");
        assert!(page.contains(&command), "{name}: {command}");
    }
    let readme = fs::read_to_string(here.join("../README.md"))?;
    assert_eq!(programs(&readme), [fs::read_to_string(examples.join("rods.rs"))?]);
    Ok(())
}
