//! Sorts the reads and coefficients of an element in range by its ends.

use super::{Group, coefficient, dependent, has_let, operation};
use crate::functions::FunctionTable;
use crate::graph::{Function, Leaf, NodeId};
use crate::lower::form::Step;
use crate::lower::{Gather, LetValues, Lowered, names, signed_integer};
use crate::zero::Prover;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{BinOp, Expr, Ident, UnOp};

/// The names, gathers and coefficients of each end.
pub(super) struct Ends {
    /// The names that depend on each end.
    names: [BTreeSet<String>; 2],
    /// The number of each end as an expression.
    numbers: [Expr; 2],
    /// The first outer step that leads to single points.
    pub(super) visits: usize,
    /// True if all of a first end is a function of its number.
    of_numbers: bool,
    /// The values of `let`s, without names over which a stage loops.
    values: LetValues,
    /// The end to which each coefficient of an end belongs.
    pub(super) coefficients: BTreeMap<usize, usize>,
    /// The end to which each gather belongs.
    pub(super) gathers: BTreeMap<usize, usize>,
    /// The coefficients of a pair.
    pub(super) pairs: BTreeSet<usize>,
    /// The expressions that tell the ends apart in the coefficients of a pair.
    pub(super) keys: [Vec<Expr>; 2],
}

/// The end or the ends on which an expression depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Neither,
    One(usize),
    Both,
}

impl Ends {
    pub(super) fn new(lowered: &Lowered, group: &Group) -> Option<Self> {
        let Group { near, outer, row, .. } = group;
        let dependent = |seed: BTreeSet<String>| dependent(lowered, seed);
        let text = |name: Ident| name.to_string();
        let second = names_in(&near.ends[1]);
        let mentions = |names: &BTreeSet<String>| {
            near.list.expressions().any(|of| names::any_free(of, |name| names.contains(&name.to_string())))
        };
        let mut visits = outer.len();
        let mut first = names_in(&near.ends[0]);
        if near.of_one {
            while visits > 0 {
                let bound: BTreeSet<String> = outer[visits - 1].bound().into_iter().map(text).collect();
                if mentions(&dependent(bound.clone())) {
                    break;
                }
                visits -= 1;
            }
            first = outer[visits..].iter().flat_map(Step::bound).map(text).collect();
        }
        let own = names_in(&near.ends[0]);
        let of_numbers = is_name(&near.ends[0]) && first.iter().all(|name| own.contains(name));
        let names = [dependent(first), dependent(second)];
        // The points of two arrays are found by the names of their ends.
        if near.of_one && !near.list.is_of_one_array() && !is_name(&near.ends[0]) {
            return None;
        }
        // The list must be known before its ends.
        if mentions(&names[0]) && near.of_one {
            return None;
        }
        Some(Self {
            names,
            numbers: near.ends.clone(),
            visits,
            of_numbers,
            values: lowered.variables.values_but(row.as_ref().map_or(&[], |row| &row.items)),
            coefficients: BTreeMap::new(),
            gathers: BTreeMap::new(),
            pairs: BTreeSet::new(),
            keys: [Vec::new(), Vec::new()],
        })
    }

    /// An expression with the values of plain `let`s, as coefficients are written.
    pub(super) fn put_in(&self, lowered: &Lowered, expression: &Expr) -> Expr {
        self.values.put_in(&lowered.variables, expression)
    }

    fn source(&self, expression: &Expr) -> Source {
        let of = |end: usize| names::any_free(expression, |name| self.names[end].contains(&name.to_string()));
        match (of(0), of(1)) {
            (false, false) => Source::Neither,
            (true, false) => Source::One(0),
            (false, true) => Source::One(1),
            (true, true) => Source::Both,
        }
    }

    /// The expression with coefficients by source; notes the gathers; `None` for a read of no end.
    pub(super) fn sorted(
        &mut self,
        lowered: &mut Lowered,
        node: NodeId,
        separation: usize,
    ) -> Option<NodeId> {
        let mut images: BTreeMap<usize, NodeId> = BTreeMap::new();
        for leaf in lowered.graph.leaves(&[node]) {
            match leaf {
                Leaf::Coefficient(id) if !self.pairs.contains(&id) => {
                    let expression = self.values.put_in(&lowered.variables, &lowered.coefficients[id]);
                    images.insert(id, self.source_of(lowered, &expression)?);
                }
                Leaf::Position { gather, .. } | Leaf::Velocity { gather, .. } if gather != separation => {
                    let indices = lowered.gathers[gather].indices.clone();
                    let sources: Vec<Source> = indices
                        .iter()
                        .map(|index| self.source(&self.values.put_in(&lowered.variables, index)))
                        .filter(|source| *source != Source::Neither)
                        .collect();
                    match sources[..] {
                        [] => return None,
                        [Source::One(end), ref rest @ ..]
                            if rest.iter().all(|source| *source == Source::One(end)) =>
                        {
                            self.gathers.insert(gather, end);
                        }
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
        Some(lowered.graph.substitute(node, &|_, leaf| match leaf {
            Leaf::Coefficient(id) => images.get(&id).copied(),
            _ => None,
        }))
    }

    /// A coefficient by its source; the arithmetic of both ends becomes operations of the graph.
    pub(super) fn source_of(&mut self, lowered: &mut Lowered, expression: &Expr) -> Option<NodeId> {
        match self.source(expression) {
            Source::Neither => {
                let id = coefficient(lowered, expression);
                return Some(lowered.graph.leaf(Leaf::Coefficient(id)));
            }
            Source::One(end) => {
                let id = coefficient(lowered, expression);
                self.coefficients.insert(id, end);
                return Some(lowered.graph.leaf(Leaf::End(id)));
            }
            Source::Both => {}
        }
        match expression {
            Expr::Paren(inner) => return self.source_of(lowered, &inner.expr),
            Expr::Group(inner) => return self.source_of(lowered, &inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = self.source_of(lowered, &unary.expr)?;
                return Some(lowered.graph.negate(inner));
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Mul(_)) => {
                return self.product_of(lowered, &factors(expression));
            }
            Expr::Binary(binary) => {
                if let Some(operation) = operation(&binary.op) {
                    let left = self.number(lowered, &binary.left)?;
                    let right = self.number(lowered, &binary.right)?;
                    return Some(operation(&mut lowered.graph, left, right));
                }
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let power = call.args.first().and_then(signed_integer).filter(|power| power.abs() <= 8);
                let halves = match (name.as_str(), call.args.len(), power) {
                    ("sqrt", 0, _) => Some(1),
                    ("recip", 0, _) => Some(-2),
                    ("powi", 1, Some(power)) => Some(2 * power),
                    _ => None,
                };
                if let Some(halves) = halves {
                    let base = self.source_of(lowered, &call.receiver)?;
                    return Some(lowered.graph.power(base, halves));
                }
                if let (Some(function), true) = (Function::of_name(&name), call.args.is_empty()) {
                    let argument = self.source_of(lowered, &call.receiver)?;
                    return Some(lowered.graph.function(function, argument));
                }
            }
            _ => {}
        }
        // A table needs the ends by their numbers alone.
        if !self.of_numbers {
            return None;
        }
        if !self.keys_of(expression) {
            for (keys, number) in self.keys.iter_mut().zip(&self.numbers) {
                add(keys, number);
            }
        }
        let id = coefficient(lowered, expression);
        self.pairs.insert(id);
        Some(lowered.graph.leaf(Leaf::Coefficient(id)))
    }

    /// The product of factors, with one coefficient for all factors of a source: a factor that all pairs
    /// share stands beside both ends, and does not tell them apart.
    fn product_of(&mut self, lowered: &mut Lowered, factors: &[&Expr]) -> Option<NodeId> {
        let mut alone: Vec<(Source, Expr)> = Vec::new();
        let mut product = lowered.graph.constant(1.0);
        for factor in factors {
            let source = self.source(factor);
            let is_number = matches!(factor, Expr::Lit(_));
            if source == Source::Both || is_number {
                let factor = self.number(lowered, factor)?;
                product = lowered.graph.multiply(product, factor);
                continue;
            }
            match alone.iter_mut().find(|(known, _)| *known == source) {
                Some((_, all)) => *all = syn::parse_quote!(#all * #factor),
                None => alone.push((source, Expr::clone(factor))),
            }
        }
        for (_, factor) in &alone {
            let factor = self.source_of(lowered, factor)?;
            product = lowered.graph.multiply(product, factor);
        }
        Some(product)
    }

    /// An operand of arithmetic: a literal is a number.
    fn number(&mut self, lowered: &mut Lowered, expression: &Expr) -> Option<NodeId> {
        if let Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) = expression
            && let Ok(value) = number.base10_parse()
        {
            return Some(lowered.graph.constant(value));
        }
        self.source_of(lowered, expression)
    }

    /// Notes the largest parts of an expression that depend on one end; false if there may be others.
    fn keys_of(&mut self, expression: &Expr) -> bool {
        match self.source(expression) {
            Source::Neither => return true,
            Source::One(end) => {
                add(&mut self.keys[end], expression);
                return true;
            }
            Source::Both => {}
        }
        let mut all = |parts: &[&Expr]| parts.iter().all(|part| self.keys_of(part));
        match crate::parse::lent(expression) {
            Expr::Unary(inner) => all(&[&inner.expr]),
            Expr::Cast(inner) => all(&[&inner.expr]),
            Expr::Field(field) => self.keys_of_table(&field.base),
            Expr::Index(index) => self.keys_of_table(&index.expr) && self.keys_of(&index.index),
            Expr::Binary(binary) => all(&[&binary.left, &binary.right]),
            Expr::MethodCall(call) => {
                let parts: Vec<&Expr> = std::iter::once(&*call.receiver).chain(&call.args).collect();
                all(&parts)
            }
            Expr::Call(call) => all(&call.args.iter().collect::<Vec<_>>()),
            Expr::Tuple(tuple) => all(&tuple.elems.iter().collect::<Vec<_>>()),
            Expr::Array(array) => all(&array.elems.iter().collect::<Vec<_>>()),
            Expr::If(branch) => {
                let blocks = [&branch.then_branch].into_iter().map(|block| Expr::Block(of_block(block)));
                let others = branch.else_branch.iter().map(|(_, other)| (**other).clone());
                let branches: Vec<Expr> = blocks.chain(others).collect();
                branches.iter().all(|branch| self.source(branch) == Source::Neither)
                    && !has_let(&branch.cond)
                    && self.keys_of(&branch.cond)
            }
            Expr::Match(choice) => {
                choice.arms.iter().all(|arm| {
                    self.source(&arm.body) == Source::Neither && !matches!(arm.pat, syn::Pat::Guard(_))
                }) && self.keys_of(&choice.expr)
            }
            _ => false,
        }
    }

    /// [`Self::keys_of`] a table: in `epsilon[kind[i]][kind[j]]` the key is `kind[i]`, not its row.
    fn keys_of_table(&mut self, table: &Expr) -> bool {
        match crate::parse::lent(table) {
            Expr::Index(index) => self.keys_of_table(&index.expr) && self.keys_of(&index.index),
            Expr::Field(field) => self.keys_of_table(&field.base),
            other => self.keys_of(other),
        }
    }

    /// True if exchanging the ends does not change the element.
    pub(super) fn is_exchangeable(&self, lowered: &mut Lowered, node: NodeId, separation: usize) -> bool {
        if !self.of_numbers || !is_name(&self.numbers[1]) {
            return false;
        }
        let [i, j] = &self.numbers;
        let (i, j) = (names_in(i), names_in(j));
        let (Some(i), Some(j)) = (i.first().cloned(), j.first().cloned()) else { return false };
        // Names calculated from an end whose values cannot be put in.
        let is_other = |expression: &Expr| {
            names::any_free(expression, |name| {
                let name = name.to_string();
                name != i && name != j && self.names.iter().any(|names| names.contains(&name))
            })
        };
        let exchanged = |expression: &Expr| {
            let mut image = expression.clone();
            names::visit_free(&mut image, &mut |name| {
                let other = if *name == i {
                    &j
                } else if *name == j {
                    &i
                } else {
                    return;
                };
                *name = Ident::new(other, name.span());
            });
            image
        };
        let mut images: BTreeMap<Leaf, NodeId> = BTreeMap::new();
        for leaf in lowered.graph.leaves(&[node]) {
            let image = match leaf {
                Leaf::Position { gather, .. } if gather == separation => {
                    let own = lowered.graph.leaf(leaf);
                    lowered.graph.negate(own)
                }
                Leaf::Position { gather, component } | Leaf::Velocity { gather, component } => {
                    let Gather { source, indices } = lowered.gathers[gather].clone();
                    let put_in = |index: &Expr| self.values.put_in(&lowered.variables, index);
                    let indices: Vec<Expr> = indices.iter().map(put_in).collect();
                    if indices.iter().any(is_other) {
                        return false;
                    }
                    let wanted = indices.iter().map(|index| exchanged(index).to_token_stream().to_string());
                    let wanted: Vec<String> = wanted.collect();
                    let same = |known: &Gather| {
                        let texts =
                            known.indices.iter().map(|index| put_in(index).to_token_stream().to_string());
                        known.source == source && texts.eq(wanted.iter().cloned())
                    };
                    let Some(gather) = lowered.gathers.iter().position(same) else { return false };
                    let image = match leaf {
                        Leaf::Velocity { .. } => Leaf::Velocity { gather, component },
                        _ => Leaf::Position { gather, component },
                    };
                    lowered.graph.leaf(image)
                }
                Leaf::End(id) => {
                    let expression = lowered.coefficients[id].clone();
                    if is_other(&expression) {
                        return false;
                    }
                    let id = coefficient(lowered, &exchanged(&expression));
                    lowered.graph.leaf(Leaf::End(id))
                }
                _ => continue,
            };
            images.insert(leaf, image);
        }
        let image = lowered.graph.substitute(node, &|_, leaf| images.get(&leaf).copied());
        if image == node {
            return true;
        }
        let mut own = lowered.graph.clone();
        let difference = own.subtract(node, image);
        Prover::default().is_zero(&mut own, difference)
    }
}

fn of_block(block: &syn::Block) -> syn::ExprBlock {
    syn::ExprBlock { attrs: Vec::new(), label: None, block: block.clone() }
}

fn add(keys: &mut Vec<Expr>, key: &Expr) {
    if !keys.contains(key) {
        keys.push(key.clone());
    }
}

/// The factors of a product, from the left.
fn factors(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::Paren(syn::ExprParen { expr: inner, .. }) | Expr::Group(syn::ExprGroup { expr: inner, .. }) => {
            let all = factors(inner);
            if all.len() > 1 { all } else { vec![expression] }
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::Mul(_)) => {
            let mut all = factors(&binary.left);
            all.extend(factors(&binary.right));
            all
        }
        other => vec![other],
    }
}

fn is_name(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.get_ident().is_some())
}

/// The free names of an expression.
fn names_in(expression: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    names::visit_free(&mut expression.clone(), &mut |name| {
        if name != "self" {
            found.insert(name.to_string());
        }
    });
    found
}
