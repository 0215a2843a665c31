use super::temperature::free_axes;
use super::{Moment, Quantity};
use crate::carried::{Carried, CarryError, Memory, list};
use crate::error::MeasureError;
use crate::sparse::SymmetricMatrix;
use crate::system::{Coordinate, Lagrangian, Layout, State, System};

/// The mean square displacement ⟨|x(t) − x(0)|²⟩ since the first measured moment, over the points of a
/// coordinate.
///
/// Positions are never wrapped into a cell, so displacements of any length count. In a fluid it grows as
/// 2 d D t, with the diffusion constant D and the number d of components. The column is
/// `mean_square_displacement`; if several coordinates are points, each has a column with `_` and its
/// name appended.
///
/// A drift of the whole, as a thermostat leaves it, counts and grows as t²;
/// [`without_drift`](Self::without_drift) subtracts it.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.7.
#[derive(Debug)]
pub struct MeanSquareDisplacement<'s> {
    groups: Vec<&'s Coordinate>,
    drifts: Vec<FreeAxis>,
    /// The positions at the first moment.
    first: Option<Vec<f64>>,
}

/// An axis along which the centre of mass moves freely, and the part of each coordinate in its position.
#[derive(Debug)]
struct FreeAxis {
    axis: usize,
    parts: Vec<(usize, f64)>,
}

impl FreeAxis {
    /// M ξ / (ξ·M ξ) for the translation ξ of all points along an axis; `None` without mass.
    fn along(axis: usize, mass: &SymmetricMatrix, layout: &Layout) -> Option<Self> {
        let mut motion = vec![0.0; layout.dimension()];
        let starts =
            || layout.coordinates().iter().filter(|group| group.is_of_points()).flat_map(Coordinate::starts);
        starts().for_each(|start| motion[start + axis] = 1.0);
        let mut momentum = vec![0.0; motion.len()];
        mass.multiply(&motion, &mut momentum);
        let total: f64 = starts().map(|start| momentum[start + axis]).sum();
        let parts = (0..).zip(momentum).filter(|(_, part)| *part != 0.0);
        let parts = parts.map(|(index, part)| (index, part / total)).collect();
        (total > 0.0).then_some(Self { axis, parts })
    }

    /// The displacement of the centre of mass.
    fn of(&self, q: &[f64], first: &[f64]) -> f64 {
        self.parts.iter().map(|(index, part)| part * (q[*index] - first[*index])).sum()
    }
}

impl<'s> MeanSquareDisplacement<'s> {
    /// The displacement of all points of a system.
    ///
    /// # Errors
    /// The system has no points.
    pub fn of<S: System + ?Sized>(system: &'s S) -> Result<Self, MeasureError> {
        let groups = system.layout().coordinates().iter();
        let groups: Vec<_> = groups.filter(|group| group.is_of_points() && group.size() > 0).collect();
        if groups.is_empty() {
            let (quantity, model) = ("mean_square_displacement", system.name().to_owned());
            return Err(MeasureError::NoPoints { quantity, model });
        }
        Ok(Self { groups, drifts: Vec::new(), first: None })
    }

    /// Measures relative to the centre of mass, along each axis whose total momentum is conserved: where
    /// moving all points changes no force and no constraint at `state`, as in
    /// [`Temperature`](super::Temperature). While a thermostat acts, which conserves no momentum, it
    /// measures in space.
    ///
    /// Has no effect if the mass depends on the position.
    #[must_use]
    pub fn without_drift<S: Lagrangian + ?Sized>(mut self, system: &S, state: &State) -> Self {
        if let Some(mass) = system.natural_mass() {
            let drift = |axis| FreeAxis::along(axis, mass, system.layout());
            self.drifts = free_axes(system, state).into_iter().filter_map(drift).collect();
        }
        self
    }
}

impl Quantity for MeanSquareDisplacement<'_> {
    fn names(&self) -> Vec<String> {
        const NAME: &str = "mean_square_displacement";
        match &self.groups[..] {
            [_] => vec![NAME.to_owned()],
            groups => groups.iter().map(|group| format!("{NAME}_{}", group.name)).collect(),
        }
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let q = &moment.state.q;
        if moment.step == 0 {
            self.first = None;
        }
        let first = self.first.get_or_insert_with(|| q.clone());
        let mut drift = [0.0; 3];
        if moment.report.heat.is_none() {
            self.drifts.iter().for_each(|one| drift[one.axis] = one.of(q, first));
        }
        for (group, value) in self.groups.iter().zip(values) {
            let components = group.kind.components();
            let square = |start: usize| -> f64 {
                (0..components).map(|k| (q[start + k] - first[start + k] - drift[k]).powi(2)).sum()
            };
            *value = group.starts().map(square).sum::<f64>() / group.starts().len() as f64;
        }
    }
}

impl Carried for MeanSquareDisplacement<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let mut is_there = self.first.is_some();
        is_there.carry(memory)?;
        if is_there { list(self.first.get_or_insert_default(), memory) } else { Ok(()) }
    }
}
