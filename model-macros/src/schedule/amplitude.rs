//! A number that stands before the results goes to the coefficients that all of them are proportional to:
//! 2 (k x), 2 (k y) → (2 k) x, (2 k) y. Coefficients are computed once, results for each element.

use super::item::{Id, Item, Items, Term};
use crate::graph::Graph;
use std::collections::BTreeSet;

/// Multiplies the number that most results have before them into the coefficients that they are proportional to, if any.
pub(super) fn take_over(items: &mut Items, graph: &mut Graph) {
    let roots: Vec<Term> = items.roots.iter().filter(|root| !is_zero(items, root.1)).copied().collect();
    let Some(number) = most_frequent(roots.iter().map(|(factor, _)| factor.abs())) else { return };
    if number == 1.0 || !number.is_normal() {
        return;
    }
    let Some(amplitudes) = amplitudes(items, &roots) else { return };
    let degrees = degrees(items, &amplitudes);
    if roots.iter().any(|(_, root)| degrees[*root] != Degree::Halves(2)) {
        return;
    }
    for id in amplitudes {
        if let Item::Coefficient(node) = items.all[id] {
            items.all[id] = Item::Coefficient(graph.scale(number, node));
        }
    }
    items.roots.iter_mut().for_each(|(factor, _)| *factor /= number);
}

fn is_zero(items: &Items, id: Id) -> bool {
    matches!(items.all[id], Item::Number(0.0))
}

/// The first of the numbers that come up most often.
fn most_frequent(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut counted: Vec<(f64, usize)> = Vec::new();
    for number in numbers {
        match counted.iter_mut().find(|(known, _)| *known == number) {
            Some((_, count)) => *count += 1,
            None => counted.push((number, 1)),
        }
    }
    let most = counted.iter().map(|(_, count)| *count).max();
    counted.into_iter().find(|(_, count)| Some(*count) == most).map(|(number, _)| number)
}

/// Coefficients of which every result may be a multiple: going down from the results, one factor of each product.
fn amplitudes(items: &Items, roots: &[Term]) -> Option<BTreeSet<Id>> {
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
    let mut open: Vec<Id> = roots.iter().map(|(_, root)| *root).collect();
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

/// How an item grows with the amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Degree {
    /// It is zero, and grows in any way.
    Any,
    /// As this power of the square root.
    Halves(i32),
    /// In no such way.
    Mixed,
}

/// How each item grows with the amplitudes.
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
                    (Degree::Halves(total), Degree::Halves(of)) if of * halves % 2 == 0 => {
                        Degree::Halves(total + of * halves / 2)
                    }
                    _ => Degree::Mixed,
                })
            }
            Item::Select(_, [_, yes, no]) => same(&mut [*yes, *no].into_iter()),
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
