//! Polynomials with integer coefficients: whether one divides another is a question with an exact answer.

use std::collections::BTreeMap;

/// The most variables: four vectors in space.
pub(crate) const VARIABLES: usize = 12;

/// Polynomials of more terms are given up: those of a dihedral angle have hundreds.
pub const TERMS: usize = 1000;

/// So are products that take more multiplications.
const PRODUCTS: usize = 100_000;

/// The power of each variable. The order of arrays is that of a dictionary: it is kept by multiplication.
type Monomial = [u8; VARIABLES];

/// Σ coefficient · monomial, without coefficients that are zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Polynomial(pub BTreeMap<Monomial, i64>);

impl Polynomial {
    /// A number.
    pub fn constant(value: i64) -> Self {
        let mut all = Self::default();
        if value != 0 {
            all.0.insert([0; VARIABLES], value);
        }
        all
    }

    /// The variable of a number.
    pub fn variable(number: usize) -> Self {
        let mut monomial = [0; VARIABLES];
        monomial[number] = 1;
        Self(BTreeMap::from([(monomial, 1)]))
    }

    /// True for zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((monomial, value)) => (self.0.len() == 1 && *monomial == [0; VARIABLES]).then_some(*value),
        }
    }

    /// self + factor · other.
    pub fn plus(mut self, factor: i64, other: &Self) -> Option<Self> {
        for (monomial, value) in &other.0 {
            self.add(*monomial, factor.checked_mul(*value)?)?;
        }
        (self.0.len() <= TERMS).then_some(self)
    }

    /// The product; `None` where it is too much.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if self.0.len() * other.0.len() > PRODUCTS {
            return None;
        }
        let mut product = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                product.add(merged(left, right)?, a.checked_mul(*b)?)?;
            }
        }
        (product.0.len() <= TERMS).then_some(product)
    }

    /// The derivative by a variable.
    pub fn derivative(&self, variable: usize) -> Option<Self> {
        let mut derivative = Self::default();
        for (monomial, value) in &self.0 {
            let mut lower = *monomial;
            if let Some(power) = lower[variable].checked_sub(1) {
                lower[variable] = power;
                derivative.add(lower, value.checked_mul(i64::from(monomial[variable]))?)?;
            }
        }
        Some(derivative)
    }

    /// self / divisor, if nothing remains.
    pub fn divided(&self, divisor: &Self) -> Option<Self> {
        let (leading, by) = divisor.0.last_key_value()?;
        let (mut rest, mut quotient) = (self.clone(), Self::default());
        while let Some((highest, value)) = rest.0.last_key_value() {
            if value % by != 0 {
                return None;
            }
            let mut monomial = *highest;
            for (power, lower) in monomial.iter_mut().zip(leading) {
                *power = power.checked_sub(*lower)?;
            }
            let factor = value / by;
            for (other, value) in &divisor.0 {
                rest.add(merged(&monomial, other)?, factor.checked_mul(*value)?.checked_neg()?)?;
            }
            quotient.0.insert(monomial, factor);
            if quotient.0.len() * divisor.0.len() > PRODUCTS || rest.0.len() > TERMS {
                return None;
            }
        }
        Some(quotient)
    }

    /// The value at a point, modulo 2⁶⁴.
    pub fn at(&self, point: &[u64; VARIABLES]) -> u64 {
        let term = |(monomial, value): (&Monomial, &i64)| {
            let powers = point.iter().zip(monomial).map(|(x, power)| x.wrapping_pow(u32::from(*power)));
            powers.fold(value.cast_unsigned(), u64::wrapping_mul)
        };
        self.0.iter().map(term).fold(0, u64::wrapping_add)
    }

    fn add(&mut self, monomial: Monomial, value: i64) -> Option<()> {
        let entry = self.0.entry(monomial).or_default();
        *entry = entry.checked_add(value)?;
        if *entry == 0 {
            self.0.remove(&monomial);
        }
        Some(())
    }
}

fn merged(left: &Monomial, right: &Monomial) -> Option<Monomial> {
    let mut all = *left;
    for (power, more) in all.iter_mut().zip(right) {
        *power = power.checked_add(*more)?;
    }
    Some(all)
}
