//! Rows of comma-separated values.

use std::fs::File;
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use least_action::files;

use super::Ending;
use crate::error::Error;

fn open(path: &Path) -> Result<Reader<File>, Error> {
    let file = files::open(path).map_err(|error| Error::unreadable(path, &error))?;
    Ok(ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(file))
}

pub(super) fn columns(path: &Path) -> Result<Vec<String>, Error> {
    let header = open(path)?.headers().map_err(|error| Error::malformed(path, error))?.clone();
    Ok(header.iter().map(str::to_owned).collect())
}

pub(super) fn for_each(
    path: &Path,
    wanted: &[usize],
    show: &mut dyn FnMut(&[f64]) -> Result<(), Error>,
) -> Result<Ending, Error> {
    let mut reader = open(path)?;
    let width = reader.headers().map_err(|error| Error::malformed(path, error))?.len();
    let (mut record, mut numbers) = (StringRecord::new(), Vec::with_capacity(wanted.len()));
    let mut row = 0_u64;
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => row += 1,
            Ok(false) => return Ok(None),
            // A file that was cut may end within a character.
            Err(error) => return Ok(Some(error.to_string())),
        }
        let refused = if record.len() < width {
            Some(format!("row {row} has {} of {width} numbers", record.len()))
        } else {
            numbers.clear();
            let cells = wanted.iter().map(|column| &record[*column]);
            cells.map(|cell| number(cell).ok_or(cell)).find_map(|parsed| match parsed {
                Ok(number) => {
                    numbers.push(number);
                    None
                }
                Err(cell) => Some(format!("`{cell}` in row {row} is no number")),
            })
        };
        match refused {
            None => show(&numbers)?,
            // The last row of a file that was cut is a part of one; before it, the file is another one.
            Some(reason) => {
                return match reader.read_record(&mut record) {
                    Ok(true) => Err(Error::malformed(path, reason)),
                    _ => Ok(Some(reason)),
                };
            }
        }
    }
}

/// An empty cell is no number that is known.
fn number(cell: &str) -> Option<f64> {
    if cell.is_empty() { Some(f64::NAN) } else { cell.parse().ok() }
}
