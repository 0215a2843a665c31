//! The steps of a program.

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
