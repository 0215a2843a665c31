//! The self-check of a model accuses no right kernel, and misses no wrong one, in systems of any size.

#![expect(clippy::expect_used, reason = "parameters that are known to make a system")]
#![expect(clippy::too_many_lines, reason = "a table with one line for each kind of model")]

use declarations::{
    Analysis, Anchored, Balls, Charged, Cluster, Damped, Drum, Frames, Kapitza, Kepler, KeplerPolar, Linkage,
    Medium, Molecule, Net, Pieces, Raft, Ring, Rotor, Shaken, Soft, Solid, Surface, Swing, Water, Wind,
};
use least_action::advanced::check::{Comparison, check, check_penalized};
use least_action::binding::Model;
use least_action::expr::Oracle;
use least_action::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use test_support::THOROUGH;
use test_support::agreement::Seeded;

/// Random parameters, and random states, many of which have entries that are zero or whole numbers.
struct Draw {
    seeded: Seeded,
    seed: u64,
}

impl Draw {
    fn new(seed: u64) -> Self {
        Self { seeded: Seeded::new(seed), seed }
    }

    fn below(&mut self, count: usize) -> usize {
        ((0.5 * (self.seeded.number() + 1.0) * count as f64) as usize).min(count - 1)
    }

    /// A length, a mass, a stiffness: of any size.
    fn size(&mut self) -> f64 {
        let whole = [1.0, 2.0, 0.5, 10.0];
        if self.below(2) == 0 { whole[self.below(4)] } else { 10.0_f64.powf(2.0 * self.seeded.number()) }
    }

    fn around(&mut self, q: &[f64], spread: f64) -> Vec<f64> {
        // Some states are special in all their entries, some in a few, most in none.
        let special = [0.0, 0.0, 0.3, 1.0][self.below(4)];
        let mut entry = |q: &f64| {
            let moved = q + spread * self.seeded.number();
            if 0.5 * (self.seeded.number() + 1.0) < special { *q } else { moved }
        };
        q.iter().map(&mut entry).collect()
    }

    /// The names of the accused kernels.
    fn accused<M: Model + Oracle>(&mut self, model: &M, q: &[f64], spread: f64) -> Vec<String> {
        let system = model.bind().expect("parameters that make a system");
        let zeros = vec![0.0; q.len()];
        let (q, v) = (self.around(q, spread), self.around(&zeros, 1.0));
        let state = State { t: [0.0, 0.7][self.below(2)], q, v };
        let mut found = check(model, &system, &state, self.seed);
        assert!(!found.is_empty(), "nothing was compared");
        let penalized = check_penalized(model, system.faces(), self.size(), &state, self.seed, &mut |_| {});
        found.extend(penalized.expect("a penalty").into_iter().flatten());
        let wrong = |one: &Comparison| {
            format!("{}, seed {}: {one:?} at {state:?}", std::any::type_name::<M>(), self.seed)
        };
        found.iter().filter(|one| !one.agrees).map(wrong).collect()
    }

    /// The accusations against one model of some kind.
    fn one(&mut self) -> Vec<String> {
        let lattice = |atoms: usize| -> Vec<f64> {
            (0..atoms)
                .flat_map(|i| [1.2 * (i % 2) as f64, 1.2 * (i / 2 % 2) as f64, 1.2 * (i / 4) as f64])
                .collect()
        };
        let turned = [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6];
        let (some, a, b, c) = (1 + self.below(6), self.size(), self.size(), self.size());
        match self.below(25) {
            0 => self.accused(&Ring { rotors: some, coupling: a, shared: 0.2 }, &vec![0.0; some], 2.0),
            // Rods of equal lengths close into polygons whose tip stands still.
            1..=4 => {
                let equal = self.below(2) == 0;
                let rods = (0..some).map(|_| if equal { 1.0 } else { self.size() }).collect();
                let q: Vec<f64> = (0..some).map(|i| std::f64::consts::TAU * i as f64 / some as f64).collect();
                self.accused(&Linkage { rods, masses: vec![a; some], gravity: 9.81 }, &q, 1.0)
            }
            5 => {
                let wave = Medium::Wave { height: 0.7, number: 2.0 };
                let media = vec![Medium::Trap(a), wave, Medium::Trap(2.0), Medium::Empty];
                self.accused(&Soft { media, common: wave }, &[0.0; 4], 1.0)
            }
            6 => {
                let anchors = vec![Some(([1.0, 0.0], 2.0)), None, Some(([0.3, 0.4], b)), None];
                let model = Anchored {
                    anchors,
                    bonds: vec![(0, 1, 1.0), (1, 3, a), (2, 0, 2.0)],
                    weight: Some(0.75),
                };
                self.accused(&model, &[0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0], 0.5)
            }
            7 => self.accused(
                &Swing { rod: a, gravity: 9.81, amplitudes: [0.2, 0.3], frequency: 3.0 },
                &[0.0],
                3.0,
            ),
            8 => self.accused(&Drum { beads: some, depth: 0.25, frequency: 2.0 }, &vec![0.0; 3 * some], 1.0),
            9 => self.accused(&Wind { velocity: [a, -b], mass: c }, &[0.0; 3], 1.0),
            10 => self.accused(&Analysis { exponent: 2.3, power: some as i32 - 3 }, &[0.5; 2], 0.4),
            11 => self.accused(&Surface { bend: a }, &[0.5, 0.5], 0.4),
            12 => {
                let knots = (0..2 * some).flat_map(|k| [(k % some) as f64, 0.0, -((k / some) as f64)]);
                let q: Vec<f64> = std::iter::once(1.0).chain(knots).collect();
                self.accused(&Net { rows: 2, columns: some, stiffness: a }, &q, 0.3)
            }
            13 => {
                let model = Raft { masses: vec![a, b, 0.5, 1.5], edges: vec![(0, 1), (3, 1), (2, 3)] };
                self.accused(&model, &[0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0, 0.0, 0.0], 0.4)
            }
            14 => self.accused(&Cluster { atoms: some, epsilon: a, sigma: 0.9 }, &lattice(some), 0.1),
            15 => self.accused(
                &Charged { charges: vec![a, -b, 0.5], field: [0.3, -0.2, 1.0] },
                &lattice(3),
                0.3,
            ),
            16 => {
                let model = Molecule {
                    masses: vec![1.0, 12.0, 12.0, 1.0],
                    bonds: vec![(0, 1, a, 1.0), (1, 2, b, 1.4), (2, 3, c, 1.0)],
                    angles: vec![[0, 1, 2], [1, 2, 3]],
                    exponent: 5.5,
                };
                self.accused(&model, &[0.0, 0.9, 0.0, 0.0, 0.0, 0.2, 1.3, 0.0, -0.1, 1.4, 0.8, 0.4], 0.2)
            }
            17 => {
                let spread = [[0.5, 0.1, 0.0], [0.1, 0.75, -0.05], [0.0, -0.05, 1.0]];
                let model = Rotor { spread, field: a, hook: [0.25, -0.5, 1.0] };
                self.accused(&model, &[&turned[..], &[0.1, 0.2, -0.3]].concat(), 0.4)
            }
            18 => {
                let rest = [[1.25, 0.25, 0.0], [-0.25, 1.0, 0.5], [0.0, 0.125, 0.75]];
                self.accused(&Frames { frames: 1, rest }, &[&turned[..], &[0.5, -0.25, 1.0]].concat(), 0.2)
            }
            19 => {
                let model = Balls { radii: vec![0.5, 0.75, 0.25], stiffness: a, walls: self.below(2) == 0 };
                self.accused(&model, &[-1.9, 0.4, 0.0, 0.6, 2.2, 0.3], 0.6)
            }
            20 => self.accused(&Pieces { edges: vec![-0.125, 0.5], ask: false }, &[-0.4, 0.5, 0.3], 0.6),
            21 => {
                let model = Kapitza { rod: a, gravity: 9.81, v_max: 2.0, omega: 12.0, phase: 0.7 };
                let first = self.accused(&model, &[0.0], 3.0);
                let model = Shaken { rod: 0.8, gravity: 9.81, amplitudes: [0.2, 0.3], omega: 5.0 };
                [first, self.accused(&model, &[0.3, -0.7], 1.0)].concat()
            }
            22 => {
                let bodies = (0..some).flat_map(|i| [i as f64, 0.5 * i as f64]);
                let q: Vec<f64> = std::iter::once(0.3).chain(bodies).collect();
                self.accused(&Damped { links: some, drag: a, load: 1.5 }, &q, 0.3)
            }
            23 => {
                let site = |x: f64| [x, 0.0, 0.0, x + 0.76, 0.59, 0.0, x - 0.76, 0.59, 0.0];
                let model = Water {
                    molecules: 2,
                    masses: [16.0, 1.0, 1.0],
                    charges: [-0.834, 0.417, 0.417],
                    lennard_jones: [0.636, 3.15],
                    sides: [0.9572, 0.9572, 1.5139],
                };
                self.accused(&model, &[site(0.0), site(3.1)].concat(), 0.05)
            }
            _ => {
                let orbits =
                    [self.accused(&Kepler, &[1.0, 0.5], 0.3), self.accused(&KeplerPolar, &[1.0, 0.5], 0.3)];
                let nodes =
                    vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
                let q = nodes.concat();
                let tetrahedra = vec![[0, 1, 2, 3], [4, 2, 1, 3]];
                let model =
                    Solid { nodes, tetrahedra, lame: [a, 0.75], mass: 0.5, gravity: 9.81, floor: 100.0 };
                [orbits.concat(), self.accused(&model, &q, 0.15)].concat()
            }
        }
    }
}

fn none_is_accused(seeds: std::ops::Range<u64>) {
    let accused: Vec<String> = seeds.flat_map(|seed| Draw::new(seed).one()).collect();
    assert!(accused.is_empty(), "{} accusations:\n{}", accused.len(), accused.join("\n"));
}

#[test]
fn of_random_models() {
    none_is_accused(0..if THOROUGH { 150 } else { 75 });
}

#[test]
#[ignore = "long: a thousand models; new ones each time"]
fn of_a_thousand_new_models() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    let first = now.as_secs() * 1000;
    println!("seeds from {first}");
    none_is_accused(first..first + 1000);
}

/// A chain of springs in a well, one bead of which is deeper for dual numbers than for the kernels.
struct Fickle {
    beads: usize,
    bound: AtomicBool,
}

impl Fickle {
    fn depth(&self, bead: usize) -> f64 {
        if bead == 3141 && self.bound.load(Ordering::Relaxed) { 1.0 + 1e-5 } else { 1.0 }
    }
}

#[lagrangian]
impl Fickle {
    fn lagrangian(&self, beads: [Scalar; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).powi(2));
        let springs = sum(1..self.beads, |i| 0.5 * (beads[i] - beads[i - 1]).powi(2));
        let wells = sum(0..self.beads, |i| self.depth(i) * beads[i].cos());
        kinetic - springs - wells
    }
}

/// One wrong entry among thousands is found by the sum of all, and named.
#[test]
fn one_wrong_entry_among_thousands_is_found_and_named() {
    let model = Fickle { beads: 3500, bound: AtomicBool::new(false) };
    let system = model.bind().expect("a system");
    let mut seeded = Seeded::new(4);
    let state = State { t: 0.0, q: seeded.numbers(3500), v: seeded.numbers(3500) };
    let right = check(&model, &system, &state, 1);
    assert!(right.iter().all(|one| one.agrees), "{right:?}");
    model.bound.store(true, Ordering::Relaxed);
    for comparison in check(&model, &system, &state, 1) {
        let wrong = match comparison.quantity {
            "gradient of V" | "Hess V · a" | "a · V‴ · a" | "first derivatives of L" => "beads[3141]",
            "Hessian of V" | "second derivatives of L" => "beads[3141], beads[3141]",
            // The potential as a whole is known to fewer digits.
            "lagrangian" | "energy" | "potential" => continue,
            quantity => {
                assert!(comparison.agrees, "{quantity}: {comparison:?}");
                continue;
            }
        };
        assert!(!comparison.agrees, "{comparison:?}");
        assert_eq!(comparison.entry, wrong, "{}", comparison.quantity);
    }
}
