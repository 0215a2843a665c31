//! The terms of a function of positions.

use super::family::Family;
use super::kernel::Arguments;
use super::near::family::NearFamily;
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
        self.near.iter().for_each(|family| family.add_gradient(x, now, gradient));
    }

    /// Adds the Hessian times a.
    pub(super) fn add_product(self, x: &[f64], now: &Now<'_>, a: &[f64], product: &mut [f64]) {
        for family in self.families.iter().filter(|family| !family.kernel.entries.is_empty()) {
            if let Some(operations) = &family.kernel.position {
                let arguments = Arguments { a, ..Arguments::of(x, now).adding_to(product) };
                family.sweep(&operations.product, arguments, None);
            }
        }
        self.near.iter().for_each(|family| family.add_product(x, now, a, product));
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
        self.near.iter().for_each(|family| family.add_third(x, now, a, contraction));
    }

    /// Shows the entries of the Hessian.
    pub(super) fn visit_hessian(self, visit: &mut dyn FnMut(usize, usize)) {
        self.families.iter().for_each(|family| family.visit_hessian(visit));
        self.near.iter().for_each(|family| family.visit_hessian(visit));
    }
}

/// The sum of what families yield.
pub(super) fn sum(families: &[Family], of: impl Fn(&Family) -> f64) -> f64 {
    families.iter().map(of).sum()
}

/// Adds the gradients of families.
pub(super) fn add_gradients(families: &[Family], x: &[f64], now: &Now<'_>, gradient: &mut [f64]) {
    for family in families {
        family.sweep(&family.kernel.gradient, Arguments::of(x, now).adding_to(gradient), None);
    }
}
