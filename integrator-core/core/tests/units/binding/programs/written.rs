//! Codes that are written line by line.

use least_action_core::emitted::v1::{HessianEntry, Row, Vector};
use least_action_kernel::{Code as Lines, Function, Instruction, Line, Operation, Port, Put, Results, Value};
use std::convert::Infallible;
use std::sync::LazyLock;

/// The uses of a code. Half of them need more than 32 registers.
pub(super) const SHORT: usize = 0;
pub(super) const LONG: usize = 1;
pub(super) const SUMS: usize = 2;
pub(super) const EQUATIONS: usize = 3;
pub(super) const FORCES: usize = 4;
/// Of near pairs, and of rows of neighbours: odd ones are exchangeable.
pub(super) const PAIRS: usize = 6;
pub(super) const EXCHANGEABLE_PAIRS: usize = 7;
pub(super) const ROWS: usize = 8;
pub(super) const EXCHANGEABLE_ROWS: usize = 9;
const USES: usize = 10;

const fn is_long(usage: usize) -> bool {
    matches!(usage, LONG | EQUATIONS | EXCHANGEABLE_PAIRS | ROWS)
}

/// The numbers of inputs and of coefficients.
pub(super) const fn sizes(usage: usize) -> (usize, usize) {
    if usage < PAIRS { (4, 3) } else { (5, 4) }
}

/// An element reads three components of its first slot, and one of each of the others.
pub(super) const fn inputs<const X: usize>() -> [(usize, usize); X] {
    let mut all = [(0, 0); X];
    let mut k = 0;
    while k < X {
        all[k] = if k < 3 { (0, k) } else { (k - 2, 0) };
        k += 1;
    }
    all
}

pub(super) const fn vector(usage: usize, operation: Operation) -> Vector {
    match operation.results() {
        Results::Scalar => Vector::None,
        Results::Vector if usage == FORCES => Vector::InRow,
        Results::VectorAndMatrix if matches!(usage, EQUATIONS | SUMS) => Vector::None,
        Results::Vector | Results::VectorAndMatrix => Vector::AtInputs,
        Results::ScalarAndVector => Vector::InRow,
    }
}

const fn has_scalar(operation: Operation) -> bool {
    matches!(operation.results(), Results::Scalar | Results::ScalarAndVector)
}

pub(super) const fn row(usage: usize, operation: Operation) -> Row {
    match (usage, operation) {
        (EQUATIONS | FORCES, _) if has_scalar(operation) => Row::Adds,
        (EQUATIONS, Operation::Gradient) => Row::None,
        (EQUATIONS, _) => Row::Weighs,
        _ => Row::None,
    }
}

/// Whether an operation of these elements has registers.
pub(super) const fn is_wide(usage: usize, operation: Operation) -> bool {
    matches!(usage, SHORT | LONG | SUMS)
        && matches!(
            operation,
            Operation::Value
                | Operation::Gradient
                | Operation::Second
                | Operation::Product
                | Operation::Third
                | Operation::Quadratic
                | Operation::Along
        )
}

/// The numbers of a matrix; some entries share one.
pub(super) const NUMBERS: usize = 7;

pub(super) fn entries(usage: usize) -> Vec<HessianEntry> {
    let places = (0..sizes(usage).0).flat_map(|row| (0..=row).map(move |column| (row, column))).enumerate();
    places
        .map(|(place, (row, column))| HessianEntry {
            row,
            column,
            number: place % NUMBERS,
            negative: place / NUMBERS == 1,
        })
        .collect()
}

/// Writes lines on values that were chosen at random; all stay between −1 and 1.
struct Writer {
    lines: Vec<Line<Port, Infallible>>,
    count: usize,
    /// The values that later lines may read, and their most.
    known: Vec<Value>,
    most: usize,
    random: u64,
}

impl Writer {
    fn line(&mut self, instruction: Instruction<Port, Infallible>) -> Value {
        self.lines.push(Line::Compute(instruction));
        self.count += 1;
        self.count - 1
    }

    fn keep(&mut self, value: Value) {
        self.known.push(value);
        if self.known.len() > self.most {
            self.known.remove(0);
        }
    }

    fn any(&mut self) -> Value {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.known[(self.random >> 33) as usize % self.known.len()]
    }

    /// 1 + a².
    fn above_one(&mut self) -> Value {
        let a = self.any();
        let squared = self.line(Instruction::Multiply(a, a));
        self.line(Instruction::Offset(squared, 1.0))
    }

    /// One of the forms of an instruction; `None` behind the last one.
    fn form(&mut self, form: usize) -> Option<Instruction<Port, Infallible>> {
        let [a, b, c] = [self.any(), self.any(), self.any()];
        Some(match form {
            0 => Instruction::Add(a, b),
            1 => Instruction::Subtract(a, b),
            2 => Instruction::Offset(a, -0.3),
            3 => Instruction::Negate(a),
            4 => Instruction::Multiply(a, b),
            5 => Instruction::Scale(a, 1.7),
            6 => Instruction::MultiplyAdd(a, b, c),
            7 => Instruction::Reciprocal(self.above_one()),
            8 => Instruction::Root(self.above_one()),
            9 => Instruction::InverseRoot(self.above_one()),
            10 => Instruction::Power(self.above_one(), b),
            11 => Instruction::Atan2(a, b),
            // Half of the gaps are zero.
            12 | 13 => {
                let gap = self.line(Instruction::Function(Function::Round, a));
                Instruction::Select { gap, strict: form == 12, yes: b, no: c }
            }
            _ => {
                let function = *Function::ALL.get(form - 14)?;
                let of = match function {
                    Function::Ln | Function::Acosh => self.above_one(),
                    Function::Asin | Function::Acos | Function::Atanh | Function::Ln1p => {
                        self.line(Instruction::Scale(a, 0.5))
                    }
                    _ => a,
                };
                Instruction::Function(function, of)
            }
        })
    }
}

/// The results of an operation, but for a scalar that it returns.
fn puts(usage: usize, operation: Operation) -> Vec<Put> {
    let mut puts: Vec<Put> = match (operation.results(), vector(usage, operation)) {
        (Results::Scalar, _) if usage == SUMS => (0..2).map(Put::Sum).collect(),
        (_, Vector::None) => Vec::new(),
        // Zeros are left out.
        _ => (0..sizes(usage).0)
            .filter(|k| operation != Operation::Third || *k != 2)
            .map(Put::Vector)
            .collect(),
    };
    if operation.results() == Results::VectorAndMatrix {
        puts.extend((0..NUMBERS).map(|number| {
            let of = |negative: bool| {
                let entries = entries(usage).into_iter().enumerate();
                let wanted =
                    entries.filter(|(_, entry)| entry.number == number && entry.negative == negative);
                wanted.map(|(place, _)| place).collect()
            };
            Put::Number { number, plus: of(false), minus: of(true) }
        }));
    }
    puts
}

fn written(usage: usize, operation: Operation) -> Lines<Infallible> {
    let ((x, c), most) = (sizes(usage), if is_long(usage) { usize::MAX } else { 5 });
    let random = (31 * usage + operation as usize) as u64;
    let mut writer = Writer { lines: Vec::new(), count: 0, known: Vec::new(), most, random };
    let mut ports: Vec<Port> = (0..x).map(Port::X).chain((0..c).map(Port::C)).collect();
    ports.extend([Port::Time, Port::Phase, Port::Signal(0), Port::Signal(1)]);
    ports.extend((0..x).filter(|_| operation.is_directed()).map(Port::A));
    let reads_weights = usage == SUMS && !has_scalar(operation);
    ports.extend((0..2).filter(|_| reads_weights).map(Port::Weight));
    // One value depends on all ports.
    let mut all = writer.line(Instruction::Number(0.75));
    for port in ports {
        let read = writer.line(Instruction::Read(port));
        let both = writer.line(Instruction::MultiplyAdd(all, read, read));
        all = writer.line(Instruction::Function(Function::Sin, both));
        writer.keep(all);
    }
    let (mut form, mut puts) = (0, puts(usage, operation).into_iter());
    while let Some(instruction) = writer.form(form) {
        let value = writer.line(instruction);
        let value = writer.line(Instruction::Function(Function::Sin, value));
        writer.keep(value);
        puts.next().into_iter().for_each(|put| writer.lines.push(Line::Put(value, put)));
        form += 1;
    }
    assert!(puts.next().is_none());
    let known = std::mem::take(&mut writer.known);
    let sum = known.into_iter().reduce(|sum, value| writer.line(Instruction::Add(sum, value)));
    Lines {
        lines: writer.lines,
        scalar: sum.filter(|_| has_scalar(operation) && usage != SUMS),
        vector: vector(usage, operation),
        row: row(usage, operation),
        registers: is_wide(usage, operation),
        cost: 100,
    }
}

pub(super) fn lines(usage: usize, operation: usize) -> &'static Lines<Infallible> {
    static ALL: LazyLock<Vec<Lines<Infallible>>> = LazyLock::new(|| {
        (0..USES).flat_map(|usage| Operation::ALL.map(|operation| written(usage, operation))).collect()
    });
    &ALL[usage * Operation::COUNT + operation]
}
