//! Tables of members that other programs write: CSV and Parquet.

use std::collections::HashMap;
use std::path::Path;

use least_action_pages::files::read_text;
use parquet::errors::Result as ParquetResult;
use parquet::record::Field;
use serde_json::Value;

use crate::columnar::{Meaning, ParquetInput};
use crate::error::{Error, Result};
use crate::json;

/// A table: the names of its columns, and as many values in each row.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

/// Reads a file ending in .csv or .parquet; one column may hold words alone, as they are written.
pub(super) fn read(path: &Path, words: Option<&str>) -> Result<Table> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("csv") => csv(path, words),
        Some("parquet") => parquet(path, words),
        _ => Err(Error::unknown_ending("table", path, ".csv or .parquet")),
    }
}

fn csv(path: &Path, words: Option<&str>) -> Result<Table> {
    let text = read_text(path)?;
    let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_bytes());
    let malformed = |error: ::csv::Error| Error::malformed(path, error);
    let names: Vec<String> = reader.headers().map_err(malformed)?.iter().map(str::to_owned).collect();
    let row = |record: Result<::csv::StringRecord, _>| -> Result<Vec<Value>> {
        let read = |(cell, name): (&str, &String)| {
            if Some(name.as_str()) == words { Value::String(cell.to_owned()) } else { value(cell) }
        };
        Ok(record.map_err(malformed)?.iter().zip(&names).map(read).collect())
    };
    let rows = reader.records().map(row).collect::<Result<_>>()?;
    Ok(Table { names, rows })
}

/// A number or another value of JSON; else a word.
fn value(text: &str) -> Value {
    json::value(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn parquet(path: &Path, words: Option<&str>) -> Result<Table> {
    ParquetInput::open(path)?.read(|file| {
        let metadata = file.metadata().file_metadata();
        let names = metadata.schema().get_fields().iter().map(|field| field.name().to_owned()).collect();
        let paths = metadata.schema_descr_ptr();
        let paths = paths.columns().iter().map(|column| column.path().string());
        let meanings: HashMap<String, _> = paths.zip(Meaning::all(file)).collect();
        let value = |(name, field): (&String, &Field)| {
            let meaning = meanings.get(name).copied().flatten();
            if Some(name.as_str()) == words { field.to_json_value() } else { Meaning::value(meaning, field) }
        };
        let rows = file.get_row_iter(None)?.map(|row| Ok(row?.get_column_iter().map(value).collect()));
        Ok(Table { names, rows: rows.collect::<ParquetResult<_>>()? })
    })
}
