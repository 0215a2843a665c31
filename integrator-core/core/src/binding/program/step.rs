//! The steps of a program, and the machine that carries them out.

use crate::lanes::Real;
use least_action_kernel::{Function, Instruction, Port, Value};

/// The number of a register.
pub(in crate::binding) type Register = u16;

/// One operation on registers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::binding) enum Step {
    Constant { to: Register, value: f64 },
    Read { to: Register, port: Source, k: u16 },
    Add { to: Register, a: Register, b: Register },
    Subtract { to: Register, a: Register, b: Register },
    Offset { to: Register, a: Register, value: f64 },
    Negate { to: Register, a: Register },
    Multiply { to: Register, a: Register, b: Register },
    Scale { to: Register, a: Register, value: f64 },
    MultiplyAdd { to: Register, a: Register, b: Register, c: Register },
    Reciprocal { to: Register, a: Register },
    Root { to: Register, a: Register },
    InverseRoot { to: Register, a: Register },
    Function { to: Register, function: Function, a: Register },
    Power { to: Register, a: Register, b: Register },
    Atan2 { to: Register, a: Register, b: Register },
    Below { to: Register, gap: Register, yes: Register, no: Register },
    NotAbove { to: Register, gap: Register, yes: Register, no: Register },
    Vector { from: Register, k: u16 },
    Sum { from: Register, k: u16 },
    Number { from: Register, k: u16 },
}

/// The source of a number that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::binding) enum Source {
    X,
    A,
    C,
    Time,
    Phase,
    Signal,
    Weight,
}

impl Source {
    fn of(port: Port) -> (Self, usize) {
        match port {
            Port::X(k) => (Self::X, k),
            Port::A(k) => (Self::A, k),
            Port::C(k) => (Self::C, k),
            Port::Time => (Self::Time, 0),
            Port::Phase => (Self::Phase, 0),
            Port::Signal(k) => (Self::Signal, k),
            Port::Weight(k) => (Self::Weight, k),
        }
    }
}

impl Step {
    /// The step of an instruction on values in these registers; `None` for a function of Rust.
    pub(in crate::binding) fn of<F: Copy>(
        to: Register,
        instruction: Instruction<Port, F>,
        registers: &[Register],
    ) -> Option<Self> {
        let at = |value: Value| registers[value];
        Some(match instruction {
            Instruction::Number(value) => Self::Constant { to, value },
            Instruction::Read(port) => {
                let (port, k) = Source::of(port);
                Self::Read { to, port, k: u16::try_from(k).ok()? }
            }
            Instruction::Add(a, b) => Self::Add { to, a: at(a), b: at(b) },
            Instruction::Subtract(a, b) => Self::Subtract { to, a: at(a), b: at(b) },
            Instruction::Offset(a, value) => Self::Offset { to, a: at(a), value },
            Instruction::Negate(a) => Self::Negate { to, a: at(a) },
            Instruction::Multiply(a, b) => Self::Multiply { to, a: at(a), b: at(b) },
            Instruction::Scale(a, value) => Self::Scale { to, a: at(a), value },
            Instruction::MultiplyAdd(a, b, c) => Self::MultiplyAdd { to, a: at(a), b: at(b), c: at(c) },
            Instruction::Reciprocal(a) => Self::Reciprocal { to, a: at(a) },
            Instruction::Root(a) => Self::Root { to, a: at(a) },
            Instruction::InverseRoot(a) => Self::InverseRoot { to, a: at(a) },
            Instruction::Function(function, a) => Self::Function { to, function, a: at(a) },
            Instruction::Power(a, b) => Self::Power { to, a: at(a), b: at(b) },
            Instruction::Atan2(a, b) => Self::Atan2 { to, a: at(a), b: at(b) },
            Instruction::Select { gap, strict, yes, no } => {
                let (gap, yes, no) = (at(gap), at(yes), at(no));
                if strict { Self::Below { to, gap, yes, no } } else { Self::NotAbove { to, gap, yes, no } }
            }
            Instruction::Call(..) => return None,
        })
    }
}

/// Registers of one number, or of a column of them, with the ports of elements.
pub(in crate::binding) trait Machine {
    type Number: Real;

    /// A number in all places of a register.
    fn constant(&mut self, to: Register, value: f64);
    /// Reads numbers.
    fn read(&mut self, to: Register, source: Source, k: usize);
    /// Computes a register from others.
    fn unary(&mut self, to: Register, a: Register, f: impl Fn(Self::Number) -> Self::Number);
    /// See [`Self::unary`].
    fn binary(
        &mut self,
        to: Register,
        of: [Register; 2],
        f: impl Fn(Self::Number, Self::Number) -> Self::Number,
    );
    /// See [`Self::unary`].
    fn ternary(
        &mut self,
        to: Register,
        of: [Register; 3],
        f: impl Fn(Self::Number, Self::Number, Self::Number) -> Self::Number,
    );
    /// Adds to the entry of an input in the vector.
    fn vector(&mut self, k: usize, from: Register);
    /// Adds to a sum.
    fn sum(&mut self, k: usize, from: Register);
    /// Keeps a number of the matrix.
    fn number(&mut self, k: usize, from: Register);
}

/// Carries out steps.
#[inline(always)]
pub(in crate::binding) fn execute<M: Machine>(steps: &[Step], machine: &mut M) {
    for step in steps {
        match *step {
            Step::Constant { to, value } => machine.constant(to, value),
            Step::Read { to, port, k } => machine.read(to, port, k as usize),
            Step::Add { to, a, b } => machine.binary(to, [a, b], |a, b| a + b),
            Step::Subtract { to, a, b } => machine.binary(to, [a, b], |a, b| a - b),
            Step::Offset { to, a, value } => machine.unary(to, a, |a| a + value),
            Step::Negate { to, a } => machine.unary(to, a, |a| -a),
            Step::Multiply { to, a, b } => machine.binary(to, [a, b], |a, b| a * b),
            Step::Scale { to, a, value } => machine.unary(to, a, |a| a * value),
            Step::MultiplyAdd { to, a, b, c } => {
                machine.ternary(to, [a, b, c], Real::multiply_add);
            }
            Step::Reciprocal { to, a } => machine.unary(to, a, Real::recip),
            Step::Root { to, a } => machine.unary(to, a, Real::sqrt),
            Step::InverseRoot { to, a } => machine.unary(to, a, Real::recip_sqrt),
            Step::Function { to, function, a } => apply(machine, function, to, a),
            Step::Power { to, a, b } => machine.binary(to, [a, b], Real::powf),
            Step::Atan2 { to, a, b } => machine.binary(to, [a, b], Real::atan2),
            Step::Below { to, gap, yes, no } => machine
                .ternary(to, [gap, yes, no], |gap, yes, no| Real::select(gap.lt(gap.number(0.0)), yes, no)),
            Step::NotAbove { to, gap, yes, no } => machine
                .ternary(to, [gap, yes, no], |gap, yes, no| Real::select(gap.le(gap.number(0.0)), yes, no)),
            Step::Vector { from, k } => machine.vector(k as usize, from),
            Step::Sum { from, k } => machine.sum(k as usize, from),
            Step::Number { from, k } => machine.number(k as usize, from),
        }
    }
}

/// Applies an elementary function.
#[inline(always)]
fn apply<M: Machine>(machine: &mut M, function: Function, to: Register, a: Register) {
    match function {
        Function::Sin => machine.unary(to, a, Real::sin),
        Function::Cos => machine.unary(to, a, Real::cos),
        Function::Tan => machine.unary(to, a, Real::tan),
        Function::Asin => machine.unary(to, a, Real::asin),
        Function::Acos => machine.unary(to, a, Real::acos),
        Function::Atan => machine.unary(to, a, Real::atan),
        Function::Sinh => machine.unary(to, a, Real::sinh),
        Function::Cosh => machine.unary(to, a, Real::cosh),
        Function::Tanh => machine.unary(to, a, Real::tanh),
        Function::Asinh => machine.unary(to, a, Real::asinh),
        Function::Acosh => machine.unary(to, a, Real::acosh),
        Function::Atanh => machine.unary(to, a, Real::atanh),
        Function::Exp => machine.unary(to, a, Real::exp),
        Function::ExpM1 => machine.unary(to, a, Real::exp_m1),
        Function::Ln => machine.unary(to, a, Real::ln),
        Function::Ln1p => machine.unary(to, a, Real::ln_1p),
        Function::Cbrt => machine.unary(to, a, Real::cbrt),
        Function::Erf => machine.unary(to, a, Real::erf),
        Function::Erfc => machine.unary(to, a, Real::erfc),
        Function::Gaussian => machine.unary(to, a, Real::gaussian),
        Function::Round => machine.unary(to, a, Real::round_ties_even),
    }
}
