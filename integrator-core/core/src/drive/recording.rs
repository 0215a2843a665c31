use super::{Moment, Observer, Quantity, Verdict};
use crate::carried::{CarryError, Memory, list};
use crate::error::LayoutError;
use crate::method::Passed;
use crate::system::{Entry, Indices, Layout, State};
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
    /// The moments that the run has found, and their names.
    #[serde(skip)]
    moments: Option<Box<Recording>>,
    #[serde(skip)]
    moment_names: Vec<String>,
}

/// The columns of a table of moments behind the state: the place of the name, the number of times it has
/// passed, 1 where its value rises and −1 where it falls, and the impulse and the energy of an impact.
const OF_A_MOMENT: [&str; 5] = ["event", "count", "direction", "impulse", "energy"];

impl Recording {
    /// An empty table for states of this layout and further columns.
    pub(super) fn new(layout: &Layout, further: impl IntoIterator<Item = String>) -> Self {
        let dimension = layout.dimension();
        let positions = (0..dimension).map(|index| layout.name_of(index));
        let velocities = (0..dimension).map(|index| format!("der.{}", layout.name_of(index)));
        let names =
            std::iter::once("t".to_owned()).chain(positions).chain(velocities).chain(further).collect();
        Self { names, dimension, layout: layout.clone(), ..Self::default() }
    }

    /// The moments of the run as a table of their own, if it looked for some: the states at them,
    /// behind which stand
    ///
    /// * `event`, the place of its name among [`moment_names`](Self::moment_names);
    /// * `count`, the number of times it has passed;
    /// * `direction`, 1 where its value rises and −1 where it falls;
    /// * the `impulse` and the `energy` of an impact.
    pub fn moments(&self) -> Option<&Self> {
        self.moments.as_deref()
    }

    /// The names of the moments that the run looked for.
    pub fn moment_names(&self) -> &[String] {
        &self.moment_names
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

    /// Records the moments of a run, too.
    pub(super) fn with_moments(mut self, layout: &Layout, names: &[String]) -> Self {
        if !names.is_empty() {
            let moments = Recording::new(layout, OF_A_MOMENT.map(str::to_owned));
            self.recording.moments = Some(Box::new(moments));
            self.recording.moment_names = names.to_vec();
        }
        self
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

    fn pass(&mut self, _: &str, passed: &Passed) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(Recording { values, .. }) = self.recording.moments.as_deref_mut() {
            let Passed { name, count, rises, state: State { t, q, v }, impulse, energy, .. } = passed;
            let direction = if *rises { 1.0 } else { -1.0 };
            values.push(*t);
            values.extend(q.iter().chain(v));
            values.extend([*name as f64, *count as f64, direction, *impulse, *energy]);
        }
        Ok(())
    }

    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        list(&mut self.recording.values, memory)?;
        if let Some(moments) = self.recording.moments.as_deref_mut() {
            list(&mut moments.values, memory)?;
        }
        self.quantities.iter_mut().try_for_each(|(quantity, _)| quantity.carry(memory))
    }
}
