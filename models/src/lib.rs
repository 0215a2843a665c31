//! Ready models: each file declares a system, as a user would, with parameters and start from its paper.

mod allowed;
mod argon;
mod bricard;
mod car_axis;
mod cart_double_pendulum;
mod cart_pendulum;
mod chain;
mod chaplygin_sleigh;
mod copper;
mod cube;
mod damped_double_pendulum;
mod dna;
mod double_pendulum;
mod double_pendulum_angles;
mod double_spring;
mod driven_double_pendulum;
mod driven_pendulum;
mod driven_pendulum_cartesian;
mod fekete_points;
mod four_bar;
mod four_bars;
mod jointed_boxes;
mod kepler;
mod kepler_polar;
mod kepler_radial;
mod lennard_jones;
mod liquid;
mod mesh;
mod oscillator;
mod pendulums;
mod polymer;
mod polymer_constrained;
mod rigid_body;
mod scatter;
mod slider_crank;
mod smoothed_drop;
mod snakeboard;
mod spring_chain;
mod spring_net;
mod spring_pendulum;
mod top;
mod water;
mod water_box;

use least_action::Model;
use least_action::emitted::v1::Declared;
use least_action::expr::Oracle;
use least_action::system::Start;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use mesh::{Cut, Mesh, MeshError, MeshFile};

/// Takes models by their types.
pub trait Take {
    /// Takes one.
    fn take<M>(&mut self)
    where
        M: Model + Oracle + Declared + Default + Serialize + DeserializeOwned + Start + 'static;
}

/// Exports the models, and visits each.
macro_rules! ready {
    ($($module:ident::$model:ident),* $(,)?) => {
        $(pub use $module::$model;)*

        /// Gives each ready model, in the order in which they are listed.
        pub fn give(to: &mut impl Take) {
            $(to.take::<$model>();)*
        }

        /// The text of the file of a ready model, or of one that such files name as a module.
        pub fn text(file: &str) -> Option<&'static str> {
            $(if file == stringify!($module) {
                return Some(include_str!(concat!(stringify!($module), ".rs")));
            })*
            match file {
                "scatter" => Some(include_str!("scatter.rs")),
                "mesh" => Some(include_str!("mesh.rs")),
                _ => None,
            }
        }
    };
}

ready! {
    double_pendulum::DoublePendulum,
    double_pendulum_angles::DoublePendulumAngles,
    chain::Chain,
    pendulums::Pendulums,
    water::Water,
    dna::Dna,
    rigid_body::RigidBody,
    driven_pendulum::DrivenPendulum,
    driven_pendulum_cartesian::DrivenPendulumCartesian,
    driven_double_pendulum::DrivenDoublePendulum,
    oscillator::Oscillator,
    spring_pendulum::SpringPendulum,
    double_spring::DoubleSpring,
    kepler::Kepler,
    kepler_polar::KeplerPolar,
    kepler_radial::KeplerRadial,
    argon::Argon,
    lennard_jones::LennardJones,
    liquid::Liquid,
    copper::Copper,
    smoothed_drop::SmoothedDrop,
    polymer::Polymer,
    polymer_constrained::PolymerConstrained,
    water_box::WaterBox,
    spring_chain::SpringChain,
    spring_net::SpringNet,
    cube::Cube,
    damped_double_pendulum::DampedDoublePendulum,
    slider_crank::SliderCrank,
    four_bar::FourBar,
    four_bars::FourBars,
    bricard::Bricard,
    car_axis::CarAxis,
    fekete_points::FeketePoints,
    chaplygin_sleigh::ChaplyginSleigh,
    snakeboard::Snakeboard,
    top::Top,
    jointed_boxes::JointedBoxes,
    cart_pendulum::CartPendulum,
    cart_double_pendulum::CartDoublePendulum,
}
