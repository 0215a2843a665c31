//! Motion to play, in one page, or in a report among text and pictures.
//!
//! A page is made in two passes. While moments come, a [`Spool`] keeps the numbers of the frames of a
//! page. At the end their extents are known: positions become whole numbers of quanta (`code`), and
//! `page` writes them before the script that plays them, whose source is `view/page/`.

#[cfg(feature = "pictures")]
mod about;
#[cfg(feature = "pictures")]
mod code;
mod drawn;
mod found;
#[cfg(feature = "pictures")]
mod grain;
mod joints;
mod moment;
#[cfg(feature = "pictures")]
mod motion;
mod named;
#[cfg(feature = "pictures")]
mod page;
#[cfg(feature = "pictures")]
mod pair;
#[cfg(feature = "pictures")]
mod report;
mod scene;
#[cfg(feature = "pictures")]
mod spool;
#[cfg(feature = "pictures")]
mod strips;
mod told;
#[cfg(feature = "pictures")]
mod viewer;

#[cfg(feature = "pictures")]
pub use about::{About, rounded};
pub use drawn::{Curve, Drawn, Group, GroupKind, Label, Solid, Sphere, Turned};
pub use moment::Moment;
#[cfg(feature = "pictures")]
pub use motion::Motion;
#[cfg(feature = "pictures")]
pub(crate) use page::DRAWING;
#[cfg(feature = "pictures")]
pub use pair::pair;
pub use scene::Scene;
#[cfg(feature = "pictures")]
pub use spool::Spool;
#[cfg(feature = "pictures")]
pub use viewer::{Kind, Viewer, check};

#[cfg(feature = "pictures")]
/// Parts that are tested by themselves.
pub(crate) mod internals {
    pub use crate::view::code::{Coder, GROUP, MISSING};
    pub use crate::view::spool::FRAMES as FRAMES_OF_A_PAGE;
}
