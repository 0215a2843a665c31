use super::{Moment, Observer, Quantity, Verdict};
use crate::carried::{CarryError, Memory, list};
use crate::error::LayoutError;
use crate::system::{Entry, Indices, Layout};
use nalgebra::{DMatrixView, Dyn, U1};

/// A table of a run: a row for each moment, with the columns `t`, positions, velocities and measured
/// quantities.
///
/// Positions have the names of the layout (`bobs[3].y`); velocities have the prefix `der.`.
///
/// # Examples
/// ```
/// use least_action::drive::{Energy, integrate};
/// use least_action::method::Verlet;
/// use least_action::prelude::*;
///
/// struct Throw;
///
/// #[lagrangian]
/// impl Throw {
///     fn lagrangian(&self, ball: Vec2) -> Scalar {
///         0.5 * der(ball).norm_squared() - 9.81 * ball.y
///     }
/// }
///
/// let (system, start) = (Throw.bind()?, State::new(vec![0.0, 0.0], vec![3.0, 4.0]));
/// let run = integrate(&system, &Verlet, start, 0.01)?.until(0.5);
/// let run = run.measure(Energy::of(&system)).record()?;
/// assert_eq!(run.names(), ["t", "ball.x", "ball.y", "der.ball.x", "der.ball.y", "energy"]);
/// assert_eq!((run.len(), run.rows().len()), (51, 51));
/// let path: Vec<Vector2<f64>> = run.path("ball", [])?;
/// assert!((path[50].y - (4.0 * 0.5 - 0.5 * 9.81 * 0.25)).abs() < 1e-13);
/// assert!(run.column("energy").is_some_and(|energy| energy.iter().all(|e| (e - 12.5).abs() < 1e-13)));
/// assert!(run.verdict().is_believed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Recording {
    names: Vec<String>,
    dimension: usize,
    /// The coordinates of the columns of positions.
    #[serde(skip)]
    layout: Layout,
    /// Row by row.
    values: Vec<f64>,
    #[serde(skip)]
    verdict: Verdict,
}

impl Recording {
    /// An empty table for states of this layout and further columns.
    pub(super) fn new(layout: &Layout, further: impl IntoIterator<Item = String>) -> Self {
        let dimension = layout.dimension();
        let positions = (0..dimension).map(|index| layout.name_of(index));
        let velocities = (0..dimension).map(|index| format!("der.{}", layout.name_of(index)));
        let names =
            std::iter::once("t".to_owned()).chain(positions).chain(velocities).chain(further).collect();
        Self { names, dimension, layout: layout.clone(), values: Vec::new(), verdict: Verdict::default() }
    }

    /// The run's verdict on itself.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    pub(super) fn judged(&mut self, verdict: Verdict) {
        self.verdict = verdict;
    }

    /// The names of all columns: t, positions, velocities, then the measured quantities.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of moments recorded.
    pub fn len(&self) -> usize {
        if self.names.is_empty() { 0 } else { self.values.len() / self.names.len() }
    }

    /// True if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The rows, in the order of time.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.names.len().max(1))
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.names.iter().position(|other| other == name)?;
        Some(self.rows().map(|row| row[index]).collect())
    }

    /// The whole table: a row for each moment, a column for each name.
    pub fn matrix(&self) -> DMatrixView<'_, f64, Dyn, U1> {
        let width = self.names.len();
        DMatrixView::from_slice_with_strides_generic(
            &self.values,
            Dyn(self.len()),
            Dyn(width),
            Dyn(width),
            U1,
        )
    }

    /// The path of one entry of a coordinate, a value for each moment: `Vector2<f64>` or
    /// `Vector3<f64>` for a point, `Matrix3<f64>` for a rotation, `f64` for an angle or another number.
    ///
    /// # Errors
    /// There is no such entry, or it has another type.
    pub fn path<E: Entry>(&self, name: &str, indices: impl Indices) -> Result<Vec<E>, LayoutError> {
        self.positions().map(|q| self.layout.entry(q, name, &indices)).collect()
    }

    /// The velocities of one entry of a coordinate, as [`Recording::path`] gives its positions.
    ///
    /// # Errors
    /// There is no such entry, or it has another type.
    pub fn velocity<E: Entry>(&self, name: &str, indices: impl Indices) -> Result<Vec<E>, LayoutError> {
        self.velocities().map(|v| self.layout.entry(v, name, &indices)).collect()
    }

    /// The times.
    pub fn times(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.rows().map(|row| row[0])
    }

    /// The positions at each moment.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows().map(|row| &row[1..=self.dimension])
    }

    /// The velocities at each moment.
    pub fn velocities(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows().map(|row| &row[1 + self.dimension..=2 * self.dimension])
    }
}

/// Fills a recording.
pub(super) struct Recorder<'o> {
    pub(super) recording: Recording,
    quantities: Vec<(Box<dyn Quantity + 'o>, usize)>,
}

impl<'o> Recorder<'o> {
    pub(super) fn new(layout: &Layout, quantities: Vec<Box<dyn Quantity + 'o>>) -> Self {
        let names: Vec<Vec<String>> = quantities.iter().map(|quantity| quantity.names()).collect();
        let widths = names.iter().map(Vec::len);
        let quantities = quantities.into_iter().zip(widths).collect();
        Self { recording: Recording::new(layout, names.into_iter().flatten()), quantities }
    }
}

impl Observer for Recorder<'_> {
    fn observe(&mut self, moment: &Moment<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let values = &mut self.recording.values;
        values.push(moment.state.t);
        values.extend_from_slice(&moment.state.q);
        values.extend_from_slice(&moment.state.v);
        for (quantity, width) in &mut self.quantities {
            let start = values.len();
            values.resize(start + *width, f64::NAN);
            quantity.measure(moment, &mut values[start..]);
        }
        Ok(())
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        list(&mut self.recording.values, memory)?;
        self.quantities.iter_mut().try_for_each(|(quantity, _)| quantity.carry(memory))
    }
}
