//! Expressions → a program of binary operations, each done once.
//!
//! Sums and products of the graph have any number of operands. The schedule splits them so that many
//! operations are shared: it takes out common factors of sums, computes repeated pairs of factors and
//! of terms once, builds powers of one base from each other, and fuses a product that is added once
//! into a multiply-add. An expression without coordinates is a coefficient: binding evaluates it once,
//! and it costs nothing. A number before results goes into the coefficients of their products, if that
//! saves operations.

mod factors;
mod item;
mod order;
mod pairs;
pub(crate) mod program;
mod write;

pub(crate) use program::{Instruction, Program, Source, Value};

use crate::graph::{Graph, NodeId};
use item::Items;

/// The most numbers that coefficients take over in a trial.
const UNITS: usize = 8;

/// Expressions that are ready to become a program.
pub struct Schedule {
    items: Items,
    /// About how many operations they take, before anything is shared but common subexpressions.
    pub estimate: u32,
}

impl Schedule {
    /// Reads `roots`; `definitions` are the expressions of the internal variables.
    ///
    /// With `hoist`, subexpressions that do not depend on coordinates become coefficients.
    pub fn of(graph: &mut Graph, definitions: &[NodeId], roots: &[NodeId], hoist: bool) -> Self {
        let mut read = |unit| {
            let items = Items::of(graph, definitions, roots, hoist, unit);
            let estimate = items.estimate();
            Self { items, estimate }
        };
        let plain = read(1.0);
        let units = plain.items.numbers().into_iter().take(UNITS);
        // The first of equals is the plain one.
        units.fold(plain, |best, unit| {
            Some(read(unit)).filter(|other| other.estimate < best.estimate).unwrap_or(best)
        })
    }

    /// The cheapest program found.
    pub fn program(self) -> Program {
        let plain = write::write(self.items.clone());
        let mut factored = self.items;
        if !factors::take_out(&mut factored) {
            return plain;
        }
        let factored = write::write(factored);
        // Factors that are taken out may hide pairs that are shared.
        if factored.cost < plain.cost { factored } else { plain }
    }
}
