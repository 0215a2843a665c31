//! The terms of a function of positions.

use super::family::Family;
use super::kernel::Arguments;
use super::near::family::NearFamily;
use super::near::sweep::Weights;
use super::signals::Now;

/// The terms of V or of its stiff part: families, and sums over near pairs.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) families: &'a [Family],
    pub(super) near: &'a [NearFamily],
}

impl Terms<'_> {
    /// The value.
    pub(super) fn value(self, x: &[f64], now: &Now<'_>) -> f64 {
        let far =
            sum(self.families, |family| family.sweep(&family.kernel.value, Arguments::of(x, now), None));
        self.near.iter().fold(far, |sum, family| sum + family.value(x, now))
    }

    /// The derivative by time.
    pub(super) fn rate(self, x: &[f64], now: &Now<'_>) -> f64 {
        let far = sum(self.families, |family| family.sweep(&family.kernel.rate, Arguments::of(x, now), None));
        self.near.iter().fold(far, |sum, family| sum + family.rate(x, now))
    }

    /// Adds the gradient.
    pub(super) fn add_gradient(self, x: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
        add_gradients(self.families, x, now, gradient);
        self.near.iter().for_each(|family| family.add_gradient(x, now, Weights::Ones, gradient));
    }

    /// Adds the Hessian times a.
    pub(super) fn add_product(self, x: &[f64], now: &Now<'_>, a: &[f64], product: &mut [f64]) {
        self.families.iter().for_each(|family| add_product(family, x, now, a, product));
        self.near.iter().for_each(|family| family.add_product(x, now, (Weights::Ones, a), product));
    }

    /// Adds the third derivative contracted twice with a.
    pub(super) fn add_third(self, x: &[f64], now: &Now<'_>, a: &[f64], contraction: &mut [f64]) {
        for family in self.families {
            if let Some(third) =
                family.kernel.position.as_ref().and_then(|operations| operations.third.as_ref())
            {
                let arguments = Arguments { a, ..Arguments::of(x, now).adding_to(contraction) };
                family.sweep(third, arguments, None);
            }
        }
        self.near.iter().for_each(|family| family.add_third(x, now, (Weights::Ones, a), contraction));
    }

    /// Shows the entries of the Hessian.
    pub(super) fn visit_hessian(self, visit: &mut dyn FnMut(usize, usize)) {
        self.families.iter().for_each(|family| family.visit_hessian(visit));
        self.near.iter().for_each(|family| family.visit_hessian(visit));
    }
}

/// The terms of a function that read sums: only of these are there derivatives by sums.
#[derive(Debug)]
pub(super) struct Readers {
    families: Vec<bool>,
    near: Vec<bool>,
}

impl Readers {
    /// Those among these terms, where sums stand behind so many numbers.
    pub(super) fn of(Terms { families, near }: Terms<'_>, base: usize) -> Self {
        let families = families.iter().map(|family| family.reads_behind(base)).collect();
        Self { families, near: near.iter().map(|family| family.reads_behind(base)).collect() }
    }

    fn families<'t>(&'t self, terms: Terms<'t>) -> impl Iterator<Item = &'t Family> {
        terms.families.iter().zip(&self.families).filter_map(|(family, reads)| reads.then_some(family))
    }

    fn near<'t>(&'t self, terms: Terms<'t>) -> impl Iterator<Item = &'t NearFamily> {
        terms.near.iter().zip(&self.near).filter_map(|(family, reads)| reads.then_some(family))
    }

    /// Adds their gradient.
    pub(super) fn add_gradient(&self, terms: Terms<'_>, x: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
        self.families(terms).for_each(|family| add_gradient(family, x, now, gradient));
        self.near(terms).for_each(|family| family.add_gradient(x, now, Weights::Ones, gradient));
    }

    /// Adds their Hessian times a.
    pub(super) fn add_product(
        &self,
        terms: Terms<'_>,
        x: &[f64],
        now: &Now<'_>,
        a: &[f64],
        product: &mut [f64],
    ) {
        self.families(terms).for_each(|family| add_product(family, x, now, a, product));
        self.near(terms).for_each(|family| family.add_product(x, now, (Weights::Ones, a), product));
    }
}

/// The sum of what families yield.
pub(super) fn sum(families: &[Family], of: impl Fn(&Family) -> f64) -> f64 {
    families.iter().map(of).sum()
}

/// Adds the gradients of families.
pub(super) fn add_gradients(families: &[Family], x: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
    families.iter().for_each(|family| add_gradient(family, x, now, gradient));
}

fn add_gradient(family: &Family, x: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
    family.sweep(&family.kernel.gradient, Arguments::of(x, now).adding_to(gradient), None);
}

fn add_product(family: &Family, x: &[f64], now: &Now<'_>, a: &[f64], product: &mut [f64]) {
    if let Some(operations) = family.kernel.position.as_ref().filter(|_| !family.kernel.entries.is_empty()) {
        let arguments = Arguments { a, ..Arguments::of(x, now).adding_to(product) };
        family.sweep(&operations.product, arguments, None);
    }
}
