//! Forces F(q, v, t), dissipations among them.

use super::{Assembly, Dissipated};
use crate::binding::instant::Instant;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::sparse::RowPattern;
use crate::system::{Forced, Sampling, System, first_velocity};

impl Forced for Assembly {
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        self.add_force_sampled(q, v, t, None, force);
    }

    fn force_pattern(&self) -> &RowPattern {
        &self.forces.pattern
    }

    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        self.forces.afforded(self.facts.name, "the derivatives of the forces")
    }

    fn force_is_of_near_pairs(&self) -> bool {
        let read = |dissipated: &Dissipated| self.motion.stages.read_by(&dissipated.families);
        self.dissipated.iter().flat_map(read).any(|stage| !stage.elements.near.is_empty())
    }

    fn first_velocity(&self) -> Option<usize> {
        match self.forces.refused {
            Some(_) => self.first_velocity_through_sums(),
            None => first_velocity(&self.forces.pattern, self.dimension()),
        }
    }

    fn add_dissipation(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [force]) else { return };
        let (x, now): ([&[f64]; 3], _) = ([q, v, &[t]], &self.at(t));
        self.forces.add_values((&self.motion, self.first_dissipation), (&x, now), force);
        self.add_dissipated(&x, now, force);
    }

    fn add_force_derivatives(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        self.add_force_derivatives_sampled(q, v, t, None, force, derivatives);
    }

    fn takes_inputs(&self) -> bool {
        self.signals.has_inputs()
    }

    fn add_force_sampled(&self, q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [force]) else { return };
        let now = &self.signals.at(Instant::of(t, self.phase), sampling);
        let x: [&[f64]; 3] = [q, v, &[t]];
        self.forces.add_values((&self.motion, 0), (&x, now), force);
        self.add_dissipated(&x, now, force);
    }

    fn add_force_derivatives_sampled(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        sampling: Option<Sampling>,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [force, derivatives]) else { return };
        let now = &self.signals.at(Instant::of(t, self.phase), sampling);
        if self.forces.refused.is_some() {
            // Who is refused them does not ask for them.
            return self.add_force_sampled(q, v, t, sampling, force);
        }
        let x: [&[f64]; 3] = [q, v, &[t]];
        self.forces.add_jacobian((&self.motion, 0), (&x, now), force, derivatives);
        self.add_dissipated_derivatives((&x, now), force, derivatives);
    }

    fn force_is_symmetric(&self) -> bool {
        self.force_is_symmetric
    }

    fn force_is_of_velocity(&self) -> bool {
        self.force_is_of_velocity
    }

    fn dissipates(&self) -> bool {
        self.first_dissipation < self.forces.families.len() || self.dissipated.is_some()
    }

    fn add_dissipation_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [derivatives]) else { return };
        if self.forces.refused.is_some() {
            return;
        }
        let (x, now): ([&[f64]; 3], _) = ([q, v, &[t]], &self.at(t));
        let of_dissipations = (&self.motion, self.first_dissipation);
        self.forces.add_jacobian(of_dissipations, (&x, now), &mut [], derivatives);
        self.add_dissipated_derivatives((&x, now), &mut [], derivatives);
    }
}

impl Assembly {
    /// The first degree of freedom on whose velocity a force depends, where its derivatives are not
    /// assembled: of forces that depend on velocities through sums, the first that sums read.
    fn first_velocity_through_sums(&self) -> Option<usize> {
        let (n, stages) = (self.dimension(), &self.motion.stages);
        let (moved, mut depends) = (stages.moved(), false);
        let mut first = n;
        let mut see = |at: usize| {
            if (n..2 * n).contains(&at) {
                first = first.min(at - n);
            }
        };
        Terms::of(&self.forces.families).visit_rows(&mut |_, column| {
            depends |= moved[column];
            see(column);
        });
        for family in self.dissipated.iter().flat_map(|dissipated| &dissipated.families) {
            family.visit_inputs(&mut |inputs| {
                for at in inputs {
                    depends |= moved[*at as usize];
                    see(*at as usize);
                }
            });
        }
        if !depends {
            return None;
        }
        for stage in &stages.all {
            let Terms { families, near } = stage.elements.all();
            families.iter().for_each(|family| family.visit_rows(&mut |_, at| see(at)));
            near.iter().for_each(|family| family.visit_supplied(&mut |at| see(at as usize)));
        }
        Some(first)
    }
}
