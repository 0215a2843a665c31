//! Arrays of NumPy in one file: `t`, `q` and `v` row by row, every other column by its name, the names
//! of the coordinates, and whose run it is.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::Columns;
use crate::error::Error;

/// Refuses the format where the program has it not.
#[expect(clippy::unnecessary_wraps, reason = "a program without the feature refuses it")]
pub(super) fn check() -> Result<(), Error> {
    Ok(())
}

/// Writes the file of so many rows, which stand one after the other in `journal` as numbers of eight
/// bytes.
pub(super) fn fill(journal: &mut File, rows: u64, columns: &Columns, file: &File) -> io::Result<()> {
    let mut made =
        Npz { zip: ZipWriter::new(BufWriter::new(file.try_clone()?)), width: columns.names.len(), rows };
    let n = columns.dimension;
    made.columns("t", 0..1, None, journal)?;
    made.columns("q", 1..1 + n, Some(n), journal)?;
    made.columns("v", 1 + n..1 + 2 * n, Some(n), journal)?;
    for (place, name) in columns.names.iter().enumerate().skip(1 + 2 * n) {
        made.columns(name, place..place + 1, None, journal)?;
    }
    made.words("coordinates", &columns.names[1..=n], &format!("({n},)"))?;
    made.words("run", std::slice::from_ref(&columns.run), "()")?;
    made.zip.finish().map_err(io::Error::other)?.flush()
}

struct Npz {
    zip: ZipWriter<BufWriter<File>>,
    /// The numbers of a row.
    width: usize,
    rows: u64,
}

impl Npz {
    /// Some columns of all rows, as a matrix or, of one column, as a vector.
    fn columns(
        &mut self,
        name: &str,
        columns: Range<usize>,
        across: Option<usize>,
        journal: &mut File,
    ) -> io::Result<()> {
        let rows = self.rows;
        let shape = across.map_or_else(|| format!("({rows},)"), |across| format!("({rows}, {across})"));
        self.begin(name, "<f8", &shape, 8 * rows * columns.len() as u64)?;
        journal.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(1 << 16, journal);
        let mut row = vec![0; 8 * self.width];
        for _ in 0..rows {
            reader.read_exact(&mut row)?;
            self.zip.write_all(&row[8 * columns.start..8 * columns.end])?;
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
