//! Programs: lists of instructions on earlier values.

use crate::functions::FunctionTable;
use crate::graph::{Leaf, NodeId, Opaque};
pub(crate) use least_action_kernel::Value;
use least_action_kernel::{Line, Put};

/// A number that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// A number that the kernel reads.
    Leaf(Leaf),
    /// A number that binding evaluates: a node without coordinates.
    Coefficient(NodeId),
}

/// One operation on earlier values.
pub type Instruction = least_action_kernel::Instruction<Source, Opaque>;

/// The price of an instruction.
pub trait Price: Sized {
    /// Its cost and its latency.
    fn price(self) -> [u32; 2];

    /// Weighted operations: 1 for additions and products, 5 for a reciprocal, 6 for a root; the table
    /// of functions has the others.
    fn cost(self) -> u32 {
        self.price()[0]
    }

    /// About how many cycles pass until its value can be used.
    fn latency(self) -> u32 {
        self.price()[1]
    }
}

impl Price for Instruction {
    fn price(self) -> [u32; 2] {
        match self {
            Self::Number(_) | Self::Read(_) | Self::Negate(_) => [0, 0],
            Self::Add(..) | Self::Subtract(..) | Self::Offset(..) | Self::Multiply(..) | Self::Scale(..) => {
                [1, 4]
            }
            Self::MultiplyAdd(..) => [2, 8],
            Self::Reciprocal(_) => [5, 14],
            Self::Root(_) => [6, 20],
            Self::InverseRoot(_) => [11, 34],
            Self::Function(function, _) => [function.entry().cost, function.entry().latency],
            Self::Power(..) => [40, 60],
            Self::Atan2(..) => [30, 60],
            Self::Select { .. } => [2, 4],
            // The numbers that differentiate have twice as many parts for each order.
            Self::Call(function, ..) => [40 << function.along().count(), 60],
        }
    }
}

/// Straight-line code.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The instructions, operands first.
    pub operations: Vec<Instruction>,
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
            Instruction::Read(Source::Coefficient(node)) => Some(*node),
            _ => None,
        })
    }

    /// The program as lines, with the results: first the values that all elements share; each value that
    /// is to be put somewhere is put as soon as it is known.
    pub fn lines<R>(
        &self,
        read: &dyn Fn(Source) -> R,
        puts: &[(Value, Put)],
    ) -> (Vec<Line<R, Opaque>>, Vec<Value>) {
        let (mut lines, mut places, mut count) = (Vec::new(), vec![0; self.operations.len()], 0);
        for fixed in [true, false] {
            for (value, operation) in self.operations.iter().enumerate() {
                if self.fixed[value] != fixed {
                    continue;
                }
                lines.push(Line::Compute(operation.map(|operand| places[operand], read)));
                let own = puts.iter().filter(|(of, _)| *of == value);
                lines.extend(own.map(|(_, put)| Line::Put(count, put.clone())));
                (places[value], count) = (count, count + 1);
            }
        }
        (lines, self.outputs.iter().map(|output| places[*output]).collect())
    }
}
