//! The trajectory of a run that is saved now and then, on its way to Parquet.
//!
//! A Parquet file can be read only when its end is written. So the rows go to a journal, as they come, which a run that is gone on with
//! cuts at its checkpoint; the file is made of it at the end, and from time to time before, so that a run that is killed leaves one. The rows alone
//! decide what is in the file.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use least_action::carried::{Carried, CarryError, Memory};
use least_action_pages::files::Draft;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::parquet::Parquet;
use super::{Columns, Row, Sink, Table};
use crate::error::Error;

/// The file is made anew when there are more rows than it has by this part of them.
const PART: u64 = 4;

pub(super) struct Journal {
    sink: Sink,
    columns: Columns,
    /// The Parquet file.
    target: PathBuf,
    /// The rows of the journal, and of the file that was made of it last.
    rows: u64,
    made: u64,
}

impl Journal {
    pub(super) fn new(sink: Sink, columns: &Columns, target: PathBuf) -> Self {
        Self { sink, columns: columns.clone(), target, rows: 0, made: 0 }
    }

    /// The name of the Parquet file while it is made.
    fn draft(&self) -> PathBuf {
        let mut name = self.target.file_name().unwrap_or_default().to_owned();
        name.push(".columns");
        self.target.with_file_name(name)
    }

    /// Makes the Parquet file of the first rows, beside its place.
    fn make(&mut self) -> Result<PathBuf, Error> {
        let draft = self.draft();
        let unwritable = |error: io::Error| Sink::unwritable(&self.target, &error);
        let file = File::create(&draft).map_err(unwritable)?;
        let whole = file.try_clone().map_err(unwritable)?;
        let mut made = Parquet::create(self.target.clone(), BufWriter::new(file), &self.columns)?;
        self.sink.file.flush().map_err(unwritable)?;
        let journal = self.sink.file.get_mut();
        let end = journal.stream_position().map_err(unwritable)?;
        journal.seek(SeekFrom::Start(0)).map_err(unwritable)?;
        let mut reader = BufReader::with_capacity(1 << 16, journal.try_clone().map_err(unwritable)?);
        let mut bytes = vec![0; 8 * self.columns.names.len()];
        for _ in 0..self.rows {
            reader.read_exact(&mut bytes).map_err(unwritable)?;
            made.push(bytes.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)))?;
        }
        journal.seek(SeekFrom::Start(end)).map_err(unwritable)?;
        made.finish()?;
        whole.sync_all().map_err(unwritable)?;
        Ok(draft)
    }

    /// Gives a Parquet file of the rows so far its name, where it would have many more than the last one.
    fn publish(&mut self) -> Result<(), Error> {
        if self.rows > self.made + self.made / PART {
            let draft = self.make()?;
            fs::rename(&draft, &self.target).map_err(|error| Sink::unwritable(&self.target, &error))?;
            self.made = self.rows;
        }
        Ok(())
    }
}

/// Writes the rows of a Parquet file as a journal.
pub(super) fn unfold(output: &Path, journal: &Path) -> io::Result<()> {
    let unreadable = |error: ParquetError| io::Error::other(error.to_string());
    let reader = SerializedFileReader::new(File::open(output)?).map_err(unreadable)?;
    let mut file = BufWriter::new(File::create(journal)?);
    for row in reader.get_row_iter(None).map_err(unreadable)? {
        let row = row.map_err(unreadable)?;
        for column in 0..row.len() {
            file.write_all(&row.get_double(column).map_err(unreadable)?.to_le_bytes())?;
        }
    }
    file.flush()
}

impl Table for Journal {
    fn write(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.rows += 1;
        row.numbers()
            .try_for_each(|number| self.sink.file.write_all(&number.to_le_bytes()))
            .map_err(|error| Sink::unwritable(&self.sink.path, &error))
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.sink.file.flush().map_err(|error| Sink::unwritable(&self.sink.path, &error))
    }

    fn complete(mut self: Box<Self>, draft: Draft) -> Result<(), Error> {
        let made = self.make()?;
        Ok(draft.complete_with(&made)?)
    }
}

impl Carried for Journal {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.rows.carry(memory)?;
        self.made.carry(memory)?;
        self.sink.carry(memory)?;
        if memory.puts_back() {
            Ok(())
        } else {
            self.publish().map_err(|error| CarryError::Beside(error.into()))
        }
    }
}
