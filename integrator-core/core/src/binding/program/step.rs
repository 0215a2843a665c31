//! The steps of a program, and the machine that carries them out.

use super::block::{Columns, Inputs};
use crate::lanes::Real;
use crate::lanes::form::NumberForm;
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

/// A number from N others. A closure would be compiled without the registers of the processor.
pub(in crate::binding) trait Formula<const N: usize>: Copy {
    /// Its value.
    fn of<T: Real>(self, numbers: [T; N]) -> T;
}

/// Formulas as types: a name, constants, numbers, and the value.
macro_rules! formulas {
    ($($Name:ident $(($constant:ident))? [$($number:ident),+] $count:literal = $value:expr;)+) => {
        $(
            #[derive(Clone, Copy)]
            struct $Name $((formulas!(f64 $constant)))?;

            impl Formula<$count> for $Name {
                #[inline(always)]
                fn of<T: Real>(self, [$($number),+]: [T; $count]) -> T {
                    $(let Self($constant) = self;)?
                    $value
                }
            }
        )+
    };
    (f64 $constant:ident) => { f64 };
}

formulas! {
    Add [a, b] 2 = a + b;
    Subtract [a, b] 2 = a - b;
    Offset(value) [a] 1 = a + value;
    Negate [a] 1 = -a;
    Multiply [a, b] 2 = a * b;
    Scale(value) [a] 1 = a * value;
    MultiplyAdd [a, b, c] 3 = a.multiply_add(b, c);
    Reciprocal [a] 1 = a.recip();
    Root [a] 1 = a.sqrt();
    InverseRoot [a] 1 = a.recip_sqrt();
    Power [a, b] 2 = a.powf(b);
    Atan2 [a, b] 2 = a.atan2(b);
    Below [gap, yes, no] 3 = T::select(gap.lt(gap.number(0.0)), yes, no);
    NotAbove [gap, yes, no] 3 = T::select(gap.le(gap.number(0.0)), yes, no);
    Sin [a] 1 = a.sin();
    Cos [a] 1 = a.cos();
    Tan [a] 1 = a.tan();
    Asin [a] 1 = a.asin();
    Acos [a] 1 = a.acos();
    Atan [a] 1 = a.atan();
    Sinh [a] 1 = a.sinh();
    Cosh [a] 1 = a.cosh();
    Tanh [a] 1 = a.tanh();
    Asinh [a] 1 = a.asinh();
    Acosh [a] 1 = a.acosh();
    Atanh [a] 1 = a.atanh();
    Exp [a] 1 = a.exp();
    ExpM1 [a] 1 = a.exp_m1();
    Ln [a] 1 = a.ln();
    Ln1p [a] 1 = a.ln_1p();
    Cbrt [a] 1 = a.cbrt();
    Erf [a] 1 = a.erf();
    Erfc [a] 1 = a.erfc();
    Gaussian [a] 1 = a.gaussian();
    Round [a] 1 = a.round_ties_even();
}

impl<L: NumberForm, I: Inputs<L>> Columns<'_, L, I> {
    /// Carries out steps.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, steps: &[Step]) {
        for step in steps {
            match *step {
                Step::Constant { to, value } => self.constant(to, value),
                Step::Read { to, port, k } => self.read(to, port, k as usize),
                Step::Add { to, a, b } => self.compute(to, [a, b], Add),
                Step::Subtract { to, a, b } => self.compute(to, [a, b], Subtract),
                Step::Offset { to, a, value } => self.compute(to, [a], Offset(value)),
                Step::Negate { to, a } => self.compute(to, [a], Negate),
                Step::Multiply { to, a, b } => self.compute(to, [a, b], Multiply),
                Step::Scale { to, a, value } => self.compute(to, [a], Scale(value)),
                Step::MultiplyAdd { to, a, b, c } => self.compute(to, [a, b, c], MultiplyAdd),
                Step::Reciprocal { to, a } => self.compute(to, [a], Reciprocal),
                Step::Root { to, a } => self.compute(to, [a], Root),
                Step::InverseRoot { to, a } => self.compute(to, [a], InverseRoot),
                Step::Function { to, function, a } => self.apply(function, to, a),
                Step::Power { to, a, b } => self.compute(to, [a, b], Power),
                Step::Atan2 { to, a, b } => self.compute(to, [a, b], Atan2),
                Step::Below { to, gap, yes, no } => self.compute(to, [gap, yes, no], Below),
                Step::NotAbove { to, gap, yes, no } => self.compute(to, [gap, yes, no], NotAbove),
            }
        }
    }

    /// Applies an elementary function.
    #[inline(always)]
    fn apply(&mut self, function: Function, to: Register, a: Register) {
        match function {
            Function::Sin => self.compute(to, [a], Sin),
            Function::Cos => self.compute(to, [a], Cos),
            Function::Tan => self.compute(to, [a], Tan),
            Function::Asin => self.compute(to, [a], Asin),
            Function::Acos => self.compute(to, [a], Acos),
            Function::Atan => self.compute(to, [a], Atan),
            Function::Sinh => self.compute(to, [a], Sinh),
            Function::Cosh => self.compute(to, [a], Cosh),
            Function::Tanh => self.compute(to, [a], Tanh),
            Function::Asinh => self.compute(to, [a], Asinh),
            Function::Acosh => self.compute(to, [a], Acosh),
            Function::Atanh => self.compute(to, [a], Atanh),
            Function::Exp => self.compute(to, [a], Exp),
            Function::ExpM1 => self.compute(to, [a], ExpM1),
            Function::Ln => self.compute(to, [a], Ln),
            Function::Ln1p => self.compute(to, [a], Ln1p),
            Function::Cbrt => self.compute(to, [a], Cbrt),
            Function::Erf => self.compute(to, [a], Erf),
            Function::Erfc => self.compute(to, [a], Erfc),
            Function::Gaussian => self.compute(to, [a], Gaussian),
            Function::Round => self.compute(to, [a], Round),
        }
    }
}
