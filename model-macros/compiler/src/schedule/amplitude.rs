//! A number that stands before the results goes to the coefficients that all of them are proportional to:
//! 2 (k x), 2 (k y) → (2 k) x, (2 k) y. Coefficients are computed once, results for each element.

use super::item::{Id, Item, Items, Term};
use crate::graph::Graph;
use std::collections::BTreeSet;

/// Multiplies a number into the coefficients that all results are proportional to, if there are any: the one that leaves the
/// fewest numbers before results and their terms.
pub(super) fn take_over(items: &mut Items, graph: &mut Graph) {
    let numbers = numbers(items);
    if numbers.is_empty() {
        return;
    }
    let roots: Vec<Id> =
        items.roots.iter().map(|root| root.1).filter(|root| !is_zero(items, *root)).collect();
    let Some(amplitudes) = amplitudes(items, &roots) else { return };
    let degrees = degrees(items, &amplitudes);
    if roots.iter().any(|root| degrees[*root] != Degree::Halves(2)) {
        return;
    }
    let (mut best, mut least) = (None, items.estimate() + factors_before(items));
    for number in numbers {
        let mut changed = items.clone();
        changed.roots = items.roots.iter().map(|root| divided(&mut changed, *root, number)).collect();
        let estimate = changed.estimate() + factors_before(&changed);
        if estimate < least {
            (best, least) = (Some((number, changed)), estimate);
        }
    }
    let Some((number, changed)) = best else { return };
    *items = changed;
    for id in amplitudes {
        if let Item::Coefficient(node) = items.all[id] {
            items.all[id] = Item::Coefficient(graph.scale(number, node));
        }
    }
}

fn is_zero(items: &Items, id: Id) -> bool {
    matches!(items.all[id], Item::Number(0.0))
}

/// The most numbers that are tried.
const TRIED: usize = 8;

/// The first of the numbers before results, and before their terms.
fn numbers(items: &Items) -> Vec<f64> {
    let mut found = Vec::new();
    for (factor, root) in &items.roots {
        let inside = match &items.all[*root] {
            Item::Sum(_, terms) => &terms[..],
            _ => &[],
        };
        let terms = inside.iter().map(|(of_term, _)| (factor * of_term).abs());
        for number in std::iter::once(factor.abs()).chain(terms) {
            if number != 1.0 && number.is_normal() && found.len() < TRIED && !found.contains(&number) {
                found.push(number);
            }
        }
    }
    found
}

/// The number of different results that have a number before them.
fn factors_before(items: &Items) -> u32 {
    let before = items.roots.iter().filter(|(factor, root)| factor.abs() != 1.0 && !is_zero(items, *root));
    let found: BTreeSet<(u64, Id)> = before.map(|(factor, root)| (factor.abs().to_bits(), *root)).collect();
    found.len() as u32
}

/// A result without this factor: what is left of its number goes to its terms.
fn divided(items: &mut Items, (factor, root): Term, number: f64) -> Term {
    let factor = factor / number;
    match &items.all[root] {
        Item::Sum(constant, terms) if factor.abs() != 1.0 => {
            let scale = factor.abs();
            let terms = terms.iter().map(|(of_term, term)| (of_term * scale, *term)).collect();
            let sum = Item::Sum(constant * scale, terms);
            (factor.signum(), items.intern(sum))
        }
        _ => (factor, root),
    }
}

/// Coefficients of which every result may be a multiple: going down from the results, one factor of each product.
fn amplitudes(items: &Items, roots: &[Id]) -> Option<BTreeSet<Id>> {
    let may: Vec<bool> = items.all.iter().fold(Vec::new(), |mut may, item| {
        may.push(match item {
            Item::Coefficient(_) => true,
            Item::Sum(constant, terms) => *constant == 0.0 && terms.iter().all(|(_, term)| may[*term]),
            Item::Product(factors) => factors.iter().any(|(base, halves)| *halves == 2 && may[*base]),
            Item::Select(_, [_, yes, no]) => [yes, no].iter().all(|id| may[**id] || is_zero(items, **id)),
            _ => false,
        });
        may
    });
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        if !seen.insert(id) || is_zero(items, id) {
            continue;
        }
        if !may[id] {
            return None;
        }
        match &items.all[id] {
            Item::Coefficient(_) => {
                found.insert(id);
            }
            Item::Sum(_, terms) => open.extend(terms.iter().map(|(_, term)| *term)),
            Item::Product(factors) => {
                let candidates = || factors.iter().filter(|(base, halves)| *halves == 2 && may[*base]);
                let plain = candidates().find(|(base, _)| matches!(items.all[*base], Item::Coefficient(_)));
                open.extend(plain.or_else(|| candidates().next()).map(|(base, _)| *base));
            }
            Item::Select(_, [_, yes, no]) => open.extend([*yes, *no]),
            _ => return None,
        }
    }
    Some(found)
}

/// The degree of an item in the amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Degree {
    /// Zero, which has every degree.
    Any,
    /// This power of the square root.
    Halves(i32),
    /// No power at all.
    Mixed,
}

/// The degree of each item in the amplitudes.
fn degrees(items: &Items, amplitudes: &BTreeSet<Id>) -> Vec<Degree> {
    items.all.iter().enumerate().fold(Vec::new(), |mut known: Vec<Degree>, (id, item)| {
        let same = |parts: &mut dyn Iterator<Item = Id>| {
            parts.map(|part| known[part]).fold(Degree::Any, |one, other| match (one, other) {
                (Degree::Any, degree) | (degree, Degree::Any) => degree,
                _ if one == other => one,
                _ => Degree::Mixed,
            })
        };
        let fixed = |degree: Degree| match degree {
            Degree::Any | Degree::Halves(0) => Degree::Halves(0),
            _ => Degree::Mixed,
        };
        let degree = match item {
            Item::Coefficient(_) if amplitudes.contains(&id) => Degree::Halves(2),
            Item::Number(0.0) => Degree::Any,
            Item::Number(_) | Item::Read(_) | Item::Coefficient(_) => Degree::Halves(0),
            Item::Sum(constant, terms) => {
                let degree = same(&mut terms.iter().map(|(_, term)| *term));
                if *constant == 0.0 { degree } else { fixed(degree) }
            }
            Item::Product(factors) => {
                factors.iter().fold(Degree::Halves(0), |total, (base, halves)| match (total, known[*base]) {
                    // A degree that is no number any more is none that could be taken over.
                    (Degree::Halves(total), Degree::Halves(of)) => match of.checked_mul(*halves) {
                        Some(halves) if halves % 2 == 0 => {
                            total.checked_add(halves / 2).map_or(Degree::Mixed, Degree::Halves)
                        }
                        _ => Degree::Mixed,
                    },
                    _ => Degree::Mixed,
                })
            }
            // What decides must not change: next to a number, twice a coefficient is something else.
            Item::Select(_, [gap, yes, no]) => match fixed(known[*gap]) {
                Degree::Mixed => Degree::Mixed,
                _ => same(&mut [*yes, *no].into_iter()),
            },
            _ => {
                let mut parts = Vec::new();
                item.each_part(|part| parts.push(part));
                fixed(
                    parts
                        .into_iter()
                        .map(|part| fixed(known[part]))
                        .fold(Degree::Any, |one, other| if one == Degree::Mixed { one } else { other }),
                )
            }
        };
        known.push(degree);
        known
    })
}
