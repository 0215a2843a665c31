//! Pairs of factors, and pairs of terms, that come up more than once are computed once.
//!
//! Greedy: the pair that comes up most often first (Breuer, *Generation of optimal code for expressions via factorization*,
//! Comm. ACM 12, 1969); ties go to the pair that was written first.

use super::item::{Id, Item, Items, Term};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Shares pairs of factors among the products, then pairs of terms among the sums.
pub(super) fn share(items: &mut Items) {
    share_factors(items);
    share_terms(items);
}

/// What pairs are made of, and how two members of a bag are a pair.
trait Member: Copy + PartialEq {
    /// What makes two pairs the same, up to a factor.
    type Pair: Copy + Ord;
    fn pair(self, other: Self) -> Self::Pair;
}

/// An item to a power.
type Unit = (Id, i32);

impl Member for Unit {
    type Pair = (Unit, Unit);
    fn pair(self, other: Self) -> Self::Pair {
        if self <= other { (self, other) } else { (other, self) }
    }
}

impl Member for Term {
    /// Two items and the ratio of their numbers.
    type Pair = (Id, Id, u64);
    fn pair(self, other: Self) -> Self::Pair {
        let (a, b) = if self.1 <= other.1 { (self, other) } else { (other, self) };
        (a.1, b.1, (b.0 / a.0).to_bits())
    }
}

/// Bags of members, and in which of them each pair is found.
struct Bags<M: Member> {
    all: Vec<(Id, Vec<M>)>,
    found: BTreeMap<M::Pair, BTreeSet<usize>>,
    order: BTreeSet<(usize, Reverse<M::Pair>)>,
}

impl<M: Member> Bags<M> {
    fn new(bags: Vec<(Id, Vec<M>)>) -> Self {
        let mut found: BTreeMap<M::Pair, BTreeSet<usize>> = BTreeMap::new();
        for (at, (_, members)) in bags.iter().enumerate() {
            for (k, a) in members.iter().enumerate() {
                for b in &members[k + 1..] {
                    found.entry(a.pair(*b)).or_default().insert(at);
                }
            }
        }
        let order = found.iter().filter(|(_, bags)| bags.len() > 1);
        let order = order.map(|(pair, bags)| (bags.len(), Reverse(*pair))).collect();
        Self { all: bags, found, order }
    }

    /// Counts a pair of a bag in or out.
    fn count(&mut self, at: usize, pair: M::Pair, add: bool) {
        let bags = self.found.entry(pair).or_default();
        let before = bags.len();
        if add {
            bags.insert(at);
        } else {
            bags.remove(&at);
        }
        let after = bags.len();
        if before >= 2 && before != after {
            self.order.remove(&(before, Reverse(pair)));
        }
        if after >= 2 && before != after {
            self.order.insert((after, Reverse(pair)));
        }
    }

    /// The pair that is in most bags, and the bags; it is not found again.
    fn next(&mut self) -> Option<(M::Pair, BTreeSet<usize>)> {
        let (_, Reverse(pair)) = self.order.pop_last()?;
        Some((pair, self.found.get(&pair).cloned().unwrap_or_default()))
    }

    /// Puts `image` of two members in their place, in a bag that is more than they.
    fn replace(&mut self, at: usize, pair: M::Pair, image: impl Fn(M, M) -> M) {
        let members = &mut self.all[at].1;
        let places = (0..members.len())
            .flat_map(|k| (k + 1..members.len()).map(move |l| (k, l)))
            .find(|&(k, l)| members[k].pair(members[l]) == pair);
        let Some((k, l)) = places else { return };
        let second = members.remove(l);
        let first = members.remove(k);
        let rest = members.clone();
        let new = image(first, second);
        members.push(new);
        let gone = |member: &M| !rest.contains(member);
        let (first_gone, second_gone) = (gone(&first), gone(&second));
        if first_gone || second_gone {
            self.count(at, pair, false);
        }
        for other in rest {
            if first_gone {
                self.count(at, first.pair(other), false);
            }
            if second_gone {
                self.count(at, second.pair(other), false);
            }
            self.count(at, new.pair(other), true);
        }
    }
}

fn share_factors(items: &mut Items) {
    let uses = items.uses();
    let bags = (0..items.all.len()).filter(|id| uses[*id] > 0).filter_map(|id| match &items.all[id] {
        Item::Product(factors) if factors.len() > 1 || matches!(factors[..], [(_, 4 | 6)]) => {
            Some((id, factors.iter().flat_map(|factor| units(*factor)).collect()))
        }
        _ => None,
    });
    let mut bags = Bags::<Unit>::new(bags.collect());
    while let Some((pair, places)) = bags.next() {
        let product = items.product(vec![pair.0, pair.1]);
        for at in places {
            if bags.all[at].0 != product {
                bags.replace(at, pair, |_, _| (product, 2));
            }
        }
    }
    for (id, units) in bags.all {
        let mut factors: Vec<Unit> = Vec::new();
        for (item, halves) in units {
            match factors.iter_mut().find(|(known, _)| *known == item) {
                Some((_, power)) => *power += halves,
                None => factors.push((item, halves)),
            }
        }
        // A pair may be the inverse of what stands beside it: a b / √(a b)² leaves no factor.
        factors.retain(|(_, halves)| *halves != 0);
        items.all[id] = if factors.is_empty() { Item::Number(1.0) } else { Item::Product(factors) };
    }
}

/// Small powers are products.
fn units((item, halves): Unit) -> Vec<Unit> {
    match halves {
        4 => vec![(item, 2); 2],
        6 => vec![(item, 2); 3],
        _ => vec![(item, halves)],
    }
}

fn share_terms(items: &mut Items) {
    let uses = items.uses();
    let bags = (0..items.all.len()).filter(|id| uses[*id] > 0).filter_map(|id| match &items.all[id] {
        Item::Sum(_, terms) if terms.len() > 1 => Some((id, terms.clone())),
        _ => None,
    });
    let mut bags = Bags::<Term>::new(bags.collect());
    while let Some((pair, places)) = bags.next() {
        let (a, b, ratio) = pair;
        let (scale, sum) = items.sum(0.0, vec![(1.0, a), (f64::from_bits(ratio), b)]);
        for at in places {
            if bags.all[at].0 != sum {
                bags.replace(at, pair, |first, second| {
                    let of_first = if first.1 == a { first.0 } else { second.0 };
                    (of_first * scale, sum)
                });
            }
        }
    }
    for (id, terms) in bags.all {
        if let Item::Sum(constant, _) = items.all[id] {
            items.all[id] = Item::Sum(constant, terms);
        }
    }
}
