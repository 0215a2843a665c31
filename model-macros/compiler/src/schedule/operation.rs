//! Programs: lists of operations on earlier values.

use crate::graph::{ARGUMENTS, Function, Leaf, NodeId, Opaque};

/// The place of an operation in its program.
pub(crate) type Value = usize;

/// One operation on earlier values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// A number.
    Number(f64),
    /// A number that the kernel reads.
    Read(Leaf),
    /// A number that binding evaluates: a node without coordinates.
    Coefficient(NodeId),
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
    Call(Opaque, [Value; ARGUMENTS], usize),
}

impl Operation {
    /// Weighted operations: 1 for additions and products, 5 for a reciprocal, 6 for a root; the table
    /// of functions has the others.
    pub fn cost(self) -> u32 {
        match self {
            Self::Number(_) | Self::Read(_) | Self::Coefficient(_) | Self::Negate(_) => 0,
            Self::Add(..) | Self::Subtract(..) | Self::Offset(..) | Self::Multiply(..) | Self::Scale(..) => 1,
            Self::MultiplyAdd(..) => 2,
            Self::Reciprocal(_) => 5,
            Self::Root(_) => 6,
            Self::InverseRoot(_) => 11,
            Self::Function(function, _) => function.entry().cost,
            Self::Power(..) => 40,
            Self::Atan2(..) => 30,
            Self::Select { .. } => 2,
            // The numbers that differentiate have twice as many parts for each order.
            Self::Call(function, ..) => 40 << function.along().count(),
        }
    }

    /// About how many cycles pass until its value can be used.
    pub fn latency(self) -> u32 {
        match self {
            Self::Number(_) | Self::Read(_) | Self::Coefficient(_) | Self::Negate(_) => 0,
            Self::Add(..) | Self::Subtract(..) | Self::Offset(..) | Self::Multiply(..) | Self::Scale(..) => 4,
            Self::MultiplyAdd(..) => 8,
            Self::Reciprocal(_) => 14,
            Self::Root(_) => 20,
            Self::InverseRoot(_) => 34,
            Self::Function(function, _) => function.entry().latency,
            Self::Power(..) | Self::Atan2(..) | Self::Call(..) => 60,
            Self::Select { .. } => 4,
        }
    }

    /// This operation on other values.
    pub fn on(self, mut at: impl FnMut(Value) -> Value) -> Self {
        match self {
            Self::Number(_) | Self::Read(_) | Self::Coefficient(_) => self,
            Self::Add(a, b) => Self::Add(at(a), at(b)),
            Self::Subtract(a, b) => Self::Subtract(at(a), at(b)),
            Self::Offset(a, number) => Self::Offset(at(a), number),
            Self::Negate(a) => Self::Negate(at(a)),
            Self::Multiply(a, b) => Self::Multiply(at(a), at(b)),
            Self::Scale(a, number) => Self::Scale(at(a), number),
            Self::MultiplyAdd(a, b, c) => Self::MultiplyAdd(at(a), at(b), at(c)),
            Self::Reciprocal(a) => Self::Reciprocal(at(a)),
            Self::Root(a) => Self::Root(at(a)),
            Self::InverseRoot(a) => Self::InverseRoot(at(a)),
            Self::Function(function, a) => Self::Function(function, at(a)),
            Self::Power(base, exponent) => Self::Power(at(base), at(exponent)),
            Self::Atan2(y, x) => Self::Atan2(at(y), at(x)),
            Self::Select { gap, strict, yes, no } => {
                Self::Select { gap: at(gap), strict, yes: at(yes), no: at(no) }
            }
            Self::Call(function, mut arguments, count) => {
                arguments[..count].iter_mut().for_each(|argument| *argument = at(*argument));
                Self::Call(function, arguments, count)
            }
        }
    }

    /// The values that it works on.
    pub fn operands(self) -> Vec<Value> {
        let mut all = Vec::new();
        self.on(|value| {
            all.push(value);
            value
        });
        all
    }
}

/// Straight-line code.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The operations, operands first.
    pub operations: Vec<Operation>,
    /// For each value, true if it is the same for all elements with the same coefficients.
    pub fixed: Vec<bool>,
    /// The results.
    pub outputs: Vec<Value>,
    /// Weighted operations that each element takes.
    pub cost: u32,
}

impl Program {
    /// The number of operations and results.
    pub fn size(&self) -> usize {
        self.operations.len() + self.outputs.len()
    }

    /// The coefficients, in the order in which they are first needed.
    pub fn coefficients(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Coefficient(node) => Some(*node),
            _ => None,
        })
    }
}
