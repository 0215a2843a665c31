//! Sums of monomials, in which terms cancel visibly.

use crate::graph::{Graph, NodeId};
use std::collections::BTreeMap;

/// Π atom^(halves / 2), ascending by atom, without powers of zero.
pub(super) type Monomial = Vec<(NodeId, i32)>;

/// A factor, and the sum of the sizes of all its addends: a value far below it is rounding.
#[derive(Debug, Clone, Copy)]
struct Factor {
    value: f64,
    size: f64,
}

/// The most monomials that are worth the time.
const MOST: usize = 20_000;

/// The most pairs of monomials that are multiplied for one product or power.
const MOST_WORK: usize = 16 * MOST;

/// Factors below this part of the added numbers are rounding.
const ROUNDING: f64 = 1e-9;

/// Σ factor · monomial.
#[derive(Debug, Clone, Default)]
pub(super) struct Polynomial(BTreeMap<Monomial, Factor>);

impl Polynomial {
    pub(super) fn constant(value: f64) -> Self {
        Self::monomial(value, Vec::new())
    }

    pub(super) fn monomial(value: f64, monomial: Monomial) -> Self {
        let mut all = Self::default();
        all.add(value, value.abs(), monomial);
        all
    }

    /// atom^(halves / 2).
    pub(super) fn power_of(atom: NodeId, halves: i32) -> Self {
        Self::monomial(1.0, if halves == 0 { Vec::new() } else { vec![(atom, halves)] })
    }

    fn add(&mut self, value: f64, size: f64, monomial: Monomial) {
        let entry = self.0.entry(monomial).or_insert(Factor { value: 0.0, size: 0.0 });
        entry.value += value;
        entry.size += size;
    }

    /// The polynomial without rounding.
    fn cleaned(mut self) -> Self {
        self.0.retain(|_, factor| factor.value.abs() > ROUNDING * factor.size);
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn terms(&self) -> impl ExactSizeIterator<Item = (f64, &Monomial)> {
        self.0.iter().map(|(monomial, factor)| (factor.value, monomial))
    }

    /// The only term, if there is one only.
    pub(super) fn single(&self) -> Option<(f64, &Monomial)> {
        let mut terms = self.terms();
        let first = terms.next()?;
        terms.next().is_none().then_some(first)
    }

    /// Σ factor · part.
    pub(super) fn sum<'p>(parts: impl IntoIterator<Item = (f64, &'p Self)>) -> Option<Self> {
        let mut all = Self::default();
        for (scale, part) in parts {
            for (monomial, factor) in &part.0 {
                all.add(scale * factor.value, (scale * factor.size).abs(), monomial.clone());
            }
        }
        (all.0.len() <= MOST).then(|| all.cleaned())
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        if self.0.len().saturating_mul(other.0.len()) > MOST_WORK {
            return None;
        }
        let mut all = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                all.add(a.value * b.value, a.size * b.size, merged(left, right)?);
            }
        }
        (all.0.len() <= MOST).then(|| all.cleaned())
    }

    pub(super) fn to_the(&self, power: u32) -> Option<Self> {
        let (mut all, mut work) = (Self::constant(1.0), 0_usize);
        for _ in 0..power {
            work = work.saturating_add(all.0.len().saturating_mul(self.0.len()));
            if work > MOST_WORK {
                return None;
            }
            all = all.times(self)?;
        }
        Some(all)
    }

    /// The terms by the `key` of their monomials.
    pub(super) fn split<K: Ord>(&self, key: impl Fn(&Monomial) -> K) -> BTreeMap<K, Self> {
        let mut parts: BTreeMap<K, Self> = BTreeMap::new();
        for (monomial, factor) in &self.0 {
            parts.entry(key(monomial)).or_default().0.insert(monomial.clone(), *factor);
        }
        parts
    }

    /// All atoms.
    pub(super) fn atoms(&self) -> std::collections::BTreeSet<NodeId> {
        self.0.keys().flatten().map(|(atom, _)| *atom).collect()
    }

    /// The polynomial as an expression of the graph.
    pub(super) fn node(&self, graph: &mut Graph) -> NodeId {
        let parts = self.terms().map(|(factor, monomial)| (factor, graph.monomial(monomial.iter().copied())));
        let parts: Vec<(f64, NodeId)> = parts.collect();
        graph.combination(parts)
    }
}

/// The power of an atom in a monomial, in halves.
pub(super) fn halves_of(monomial: &Monomial, atom: NodeId) -> i32 {
    monomial.iter().find(|(known, _)| *known == atom).map_or(0, |(_, halves)| *halves)
}

/// The product; `None` if a power exceeds an exponent.
fn merged(left: &Monomial, right: &Monomial) -> Option<Monomial> {
    let mut all = Monomial::with_capacity(left.len() + right.len());
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (l.peek(), r.peek()) {
            (Some(&&(a, i)), Some(&&(b, j))) if a == b => {
                let halves = i.checked_add(j)?;
                if halves != 0 {
                    all.push((a, halves));
                }
                l.next();
                r.next();
            }
            (Some(&&a), Some(&&b)) if a.0 < b.0 => {
                all.push(a);
                l.next();
            }
            (_, Some(&&b)) => {
                all.push(b);
                r.next();
            }
            (Some(&&a), None) => {
                all.push(a);
                l.next();
            }
            (None, None) => return Some(all),
        }
    }
}
