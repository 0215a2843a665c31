//! The sums that functions read.

use super::math::Math;
use crate::graph::{Graph, Leaf, NodeId};
use crate::lower::form::Step;
use crate::lower::{Gather, Lowered, Scan, Source, Stage, as_author};
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;
use syn::{Expr, Pat, RangeLimits};

/// The reads of entries and of sums, the names of sums, and how their rows are told apart.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// The reads of the declaration, and reads of sums of which it reads the rates alone.
    pub(super) gathers: Vec<Gather>,
    /// The name of each stage, as a superscript.
    names: Vec<String>,
}

impl Sums {
    /// The sums of a declaration.
    pub(super) fn of(lowered: &Lowered) -> Self {
        let mut sums = Self { gathers: lowered.gathers.clone(), ..Self::default() };
        let own = |stage: &Stage| Some(stage.name.as_ref()?.unraw().to_string());
        let (mut number_of, mut alike) = (BTreeMap::new(), BTreeMap::new());
        // Rates have the names of their sums.
        for stage in lowered.stages.iter().filter(|stage| stage.rate_of.is_none() && stage.turn.is_none()) {
            *alike.entry(own(stage)).or_insert(0) += 1;
        }
        for stage in &lowered.stages {
            let name = own(stage);
            let number = number_of.entry(name.clone()).or_insert(0);
            *number += usize::from(stage.rate_of.is_none() && stage.turn.is_none());
            let upright = name.as_ref().map(|name| format!(r"\mathrm{{{}}}", name.replace('_', r"\_")));
            sums.names.push(match upright {
                None => format!("({number})"),
                Some(upright) if alike.get(&name).is_some_and(|count| *count > 1) => {
                    format!("{upright}, {number}")
                }
                Some(upright) => upright,
            });
        }
        sums
    }

    /// The symbol of a row of a stage, or of the force on it.
    pub(super) fn symbol(&self, letter: &str, accent: &str, stage: usize, indices: &[String]) -> Math {
        let letter = if accent.is_empty() { letter.to_owned() } else { format!("{accent}{{{letter}}}") };
        let subscript =
            if indices.is_empty() { String::new() } else { format!("_{{{}}}", indices.join(", ")) };
        Math::atom(format!("{letter}^{{{}}}{subscript}", self.names[stage]))
    }

    /// The expression with the rate of a sum as the velocity of the sum, and a sum of velocities as a
    /// position.
    pub(super) fn canonical(&mut self, graph: &mut Graph, lowered: &Lowered, node: NodeId) -> NodeId {
        let mut images: BTreeMap<usize, Leaf> = BTreeMap::new();
        for leaf in graph.leaves(&[node]) {
            let Leaf::Velocity { gather, component } = leaf else { continue };
            let Gather { source: Source::Stage(stage), indices } = self.gathers[gather].clone() else {
                continue;
            };
            let image = match lowered.stages[stage].rate_of {
                Some(of) => Leaf::Velocity { gather: self.gather(of, indices), component },
                None => Leaf::Position { gather, component },
            };
            images.insert(gather, image);
        }
        let phase = lowered.phase.as_ref().map(|phase| phase.in_time);
        graph.substitute(node, &|graph, leaf| match leaf {
            Leaf::Velocity { gather, .. } => images.get(&gather).map(|image| graph.leaf(*image)),
            Leaf::Phase => phase,
            _ => lowered.angle(leaf),
        })
    }

    /// The read of a row of a stage.
    fn gather(&mut self, stage: usize, indices: Vec<Expr>) -> usize {
        let alike = |known: &Gather| {
            known.source == Source::Stage(stage)
                && known.indices.iter().map(crate::parse::text).eq(indices.iter().map(crate::parse::text))
        };
        self.gathers.iter().position(alike).unwrap_or_else(|| {
            self.gathers.push(Gather { source: Source::Stage(stage), indices });
            self.gathers.len() - 1
        })
    }

    /// The stages that expressions read.
    pub(super) fn read_by(&self, graph: &Graph, nodes: impl Iterator<Item = NodeId>) -> BTreeSet<usize> {
        let nodes: Vec<NodeId> = nodes.collect();
        let read = |leaf: Leaf| self.gathers[leaf.gather()?].stage();
        graph.leaves(&nodes).into_iter().filter_map(read).collect()
    }
}

/// The moving end of a range of partial sums: the last item of sums from the first on, the first item
/// of sums up to the last.
pub(super) fn moving(scan: &Scan, range: &syn::ExprRange) -> Expr {
    let end = if scan.backwards { &range.start } else { &range.end };
    let Some(end) = end.as_deref() else { return Expr::Range(range.clone()) };
    let is_last = scan.backwards || matches!(range.limits, RangeLimits::Closed(_));
    let mut end = if is_last { end.clone() } else { syn::parse_quote!((#end) - 1) };
    as_author(&mut end);
    end
}

/// The sign before the item at which partial sums end.
pub(super) fn sign(scan: &Scan) -> &'static str {
    if scan.backwards { r"\ge" } else { r"\le" }
}

/// The value of `once(value)`, the iterator of one item, with the name of the item.
pub(super) fn once(step: &Step) -> Option<(String, &Expr)> {
    let repeat = step.repeat()?;
    let Pat::Ident(name) = &repeat.pattern else { return None };
    Some((name.ident.to_string(), repeat.only_item()?))
}
