//! Names of variables in the formula of one element, each different from all others in it.
//!
//! Lowering gives every variable a name of its own, `i_7`; a formula shows the name by its author, and
//! numbers an inner variable whose name is taken, `i_2`.

use crate::graph::{Leaf, NodeId};
use crate::lower::form::Step;
use crate::lower::{Gather, Lowered, Variables, visit_free, visit_free_inside};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Expr, Ident};

/// The passed-through Rust of an element, as a formula shows it.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The shown name of each variable.
    names: BTreeMap<String, Ident>,
    coefficients: BTreeMap<usize, Expr>,
    gathers: BTreeMap<usize, Vec<Expr>>,
}

impl Shown {
    /// The expressions that `nodes` read under the loops and choices of `path`.
    pub(crate) fn new(lowered: &Lowered, path: &[Step], nodes: &[NodeId]) -> Self {
        let mut shown = Self::default();
        let expanded = lowered.variables.expanded_under(path);
        for leaf in lowered.graph.leaves(nodes) {
            match leaf {
                Leaf::Coefficient(id) | Leaf::End(id) => {
                    let expression = expanded(&lowered.coefficients[id]);
                    shown.coefficients.insert(id, expression);
                }
                Leaf::Position { gather, .. }
                | Leaf::Velocity { gather, .. }
                | Leaf::Direction { gather, .. } => {
                    let Gather { indices, .. } = &lowered.gathers[gather];
                    shown.gathers.insert(gather, indices.iter().map(&expanded).collect());
                }
                _ => {}
            }
        }
        shown.name(&lowered.variables, path);
        shown
    }

    /// Names the variables that `path` binds, the outermost first, and then the others.
    fn name(&mut self, variables: &Variables, path: &[Step]) {
        let expressions = || self.coefficients.values().chain(self.gathers.values().flatten());
        let mut taken = BTreeSet::new();
        // The names that closures in passed-through Rust bind around a variable: these would capture it.
        let mut around: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut all: Vec<Ident> = path.iter().flat_map(Step::bound).collect();
        for expression in expressions() {
            visit_free_inside(&mut expression.clone(), &mut |name, bound| {
                around.entry(name.to_string()).or_default().extend(bound.iter().map(ToString::to_string));
                all.push(name.clone());
            });
        }
        for name in all {
            let key = name.to_string();
            if self.names.contains_key(&key) {
                continue;
            }
            let own = variables.name_as_written(&name).clone();
            let (mut shown, mut number) = (own.clone(), 1);
            let captured = |shown: &str| around.get(&key).is_some_and(|around| around.contains(shown));
            while captured(&shown.to_string()) || !taken.insert(shown.to_string()) {
                number += 1;
                shown = Ident::new(&format!("{own}_{number}").replace("r#", ""), own.span());
            }
            self.names.insert(key, shown);
        }
        let names = &self.names;
        for expression in self.coefficients.values_mut().chain(self.gathers.values_mut().flatten()) {
            visit_free(expression, &mut |name| {
                if let Some(shown) = names.get(&name.to_string()) {
                    *name = shown.clone();
                }
            });
        }
    }

    /// The expression of a coefficient.
    pub(crate) fn coefficient(&self, id: usize) -> Option<&Expr> {
        self.coefficients.get(&id)
    }

    /// The indices of an entry.
    pub(crate) fn indices(&self, gather: usize) -> &[Expr] {
        self.gathers.get(&gather).map_or(&[], Vec::as_slice)
    }
}
