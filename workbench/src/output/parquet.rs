//! Parquet: one required column of doubles for each quantity, written in row groups of bounded size.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use least_action::carried::carried;
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::Result as ParquetResult;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::types::Type;

use super::{Columns, Row, Sink, Table};
use crate::columnar::ParquetFile;
use crate::error::Error;

/// The numbers held in memory before they are written: 32 MB.
const HELD: usize = 1 << 22;

/// Refuses the format where the program has it not.
#[expect(clippy::unnecessary_wraps, reason = "a program without the feature refuses it")]
pub(super) fn check() -> Result<(), Error> {
    Ok(())
}

pub(super) struct Parquet {
    path: PathBuf,
    writer: SerializedFileWriter<BufWriter<File>>,
    width: usize,
    /// The rows since the last row group, one after the other.
    held: Vec<f64>,
    closed: bool,
}

impl Parquet {
    pub(super) fn create(path: PathBuf, file: BufWriter<File>, columns: &Columns) -> Result<Self, Error> {
        let writer = open(file, columns).map_err(|error| Sink::unwritable(&path, &error))?;
        Ok(Self { path, writer, width: columns.names.len(), held: Vec::new(), closed: false })
    }

    /// Writes the held rows as one row group, column by column.
    fn row_group(&mut self) -> ParquetResult<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        let mut values = Vec::with_capacity(self.held.len() / self.width);
        for column in 0..self.width {
            values.clear();
            values.extend(self.held.iter().skip(column).step_by(self.width));
            if let Some(mut writer) = group.next_column()? {
                writer.typed::<DoubleType>().write_batch(&values, None, None)?;
                writer.close()?;
            }
        }
        group.close()?;
        self.held.clear();
        Ok(())
    }

    fn close(&mut self) -> ParquetResult<()> {
        if !self.closed {
            self.closed = true;
            self.row_group()?;
            self.writer.finish()?;
        }
        Ok(())
    }
}

impl Parquet {
    /// Appends a row.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = f64>) -> Result<(), Error> {
        self.held.extend(row);
        if self.held.len() < HELD.max(self.width) {
            return Ok(());
        }
        self.row_group().map_err(|error| Sink::unwritable(&self.path, &error))
    }
}

impl Table for Parquet {
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.push(row.numbers())
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.close().map_err(|error| Sink::unwritable(&self.path, &error))
    }
}

// Of a run that is saved, rows go to a journal first.
carried!([] Parquet {} besides { path, writer, width, held, closed });

fn open(file: BufWriter<File>, columns: &Columns) -> ParquetResult<SerializedFileWriter<BufWriter<File>>> {
    let fields = columns
        .names
        .iter()
        .map(|name| {
            let column = Type::primitive_type_builder(name, PhysicalType::DOUBLE)
                .with_repetition(Repetition::REQUIRED)
                .build()?;
            Ok(Arc::new(column))
        })
        .collect::<ParquetResult<Vec<_>>>()?;
    let schema = Type::group_type_builder("trajectory").with_fields(fields).build()?;
    // Trajectories hardly repeat a number: a dictionary would only cost time.
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
}

/// Takes all numbers of a file, row by row.
pub(super) fn for_each_number(path: &Path, mut take: impl FnMut(f64) -> io::Result<()>) -> io::Result<()> {
    let file = ParquetFile::open(path).map_err(io::Error::other)?;
    let groups = file.read(|file| Ok(file.num_row_groups())).map_err(io::Error::other)?;
    for group in 0..groups {
        let numbers = file.read(|file| {
            let mut numbers = Vec::new();
            for row in file.get_row_group(group)?.get_row_iter(None)? {
                let row = row?;
                for column in 0..row.len() {
                    numbers.push(row.get_double(column)?);
                }
            }
            Ok(numbers)
        });
        numbers.map_err(io::Error::other)?.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}
