//! Rows of a JSON array, each an object as `run --out` writes it.

use std::io::{BufRead, BufReader};
use std::path::Path;

use least_action::files;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::{Column, Ending, LONGEST, Limited, ShowRow};
use crate::error::{Error, Result};
use crate::json::Once;
use crate::output::{COORDINATES, MULTIPLIER_NAMES, OBSERVED_NAMES};

/// A field of a row that has numbers.
struct Field {
    name: String,
    /// The number of items of an array.
    items: Option<usize>,
}

/// The fields of the first row that have numbers, in the order of the columns: the time, the
/// coordinates, their velocities, and the rest.
fn fields(path: &Path, first: &Value) -> Result<Vec<Field>> {
    let Value::Object(all) = first else {
        return Err(Error::malformed(path, "each row must be an object, {\"t\": …, \"q\": […]}"));
    };
    if !first["q"].is_array() || !first["t"].is_number() {
        return Err(Error::malformed(path, "its first row has no `t` and `q`"));
    }
    let own = ["t", "q", "v"];
    // Multipliers without names are none of the columns of a table.
    let nameless = if first[MULTIPLIER_NAMES].is_null() { "multipliers" } else { MULTIPLIER_NAMES };
    let of_others = [nameless, COORDINATES, OBSERVED_NAMES, MULTIPLIER_NAMES];
    let others =
        all.keys().map(String::as_str).filter(|name| !own.contains(name) && !of_others.contains(name));
    let field = |name: &str| {
        let items = match all.get(name)? {
            Value::Array(items) => Some(items.len()),
            Value::Number(_) | Value::Null => None,
            _ => return None,
        };
        Some(Field { name: name.to_owned(), items })
    };
    Ok(own.into_iter().chain(others).filter_map(field).collect())
}

/// The first row, which names coordinates and tells the run where the file is one of ours.
pub(super) fn first(path: &Path) -> Result<Value> {
    let mut first = Value::Null;
    let ending = rows(path, &mut |row| {
        first = row.take();
        Ok(false)
    })?;
    if first.is_null() {
        let reason = ending.unwrap_or_else(|| "it has no rows".to_owned());
        return Err(Error::malformed(path, reason));
    }
    Ok(first)
}

/// The columns by the first row: `t`, coordinates and observed quantities by their names where it tells
/// them, and every other number or array of numbers by its field.
pub(super) fn columns(path: &Path, first: &Value) -> Result<Vec<Column>> {
    let names = fields(path, first)?.into_iter().flat_map(|Field { name, items }| {
        let item = |k: usize| {
            let told = |names: &str| first[names][k].as_str();
            let told = match &*name {
                "q" => told(COORDINATES).map(str::to_owned),
                "v" => told(COORDINATES).map(|name| format!("der.{name}")),
                "observed" => told(OBSERVED_NAMES).map(str::to_owned),
                "multipliers" => told(MULTIPLIER_NAMES).map(str::to_owned),
                _ => None,
            };
            told.unwrap_or_else(|| format!("{name}[{k}]"))
        };
        items.map_or_else(|| vec![name.clone()], |count| (0..count).map(item).collect())
    });
    Ok(names.map(|name| Column { name, is_number: true }).collect())
}

pub(super) fn for_each(path: &Path, wanted: &[usize], show: &mut ShowRow<'_>) -> Result<Ending> {
    // The fields that are wanted, and for each wanted column its field and the item of it.
    let (mut fields, mut places) = (Vec::new(), Vec::new());
    let (mut numbers, mut number) = (vec![f64::NAN; wanted.len()], 0_u64);
    rows(path, &mut |row| {
        if number == 0 {
            let mut all = Vec::new();
            for (k, Field { items, .. }) in self::fields(path, row)?.iter().enumerate() {
                all.extend((0..items.unwrap_or(1)).map(|item| (k, items.map(|_| item))));
            }
            places = wanted.iter().map(|column| all[*column]).collect();
            fields = self::fields(path, row)?;
        }
        number += 1;
        let refuse = |reason: String| Err(Error::malformed(path, format!("row {number} {reason}")));
        let mut checked = None;
        for (own, (field, item)) in numbers.iter_mut().zip(&places) {
            let Field { name, items } = &fields[*field];
            let Some(value) = row.get(name) else {
                return refuse(format!("has no `{name}`, as the first row has"));
            };
            if checked != Some(field) {
                checked = Some(field);
                let has = value.as_array().map(Vec::len);
                if has != *items {
                    let [has, needs] = [has, *items].map(|count| match count {
                        Some(count) => format!("{count} numbers"),
                        None => "no array".to_owned(),
                    });
                    return refuse(format!("has {has} in `{name}`, and the first row {needs}"));
                }
            }
            *own = match item.map_or(value, |item| &value[item]) {
                // JSON has null in place of a number that is none.
                Value::Null => f64::NAN,
                value => match value.as_f64() {
                    Some(number) => number,
                    None => return refuse(format!("has {value} in `{name}`, which is no number")),
                },
            };
        }
        show(&numbers)?;
        Ok(true)
    })
}

/// Shows one row after the other, until there are no more or `show` has seen enough.
fn rows(path: &Path, show: &mut dyn FnMut(&mut Value) -> Result<bool>) -> Result<Ending> {
    struct Rows<'s> {
        show: &'s mut dyn FnMut(&mut Value) -> Result<bool>,
        ended: Result<(), Option<Error>>,
    }
    impl<'de> Visitor<'de> for &mut Rows<'_> {
        type Value = ();

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an array of rows")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
            while let Some(Once(mut row)) = rows.next_element()? {
                match (self.show)(&mut row) {
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
    let (input, left) = Limited::open(path)?;
    let mut reader = BufReader::with_capacity(1 << 16, input);
    let begin = reader.fill_buf().map_err(|error| Error::unreadable(path, &error))?;
    if begin.starts_with(files::MARK.as_bytes()) {
        reader.consume(files::MARK.len());
    }
    let mut parser = serde_json::Deserializer::from_reader(reader);
    let mut show = |row: &mut Value| {
        left.set(LONGEST);
        show(row)
    };
    let mut visitor = Rows { show: &mut show, ended: Ok(()) };
    let parsed = parser.deserialize_seq(&mut visitor).and_then(|()| parser.end());
    match (visitor.ended, parsed) {
        (Err(Some(error)), _) => Err(error),
        (Err(None), _) | (Ok(()), Ok(())) => Ok(None),
        (Ok(()), Err(error)) if error.is_eof() => Ok(Some("the file is cut short".to_owned())),
        (Ok(()), Err(error)) => Err(Error::malformed(path, error)),
    }
}
