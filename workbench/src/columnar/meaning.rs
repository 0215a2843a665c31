//! The numbers that columns of Parquet hold: decimals with their point, and times in seconds.
//!
//! Times of a calendar count from 1970, times of a day from midnight.
//!
//! # Reference
//! Parquet, *Logical types*, <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md>; a
//! duration of Arrow stands in its own schema, a FlatBuffer in the metadata of the file.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::file::reader::FileReader;
use parquet::record::Field;
use parquet::schema::types::ColumnDescriptor;
use serde_json::Value;

/// A day in seconds.
const DAY: i128 = 86_400;

/// The number that a cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A whole number by a power of ten.
    Power(u32),
    /// A whole number without a sign.
    Unsigned,
    /// Days from 1970.
    Days,
    /// Months, days and milliseconds.
    Interval,
}

impl Meaning {
    /// The meaning of each column; none of a column that holds no numbers.
    pub(crate) fn all(file: &dyn FileReader) -> Vec<Option<Self>> {
        let metadata = file.metadata().file_metadata();
        let pairs = metadata.key_value_metadata();
        let schema = pairs.into_iter().flatten().find(|pair| pair.key == "ARROW:schema");
        let durations = schema
            .and_then(|pair| durations(&STANDARD.decode(pair.value.as_ref()?).ok()?))
            .unwrap_or_default();
        let schema = metadata.schema_descr_ptr();
        schema.columns().iter().map(|column| Self::of(column, &durations)).collect()
    }

    fn of(column: &ColumnDescriptor, durations: &HashMap<String, u32>) -> Option<Self> {
        let power = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => Self::Power(3),
            TimeUnit::MICROS => Self::Power(6),
            TimeUnit::NANOS => Self::Power(9),
        };
        if column.max_rep_level() > 0 {
            return None;
        }
        let by_converted = || match column.converted_type() {
            ConvertedType::DECIMAL => u32::try_from(column.type_scale()).ok().map(Self::Power),
            ConvertedType::DATE => Some(Self::Days),
            ConvertedType::TIME_MILLIS | ConvertedType::TIMESTAMP_MILLIS => Some(Self::Power(3)),
            ConvertedType::TIME_MICROS | ConvertedType::TIMESTAMP_MICROS => Some(Self::Power(6)),
            ConvertedType::UINT_32 | ConvertedType::UINT_64 => Some(Self::Unsigned),
            ConvertedType::INTERVAL => Some(Self::Interval),
            _ => match column.physical_type() {
                Type::INT96 => Some(Self::Power(9)),
                Type::DOUBLE | Type::FLOAT | Type::INT32 | Type::INT64 => {
                    Some(Self::Power(durations.get(&column.path().string()).copied().unwrap_or(0)))
                }
                _ => None,
            },
        };
        match column.logical_type_ref() {
            Some(LogicalType::Decimal(decimal)) => u32::try_from(decimal.scale).ok().map(Self::Power),
            Some(LogicalType::Timestamp(at)) => Some(power(&at.unit)),
            Some(LogicalType::Time(at)) => Some(power(&at.unit)),
            Some(LogicalType::Date) => Some(Self::Days),
            Some(LogicalType::Integer(whole)) if !whole.is_signed => Some(Self::Unsigned),
            _ => by_converted(),
        }
    }

    /// The number of a whole one, whose bits are within a mask.
    pub(crate) fn of_whole(self, whole: i128, mask: i128) -> f64 {
        match self {
            Self::Power(places) => scaled(whole, places),
            Self::Unsigned => (whole & mask) as f64,
            Self::Days => (DAY * whole) as f64,
            Self::Interval => f64::NAN,
        }
    }

    /// The number of bytes; none where they are too many, or count months, which have no length.
    pub(crate) fn of_bytes(self, bytes: &[u8]) -> Option<f64> {
        match (self, bytes) {
            (Self::Interval, [0, 0, 0, 0, d0, d1, d2, d3, m0, m1, m2, m3]) => {
                let [days, millis] = [[*d0, *d1, *d2, *d3], [*m0, *m1, *m2, *m3]]
                    .map(|bytes| i128::from(u32::from_le_bytes(bytes)));
                Some(scaled(1000 * DAY * days + millis, 3))
            }
            (Self::Power(places), _) => Some(scaled(signed(bytes)?, places)),
            _ => None,
        }
    }

    /// A cell of a table as JSON: a number where it means one.
    pub(crate) fn value(meaning: Option<Self>, field: &Field) -> Value {
        let number = match (field, meaning) {
            (Field::Decimal(decimal), Some(meaning)) => meaning.of_bytes(decimal.data()),
            (Field::Date(days), _) => Some(Self::Days.of_whole((*days).into(), 0)),
            (Field::TimeMillis(millis), _) => Some(scaled((*millis).into(), 3)),
            (Field::TimestampMillis(millis), _) => Some(scaled((*millis).into(), 3)),
            (Field::TimeMicros(micros) | Field::TimestampMicros(micros), _) => {
                Some(scaled((*micros).into(), 6))
            }
            (Field::Long(whole), Some(Self::Power(places))) if places > 0 => {
                Some(scaled((*whole).into(), places))
            }
            (Field::Bytes(bytes), Some(meaning)) => meaning.of_bytes(bytes.data()),
            _ => None,
        };
        number.map_or_else(|| field.to_json_value(), Value::from)
    }
}

/// A whole number by a power of ten, rounded once.
fn scaled(whole: i128, places: u32) -> f64 {
    /// Whole numbers and powers of ten are exact up to these.
    const EXACT: (u128, u32) = (1 << 53, 22);
    if whole.unsigned_abs() <= EXACT.0 && places <= EXACT.1 {
        whole as f64 / 10_f64.powi(places as i32)
    } else {
        format!("{whole}e-{places}").parse().unwrap_or(f64::NAN)
    }
}

/// A number in the two's complement, its first byte first; none of more than sixteen bytes.
fn signed(bytes: &[u8]) -> Option<i128> {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let begin = if is_negative { -1 } else { 0 };
    (bytes.len() <= 16).then(|| bytes.iter().fold(begin, |number, byte| (number << 8) | i128::from(*byte)))
}

/// The columns that are durations in the schema of Arrow, with the decimal places of a second.
fn durations(message: &[u8]) -> Option<HashMap<String, u32>> {
    const DURATION: u8 = 18;
    // A mark and a length may stand in front of the FlatBuffer.
    let flat =
        Flat(message.strip_prefix(&[0xff; 4]).map_or(message, |rest| rest.get(4..).unwrap_or_default()));
    let schema = flat.table(flat.follow(0)?, 2)?;
    let fields = flat.table(schema, 1)?;
    let mut durations = HashMap::new();
    for k in 0..flat.word(fields)? as usize {
        let field = flat.follow(fields.checked_add(4 * k + 4)?)?;
        let is_duration = flat.field(field, 2).is_some_and(|kind| flat.0.get(kind) == Some(&DURATION));
        if let (true, Some(name)) = (is_duration, flat.table(field, 0)) {
            let end = name.checked_add(4)?.checked_add(flat.word(name)? as usize)?;
            let name = std::str::from_utf8(flat.0.get(name + 4..end)?).ok()?;
            // Milliseconds are the default, which is not written.
            let unit = flat.field(flat.table(field, 3)?, 0).and_then(|unit| flat.0.get(unit).copied());
            durations.insert(name.to_owned(), 3 * u32::from(unit.unwrap_or(1)));
        }
    }
    Some(durations)
}

/// A FlatBuffer: tables that say where their fields stand.
struct Flat<'b>(&'b [u8]);

impl Flat<'_> {
    fn word(&self, place: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.0.get(place..)?.first_chunk()?))
    }

    /// The place to which the offset at a place leads.
    fn follow(&self, place: usize) -> Option<usize> {
        place.checked_add(self.word(place)? as usize)
    }

    /// The place of a field of a table, if the table has it.
    fn field(&self, table: usize, number: usize) -> Option<usize> {
        let short = |place: usize| Some(u16::from_le_bytes(*self.0.get(place..)?.first_chunk()?).into());
        let places = table.checked_add_signed(-(self.word(table)?.cast_signed() as isize))?;
        let (length, entry): (usize, usize) = (short(places)?, 4 + 2 * number);
        let offset = if entry < length { short(places + entry)? } else { 0 };
        (offset > 0).then(|| table.checked_add(offset)).flatten()
    }

    /// The place of a table, a list or a text that is a field of a table.
    fn table(&self, table: usize, number: usize) -> Option<usize> {
        self.follow(self.field(table, number)?)
    }
}
