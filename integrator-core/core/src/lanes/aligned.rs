/// Numbers that begin at a cache line.
#[derive(Debug)]
pub(crate) struct Aligned {
    /// Longer than the numbers by a line.
    memory: Vec<f64>,
    /// The index of the first number.
    first: usize,
    length: usize,
}

/// The bytes and the numbers of a cache line.
const LINE: usize = 64;
const NUMBERS: usize = LINE / size_of::<f64>();

impl Aligned {
    pub(crate) fn zeros(length: usize) -> Self {
        let memory = vec![0.0_f64; length + NUMBERS];
        // A line begins within the first numbers of any allocation;
        // the memory never grows, so the place stays.
        let first = memory.as_ptr().align_offset(LINE).min(NUMBERS);
        Self { memory, first, length }
    }

    pub(crate) fn get(&self) -> &[f64] {
        &self.memory[self.first..][..self.length]
    }

    pub(crate) fn get_mut(&mut self) -> &mut [f64] {
        &mut self.memory[self.first..][..self.length]
    }
}

impl Default for Aligned {
    fn default() -> Self {
        Self::zeros(0)
    }
}

impl Clone for Aligned {
    /// Copies the numbers; the first index depends on the allocation.
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.length);
        copy.get_mut().copy_from_slice(self.get());
        copy
    }
}
