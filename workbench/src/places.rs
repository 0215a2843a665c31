//! Names of files: as seen from a folder, with which they may move, and those of datasets.

use std::path::{Component, Path, PathBuf, absolute};

pub(crate) use least_action_pages::files::folder;
use serde_json::Value;

/// The key of metadata that say whose run a file has.
pub(crate) const KEY: &str = "least-action";

/// The names of a file of a dataset in which parts are gathered, and of a part before.
pub(crate) fn files_of(part: u64, per_file: u64) -> [String; 2] {
    let whole = |number: u64| format!("part-{number:05}.parquet");
    [whole(part / per_file), if per_file > 1 { format!(".part-{part:05}.done") } else { whole(part) }]
}

/// The whole name of a folder, which need not be there yet.
fn whole(folder: &Path) -> Option<PathBuf> {
    let folder = absolute(folder).ok()?;
    let mut found = folder.ancestors().filter_map(|part| Some((part, part.canonicalize().ok()?)));
    let (part, known) = found.next()?;
    Some(known.join(folder.strip_prefix(part).ok()?))
}

/// The name of a file as seen from a folder; a file elsewhere with a whole name keeps it.
pub(crate) fn seen_from(from: &Path, file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default();
    let (Some(from), Some(place)) = (whole(from), whole(folder(file))) else { return file.to_owned() };
    let common = from.components().zip(place.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().count() - common;
    if up > 0 && file.is_absolute() || common == 0 {
        return place.join(name);
    }
    let up = std::iter::repeat_n(Component::ParentDir, up);
    up.chain(place.components().skip(common)).collect::<PathBuf>().join(name)
}

/// Replaces a text wherever it is the whole of one in a value; true if it is somewhere.
pub(crate) fn replace(value: &mut Value, text: &str, by: &str) -> bool {
    match value {
        Value::String(own) if own == text => {
            by.clone_into(own);
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |found, item| replace(item, text, by) | found),
        Value::Object(fields) => {
            fields.values_mut().fold(false, |found, field| replace(field, text, by) | found)
        }
        _ => false,
    }
}

/// True if a text is the whole of one somewhere in a value.
pub(crate) fn mentions(value: &Value, text: &str) -> bool {
    replace(&mut value.clone(), text, text)
}
