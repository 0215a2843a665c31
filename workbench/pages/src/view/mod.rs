//! Motion to play, in one page, or in a report among text and pictures.
//!
//! A page is made in two passes. While moments come, a [`Spool`] keeps the numbers of the frames of a
//! page. At the end their extents are known: positions become whole numbers of quanta (`code`), and
//! `page` writes them before the script that plays them, whose source is `view/page/`.

mod about;
mod code;
mod drawn;
mod found;
mod grain;
mod joints;
mod moment;
mod motion;
mod named;
mod page;
mod pair;
mod report;
mod scene;
mod spool;
mod strips;
mod told;
mod viewer;

pub use about::{About, rounded};
pub use drawn::{Curve, Drawn, Group, GroupKind, Label, Solid, Sphere, Turned};
pub use moment::Moment;
pub use motion::Motion;
pub use pair::pair;
pub use scene::Scene;
pub use spool::Spool;
pub use viewer::{Kind, Viewer, check};

/// Parts that are tested by themselves.
pub(crate) mod internals {
    pub use crate::view::code::{Coder, GROUP, MISSING};
    pub use crate::view::spool::FRAMES as FRAMES_OF_A_PAGE;
}
