//! The order of operations.

use super::program::{Instruction, Program, Source, Value};
use crate::functions::FunctionTable;

impl Program {
    /// The operations in an order that uses values soon after they are computed, so that few wait in
    /// registers: output after output, always the one with the fewest operations left.
    pub fn ordered(&self) -> Self {
        let operands: Vec<Vec<Value>> =
            self.operations.iter().map(|operation| operation.operands()).collect();
        // Reads and values common to all elements wait for nothing and stay in front.
        let mut order: Vec<Value> = (0..operands.len())
            .filter(|value| {
                self.fixed[*value] || matches!(self.operations[*value], Instruction::Read(Source::Leaf(_)))
            })
            .collect();
        let mut done = vec![false; operands.len()];
        order.iter().for_each(|value| done[*value] = true);
        let mut outputs = self.outputs.clone();
        outputs.sort_unstable();
        outputs.dedup();
        let mut search = Search { operands: &operands, seen: vec![0; operands.len()], searches: 0 };
        loop {
            outputs.retain(|output| !done[*output]);
            let mut next: Option<Vec<Value>> = None;
            for output in &outputs {
                let most = next.as_ref().map_or(usize::MAX, |best| best.len() - 1);
                if let Some(found) = search.left_of(*output, &done, most) {
                    next = Some(found);
                }
            }
            let Some(mut next) = next else { break };
            // Operands stay before the operations that use them.
            next.sort_unstable();
            for value in next {
                // Sine and cosine of the same angle, for instance, are found together.
                for value in [Some(value), self.beside(value)].into_iter().flatten() {
                    if !std::mem::replace(&mut done[value], true) {
                        order.push(value);
                    }
                }
            }
        }
        self.renumbered(&order)
    }

    /// The cosine of an angle whose sine this is, for instance.
    fn beside(&self, value: Value) -> Option<Value> {
        let Instruction::Function(function, argument) = self.operations[value] else { return None };
        let other = Instruction::Function(function.entry().together?, argument);
        self.operations.iter().position(|operation| *operation == other)
    }

    /// The operations of this program in another order.
    fn renumbered(&self, order: &[Value]) -> Self {
        let mut places = vec![0; self.operations.len()];
        order.iter().enumerate().for_each(|(place, value)| places[*value] = place);
        let at = |value: Value| places[value];
        Self {
            operations: order.iter().map(|value| self.operations[*value].map(at, |read| read)).collect(),
            fixed: order.iter().map(|value| self.fixed[*value]).collect(),
            outputs: self.outputs.iter().map(|output| at(*output)).collect(),
            cost: self.cost,
        }
    }
}

/// The operations that are left to do for an output.
struct Search<'a> {
    operands: &'a [Vec<Value>],
    /// In which search each value was seen last.
    seen: Vec<usize>,
    searches: usize,
}

impl Search<'_> {
    /// The operations that an output still takes, unless they are more than `most`.
    fn left_of(&mut self, output: Value, done: &[bool], most: usize) -> Option<Vec<Value>> {
        self.searches += 1;
        let mut found = vec![output];
        let mut visited = 0;
        self.seen[output] = self.searches;
        while let Some(&value) = found.get(visited) {
            visited += 1;
            for &operand in &self.operands[value] {
                if !done[operand] && self.seen[operand] != self.searches {
                    self.seen[operand] = self.searches;
                    found.push(operand);
                }
            }
            if found.len() > most {
                return None;
            }
        }
        Some(found)
    }
}
