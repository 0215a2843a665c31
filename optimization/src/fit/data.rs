//! Recordings to fit.

/// A recording: times, and columns of positions, or of velocities after `der.`. A column may come again
/// at other times, or with another σ.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub(super) name: String,
    /// The times of the next column.
    times: Vec<f64>,
    pub(super) columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) sigma: Option<f64>,
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
}

impl Data {
    /// Samples at these times, in any order, steps of the motion or not.
    pub fn at(times: Vec<f64>) -> Self {
        Self { name: "the data".to_owned(), times, columns: Vec::new() }
    }

    /// The time of the last sample; −∞ without samples.
    pub fn end(&self) -> f64 {
        let times = self.columns.iter().flat_map(|column| &column.times);
        times.chain(&self.times).copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The columns: their names, times and values.
    pub fn columns(&self) -> impl Iterator<Item = (&str, [&[f64]; 2])> {
        self.columns.iter().map(|own| (&*own.name, [&own.times[..], &own.values]))
    }

    /// Goes on with columns at other times of the same motion.
    #[must_use]
    pub fn also_at(self, times: Vec<f64>) -> Self {
        Self { times, ..self }
    }

    /// Its name in messages, such as the name of a file.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Adds a column, with one σ of all columns that the fit estimates from its residuals.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, values: Vec<f64>) -> Self {
        self.columns.push(Column { name: name.into(), sigma: None, times: self.times.clone(), values });
        self
    }

    /// Adds a column whose samples have the standard deviation σ.
    #[must_use]
    pub fn measured(mut self, name: impl Into<String>, sigma: f64, values: Vec<f64>) -> Self {
        let times = self.times.clone();
        self.columns.push(Column { name: name.into(), sigma: Some(sigma), times, values });
        self
    }
}
