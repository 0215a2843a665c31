//! V: its derivatives, its elements, its stiff part, and a fast phase in it.

use super::Assembly;
use crate::binding::family::Family;
use crate::binding::instant::Instant;
use crate::binding::near::family::NearFamily;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Driven, Element, Elements, Natural, Stiff, System, Vibrated};

impl Natural for Assembly {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q], []) else { return f64::NAN };
        let now = &self.at(t);
        self.value(q, now)
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q], []) else { return f64::NAN };
        let now = &self.at(t);
        self.rate(q, now)
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        let Some(()) = self.fits(&[q], [gradient]) else { return };
        let now = &self.at(t);
        gradient.fill(0.0);
        self.add_potential_gradient(q, now, gradient);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        match &self.staged {
            None => &self.potential_by_z().pattern,
            Some(staged) => self.staged_pattern(staged),
        }
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [gradient, hessian]) else { return };
        let now = &self.at(t);
        gradient.fill(0.0);
        self.add_potential_second(q, now, gradient, hessian);
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [product]) else { return };
        let now = &self.at(t);
        product.fill(0.0);
        match &self.staged {
            None => self.terms().add_product(q, now, a, product),
            Some(staged) => self.staged_product(staged, q, now, a, product),
        }
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [contraction]) else { return };
        let now = &self.at(t);
        contraction.fill(0.0);
        match &self.staged {
            None => self.terms().add_third(q, now, a, contraction),
            Some(staged) => self.staged_third(staged, q, now, a, contraction),
        }
    }

    fn elements(&self) -> Option<&dyn Elements> {
        // A function of sums is no sum of functions of a few coordinates, and a list changes with the state, which elements do not.
        let is_sum = self.staged.is_none() && self.near.iter().all(NearFamily::has_elements);
        if is_sum { Some(self) } else { None }
    }
}

/// The families of the potential, one after the other.
impl Elements for Assembly {
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32])) {
        for (terms, family) in self.potential.iter().zip(0..) {
            let mut index = 0;
            terms.visit_inputs(&mut |reads| {
                if !reads.is_empty() {
                    visit(Element { family, index }, reads);
                }
                index += 1;
            });
        }
        for (terms, family) in self.near.iter().zip(self.potential.len() as u32..) {
            terms.visit_elements(&mut |index, reads| visit(Element { family, index }, reads));
        }
    }

    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64 {
        match self.family_of(element, x) {
            Some((family, index)) => family.alone(index, &family.kernel.value, x, &self.at(t), &mut []),
            None => self
                .near_family_of(element)
                .map_or(f64::NAN, |family| family.element_value(element.index, x, &self.at(t), &mut [])),
        }
    }

    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        match self.family_of(element, x).filter(|_| gradient.len() == x.len()) {
            Some((family, index)) => {
                gradient.fill(0.0);
                family.alone(index, &family.kernel.gradient, x, &self.at(t), gradient);
            }
            None => match self.near_family_of(element).filter(|_| gradient.len() == x.len()) {
                Some(family) => {
                    family.element_value(element.index, x, &self.at(t), gradient);
                }
                None => gradient.fill(f64::NAN),
            },
        }
    }

    fn element_name(&self, element: Element) -> String {
        let family = self.potential.get(element.family as usize).map(|family| family.kernel.name);
        family.or_else(|| self.near_family_of(element).map(NearFamily::name)).unwrap_or("").to_owned()
    }

    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let vanishes = |form: &&[(usize, f64)]| {
            form.iter().map(|&(input, factor)| factor * direction[input]).sum::<f64>() == 0.0
        };
        match self.family_of(element, direction) {
            Some((family, _)) => family.kernel.forms.iter().all(vanishes),
            None => self.near_family_of(element).is_some_and(|family| family.is_invariant(direction)),
        }
    }

    fn depends_on_time(&self) -> bool {
        self.facts.classification.time || self.phase.is_some()
    }
}

impl Assembly {
    /// The family of an element, and its place there, if it reads as many numbers as these.
    fn family_of(&self, element: Element, reads: &[f64]) -> Option<(&Family, usize)> {
        let (family, index) = (self.potential.get(element.family as usize)?, element.index as usize);
        (index < family.len() && family.kernel.inputs.len() == reads.len()).then_some((family, index))
    }

    /// The sum over near pairs that an element belongs to.
    fn near_family_of(&self, element: Element) -> Option<&NearFamily> {
        self.near.get((element.family as usize).checked_sub(self.potential.len())?)
    }
}

impl Stiff for Assembly {
    fn stiff_pattern(&self) -> &SymmetricPattern {
        match &self.staged {
            None => &self.stiff_by_z().pattern,
            Some(staged) => self.staged_stiff_pattern(staged),
        }
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [hessian]) else { return };
        let (now, n) = (&self.at(t), self.dimension());
        self.gradient.with(|gradient| {
            let gradient = &mut gradient[..n];
            match &self.staged {
                None => {
                    self.stiff_by_z().add(self.stiff_terms(), q, now, gradient, hessian);
                }
                Some(staged) => self.staged_stiff(staged, q, now, gradient, hessian),
            }
        });
    }
}

impl Driven for Assembly {
    fn frequency(&self) -> f64 {
        self.phase.map_or(0.0, |[frequency, _]| frequency)
    }

    fn initial_phase(&self) -> f64 {
        self.phase.map_or(0.0, |[_, initial]| initial)
    }

    fn is_even_in_phase(&self) -> bool {
        self.facts.classification.even_in_phase == Some(true)
    }
    fn constraints_depend_on_phase(&self) -> bool {
        self.facts.classification.phase_in_constraints
    }
}

impl Vibrated for Assembly {
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        let Some(()) = self.fits(&[q], [gradient]) else { return };
        let now = &self.signals.at(Instant { t, theta }, None);
        gradient.fill(0.0);
        self.add_potential_gradient(q, now, gradient);
    }
}
