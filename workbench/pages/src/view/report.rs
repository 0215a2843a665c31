//! The report of a run: model, method, end, motion, and every quantity over time.

use least_action_core::system::{Holonomic, Layout, State};

use super::about::{About, rounded};
use super::moment::Moment;
use crate::document::Document;
use crate::error::Error;
use crate::plot::{self, Film, Units};

/// The frames of the motion in a report at most, which is to be read and sent.
pub(super) const FRAMES: u64 = 600;

/// A report while moments come, in bounded memory.
pub(super) struct Report<'s> {
    layout: Layout,
    constraints: Option<&'s dyn Holonomic>,
    units: Units,
    columns: Vec<Column>,
    /// Begun with the first moment.
    film: Option<Film>,
    state: State,
}

/// A measured quantity.
struct Column {
    name: String,
    /// The first and the last value that is a number, and the largest distance from the first.
    first: Option<f64>,
    last: f64,
    change: f64,
}

impl<'s> Report<'s> {
    pub(super) fn new(
        layout: &Layout,
        constraints: Option<&'s dyn Holonomic>,
        units: Units,
        measured: &[String],
    ) -> Self {
        let column = |name: &String| Column { name: name.clone(), first: None, last: f64::NAN, change: 0.0 };
        Self {
            layout: layout.clone(),
            constraints,
            units,
            columns: measured.iter().map(column).collect(),
            film: None,
            state: State::new(Vec::new(), Vec::new()),
        }
    }

    /// Takes a moment.
    pub(super) fn push(&mut self, moment: &Moment<'_>) {
        for (column, value) in self.columns.iter_mut().zip(moment.measured) {
            if !value.is_nan() {
                let first = *column.first.get_or_insert(*value);
                column.change = column.change.max((value - first).abs());
                column.last = *value;
            }
        }
        self.state.t = moment.t;
        moment.q.clone_into(&mut self.state.q);
        moment.v.clone_into(&mut self.state.v);
        let film = self.film.get_or_insert_with(|| {
            let mut film = Film::new(&self.layout, self.constraints, &self.state);
            film.units = self.units.clone();
            film.measured = self.columns.iter().map(|column| column.name.clone()).collect();
            film
        });
        film.push(&self.state, moment.measured);
    }

    /// The page around the page of the motion.
    pub(super) fn page(&self, about: About, motion: &str) -> Result<String, Error> {
        let About { title, summary, sections, notes, failure, documentation, figures, .. } = about;
        let mut document = Document::new(&title);
        if let Some(failure) = failure {
            document.alert(&format!("The run ended early: {failure}"));
        }
        document.documentation(if documentation.is_empty() { &summary } else { &documentation });
        document.facts(&sections);
        document.notes(&notes);
        if !self.columns.is_empty() {
            document.heading("Measured");
            document.table(&["", "first", "last", "largest change"], &self.rows());
        }
        document.heading("Motion");
        document.motion(&title, motion, !self.columns.is_empty());
        document.heading("Figures");
        let filmed = self.film.as_ref().map(plot::figures).transpose()?.unwrap_or_default();
        filmed.iter().chain(&figures).for_each(|figure| document.figure(&figure.heading, &figure.svg));
        Ok(document.finish())
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |column: &Column| {
            let number = |value: f64| if value.is_nan() { "–".to_owned() } else { rounded(value) };
            let change = column.first.map_or_else(|| "–".to_owned(), |_| format!("{:.3e}", column.change));
            let first = column.first.unwrap_or(f64::NAN);
            vec![self.units.measured(&column.name).to_string(), number(first), number(column.last), change]
        };
        self.columns.iter().map(row).collect()
    }
}
