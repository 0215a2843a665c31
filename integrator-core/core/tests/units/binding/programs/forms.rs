//! The kernels of written codes, compiled and as programs.

use super::written::{
    EQUATIONS, EXCHANGEABLE_PAIRS, EXCHANGEABLE_ROWS, FORCES, LONG, NUMBERS, PAIRS, ROWS, SHORT, SUMS,
    entries, inputs, is_wide, lines, row, sizes, vector,
};
use crate::binding::kernels::element;
use least_action_core::emitted::run_time::Program;
use least_action_core::emitted::v1::{
    Code, ElementFacts, Executable, Kernel, KernelHandle, NearFacts, NearKernel, Ports, Real, Role, Row,
    Sort, Source, Vector,
};
use least_action_kernel::{Code as Lines, Function, Instruction, Line, Operation, Port, Put};
use std::borrow::Cow::Owned;
use std::convert::Infallible;
use std::sync::Arc;

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

/// A sum over near pairs with an element of a use.
fn near(usage: usize, kernel: KernelHandle) -> NearKernel {
    let facts = NearFacts {
        roles: Owned(vec![Role::Separation, Role::First, Role::Second]),
        sources: Owned(vec![Source::First, Source::Second, Source::Pair, Source::Shared]),
        dimension: 3,
        sort: if usage < ROWS { Sort::Pairs } else { Sort::Rows },
        exchangeable: usage % 2 == 1,
        keys: ["i", "j"].map(|key| Owned(vec![key.into()])),
    };
    NearKernel { kernel, facts }
}

fn near_compiled<const USE: usize>() -> NearKernel {
    macro_rules! code {
        ($Operation:ident) => {
            Executable::near::<Written<USE, { Operation::$Operation as usize }>, 3, 5, 4, 0, 0>()
        };
    }
    let KernelHandle::Shared(kernel) = compiled::<USE, 3, 5, 4, 0>() else { unreachable!("it is shared") };
    let mut operations = kernel.operations.clone();
    for (to, operation) in operations.iter_mut().zip(Operation::ALL) {
        *to = match operation {
            Operation::Value => code!(Value),
            Operation::Rate => code!(Rate),
            Operation::Gradient => code!(Gradient),
            Operation::Product => code!(Product),
            Operation::Third => code!(Third),
            Operation::Quadratic => code!(Quadratic),
            Operation::Curvature => code!(Curvature),
            _ => continue,
        };
    }
    near(USE, KernelHandle::Shared(Arc::new(Kernel { facts: kernel.facts.clone(), operations })))
}

/// The sum over near pairs of a use, compiled and as programs.
pub(super) fn both_near(usage: usize) -> [NearKernel; 2] {
    let compiled = match usage {
        PAIRS => near_compiled::<PAIRS>(),
        EXCHANGEABLE_PAIRS => near_compiled::<EXCHANGEABLE_PAIRS>(),
        ROWS => near_compiled::<ROWS>(),
        _ => near_compiled::<EXCHANGEABLE_ROWS>(),
    };
    [compiled, near(usage, program(usage))]
}
