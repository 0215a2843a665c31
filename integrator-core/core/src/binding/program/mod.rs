//! Operations that are carried out line by line, for declarations that no rustc has compiled.
//!
//! A program has the lines that the compiler would write as Rust, on numbered registers. Order and
//! arithmetic are those of compiled code: its results have the same bits.

mod block;
mod columns;
mod formula;
mod registers;
mod single;
pub(super) mod step;

use super::work::{InColumns, Single, Wide};
use crate::lanes::form::{One, Rated, in_form};
use crate::scratch::Scratch;
use least_action_kernel::{Code, ElementFacts, Line, Operation, Put, Row, Vector};
use num_dual::Dual64;
use step::{Register, Step};

/// The most registers of a program.
const MOST: usize = 1 << Register::BITS;

/// The code of an operation, carried out line by line.
#[derive(Debug)]
pub struct Program {
    operation: Operation,
    shape: Shape,
    steps: Vec<Step>,
    registers: usize,
    /// The register of the scalar.
    scalar: Option<Register>,
    vector: Vector,
    row: Row,
    wide: bool,
    /// The numbers of the matrix.
    numbers: Vec<MatrixNumber>,
    /// The registers of the results: of the vector or of the sums, then of the numbers of the matrix.
    results: Vec<Register>,
    /// The results that compiled code adds, in its order.
    puts: Vec<Output>,
    single: Scratch<Vec<f64>>,
    rated: Scratch<Vec<Dual64>>,
    blocks: Scratch<block::Memory>,
}

/// The registers stay in the nearest cache: they have about as many numbers.
const NEAR: usize = 2048;
/// The most elements, or registers of elements, of a step.
const SEVERAL: usize = 16;

/// The sizes of an element.
#[derive(Debug)]
struct Shape {
    slots: usize,
    inputs: Vec<(usize, usize)>,
    coefficients: usize,
    sums: usize,
}

impl Shape {
    fn of(facts: &ElementFacts) -> Self {
        let ElementFacts { slots, coefficients, sums, .. } = *facts;
        Self { slots, inputs: facts.inputs.to_vec(), coefficients, sums }
    }
}

/// A result.
#[derive(Debug, Clone, Copy)]
enum Output {
    Vector(usize),
    Sum(usize),
    Number(usize),
}

/// A number of the matrix of an element: the entries that have it, and that have its negative.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MatrixNumber {
    plus: Vec<usize>,
    minus: Vec<usize>,
}

impl Program {
    /// The program of an operation; `None` if it calls functions that only Rust knows, or needs more
    /// than 65536 registers.
    pub fn new<F: Copy>(operation: Operation, code: &Code<F>, facts: &ElementFacts) -> Option<Self> {
        let mut writer = Writer::new(code);
        for (place, line) in code.lines.iter().enumerate() {
            match line {
                Line::Compute(instruction) => writer.compute(place, *instruction)?,
                Line::Put(value, put) => writer.put(*value, put),
            }
        }
        let shape = Shape::of(facts);
        let first_number = if code.vector == Vector::None { shape.sums } else { shape.inputs.len() };
        let results = writer.results(first_number);
        let Writer { steps, count, numbers, registers, puts, .. } = writer;
        if count > MOST {
            return None;
        }
        Some(Self {
            operation,
            scalar: code.scalar.map(|scalar| registers[scalar]),
            shape,
            steps,
            registers: count,
            vector: code.vector,
            row: code.row,
            wide: code.registers,
            numbers,
            results,
            puts: puts.into_iter().map(|(put, _)| put).collect(),
            single: Scratch::new(Vec::new),
            rated: Scratch::new(Vec::new),
            blocks: Scratch::new(block::Memory::default),
        })
    }

    /// The place of the first number of the matrix among the results.
    fn first_number(&self) -> usize {
        self.results.len() - self.numbers.len()
    }

    /// The most elements of a step, in so many lanes.
    fn most(&self, lanes: usize) -> usize {
        (NEAR / (self.registers * lanes).max(1)).clamp(SEVERAL / 4, SEVERAL)
    }

    /// Whether it is carried out in registers of the processor, too.
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Runs it on single elements; returns the sum of the scalars.
    pub(super) fn single(&self, work: &mut Single<'_, '_>) -> f64 {
        match self.operation {
            Operation::GradientRows => single::rows(self, work),
            Operation::ThirdRate | Operation::QuadraticRate => single::elements(self, Rated, work),
            _ => single::elements(self, One, work),
        }
    }

    /// Runs it on rows of elements in lanes; returns the sum of the scalars.
    pub(super) fn wide(&self, work: &mut Wide<'_>) -> f64 {
        self.blocks.with(|memory| work.registers.run(block::Rows { program: self, work, memory }))
    }

    /// Runs it on elements in columns.
    pub(super) fn columns(&self, work: &mut InColumns<'_>) {
        self.blocks.with(|memory| {
            in_form(work.registers, columns::ColumnSteps { program: self, work, memory });
        });
    }
}

/// Gives registers to the values of a code: one is free again when nobody reads its value any more.
struct Writer {
    steps: Vec<Step>,
    numbers: Vec<MatrixNumber>,
    puts: Vec<(Output, Register)>,
    /// The register of each value.
    registers: Vec<Register>,
    /// The last line that reads each value.
    last: Vec<usize>,
    free: Vec<Register>,
    count: usize,
}

impl Writer {
    fn new<F: Copy>(code: &Code<F>) -> Self {
        let mut last = Vec::new();
        for (place, line) in code.lines.iter().enumerate() {
            match line {
                Line::Compute(instruction) => {
                    instruction.operands().into_iter().for_each(|operand| last[operand] = place);
                    last.push(place);
                }
                Line::Put(..) => {}
            }
        }
        // Results stay in their registers.
        let puts = code.lines.iter().filter_map(|line| match line {
            Line::Put(value, _) => Some(*value),
            Line::Compute(_) => None,
        });
        puts.chain(code.scalar).for_each(|value| last[value] = usize::MAX);
        let (steps, numbers, puts) = (Vec::new(), Vec::new(), Vec::new());
        Self { steps, numbers, puts, registers: Vec::new(), last, free: Vec::new(), count: 0 }
    }

    fn compute<F: Copy>(
        &mut self,
        place: usize,
        instruction: least_action_kernel::Instruction<least_action_kernel::Port, F>,
    ) -> Option<()> {
        // Other than its operands: a step reads them while it writes.
        let to = self.free_register();
        self.steps.push(Step::of(to, instruction, &self.registers)?);
        self.registers.push(to);
        let value = self.registers.len() - 1;
        let mut operands = instruction.operands();
        operands.push(value);
        operands.sort_unstable();
        operands.dedup();
        operands.into_iter().for_each(|operand| self.release(place, operand));
        Some(())
    }

    fn free_register(&mut self) -> Register {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            (self.count - 1) as Register
        })
    }

    fn put(&mut self, value: usize, put: &Put) {
        let put = match put {
            Put::Vector(k) => Output::Vector(*k),
            Put::Sum(k) => Output::Sum(*k),
            Put::Number { number, plus, minus } => {
                let none = MatrixNumber { plus: Vec::new(), minus: Vec::new() };
                self.numbers.resize(self.numbers.len().max(number + 1), none);
                self.numbers[*number] = MatrixNumber { plus: plus.clone(), minus: minus.clone() };
                Output::Number(*number)
            }
        };
        self.puts.push((put, self.registers[value]));
    }

    /// The register of each result; results that the code does not put are zero.
    fn results(&mut self, first_number: usize) -> Vec<Register> {
        let mut results = vec![None; first_number + self.numbers.len()];
        for (put, register) in &self.puts {
            let place = match *put {
                Output::Vector(k) | Output::Sum(k) => k,
                Output::Number(k) => first_number + k,
            };
            results[place] = Some(*register);
        }
        if results.contains(&None) {
            let zero = self.free_register();
            self.steps.push(Step::Constant { to: zero, value: 0.0 });
            results.iter_mut().for_each(|result| *result = result.or(Some(zero)));
        }
        results.into_iter().flatten().collect()
    }

    fn release(&mut self, place: usize, value: usize) {
        if self.last[value] == place {
            self.free.push(self.registers[value]);
        }
    }
}
