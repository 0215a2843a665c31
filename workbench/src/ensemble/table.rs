//! Tables of members that other programs write: CSV and Parquet.

use std::path::Path;

use least_action_pages::files::read_text;
use parquet::errors::Result as ParquetResult;
use parquet::record::Row;
use serde_json::Value;

use crate::columnar::ParquetInput;
use crate::error::Error;
use crate::json;

/// A table: the names of its columns, and as many values in each row.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

/// Reads a file ending in .csv or .parquet; one column may hold words alone, as they are written.
pub(super) fn read(path: &Path, words: Option<&str>) -> Result<Table, Error> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("csv") => csv(path, words),
        Some("parquet") => parquet(path),
        _ => Err(Error::unknown_ending("table", path, ".csv or .parquet")),
    }
}

fn csv(path: &Path, words: Option<&str>) -> Result<Table, Error> {
    let text = read_text(path)?;
    let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_bytes());
    let malformed = |error: ::csv::Error| Error::malformed(path, error);
    let names: Vec<String> = reader.headers().map_err(malformed)?.iter().map(str::to_owned).collect();
    let row = |record: Result<::csv::StringRecord, _>| -> Result<Vec<Value>, Error> {
        let read = |(cell, name): (&str, &String)| {
            if Some(name.as_str()) == words { Value::String(cell.to_owned()) } else { value(cell) }
        };
        Ok(record.map_err(malformed)?.iter().zip(&names).map(read).collect())
    };
    let rows = reader.records().map(row).collect::<Result<_, Error>>()?;
    Ok(Table { names, rows })
}

/// A number or another value of JSON; else a word.
fn value(text: &str) -> Value {
    json::value(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn parquet(path: &Path) -> Result<Table, Error> {
    ParquetInput::open(path)?.read(|file| {
        let fields = file.metadata().file_metadata().schema().get_fields();
        let names = fields.iter().map(|field| field.name().to_owned()).collect();
        let values = |row: Row| row.get_column_iter().map(|(_, field)| field.to_json_value()).collect();
        let rows = file.get_row_iter(None)?.map(|row| Ok(values(row?))).collect::<ParquetResult<_>>()?;
        Ok(Table { names, rows })
    })
}
