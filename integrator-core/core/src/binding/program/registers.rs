//! The machine that carries out steps: registers with a column of numbers each.

use super::formula::{
    Acos, Acosh, Add, Asin, Asinh, Atan, Atan2, Atanh, Below, Cbrt, Cos, Cosh, Erf, Erfc, Exp, ExpM1,
    Formula, Gaussian, InverseRoot, Ln, Ln1p, Multiply, MultiplyAdd, Negate, NotAbove, Offset, Power,
    Reciprocal, Root, Round, Scale, Sin, Sinh, Subtract, Tan, Tanh,
};
use super::step::{Register, Source, Step};
use crate::lanes::form::NumberForm;
use least_action_kernel::Function;

/// The numbers that a block reads.
pub(super) trait Inputs<L: NumberForm> {
    /// Writes the numbers of a source for the elements of the block.
    fn read(&self, source: Source, k: usize, to: &mut [L::Stored]);
}

/// Registers with a column of numbers each.
pub(super) struct Columns<'m, L: NumberForm, I> {
    pub(super) form: L,
    /// The length of a column.
    pub(super) count: usize,
    pub(super) registers: &'m mut [L::Stored],
    pub(super) inputs: I,
}

impl<L: NumberForm, I> Columns<'_, L, I> {
    /// The column of a register that is written, and the others.
    #[inline(always)]
    fn split(&mut self, to: Register) -> (&mut [L::Stored], Others<'_, L>) {
        let (count, to) = (self.count, to as usize);
        let (before, rest) = self.registers.split_at_mut(to * count);
        let (own, after) = rest.split_at_mut(count);
        (own, Others { before, after, to, count })
    }

    /// The column of a register.
    #[inline(always)]
    pub(super) fn column(&self, register: Register) -> &[L::Stored] {
        &self.registers[register as usize * self.count..][..self.count]
    }
}

/// All registers but one.
struct Others<'m, L: NumberForm> {
    before: &'m [L::Stored],
    after: &'m [L::Stored],
    to: usize,
    count: usize,
}

impl<'m, L: NumberForm> Others<'m, L> {
    #[inline(always)]
    fn get(&self, register: Register) -> &'m [L::Stored] {
        let register = register as usize;
        if register < self.to {
            &self.before[register * self.count..][..self.count]
        } else {
            &self.after[(register - self.to - 1) * self.count..][..self.count]
        }
    }
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

    /// A number in all places of a register.
    #[inline(always)]
    fn constant(&mut self, to: Register, value: f64) {
        let number = self.form.stored(self.form.splat(value));
        self.split(to).0.fill(number);
    }

    /// Reads numbers.
    #[inline(always)]
    fn read(&mut self, to: Register, source: Source, k: usize) {
        let to = to as usize * self.count;
        self.inputs.read(source, k, &mut self.registers[to..to + self.count]);
    }

    /// Computes a register from others.
    #[inline(always)]
    fn compute<const N: usize>(&mut self, to: Register, of: [Register; N], formula: impl Formula<N>) {
        let form = self.form;
        if self.count == 1 {
            let mut numbers = [form.splat(0.0); N];
            for (number, register) in numbers.iter_mut().zip(of) {
                *number = form.number(self.registers[register as usize]);
            }
            self.registers[to as usize] = form.stored(formula.of(numbers));
            return;
        }
        let (to, others) = self.split(to);
        let mut columns = [&[][..]; N];
        for (column, register) in columns.iter_mut().zip(of) {
            *column = &others.get(register)[..to.len()];
        }
        for (place, to) in to.iter_mut().enumerate() {
            let mut numbers = [form.splat(0.0); N];
            for (number, column) in numbers.iter_mut().zip(columns) {
                *number = form.number(column[place]);
            }
            *to = form.stored(formula.of(numbers));
        }
    }
}
