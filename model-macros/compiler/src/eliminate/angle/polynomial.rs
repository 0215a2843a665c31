//! Polynomials with integer coefficients: whether one divides another is a question with an exact answer.

use std::collections::BTreeMap;

/// The most variables: four vectors in space.
pub(super) const VARIABLES: usize = 12;

/// Polynomials of more terms are given up: those of a dihedral angle have hundreds.
const TERMS: usize = 1000;

/// So are products that take more multiplications.
const PRODUCTS: usize = 100_000;

/// The power of each variable. The order of arrays is that of a dictionary: it is kept by multiplication.
type Monomial = [u8; VARIABLES];

/// Σ coefficient · monomial, without coefficients that are zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, i64>);

impl Polynomial {
    pub(super) fn constant(value: i64) -> Self {
        let mut all = Self::default();
        if value != 0 {
            all.0.insert([0; VARIABLES], value);
        }
        all
    }

    pub(super) fn variable(number: usize) -> Self {
        let mut monomial = [0; VARIABLES];
        monomial[number] = 1;
        Self(BTreeMap::from([(monomial, 1)]))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number, if it is one.
    pub(super) fn as_constant(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((monomial, value)) => (self.0.len() == 1 && *monomial == [0; VARIABLES]).then_some(*value),
        }
    }

    /// self + factor · other.
    pub(super) fn plus(mut self, factor: i64, other: &Self) -> Option<Self> {
        for (monomial, value) in &other.0 {
            self.add(*monomial, factor.checked_mul(*value)?)?;
        }
        (self.0.len() <= TERMS).then_some(self)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
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
    pub(super) fn derivative(&self, variable: usize) -> Option<Self> {
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
    pub(super) fn divided(&self, divisor: &Self) -> Option<Self> {
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
    pub(super) fn at(&self, point: &[u64; VARIABLES]) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::Polynomial;

    fn sum(terms: &[(i64, &[usize])]) -> Polynomial {
        terms.iter().fold(Polynomial::default(), |sum, (factor, variables)| {
            let product = variables.iter().fold(Polynomial::constant(1), |product, variable| {
                product.times(&Polynomial::variable(*variable)).unwrap()
            });
            sum.plus(*factor, &product).unwrap()
        })
    }

    #[test]
    fn what_was_multiplied_divides() {
        // (x² + y z − 3)(2 x − z) by each of them.
        let a = sum(&[(1, &[0, 0]), (1, &[1, 2]), (-3, &[])]);
        let b = sum(&[(2, &[0]), (-1, &[2])]);
        let product = a.times(&b).unwrap();
        assert_eq!(product.divided(&a).unwrap(), b);
        assert_eq!(product.divided(&b).unwrap(), a);
        let more = product.plus(1, &Polynomial::constant(1)).unwrap();
        assert_eq!(more.divided(&a), None);
        assert_eq!(a.divided(&Polynomial::default()), None);
    }

    #[test]
    fn halves_are_no_integers() {
        let (x, two_x) = (sum(&[(1, &[0])]), sum(&[(2, &[0])]));
        assert_eq!(two_x.divided(&x).unwrap().as_constant(), Some(2));
        assert_eq!(x.divided(&two_x), None);
    }

    #[test]
    fn the_derivative_of_a_power_is_lower() {
        let cube = sum(&[(2, &[1, 1, 1]), (5, &[0])]);
        assert_eq!(cube.derivative(1).unwrap(), sum(&[(6, &[1, 1])]));
        assert!(cube.derivative(2).unwrap().is_zero());
    }

    #[test]
    fn too_much_is_given_up() {
        let large = Polynomial::constant(i64::MAX);
        assert_eq!(large.times(&sum(&[(2, &[0])])), None);
        let mut power = sum(&[(1, &[0]), (1, &[1]), (1, &[2]), (1, &[3]), (1, &[4])]);
        while let Some(square) = power.times(&power) {
            power = square;
        }
        assert!(power.0.len() <= super::TERMS);
    }
}
