//! Tables of members that other programs write: CSV and Parquet.

use std::path::Path;

use least_action::files;
use least_action_pages::files::read_text;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use crate::error::Error;

/// A table: the names of its columns, and as many values in each row.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

/// Reads a file ending in .csv or .parquet.
pub(super) fn read(path: &Path) -> Result<Table, Error> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("csv") => csv(path),
        Some("parquet") => parquet(path),
        _ => Err(Error::unknown_ending("table", path, ".csv or .parquet")),
    }
}

fn csv(path: &Path) -> Result<Table, Error> {
    let text = read_text(path)?;
    let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_bytes());
    let malformed = |error: ::csv::Error| Error::malformed(path, error);
    let names: Vec<String> = reader.headers().map_err(malformed)?.iter().map(str::to_owned).collect();
    let row = |record: Result<::csv::StringRecord, _>| -> Result<Vec<Value>, Error> {
        Ok(record.map_err(malformed)?.iter().map(value).collect())
    };
    let rows: Result<Vec<_>, Error> = reader.records().map(row).collect();
    Ok(Table { names, rows: rows? })
}

/// A number or another value of JSON; else a word.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn parquet(path: &Path) -> Result<Table, Error> {
    let unreadable = |error: &dyn std::fmt::Display| Error::unreadable(path, &error.to_string());
    let file = files::open(path).map_err(|error| unreadable(&error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| unreadable(&error))?;
    let fields = reader.metadata().file_metadata().schema().get_fields().to_vec();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let rows: Result<Vec<Vec<Value>>, Error> = reader
        .get_row_iter(None)
        .map_err(|error| unreadable(&error))?
        .map(|row| {
            let row = row.map_err(|error| unreadable(&error))?;
            Ok(row.get_column_iter().map(|(_, field)| field.to_json_value()).collect())
        })
        .collect();
    Ok(Table { names, rows: rows? })
}
