//! Forces F(q, v, t), dissipations among them.

use super::Assembly;
use crate::binding::function::too_many;
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
        self.forces.pattern(&self.motion)
    }

    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        let too_many = |entries| too_many(&self.facts.name, "the derivatives of the forces", entries);
        self.forces.refused(&self.motion).map_or(Ok(()), |entries| Err(too_many(entries)))
    }

    fn force_is_of_near_pairs(&self) -> bool {
        let read = |families| self.motion.stages.read_by(families);
        self.forces.families().into_iter().flat_map(read).any(|stage| !stage.elements.near.is_empty())
    }

    fn first_velocity(&self) -> Option<usize> {
        if self.forces.reads_sums() {
            return self.first_velocity_through_sums();
        }
        first_velocity(self.force_pattern(), self.dimension())
    }

    fn add_dissipation(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [force]) else { return };
        self.forces.add((&self.motion, true), (&[q, v, &[t]], &self.at(t)), force);
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
        self.forces.add((&self.motion, false), (&[q, v, &[t]], now), force);
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
        self.forces.add_derivatives((&self.motion, false), (&[q, v, &[t]], now), force, derivatives);
    }

    fn force_is_symmetric(&self) -> bool {
        self.forces.are_symmetric
    }

    fn force_is_of_velocity(&self) -> bool {
        let n = self.dimension();
        self.is_still
            && self.affords_force_derivatives().is_ok()
            && self.force_pattern().entries().all(|(_, column)| column >= n)
    }

    fn force_is_linear(&self) -> bool {
        let [rows, dissipated] = self.forces.families();
        self.force_is_of_velocity()
            && dissipated.is_empty()
            && rows.iter().all(|family| family.len() == 0 || family.kernel.linear && !family.reads_sums)
    }

    fn dissipates(&self) -> bool {
        self.forces.dissipates()
    }

    fn add_dissipation_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        let Some(()) = self.fits(&[q, v], [derivatives]) else { return };
        let at: (&[&[f64]], _) = (&[q, v, &[t]], &self.at(t));
        self.forces.add_derivatives((&self.motion, true), at, &mut [], derivatives);
    }
}

impl Assembly {
    /// The first velocity that a force depends on, directly or through a sum;
    /// `None` if no force depends on velocities through sums. No derivative is assembled.
    fn first_velocity_through_sums(&self) -> Option<usize> {
        let (n, stages) = (self.dimension(), &self.motion.stages);
        let (moved, mut depends) = (stages.moved(), false);
        let mut first = n;
        let mut see = |at: usize| {
            if (n..2 * n).contains(&at) {
                first = first.min(at - n);
            }
        };
        let [rows, dissipated] = self.forces.families();
        Terms::of(rows).visit_rows(&mut |_, column| {
            depends |= moved[column];
            see(column);
        });
        for family in dissipated {
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
        for stage in [rows, dissipated].into_iter().flat_map(|families| stages.read_by(families)) {
            let Terms { families, near } = stage.elements.all();
            families.iter().for_each(|family| family.visit_rows(&mut |_, at| see(at)));
            near.iter().for_each(|family| family.visit_supplied(&mut |at| see(at as usize)));
        }
        Some(first)
    }
}
