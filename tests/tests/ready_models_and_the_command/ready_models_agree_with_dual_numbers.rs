//! Every kernel of every ready model equals dual numbers.

use least_action::binding::Model;
use least_action::expr::Oracle;
use least_action::nalgebra::Vector3;
use least_action::system::Start;
use least_action_models::{
    Argon, Chain, Copper, Cube, Cut, Dna, DoublePendulum, DoublePendulumAngles, DoubleSpring,
    DrivenDoublePendulum, DrivenPendulum, DrivenPendulumCartesian, Kepler, KeplerPolar, KeplerRadial,
    LennardJones, Liquid, Oscillator, Pendulums, Polymer, PolymerConstrained, RigidBody, SmoothedDrop,
    SpringChain, SpringNet, SpringPendulum, Water, WaterBox,
};
use test_support::agreement::{Seeded, kernels_agree_with_oracle};

/// At points around `q`, each entry up to `spread` away.
#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, q: &[f64], spread: f64) {
    let mut seeded = Seeded::new(2024);
    for _ in 0..5 {
        let q: Vec<f64> = q.iter().map(|q| q + spread * seeded.number()).collect();
        let (v, t) = (seeded.numbers(q.len()), seeded.number());
        kernels_agree_with_oracle(model, &q, &v, t);
    }
}

#[test]
fn pendulums_and_chains() {
    agrees(&Chain { links: 5, mass: 2.0, gravity: 9.81, rod: 0.7 }, &[0.0; 10], 1.0);
    agrees(&Chain { links: 1, ..Chain::default() }, &[0.0; 2], 1.0);
    agrees(&DoublePendulum { masses: [2.0, 0.5], rods: [0.7, 1.1], gravity: 9.81 }, &[0.0; 4], 1.0);
    agrees(&DoublePendulumAngles { masses: [2.0, 0.5], rods: [0.7, 1.1], gravity: 9.81 }, &[0.0; 2], 3.0);
}

#[test]
fn particles() {
    let argon = Argon { mass: 2.0, epsilon: 1.5, ..Argon::default() };
    agrees(&argon, &argon.start().q, 0.02);
    for atoms in [1, 2, 5] {
        let model = LennardJones { atoms, mass: 0.7, epsilon: 1.5, sigma: 1.1 };
        agrees(&model, &model.start().q, 0.1);
    }
    for molecules in [1, 2, 3] {
        let model = Water { molecules, ..Water::default() };
        agrees(&model, &model.start().q, 0.1);
    }
}

/// In cells so small that most pairs are farther than the cutoff, but not all.
#[test]
fn points_of_finite_range() {
    let liquid = Liquid { atoms: 8, on: 0.9, cutoff: 1.05, ..Liquid::default() };
    agrees(&liquid, &liquid.start().q, 0.1);
    // Four atoms close to each other, in a cell that leaves room for the cutoff.
    let copper = Copper { atoms: 4, spacing: 8.0, on: 2.6, cutoff: 3.6, ..Copper::default() };
    let close: Vec<f64> = copper.start().q.iter().map(|q| 0.46 * q).collect();
    agrees(&copper, &close, 0.2);
    let drop = SmoothedDrop { particles: 6, mass: 1.3, gamma: 1.7, h: 0.5, ..SmoothedDrop::default() };
    agrees(&drop, &drop.start().q, 0.1);
}

/// With more molecules and waves, the last digits of a·V‴·a are undetermined: forces of charges cancel
/// to a thousandth of the largest, and moving each coordinate by its last bit changes dual numbers by
/// 2e-12.
#[test]
fn water_in_a_box() {
    let water = WaterBox { molecules: 2, on: 0.15, cutoff: 0.19, waves: 2, ..WaterBox::default() };
    agrees(&water, &water.start().q, 0.005);
}

#[test]
fn polymers() {
    for beads in [2, 3, 6] {
        let polymer = Polymer { beads, bond: 0.9, repulsion: 1.3, radius: 1.4, ..Polymer::default() };
        agrees(&polymer, &polymer.start().q, 0.1);
        let held = PolymerConstrained { beads, ..PolymerConstrained::default() };
        agrees(&held, &held.start().q, 0.1);
    }
}

#[test]
fn springs() {
    for size in [1, 2, 4] {
        let dna = Dna { pairs: size, ..Dna::default() };
        agrees(&dna, &dna.start().q, 1.5);
        let spring = DoubleSpring { links: size };
        agrees(&spring, &spring.start().q, 0.2);
        let chain = SpringChain { beads: size, mass: 1.3, ..SpringChain::default() };
        agrees(&chain, &chain.start().q, 1.0);
        let net = SpringNet { rows: size, columns: 3, mass: 1.3, ..SpringNet::default() };
        agrees(&net, &net.start().q, 0.2);
    }
    agrees(&Oscillator { omega: 7.0 }, &[0.5], 1.0);
    for links in [1, 2, 5] {
        let pendulums = Pendulums { links, mass: 1.3, gravity: 9.81, rod: 0.7 };
        agrees(&pendulums, &pendulums.start().q, 2.0);
    }
    agrees(&SpringPendulum { omega: 7.0, ..SpringPendulum::default() }, &[1.0, 0.2], 0.5);
}

#[test]
fn driven_pendulums() {
    let pendulum = DrivenPendulum { omega: 7.0, phase: 0.3, ..DrivenPendulum::default() };
    agrees(&pendulum, &[0.0], 3.0);
    let pendulum = DrivenPendulumCartesian { omega: 7.0, phase: 0.3, ..DrivenPendulumCartesian::default() };
    agrees(&pendulum, &[0.0; 2], 1.0);
    let pendulum = DrivenDoublePendulum { omega: 7.0, phase: 0.3, ..DrivenDoublePendulum::default() };
    agrees(&pendulum, &[0.0; 4], 1.0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn bodies() {
    agrees(&RigidBody { moment: 0.7 }, &RigidBody::default().start().q, 0.5);
    // The wall goes through the cube, so that some nodes are on either side of it.
    let (wall, normal) = (Vector3::repeat(0.5), Vector3::new(0.3, -1.0, -0.7));
    for cut in [Cut::Six, Cut::TwentyFour] {
        let soft = Cube { cells: 1, cut, side: 1.0, density: 2.0, lambda: 2.9, mu: 1.3, ..Cube::default() };
        let model = Cube { wall, normal, compliance: 0.1, ..soft };
        agrees(&model, &model.start().q, 0.08);
    }
}

#[test]
fn orbits() {
    agrees(&Kepler::default(), &[0.7, 0.6], 0.4);
    agrees(&KeplerPolar::default(), &[1.2, 0.5], 0.6);
    agrees(&KeplerRadial::default(), &[1.2], 0.6);
}
