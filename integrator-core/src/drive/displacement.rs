use super::{Moment, Quantity};
use crate::carried::{Carried, CarryError, Memory, list};
use crate::error::MeasureError;
use crate::system::{Coordinate, System};

/// The mean square displacement of points since the first moment that is measured, ⟨|x(t) − x(0)|²⟩ over all points of a coordinate.
///
/// Positions are never wrapped into a cell, so that displacements of any length count. Of a fluid it grows as 2 d D t, with the constant of diffusion D
/// and the number d of components. One column: `mean_square_displacement`, or, where several coordinates are points, one for each with `_` and
/// its name behind.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.7.
#[derive(Debug)]
pub struct MeanSquareDisplacement<'s> {
    groups: Vec<&'s Coordinate>,
    /// The positions at the first moment.
    first: Option<Vec<f64>>,
}

impl<'s> MeanSquareDisplacement<'s> {
    /// That of all points of a system.
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
        Ok(Self { groups, first: None })
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
        for (group, value) in self.groups.iter().zip(values) {
            let range = group.offset..group.offset + group.size();
            let squares = q[range.clone()].iter().zip(&first[range]).map(|(x, x0)| (x - x0).powi(2));
            *value = squares.sum::<f64>() / group.starts().len() as f64;
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
