//! Parquet: one required column of doubles for each quantity, written in row groups of bounded size.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use least_action_pages::Error as PageError;
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::types::Type;

use super::{Columns, Row, Table};
use crate::columnar::{ParquetInput, io_error, writer};
use crate::error::Error;

/// The numbers held in memory before they are written: 32 MB.
const HELD: usize = 1 << 22;

pub(super) struct Parquet {
    columns: Columns,
    /// None once it is closed.
    writer: Option<SerializedFileWriter<BufWriter<File>>>,
    file: File,
    /// The rows since the last row group, one after the other.
    held: Vec<f64>,
    /// The row groups that are written, and the place where they end.
    groups: Vec<RowGroupMetaData>,
    end: u64,
}

impl Parquet {
    pub(super) fn create(file: BufWriter<File>, columns: &Columns) -> io::Result<Self> {
        let own = file.get_ref().try_clone()?;
        let (columns, writer) = (columns.clone(), Some(open(file, columns).map_err(io_error)?));
        Ok(Self { columns, writer, file: own, held: Vec::new(), groups: Vec::new(), end: 0 })
    }

    /// A file whose first rows are held.
    pub(super) fn holding(file: &File, columns: &Columns, held: Vec<f64>) -> io::Result<Self> {
        Ok(Self { held, ..Self::create(BufWriter::new(file.try_clone()?), columns)? })
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = f64>) -> io::Result<()> {
        self.held.extend(row);
        let is_full = self.held.len() >= HELD.max(self.columns.names.len());
        if is_full { self.row_group().map_err(io_error) } else { Ok(()) }
    }

    /// Writes the held rows as one row group.
    fn row_group(&mut self) -> ParquetResult<()> {
        if let (Some(writer), false) = (&mut self.writer, self.held.is_empty()) {
            group(writer, &self.held, self.columns.names.len())?;
            writer.flush()?;
            self.held.clear();
            self.groups = writer.flushed_row_groups().to_vec();
            self.end = writer.bytes_written() as u64;
        }
        Ok(())
    }

    /// Makes a file of the row groups that are whole, and counts its rows.
    ///
    /// Where the first group is not whole, the file has as many rows as there is room for, by eighths.
    fn cut(&mut self) -> ParquetResult<u64> {
        // Rows in the writer would follow the end that is written now.
        drop(self.writer.take());
        let count: i64 = self.groups.iter().map(RowGroupMetaData::num_rows).sum();
        if let Some(first) = self.groups.first() {
            let (schema, mut end) = (first.schema_descr_ptr(), Vec::new());
            let about = FileMetaData::new(1, count, None, None, schema, None);
            let metadata = ParquetMetaData::new(about, self.groups.clone());
            ParquetMetaDataWriter::new(&mut end, &metadata).finish()?;
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(&end)?;
            return Ok(count as u64);
        }
        let width = self.columns.names.len();
        let mut rows = self.held.len() / width;
        loop {
            // The end of the file takes room, too.
            rows -= rows.div_ceil(8);
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
            let mut writer = open(BufWriter::new(self.file.try_clone()?), &self.columns)?;
            let written = group(&mut writer, &self.held[..rows * width], width);
            if rows == 0 || written.and_then(|()| writer.finish()).is_ok() {
                return Ok(rows as u64);
            }
        }
    }
}

// Of a run that is saved, rows go to a journal first.
impl Table for Parquet {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.push(row.numbers())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.row_group().map_err(io_error)?;
        self.writer.take().map_or(Ok(()), |mut writer| writer.finish().map(drop).map_err(io_error))
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        let rows = self.cut().ok().filter(|rows| *rows > 0)?;
        Some(format!("its first {rows} rows stand in {}", draft.display()))
    }
}

/// Writes rows as one row group, column by column.
fn group(
    writer: &mut SerializedFileWriter<BufWriter<File>>,
    rows: &[f64],
    width: usize,
) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    let mut values = Vec::with_capacity(rows.len() / width);
    for column in 0..width {
        values.clear();
        values.extend(rows.iter().skip(column).step_by(width));
        if let Some(mut writer) = group.next_column()? {
            writer.typed::<DoubleType>().write_batch(&values, None, None)?;
            writer.close()?;
        }
    }
    group.close().map(drop)
}

fn open(file: BufWriter<File>, columns: &Columns) -> ParquetResult<SerializedFileWriter<BufWriter<File>>> {
    let column = |name: &String| {
        let column = Type::primitive_type_builder(name, PhysicalType::DOUBLE);
        column.with_repetition(Repetition::REQUIRED).build()
    };
    writer(file, "trajectory", columns.names.iter().map(column), &columns.run)
}

/// The reason for which a file cannot be read, which its reader names again.
fn reason(error: Error) -> io::Error {
    match error {
        Error::Page(PageError::Unreadable { reason, .. }) => io::Error::other(reason),
        error => io::Error::other(error),
    }
}

/// Takes all numbers of a file, row by row.
pub(super) fn for_each_number(path: &Path, mut take: impl FnMut(f64) -> io::Result<()>) -> io::Result<()> {
    let file = ParquetInput::open(path).map_err(reason)?;
    for group in 0..file.read(|file| Ok(file.num_row_groups())).map_err(reason)? {
        let numbers = file.read(|file| {
            let mut numbers = Vec::new();
            for row in file.get_row_group(group)?.get_row_iter(None)? {
                let row = row?;
                (0..row.len())
                    .try_for_each(|column| row.get_double(column).map(|number| numbers.push(number)))?;
            }
            Ok(numbers)
        });
        numbers.map_err(reason)?.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}
