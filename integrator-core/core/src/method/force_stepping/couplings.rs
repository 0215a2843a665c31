//! Coordinates that share an element: the pairs whose order of phases matters.

use super::grid::{Grid, Triangulation};
use super::potential::Potential;
use crate::system::{Element, Natural};
use std::ops::Range;

/// Lists of items, one list for each key.
#[derive(Debug)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// The lists of items with their keys, in any order; items of one key keep their order.
    pub(super) fn new(keys: usize, items: &[(usize, T)]) -> Self {
        let mut starts = vec![0_u32; keys + 1];
        items.iter().for_each(|(key, _)| starts[key + 1] += 1);
        (0..keys).for_each(|key| starts[key + 1] += starts[key]);
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&item| items[item].0);
        Self { starts, items: order.into_iter().map(|item| items[item].1).collect() }
    }

    #[inline]
    pub(super) fn of(&self, key: usize) -> &[T] {
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

/// An element with its places in the common lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) element: Element,
    /// The place of its first coordinate in the list of all coordinates that elements read.
    pub(super) start: u32,
    /// The number of coordinates that the element reads.
    pub(super) reads: u32,
    /// The place of its first relation in the list of relations.
    relations: u32,
}

impl Located {
    /// The places of the element's coordinates in the list of all.
    #[inline(always)]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.reads) as usize
    }
}

/// The place of a coordinate in an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) located: Located,
    /// The number of the element among all.
    pub(super) number: u32,
    /// The first place of the coordinate in the element.
    pub(super) place: u32,
}

/// The places of the two coordinates of a pair in an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members {
    pub(super) located: Located,
    pub(super) places: [u32; 2],
}

/// The pair of two coordinates of an element, and the one with the lower number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relation(u32);

impl Relation {
    fn new(pair: usize, first_is_lower: bool) -> Self {
        Self((pair as u32) << 1 | u32::from(first_is_lower))
    }

    /// The pair, and −1 for the coordinate with the lower index, 0 for the other.
    ///
    /// A coordinate and itself are the pair after the last, which saves a branch.
    #[inline(always)]
    pub(super) fn pair(self) -> (usize, i64) {
        ((self.0 >> 1) as usize, -i64::from(self.0 & 1))
    }
}

/// The pairs of coordinates that share elements, and the elements of coordinates and pairs.
#[derive(Debug)]
pub(super) struct Couplings {
    /// The pairs (a, b) with a < b, sorted.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The elements of each pair.
    pub(super) shared: Lists<Members>,
    /// The elements of each coordinate.
    pub(super) members: Lists<Member>,
    /// The elements whose force changes when the coordinate passes into the next cell.
    pub(super) reacting: Lists<Member>,
    /// For each element, each place and each other place: the relation of the two coordinates.
    relations: Vec<Relation>,
}

impl Couplings {
    /// The couplings by the elements of a potential on a grid.
    pub(super) fn of<S: Natural + ?Sized>(potential: &Potential<'_, S>, grid: &Grid) -> Self {
        let mut pairs = Vec::new();
        for element in 0..potential.elements() {
            let reads = potential.reads(element);
            for (k, &a) in reads.iter().enumerate() {
                pairs.extend(reads[k + 1..].iter().filter(|b| **b != a).map(|&b| [a.min(b), a.max(b)]));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.shrink_to_fit();
        let (mut shared, mut members, mut reacting) = (Vec::new(), Vec::new(), Vec::new());
        let mut relations = Vec::new();
        let mut steps = Vec::new();
        for element in 0..potential.elements() {
            let reads = potential.reads(element);
            steps.clear();
            steps.extend(reads.iter().map(|&a| grid.steps[a as usize]));
            // Kuhn's simplex in the next cell is a translate by all steps; mirrored cells have a kink.
            let moves_freely =
                grid.triangulation == Triangulation::Kuhn && potential.is_invariant(element, &steps);
            let located = Located {
                element: potential.id(element),
                start: potential.start(element) as u32,
                reads: reads.len() as u32,
                relations: relations.len() as u32,
            };
            for (i, &a) in reads.iter().enumerate() {
                let is_first = !reads[..i].contains(&a);
                let member = Member { located, number: element as u32, place: i as u32 };
                if is_first {
                    members.push((a as usize, member));
                    if !moves_freely {
                        reacting.push((a as usize, member));
                    }
                }
                for (j, &b) in reads.iter().enumerate() {
                    let pair = [a.min(b), a.max(b)];
                    let index = pairs.binary_search(&pair).ok();
                    relations.push(Relation::new(index.unwrap_or(pairs.len()), a < b));
                    if let Some(index) = index
                        && a < b
                        && is_first
                        && !reads[..j].contains(&b)
                    {
                        shared.push((index, Members { located, places: [i as u32, j as u32] }));
                    }
                }
            }
        }
        relations.shrink_to_fit();
        let dimension = grid.dimension();
        Self {
            shared: Lists::new(pairs.len(), &shared),
            members: Lists::new(dimension, &members),
            reacting: Lists::new(dimension, &reacting),
            pairs,
            relations,
        }
    }

    /// The relations of the coordinate at one place of an element to the coordinates at all its places.
    #[inline]
    pub(super) fn relations(&self, located: Located, place: u32) -> &[Relation] {
        let start = (located.relations + place * located.reads) as usize;
        &self.relations[start..start + located.reads as usize]
    }
}
