//! A potential as a sum of functions of one distance: V = Σ_k U_k(s_k), s_k = |x_i − x_j|² or |x_i|².

use crate::method::links::{LARGEST, Link, LinkEnd, Slots, ends};
use crate::system::{Element, Elements, Layout, Natural};

/// The elements of a potential, each a function of one distance.
pub(super) struct Distances<'s> {
    elements: &'s dyn Elements,
    links: Vec<Link>,
    parts: Vec<DistanceTerm>,
}

/// An element; for each value that it reads, the end of the link and the component.
struct DistanceTerm {
    element: Element,
    slots: Slots,
    reads: usize,
}

/// The largest relative difference of the values at two placements with equal distance.
const TOLERANCE: f64 = 1e-10;
/// Directions on a line, in the plane and in space, by their first components.
const DIRECTIONS: [[f64; 3]; 4] = [[-1.0, 0.3, 0.2], [0.4, -1.1, 0.7], [-0.6, -0.5, -1.3], [0.9, 1.7, -0.8]];

impl<'s> Distances<'s> {
    /// Splits the potential of `system` into its elements, near the positions q.
    ///
    /// Tests, without a proof, that each element depends on one distance: at its distance at q and at
    /// two others near it, turned and moved.
    ///
    /// # Errors
    /// A description of an element that depends on anything else.
    pub(super) fn new<S: Natural + ?Sized>(system: &'s S, q: &[f64], t: f64) -> Result<Self, String> {
        let Some(elements) = system.elements() else {
            return Err("it does not say of which elements it is the sum".to_owned());
        };
        let mut found = Self { elements, links: Vec::new(), parts: Vec::new() };
        let mut refused = None;
        elements.visit_elements(&mut |element, reads| {
            if refused.is_none() {
                let why = found.push(system.layout(), element, reads, q, t);
                refused = why.err().map(|why| format!("`{}` {why}", elements.element_name(element)));
            }
        });
        refused.map_or(Ok(found), Err)
    }

    fn push(
        &mut self,
        layout: &Layout,
        element: Element,
        reads: &[u32],
        q: &[f64],
        t: f64,
    ) -> Result<(), &'static str> {
        let (link, slots) = ends(layout, reads)?;
        self.parts.push(DistanceTerm { element, slots, reads: reads.len() });
        self.links.push(link);
        if self.depends_on_distance(self.links.len() - 1, q, t) {
            Ok(())
        } else {
            Err("depends on more than one distance")
        }
    }

    /// The pair of points that each U_k reads.
    pub(super) fn links(&self) -> &[Link] {
        &self.links
    }

    /// U_k and ∂U_k/∂s at the squared distance `square` > 0.
    pub(super) fn along(&self, k: usize, square: f64, t: f64) -> [f64; 2] {
        let distance = square.sqrt();
        let DistanceTerm { element, slots, reads } = &self.parts[k];
        let (x, mut gradient) = (self.placed(k, [[distance, 0.0, 0.0], [0.0; 3]]), [0.0; LARGEST]);
        self.elements.element_gradient(*element, &x[..*reads], t, &mut gradient[..*reads]);
        let slots = slots[..*reads].iter().zip(&gradient);
        let slope: f64 = slots.filter(|(slot, _)| **slot == (LinkEnd::From, 0)).map(|(_, slope)| slope).sum();
        [self.elements.element_value(*element, &x[..*reads], t), 0.5 * slope / distance]
    }

    /// The values that the element of term k reads with its ends at these points.
    fn placed(&self, k: usize, ends: [[f64; 3]; 2]) -> [f64; LARGEST] {
        let DistanceTerm { slots, reads, .. } = &self.parts[k];
        let mut x = [0.0; LARGEST];
        for (x, &(end, component)) in x.iter_mut().zip(&slots[..*reads]) {
            *x = ends[end as usize][component];
        }
        x
    }

    fn depends_on_distance(&self, k: usize, q: &[f64], t: f64) -> bool {
        let link = self.links[k];
        let DistanceTerm { element, reads, .. } = self.parts[k];
        let length = norm(link.vector(q));
        [0.9, 1.0, 1.2].into_iter().all(|stretch| {
            let distance = stretch * length;
            let [value, slope] = self.along(k, distance * distance, t);
            let size = value.abs() + (distance * distance * slope).abs();
            DIRECTIONS.iter().all(|direction| {
                let mut vector = [0.0; 3];
                vector[..link.components].copy_from_slice(&direction[..link.components]);
                let scale = distance / norm(vector);
                let aside = if link.to.is_some() { 0.3 * length } else { 0.0 };
                let x = self.placed(k, [vector.map(|c| scale * c + aside), [aside; 3]]);
                let other = self.elements.element_value(element, &x[..reads], t);
                (other - value).abs() <= TOLERANCE * size
            })
        })
    }
}

fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|c| c * c).sum::<f64>().sqrt()
}
