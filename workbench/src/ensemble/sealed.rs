//! A file of a dataset that knows itself: of which dataset and part it is, and if a bit of it has
//! changed.
//!
//! The metadata of the Parquet file have the mark of its part, and behind it a checksum of all bytes of
//! the file, in which the checksum itself counts as zeros.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use least_action::files;
use twox_hash::XxHash64;

/// A checksum that is not known yet.
const ZEROS: [u8; 16] = [b'0'; 16];
/// The end of a Parquet file: the length of its metadata, and four letters.
const END: u64 = 8;

/// The words of a file before it is sealed.
pub(super) fn unsealed(mark: &str) -> String {
    format!("{mark}{}", String::from_utf8_lossy(&ZEROS))
}

/// Writes the checksum into a file that is whole.
pub(super) fn seal(mut file: &File, mark: &str) -> io::Result<()> {
    let none = || io::Error::other("its metadata have no mark");
    let (at, _) = place(file, mark)?.ok_or_else(none)?;
    let sum = checksum(file, at)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&sum)
}

/// True if a file has this mark, and, where it is read as a whole, no bit of it has changed.
pub(super) fn is_whole(path: &Path, mark: &str, thorough: bool) -> bool {
    let whole = || -> io::Result<bool> {
        let file = files::open(path)?;
        let Some((at, sum)) = place(&file, mark)? else { return Ok(false) };
        Ok(!thorough || checksum(&file, at)? == sum)
    };
    // A file that cannot be read is not there.
    whole().unwrap_or(false)
}

/// Where the checksum stands behind a mark, and the checksum.
fn place(mut file: &File, mark: &str) -> io::Result<Option<(u64, [u8; 16])>> {
    let length = file.metadata()?.len();
    let mut end = [0; END as usize];
    let Some(behind) = length.checked_sub(END) else { return Ok(None) };
    file.seek(SeekFrom::Start(behind))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let Some(begin) = behind.checked_sub(u64::from(u32::from_le_bytes([a, b, c, d]))) else {
        return Ok(None);
    };
    if magic != *b"PAR1" {
        return Ok(None);
    }
    let mut metadata = vec![0; (behind - begin) as usize];
    file.seek(SeekFrom::Start(begin))?;
    file.read_exact(&mut metadata)?;
    let found = metadata.windows(mark.len()).position(|window| window == mark.as_bytes());
    let at = found.map(|found| found + mark.len());
    let sum = at.and_then(|at| Some((at, *metadata[at..].first_chunk()?)));
    Ok(sum.map(|(at, sum)| (begin + at as u64, sum)))
}

/// The checksum of a file, with zeros in its place.
fn checksum(mut file: &File, at: u64) -> io::Result<[u8; 16]> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut sum = XxHash64::default();
    let mut take = |reader: &mut dyn Read| io::copy(reader, &mut Into(&mut sum));
    take(&mut (&mut reader).take(at))?;
    take(&mut &ZEROS[..])?;
    io::copy(&mut (&mut reader).take(ZEROS.len() as u64), &mut io::sink())?;
    take(&mut reader)?;
    let mut words = ZEROS;
    write!(&mut words[..], "{:016x}", sum.finish())?;
    Ok(words)
}

/// A checksum as a writer of bytes.
struct Into<'s>(&'s mut XxHash64);

impl Write for Into<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
