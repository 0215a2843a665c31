//! V: its derivatives, its elements, its stiff part, and a fast phase in it.

use super::Assembly;
use crate::binding::family::Family;
use crate::binding::instant::Instant;
use crate::binding::kernel::Operation;
use crate::binding::near::family::NearFamily;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{Driven, Element, Elements, EvenInPhase, Natural, Stiff, Vibrated};

impl Natural for Assembly {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q], []) else { return f64::NAN };
        self.v().value(&[q], &self.at(t))
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        let Some(()) = self.fits(&[q], []) else { return f64::NAN };
        self.rate(q, &self.at(t))
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.write_gradient(q, self.instant(t), gradient);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        // A caller whose second derivatives were refused does not come here.
        self.second_of_potential().map_or(&self.mass.pattern, |second| &second.pattern)
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [gradient, hessian]) else { return };
        gradient.fill(0.0);
        if let Ok(second) = self.second_of_potential() {
            second.write(self.v(), (&[q], &self.at(t)), gradient, hessian);
        }
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [product]) else { return };
        product.fill(0.0);
        self.v().add_product(q, a, &self.at(t), product);
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [contraction]) else { return };
        contraction.fill(0.0);
        self.v().add_third(q, a, &self.at(t), contraction);
    }

    fn elements(&self) -> Option<&dyn Elements> {
        // A function of sums has no elements of a few coordinates,
        // and many near pairs are too many elements.
        let is_sum = !self.v().stages.has_sums() && self.potential.near.iter().all(NearFamily::has_elements);
        if is_sum { Some(self) } else { None }
    }
}

impl Elements for Assembly {
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32])) {
        for (terms, family) in self.potential.families.iter().zip(0..) {
            let mut index = 0;
            terms.visit_inputs(&mut |reads| {
                if !reads.is_empty() {
                    visit(Element { family, index }, reads);
                }
                index += 1;
            });
        }
        for (terms, family) in self.potential.near.iter().zip(self.potential.families.len() as u32..) {
            terms.visit_elements(&mut |index, reads| visit(Element { family, index }, reads));
        }
    }

    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64 {
        match self.family_of(element, x) {
            Some((family, index)) => family.alone(index, Operation::Value, x, &self.at(t), &mut []),
            None => self
                .near_family_of(element)
                .map_or(f64::NAN, |family| family.element_value(element.index, x, &self.at(t), &mut [])),
        }
    }

    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        match self.family_of(element, x).filter(|_| gradient.len() == x.len()) {
            Some((family, index)) => {
                gradient.fill(0.0);
                family.alone(index, Operation::Gradient, x, &self.at(t), gradient);
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
        let family = self.potential.families.get(element.family as usize).map(|family| &*family.kernel.name);
        family.or_else(|| self.near_family_of(element).map(NearFamily::name)).unwrap_or("").to_owned()
    }

    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let vanishes = |form: &std::borrow::Cow<'_, [(usize, f64)]>| {
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
    pub(in crate::binding) fn write_gradient(&self, q: &[f64], now: Instant, gradient: &mut [f64]) {
        let Some(()) = self.fits(&[q], [gradient]) else { return };
        gradient.fill(0.0);
        self.v().add_gradient(&[q], &self.signals.at(now, None), gradient);
    }

    /// The family and index of an element, if it reads as many numbers as these.
    fn family_of(&self, element: Element, reads: &[f64]) -> Option<(&Family, usize)> {
        let (family, index) = (self.potential.families.get(element.family as usize)?, element.index as usize);
        (index < family.len() && family.kernel.inputs.len() == reads.len()).then_some((family, index))
    }

    /// The sum over near pairs with this element.
    fn near_family_of(&self, element: Element) -> Option<&NearFamily> {
        self.potential.near.get((element.family as usize).checked_sub(self.potential.families.len())?)
    }
}

impl Stiff for Assembly {
    fn stiff_pattern(&self) -> &SymmetricPattern {
        self.second_of_stiff().map_or(&self.mass.pattern, |second| &second.pattern)
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        let Some(()) = self.fits(&[q], [hessian]) else { return };
        let (now, Ok(second)) = (&self.at(t), self.second_of_stiff()) else { return };
        self.gradient.with(|gradient| {
            second.write(self.stiff(), (&[q], now), &mut gradient[..q.len()], hessian);
        });
    }

    fn stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let Some(()) = self.fits(&[q, a], [contraction]) else { return };
        contraction.fill(0.0);
        self.stiff().add_third(q, a, &self.at(t), contraction);
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

/// As far as the model is of such a kind.
impl EvenInPhase for Assembly {}

impl Vibrated for Assembly {
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]) {
        self.write_gradient(q, Instant { t, theta }, gradient);
    }
}
