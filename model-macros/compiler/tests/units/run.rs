//! Programs on plain numbers.

use least_action_compiler::internals::graph::{Leaf, NodeId};
use least_action_compiler::internals::schedule::{Operation, Program};

/// Runs the program on plain numbers.
pub(super) fn run(
    program: &Program,
    read: &dyn Fn(Leaf) -> f64,
    coefficient: &dyn Fn(NodeId) -> f64,
) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(program.operations.len());
    for operation in &program.operations {
        let value = match *operation {
            Operation::Number(value) => value,
            Operation::Read(leaf) => read(leaf),
            Operation::Coefficient(node) => coefficient(node),
            Operation::Add(a, b) => values[a] + values[b],
            Operation::Subtract(a, b) => values[a] - values[b],
            Operation::Offset(a, number) => values[a] + number,
            Operation::Negate(a) => -values[a],
            Operation::Multiply(a, b) => values[a] * values[b],
            Operation::Scale(a, number) => values[a] * number,
            Operation::MultiplyAdd(a, b, c) => values[a] * values[b] + values[c],
            Operation::Reciprocal(a) => values[a].recip(),
            Operation::Root(a) => values[a].sqrt(),
            Operation::InverseRoot(a) => values[a].sqrt().recip(),
            Operation::Function(function, a) => (function.entry().value)(values[a]),
            Operation::Power(a, b) => values[a].powf(values[b]),
            Operation::Atan2(y, x) => values[y].atan2(values[x]),
            Operation::Select { gap, strict, yes, no } => {
                let gap = values[gap];
                values[if if strict { gap < 0.0 } else { gap <= 0.0 } { yes } else { no }]
            }
            // Only Rust knows the function.
            Operation::Call(..) => f64::NAN,
        };
        values.push(value);
    }
    program.outputs.iter().map(|output| values[*output]).collect()
}
