//! The trajectory of a run that is saved now and then, on its way to Parquet.
//!
//! A Parquet file can be read only when its end is written.
//! So the rows go to a journal, as they come, which a run that is gone on with cuts at its checkpoint.
//! The file is made of it at the end, and from time to time before, so that a run that is killed leaves one.
//! The rows alone decide what is in the file, and the journal goes when the file is whole and synced.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use least_action::carried::{Carried, CarryError, Memory};
use least_action_pages::files::Draft;

use super::parquet::{self, Parquet};
use super::{Columns, Row, Sink, Table};
use crate::error::Error;

/// The file is made anew when there are more rows than it has by this part of them.
const PART: u64 = 4;
/// The most numbers of a journal that are held in memory to make a file in its place: 256 MB.
const HELD: usize = 1 << 25;

pub(super) struct Journal {
    sink: Sink,
    columns: Columns,
    /// The rows of the journal, and of the file that was made of it last.
    rows: u64,
    made: u64,
}

impl Journal {
    pub(super) fn new(sink: Sink, columns: &Columns) -> Self {
        Self { sink, columns: columns.clone(), rows: 0, made: 0 }
    }

    /// Makes the Parquet file of all rows.
    fn fill(&mut self, file: &File) -> io::Result<()> {
        let mut made = Parquet::create(&self.sink.path, BufWriter::new(file.try_clone()?), &self.columns)?;
        self.sink.file.flush()?;
        let journal = self.sink.file.get_mut();
        let end = journal.stream_position()?;
        journal.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 16, journal.try_clone()?);
        let mut bytes = vec![0; 8 * self.columns.names.len()];
        for _ in 0..self.rows {
            reader.read_exact(&mut bytes)?;
            made.push(bytes.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)))?;
        }
        journal.seek(SeekFrom::Start(end))?;
        made.close()
    }
}

/// Writes the rows of a Parquet file as a journal.
pub(super) fn unfold(output: &Path, journal: &mut File) -> io::Result<()> {
    let mut file = BufWriter::new(journal);
    parquet::for_each_number(output, |number| file.write_all(&number.to_le_bytes()))?;
    file.flush()
}

impl Journal {
    /// The rows that the disk took, as many as memory is used for.
    fn rows(&mut self) -> io::Result<Vec<f64>> {
        let (journal, width) = (self.sink.cut()?, self.columns.names.len());
        let rows = (journal.metadata()?.len() as usize / (8 * width)).min(HELD / width);
        let mut bytes = vec![0; 8 * width * rows];
        journal.seek(SeekFrom::Start(0))?;
        journal.read_exact(&mut bytes)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect())
    }
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
        draft.put(|file| self.fill(file))?;
        draft.discard();
        Ok(())
    }

    fn publish(&mut self, draft: &Draft) {
        if self.rows > self.made + self.made / PART {
            // Where there was no room, it is tried again as late as after a file.
            let _ = draft.put(|file| self.fill(file));
            self.made = self.rows;
        }
    }

    fn rescue(&mut self, draft: &Path) -> Option<String> {
        let rows = self.rows().ok()?;
        let journal = self.sink.file.get_ref();
        Parquet::holding(&self.sink.path, journal, &self.columns, rows).ok()?.rescue(draft)
    }
}

impl Carried for Journal {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.rows.carry(memory)?;
        self.made.carry(memory)?;
        self.sink.carry(memory)
    }
}
