//! The derivatives of a family → its kernel as data: facts about one element, and the code of each
//! operation. Both back ends read it: one writes it as Rust, the other carries it out.

use crate::classify::Family;
use crate::graph::{Leaf, NodeId, Opaque, Reading};
use crate::kernels::{Function, Kernel, Operation, Use, placed};
use crate::lower::form::loops_of;
use crate::schedule::{Instruction, Program, Source, Value};
use least_action_kernel::{ElementFacts, HessianEntry, LinearForm, NearFacts, Results, Row, Text, Vector};
pub(crate) use least_action_kernel::{Port, Put};
use proc_macro2::Ident;

/// The code of an operation.
pub(crate) type Code = least_action_kernel::Code<Opaque>;

/// Consecutive numbers that an element reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) entry: Entry,
    /// The component with which it begins.
    pub(crate) first: usize,
}

/// An entry of a coordinate that an element reads, of its velocity, or the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Position(usize),
    Velocity(usize),
    Time,
}

impl Slot {
    /// The gather of an entry.
    pub(crate) fn gather(self) -> Option<usize> {
        match self.entry {
            Entry::Position(gather) | Entry::Velocity(gather) => Some(gather),
            Entry::Time => None,
        }
    }

    /// The slots of inputs, each once; `whole` slots begin with the entry, others with the first
    /// component that is read. Then functions of other components are equal code.
    fn all(inputs: &[Leaf], whole: bool) -> Vec<Self> {
        let mut slots: Vec<Self> = Vec::new();
        for leaf in inputs {
            let (entry, component) = Entry::of(*leaf);
            let first = if whole { 0 } else { component };
            match slots.iter_mut().find(|known| known.entry == entry) {
                Some(known) => known.first = known.first.min(first),
                None => slots.push(Self { entry, first }),
            }
        }
        slots
    }
}

impl Entry {
    /// The entry and the component of an input.
    fn of(leaf: Leaf) -> (Self, usize) {
        match leaf {
            Leaf::Position { gather, component } => (Self::Position(gather), component),
            Leaf::Velocity { gather, component } => (Self::Velocity(gather), component),
            // Inputs are positions, velocities and the time.
            _ => (Self::Time, 0),
        }
    }
}

/// The kernel of a family.
#[derive(Debug)]
pub(crate) struct Coded {
    pub(crate) facts: ElementFacts,
    /// The slots that the element reads.
    pub(crate) slots: Vec<Slot>,
    /// The value of each coefficient, from the coefficients of the declaration.
    pub(crate) values: Program,
    /// Each operation, as far as its use asks for it; `None` for one that is identically zero.
    pub(crate) operations: Vec<(Operation, Option<Code>)>,
}

impl Coded {
    /// The kernel of a family in its use; `name` and `reads` are its expression and entries in words.
    pub(crate) fn new(family: &Family, found: &Kernel, used: Use, (name, reads): (&str, &[String])) -> Self {
        let second = found.function(Operation::Second).map(|function| &function.program);
        let (entries, numbers) = numbered(second, &found.entries, family.inputs.len());
        // Engines look for points among the slots, but for sums.
        let slots = Slot::all(&family.inputs, !used.is_of_a_sum());
        let inputs = family.inputs.iter().map(|leaf| {
            let (entry, component) = Entry::of(*leaf);
            let slot = placed(slots.iter().position(|known| known.entry == entry));
            (slot, component - slots[slot].first)
        });
        let input = |leaf: Leaf| family.inputs.iter().position(|known| *known == leaf);
        let form = |form: &crate::eliminate::LinearForm| -> LinearForm {
            form.iter().filter_map(|&(factor, leaf)| Some((input(leaf)?, factor))).collect()
        };
        let is_over_pairs = loops_of(&family.path).any(|repeat| repeat.near.is_some());
        let coder = Coder { family, found, used, entries: &entries, numbers: &numbers };
        let operations = coder.operations();
        let reads_numbers =
            |instruction: &Instruction| matches!(instruction, Instruction::Read(Source::Leaf(_)));
        let gradient = found.function(Operation::Gradient);
        let facts = ElementFacts {
            name: Text::Owned(name.to_owned()),
            reads: reads.iter().cloned().map(Text::Owned).collect(),
            smoothness: found.smoothness,
            over_all_pairs: family.near.is_none() && is_over_pairs,
            linear: gradient.is_some_and(|gradient| !gradient.program.operations.iter().any(reads_numbers)),
            costs: costs(&operations),
            slots: slots.len(),
            inputs: inputs.collect(),
            coefficients: coder.ends_from() + family.ends().count(),
            numbers: numbers.len(),
            forms: found.forms.iter().map(form).collect(),
            sums: family.sums.len(),
            reads_of_sums: family.reads_of_sums.clone().into(),
            entries: entries.into(),
        };
        Self { facts, slots, values: found.coefficients.clone(), operations }
    }

    /// The code of an operation, if there is one that is not zero.
    pub(crate) fn code(&self, operation: Operation) -> Option<&Code> {
        let (_, code) = self.operations.iter().find(|(known, _)| *known == operation)?;
        code.as_ref()
    }
}

/// Weighted operation counts of value, gradient, gradient with Hessian, and third contraction.
fn costs(operations: &[(Operation, Option<Code>)]) -> [u32; 4] {
    let cost = |wanted: Operation| {
        let (_, code) = operations.iter().find(|(operation, _)| *operation == wanted)?;
        Some(code.as_ref().map_or(0, |code| code.cost))
    };
    [
        cost(Operation::Value),
        cost(Operation::Gradient),
        cost(Operation::Second).or_else(|| cost(Operation::Gradient)),
        cost(Operation::Third),
    ]
    .map(Option::unwrap_or_default)
}

/// A kernel with its names.
#[derive(Debug)]
pub(crate) struct FamilyKernel<'a> {
    /// The name of its facts and operations.
    pub(crate) name: Ident,
    /// The name of the module of its types.
    pub(crate) module: Ident,
    pub(crate) family: &'a Family,
    pub(crate) used: Use,
    pub(crate) coded: Coded,
    /// The facts about a sum over near pairs.
    pub(crate) near: Option<NearFacts>,
}

/// The entries of second derivatives, whose program yields n first derivatives before, and the values of
/// their numbers.
fn numbered(
    second: Option<&Program>,
    entries: &[(usize, usize)],
    n: usize,
) -> (Vec<HessianEntry>, Vec<Value>) {
    let (mut found, mut values) = (Vec::new(), Vec::new());
    let Some(second) = second else { return (found, values) };
    for (output, &(row, column)) in second.outputs.iter().skip(n).zip(entries) {
        let (value, negative) = match second.operations[*output] {
            Instruction::Negate(value) => (value, true),
            _ => (*output, false),
        };
        let number = values.iter().position(|known| *known == value).unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        });
        found.push(HessianEntry { row, column, number, negative });
    }
    (found, values)
}

/// Codes the operations of a family.
struct Coder<'a> {
    family: &'a Family,
    found: &'a Kernel,
    used: Use,
    entries: &'a [HessianEntry],
    /// The value of each number of the Hessian.
    numbers: &'a [Value],
}

impl Coder<'_> {
    /// The place behind the coefficients that belong to no end.
    fn ends_from(&self) -> usize {
        self.found.coefficients.outputs.len() + self.found.pairs.outputs.len()
    }

    /// The operations, as far as the use asks for them.
    fn operations(&self) -> Vec<(Operation, Option<Code>)> {
        let Self { found, used, .. } = self;
        let mut all = Vec::new();
        for operation in Operation::ALL {
            let Some(function) = found.function(operation.code_of().unwrap_or(operation)) else { continue };
            let code = || self.code(operation.code_of().unwrap_or(operation), function);
            let is_zero = match operation {
                Operation::GradientRows if !used.is_of_a_sum() => continue,
                Operation::Third => function.zero,
                // Without second derivatives, their entries are unknown.
                Operation::Product => self.entries.is_empty() && found.function(Operation::Second).is_some(),
                Operation::ThirdRate | Operation::QuadraticRate => match self.third_has_rates() {
                    Some(known) => known,
                    None => continue,
                },
                _ => false,
            };
            all.push((operation, (!is_zero).then(code)));
        }
        all
    }

    /// Whether third derivatives are zero, if they have rates: with parameters as coordinates, and not
    /// if they call functions of Rust.
    fn third_has_rates(&self) -> Option<bool> {
        let third = self.found.function(Operation::Third)?;
        let calls = |instruction: &Instruction| matches!(instruction, Instruction::Call(..));
        let known = self.found.parametric && !third.program.operations.iter().any(calls);
        (third.zero || known && !self.used.is_of_a_sum()).then_some(third.zero)
    }

    fn code(&self, operation: Operation, function: &Function) -> Code {
        let Self { family, found, used, .. } = self;
        let (of_sum, of_row) = (used.is_of_a_sum(), *used == Use::Row);
        let in_rows = *used == Use::Constraint;
        let results = operation.results();
        let vector = match results {
            Results::Scalar => Vector::None,
            Results::Vector if of_row => Vector::InRow,
            Results::VectorAndMatrix if in_rows || of_sum => Vector::None,
            Results::Vector | Results::VectorAndMatrix => Vector::AtInputs,
            Results::ScalarAndVector => Vector::InRow,
        };
        let has_scalar = matches!(results, Results::Scalar | Results::ScalarAndVector);
        let row = match has_scalar {
            true if in_rows || of_row => Row::Adds,
            false if in_rows && operation != Operation::Gradient => Row::Weighs,
            _ => Row::None,
        };
        // The results before the matrix: all are put, but for a scalar, which is returned.
        let n = family.inputs.len();
        let has_scalar = has_scalar && !of_sum;
        let puts = match results {
            Results::Scalar if of_sum => puts(&function.program, 0, usize::MAX, Put::Sum),
            Results::Scalar => Vec::new(),
            Results::Vector => puts(&function.program, 0, usize::MAX, Put::Vector),
            Results::ScalarAndVector => puts(&function.program, 1, usize::MAX, Put::Vector),
            Results::VectorAndMatrix => {
                let first = if vector == Vector::None { 0 } else { n };
                let mut puts = puts(&function.program, 0, first, Put::Vector);
                puts.extend(self.numbers.iter().enumerate().map(|(k, value)| (*value, self.number(k))));
                puts
            }
        };
        let (lines, outputs) = function.program.lines(&|source| self.port(function, source), &puts);
        let wide = found.has_registers(family, *used)
            && operation.has_registers(of_sum, found.is_of_light_pairs(family));
        let cost = function.program.cost;
        Code {
            lines,
            scalar: outputs.first().copied().filter(|_| has_scalar),
            vector,
            row,
            registers: wide,
            cost,
        }
    }

    /// The place of a number of the matrix.
    fn number(&self, number: usize) -> Put {
        let with = |negative: bool| {
            let entries = self.entries.iter().enumerate();
            let wanted = entries.filter(|(_, entry)| entry.number == number && entry.negative == negative);
            wanted.map(|(place, _)| place).collect()
        };
        Put::Number { number, plus: with(false), minus: with(true) }
    }

    /// The port of a number that a function reads.
    fn port(&self, function: &Function, source: Source) -> Port {
        let inputs = &self.family.inputs;
        let place = |wanted: Leaf| placed(inputs.iter().position(|known| *known == wanted));
        let leaf = match source {
            Source::Leaf(leaf) => leaf,
            Source::Coefficient(node) => return Port::C(coefficient(function, node)),
        };
        match leaf {
            Leaf::Direction { gather, component } => Port::A(place(Leaf::Position { gather, component })),
            Leaf::Along(input) => Port::A(input),
            Leaf::Weight(sum) => Port::Weight(sum),
            Leaf::Time if !inputs.contains(&Leaf::Time) => Port::Time,
            Leaf::Phase => Port::Phase,
            Leaf::End(id) => {
                Port::C(self.ends_from() + placed(self.family.ends().position(|known| known == id)))
            }
            Leaf::Signal { number, reading } => Port::Signal(Reading::COUNT * number + reading as usize),
            input => Port::X(place(input)),
        }
    }
}

fn coefficient(function: &Function, node: NodeId) -> usize {
    let known = function.coefficients.iter().find(|(known, _)| *known == node);
    placed(known.map(|(_, place)| *place))
}

/// Puts at most `length` outputs from `first` on; outputs that are always zero are left out.
fn puts(program: &Program, first: usize, length: usize, put: fn(usize) -> Put) -> Vec<(Value, Put)> {
    let outputs = program.outputs.iter().skip(first).take(length).enumerate();
    let zero = Instruction::Number(0.0);
    let nonzero = outputs.filter(|(_, value)| program.operations[**value] != zero);
    nonzero.map(|(k, value)| (*value, put(k))).collect()
}
