//! Expressions → a program of binary operations, each done once.
//!
//! The graph's sums and products have any number of operands; here they are split so that as many operations as can be found
//! are shared: factors common to the terms of a sum are taken out, pairs of factors and pairs of terms that come up more than
//! once are computed once, powers of one base are built from each other, and a product that is added once becomes a fused
//! multiply-add. What does not depend on coordinates is a coefficient: it is evaluated once at binding and costs nothing; a
//! number before all results is multiplied into the coefficients that they are proportional to.

mod amplitude;
mod factors;
mod item;
pub(crate) mod operation;
mod order;
mod pairs;
mod write;

pub(crate) use operation::{Operation, Program, Value};

use crate::graph::{Graph, NodeId};
use item::Items;

/// Expressions that are ready to become a program.
pub struct Schedule {
    items: Items,
    /// About how many operations they take, before anything is shared but common subexpressions.
    pub estimate: u32,
}

impl Schedule {
    /// Reads `roots`; `definitions` are those of the internal variables.
    ///
    /// With `hoist`, subexpressions that do not depend on coordinates become coefficients.
    pub fn of(graph: &mut Graph, definitions: &[NodeId], roots: &[NodeId], hoist: bool) -> Self {
        let mut items = Items::of(graph, definitions, roots, hoist);
        amplitude::take_over(&mut items, graph);
        let estimate = items.estimate();
        Self { items, estimate }
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
