//! The sums that functions read.
//!
//! A sum Σᵢ = Σ φᵢ(q, v, t, earlier sums) is written by a name, and so is the force Λᵢ on it: with the sums as coordinates beside q, L and
//! the constraints have the equations d/dt ∂L/∂Σ̇ − ∂L/∂Σ = λ ∂g/∂Σ − Λ of them, where Λ is the multiplier of Σ = Σ φ, and the equations of q get
//! the forces Λ ∂φ/∂q of it, of sums of velocities also those −d/dt (Λ ∂φ/∂v). The rate of a sum is a dot over its name, and so is that
//! of a force on a sum.

use super::math::Math;
use crate::graph::{Graph, Leaf, NodeId};
use crate::lower::form::{Loop, Step};
use crate::lower::{Gather, Lowered, Scan, Source, Stage, as_author};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;
use syn::{Expr, Ident, Pat, RangeLimits};

/// The reads of entries and of sums, the names of sums, and how their rows are told apart.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// The reads of the declaration, and those of sums where it reads their rates alone.
    pub(super) gathers: Vec<Gather>,
    /// The name of each stage, as a superscript.
    names: Vec<String>,
    /// The positions of loops whose rounds are told by their number, and not by their items.
    numbered: BTreeSet<String>,
}

impl Sums {
    /// Those of a declaration.
    pub(super) fn of(lowered: &Lowered) -> Self {
        let mut sums = Self { gathers: lowered.gathers.clone(), ..Self::default() };
        let own = |stage: &Stage| Some(stage.name.as_ref()?.unraw().to_string());
        let (mut number_of, mut alike) = (BTreeMap::new(), BTreeMap::new());
        // Rates have the name of what they are rates of.
        for stage in lowered.stages.iter().filter(|stage| stage.rate_of.is_none()) {
            *alike.entry(own(stage)).or_insert(0) += 1;
        }
        for stage in &lowered.stages {
            let name = own(stage);
            let number = number_of.entry(name.clone()).or_insert(0);
            *number += usize::from(stage.rate_of.is_none());
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

    /// The symbol of a row of a stage, or of what belongs to it.
    pub(super) fn symbol(&self, letter: &str, accent: &str, stage: usize, indices: &[String]) -> Math {
        let letter = if accent.is_empty() { letter.to_owned() } else { format!("{accent}{{{letter}}}") };
        let subscript =
            if indices.is_empty() { String::new() } else { format!("_{{{}}}", indices.join(", ")) };
        Math::atom(format!("{letter}^{{{}}}{subscript}", self.names[stage]))
    }

    /// True if the rounds of a loop are told by their number.
    pub(super) fn is_numbered(&self, repeat: &Loop) -> bool {
        repeat.position.as_ref().is_some_and(|position| self.numbered.contains(&position.to_string()))
    }

    /// An expression in which the rate of a sum is the velocity of that sum, and a sum of velocities a position.
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
            _ => None,
        })
    }

    /// The read of a row of a stage.
    fn gather(&mut self, stage: usize, indices: Vec<Expr>) -> usize {
        let alike = |known: &Gather| {
            known.source == Source::Stage(stage)
                && known.indices.iter().map(text).eq(indices.iter().map(text))
        };
        self.gathers.iter().position(alike).unwrap_or_else(|| {
            self.gathers.push(Gather { source: Source::Stage(stage), indices });
            self.gathers.len() - 1
        })
    }

    /// The stages that expressions read.
    pub(super) fn read_by(&self, graph: &Graph, nodes: impl Iterator<Item = NodeId>) -> BTreeSet<usize> {
        let nodes: Vec<NodeId> = nodes.collect();
        let read = |leaf| match leaf {
            Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } => {
                match self.gathers[gather].source {
                    Source::Stage(stage) => Some(stage),
                    Source::Declared(_) => None,
                }
            }
            _ => None,
        };
        graph.leaves(&nodes).into_iter().filter_map(read).collect()
    }

    /// Finds the loops whose rounds are told by their number: those over items of which a row is read by an index, and those that bind
    /// other parts of the items than what they are read with.
    pub(super) fn number(&mut self, stages: &BTreeSet<usize>, lowered: &Lowered, loops: &[&Loop]) {
        let shapes: BTreeMap<String, Option<String>> = loops
            .iter()
            .filter_map(|repeat| Some((repeat.position.as_ref()?.to_string(), shape(&repeat.pattern))))
            .collect();
        let mut links: Vec<(String, String)> = Vec::new();
        for gather in &self.gathers {
            let Source::Stage(stage) = gather.source else { continue };
            if !stages.contains(&stage) {
                continue;
            }
            for (key, index) in lowered.stages[stage].keys.iter().zip(&gather.indices) {
                let (key, index) = (text(key), text(index));
                let Some(own) = shapes.get(&key) else {
                    // A row that is counted, and read by the round of other items.
                    self.numbered.extend(shapes.contains_key(&index).then_some(index));
                    continue;
                };
                match shapes.get(&index) {
                    Some(other) if own.is_some() && own == other => links.push((key, index)),
                    Some(_) => self.numbered.extend([key, index]),
                    None => drop(self.numbered.insert(key)),
                }
            }
        }
        let mut before = usize::MAX;
        while before != self.numbered.len() {
            before = self.numbered.len();
            for (a, b) in &links {
                if self.numbered.contains(a) || self.numbered.contains(b) {
                    self.numbered.extend([a.clone(), b.clone()]);
                }
            }
        }
    }
}

fn text(expression: &Expr) -> String {
    expression.to_token_stream().to_string()
}

/// A pattern without its names; none where it leaves out parts of an item.
fn shape(pattern: &Pat) -> Option<String> {
    let parts = |parts: &syn::punctuated::Punctuated<Pat, syn::Token![,]>| {
        Some(parts.iter().map(shape).collect::<Option<Vec<String>>>()?.join(","))
    };
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some("·".to_owned()),
        Pat::Tuple(tuple) => Some(format!("({})", parts(&tuple.elems)?)),
        Pat::Slice(slice) => Some(format!("[{}]", parts(&slice.elems)?)),
        Pat::Reference(inner) => shape(&inner.pat),
        Pat::Paren(inner) => shape(&inner.pat),
        Pat::Type(inner) => shape(&inner.pat),
        _ => None,
    }
}

/// The names that a pattern binds, each with the places of the part of the item that it is; none where that cannot be said so.
pub(super) fn parts_of(pattern: &Pat) -> Option<Vec<(Ident, Vec<usize>)>> {
    let inside = |parts: &syn::punctuated::Punctuated<Pat, syn::Token![,]>| {
        let mut all = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let inner = parts_of(part)?;
            all.extend(inner.into_iter().map(|(name, path)| (name, [vec![place], path].concat())));
        }
        Some(all)
    };
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(vec![(name.ident.clone(), Vec::new())]),
        Pat::Wild(_) => Some(Vec::new()),
        Pat::Tuple(tuple) => inside(&tuple.elems),
        Pat::Slice(slice) => inside(&slice.elems),
        Pat::Reference(inner) => parts_of(&inner.pat),
        Pat::Paren(inner) => parts_of(&inner.pat),
        Pat::Type(inner) => parts_of(&inner.pat),
        _ => None,
    }
}

/// The end of a range of partial sums that moves: the last item of those from the first on, the first of those up to the last.
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
    let Step::Loop(repeat) = step else { return None };
    let Pat::Ident(name) = &repeat.pattern else { return None };
    Some((name.ident.to_string(), repeat.only_item()?))
}
