//! Rows of a Parquet file, a row group at a time and of it the columns that are shown.

use std::fs::File;
use std::path::Path;

use least_action::files;
use parquet::basic::Type;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

use super::Ending;
use crate::error::Error;

fn open(path: &Path) -> Result<SerializedFileReader<File>, Error> {
    let file = files::open(path).map_err(|error| Error::unreadable(path, &error))?;
    SerializedFileReader::new(file).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &ParquetError) -> Error {
    Error::unreadable(path, &format!("{error}; a Parquet file that is cut short has lost all its rows"))
}

pub(super) fn columns(path: &Path) -> Result<Vec<String>, Error> {
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    Ok(schema.columns().iter().map(|column| column.path().string()).collect())
}

/// The value of a key of the metadata.
pub(super) fn metadata(path: &Path, key: &str) -> Result<Option<String>, Error> {
    let reader = open(path)?;
    let all = reader.metadata().file_metadata().key_value_metadata();
    Ok(all.into_iter().flatten().find(|pair| pair.key == key).and_then(|pair| pair.value.clone()))
}

pub(super) fn for_each(
    path: &Path,
    wanted: &[usize],
    member: Option<u64>,
    show: &mut dyn FnMut(&[f64]) -> Result<(), Error>,
) -> Result<Ending, Error> {
    let reader = open(path)?;
    let place = columns(path)?.iter().position(|name| name == "member");
    let refused = |error: ParquetError| unreadable(path, &error);
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(refused)?;
        let members = match member.zip(place) {
            Some((member, place)) => Some((member as f64, column(&*group, place).map_err(refused)?)),
            None => None,
        };
        let columns: Vec<Vec<f64>> =
            wanted.iter().map(|place| column(&*group, *place)).collect::<Result<_, _>>().map_err(refused)?;
        let mut numbers = vec![0.0; wanted.len()];
        for row in 0..columns.first().map_or(0, Vec::len) {
            #[expect(clippy::float_cmp, reason = "whole numbers")]
            if members.as_ref().is_some_and(|(member, all)| all[row] != *member) {
                continue;
            }
            for (number, column) in numbers.iter_mut().zip(&columns) {
                *number = column[row];
            }
            show(&numbers)?;
        }
    }
    Ok(None)
}

/// The numbers of a column in a row group; NaN where there is none.
fn column(group: &dyn RowGroupReader, place: usize) -> Result<Vec<f64>, ParquetError> {
    /// Reads a column, whose values are there as often as their level is not zero.
    macro_rules! numbers {
        ($reader:expr, $count:expr, $number:expr) => {{
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            let optional = group.metadata().column(place).column_descr().max_def_level() > 0;
            $reader.read_records($count, optional.then_some(&mut levels), None, &mut values)?;
            let mut values = values.into_iter().map($number);
            if optional {
                levels
                    .iter()
                    .map(|level| if *level > 0 { values.next().unwrap_or(f64::NAN) } else { f64::NAN })
                    .collect()
            } else {
                values.collect()
            }
        }};
    }
    let count = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    Ok(match group.get_column_reader(place)? {
        ColumnReader::DoubleColumnReader(mut reader) => numbers!(reader, count, |number| number),
        ColumnReader::FloatColumnReader(mut reader) => numbers!(reader, count, f64::from),
        ColumnReader::Int64ColumnReader(mut reader) => numbers!(reader, count, |number| number as f64),
        ColumnReader::Int32ColumnReader(mut reader) => numbers!(reader, count, f64::from),
        _ => {
            let name = group.metadata().column(place).column_path().string();
            let kinds = [Type::DOUBLE, Type::FLOAT, Type::INT64, Type::INT32];
            return Err(ParquetError::General(format!("the column `{name}` holds none of {kinds:?}")));
        }
    })
}

/// What the row of a member tells of it.
#[derive(Default)]
pub(super) struct Member {
    /// The parameters that it sets, from the columns `set.…`.
    pub(super) settings: Vec<(String, Value)>,
    /// The reason for which it failed, if it did.
    pub(super) error: Option<String>,
    /// True if it has begun to run.
    pub(super) has_run: bool,
}

/// The row of a member of a dataset.
pub(super) fn member(path: &Path, member: u64) -> Result<Member, Error> {
    let reader = open(path)?;
    let rows = reader.get_row_iter(None).map_err(|error| unreadable(path, &error))?;
    for row in rows {
        let row = row.map_err(|error| unreadable(path, &error))?;
        let fields: Vec<(&String, &Field)> = row.get_column_iter().collect();
        let field = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted).map(|(_, field)| *field);
        if !matches!(field("member"), Some(Field::Long(number)) if *number == member as i64) {
            continue;
        }
        let error = match field("error") {
            Some(Field::Str(error)) => Some(error.clone()),
            _ => None,
        };
        let has_run = matches!(field("steps"), Some(Field::Long(_)));
        let set = fields.iter().filter_map(|(name, field)| {
            let value = match field {
                Field::Double(number) => whole(*number),
                Field::Long(number) => Value::from(*number),
                Field::Str(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
                _ => return None,
            };
            Some((name.strip_prefix("set.")?.to_owned(), value))
        });
        return Ok(Member { settings: set.collect(), error, has_run });
    }
    Ok(Member::default())
}

/// A number as JSON, without a point where it is whole, as counts are.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
