//! The documented limits of the size of a declaration: by size, never by the clock.

/// Work that may still be done on a graph: a word read or written for each operand of an operation.
///
/// Each stage that makes expressions has a budget, and every operation asks it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    left: usize,
    exhausted: bool,
}

impl Budget {
    /// The work of lowering and classifying a declaration: some seconds in a compiler without
    /// optimization. The ready models take a hundredth.
    pub const OF_A_DECLARATION: Self = Self::of(2_000_000);

    /// The work of one way to find one derivative of an element. A neo-Hookean tetrahedron takes 5 %.
    pub const OF_A_DERIVATIVE: Self = Self::of(400_000);

    /// The work of a proof that a quantity is conserved.
    pub const OF_A_PROOF: Self = Self::of(1_000_000);

    const fn of(left: usize) -> Self {
        Self { left, exhausted: false }
    }

    /// Takes away `work`; false if less is left.
    pub fn spend(&mut self, work: usize) -> bool {
        match self.left.checked_sub(work) {
            Some(left) if !self.exhausted => self.left = left,
            _ => self.exhausted = true,
        }
        !self.exhausted
    }

    /// True if more work was asked for than was left.
    pub fn is_exhausted(self) -> bool {
        self.exhausted
    }
}

/// The deepest nesting of an expression, in the source and when lowered.
pub(crate) const DEEPEST: usize = 128;

/// The most halves in a power that merges with another of its base: twice as many fit an exponent.
pub(crate) const MOST_HALVES: i32 = 1 << 12;

/// The most terms of a function, each of which becomes code of its own.
///
/// A product of sums over iterators has one term for each way to take a term of each sum.
pub(crate) const MOST_TERMS: usize = 1000;

/// Reads times operations of one element: time and memory for second derivatives grow with it.
///
/// Beyond it no derivative is looked for; a neo-Hookean tetrahedron has a fifteenth.
pub(crate) const MOST_SIZE: usize = 16_000;

/// The most ways in which functions of sums come out: each way would be a term.
pub(crate) const MOST_WAYS_IN_FUNCTIONS: usize = 1000;

/// The most operations and results of all functions, times their compilations: 20 s of processor.
///
/// Rustc takes from 0.1 to 0.45 ms for each (measured). Nine families of neo-Hookean tetrahedra reach
/// the limit, and a molecule with thirteen kinds of terms three quarters of it.
pub(crate) const MOST_OPERATIONS: usize = 44_000;

/// The most operations and results of one function of a kernel: up to 10 s of rustc for registers, and
/// 3 s for single elements. Rustc compiles functions alone, and long ones a little slower.
pub(crate) const MOST_IN_A_FUNCTION: usize = 4000;

/// The worth in operations of the code around a function.
pub(crate) const OPERATIONS_OF_A_FUNCTION: usize = 30;

/// The worth in operations of an elementary function in registers, where its code stands in line.
pub(crate) const OPERATIONS_OF_AN_ELEMENTARY_FUNCTION: usize = 150;

/// The worth of a function for registers of two widths and for single elements, in single ones.
pub(crate) const TIMES_FOR_REGISTERS: usize = 4;

/// The most pairs of operands among which shared ones are looked for; with more, none are shared.
pub(crate) const MOST_PAIRS: usize = 200_000;

/// The most parts of an expression that are printed.
pub(crate) const MOST_PRINTED: usize = 1000;
