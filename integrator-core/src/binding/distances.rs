//! Whether each element of a potential depends on one distance alone, and what it is as a function of it.

use super::family::PotentialTerm;
use crate::system::{Distances, Kind, Layout, Link};

/// The elements of all families, each a function of one distance.
pub(super) struct BoundDistances<'s> {
    terms: Vec<&'s dyn PotentialTerm>,
    links: Vec<Link>,
    elements: Vec<Element>,
}

/// An element and what its local coordinates are.
struct Element {
    term: usize,
    element: usize,
    /// For each local coordinate: the end of the link, and the component.
    slots: [(End, usize); LARGEST],
    variables: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    From,
    To,
}

/// Two points in space.
const LARGEST: usize = 6;
/// Two placements at the same distance give values that differ by no more than this part of their size.
const TOLERANCE: f64 = 1e-10;

impl<'s> BoundDistances<'s> {
    /// Takes the families apart, near the positions q.
    ///
    /// That an element depends on a distance alone is not proven but tried: at the distance that it has at q and at others near
    /// it, turned and moved.
    ///
    /// # Errors
    /// An element that does not, in words.
    pub(super) fn new(
        terms: &'s [Box<dyn PotentialTerm>],
        layout: &Layout,
        q: &[f64],
        t: f64,
    ) -> Result<Self, String> {
        let mut found = Self { terms: Vec::new(), links: Vec::new(), elements: Vec::new() };
        for term in terms {
            let summary = term.summary();
            let refused = |why: &str| format!("`{}` {why}", summary.name);
            let inputs = term.inputs();
            found.terms.push(term.as_ref());
            for element in 0..summary.elements {
                let reads = &inputs[element * summary.variables..(element + 1) * summary.variables];
                let (link, slots) = ends(layout, reads).map_err(refused)?;
                found.elements.push(Element {
                    term: found.terms.len() - 1,
                    element,
                    slots,
                    variables: summary.variables,
                });
                found.links.push(link);
                if !found.depends_on_distance(found.links.len() - 1, q, t) {
                    return Err(refused("depends on more than one distance"));
                }
            }
        }
        Ok(found)
    }

    /// Value and gradient of an element with its ends at these places.
    fn value(&self, k: usize, ends: [[f64; 3]; 2], t: f64) -> (f64, [f64; LARGEST]) {
        let Element { term, element, slots, variables } = &self.elements[k];
        let (mut x, mut gradient) = ([0.0; LARGEST], [0.0; LARGEST]);
        for (x, &(end, component)) in x.iter_mut().zip(&slots[..*variables]) {
            *x = ends[end as usize][component];
        }
        let value = self.terms[*term].element(*element, &x[..*variables], t, &mut gradient[..*variables]);
        (value, gradient)
    }

    fn depends_on_distance(&self, k: usize, q: &[f64], t: f64) -> bool {
        let link = self.links[k];
        let length = norm(link.vector(q));
        [0.9, 1.0, 1.2].into_iter().all(|stretch| {
            let distance = stretch * length;
            let [value, slope] = self.along(k, distance * distance, t);
            let size = value.abs() + (distance * distance * slope).abs();
            DIRECTIONS.iter().all(|direction| {
                let mut vector = [0.0; 3];
                vector[..link.components].copy_from_slice(&direction[..link.components]);
                let scale = distance / norm(vector);
                let (from, to) = match link.to {
                    Some(_) => (vector.map(|c| scale * c + 0.3 * length), vector.map(|_| 0.3 * length)),
                    None => (vector.map(|c| scale * c), [0.0; 3]),
                };
                let (other, _) = self.value(k, [from, to], t);
                (other - value).abs() <= TOLERANCE * size
            })
        })
    }
}

/// Directions in a line, the plane or space, by their first components.
const DIRECTIONS: [[f64; 3]; 4] = [[-1.0, 0.3, 0.2], [0.4, -1.1, 0.7], [-0.6, -0.5, -1.3], [0.9, 1.7, -0.8]];

impl Distances for BoundDistances<'_> {
    fn links(&self) -> &[Link] {
        &self.links
    }

    fn along(&self, k: usize, square: f64, t: f64) -> [f64; 2] {
        let distance = square.sqrt();
        let (value, gradient) = self.value(k, [[distance, 0.0, 0.0], [0.0; 3]], t);
        let Element { slots, variables, .. } = &self.elements[k];
        let slots = slots[..*variables].iter().zip(&gradient);
        let slope: f64 = slots.filter(|(slot, _)| **slot == (End::From, 0)).map(|(_, slope)| slope).sum();
        [value, 0.5 * slope / distance]
    }
}

/// The points that an element reads, and where it reads their components.
fn ends(layout: &Layout, reads: &[u32]) -> Result<(Link, [(End, usize); LARGEST]), &'static str> {
    let mut slots = [(End::From, 0); LARGEST];
    if reads.len() > LARGEST {
        return Err("reads more than two points");
    }
    let mut link: Option<Link> = None;
    for (slot, &index) in slots.iter_mut().zip(reads) {
        let index = index as usize;
        let groups = layout.coordinates().iter();
        let Some(group) = groups.rev().find(|group| group.offset <= index) else { continue };
        if !matches!(group.kind, Kind::Scalar | Kind::Vec2 | Kind::Vec3) {
            return Err("reads angles or matrices, which are not points");
        }
        let components = group.kind.components();
        let component = (index - group.offset) % components;
        let point = index - component;
        let known = link.get_or_insert(Link { from: point, to: None, components });
        if known.components != components {
            return Err("reads points of different spaces");
        }
        let end = if known.from == point {
            End::From
        } else if *known.to.get_or_insert(point) == point {
            End::To
        } else {
            return Err("reads more than two points");
        };
        *slot = (end, component);
    }
    link.map(|link| (link, slots)).ok_or("reads no coordinate")
}

fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|c| c * c).sum::<f64>().sqrt()
}
