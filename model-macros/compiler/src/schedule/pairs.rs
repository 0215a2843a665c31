//! Pairs of factors, and pairs of terms, that come up more than once are computed once.
//!
//! Greedy: the most frequent pair first (M. A. Breuer, *Generation of optimal code for expressions via
//! factorization*, Comm. ACM 12, 1969); of equals the first written.

use super::item::{Factor, Id, Item, Items, Term};
use crate::graph::Words;
use crate::limits::MOST_PAIRS;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Shares pairs of factors among the products, then pairs of terms among the sums.
pub(super) fn share(items: &mut Items) {
    share_factors(items);
    share_terms(items);
}

/// Two members of a bag, up to a factor: as numbers, pairs are in the order of their members.
type Pair = u128;

/// A member of a bag, of which two are a pair.
trait Member: Copy + PartialEq {
    fn pair(self, other: Self) -> Pair;
}

fn joined(first: u64, second: u64) -> Pair {
    Pair::from(first) << 64 | Pair::from(second)
}

impl Member for Factor {
    fn pair(self, other: Self) -> Pair {
        // The lowest power first.
        let number = |(item, halves): Factor| (item as u64) << 32 | u64::from(halves as u32 ^ 1 << 31);
        let (one, other) = (number(self), number(other));
        if one <= other { joined(one, other) } else { joined(other, one) }
    }
}

/// The factors that a pair is made of.
fn factors_of(pair: Pair) -> [Factor; 2] {
    [(pair >> 64) as u64, pair as u64].map(|one| ((one >> 32) as Id, (one as u32 ^ 1 << 31) as i32))
}

impl Member for Term {
    /// Two items and the ratio of their numbers.
    fn pair(self, other: Self) -> Pair {
        let (a, b) = if self.1 <= other.1 { (self, other) } else { (other, self) };
        joined((a.1 as u64) << 32 | b.1 as u64, (b.0 / a.0).to_bits())
    }
}

/// The terms that a pair is made of, the number of the first being one.
fn terms_of(pair: Pair) -> [Term; 2] {
    let items = (pair >> 64) as u64;
    [(1.0, (items >> 32) as Id), (f64::from_bits(pair as u64), items as u32 as Id)]
}

/// Bags of members, and in which of them each pair is found.
struct Bags<M: Member> {
    all: Vec<(Id, Vec<M>)>,
    numbers: Words,
    /// The bags of the pair of each number, ascending.
    found: Vec<Vec<usize>>,
    /// The number of bags with the pair of each number when it was put in line; zero if it is in line
    /// no more.
    listed: Vec<usize>,
    /// Pairs by how often they were found when they were put in line.
    line: BinaryHeap<(usize, Reverse<Pair>, usize)>,
    /// How many more changes of the line are worth the effort.
    changes: usize,
}

impl<M: Member> Bags<M> {
    fn new(all: Vec<(Id, Vec<M>)>) -> Self {
        let count = all.iter().map(|(_, members)| members.len().saturating_mul(members.len()) / 2);
        let few_enough = count.fold(0_usize, usize::saturating_add) <= MOST_PAIRS;
        let mut bags = Self {
            all: Vec::new(),
            numbers: Words::default(),
            found: Vec::new(),
            listed: Vec::new(),
            line: BinaryHeap::new(),
            changes: MOST_PAIRS,
        };
        let mut pairs = Vec::new();
        for (at, (_, members)) in all.iter().enumerate().filter(|_| few_enough) {
            for (k, a) in members.iter().enumerate() {
                for b in &members[k + 1..] {
                    let pair = a.pair(*b);
                    let number = bags.number(pair);
                    if number == pairs.len() {
                        pairs.push(pair);
                    }
                    if bags.found[number].last() != Some(&at) {
                        bags.found[number].push(at);
                    }
                }
            }
        }
        let mut line = Vec::new();
        for (number, pair) in pairs.into_iter().enumerate() {
            let count = bags.found[number].len();
            if count > 1 {
                bags.listed[number] = count;
                line.push((count, Reverse(pair), number));
            }
        }
        Self { all, line: BinaryHeap::from(line), ..bags }
    }

    fn number(&mut self, pair: Pair) -> usize {
        let number = self.numbers.number(&[(pair >> 64) as u64, pair as u64]);
        if number == self.found.len() {
            self.found.push(Vec::new());
            self.listed.push(0);
        }
        number
    }

    /// Counts a pair of a bag in or out.
    fn count(&mut self, at: usize, pair: Pair, add: bool) {
        let number = self.number(pair);
        let bags = &mut self.found[number];
        match (bags.binary_search(&at), add) {
            (Err(place), true) => bags.insert(place, at),
            (Ok(place), false) => {
                bags.remove(place);
            }
            _ => return,
        }
        let count = bags.len();
        self.listed[number] = 0;
        if count > 1 {
            self.listed[number] = count;
            self.line.push((count, Reverse(pair), number));
            self.changes = self.changes.saturating_sub(1);
        }
    }

    /// The pair that is in most bags, and the bags; it is not found again.
    fn next(&mut self) -> Option<(Pair, Vec<usize>)> {
        while let Some((count, Reverse(pair), number)) = self.line.pop() {
            if self.changes == 0 {
                return None;
            }
            // An entry of the line with another count is out of date.
            if self.listed[number] == count {
                self.listed[number] = 0;
                return Some((pair, self.found[number].clone()));
            }
        }
        None
    }

    /// Puts `image` of two members in their place, in a bag that is more than they.
    fn replace(&mut self, at: usize, pair: Pair, image: impl Fn(M, M) -> M) {
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
    let mut bags = Bags::<Factor>::new(bags.collect());
    while let Some((pair, places)) = bags.next() {
        let product = items.product(factors_of(pair).to_vec());
        for at in places {
            if bags.all[at].0 != product {
                bags.replace(at, pair, |_, _| (product, 2));
            }
        }
    }
    for (id, units) in bags.all {
        let mut factors: Vec<Factor> = Vec::new();
        for (item, halves) in units {
            match factors.iter_mut().find(|(known, _)| *known == item) {
                Some((_, power)) => *power += halves,
                None => factors.push((item, halves)),
            }
        }
        // A pair may be the inverse of its neighbour: a b / √(a b)² leaves no factor.
        factors.retain(|(_, halves)| *halves != 0);
        items.all[id] = if factors.is_empty() { Item::Number(1.0) } else { Item::Product(factors) };
    }
}

/// Small powers are products, powers of inverse roots, too.
fn units((item, halves): Factor) -> Vec<Factor> {
    match halves {
        4 => vec![(item, 2); 2],
        6 => vec![(item, 2); 3],
        -3 => vec![(item, -1), (item, -2)],
        -5 => vec![(item, -1), (item, -2), (item, -2)],
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
        let terms = terms_of(pair);
        let (scale, sum) = items.sum(0.0, terms.to_vec());
        for at in places {
            if bags.all[at].0 != sum {
                bags.replace(at, pair, |first, second| {
                    let of_first = if first.1 == terms[0].1 { first.0 } else { second.0 };
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
