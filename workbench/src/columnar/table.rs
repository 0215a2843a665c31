//! Tables of mixed columns, as Parquet files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::FileReader;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::record::Field;
use parquet::schema::types::Type;
use serde::{Deserialize, Serialize};

use super::{ParquetInput, writer};
use crate::error::Result;

/// The values that a column holds; in each row one, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Integer,
    /// Whole numbers from 0 on, up to 2⁶⁴.
    Natural,
    Number,
    Truth,
    Text,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    None,
    Integer(i64),
    Natural(u64),
    Number(f64),
    Truth(bool),
    Text(String),
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::None, Self::Number)
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::None, Self::Text)
    }
}

/// The name and the kind of each column.
pub(crate) type Columns = Vec<(String, Kind)>;

/// The most rows of a row group, if they have as many columns as most tables.
const CELLS: usize = 1 << 22;

/// Writes rows as a Parquet file, with words on itself.
pub(crate) fn write(file: File, columns: &Columns, rows: &[Vec<Cell>], words: &str) -> ParquetResult<()> {
    let column = |(name, kind): &(String, Kind)| {
        let (physical, converted) = match kind {
            Kind::Integer => (Physical::INT64, ConvertedType::NONE),
            Kind::Natural => (Physical::INT64, ConvertedType::UINT_64),
            Kind::Number => (Physical::DOUBLE, ConvertedType::NONE),
            Kind::Truth => (Physical::BOOLEAN, ConvertedType::NONE),
            Kind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        };
        let column = Type::primitive_type_builder(name, physical).with_converted_type(converted);
        column.with_repetition(Repetition::OPTIONAL).build()
    };
    let mut writer = writer(BufWriter::new(file), "ensemble", columns.iter().map(column), words)?;
    for rows in rows.chunks((CELLS / columns.len().max(1)).max(1)) {
        let mut group = writer.next_row_group()?;
        for (place, (_, kind)) in columns.iter().enumerate() {
            /// Writes the cells of a kind.
            macro_rules! cells {
                ($type:ty, $kind:ident, $of:expr) => {
                    self::column::<$type, _>(&mut group, rows, place, |cell| match cell {
                        Cell::$kind(value) => Some($of(value)),
                        _ => None,
                    })
                };
            }
            match kind {
                Kind::Integer => cells!(Int64Type, Integer, i64::clone),
                // The bits of a number without a sign, which the column says it has.
                Kind::Natural => cells!(Int64Type, Natural, |value: &u64| value.cast_signed()),
                Kind::Number => cells!(DoubleType, Number, f64::clone),
                Kind::Truth => cells!(BoolType, Truth, bool::clone),
                Kind::Text => cells!(ByteArrayType, Text, |text: &String| ByteArray::from(text.as_str())),
            }?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// The rows of a file that [`write`] wrote.
pub(crate) fn read(path: &Path) -> Result<Vec<Vec<Cell>>> {
    let cell = |(_, field): (&String, &Field)| match field {
        Field::Long(value) => Cell::Integer(*value),
        Field::ULong(value) => Cell::Natural(*value),
        Field::Double(value) => Cell::Number(*value),
        Field::Bool(value) => Cell::Truth(*value),
        Field::Str(text) => Cell::Text(text.clone()),
        _ => Cell::None,
    };
    let rows = |file: &dyn FileReader| {
        file.get_row_iter(None)?.map(|row| Ok(row?.get_column_iter().map(cell).collect())).collect()
    };
    ParquetInput::open(path)?.read(rows)
}

/// Writes one column of a row group.
fn column<D: DataType, F: Fn(&Cell) -> Option<D::T>>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    rows: &[Vec<Cell>],
    place: usize,
    of: F,
) -> ParquetResult<()> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let cells: Vec<Option<D::T>> = rows.iter().map(|row| row.get(place).and_then(&of)).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<D::T> = cells.into_iter().flatten().collect();
    writer.typed::<D>().write_batch(&values, Some(&levels), None)?;
    writer.close()
}
