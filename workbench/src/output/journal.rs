//! The trajectory of a run on its way to a file that can be read only when its end is written, or that
//! has column after column.
//!
//! So the rows go to a journal, as they come, which a run that is gone on with cuts at its checkpoint.
//! The file is made of it at the end; of a run that is saved, from time to time before, so that one that
//! is killed leaves a file.
//! The rows alone decide the content of the file, and the journal goes when the file is whole and
//! synced.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use least_action::advanced::carried::{Carried, CarryError, Memory};
use least_action_pages::files::Draft;

use super::npz;
use super::parquet::{self, Parquet};
use super::{Columns, Row, Sink, Table};
use crate::error::{Error, Result};

/// The file is made anew when there are more rows than it has by this part of them.
const PART: u64 = 4;
/// The most numbers of a journal that are held in memory to make a file in its place: 256 MB.
const HELD: usize = 1 << 25;

/// A format that is made of a journal.
pub(super) struct Form {
    /// Makes the file of so many rows.
    fill: fn(&mut File, u64, &Columns, &File) -> io::Result<()>,
    /// Makes the journal readable where the disk takes no more of it, and says where its rows stand.
    rescue: fn(&mut Journal, &Path) -> Option<String>,
    /// True if a checkpoint goes on with the journal.
    is_saved: bool,
}

pub(super) const PARQUET: Form = Form {
    fill: parquet,
    rescue: |journal, draft| {
        let rows = journal.rows().ok()?;
        let file = journal.sink.file.get_ref();
        Parquet::holding(file, &journal.columns, rows).ok()?.rescue(draft)
    },
    is_saved: true,
};

pub(super) const NPZ: Form =
    Form { fill: npz::fill, rescue: |journal, draft| Some(journal.told(draft)), is_saved: false };

pub(super) struct Journal {
    sink: Sink,
    columns: Columns,
    form: Form,
    /// The rows of the journal, and of the file that was made of it last.
    rows: u64,
    made: u64,
}

impl Journal {
    pub(super) fn new(sink: Sink, columns: &Columns, form: Form) -> Self {
        Self { sink, columns: columns.clone(), form, rows: 0, made: 0 }
    }

    /// Words on the rows where no file can be made of them.
    fn told(&self, draft: &Path) -> String {
        let (width, draft) = (self.columns.names.len(), draft.display());
        format!("the rows until then, {width} numbers of eight bytes each, stand in {draft}")
    }

    /// Makes the file of all rows.
    fn fill(&mut self, file: &File) -> io::Result<()> {
        self.sink.file.flush()?;
        let journal = self.sink.file.get_mut();
        let end = journal.stream_position()?;
        (self.form.fill)(journal, self.rows, &self.columns, file)?;
        journal.seek(SeekFrom::Start(end)).map(drop)
    }

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

/// Makes a Parquet file.
fn parquet(journal: &mut File, rows: u64, columns: &Columns, file: &File) -> io::Result<()> {
    let mut made = Parquet::create(BufWriter::new(file.try_clone()?), columns)?;
    journal.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, journal);
    let mut bytes = vec![0; 8 * columns.names.len()];
    for _ in 0..rows {
        reader.read_exact(&mut bytes)?;
        made.push(bytes.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)))?;
    }
    made.finish()
}

/// Writes the rows of a Parquet file as a journal.
pub(super) fn unfold(output: &Path, journal: &mut File) -> io::Result<()> {
    let mut file = BufWriter::new(journal);
    parquet::for_each_number(output, |number| file.write_all(&number.to_le_bytes()))?;
    file.flush()
}

impl Table for Journal {
    fn write(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.rows += 1;
        row.numbers().try_for_each(|number| self.sink.file.write_all(&number.to_le_bytes()))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sink.file.flush()
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.rows.carry(memory)?;
        self.made.carry(memory)?;
        self.sink.carry(memory)
    }

    fn complete(mut self: Box<Self>, mut draft: Draft) -> Result {
        match draft.put(|file| self.fill(file)) {
            Ok(()) => draft.discard(),
            Err(error) if self.form.is_saved => return Err(error.into()),
            Err(error) => {
                draft.keep();
                let words = draft.partial().map(|partial| self.told(partial)).unwrap_or_default();
                return Err(Error::from(error).with(&words));
            }
        }
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
        (self.form.rescue)(self, draft)
    }
}
