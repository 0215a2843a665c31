//! Programs on plain numbers.

use least_action_compiler::internals::functions::FunctionTable;
use least_action_compiler::internals::graph::{Leaf, NodeId};
use least_action_compiler::internals::schedule::{Instruction, Program, Source};

/// Runs the program on plain numbers.
pub(super) fn run(
    program: &Program,
    read: &dyn Fn(Leaf) -> f64,
    coefficient: &dyn Fn(NodeId) -> f64,
) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(program.operations.len());
    for operation in &program.operations {
        let value = match *operation {
            Instruction::Number(value) => value,
            Instruction::Read(Source::Leaf(leaf)) => read(leaf),
            Instruction::Read(Source::Coefficient(node)) => coefficient(node),
            Instruction::Add(a, b) => values[a] + values[b],
            Instruction::Subtract(a, b) => values[a] - values[b],
            Instruction::Offset(a, number) => values[a] + number,
            Instruction::Negate(a) => -values[a],
            Instruction::Multiply(a, b) => values[a] * values[b],
            Instruction::Scale(a, number) => values[a] * number,
            Instruction::MultiplyAdd(a, b, c) => values[a] * values[b] + values[c],
            Instruction::Reciprocal(a) => values[a].recip(),
            Instruction::Root(a) => values[a].sqrt(),
            Instruction::InverseRoot(a) => values[a].sqrt().recip(),
            Instruction::Function(function, a) => (function.entry().value)(values[a]),
            Instruction::Power(a, b) => values[a].powf(values[b]),
            Instruction::Atan2(y, x) => values[y].atan2(values[x]),
            Instruction::Select { gap, strict, yes, no } => {
                let gap = values[gap];
                values[if if strict { gap < 0.0 } else { gap <= 0.0 } { yes } else { no }]
            }
            // Only Rust knows the function.
            Instruction::Call(..) => f64::NAN,
        };
        values.push(value);
    }
    program.outputs.iter().map(|output| values[*output]).collect()
}
