//! Positions as few bits: whole numbers of quanta, as differences to what the frames before foretell, in Rice's code.
//!
//! A frame is cut into blocks of [`BLOCK`] numbers. A block begins with one bit for its forecast (0: as before; 1: on a straight line) and five bits for
//! k. Each difference d is folded to u = 2d or −2d − 1, and written as u div 2ᵏ in ones with a zero behind them, and the k low bits of u. After [`LONGEST`] ones
//! follow the [`WHOLE`] bits of u.
//!
//! # Reference
//! R. F. Rice, *Some practical universal noiseless coding techniques*, JPL 79-22 (1979).

use std::io::{self, Write};

/// The numbers of a block.
pub const BLOCK: usize = 256;
/// The ones after which a number is written as it is.
pub const LONGEST: u32 = 20;
/// The bits of any folded difference.
pub const WHOLE: u32 = 18;
/// The whole number that stands for no position.
pub const MISSING: i32 = -32_768;

/// Writes frames of whole numbers of sixteen bits.
pub struct Coder<W: Write> {
    bits: Bits<W>,
    before: Vec<i32>,
    earlier: Vec<i32>,
}

impl<W: Write> Coder<W> {
    /// Frames of so many numbers.
    pub fn new(out: W, width: usize) -> Self {
        Self { bits: Bits { out, held: 0, count: 0 }, before: vec![0; width], earlier: vec![0; width] }
    }

    /// Writes a frame, which is taken over.
    pub fn frame(&mut self, numbers: &[i32]) -> io::Result<()> {
        let blocks = numbers.chunks(BLOCK).zip(self.before.chunks(BLOCK)).zip(self.earlier.chunks(BLOCK));
        let mut folded = [[0_u32; BLOCK]; 2];
        for ((numbers, before), earlier) in blocks {
            for (k, ((x, before), earlier)) in numbers.iter().zip(before).zip(earlier).enumerate() {
                folded[0][k] = fold(x - before);
                folded[1][k] = fold(x - (2 * before - earlier).clamp(MISSING, -MISSING));
            }
            let count = numbers.len();
            let sums = folded.map(|folded| folded[..count].iter().map(|u| u64::from(*u)).sum::<u64>());
            let forecast = usize::from(sums[1] < sums[0]);
            let k = (sums[forecast] / count as u64 + 1).ilog2();
            self.bits.put(forecast as u64, 1)?;
            self.bits.put(u64::from(k), 5)?;
            for u in &folded[forecast][..count] {
                let ones = u >> k;
                if ones < LONGEST {
                    self.bits.put((1 << ones) - 1, ones + 1)?;
                    self.bits.put(u64::from(u & ((1 << k) - 1)), k)?;
                } else {
                    self.bits.put((1 << LONGEST) - 1, LONGEST)?;
                    self.bits.put(u64::from(*u), WHOLE)?;
                }
            }
        }
        std::mem::swap(&mut self.before, &mut self.earlier);
        self.before.copy_from_slice(numbers);
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<W> {
        while self.bits.count > 0 {
            self.bits.byte()?;
        }
        Ok(self.bits.out)
    }
}

/// 0, −1, 1, −2, … as 0, 1, 2, 3, …
fn fold(difference: i32) -> u32 {
    ((difference << 1) ^ (difference >> 31)).cast_unsigned()
}

/// Bits one behind the other, the first in the lowest place of a byte.
struct Bits<W> {
    out: W,
    held: u64,
    count: u32,
}

impl<W: Write> Bits<W> {
    /// Appends the low bits of a number, fewer than 32.
    fn put(&mut self, bits: u64, count: u32) -> io::Result<()> {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.byte()?;
        }
        Ok(())
    }

    fn byte(&mut self) -> io::Result<()> {
        self.out.write_all(&[self.held as u8])?;
        self.held >>= 8;
        self.count = self.count.saturating_sub(8);
        Ok(())
    }
}

/// Counts the bytes that are written.
#[derive(Default)]
pub struct Counted(pub u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes as the text of RFC 4648, in lines.
pub struct Base64<W: Write> {
    out: W,
    held: [u8; 3],
    count: usize,
    line: usize,
    longest: usize,
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The characters of a line.
const LINE: usize = 4096;

impl<W: Write> Base64<W> {
    pub fn new(out: W) -> Self {
        Self { out, held: [0; 3], count: 0, line: 0, longest: LINE }
    }

    /// The text without ends of lines.
    #[must_use]
    pub fn on_one_line(self) -> Self {
        Self { longest: usize::MAX, ..self }
    }

    fn group(&mut self) -> io::Result<()> {
        let word = self.held.iter().fold(0_usize, |word, byte| word << 8 | usize::from(*byte));
        let mut text = [18, 12, 6, 0].map(|shift| ALPHABET[word >> shift & 63]);
        text[self.count + 1..].fill(b'=');
        self.out.write_all(&text)?;
        self.line += 4;
        if self.line == self.longest {
            self.line = 0;
            self.out.write_all(b"\n")?;
        }
        self.held = [0; 3];
        self.count = 0;
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<W> {
        if self.count > 0 {
            self.group()?;
        }
        Ok(self.out)
    }
}

impl<W: Write> Write for Base64<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.held[self.count] = *byte;
            self.count += 1;
            if self.count == 3 {
                self.group()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
