//! Forces F(q, v, t), dissipations among them.

use super::Assembly;
use crate::binding::instant::Instant;
use crate::binding::moving::Motion;
use crate::error::BindError;
use crate::sparse::RowPattern;
use crate::system::{Forced, Sampling, System, first_velocity};

impl Forced for Assembly {
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        self.add_force_sampled(q, v, t, None, force);
    }

    fn force_pattern(&self) -> &RowPattern {
        &self.of_forces.pattern
    }

    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        self.of_forces.afforded(self.facts.name, "the derivatives of the forces")
    }

    fn first_velocity(&self) -> Option<usize> {
        match self.of_forces.refused {
            Some(_) => self.first_velocity_through_sums(),
            None => first_velocity(&self.of_forces.pattern, self.dimension()),
        }
    }

    fn add_dissipation(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [force]) else { return };
        let now = &self.at(t);
        self.add_forces(&self.forces[self.first_dissipation..], Motion { q, v, t, now }, force);
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
        if self.force_is_of_velocity && self.moving.is_none() {
            // Nothing reads the positions.
            self.motion.with(|z| {
                z[q.len()..2 * q.len()].copy_from_slice(v);
                self.forces.iter().for_each(|term| term.add_values(z, now, force));
            });
        } else {
            self.add_forces(&self.forces, Motion { q, v, t, now }, force);
        }
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
        if self.of_forces.refused.is_some() {
            // Who is refused them does not ask for them.
            return self.add_force_sampled(q, v, t, sampling, force);
        }
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.forces.iter().for_each(|family| family.add_values(z, now, force));
            self.add_row_derivatives(&self.forces, &self.of_forces, z, now, derivatives);
        });
        self.add_forces(&[], Motion { q, v, t, now }, force);
        self.add_dissipated_derivatives(Motion { q, v, t, now }, derivatives);
    }

    fn force_is_symmetric(&self) -> bool {
        self.force_is_symmetric
    }

    fn force_is_of_velocity(&self) -> bool {
        self.force_is_of_velocity
    }

    fn dissipates(&self) -> bool {
        self.first_dissipation < self.forces.len() || self.dissipated.is_some()
    }

    fn add_dissipation_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [derivatives]) else { return };
        if self.of_forces.refused.is_some() {
            return;
        }
        let now = &self.at(t);
        self.with_motion(Motion { q, v, t, now }, |z| {
            self.add_row_derivatives(
                &self.forces[self.first_dissipation..],
                &self.of_forces,
                z,
                now,
                derivatives,
            );
        });
        self.add_dissipated_derivatives(Motion { q, v, t, now }, derivatives);
    }
}

impl Assembly {
    /// The first degree of freedom on whose velocity a force depends, where its derivatives are not assembled: of forces that depend on velocities
    /// through sums, the first that sums read.
    fn first_velocity_through_sums(&self) -> Option<usize> {
        let (n, stages) = (self.dimension(), &self.moving.as_ref()?.stages);
        let (moved, mut depends) = (stages.moved(), false);
        let mut first = n;
        let mut see = |at: usize| {
            if (n..2 * n).contains(&at) {
                first = first.min(at - n);
            }
        };
        for family in &self.forces {
            family.visit_entries(&mut |_, column| {
                depends |= moved[column];
                see(column);
            });
        }
        for family in self.dissipated() {
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
            stage.families.iter().for_each(|family| family.visit_rows(&mut |_, at| see(at)));
            stage.near.iter().for_each(|family| family.visit_supplied(&mut |at| see(at as usize)));
        }
        Some(first)
    }
}
