/// Numbers whose first one begins a cache line.
#[derive(Debug)]
pub(crate) struct Aligned {
    /// Longer than they are, by a line.
    memory: Vec<f64>,
    /// Where they begin in it.
    first: usize,
    length: usize,
}

/// The bytes of a cache line, and its numbers.
const LINE: usize = 64;
const NUMBERS: usize = LINE / size_of::<f64>();

impl Aligned {
    pub(crate) fn zeros(length: usize) -> Self {
        let memory = vec![0.0_f64; length + NUMBERS];
        // Wherever the allocation is, a line begins among its first numbers; it stays there, for it never grows.
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
    /// Copies the numbers; the place where the copy begins depends on its allocation.
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.length);
        copy.get_mut().copy_from_slice(self.get());
        copy
    }
}
