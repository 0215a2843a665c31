//! The limits of the size of a declaration, as the language documents them, by size and never by the clock.

/// Work that may still be done on a graph: a word read or written for each operand of an operation.
///
/// Each stage that makes expressions has one; every operation asks it before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    left: usize,
    exhausted: bool,
}

impl Budget {
    /// The work of lowering and classifying a declaration: some seconds where the compiler is not optimized. Those of the ready models
    /// take a hundredth.
    pub const OF_A_DECLARATION: Self = Self::of(2_000_000);

    /// The work of one way to find one derivative of an element. A neo-Hookean tetrahedron takes a twentieth.
    pub const OF_A_DERIVATIVE: Self = Self::of(400_000);

    /// The work of a proof that a quantity is conserved.
    pub const OF_A_PROOF: Self = Self::of(1_000_000);

    const fn of(left: usize) -> Self {
        Self { left, exhausted: false }
    }

    /// Takes so much away; false where less is left.
    pub fn spend(&mut self, work: usize) -> bool {
        match self.left.checked_sub(work) {
            Some(left) if !self.exhausted => self.left = left,
            _ => self.exhausted = true,
        }
        !self.exhausted
    }

    /// True if more was asked for than there was.
    pub fn is_exhausted(self) -> bool {
        self.exhausted
    }
}

/// The deepest that an expression may be nested, in the source and in what it is lowered to.
pub(crate) const DEEPEST: usize = 128;

/// The most halves in a power that is merged with another of the same base: twice this has room in an exponent.
pub(crate) const MOST_HALVES: i32 = 1 << 12;

/// The most terms of a function, each of which becomes code of its own.
///
/// A product of sums over iterators has as many as there are ways to take one term of each.
pub(crate) const MOST_TERMS: usize = 1000;

/// Reads times operations of one element: what the time and the memory for compiling second derivatives grow with.
///
/// Beyond, no derivative is looked for; a neo-Hookean tetrahedron is at a fifteenth of it.
pub(crate) const MOST_SIZE: usize = 16_000;

/// Functions of sums that can come out in more ways than this are refused: each way would be a term.
pub(crate) const MOST_WAYS_IN_FUNCTIONS: usize = 1000;

/// The most operations and results of all functions of a declaration, as often as they are compiled: 20 s of processor.
///
/// Rustc was measured to take from 0.1 to 0.45 ms for each.  Nine families of neo-Hookean tetrahedra are at it, and a molecule with
/// thirteen kinds of terms at three quarters.
pub(crate) const MOST_OPERATIONS: usize = 44_000;

/// The most operations and results of one function of a kernel, which rustc compiles alone, and a little slower for each that is
/// there already: up to 10 s for registers, and 3 s for single elements.
pub(crate) const MOST_IN_A_FUNCTION: usize = 4000;

/// The operations that the code around a function is worth.
pub(crate) const OPERATIONS_OF_A_FUNCTION: usize = 30;

/// The operations that an elementary function is worth in registers, where its code stands in line.
pub(crate) const OPERATIONS_OF_AN_ELEMENTARY_FUNCTION: usize = 150;

/// How often a function is worth its operations that is compiled for registers of two widths, besides single elements.
pub(crate) const TIMES_FOR_REGISTERS: usize = 4;

/// The most pairs of operands among which shared ones are looked for; of more, nothing is shared.
pub(crate) const MOST_PAIRS: usize = 200_000;

/// The most parts of an expression that are printed.
pub(crate) const MOST_PRINTED: usize = 1000;
