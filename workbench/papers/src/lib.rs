//! Papers: their numbers recomputed beside the known ones, as a table and as one self-contained page.
//!
//! The command `reproduce` is the only user of this crate, which promises no interface.
//! Experiments take systems as faces such as `&dyn Natural`: engines are compiled once for all models.

mod ariel_sanz_serna_tsai;
mod benchmark_problems;
mod calvo_sanz_serna;
mod error;
mod experiment;
mod fits;
mod gonzalez_schmidt_ortiz;
mod moving;
mod optimal_control;
mod page;
mod press;
mod tao_owhadi;

use std::io::Write;
use std::path::Path;

#[doc(hidden)]
pub use error::Error;
use least_action_pages::Error as PageError;
use least_action_pages::files::Folder;
#[doc(hidden)]
pub use press::Length;
use press::Press;

/// Recomputes a paper and publishes one experiment after the other.
type Compute = fn(&mut Press<'_>) -> Result<(), Error>;

#[doc(hidden)]
/// A paper that can be reproduced.
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    title: &'static str,
    /// Remarks that hold for all its experiments: signs, units, choices that the paper leaves open.
    remarks: &'static [&'static str],
    compute: Compute,
}

/// All papers, each with its name, its module and its title.
macro_rules! papers {
    ($($name:literal $module:ident $title:literal;)+) => {
        #[doc(hidden)]
        /// All papers; a new paper is one entry.
        pub const PAPERS: &[Paper] = &[
            $(Paper { name: $name, title: $title, remarks: $module::REMARKS, compute: $module::compute }),+
        ];
    };
}

papers! {
    "tao-owhadi" tao_owhadi "M. Tao and H. Owhadi, Variational and linearly-implicit integrators, with applications";
    "calvo-sanz-serna" calvo_sanz_serna "M. P. Calvo and J. M. Sanz-Serna, Heterogeneous multiscale methods for mechanical systems with vibrations";
    "ariel-sanz-serna-tsai" ariel_sanz_serna_tsai "G. Ariel, J. M. Sanz-Serna and R. Tsai, A multiscale technique for finding slow manifolds of stiff mechanical systems";
    "gonzalez-schmidt-ortiz" gonzalez_schmidt_ortiz "M. Gonzalez, B. Schmidt and M. Ortiz, Force-stepping integrators in Lagrangian mechanics";
    "benchmark-problems" benchmark_problems "Published benchmark problems";
    "optimal-control" optimal_control "Published problems of optimal control";
    "fits" fits "Published problems of parameter estimation";
}

impl Paper {
    /// Recomputes the paper; prints its tables and writes its page into a folder as it goes.
    ///
    /// # Errors
    /// A run fails, or the page cannot be written.
    pub fn reproduce(&self, length: Length, folder: &Path, out: &mut dyn Write) -> Result<(), Error> {
        let _made = Folder::create(folder).map_err(|error| PageError::uncreatable(folder, &error))?;
        let path = folder.join(format!("{}.html", self.name));
        let mut press = Press::new(self.title, self.remarks, length, path, out)?;
        (self.compute)(&mut press)?;
        press.finish()
    }
}
