//! Printing on standard output: one JSON object on a line, or a table for people.

use std::io::Write;

use serde::Serialize;

use crate::error::Error;

/// Prints one JSON object and a newline.
pub(crate) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Error::stdout(&error.into()))?;
    out.write_all(b"\n").map_err(|error| Error::stdout(&error))
}

/// Lines with columns aligned, two spaces apart.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect()
}
