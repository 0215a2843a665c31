//! Factors that terms of a sum have in common are taken out: x a + x b = x (a + b).

use super::item::{Factor, Id, Item, Items, Term};
use std::collections::BTreeMap;

/// Takes common factors out of all sums; says whether there were any.
pub(super) fn take_out(items: &mut Items) -> bool {
    let mut uses = items.uses();
    let mut any = false;
    let mut next = 0;
    while next < items.all.len() {
        let id = next;
        next += 1;
        let Item::Sum(constant, terms) = &items.all[id] else { continue };
        if uses.get(id).is_some_and(|count| *count == 0) || terms.len() < 2 {
            continue;
        }
        let (constant, mut terms) = (*constant, terms.clone());
        let mut changed = false;
        while let Some((factors, with)) = common(items, &uses, &terms) {
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for (place, term) in terms.into_iter().enumerate() {
                if with.contains(&place) {
                    let rest = divided(items, term.1, &factors);
                    inside.push((term.0, rest));
                } else {
                    outside.push(term);
                }
            }
            let (scale, sum) = collected(items, inside);
            let product = items.product([factors, vec![(sum, 2)]].concat());
            // An item that was there before now has another use, and must stay as it is.
            uses.resize(items.all.len(), 0);
            uses[product] += 1;
            uses[sum] += 1;
            outside.push((scale, product));
            terms = outside;
            changed = true;
        }
        if changed {
            items.all[id] = Item::Sum(constant, terms);
            any = true;
        }
    }
    any
}

/// The sum of terms of which some may be the number one.
fn collected(items: &mut Items, terms: Vec<Term>) -> Term {
    let mut constant = 0.0;
    let mut rest = Vec::new();
    for (factor, item) in terms {
        match items.all[item] {
            Item::Number(value) => constant += factor * value,
            _ => rest.push((factor, item)),
        }
    }
    items.sum(constant, rest)
}

/// The factor of most terms, with all other factors common to these terms, and their places.
fn common(items: &Items, uses: &[u32], terms: &[Term]) -> Option<(Vec<Factor>, Vec<usize>)> {
    let mut found: BTreeMap<(Id, bool), BTreeMap<usize, i32>> = BTreeMap::new();
    for (place, (_, item)) in terms.iter().enumerate() {
        match &items.all[*item] {
            Item::Number(_) => {}
            // A product that is used elsewhere too is not worth taking apart.
            Item::Product(factors) if uses.get(*item).is_none_or(|count| *count <= 1) => {
                for &(base, halves) in factors {
                    found.entry((base, halves > 0)).or_default().insert(place, halves);
                }
            }
            _ => {
                found.entry((*item, true)).or_default().insert(place, 2);
            }
        }
    }
    let mut most: Option<&BTreeMap<usize, i32>> = None;
    for places in found.values() {
        if places.len() > most.map_or(1, BTreeMap::len) {
            most = Some(places);
        }
    }
    let with: Vec<usize> = most?.keys().copied().collect();
    let factors = found.iter().filter_map(|((base, positive), places)| {
        let powers: Option<Vec<i32>> = with.iter().map(|place| places.get(place).copied()).collect();
        let powers = powers?.into_iter();
        let power = if *positive { powers.min() } else { powers.max() };
        power.map(|power| (*base, power))
    });
    Some((factors.collect(), with))
}

/// A term without some of its factors.
fn divided(items: &mut Items, item: Id, without: &[Factor]) -> Id {
    let mut factors = match &items.all[item] {
        Item::Product(factors) if without.iter().all(|(base, _)| *base != item) => factors.clone(),
        _ => vec![(item, 2)],
    };
    factors.extend(without.iter().map(|(base, halves)| (*base, -halves)));
    items.product(factors)
}
