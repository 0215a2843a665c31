//! The ready models against what their sources say. The library has no tests inside of it, for which all models would be compiled twice.

mod declarations;
mod kepler_radial;
mod meshes;
mod water_and_polymers;
