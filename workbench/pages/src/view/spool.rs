//! The frames of a page during a run: in memory while they are few, else in a nameless file beside the
//! page.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::{SpooledTempFile, spooled_tempfile_in};

/// The frames that a page keeps at most; of more, every second one is left out, as often as it takes.
pub const FRAMES: u64 = 4000;
/// The numbers that a page keeps at most: 1200 frames of 10 000 points in space.
const NUMBERS: u64 = 36_000_000;
/// A page has so many frames in any case.
const FEWEST: u64 = 60;
/// The bytes that are held in memory.
const HELD: usize = 1 << 26;
/// The bytes that are read and written at once.
const BUFFER: usize = 1 << 20;

/// Keeps frames at equal distances, with the first and the last.
pub struct Spool {
    width: usize,
    most: u64,
    /// The number of frames that came.
    seen: u64,
    stride: u64,
    /// The frames that were written: number of the frame before its numbers. A file of them goes away
    /// with the process, however that ends.
    store: BufWriter<SpooledTempFile>,
    written: u64,
    last: Vec<f64>,
}

impl Spool {
    /// Takes frames of so many numbers; a file, should there be one, stands in this folder.
    pub fn new(width: usize, folder: &Path) -> Self {
        let most = (NUMBERS / width.max(1) as u64).clamp(FEWEST, FRAMES);
        let store = BufWriter::with_capacity(BUFFER, spooled_tempfile_in(HELD, folder));
        Self { width, most, seen: 0, stride: 1, store, written: 0, last: Vec::new() }
    }

    /// The same with so many frames at most.
    #[must_use]
    pub fn of_at_most(self, frames: u64) -> Self {
        Self { most: self.most.min(frames), ..self }
    }

    /// The number of frames that came.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// True once the frames stand in a file.
    pub fn is_on_disk(&self) -> bool {
        self.store.get_ref().is_rolled()
    }

    /// Takes a frame.
    pub fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        debug_assert_eq!(numbers.len(), self.width, "a frame has its width");
        let number = self.seen;
        self.seen += 1;
        numbers.clone_into(&mut self.last);
        if !number.is_multiple_of(self.stride) {
            return Ok(());
        }
        if number / self.stride >= self.most {
            self.stride *= 2;
            if !number.is_multiple_of(self.stride) {
                return Ok(());
            }
        }
        self.written += 1;
        self.store.write_all(&number.to_le_bytes())?;
        numbers.iter().try_for_each(|x| self.store.write_all(&x.to_le_bytes()))
    }

    /// Shows every `thin`-th of the kept frames, in order, and the last one; each with its number.
    pub fn for_each(
        &mut self,
        thin: u64,
        visit: &mut dyn FnMut(u64, &[f64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let stride = self.stride * thin;
        let (mut shown, mut numbers) = (None, vec![0.0; self.width]);
        self.store.rewind()?;
        let mut reader = BufReader::with_capacity(BUFFER, self.store.get_mut());
        let mut bytes = vec![0; 8 * (self.width + 1)];
        for _ in 0..self.written {
            reader.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks::<8>();
            let number = u64::from_le_bytes(words[0]);
            if number.is_multiple_of(stride) {
                for (x, word) in numbers.iter_mut().zip(&words[1..]) {
                    *x = f64::from_le_bytes(*word);
                }
                visit(number, &numbers)?;
                shown = Some(number);
            }
        }
        self.store.seek(SeekFrom::End(0))?;
        match self.seen.checked_sub(1).filter(|last| shown != Some(*last)) {
            Some(last) => visit(last, &self.last),
            None => Ok(()),
        }
    }

    /// How many of the frames that came are between two that are kept, of every `thin`-th of them.
    pub fn stride(&self, thin: u64) -> u64 {
        self.stride * thin
    }
}
