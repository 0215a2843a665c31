//! The frames of a page during a run: in memory while they are few, else in a nameless file beside the
//! page.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The frames that a page keeps at most; of more, every second one is left out, as often as it takes.
pub const FRAMES: u64 = 4000;
/// The numbers that a page keeps at most: 1200 frames of 10 000 points in space.
const NUMBERS: u64 = 36_000_000;
/// A page has so many frames in any case.
const FEWEST: u64 = 60;
/// The bytes that are held in memory.
const HELD: usize = 1 << 26;

/// Keeps frames at equal distances, with the first and the last.
pub struct Spool {
    width: usize,
    most: u64,
    /// The number of frames that came.
    seen: u64,
    stride: u64,
    /// The frames that were written: number of the frame before its numbers.
    store: Store,
    written: u64,
    last: Vec<f64>,
    folder: PathBuf,
}

enum Store {
    Memory(Vec<u8>),
    Disk { file: BufWriter<File>, path: Option<PathBuf> },
}

impl Spool {
    /// Takes frames of so many numbers; a file, should there be one, stands in this folder.
    pub fn new(width: usize, folder: &Path) -> Self {
        let most = (NUMBERS / width.max(1) as u64).clamp(FEWEST, FRAMES);
        let folder = folder.to_owned();
        Self {
            width,
            most,
            seen: 0,
            stride: 1,
            store: Store::Memory(Vec::new()),
            written: 0,
            last: Vec::new(),
            folder,
        }
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
        matches!(self.store, Store::Disk { .. })
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
        let bytes = std::iter::once(number.to_le_bytes()).chain(numbers.iter().map(|x| x.to_le_bytes()));
        match &mut self.store {
            Store::Memory(held) => {
                held.extend(bytes.flatten());
                if held.len() > HELD {
                    let held = std::mem::take(held);
                    self.store = Store::on_disk(&self.folder)?;
                    if let Store::Disk { file, .. } = &mut self.store {
                        file.write_all(&held)?;
                    }
                }
            }
            Store::Disk { file, .. } => {
                for number in bytes {
                    file.write_all(&number)?;
                }
            }
        }
        Ok(())
    }

    /// Shows every `thin`-th of the kept frames, in order, and the last one; each with its number.
    pub fn for_each(
        &mut self,
        thin: u64,
        visit: &mut dyn FnMut(u64, &[f64]) -> io::Result<()>,
    ) -> io::Result<()> {
        let stride = self.stride * thin;
        let (width, written, seen) = (self.width, self.written, self.seen);
        let mut shown = None;
        let mut read = |from: &mut dyn Read| -> io::Result<()> {
            let mut bytes = vec![0; 8 * (width + 1)];
            let mut numbers = vec![0.0; width];
            for _ in 0..written {
                from.read_exact(&mut bytes)?;
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
            Ok(())
        };
        match &mut self.store {
            Store::Memory(held) => read(&mut held.as_slice())?,
            Store::Disk { file, .. } => {
                file.flush()?;
                let file = file.get_mut();
                let end = file.stream_position()?;
                file.seek(SeekFrom::Start(0))?;
                read(&mut BufReader::with_capacity(1 << 20, &mut *file))?;
                file.seek(SeekFrom::Start(end))?;
            }
        }
        match seen.checked_sub(1).filter(|last| shown != Some(*last)) {
            Some(last) => visit(last, &self.last),
            None => Ok(()),
        }
    }

    /// How many of the frames that came are between two that are kept, of every `thin`-th of them.
    pub fn stride(&self, thin: u64) -> u64 {
        self.stride * thin
    }
}

impl Store {
    fn on_disk(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!(".least-action-frames-{}-{}", std::process::id(), unique()));
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(&path)?;
        // Without a name, the file goes away with the process, however that ends. Where an open file
        // keeps its name, `drop` removes it.
        let path = fs::remove_file(&path).err().map(|_| path);
        Ok(Self::Disk { file: BufWriter::with_capacity(1 << 20, file), path })
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Self::Disk { path: Some(path), .. } = self {
            // Nothing depends on it.
            let _ = fs::remove_file(path);
        }
    }
}

fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}
