//! Fits that are refused or fail.

use thiserror::Error;

use crate::least_squares;

/// The failure of a fit.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The first guess has no motion, or a motion has no derivative.
    #[error("{0}")]
    Motion(E),
    /// A name that is free and unknown.
    #[error(
        "no number `{name}` to fit: {known}; a field of the model becomes one by `#[lagrangian(sensitive({name}))]`"
    )]
    UnknownName {
        /// The name.
        name: String,
        /// The numbers of the start and of the model.
        known: String,
    },
    /// An index beyond an array.
    #[error("no number `{name}` to fit: `{whole}` has {count} numbers, counted from 0")]
    Index {
        /// The name.
        name: String,
        /// The array.
        whole: String,
        /// The number of its entries.
        count: usize,
    },
    /// A column of no coordinate.
    #[error("{data} has the column `{column}`, and the model has no such number: it has {known}")]
    UnknownColumn {
        /// The recording.
        data: String,
        /// The column.
        column: String,
        /// The names of the coordinates.
        known: String,
    },
    /// A recording, or a fit, with nothing in it.
    #[error("{0}")]
    Nothing(String),
    /// A column with too few or too many samples.
    #[error("{data}: the column `{column}` has {found} samples, and there are {expected} times")]
    Length {
        /// The recording.
        data: String,
        /// The column.
        column: String,
        /// The number of its samples.
        found: usize,
        /// The number of times.
        expected: usize,
    },
    /// A sample or a time that is no finite number.
    #[error(
        "{data}: `{column}` is {value} in sample {sample}: leave the sample out, by times of its own for the column"
    )]
    NotFinite {
        /// The recording.
        data: String,
        /// The column.
        column: String,
        /// The number of the sample, counted from 0.
        sample: usize,
        /// The sample.
        value: f64,
    },
    /// A sample before the start of the motion.
    #[error(
        "{data} has a sample at t = {time}, and its motion starts at t = {start}: remove it, or start earlier"
    )]
    Outside {
        /// The recording.
        data: String,
        /// The time of the sample.
        time: f64,
        /// The time of the start.
        start: f64,
    },
    /// The derivatives do not fit into the memory.
    #[error(
        "the derivatives of all samples take about {needed} bytes, and {memory} are allowed: free fewer numbers, take fewer samples or \
         segments, or allow more memory"
    )]
    Memory {
        /// The bytes that it takes.
        needed: u64,
        /// The bytes that it may take.
        memory: u64,
    },
    /// A recording without a start, of a model without one.
    #[error("{data} has no start, and the model has none of its own: give one")]
    NoStart {
        /// The recording.
        data: String,
    },
    /// A standard deviation that is not positive, or columns with and without one.
    #[error(
        "the standard deviation of `{column}` is {sigma}: give a positive one for each column, or none at all"
    )]
    Sigma {
        /// The column.
        column: String,
        /// In words.
        sigma: String,
    },
    /// More segments than steps.
    #[error(
        "{segments} segments of {data}, which lasts {steps} steps: take fewer segments or a shorter step"
    )]
    Segments {
        /// The recording.
        data: String,
        /// The number of segments.
        segments: u64,
        /// The number of steps.
        steps: u64,
    },
    /// Unknowns of an earlier fit that are not these.
    #[error("there are {found} numbers to go on from, and the fit has {expected} unknowns: {hint}")]
    Unknowns {
        /// The number of given ones.
        found: usize,
        /// The number of unknowns.
        expected: usize,
        /// The remedy.
        hint: &'static str,
    },
    /// Bounds without a number between them.
    #[error("`{name}` has the bounds {lower} and {upper}: give a lower one that is below the upper one")]
    Bounds {
        /// The unknown.
        name: String,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// The solver fails.
    #[error("{0}")]
    Solver(least_squares::Error<E>),
}

impl<E> From<least_squares::Error<E>> for Error<E> {
    fn from(error: least_squares::Error<E>) -> Self {
        match error {
            least_squares::Error::Problem(error) => Self::Motion(error),
            error => Self::Solver(error),
        }
    }
}
