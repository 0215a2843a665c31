//! Polynomials in combined variables, as edges and determinants.
//!
//! An elastic body is declared by the gradient F = D_s G of its deformation: the columns of D_s are
//! edges, and G is constant. But det F = det G det D_s, and the derivatives of det D_s are cofactors,
//! where the derivatives of det F take all products of F with G; and tr Fᵀ F = Σ (G Gᵀ)_bc e_b · e_c
//! has constant second derivatives. The compiler finds such polynomials by multiplying out and
//! collecting coefficients. Binding computes the coefficients once for each element. An expression that
//! also needs F elsewhere stays unchanged.

use super::cuts::is_difference;
use crate::graph::{Graph, Images, Node, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// The most coefficients of a polynomial: a quadratic form of three vectors has six.
const MOST: usize = 6;

/// Polynomials of more terms are left as they are.
const TERMS: usize = 200;

/// Powers of higher degree are left as they are.
const DEGREE: usize = 4;

/// A product of nodes that vary: each factor as often as it occurs, ascending.
type Monomial = Vec<NodeId>;

/// A sum of products of constant nodes, with the powers in halves, ascending.
type Coefficient = BTreeMap<Vec<(NodeId, i32)>, f64>;

/// A polynomial, multiplied out.
type Polynomial = BTreeMap<Monomial, Coefficient>;

/// An expression, and true if quadratic forms in it are multiplied out.
type Rewritten = (NodeId, bool);

/// The other forms of an expression.
pub fn forms(graph: &mut Graph, root: NodeId) -> Vec<Rewritten> {
    let mut forms: Vec<Rewritten> = Vec::new();
    for (most, multiplied) in [(1, false), (MOST, true)] {
        if let Some(root) = collected(graph, root, most)
            && forms.iter().all(|(known, _)| *known != root)
        {
            forms.push((root, multiplied));
        }
    }
    forms
}

/// The expression with each polynomial of at most `most` different coefficients multiplied out; `None`
/// without such a polynomial.
fn collected(graph: &mut Graph, root: NodeId, most: usize) -> Option<NodeId> {
    let mut known = Known::default();
    let mut images = Images::default();
    let mut changed = false;
    for id in graph.reachable(&[root]) {
        let node = graph.node(id).clone();
        let found = match &node {
            Node::Sum { terms, .. } if graph.varies(id) => {
                // A sum of anything may have such a polynomial among its terms.
                let is_polynomial = |known: &mut Known, term| known.multiplied_out(graph, term).is_some();
                let (own, others): (Vec<_>, Vec<_>) =
                    terms.iter().partition(|(_, term)| is_polynomial(&mut known, *term));
                let own = graph.combination(own.into_iter().map(|(factor, term)| (factor.0, term)));
                let polynomial = known.multiplied_out(graph, own);
                polynomial.and_then(|polynomial| written(graph, &polynomial, most)).map(|own| (own, others))
            }
            _ => None,
        };
        let image = match (found, &node) {
            (Some((own, others)), Node::Sum { constant, .. }) => {
                changed = true;
                let parts = others.into_iter().map(|(factor, term)| (factor.0, images.of(term)));
                let parts: Vec<(f64, NodeId)> =
                    parts.chain([(1.0, own), (constant.0, graph.constant(1.0))]).collect();
                graph.combination(parts)
            }
            _ => graph.rebuild(node, |operand| images.of(operand)),
        };
        images.set(id, image);
    }
    if !changed {
        return None;
    }
    let written = images.of(root);
    // An expression in both kinds of variables would round differently: terms that nearly cancel, as
    // stresses near rest, would no longer cancel.
    let mixed = graph.reachable(&[written]).into_iter().any(|id| known.is_combination(graph, id));
    (!mixed).then_some(written)
}

/// The polynomials of the nodes asked for so far, multiplied out.
#[derive(Default)]
struct Known(BTreeMap<NodeId, Option<Polynomial>>);

impl Known {
    /// The polynomial in differences of inputs that a node is, if it is one.
    fn multiplied_out(&mut self, graph: &Graph, id: NodeId) -> Option<Polynomial> {
        if let Some(known) = self.0.get(&id) {
            return known.clone();
        }
        let polynomial = self.found(graph, id);
        self.0.insert(id, polynomial.clone());
        polynomial
    }

    /// True if a node is a sum of differences with coefficients before them.
    fn is_combination(&mut self, graph: &Graph, id: NodeId) -> bool {
        let is_sum =
            graph.varies(id) && matches!(graph.node(id), Node::Sum { .. }) && !is_difference(graph, id);
        let linear = |polynomial: &Polynomial| polynomial.keys().all(|monomial| monomial.len() < 2);
        is_sum && self.multiplied_out(graph, id).as_ref().is_some_and(linear)
    }

    fn found(&mut self, graph: &Graph, id: NodeId) -> Option<Polynomial> {
        match graph.node(id) {
            Node::Constant(value) => Some(term(Vec::new(), Vec::new(), value.0)),
            _ if !graph.varies(id) => Some(term(Vec::new(), vec![(id, 2)], 1.0)),
            Node::Sum { constant, terms } if !is_difference(graph, id) => {
                let mut sum = term(Vec::new(), Vec::new(), constant.0);
                for (factor, inner) in terms {
                    for (monomial, coefficient) in self.multiplied_out(graph, *inner)? {
                        add(sum.entry(monomial).or_default(), &coefficient, factor.0);
                    }
                }
                sum.retain(|_, coefficient| !coefficient.is_empty());
                (size(&sum) <= TERMS).then_some(sum)
            }
            Node::Product(factors) => {
                let mut product = term(Vec::new(), Vec::new(), 1.0);
                for &(base, halves) in factors {
                    if !graph.varies(base) {
                        product = multiplied(&product, &term(Vec::new(), vec![(base, halves)], 1.0))?;
                        continue;
                    }
                    let power = usize::try_from(halves).ok().filter(|halves| halves % 2 == 0)? / 2;
                    if power > DEGREE {
                        return None;
                    }
                    let base = self.multiplied_out(graph, base)?;
                    for _ in 0..power {
                        product = multiplied(&product, &base)?;
                    }
                }
                Some(product)
            }
            Node::Sum { .. } | Node::Leaf(_) => Some(term(vec![id], Vec::new(), 1.0)),
            _ => None,
        }
    }
}

/// A polynomial of one term, or of none if its number is zero.
fn term(monomial: Monomial, factors: Vec<(NodeId, i32)>, value: f64) -> Polynomial {
    if value == 0.0 {
        return Polynomial::new();
    }
    BTreeMap::from([(monomial, BTreeMap::from([(factors, value)]))])
}

/// A node for a polynomial with at most so many different coefficients.
fn written(graph: &mut Graph, polynomial: &Polynomial, most: usize) -> Option<NodeId> {
    let rest = polynomial.get(&Vec::new());
    let varying = || polynomial.iter().filter(|(monomial, _)| !monomial.is_empty());
    let degree = varying().next()?.0.len();
    // One degree: terms of another one could cancel.
    if degree < 2 || varying().any(|(monomial, _)| monomial.len() != degree) {
        return None;
    }
    let mut groups: Vec<(&Coefficient, Vec<(f64, Monomial)>)> = Vec::new();
    for (monomial, coefficient) in varying() {
        let known = groups.iter_mut().find_map(|(common, terms)| Some((ratio(coefficient, common)?, terms)));
        match known {
            Some((value, terms)) => terms.push((value, monomial.clone())),
            None => groups.push((coefficient, vec![(1.0, monomial.clone())])),
        }
    }
    // Forces from differences add up to zero exactly; forces from places would only up to rounding.
    let from_places =
        |monomial: &Monomial| monomial.iter().any(|factor| matches!(graph.node(*factor), Node::Leaf(_)));
    if groups.len() > 1 && varying().any(|(monomial, _)| from_places(monomial)) {
        return None;
    }
    // Products before terms are found anyway.
    if groups.len() > most || groups.iter().all(|(common, _)| common.len() < 2) {
        return None;
    }
    let mut sum = match rest {
        Some(rest) => coefficient(graph, rest),
        None => graph.zero(),
    };
    for (common, terms) in groups {
        let (common, plain) = (coefficient(graph, common), factored(graph, terms));
        let product = graph.multiply(common, plain);
        sum = graph.add(sum, product);
    }
    Some(sum)
}

/// A node for a coefficient.
fn coefficient(graph: &mut Graph, coefficient: &Coefficient) -> NodeId {
    let parts = coefficient.iter().map(|(factors, value)| (*value, graph.monomial(factors.iter().copied())));
    let parts: Vec<(f64, NodeId)> = parts.collect();
    graph.combination(parts)
}

/// The number r with `coefficient` = r · `of`, if there is one.
fn ratio(coefficient: &Coefficient, of: &Coefficient) -> Option<f64> {
    let mut ratios = coefficient.values().zip(of.values()).map(|(a, b)| a / b);
    let first = ratios.next()?;
    (coefficient.keys().eq(of.keys()) && ratios.all(|ratio| ratio.to_bits() == first.to_bits()))
        .then_some(first)
}

/// A polynomial with the most frequent factor before brackets, again and again.
fn factored(graph: &mut Graph, terms: Vec<(f64, Monomial)>) -> NodeId {
    let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (_, monomial) in &terms {
        let distinct: BTreeSet<NodeId> = monomial.iter().copied().collect();
        distinct.into_iter().for_each(|factor| *counts.entry(factor).or_default() += 1);
    }
    // Of equally frequent factors the first one.
    let most = counts.iter().max_by_key(|(factor, count)| (**count, std::cmp::Reverse(**factor)));
    match most {
        Some((&factor, &count)) if count > 1 => {
            let (with, without): (Vec<_>, Vec<_>) =
                terms.into_iter().partition(|(_, monomial)| monomial.contains(&factor));
            let with = with.into_iter().map(|(value, mut monomial)| {
                if let Some(place) = monomial.iter().position(|other| *other == factor) {
                    monomial.remove(place);
                }
                (value, monomial)
            });
            let with = with.collect();
            let inner = factored(graph, with);
            let product = graph.multiply(factor, inner);
            let rest = factored(graph, without);
            graph.add(product, rest)
        }
        _ => {
            let parts: Vec<(f64, NodeId)> = terms
                .into_iter()
                .map(|(value, monomial)| (value, graph.monomial(monomial.into_iter().map(|base| (base, 2)))))
                .collect();
            graph.combination(parts)
        }
    }
}

fn size(polynomial: &Polynomial) -> usize {
    polynomial.values().map(BTreeMap::len).sum()
}

/// Adds a coefficient times a number, and removes products that cancel.
fn add(to: &mut Coefficient, coefficient: &Coefficient, factor: f64) {
    for (factors, value) in coefficient {
        *to.entry(factors.clone()).or_default() += factor * value;
    }
    to.retain(|_, value| *value != 0.0);
}

fn multiplied(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if size(a) * size(b) > TERMS {
        return None;
    }
    let mut product = Polynomial::new();
    for (first, by_first) in a {
        for (second, by_second) in b {
            let mut monomial = [&first[..], &second[..]].concat();
            monomial.sort_unstable();
            let coefficient = product.entry(monomial).or_default();
            for (left, x) in by_first {
                for (right, y) in by_second {
                    let mut powers: BTreeMap<NodeId, i32> = left.iter().copied().collect();
                    for (base, halves) in right {
                        *powers.entry(*base).or_default() += halves;
                    }
                    powers.retain(|_, halves| *halves != 0);
                    let product = BTreeMap::from([(powers.into_iter().collect(), x * y)]);
                    add(coefficient, &product, 1.0);
                }
            }
        }
    }
    product.retain(|_, coefficient| !coefficient.is_empty());
    Some(product)
}
