//! The ready models against their sources. Tests in the library would compile all models twice.

mod declarations;
mod kepler_radial;
mod meshes;
mod water_and_polymers;
