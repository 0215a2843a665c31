//! `docs/tutorial` prints the programs in `examples/`, which `cargo test` runs, and the README a model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

include!("readme/chain.rs");

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
    let model = include_str!("readme/chain.rs").split_once("\n\n").map(|(_, model)| model);
    assert_eq!(programs(&readme), model.as_slice());
    Ok(())
}

#[test]
fn the_model_of_the_readme_binds() {
    let chain = Chain { links: 3, mass: 1.0, rod: 0.5, gravity: 9.81 };
    let system = chain.bind().expect("a chain");
    let (q, mut g) = (vec![0.5, 0.0, 1.0, 0.0, 1.5, 0.0], vec![1.0; 3]);
    system.constraint_values(&q, 0.0, &mut g);
    assert_eq!(g, [0.0; 3]);
}
