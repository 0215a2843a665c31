//! Declarations that together use the whole language, each small enough to be checked entry by entry.

mod angles;
mod choices;
mod collective;
mod damped;
mod design;
mod driven;
mod embedded;
mod foreign;
mod functions;
mod lattices;
mod matrices;
mod near;
mod particles;
mod piecewise;
mod vibrated;

pub use angles::{Linkage, Ring};
pub use choices::{Anchored, Medium, Soft};
pub use collective::{
    Breathing, Coil, Convoy, Embedded, Flock, Gyration, MeanField, Smoothed, SoftMinimum, Strand, Tangle,
    Throng,
};
pub use damped::{Damped, Sinking};
pub use design::{Kepler, KeplerPolar, Solid, Water};
pub use driven::{Drum, Swing, Wind};
pub use embedded::{
    Crowd, CrowdOfAllPairs, Dissipative, DissipativeOfAllPairs, Metal, MetalOfAllPairs, Packed,
};
pub use foreign::{Curve, Foreign};
pub use functions::{Analysis, Surface};
pub use lattices::{Chains, Net, Raft, Sheet, Wells};
pub use matrices::{Crystal, Frames, Rotor};
pub use near::{Dumbbells, End, Foam, Ions, Liquid, LiquidOfAllPairs};
pub use particles::{Charged, Cluster, Disks, Molecule};
pub use piecewise::{Balls, Pieces};
pub use vibrated::{Kapitza, Shaken};
