//! Declared models: their families are the elements, and dependence on differences is known from them.

use super::{ALL, from_origin, run};
use least_action::advanced::system::{Element, Elements};
use least_action::error::StartError;
use least_action::method::Method as _;
use least_action::method::force_stepping::{ForceStepping, Wall};
use least_action::prelude::*;
use std::collections::BTreeMap;
use test_support::values::{chain, net};

/// The chain of the reference.
struct Chain {
    beads: usize,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, beads: [Scalar; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).powi(2));
        let springs = sum(0..=self.beads, |i| {
            let left = if i == 0 { 0.0 } else { beads[i - 1] };
            let right = if i == self.beads { 0.0 } else { beads[i] };
            let stretch = right - left;
            stretch.powi(2) / 2.0 + 0.25 * stretch.powi(3) / 3.0 + stretch.powi(4) / 4.0
        });
        kinetic - springs
    }
}

/// A free net, with a wind that pulls its first knot once.
struct Net {
    side: usize,
    wind: f64,
}

#[lagrangian]
impl Net {
    fn lagrangian(&self, knots: [[Vec2; self.side]; self.side]) -> Scalar {
        let n = self.side;
        let spring = |a: Vec2, b: Vec2, length: f64| 0.5 * ((a - b).norm() - length).powi(2);
        let kinetic = sum(0..n, |i| sum(0..n, |j| 0.5 * der(knots[i][j]).norm_squared()));
        let along = sum(0..n, |i| sum(1..n, |j| spring(knots[i][j], knots[i][j - 1], 1.0)));
        let across = sum(1..n, |i| sum(0..n, |j| spring(knots[i][j], knots[i - 1][j], 1.0)));
        let diagonal = std::f64::consts::SQRT_2;
        let rising = sum(1..n, |i| sum(1..n, |j| spring(knots[i][j], knots[i - 1][j - 1], diagonal)));
        let falling = sum(1..n, |i| sum(1..n, |j| spring(knots[i - 1][j], knots[i][j - 1], diagonal)));
        kinetic - along - across - rising - falling - self.wind * knots[0][0].x.sin()
    }
}

/// A pendulum whose string is pulled in.
struct Pulled {}

#[lagrangian]
impl Pulled {
    fn lagrangian(&self, angle: Scalar, t: Time) -> Scalar {
        0.5 * der(angle).powi(2) + (1.0 + 0.1 * t) * angle.cos()
    }
}

fn elements(system: &dyn Natural) -> &dyn Elements {
    system.elements().unwrap()
}

#[test]
fn the_families_are_the_elements() {
    let system = Chain { beads: 9 }.bind().unwrap();
    let (_, start) = chain(9);
    let mut sum = 0.0;
    let mut count = 0;
    let all = elements(&system);
    all.visit_elements(&mut |element, reads| {
        let x: Vec<f64> = reads.iter().map(|&a| start.q[a as usize]).collect();
        sum += all.element_value(element, &x, 0.0);
        assert!(all.element_value(element, &[0.0; 7], 0.0).is_nan());
        count += 1;
    });
    assert_eq!(count, 10);
    assert!((sum - system.potential(&start.q, 0.0)).abs() < 1e-15);
    assert!(all.element_value(Element { family: 99, index: 0 }, &[], 0.0).is_nan());
    assert!(!all.depends_on_time());
}

#[test]
fn what_depends_on_differences_is_proven_from_the_expression() {
    let count = |system: &dyn Natural, direction: &dyn Fn(u32) -> f64| {
        let mut found = BTreeMap::new();
        elements(system).visit_elements(&mut |element, reads| {
            let direction: Vec<f64> = reads.iter().map(|&a| direction(a)).collect();
            *found.entry(elements(system).is_invariant(element, &direction)).or_insert(0) += 1;
        });
        (found.get(&true).copied().unwrap_or(0), found.get(&false).copied().unwrap_or(0))
    };
    let chain = Chain { beads: 9 }.bind().unwrap();
    assert_eq!(count(&chain, &|_| 0.1), (8, 2), "the springs at the ends are not");
    assert_eq!(count(&chain, &|a| f64::from(a + 1)), (0, 10));
    let net = Net { side: 3, wind: 0.2 }.bind().unwrap();
    assert_eq!(count(&net, &|_| 0.1), (20, 1), "the wind is not");
    // Along one axis alone, and with unlike steps along the two.
    assert_eq!(count(&net, &|a| f64::from(a % 2)), (21, 0));
    assert_eq!(count(&net, &|a| 0.1 + 0.1 * f64::from(a % 2)), (20, 1));
}

fn compare(declared: &dyn Natural, by_hand: &dyn Natural, start: &State, count: usize) {
    for triangulation in ALL {
        let method = from_origin(0.01, triangulation);
        let [mut one, mut other] = [run(&method, declared, start), run(&method, by_hand, start)];
        for k in 0..count {
            let [a, b] = [&mut one, &mut other].map(|run| run.next_crossing().unwrap().unwrap());
            assert_eq!(a.wall, b.wall, "{triangulation:?}, crossing {k}");
            assert!((a.time - b.time).abs() < 1e-11, "{triangulation:?}, crossing {k}: {a:?} {b:?}");
        }
    }
}

#[test]
fn declared_models_cross_what_those_written_by_hand_cross() {
    let (by_hand, start) = chain(20);
    compare(&Chain { beads: 20 }.bind().unwrap(), &by_hand, &start, 2000);
    let (by_hand, start) = net(4);
    let calm = Net { side: 4, wind: 0.0 }.bind().unwrap();
    let method = from_origin(0.01, ALL[1]);
    assert!(method.start(&calm, start.clone(), 1.0).is_ok());
    // The wind is an element, even where it does not blow: the cells of its coordinate have ends.
    let mut list = run(&from_origin(0.01, ALL[0]), &calm, &start);
    let ends = (0..3000)
        .filter(|_| matches!(list.next_crossing().unwrap().unwrap().wall, Wall::Coordinate(a) if a == 0));
    assert!(ends.count() > 0);
    let mut by_hand = run(&from_origin(0.01, ALL[0]), &by_hand, &start);
    assert!((0..3000).all(|_| matches!(by_hand.next_crossing().unwrap().unwrap().wall, Wall::Pair(..))));
}

#[test]
fn a_potential_that_depends_on_time_is_refused() {
    let system = Pulled {}.bind().unwrap();
    assert!(elements(&system).depends_on_time());
    let error = ForceStepping::with_grid(0.1).start(&system, State::at_rest(vec![0.3]), 0.1).err().unwrap();
    assert!(matches!(error, StartError::PotentialOfTime { .. }), "{error}");
    assert!(error.to_string().contains("does not depend on time"), "{error}");
}
