//! Factors that terms of a sum have in common are taken out: x a + x b = x (a + b).

use super::item::{Id, Item, Items, Term};
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
        while let Some((factor, with)) = common(items, &uses, &terms) {
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            for (place, term) in terms.into_iter().enumerate() {
                if with.contains(&place) {
                    let rest = divided(items, term.1, factor);
                    inside.push((term.0, rest));
                } else {
                    outside.push(term);
                }
            }
            let (scale, sum) = collected(items, inside);
            let product = items.product(vec![factor, (sum, 2)]);
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

/// The factor that most terms have, and the places of those terms.
fn common(items: &Items, uses: &[u32], terms: &[Term]) -> Option<((Id, i32), Vec<usize>)> {
    let mut found: BTreeMap<(Id, bool), Vec<(usize, i32)>> = BTreeMap::new();
    for (place, (_, item)) in terms.iter().enumerate() {
        match &items.all[*item] {
            Item::Number(_) => {}
            // A product that is used elsewhere too is not worth taking apart.
            Item::Product(factors) if uses.get(*item).is_none_or(|count| *count <= 1) => {
                for &(base, halves) in factors {
                    found.entry((base, halves > 0)).or_default().push((place, halves));
                }
            }
            _ => found.entry((*item, true)).or_default().push((place, 2)),
        }
    }
    let mut best: Option<((Id, i32), Vec<usize>)> = None;
    for ((base, positive), places) in found {
        if places.len() > best.as_ref().map_or(1, |(_, known)| known.len()) {
            let powers = places.iter().map(|(_, halves)| *halves);
            let power = if positive { powers.min() } else { powers.max() };
            let places = places.iter().map(|(place, _)| *place).collect();
            best = power.map(|power| ((base, power), places));
        }
    }
    best
}

/// A term without one of its factors.
fn divided(items: &mut Items, item: Id, (base, power): (Id, i32)) -> Id {
    let factors = match &items.all[item] {
        Item::Product(factors) if item != base => factors
            .iter()
            .map(|&(of, halves)| (of, if of == base { halves - power } else { halves }))
            .collect(),
        _ => vec![(item, 2 - power)],
    };
    items.product(factors)
}
