//! The code of an operation: lines, each of which computes a number or puts one somewhere.

use crate::Function;

/// The place of a number among the computed ones.
pub type Value = usize;

/// The most arguments of a function of Rust.
pub const ARGUMENTS: usize = 8;

/// One operation on earlier numbers; R is what it may read, and F a function that only Rust knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Instruction<R, F> {
    /// A number.
    Number(f64),
    /// A number that is read.
    Read(R),
    /// a + b.
    Add(Value, Value),
    /// a − b.
    Subtract(Value, Value),
    /// a + number.
    Offset(Value, f64),
    /// −a.
    Negate(Value),
    /// a · b.
    Multiply(Value, Value),
    /// a · number.
    Scale(Value, f64),
    /// a · b + c.
    MultiplyAdd(Value, Value, Value),
    /// 1 / a.
    Reciprocal(Value),
    /// √a.
    Root(Value),
    /// 1 / √a.
    InverseRoot(Value),
    /// An elementary function.
    Function(Function, Value),
    /// base^exponent.
    Power(Value, Value),
    /// The angle of the point (x, y), given as y, x.
    Atan2(Value, Value),
    /// `yes` where gap < 0 (or gap ≤ 0), `no` elsewhere.
    Select {
        /// The value that is compared with zero.
        gap: Value,
        /// True if zero itself does not count as below.
        strict: bool,
        /// The value below.
        yes: Value,
        /// The value elsewhere.
        no: Value,
    },
    /// A function that only Rust knows, of so many of these arguments.
    Call(F, [Value; ARGUMENTS], usize),
}

impl<R, F> Instruction<R, F> {
    /// This instruction on other values, which reads something else.
    pub fn map<S>(self, mut at: impl FnMut(Value) -> Value, read: impl FnOnce(R) -> S) -> Instruction<S, F> {
        match self {
            Self::Number(number) => Instruction::Number(number),
            Self::Read(from) => Instruction::Read(read(from)),
            Self::Add(a, b) => Instruction::Add(at(a), at(b)),
            Self::Subtract(a, b) => Instruction::Subtract(at(a), at(b)),
            Self::Offset(a, number) => Instruction::Offset(at(a), number),
            Self::Negate(a) => Instruction::Negate(at(a)),
            Self::Multiply(a, b) => Instruction::Multiply(at(a), at(b)),
            Self::Scale(a, number) => Instruction::Scale(at(a), number),
            Self::MultiplyAdd(a, b, c) => Instruction::MultiplyAdd(at(a), at(b), at(c)),
            Self::Reciprocal(a) => Instruction::Reciprocal(at(a)),
            Self::Root(a) => Instruction::Root(at(a)),
            Self::InverseRoot(a) => Instruction::InverseRoot(at(a)),
            Self::Function(function, a) => Instruction::Function(function, at(a)),
            Self::Power(base, exponent) => Instruction::Power(at(base), at(exponent)),
            Self::Atan2(y, x) => Instruction::Atan2(at(y), at(x)),
            Self::Select { gap, strict, yes, no } => {
                Instruction::Select { gap: at(gap), strict, yes: at(yes), no: at(no) }
            }
            Self::Call(function, mut arguments, count) => {
                arguments[..count].iter_mut().for_each(|argument| *argument = at(*argument));
                Instruction::Call(function, arguments, count)
            }
        }
    }

    /// The values that it works on.
    pub fn operands(self) -> Vec<Value> {
        let mut all = Vec::new();
        self.map(
            |value| {
                all.push(value);
                value
            },
            |_| (),
        );
        all
    }
}

/// A number that the code of an operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// An input.
    X(usize),
    /// The component of the direction for an input.
    A(usize),
    /// A coefficient.
    C(usize),
    /// The time.
    Time,
    /// The fast phase.
    Phase,
    /// A reading of the signals.
    Signal(usize),
    /// The weight of a sum of the element.
    Weight(usize),
}

/// The place to which a number goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// Added to the entry of an input in a vector.
    Vector(usize),
    /// Added to a sum of the element.
    Sum(usize),
    /// A number of the matrix, added to some of its entries and subtracted from others.
    ///
    /// Second derivatives by a difference occur several times with both signs: each is computed once.
    Number {
        /// Its number.
        number: usize,
        /// The entries that have it.
        plus: Vec<usize>,
        /// The entries that have its negative.
        minus: Vec<usize>,
    },
}

/// A line of code.
#[derive(Debug, Clone, PartialEq)]
pub enum Line<R, F> {
    /// Computes the next number.
    Compute(Instruction<R, F>),
    /// Puts a number somewhere as soon as it is known: many that wait for the end have no registers.
    Put(Value, Put),
}

/// The place of the vector of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vector {
    /// It has none.
    None,
    /// At its inputs.
    AtInputs,
    /// In a matrix with a row for each element: a Jacobian.
    InRow,
}

/// The use of the row of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// None.
    None,
    /// The scalar is added there.
    Adds,
    /// The number there is the weight of vector and matrix.
    Weighs,
}

/// The code of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Code<F> {
    /// The lines: first the numbers that are the same for all elements with the same coefficients, so
    /// that they can leave a loop.
    pub lines: Vec<Line<Port, F>>,
    /// The scalar; zero if there is none.
    pub scalar: Option<Value>,
    /// The place of its vector.
    pub vector: Vector,
    /// Its use of the row of an element.
    pub row: Row,
    /// Whether it is carried out in registers, too.
    pub registers: bool,
    /// Weighted operations that each element takes.
    pub cost: u32,
}

impl<F> Code<F> {
    /// The instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<Port, F>> {
        self.lines.iter().filter_map(|line| match line {
            Line::Compute(instruction) => Some(instruction),
            Line::Put(..) => None,
        })
    }

    /// Whether it reads a direction.
    pub fn is_directed(&self) -> bool {
        self.instructions().any(|instruction| matches!(instruction, Instruction::Read(Port::A(_))))
    }
}
