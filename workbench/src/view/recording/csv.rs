//! Rows of comma-separated values.

use std::cell::Cell;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::{Column, Ending, LONGEST, Limited, ShowRow};
use crate::error::{Error, Result};

/// A table that was opened.
struct Table {
    reader: Reader<Limited>,
    /// The bytes that are left to a row.
    left: Rc<Cell<usize>>,
    /// True if the last row ends with its line.
    is_whole: bool,
}

impl Table {
    fn open(path: &Path) -> Result<Self> {
        let (mut input, left) = Limited::open(path)?;
        let mut last = [b'\n'];
        let ended = input.file.seek(SeekFrom::End(-1)).and_then(|_| {
            std::io::Read::read_exact(&mut input.file, &mut last)?;
            input.file.rewind()
        });
        // An empty file has no end.
        let is_whole = ended.is_err() || matches!(last, [b'\n' | b'\r']);
        let reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(input);
        Ok(Self { reader, left, is_whole })
    }

    fn names(&mut self, path: &Path) -> Result<Vec<String>> {
        let header = self.reader.headers().map_err(|error| Error::malformed(path, error))?;
        Ok(header.iter().map(str::to_owned).collect())
    }

    /// The next row; false behind the last one.
    fn read(&mut self, path: &Path, record: &mut ByteRecord) -> Result<bool> {
        self.left.set(LONGEST);
        self.reader.read_byte_record(record).map_err(|error| Error::malformed(path, error))
    }
}

/// The names of the columns; a column whose first cell is a word holds no numbers.
pub(super) fn columns(path: &Path) -> Result<Vec<Column>> {
    let mut table = Table::open(path)?;
    let (names, mut first) = (table.names(path)?, ByteRecord::new());
    table.read(path, &mut first)?;
    let is_number = |k: usize| first.get(k).is_none_or(|cell| number(cell).is_some());
    Ok(names.into_iter().enumerate().map(|(k, name)| Column { name, is_number: is_number(k) }).collect())
}

pub(super) fn for_each(path: &Path, wanted: &[usize], show: &mut ShowRow<'_>) -> Result<Ending> {
    let mut table = Table::open(path)?;
    let names = table.names(path)?;
    let (mut record, mut next, mut row) = (ByteRecord::new(), ByteRecord::new(), 0_u64);
    let mut numbers = Vec::with_capacity(wanted.len());
    let mut is_there = table.read(path, &mut next)?;
    while is_there {
        std::mem::swap(&mut record, &mut next);
        row += 1;
        is_there = table.read(path, &mut next)?;
        if !is_there && !table.is_whole {
            return Ok(Some(format!(
                "row {row}, the last one, has no end of line, so that its last number may be cut, and is left out"
            )));
        }
        let (has, needs) = (record.len(), names.len());
        if has != needs {
            let hint = if has > needs { "; numbers have a point, and no comma" } else { "" };
            return Err(Error::malformed(
                path,
                format!("row {row} has {has} cells, and the header {needs}{hint}"),
            ));
        }
        numbers.clear();
        for column in wanted {
            let cell = &record[*column];
            numbers.push(number(cell).ok_or_else(|| {
                let (cell, name) = (String::from_utf8_lossy(cell), &names[*column]);
                Error::malformed(path, format!("`{cell}` in row {row} of the column `{name}` is no number"))
            })?);
        }
        show(&numbers)?;
    }
    Ok(None)
}

/// An empty cell is no number that is known.
fn number(cell: &[u8]) -> Option<f64> {
    if cell.is_empty() { Some(f64::NAN) } else { str::from_utf8(cell).ok()?.parse().ok() }
}
