//! The rates of collectives along the motion.
//!
//! The rate of u = Σ φ(q, t) is Σ (∇φ · v + ∂φ/∂t): a stage of elements in (q, v, t).

use super::super::form::Form;
use super::super::{Gather, Lowering, Source};
use super::Stage;
use crate::differentiate::directional;
use crate::graph::{Leaf, NodeId};
use std::collections::{BTreeSet, HashMap};
use syn::Expr;

impl Lowering<'_> {
    /// The rate of a form of positions and the time; `None` after a mistake at `place`.
    pub(in crate::lower) fn rate_of(&mut self, form: &Form, place: &syn::ExprCall) -> Option<Form> {
        if !self.differentiates(form, place) {
            return None;
        }
        let mut of_collectives: HashMap<usize, NodeId> = HashMap::new();
        for term in form.terms(&self.graph) {
            for leaf in self.graph.leaves(&[term.node]) {
                if let Leaf::Position { gather, .. } = leaf
                    && let Gather { source: Source::Stage(stage), indices } = self.gathers[gather].clone()
                {
                    let rate = self.rate_of_collective((stage, indices), place)?;
                    of_collectives.insert(gather, rate);
                }
            }
        }
        let frequency = self.frequency;
        let at_rest: BTreeSet<usize> =
            (0..self.gathers.len()).filter(|gather| self.is_parameter(*gather)).collect();
        Some(form.linear(&mut self.graph, &|graph, node| {
            directional(graph, &[node], &|graph, leaf| match leaf {
                Leaf::Position { gather, .. } if at_rest.contains(&gather) => None,
                Leaf::Position { gather, component } => Some(match of_collectives.get(&gather) {
                    Some(rate) => *rate,
                    None => graph.leaf(Leaf::Velocity { gather, component }),
                }),
                Leaf::Time => Some(graph.constant(1.0)),
                Leaf::Phase => frequency,
                _ => None,
            })[0]
        }))
    }

    /// The rate of a collective, zero for a constant sum; `None` after a mistake.
    fn rate_of_collective(
        &mut self,
        (stage, indices): (usize, Vec<Expr>),
        place: &syn::ExprCall,
    ) -> Option<NodeId> {
        let rate = if let Some(known) = self.rates_of_stages.get(&stage) {
            *known
        } else {
            let of = self.stages[stage].clone();
            let form = self.rate_of(&of.form, place)?;
            let moves = !form.is_zero(&self.graph);
            let rate = moves.then(|| self.add_stage(Stage { form, rate_of: Some(stage), turn: None, ..of }));
            self.rates_of_stages.insert(stage, rate);
            rate
        };
        Some(match rate {
            Some(stage) => self.read_stage(stage, indices),
            None => self.graph.zero(),
        })
    }
}
