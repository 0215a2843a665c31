//! Rows of a JSON array, each an object as `run --out` writes it.

use std::io::{BufRead, BufReader};
use std::path::Path;

use least_action::files;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::Ending;
use crate::error::Error;
use crate::json::Once;
use crate::output::{COORDINATES, OBSERVED_NAMES, RUN};

/// The field of observed quantities.
const OBSERVED: &str = "observed";

/// The name of an observed number by the first row, or where it stands in files that do not have it.
fn observed_name(first: &Value, k: usize) -> String {
    first[OBSERVED_NAMES][k].as_str().map_or_else(|| format!("{OBSERVED}[{k}]"), str::to_owned)
}

/// The columns by the first row: `t`, the coordinates by their order, and every other number or array of
/// numbers.
pub(super) fn columns(path: &Path) -> Result<Vec<String>, Error> {
    let mut columns = Vec::new();
    let ending = rows(path, &mut |row| {
        let Value::Object(fields) = row else {
            return Err(Error::malformed(path, "each row must be an object, {\"t\": …, \"q\": […]}"));
        };
        if !row["q"].is_array() || !row["t"].is_number() {
            return Err(Error::malformed(path, "its first row has no `t` and `q`"));
        }
        columns.push("t".to_owned());
        let velocities = fields.get("v").is_some_and(Value::is_array).then_some("v");
        let order = ["q"].into_iter().chain(velocities).chain(
            fields.keys().map(String::as_str).filter(|name| !["t", "q", "v", "multipliers"].contains(name)),
        );
        for name in order {
            match &fields[name] {
                Value::Array(items) if name == OBSERVED => {
                    columns.extend((0..items.len()).map(|k| observed_name(row, k)));
                }
                Value::Array(_) if [COORDINATES, OBSERVED_NAMES].contains(&name) => {}
                Value::Array(items) => columns.extend((0..items.len()).map(|k| format!("{name}[{k}]"))),
                Value::Number(_) | Value::Null => columns.push(name.to_owned()),
                _ => {}
            }
        }
        Ok(false)
    })?;
    match (columns.is_empty(), ending) {
        (true, ending) => Err(Error::NothingToView {
            path: path.to_owned(),
            reason: ending.unwrap_or_else(|| "it has no rows".to_owned()),
        }),
        (false, _) => Ok(columns),
    }
}

/// The names of the coordinates, by the first row; none in files that do not have them.
#[cfg(feature = "python")]
pub(super) fn coordinates(path: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    rows(path, &mut |row| {
        let given = row[COORDINATES].as_array().into_iter().flatten();
        names = given.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Ok(false)
    })?;
    Ok(names)
}

/// Whose run it is, by the first row.
pub(super) fn run(path: &Path) -> Result<Option<String>, Error> {
    let mut run = None;
    rows(path, &mut |row| {
        run = row.get(RUN).map(Value::to_string);
        Ok(false)
    })?;
    Ok(run)
}

pub(super) fn for_each(
    path: &Path,
    columns: &[String],
    wanted: &[usize],
    show: &mut dyn FnMut(&[f64]) -> Result<(), Error>,
) -> Result<Ending, Error> {
    // A column is a field, or an item of one.
    let place = |column: &usize, first: &Value| {
        let name = columns[*column].as_str();
        let count = first[OBSERVED].as_array().map_or(0, Vec::len);
        if let Some(k) = (0..count).find(|k| observed_name(first, *k) == name) {
            return (OBSERVED, Some(k));
        }
        let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
        split.and_then(|(name, item)| Some((name, Some(item.parse().ok()?)))).unwrap_or((name, None))
    };
    let mut places: Vec<(&str, Option<usize>)> = Vec::new();
    let mut numbers = vec![f64::NAN; wanted.len()];
    rows(path, &mut |row| {
        if places.is_empty() {
            places = wanted.iter().map(|column| place(column, row)).collect();
        }
        for (number, (name, item)) in numbers.iter_mut().zip(&places) {
            let value = item.map_or(&row[*name], |item| &row[*name][item]);
            // JSON has null in place of a number that is none.
            *number = value.as_f64().unwrap_or(f64::NAN);
        }
        show(&numbers)?;
        Ok(true)
    })
}

/// Shows one row after the other, until there are no more or `show` has seen enough.
fn rows(path: &Path, show: &mut dyn FnMut(&Value) -> Result<bool, Error>) -> Result<Ending, Error> {
    struct Rows<'s> {
        show: &'s mut dyn FnMut(&Value) -> Result<bool, Error>,
        ended: Result<(), Option<Error>>,
    }
    impl<'de> Visitor<'de> for &mut Rows<'_> {
        type Value = ();

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an array of rows")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
            while let Some(Once(row)) = rows.next_element()? {
                match (self.show)(&row) {
                    Ok(true) => {}
                    Ok(false) => self.ended = Err(None),
                    Err(error) => self.ended = Err(Some(error)),
                }
                if self.ended.is_err() {
                    return Err(serde::de::Error::custom("enough"));
                }
            }
            Ok(())
        }
    }
    let file = files::open(path).map_err(|error| Error::unreadable(path, &error))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let begin = reader.fill_buf().map_err(|error| Error::unreadable(path, &error))?;
    if begin.starts_with(files::MARK.as_bytes()) {
        reader.consume(files::MARK.len());
    }
    let mut parser = serde_json::Deserializer::from_reader(reader);
    let mut visitor = Rows { show, ended: Ok(()) };
    let parsed = parser.deserialize_seq(&mut visitor).and_then(|()| parser.end());
    match (visitor.ended, parsed) {
        (Err(Some(error)), _) => Err(error),
        (Err(None), _) | (Ok(()), Ok(())) => Ok(None),
        (Ok(()), Err(error)) if error.is_eof() => Ok(Some("the file is cut short".to_owned())),
        (Ok(()), Err(error)) => Err(Error::malformed(path, error)),
    }
}
