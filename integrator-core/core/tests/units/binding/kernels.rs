//! Kernels written by hand.

use least_action_core::advanced::describe::Smoothness;
use least_action_core::emitted::v1::{Borrowed, ElementFacts, HessianEntry};

/// The facts about an element that adds to no sum.
pub(super) const fn element(
    name: &'static str,
    slots: usize,
    inputs: &'static [(usize, usize)],
    coefficients: usize,
    entries: &'static [HessianEntry],
) -> ElementFacts {
    ElementFacts {
        name: Borrowed(name),
        reads: Borrowed(&[]),
        smoothness: Smoothness::Smooth,
        over_all_pairs: false,
        linear: false,
        costs: [40, 60, 100, 100],
        slots,
        inputs: Borrowed(inputs),
        coefficients,
        entries: Borrowed(entries),
        numbers: entries.len(),
        forms: Borrowed(&[]),
        sums: 0,
        reads_of_sums: Borrowed(&[]),
    }
}

/// The operations of a kernel; nobody asks for the others.
macro_rules! operations {
    ($Form:ident { $($Operation:ident: $operation:expr),+ $(,)? }) => {{
        const fn of(operation: Operation) -> $Form {
            match operation {
                $(Operation::$Operation => $operation,)+
                _ => $Form::LeftOut,
            }
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l, m] = Operation::ALL;
        [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h), of(i), of(j), of(k), of(l), of(m)]
    }};
}

pub(super) use operations;
