/// Numbers whose first one begins a cache line.
#[derive(Debug)]
pub(crate) struct Aligned {
    /// Longer than they are, by a line.
    memory: Vec<f64>,
    length: usize,
}

/// The bytes of a cache line, and its numbers.
const LINE: usize = 64;
const NUMBERS: usize = LINE / size_of::<f64>();

impl Aligned {
    pub(crate) fn zeros(length: usize) -> Self {
        Self { memory: vec![0.0; length + NUMBERS], length }
    }

    pub(crate) fn get(&self) -> &[f64] {
        &self.memory[self.first()..][..self.length]
    }

    pub(crate) fn get_mut(&mut self) -> &mut [f64] {
        let first = self.first();
        &mut self.memory[first..][..self.length]
    }

    fn first(&self) -> usize {
        // Wherever the allocation is, a line begins among its first numbers.
        self.memory.as_ptr().align_offset(LINE).min(NUMBERS)
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
