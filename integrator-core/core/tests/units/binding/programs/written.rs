//! Codes that are written line by line, compiled and as programs.

use crate::binding::kernels::element;
use least_action_core::emitted::run_time::{NearKernelHandle, Program, ProgramEntries};
use least_action_core::emitted::v1::{
    Code, ElementFacts, Ends, Executable, HessianEntry, Kernel, KernelHandle, NearCode, NearFacts,
    NearKernel, NearOperation, Ports, Real, Role, Row, Sort, Source, Vector,
};
use least_action_kernel::{Code as Lines, Function, Instruction, Line, Operation, Port, Put, Results, Value};
use std::borrow::Cow::Owned;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

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
const fn sizes(usage: usize) -> (usize, usize) {
    if usage < PAIRS { (4, 3) } else { (5, 4) }
}

/// An element reads three components of its first slot, and one of each of the others.
const fn inputs<const X: usize>() -> [(usize, usize); X] {
    let mut all = [(0, 0); X];
    let mut k = 0;
    while k < X {
        all[k] = if k < 3 { (0, k) } else { (k - 2, 0) };
        k += 1;
    }
    all
}

const fn vector(usage: usize, operation: Operation) -> Vector {
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

const fn row(usage: usize, operation: Operation) -> Row {
    match (usage, operation) {
        (EQUATIONS | FORCES, _) if has_scalar(operation) => Row::Adds,
        (EQUATIONS, Operation::Gradient) => Row::None,
        (EQUATIONS, _) => Row::Weighs,
        _ => Row::None,
    }
}

/// Whether an operation of these elements has registers.
const fn is_wide(usage: usize, operation: Operation) -> bool {
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
const NUMBERS: usize = 7;

fn entries(usage: usize) -> Vec<HessianEntry> {
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

fn lines(usage: usize, operation: usize) -> &'static Lines<Infallible> {
    static ALL: LazyLock<Vec<Lines<Infallible>>> = LazyLock::new(|| {
        (0..USES).flat_map(|usage| Operation::ALL.map(|operation| written(usage, operation))).collect()
    });
    &ALL[usage * Operation::COUNT + operation]
}

/// The code of an operation in a use: its lines one after the other, in the loops of compiled code.
struct Written<const USE: usize, const OPERATION: usize>;

impl<const USE: usize, const OPERATION: usize, const G: usize, const X: usize, const C: usize, const R: usize>
    Code<G, X, C, R> for Written<USE, OPERATION>
{
    const INPUTS: [(usize, usize); X] = inputs();
    const READS_DIRECTION: bool = Operation::ALL[OPERATION].is_directed();
    const VECTOR: Vector = vector(USE, Operation::ALL[OPERATION]);
    const ROW: Row = row(USE, Operation::ALL[OPERATION]);

    fn run<T: Real>(ports: &mut impl Ports<T>) -> T {
        let code = lines(USE, OPERATION);
        let mut values = Vec::with_capacity(code.lines.len());
        for line in &code.lines {
            match line {
                Line::Compute(Instruction::Read(port)) => values.push(match *port {
                    Port::X(k) => ports.x(k),
                    Port::A(k) => ports.a(k),
                    Port::C(k) => ports.c(k),
                    Port::Time => ports.now().t,
                    Port::Phase => ports.now().theta,
                    Port::Signal(k) => ports.signal(k),
                    Port::Weight(k) => ports.weight(k),
                }),
                Line::Compute(instruction) => values.push(compute(*instruction, &values, ports.now().t)),
                Line::Put(value, Put::Vector(k)) => ports.vector(*k, values[*value]),
                Line::Put(value, Put::Sum(k)) => ports.sum(*k, values[*value]),
                Line::Put(value, Put::Number { number, plus, minus }) => {
                    ports.number(*number, values[*value]);
                    plus.iter().for_each(|entry| ports.plus(*entry, values[*value]));
                    minus.iter().for_each(|entry| ports.minus(*entry, values[*value]));
                }
            }
        }
        code.scalar.map_or(ports.now().t.number(0.0), |scalar| values[scalar])
    }
}

/// The value of an instruction: once for each kind of numbers, or rustc would take minutes.
#[inline(never)]
fn compute<T: Real>(instruction: Instruction<Port, Infallible>, values: &[T], any: T) -> T {
    match instruction {
        Instruction::Number(number) => any.number(number),
        Instruction::Add(a, b) => values[a] + values[b],
        Instruction::Subtract(a, b) => values[a] - values[b],
        Instruction::Offset(a, number) => values[a] + number,
        Instruction::Negate(a) => -values[a],
        Instruction::Multiply(a, b) => values[a] * values[b],
        Instruction::Scale(a, number) => values[a] * number,
        Instruction::MultiplyAdd(a, b, c) => values[a].multiply_add(values[b], values[c]),
        Instruction::Reciprocal(a) => values[a].recip(),
        Instruction::Root(a) => values[a].sqrt(),
        Instruction::InverseRoot(a) => values[a].recip_sqrt(),
        Instruction::Power(a, b) => values[a].powf(values[b]),
        Instruction::Atan2(a, b) => values[a].atan2(values[b]),
        Instruction::Select { gap, strict, yes, no } => {
            let (gap, zero) = (values[gap], any.number(0.0));
            T::select(if strict { gap.lt(zero) } else { gap.le(zero) }, values[yes], values[no])
        }
        Instruction::Function(function, a) => function_of(function, values[a]),
        Instruction::Read(_) => any.number(f64::NAN),
        Instruction::Call(never, ..) => match never {},
    }
}

#[inline(never)]
fn function_of<T: Real>(function: Function, a: T) -> T {
    match function {
        Function::Sin => a.sin(),
        Function::Cos => a.cos(),
        Function::Tan => a.tan(),
        Function::Asin => a.asin(),
        Function::Acos => a.acos(),
        Function::Atan => a.atan(),
        Function::Sinh => a.sinh(),
        Function::Cosh => a.cosh(),
        Function::Tanh => a.tanh(),
        Function::Asinh => a.asinh(),
        Function::Acosh => a.acosh(),
        Function::Atanh => a.atanh(),
        Function::Exp => a.exp(),
        Function::ExpM1 => a.exp_m1(),
        Function::Ln => a.ln(),
        Function::Ln1p => a.ln_1p(),
        Function::Cbrt => a.cbrt(),
        Function::Erf => a.erf(),
        Function::Erfc => a.erfc(),
        Function::Gaussian => a.gaussian(),
        Function::Round => a.round_ties_even(),
    }
}

fn facts(usage: usize) -> ElementFacts {
    let (x, c) = sizes(usage);
    let sums = if usage == SUMS { 2 } else { 0 };
    // The second sum is taken not to depend on some inputs.
    let reads = (0..sums).flat_map(|sum| (0..x).map(move |input| (sum, input)));
    ElementFacts {
        inputs: Owned(inputs::<5>()[..x].to_vec()),
        entries: Owned(entries(usage)),
        numbers: NUMBERS,
        sums,
        reads_of_sums: Owned(reads.filter(|(sum, input)| sum + input != 2).collect()),
        ..element("written", x - 2, &[], c, &[])
    }
}

fn compiled<const USE: usize, const G: usize, const X: usize, const C: usize, const R: usize>() -> KernelHandle
{
    macro_rules! code {
        ($form:ident $Operation:ident) => {
            Executable::$form::<Written<USE, { Operation::$Operation as usize }>, G, X, C, R>()
        };
        ($Operation:ident) => {
            if is_wide(USE, Operation::$Operation) { code!(wide $Operation) } else { code!(single $Operation) }
        };
    }
    let operations = Operation::ALL.map(|operation| match operation {
        Operation::Value => code!(Value),
        Operation::Gradient => code!(Gradient),
        Operation::Second => code!(Second),
        Operation::Rate => code!(single Rate),
        Operation::Product => code!(Product),
        Operation::Third => code!(Third),
        Operation::ValueGradient => code!(single ValueGradient),
        Operation::Quadratic => code!(Quadratic),
        Operation::Curvature => code!(single Curvature),
        Operation::Along => code!(Along),
        Operation::GradientRows => code!(rows Gradient),
        Operation::ThirdRate => code!(rates Third),
        Operation::QuadraticRate => code!(rates Quadratic),
    });
    KernelHandle::Shared(Arc::new(Kernel { facts: facts(USE), operations }))
}

fn code_of(usage: usize, operation: Operation) -> &'static Lines<Infallible> {
    lines(usage, operation.code_of().unwrap_or(operation) as usize)
}

fn program(usage: usize) -> KernelHandle {
    let facts = facts(usage);
    let operations = Operation::ALL.map(|operation| {
        let program = Program::new(operation, code_of(usage, operation), &facts);
        Executable::Program(Arc::new(program.expect("no functions of Rust")))
    });
    KernelHandle::Shared(Arc::new(Kernel { facts, operations }))
}

/// The element of a use, compiled and as programs.
pub(super) fn both(usage: usize) -> [KernelHandle; 2] {
    let compiled = match usage {
        SHORT => compiled::<SHORT, 2, 4, 3, 0>(),
        LONG => compiled::<LONG, 2, 4, 3, 0>(),
        SUMS => compiled::<SUMS, 2, 4, 3, 2>(),
        EQUATIONS => compiled::<EQUATIONS, 2, 4, 3, 0>(),
        _ => compiled::<FORCES, 2, 4, 3, 0>(),
    };
    [compiled, program(usage)]
}

const fn ends(usage: usize) -> Ends<3, 4> {
    Ends {
        roles: [Role::Separation, Role::First, Role::Second],
        sources: [Source::First, Source::Second, Source::Pair, Source::Shared],
        dimension: 3,
        sort: if usage < ROWS { Sort::Pairs } else { Sort::Rows },
        exchangeable: usage % 2 == 1,
    }
}

impl<const USE: usize, const OPERATION: usize> NearCode<3, 5, 4> for Written<USE, OPERATION> {
    const ENDS: Ends<3, 4> = ends(USE);
}

fn near_facts(usage: usize) -> NearFacts {
    let Ends { roles, sources, dimension, sort, exchangeable } = ends(usage);
    let (roles, sources, keys) = (Owned(roles.to_vec()), Owned(sources.to_vec()), ["i", "j"]);
    let keys = keys.map(|key| Owned(vec![key.into()]));
    NearFacts { roles, sources, dimension, sort, exchangeable, keys }
}

fn near_compiled<const USE: usize>() -> NearKernelHandle {
    macro_rules! code {
        ($form:ident $Operation:ident) => {
            NearOperation::$form::<Written<USE, { Operation::$Operation as usize }>, 3, 5, 4>()
        };
    }
    let operations = Operation::ALL.map(|operation| match operation {
        Operation::Value => code!(scalars Value),
        Operation::Rate => code!(scalars Rate),
        Operation::Gradient => code!(vectors Gradient),
        Operation::Product => code!(vectors Product),
        Operation::Third => code!(vectors Third),
        Operation::Along => code!(along Gradient),
        Operation::Quadratic => code!(scalars Quadratic),
        Operation::Curvature => code!(scalars Curvature),
        _ => NearOperation::LeftOut,
    });
    let kernel = NearKernel { kernel: compiled::<USE, 3, 5, 4, 0>(), facts: near_facts(USE), operations };
    NearKernelHandle::Shared(Arc::new(kernel))
}

fn near_program(usage: usize) -> NearKernelHandle {
    let (kernel, facts) = (program(usage), near_facts(usage));
    let operations = Operation::ALL.map(|operation| {
        if !ProgramEntries::has(operation) {
            return NearOperation::LeftOut;
        }
        let of = if operation == Operation::Along { Operation::Gradient } else { operation };
        let entries = ProgramEntries::new(operation, code_of(usage, of), &kernel.facts, &facts);
        NearOperation::Program(Arc::new(entries.expect("a use")))
    });
    NearKernelHandle::Shared(Arc::new(NearKernel { kernel, facts, operations }))
}

/// The sum over near pairs of a use, compiled and as programs.
pub(super) fn both_near(usage: usize) -> [NearKernelHandle; 2] {
    let compiled = match usage {
        PAIRS => near_compiled::<PAIRS>(),
        EXCHANGEABLE_PAIRS => near_compiled::<EXCHANGEABLE_PAIRS>(),
        ROWS => near_compiled::<ROWS>(),
        _ => near_compiled::<EXCHANGEABLE_ROWS>(),
    };
    [compiled, near_program(usage)]
}
