//! Ready models: each file declares one mechanical system, as a user would, with the parameters and the start of the
//! paper that it comes from.

mod argon;
mod chain;
mod cube;
mod dna;
mod double_pendulum;
mod double_pendulum_angles;
mod double_spring;
mod driven_double_pendulum;
mod driven_pendulum;
mod driven_pendulum_cartesian;
mod kepler;
mod kepler_polar;
mod kepler_radial;
mod lennard_jones;
mod mesh;
mod oscillator;
mod rigid_body;
mod scatter;
mod spring_chain;
mod spring_net;
mod spring_pendulum;
mod water;

pub use argon::Argon;
pub use chain::Chain;
pub use cube::Cube;
pub use dna::Dna;
pub use double_pendulum::DoublePendulum;
pub use double_pendulum_angles::DoublePendulumAngles;
pub use double_spring::DoubleSpring;
pub use driven_double_pendulum::DrivenDoublePendulum;
pub use driven_pendulum::DrivenPendulum;
pub use driven_pendulum_cartesian::DrivenPendulumCartesian;
pub use kepler::Kepler;
pub use kepler_polar::KeplerPolar;
pub use kepler_radial::KeplerRadial;
pub use lennard_jones::LennardJones;
pub use mesh::{Cut, Mesh, MeshError, MeshFile, Tetrahedron};
pub use oscillator::Oscillator;
pub use rigid_body::RigidBody;
pub use spring_chain::SpringChain;
pub use spring_net::SpringNet;
pub use spring_pendulum::SpringPendulum;
pub use water::Water;
