//! Arrays of NumPy in one file: `t`, `q` and `v` row by row, every other column by its name, the names
//! of the coordinates, and whose run it is.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::Columns;

/// The bytes of columns that are gathered at once.
const HELD: u64 = 1 << 26;

/// Writes the file of so many rows, which stand one after the other in `journal` as numbers of eight
/// bytes.
pub(super) fn fill(journal: &mut File, rows: u64, columns: &Columns, file: &File) -> io::Result<()> {
    let firm = Firm { file: BufWriter::new(file.try_clone()?), error: None, place: 0, end: 0 };
    let mut made = Npz { zip: ZipWriter::new(firm), width: columns.names.len(), rows };
    let n = columns.dimension;
    made.matrix("q", 1..1 + n, journal)?;
    made.matrix("v", 1 + n..1 + 2 * n, journal)?;
    let others: Vec<usize> = std::iter::once(0).chain(1 + 2 * n..made.width).collect();
    for some in others.chunks((HELD / (8 * rows.max(1))).max(1) as usize) {
        made.columns(&columns.names, some, journal)?;
    }
    made.words("coordinates", &columns.names[1..=n], &format!("({n},)"))?;
    made.words("run", std::slice::from_ref(&columns.run), "()")?;
    made.zip.finish().map_err(io::Error::other)?.done()
}

/// A file whose first error is kept: the archive, which writes its end where it is dropped, knows of
/// none.
struct Firm {
    file: BufWriter<File>,
    error: Option<io::Error>,
    /// Where the archive believes to be, and where it believes that the file ends.
    place: u64,
    end: u64,
}

impl Firm {
    /// Acts until the first error.
    fn act(&mut self, act: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = act(&mut self.file).err();
        }
    }

    fn done(mut self) -> io::Result<()> {
        self.act(BufWriter::flush);
        self.error.map_or(Ok(()), Err)
    }
}

impl Write for Firm {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.act(|file| file.write_all(bytes));
        self.place += bytes.len() as u64;
        self.end = self.end.max(self.place);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.act(BufWriter::flush);
        Ok(())
    }
}

impl Seek for Firm {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(way) => self.end.checked_add_signed(way),
            SeekFrom::Current(way) => self.place.checked_add_signed(way),
        };
        self.place = place.ok_or(io::ErrorKind::InvalidInput)?;
        let place = self.place;
        self.act(|file| file.seek(SeekFrom::Start(place)).map(drop));
        Ok(place)
    }
}

struct Npz {
    zip: ZipWriter<Firm>,
    /// The numbers of a row.
    width: usize,
    rows: u64,
}

impl Npz {
    /// Shows the bytes of each row.
    fn rows(
        &mut self,
        journal: &mut File,
        mut show: impl FnMut(&mut ZipWriter<Firm>, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        journal.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 16, journal);
        let mut row = vec![0; 8 * self.width];
        for _ in 0..self.rows {
            reader.read_exact(&mut row)?;
            show(&mut self.zip, &row)?;
        }
        Ok(())
    }

    /// Columns that stand side by side, as a matrix.
    fn matrix(&mut self, name: &str, columns: Range<usize>, journal: &mut File) -> io::Result<()> {
        let (rows, across) = (self.rows, columns.len());
        self.begin(name, "<f8", &format!("({rows}, {across})"), 8 * rows * across as u64)?;
        self.rows(journal, |zip, row| zip.write_all(&row[8 * columns.start..8 * columns.end]))
    }

    /// Columns, each as a vector of its name.
    fn columns(&mut self, names: &[String], columns: &[usize], journal: &mut File) -> io::Result<()> {
        let mut gathered = vec![Vec::new(); columns.len()];
        self.rows(journal, |_, row| {
            let numbers = columns.iter().map(|column| &row[8 * column..8 * column + 8]);
            gathered.iter_mut().zip(numbers).for_each(|(all, number)| all.extend_from_slice(number));
            Ok(())
        })?;
        for (column, all) in columns.iter().zip(gathered) {
            self.begin(&names[*column], "<f8", &format!("({},)", self.rows), all.len() as u64)?;
            self.zip.write_all(&all)?;
        }
        Ok(())
    }

    /// Texts, each as long as the longest.
    fn words(&mut self, name: &str, words: &[String], shape: &str) -> io::Result<()> {
        let length = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        self.begin(name, &format!("<U{length}"), shape, 4 * (length * words.len()) as u64)?;
        for word in words {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0)).take(length);
            letters.into_iter().try_for_each(|letter| self.zip.write_all(&letter.to_le_bytes()))?;
        }
        Ok(())
    }

    /// Begins an array: the format NPY 1.0, of which all before the numbers takes a multiple of 64
    /// bytes.
    fn begin(&mut self, name: &str, kind: &str, shape: &str, bytes: u64) -> io::Result<()> {
        const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
        let words = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        let before = (MAGIC.len() + 2 + words.len() + 1).next_multiple_of(64);
        let length = before - MAGIC.len() - 2;
        // Sizes from 4 GiB on take a longer entry.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let options = options.large_file(bytes >= u64::from(u32::MAX) - before as u64);
        self.zip.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
        self.zip.write_all(MAGIC)?;
        self.zip.write_all(&u16::try_from(length).map_err(io::Error::other)?.to_le_bytes())?;
        self.zip.write_all(format!("{words:<width$}\n", width = length - 1).as_bytes())
    }
}
