//! The words of a page about its run.

use serde::Serialize;

use crate::document::Section;
use crate::plot::Figure;

/// The panel of a page, and the words of a report.
#[derive(Debug, Clone, Default, Serialize)]
pub struct About {
    pub title: String,
    pub summary: String,
    /// Tables of names and values, each under a heading.
    pub sections: Vec<Section>,
    /// Sentences.
    pub notes: Vec<String>,
    /// The reason for which the run ended early.
    pub failure: Option<String>,
    /// True on a page that stands in another one, which says all this.
    pub embedded: bool,
    /// The documentation of the model, for a report.
    #[serde(skip)]
    pub documentation: String,
    /// Pictures of a report that are not made of moments.
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

impl About {
    /// Of the page of the motion in a report.
    #[must_use]
    pub fn of_embedded(&self) -> Self {
        Self { title: self.title.clone(), embedded: true, ..Self::default() }
    }
}

/// A number to ten digits, which fit beside its name.
pub fn rounded(number: f64) -> String {
    format!("{:?}", format!("{number:.9e}").parse().unwrap_or(number))
}
