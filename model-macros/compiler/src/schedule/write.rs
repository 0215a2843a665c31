//! Items → operations.

use super::item::{Factor, Id, Item, Items, Term};
use super::pairs;
use super::program::{Instruction, Price, Program, Source, Value};
use crate::graph::{ARGUMENTS, Words};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The program of some items, after pairs have been shared.
pub(super) fn write(mut items: Items) -> Program {
    pairs::share(&mut items);
    let uses = items.uses();
    let mut powers: BTreeMap<Id, BTreeSet<i32>> = BTreeMap::new();
    for (id, item) in items.all.iter().enumerate() {
        if let Item::Product(factors) = item
            && uses[id] > 0
        {
            for &(base, halves) in factors {
                powers.entry(base).or_default().insert(halves);
            }
        }
    }
    let mut writer = Writer {
        items: &items,
        uses,
        powers,
        program: Program::default(),
        ready: Vec::new(),
        known: Words::default(),
        written: Vec::new(),
        values: vec![None; items.all.len()],
        built: BTreeMap::new(),
    };
    let outputs: Vec<Value> = items.roots.iter().map(|root| writer.scaled(*root)).collect();
    writer.program.outputs = outputs;
    writer.program
}

struct Writer<'a> {
    items: &'a Items,
    uses: Vec<u32>,
    /// The powers of each item that are needed.
    powers: BTreeMap<Id, BTreeSet<i32>>,
    program: Program,
    /// About when each value is known, if nothing but its operands is waited for.
    ready: Vec<u32>,
    /// The operations as words, and the value of each.
    known: Words,
    written: Vec<Value>,
    /// The value of each item that has been written.
    values: Vec<Option<Value>>,
    built: BTreeMap<(Id, i32), Value>,
}

impl Writer<'_> {
    /// An operation, done once.
    fn push(&mut self, operation: Instruction) -> Value {
        let value = self.program.operations.len();
        if let Some((sort, a, b, c, number)) = key(operation) {
            let known = self.known.number(&[u64::from(sort), a as u64, b as u64, c as u64, number]);
            if let Some(known) = self.written.get(known) {
                return *known;
            }
            self.written.push(value);
        }
        let operands = operation.operands();
        let fixed = match operation {
            Instruction::Read(Source::Leaf(_)) => false,
            _ => operands.iter().all(|operand| self.program.fixed[*operand]),
        };
        let ready = operands.iter().map(|operand| self.ready[*operand]).max().unwrap_or(0);
        self.ready.push(ready + if fixed { 0 } else { operation.latency() });
        self.program.operations.push(operation);
        self.program.fixed.push(fixed);
        if !fixed {
            self.program.cost += operation.cost();
        }
        value
    }

    fn scaled(&mut self, (factor, item): Term) -> Value {
        if let Item::Number(value) = self.items.all[item] {
            return self.push(Instruction::Number(factor * value));
        }
        let positive = if factor.abs() == 1.0 {
            self.value(item)
        } else if let Some((coefficient, rest)) = self.adjustable(item) {
            let coefficient = self.value(coefficient);
            let number = self.push(Instruction::Scale(coefficient, factor.abs()));
            let rest = self.product(&rest);
            self.push(Instruction::Multiply(number, rest))
        } else {
            let value = self.value(item);
            self.push(Instruction::Scale(value, factor.abs()))
        };
        if factor < 0.0 { self.push(Instruction::Negate(positive)) } else { positive }
    }

    /// The coefficient of a product that is used once, and the other factors: a number may go into the
    /// coefficient.
    fn adjustable(&self, item: Id) -> Option<(Id, Vec<Factor>)> {
        let Item::Product(factors) = &self.items.all[item] else { return None };
        let place = factors.iter().position(|&(base, halves)| {
            halves == 2 && matches!(self.items.all[base], Item::Coefficient(_))
        })?;
        if self.uses[item] > 1 || self.values[item].is_some() || factors.len() < 2 {
            return None;
        }
        let rest = factors.iter().enumerate().filter(|(k, _)| *k != place).map(|(_, factor)| *factor);
        Some((factors[place].0, rest.collect()))
    }

    fn value(&mut self, id: Id) -> Value {
        if let Some(known) = self.values[id] {
            return known;
        }
        let items = self.items;
        let value = match &items.all[id] {
            Item::Number(value) => self.push(Instruction::Number(*value)),
            Item::Read(leaf) => self.push(Instruction::Read(Source::Leaf(*leaf))),
            Item::Coefficient(node) => self.push(Instruction::Read(Source::Coefficient(*node))),
            Item::Sum(constant, terms) => self.sum(*constant, terms),
            Item::Product(factors) => self.product(factors),
            Item::Function(function, argument) => {
                let argument = self.value(*argument);
                self.push(Instruction::Function(*function, argument))
            }
            Item::Power(base, exponent) => {
                let (base, exponent) = (self.value(*base), self.value(*exponent));
                self.push(Instruction::Power(base, exponent))
            }
            Item::Atan2(y, x) => {
                let (y, x) = (self.value(*y), self.value(*x));
                self.push(Instruction::Atan2(y, x))
            }
            Item::Select(strict, parts) => {
                let [gap, yes, no] = parts.map(|part| self.value(part));
                self.push(Instruction::Select { gap, strict: *strict, yes, no })
            }
            Item::Call(function, parts) => {
                let mut arguments = [0; ARGUMENTS];
                for (argument, part) in arguments.iter_mut().zip(parts) {
                    *argument = self.value(*part);
                }
                self.push(Instruction::Call(*function, arguments, parts.len()))
            }
        };
        self.values[id] = Some(value);
        value
    }

    /// constant + Σ number · item, from left to right.
    fn sum(&mut self, constant: f64, terms: &[Term]) -> Value {
        if let [term] = terms
            && constant == 0.0
        {
            return self.scaled(*term);
        }
        // A positive term that is no product of its own comes first: the others are added to it.
        let lead = terms
            .iter()
            .position(|term| term.0 > 0.0 && self.halves(*term).is_none())
            .or_else(|| if constant == 0.0 { terms.iter().position(|term| term.0 > 0.0) } else { None });
        let (mut total, rest): (Option<Value>, Vec<Term>) = match lead {
            Some(lead) => {
                let first = self.scaled(terms[lead]);
                let rest = terms.iter().enumerate().filter(|(k, _)| *k != lead).map(|(_, term)| *term);
                (Some(first), rest.collect())
            }
            None => (None, terms.to_vec()),
        };
        let mut offset = constant;
        if total.is_none() && constant != 0.0 {
            total = Some(self.push(Instruction::Number(constant)));
            offset = 0.0;
        }
        for term in rest {
            total = Some(match total {
                None => self.scaled(term),
                Some(total) => self.added(total, term),
            });
        }
        let total = total.unwrap_or_else(|| self.push(Instruction::Number(0.0)));
        if offset == 0.0 { total } else { self.push(Instruction::Offset(total, offset)) }
    }

    /// total + number · item.
    fn added(&mut self, total: Value, term: Term) -> Value {
        if let Some((left, right)) = self.halves(term) {
            let (left, right) = (self.product(&left), self.product(&right));
            let left =
                if term.0.abs() == 1.0 { left } else { self.push(Instruction::Scale(left, term.0.abs())) };
            let left = if term.0 < 0.0 { self.push(Instruction::Negate(left)) } else { left };
            return self.push(Instruction::MultiplyAdd(left, right, total));
        }
        if let (true, Instruction::Number(number), false) =
            (term.0.abs() == 1.0, self.program.operations[total], self.is_number(term.1))
        {
            let value = self.value(term.1);
            let value = if term.0 < 0.0 { self.push(Instruction::Negate(value)) } else { value };
            return self.push(Instruction::Offset(value, number));
        }
        let mut value = self.value(term.1);
        if term.0.abs() != 1.0 {
            if !self.program.fixed[value] {
                let number = self.push(Instruction::Number(term.0));
                return self.push(Instruction::MultiplyAdd(value, number, total));
            }
            value = self.push(Instruction::Scale(value, term.0.abs()));
        }
        self.push(if term.0 > 0.0 {
            Instruction::Add(total, value)
        } else {
            Instruction::Subtract(total, value)
        })
    }

    fn is_number(&self, item: Id) -> bool {
        matches!(self.items.all[item], Item::Number(_))
    }

    /// A product that is used here only, in two parts; a number goes to a coefficient.
    fn halves(&self, (_, item): Term) -> Option<(Vec<Factor>, Vec<Factor>)> {
        let Item::Product(factors) = &self.items.all[item] else { return None };
        if self.uses[item] > 1 || self.values[item].is_some() {
            return None;
        }
        match factors[..] {
            [(base, 4)] => Some((vec![(base, 2)], vec![(base, 2)])),
            [_] => None,
            _ => {
                // A coefficient stands alone, so that a number before it costs nothing.
                let place = factors
                    .iter()
                    .position(|(base, _)| matches!(self.items.all[*base], Item::Coefficient(_)))
                    .unwrap_or(0);
                let rest = factors.iter().enumerate().filter(|(k, _)| *k != place).map(|(_, factor)| *factor);
                Some((vec![factors[place]], rest.collect()))
            }
        }
    }

    fn product(&mut self, factors: &[Factor]) -> Value {
        let mut powers = self.powers_of(factors);
        // The latest value is multiplied last, so that only the last product waits for it.
        while powers.len() > 1 {
            powers.sort_by_key(|value| Reverse(self.ready[*value]));
            if let (Some(first), Some(second)) = (powers.pop(), powers.pop()) {
                powers.push(self.push(Instruction::Multiply(first, second)));
            }
        }
        powers.pop().unwrap_or_else(|| self.push(Instruction::Number(1.0)))
    }

    /// The factors of a product; a product in it that is used nowhere else adds its own factors.
    fn powers_of(&mut self, factors: &[Factor]) -> Vec<Value> {
        let items = self.items;
        let mut powers = Vec::new();
        for &(base, halves) in factors {
            match &items.all[base] {
                Item::Product(inner)
                    if halves == 2 && self.uses[base] == 1 && self.values[base].is_none() =>
                {
                    powers.extend(self.powers_of(inner));
                }
                _ => powers.push(self.power(base, halves)),
            }
        }
        powers
    }

    /// base^(halves / 2) from the powers of that base that are there.
    fn power(&mut self, base: Id, halves: i32) -> Value {
        debug_assert!(halves != 0, "a factor that is one has no place in a product");
        if halves == 2 {
            return self.value(base);
        }
        if let Some(&known) = self.built.get(&(base, halves)) {
            return known;
        }
        let needed = self.powers.get(&base);
        let odd = needed.is_some_and(|all| all.iter().any(|power| *power < 0 && power % 2 != 0));
        let value = match halves {
            1 => {
                let value = self.value(base);
                self.push(Instruction::Root(value))
            }
            -1 if needed.is_some_and(|all| all.iter().any(|power| *power > 0 && power % 2 != 0)) => {
                let root = self.power(base, 1);
                self.push(Instruction::Reciprocal(root))
            }
            // Lanes find it without a root and without a division.
            -1 => {
                let value = self.value(base);
                self.push(Instruction::InverseRoot(value))
            }
            // Where an inverse root is needed, the reciprocal comes from it.
            -2 if odd => {
                let root = self.power(base, -1);
                self.push(Instruction::Multiply(root, root))
            }
            -2 => {
                let value = self.value(base);
                self.push(Instruction::Reciprocal(value))
            }
            _ => {
                let (left, right) = self.split(base, halves);
                let (left, right) = (self.power(base, left), self.power(base, right));
                self.push(Instruction::Multiply(left, right))
            }
        };
        self.built.insert((base, halves), value);
        value
    }

    /// Two powers that make up `halves`: if possible such as are needed anyway.
    fn split(&self, base: Id, halves: i32) -> (i32, i32) {
        let sign = halves.signum();
        let mut there: BTreeSet<i32> = self.powers.get(&base).cloned().unwrap_or_default();
        there.retain(|power| power.signum() == sign && power.abs() < halves.abs());
        there.insert(2 * sign);
        if halves % 2 != 0 {
            there.insert(sign);
        }
        let known = there.iter().copied().find(|power| there.contains(&(halves - power)));
        if let Some(power) = known {
            return (power, halves - power);
        }
        if halves % 2 != 0 {
            return (halves - sign, sign);
        }
        let half = halves / 4 * 2;
        (halves - half, half)
    }
}

/// The key that equal operations share; numbers and reads are told apart by their bits and places.
fn key(operation: Instruction) -> Option<(u8, Value, Value, Value, u64)> {
    Some(match operation {
        Instruction::Number(value) => (0, 0, 0, 0, value.to_bits()),
        // Each leaf and coefficient is one item already.
        Instruction::Read(_) => return None,
        Instruction::Add(a, b) => (1, a.min(b), a.max(b), 0, 0),
        Instruction::Subtract(a, b) => (2, a, b, 0, 0),
        Instruction::Offset(a, number) => (3, a, 0, 0, number.to_bits()),
        Instruction::Negate(a) => (4, a, 0, 0, 0),
        Instruction::Multiply(a, b) => (5, a.min(b), a.max(b), 0, 0),
        Instruction::Scale(a, number) => (6, a, 0, 0, number.to_bits()),
        Instruction::MultiplyAdd(a, b, c) => (7, a, b, c, 0),
        Instruction::Reciprocal(a) => (8, a, 0, 0, 0),
        Instruction::Root(a) => (9, a, 0, 0, 0),
        Instruction::InverseRoot(a) => (14, a, 0, 0, 0),
        Instruction::Function(function, a) => (10, a, function as usize, 0, 0),
        Instruction::Power(a, b) => (11, a, b, 0, 0),
        Instruction::Atan2(a, b) => (12, a, b, 0, 0),
        Instruction::Select { gap, strict, yes, no } => (13, gap, yes, no, u64::from(strict)),
        // Each call is one item already.
        Instruction::Call(..) => return None,
    })
}
