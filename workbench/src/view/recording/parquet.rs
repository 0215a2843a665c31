//! Rows of a Parquet file, a row group at a time and of it the columns that are shown.

use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{FileReader, RowGroupReader};
use serde_json::Value;

use super::{Column, Ending, ShowRow};
use crate::columnar::table::{self, Cell};
use crate::columnar::{Meaning, ParquetInput, refused};
use crate::error::Result;

/// The rows that are read at once: room for them is taken before.
const AT_ONCE: usize = 1 << 16;

pub(super) fn columns(path: &Path) -> Result<Vec<Column>> {
    ParquetInput::open(path)?.read(|file| {
        let meanings = Meaning::all(file);
        let columns = names(file).into_iter().zip(meanings);
        Ok(columns.map(|(name, meaning)| Column { name, is_number: meaning.is_some() }).collect())
    })
}

fn names(file: &dyn FileReader) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// The value of a key of the metadata.
pub(super) fn metadata(path: &Path, key: &str) -> Result<Option<String>> {
    ParquetInput::open(path)?.metadata(key)
}

pub(super) fn for_each(
    path: &Path,
    wanted: &[usize],
    member: Option<u64>,
    show: &mut ShowRow<'_>,
) -> Result<Ending> {
    let file = ParquetInput::open(path)?;
    let (place, meanings, groups) = file.read(|file| {
        let place = names(file).iter().position(|name| name == "member");
        Ok((place, Meaning::all(file), file.num_row_groups()))
    })?;
    let mut numbers = vec![0.0; wanted.len()];
    for number in 0..groups {
        let (members, columns) = file.read(|file| {
            let group = file.get_row_group(number)?;
            let of = |place: usize| column(&*group, place, meanings[place]);
            let members = match member.zip(place) {
                Some((member, place)) => Some((member as f64, of(place)?)),
                None => None,
            };
            let columns = wanted.iter().map(|place| of(*place));
            Ok((members, columns.collect::<ParquetResult<Vec<Vec<f64>>>>()?))
        })?;
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

/// The numbers of a column in a row group, as many as it has rows; NaN where there is none.
fn column(group: &dyn RowGroupReader, place: usize, meaning: Option<Meaning>) -> ParquetResult<Vec<f64>> {
    /// Reads a column, whose values are there as often as their level is not zero.
    macro_rules! numbers {
        ($reader:expr, $number:expr) => {{
            let (mut levels, mut values) = (Vec::new(), Vec::new());
            let most = group.metadata().column(place).column_descr().max_def_level();
            let mut left = usize::try_from(group.metadata().num_rows())?;
            while left > 0 {
                let levels = (most > 0).then_some(&mut levels);
                let (rows, ..) = $reader.read_records(left.min(AT_ONCE), levels, None, &mut values)?;
                if rows == 0 {
                    return Err(ParquetError::EOF(format!("{left} rows are missing of a column")));
                }
                left -= rows;
            }
            let mut values = values.iter().map($number);
            if most > 0 {
                let value = |level: &i16| if *level == most { values.next() } else { None };
                levels.iter().map(value).map(|value| value.unwrap_or(f64::NAN)).collect()
            } else {
                values.collect()
            }
        }};
    }
    let name = || group.metadata().column(place).column_path().string();
    let Some(meaning) = meaning else {
        return refused(format!("the column `{}` holds no numbers", name()));
    };
    // Bytes that are no number are no gap.
    let mut strange = 0;
    let mut of_bytes = |bytes: &[u8]| {
        let number = meaning.of_bytes(bytes);
        strange += usize::from(number.is_none());
        number.unwrap_or(f64::NAN)
    };
    let numbers = match group.get_column_reader(place)? {
        ColumnReader::DoubleColumnReader(mut reader) => numbers!(reader, |number| *number),
        ColumnReader::FloatColumnReader(mut reader) => numbers!(reader, |number| f64::from(*number)),
        ColumnReader::Int64ColumnReader(mut reader) => {
            numbers!(reader, |number| meaning.of_whole((*number).into(), u64::MAX.into()))
        }
        ColumnReader::Int32ColumnReader(mut reader) => {
            numbers!(reader, |number| meaning.of_whole((*number).into(), u32::MAX.into()))
        }
        ColumnReader::Int96ColumnReader(mut reader) => {
            numbers!(reader, |number| meaning.of_whole(number.to_nanos().into(), 0))
        }
        ColumnReader::ByteArrayColumnReader(mut reader) => numbers!(reader, |bytes| of_bytes(bytes.data())),
        ColumnReader::FixedLenByteArrayColumnReader(mut reader) => {
            numbers!(reader, |bytes| of_bytes(bytes.data()))
        }
        ColumnReader::BoolColumnReader(_) => {
            return refused(format!("the column `{}` holds no numbers", name()));
        }
    };
    if strange > 0 {
        let name = name();
        return refused(format!(
            "in the column `{name}` {strange} cells are months, or decimals of more than 38 digits: write it as float"
        ));
    }
    Ok(numbers)
}

/// The row of a member, about itself.
#[derive(Default)]
pub(super) struct Member {
    /// The member's own settings, from the columns before its `steps`: its name, parameters `set.…`,
    /// options, start, step and seed.
    pub(super) own: Vec<(String, Value)>,
    /// The reason for which it failed, if it did.
    pub(super) error: Option<String>,
    /// True if it has begun to run.
    pub(super) has_run: bool,
}

/// The row of a member of a dataset.
pub(super) fn member(path: &Path, member: u64) -> Result<Member> {
    let (names, rows) = (ParquetInput::open(path)?.read(|file| Ok(names(file)))?, table::read(path)?);
    let own = Cell::Integer(member as i64);
    let Some(row) = rows.iter().find(|row| row.first() == Some(&own)) else { return Ok(Member::default()) };
    let cells = || names.iter().zip(row);
    let cell = |wanted: &str| cells().find(|(name, _)| *name == wanted).map(|(_, cell)| cell);
    let error = match cell("error") {
        Some(Cell::Text(error)) => Some(error.clone()),
        _ => None,
    };
    let value = |(name, cell): (&String, &Cell)| {
        let value = match cell {
            Cell::Number(number) => whole(*number),
            Cell::Integer(number) => Value::from(*number),
            Cell::Natural(number) => Value::from(*number),
            Cell::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
            Cell::None | Cell::Truth(_) => return None,
        };
        Some((name.clone(), value))
    };
    let own = cells().skip(1).take_while(|(name, _)| *name != "steps").filter_map(value).collect();
    Ok(Member { own, error, has_run: matches!(cell("steps"), Some(Cell::Integer(_))) })
}

/// A number as JSON, without a point where it is whole, as counts are.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
