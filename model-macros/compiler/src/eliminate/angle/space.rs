//! The vectors that an expression is made of and the words that are made of them: other vectors, and scalars that may be factors.

use super::polynomial::{Polynomial, VARIABLES};
use crate::graph::{Graph, Leaf, Node, NodeId, Number};
use std::collections::{BTreeMap, BTreeSet};

/// A vector. Products come first: where they fit, the factors before them are shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// The vector product of two, in space.
    Normal(usize, usize),
    /// One turned by a right angle, in the plane.
    Turned(usize),
    /// One of those of the expression.
    Side(usize),
}

/// A number that vectors determine.
#[derive(Debug, Clone, Copy)]
enum Scalar {
    /// The product of two vectors.
    Dot(Word, Word),
    /// The expression under a root.
    Radicand(NodeId),
}

/// number · Π scalar^(halves / 2), with scalars by their numbers.
#[derive(Debug)]
pub(super) struct Powers {
    number: f64,
    halves: BTreeMap<usize, i32>,
}

impl Powers {
    pub(super) fn scale(&mut self, factor: f64) {
        self.number *= factor;
    }

    pub(super) fn raise(&mut self, scalar: usize, halves: i32) {
        *self.halves.entry(scalar).or_default() += halves;
    }

    pub(super) fn divided(mut self, by: &Self) -> Self {
        self.number /= by.number;
        by.halves.iter().for_each(|(scalar, halves)| self.raise(*scalar, -halves));
        self
    }
}

/// The node and the sign of each component of a vector.
type Parts = BTreeMap<usize, (NodeId, f64)>;

/// The vectors of an expression, and words.
#[derive(Debug)]
pub(super) struct Space {
    /// The node and the sign of each component of each vector.
    vectors: Vec<Vec<(NodeId, f64)>>,
    /// The components of each word.
    words: BTreeMap<Word, Vec<Polynomial>>,
    /// The scalars, squares first.
    scalars: Vec<(Scalar, Polynomial)>,
}

impl Space {
    /// The vectors that expressions are made of: points or differences of points, all in the plane or all in space. None if
    /// there is anything else, or if there are too many.
    pub(super) fn of(graph: &Graph, roots: &[NodeId]) -> Option<Self> {
        let mut groups: BTreeMap<Vec<(usize, u64)>, Parts> = BTreeMap::new();
        let (mut open, mut seen) = (roots.to_vec(), BTreeSet::new());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(Component { points, number, sign }) = Component::of(graph, id) {
                groups.entry(points).or_default().insert(number, (id, sign));
            } else if matches!(graph.node(id), Node::Leaf(_)) {
                return None;
            } else {
                open.extend(graph.node(id).operands());
            }
        }
        let dimension = groups.values().next()?.len();
        let whole = |vector: &Parts| vector.keys().copied().eq(0..dimension);
        if !(2..=3).contains(&dimension)
            || groups.len() * dimension > VARIABLES
            || !groups.values().all(whole)
        {
            return None;
        }
        let vectors = groups.into_values().map(|vector| vector.into_values().collect()).collect();
        let mut space = Self { vectors, words: BTreeMap::new(), scalars: Vec::new() };
        space.find_words()?;
        space.find_scalars()?;
        Some(space)
    }

    /// The number of vectors.
    pub(super) fn vectors(&self) -> usize {
        self.vectors.len()
    }

    /// The number of components of each vector.
    pub(super) fn dimension(&self) -> usize {
        self.vectors.first().map_or(0, Vec::len)
    }

    /// The variables that are the components of a vector.
    pub(super) fn components(&self, vector: usize) -> std::ops::Range<usize> {
        vector * self.dimension()..(vector + 1) * self.dimension()
    }

    /// The node of a component, and the sign before it.
    pub(super) fn component(&self, vector: usize, component: usize) -> (NodeId, f64) {
        self.vectors[vector][component]
    }

    fn find_words(&mut self) -> Option<()> {
        for vector in 0..self.vectors() {
            let side: Vec<Polynomial> = self.components(vector).map(Polynomial::variable).collect();
            if let [x, y] = &side[..] {
                let turned = vec![Polynomial::default().plus(-1, y)?, x.clone()];
                self.words.insert(Word::Turned(vector), turned);
            }
            self.words.insert(Word::Side(vector), side);
        }
        if self.dimension() == 3 {
            for (a, b) in pairs(self.vectors()) {
                let [of_a, of_b] = [a, b].map(|side| self.words.get(&Word::Side(side)));
                let (of_a, of_b) = (of_a?, of_b?);
                let normal = [(1, 2), (2, 0), (0, 1)].map(|plane| area(of_a, of_b, plane));
                self.words.insert(Word::Normal(a, b), normal.into_iter().collect::<Option<_>>()?);
            }
        }
        Some(())
    }

    fn find_scalars(&mut self) -> Option<()> {
        let squares = self.words.keys().filter(|word| !matches!(word, Word::Turned(_)));
        let mut products: Vec<(Word, Word)> = squares.map(|word| (*word, *word)).collect();
        for (a, b) in pairs(self.vectors()) {
            products.push((Word::Side(a), Word::Side(b)));
            if self.dimension() == 3 {
                products.extend((b + 1..self.vectors()).map(|c| (Word::Side(a), Word::Normal(b, c))));
            } else {
                products.push((Word::Turned(a), Word::Side(b)));
            }
        }
        for (a, b) in products {
            let mut product = Polynomial::default();
            for (a, b) in self.words.get(&a)?.iter().zip(self.words.get(&b)?) {
                product = product.plus(1, &a.times(b)?)?;
            }
            self.scalars.push((Scalar::Dot(a, b), product));
        }
        Some(())
    }

    /// An expression without the roots in it, and the scalars that stand under these.
    pub(super) fn without_roots(&mut self, graph: &Graph, id: NodeId) -> Option<(Polynomial, Vec<usize>)> {
        let (mut plain, inner) = match graph.node(id) {
            Node::Sum { constant, terms } if terms.len() == 1 && constant.0 == 0.0 => {
                (Polynomial::constant(integer(terms[0].0.0)?), terms[0].1)
            }
            _ => (Polynomial::constant(1), id),
        };
        let alone = vec![(inner, 2)];
        let factors = match graph.node(inner) {
            Node::Product(factors) => factors,
            _ => &alone,
        };
        let mut roots = Vec::new();
        for &(base, halves) in factors {
            let polynomial = self.polynomial(graph, base)?;
            for _ in 0..u32::try_from(halves).ok()? / 2 {
                plain = plain.times(&polynomial)?;
            }
            if halves % 2 != 0 {
                roots.push(self.radicand(base, polynomial)?);
            }
        }
        Some((plain, roots))
    }

    /// The scalar that stands under a root.
    fn radicand(&mut self, id: NodeId, polynomial: Polynomial) -> Option<usize> {
        if let Some(known) = self.scalars.iter().position(|(_, scalar)| *scalar == polynomial) {
            return Some(known);
        }
        if polynomial.as_constant().is_some() {
            return None;
        }
        self.scalars.push((Scalar::Radicand(id), polynomial));
        Some(self.scalars.len() - 1)
    }

    /// An expression as a polynomial of the components.
    fn polynomial(&self, graph: &Graph, id: NodeId) -> Option<Polynomial> {
        let components = self.vectors.iter().flatten().enumerate();
        if let Some((variable, (_, sign))) = components.into_iter().find(|(_, (node, _))| *node == id) {
            return Polynomial::default().plus(integer(*sign)?, &Polynomial::variable(variable));
        }
        match graph.node(id) {
            Node::Constant(value) => Some(Polynomial::constant(integer(value.0)?)),
            Node::Sum { constant, terms } => {
                let constant = Polynomial::constant(integer(constant.0)?);
                terms.iter().try_fold(constant, |sum, (factor, term)| {
                    sum.plus(integer(factor.0)?, &self.polynomial(graph, *term)?)
                })
            }
            Node::Product(factors) => {
                let mut product = Polynomial::constant(1);
                for &(base, halves) in factors {
                    let power = u32::try_from(halves).ok().filter(|halves| halves % 2 == 0)? / 2;
                    let base = self.polynomial(graph, base)?;
                    for _ in 0..power {
                        product = product.times(&base)?;
                    }
                }
                Some(product)
            }
            _ => None,
        }
    }

    /// The product of scalars.
    pub(super) fn multiplied(&self, scalars: &[usize]) -> Option<Polynomial> {
        let one = Polynomial::constant(1);
        scalars.iter().try_fold(one, |product, scalar| product.times(&self.scalars[*scalar].1))
    }

    /// A polynomial as a product of powers of scalars.
    pub(super) fn factored(&self, polynomial: &Polynomial) -> Option<Powers> {
        let (mut rest, mut halves) = (polynomial.clone(), BTreeMap::new());
        for (number, (_, scalar)) in self.scalars.iter().enumerate() {
            while rest.as_constant().is_none()
                && let Some(quotient) = rest.divided(scalar)
            {
                rest = quotient;
                *halves.entry(number).or_default() += 2;
            }
        }
        let number = rest.as_constant().filter(|number| (1..1 << 53).contains(&number.unsigned_abs()))?;
        Some(Powers { number: number as f64, halves })
    }

    /// A vector as a sum of at most two words with factors.
    pub(super) fn resolved(&self, vector: &[Polynomial]) -> Option<Vec<(Word, Polynomial)>> {
        if vector.iter().all(Polynomial::is_zero) {
            return Some(Vec::new());
        }
        let words: Vec<(Word, &[Polynomial])> =
            self.words.iter().map(|(word, components)| (*word, &components[..])).collect();
        let by_one = |(word, components): &(Word, &[Polynomial])| {
            let place = components.iter().position(|component| !component.is_zero())?;
            let factor = vector[place].divided(&components[place])?;
            is_sum(vector, &[(&factor, components)])?.then(|| vec![(*word, factor)])
        };
        let by_two = |(first, second): (usize, usize)| {
            let ((first, a), (second, b)) = (words[first], words[second]);
            if !may_be_in_a_plane(vector, a, b) {
                return None;
            }
            let mut planes = pairs(self.dimension()).into_iter();
            let (plane, whole) = planes.find_map(|plane| {
                let area = area(a, b, plane)?;
                (!area.is_zero()).then_some((plane, area))
            })?;
            let by_a = area(vector, b, plane)?.divided(&whole)?;
            let by_b = area(a, vector, plane)?.divided(&whole)?;
            is_sum(vector, &[(&by_a, a), (&by_b, b)])?.then(|| vec![(first, by_a), (second, by_b)])
        };
        words.iter().find_map(by_one).or_else(|| pairs(words.len()).into_iter().find_map(by_two))
    }

    /// The node of a component of a word.
    pub(super) fn word(&self, graph: &mut Graph, word: Word, component: usize) -> NodeId {
        let side = |graph: &mut Graph, vector: usize, component: usize| {
            let (node, sign) = self.component(vector, component % self.dimension());
            graph.scale(sign, node)
        };
        match word {
            Word::Side(vector) => side(graph, vector, component),
            Word::Turned(vector) => {
                let other = side(graph, vector, component + 1);
                graph.scale(if component == 0 { -1.0 } else { 1.0 }, other)
            }
            Word::Normal(a, b) => {
                let (x, y) = (component + 1, component + 2);
                let [ax, ay, bx, by] = [(a, x), (a, y), (b, x), (b, y)].map(|(v, c)| side(graph, v, c));
                let (straight, crossed) = (graph.multiply(ax, by), graph.multiply(ay, bx));
                graph.subtract(straight, crossed)
            }
        }
    }

    /// The node of a product of powers of scalars.
    pub(super) fn product(&self, graph: &mut Graph, powers: &Powers) -> NodeId {
        let mut factors = Vec::new();
        for (scalar, halves) in &powers.halves {
            let scalar = match self.scalars[*scalar].0 {
                Scalar::Radicand(id) => id,
                Scalar::Dot(a, b) => {
                    let parts = (0..self.dimension()).map(|component| {
                        let (x, y) = (self.word(graph, a, component), self.word(graph, b, component));
                        (1.0, graph.multiply(x, y))
                    });
                    let parts: Vec<(f64, NodeId)> = parts.collect();
                    graph.combination(parts)
                }
            };
            factors.push((scalar, *halves));
        }
        let product = graph.monomial(factors);
        graph.scale(powers.number, product)
    }
}

/// A component of a point, or of a difference of points.
struct Component {
    /// The points and their factors, as bits; the first one is positive.
    points: Vec<(usize, u64)>,
    /// The number of the component: 0, 1 or 2.
    number: usize,
    /// The sign before the first point.
    sign: f64,
}

impl Component {
    fn of(graph: &Graph, id: NodeId) -> Option<Self> {
        let alone = vec![(Number(1.0), id)];
        let terms = match graph.node(id) {
            Node::Sum { constant, terms } if constant.0 == 0.0 => terms,
            _ => &alone,
        };
        let (mut points, mut numbers) = (Vec::new(), BTreeSet::new());
        for (factor, term) in terms {
            let Node::Leaf(Leaf::Position { gather, component }) = *graph.node(*term) else { return None };
            points.push((gather, factor.0));
            numbers.insert(component);
        }
        points.sort_by_key(|(gather, _)| *gather);
        let sign = points.first()?.1.signum();
        let points = points.into_iter().map(|(gather, factor)| (gather, (sign * factor).to_bits()));
        let points = points.collect();
        (numbers.len() == 1).then(|| Self { points, number: numbers.pop_first().unwrap_or(0), sign })
    }
}

/// A number that is an integer of moderate size.
fn integer(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e6).then_some(value as i64)
}

fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect()
}

/// a_x b_y − a_y b_x.
fn area(a: &[Polynomial], b: &[Polynomial], (x, y): (usize, usize)) -> Option<Polynomial> {
    a[x].times(&b[y])?.plus(-1, &a[y].times(&b[x])?)
}

/// True if a vector is a sum of others with their factors.
fn is_sum(vector: &[Polynomial], parts: &[(&Polynomial, &[Polynomial])]) -> Option<bool> {
    for (component, whole) in vector.iter().enumerate() {
        let mut rest = whole.clone();
        for (factor, part) in parts {
            rest = rest.plus(-1, &factor.times(&part[component])?)?;
        }
        if !rest.is_zero() {
            return Some(false);
        }
    }
    Some(true)
}

/// True if three vectors are in one plane at some place, up to multiples of 2⁶⁴: worth the time to prove it.
fn may_be_in_a_plane(a: &[Polynomial], b: &[Polynomial], c: &[Polynomial]) -> bool {
    const PLACE: [u64; VARIABLES] = [3, 8, 29, 50, 71, 7, 113, 16, 131, 37, 2, 95];
    if a.len() < 3 {
        return true;
    }
    let [a, b, c] = [a, b, c].map(|vector| vector.iter().map(|x| x.at(&PLACE)).collect::<Vec<_>>());
    let minor = |x: usize, y: usize| b[x].wrapping_mul(c[y]).wrapping_sub(b[y].wrapping_mul(c[x]));
    let planes = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
    let volume = planes.map(|(k, x, y)| a[k].wrapping_mul(minor(x, y)));
    volume.into_iter().fold(0, u64::wrapping_add) == 0
}
