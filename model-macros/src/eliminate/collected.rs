//! Polynomials whose coefficients have one factor in common once they are multiplied out: the determinant of three combinations
//! of three vectors is that of the vectors times one number, which does not vary.
//!
//! An elastic body is declared by the gradient F = D_s D_m⁻¹ of its deformation, and det F = det D_s det D_m⁻¹. The derivatives of
//! det D_s by the corners are cofactors; those of det F go through all products of F with D_m⁻¹.

use crate::graph::{Graph, Node, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Polynomials of more terms are left as they are.
const TERMS: usize = 400;

/// Powers of higher degree are left as they are.
const DEGREE: usize = 4;

/// A product of what varies: each factor as often as it occurs, ascending.
type Monomial = Vec<NodeId>;

/// A sum of products of what does not vary, with the powers in halves, ascending.
type Coefficient = BTreeMap<Vec<(NodeId, i32)>, f64>;

/// A polynomial, multiplied out.
type Polynomial = BTreeMap<Monomial, Coefficient>;

/// The expressions with each of those polynomials written as a coefficient times a polynomial with plain numbers; none if there
/// are no such polynomials.
pub(super) fn collected(
    graph: &mut Graph,
    root: NodeId,
    named: &BTreeSet<NodeId>,
) -> Option<(NodeId, BTreeSet<NodeId>)> {
    let mut images: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in graph.reachable(&[root]) {
        if graph.varies(id)
            && matches!(graph.node(id), Node::Sum { terms, .. } if terms.len() > 1)
            && let Some(image) = multiplied_out(graph, id).and_then(|polynomial| written(graph, &polynomial))
        {
            images.insert(id, image);
        }
    }
    if images.is_empty() {
        return None;
    }
    let mut image = |id| graph.replace(id, &|_, inner| images.get(&inner).copied());
    Some((image(root), named.iter().map(|id| image(*id)).collect()))
}

/// The polynomial in differences of inputs that a node is, if it is one.
fn multiplied_out(graph: &Graph, id: NodeId) -> Option<Polynomial> {
    let one = || BTreeMap::from([(Vec::new(), BTreeMap::from([(Vec::new(), 1.0)]))]);
    match graph.node(id) {
        Node::Constant(value) => Some(scaled(one(), value.0)),
        _ if !graph.varies(id) => {
            Some(BTreeMap::from([(Vec::new(), BTreeMap::from([(vec![(id, 2)], 1.0)]))]))
        }
        Node::Sum { constant, terms } if !is_difference(graph, id) => {
            let mut sum = scaled(one(), constant.0);
            for (factor, term) in terms {
                for (monomial, coefficient) in scaled(multiplied_out(graph, *term)?, factor.0) {
                    add(sum.entry(monomial).or_default(), &coefficient);
                }
            }
            sum.retain(|_, coefficient| !coefficient.is_empty());
            (size(&sum) <= TERMS).then_some(sum)
        }
        Node::Product(factors) => {
            let mut product = one();
            for &(base, halves) in factors {
                if !graph.varies(base) {
                    let fixed = BTreeMap::from([(Vec::new(), BTreeMap::from([(vec![(base, halves)], 1.0)]))]);
                    product = multiplied(&product, &fixed)?;
                    continue;
                }
                let power = usize::try_from(halves).ok().filter(|halves| halves % 2 == 0)? / 2;
                if power > DEGREE {
                    return None;
                }
                let base = multiplied_out(graph, base)?;
                for _ in 0..power {
                    product = multiplied(&product, &base)?;
                }
            }
            Some(product)
        }
        Node::Sum { .. } | Node::Leaf(_) => {
            Some(BTreeMap::from([(vec![id], BTreeMap::from([(Vec::new(), 1.0)]))]))
        }
        _ => None,
    }
}

/// Inputs with numbers before them.
fn is_difference(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.node(id), Node::Sum { terms, .. }
        if terms.iter().all(|(_, term)| graph.varies(*term) && matches!(graph.node(*term), Node::Leaf(_))))
}

/// A node for a polynomial all of whose coefficients are numbers times the same sum.
fn written(graph: &mut Graph, polynomial: &Polynomial) -> Option<NodeId> {
    let mut varying = polynomial.iter().filter(|(monomial, _)| !monomial.is_empty());
    let (_, common) = varying.clone().next()?;
    // One product before all terms is pulled out of a sum anyway.
    if common.len() < 2 {
        return None;
    }
    let terms = varying
        .try_fold(Vec::new(), |mut terms, (monomial, coefficient)| {
            terms.push((ratio(coefficient, common)?, monomial.clone()));
            Some(terms)
        })
        .filter(|terms| terms.iter().all(|(_, monomial)| monomial.len() > 1))?;
    let polynomial_of = |graph: &mut Graph, coefficient: &Coefficient| {
        let parts: Vec<(f64, NodeId)> = coefficient
            .iter()
            .map(|(factors, value)| (*value, graph.monomial(factors.iter().copied())))
            .collect();
        graph.combination(parts)
    };
    let common = polynomial_of(graph, common);
    let plain = factored(graph, terms);
    let product = graph.multiply(common, plain);
    let rest = polynomial.get(&Vec::new()).map(|coefficient| polynomial_of(graph, coefficient));
    Some(rest.map_or(product, |rest| graph.add(product, rest)))
}

/// How many times one coefficient another one is.
fn ratio(coefficient: &Coefficient, of: &Coefficient) -> Option<f64> {
    let mut ratios = coefficient.values().zip(of.values()).map(|(a, b)| a / b);
    let first = ratios.next()?;
    (coefficient.keys().eq(of.keys()) && ratios.all(|ratio| ratio.to_bits() == first.to_bits()))
        .then_some(first)
}

/// A polynomial with what occurs most often before brackets, again and again.
fn factored(graph: &mut Graph, terms: Vec<(f64, Monomial)>) -> NodeId {
    let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (_, monomial) in &terms {
        let distinct: BTreeSet<NodeId> = monomial.iter().copied().collect();
        distinct.into_iter().for_each(|factor| *counts.entry(factor).or_default() += 1);
    }
    // The first of those that are equally frequent.
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

fn scaled(mut polynomial: Polynomial, factor: f64) -> Polynomial {
    polynomial.values_mut().flat_map(BTreeMap::values_mut).for_each(|value| *value *= factor);
    polynomial
}

/// Adds a coefficient; what cancels is gone.
fn add(to: &mut Coefficient, coefficient: &Coefficient) {
    for (factors, value) in coefficient {
        *to.entry(factors.clone()).or_default() += value;
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
                    add(coefficient, &product);
                }
            }
        }
    }
    product.retain(|_, coefficient| !coefficient.is_empty());
    Some(product)
}
