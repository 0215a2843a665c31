//! Declarations that together use the whole language, each small enough to be checked entry by entry.

mod angles;
mod choices;
mod driven;
mod functions;
mod lattices;
mod particles;

pub use angles::{Linkage, Ring};
pub use choices::{Anchored, Medium, Soft};
pub use driven::{Drum, Swing, Wind};
pub use functions::{Analysis, Surface};
pub use lattices::{Net, Raft};
pub use particles::{Charged, Cluster, Molecule};
