//! Rows that hold a motion by its square alone, as all distances hold a straight molecule, are kept for
//! ever; rows that are squares themselves are refused in one sentence.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::error::StartError;
use least_action::method::{
    Bdf, Claims, Method, Rattle, Reference, Shake, Stepper, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid,
};
use least_action::prelude::*;
use test_support::THOROUGH;
use test_support::structure::distance;

/// Atoms that all their distances hold, and air.
struct Molecule {
    masses: Vec<f64>,
    rods: Vec<(usize, usize, f64)>,
    drag: f64,
}

#[lagrangian]
impl Molecule {
    fn lagrangian(&self, atoms: [Vec3; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| 0.5 * self.masses[i] * der(atoms[i]).norm_squared())
    }

    #[dissipation]
    fn air(&self, atoms: [Vec3; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| 0.5 * self.drag * self.masses[i] * der(atoms[i]).norm_squared())
    }

    #[holonomic]
    fn rods(&self, atoms: [Vec3; self.masses.len()]) -> [Scalar; self.rods.len()] {
        each(0..self.rods.len(), |k| {
            let (i, j, length) = self.rods[k];
            (atoms[i] - atoms[j]).norm_squared() - length.powi(2)
        })
    }
}

const ASKEW: Vector3<f64> = Vector3::new(0.3, -0.5, 0.7);

/// The arm turned about an axis, by the length of the axis.
fn turned(axis: Vector3<f64>, arm: Vector3<f64>) -> Vector3<f64> {
    let (angle, axis) = (axis.norm(), axis.normalize());
    let along = axis * axis.dot(&arm);
    along + (arm - along) * angle.cos() + axis.cross(&arm) * angle.sin()
}

impl Molecule {
    /// The molecule with these atoms, which turns by 2 rad/s about an axis askew.
    fn turning(atoms: &[(f64, [f64; 3])], drag: f64) -> (Self, State) {
        let places: Vec<Vector3<f64>> = atoms.iter().map(|(_, place)| Vector3::from(*place)).collect();
        let places: Vec<Vector3<f64>> = places.iter().map(|place| turned(ASKEW, *place)).collect();
        let masses: Vec<f64> = atoms.iter().map(|(mass, _)| *mass).collect();
        let centre = places.iter().zip(&masses).map(|(place, mass)| *mass * place).sum::<Vector3<f64>>()
            / masses.iter().sum::<f64>();
        let spin = turned(ASKEW, Vector3::new(0.0, 0.0, 2.0));
        let arms = || places.iter().map(|place| place - centre);
        let pairs = (0..places.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let rods = pairs.map(|(i, j)| (i, j, (places[i] - places[j]).norm())).collect();
        let q = arms().flat_map(|arm| [arm.x, arm.y, arm.z]).collect();
        let v = arms().map(|arm| spin.cross(&arm)).flat_map(|v| [v.x, v.y, v.z]).collect();
        (Self { masses, rods, drag }, State::new(q, v))
    }
}

/// The molecule turns as a whole about a fixed axis, to order 2.
fn check<M: Method<Bound<Molecule>> + Claims>(method: &M, (molecule, start): (Molecule, State), steps: u64) {
    let (h, drag) = (0.02, molecule.drag);
    let system = molecule.bind().unwrap();
    let mut stepper = method.start(&system, start.clone(), h).unwrap();
    for step in 0..steps {
        stepper.step().unwrap_or_else(|error| panic!("{step}: {error}"));
    }
    // The turn by then, and its axis.
    let t = stepper.state().t;
    let turn = if drag > 0.0 { 2.0 * (1.0 - (-drag * t).exp()) / drag } else { 2.0 * t };
    let axis = turned(ASKEW, Vector3::z());
    let places = start.q.chunks(3).flat_map(|arm| {
        let place = turned(axis * turn, Vector3::new(arm[0], arm[1], arm[2]));
        [place.x, place.y, place.z]
    });
    let off = distance(&stepper.state().q, &places.collect::<Vec<_>>());
    // The error of the phase is h² ω² / 24 of the turn.
    let allowed =
        3.0 * (0.04_f64.powi(2) / 6.0) * turn + 1e-3 * f64::from(method.order().abs_diff(2)) * turn + 1e-3;
    assert!(off < allowed.min(4.0), "{} with drag {drag}: {off:e} at {t}", M::NAME);
}

#[test]
fn straight_and_flat_molecules_turn_for_ever() {
    let straight: [(f64, [f64; 3]); 3] =
        [(16.0, -1.16), (12.0, 0.0), (16.0, 1.16)].map(|(m, x)| (m, [x, 0.0, 0.0]));
    let acetylene = [(1.0, -1.66), (12.0, -0.6), (12.0, 0.6), (1.0, 1.66)].map(|(m, x)| (m, [x, 0.0, 0.0]));
    let flat =
        [[1.0, 0.0, 0.0], [0.2, 1.1, 0.0], [-1.0, 0.3, 0.0], [0.1, -0.9, 0.0]].map(|place| (14.0, place));
    let molecules: [&[(f64, [f64; 3])]; 3] = [&straight, &acetylene, &flat];
    for (atoms, drag) in molecules.into_iter().flat_map(|atoms| [(atoms, 0.0), (atoms, 0.01)]) {
        // Air is where the rows of variational steps once came apart, after 1260 steps.
        let [steps, few] =
            if THOROUGH { [100_000; 2] } else { [1_200, if drag > 0.0 { 1_400 } else { 600 }] };
        let molecule = || Molecule::turning(atoms, drag);
        check(&Rattle::default(), molecule(), steps);
        check(&Shake::default(), molecule(), steps);
        check(&VariationalMidpoint::default(), molecule(), few);
        check(&VariationalTrapezoid::default(), molecule(), few);
    }
}

/// Two points in one place, by a row that is zero together with its gradient.
struct Welded {
    form: usize,
}

#[lagrangian]
impl Welded {
    fn lagrangian(&self, a: Vec2, b: Vec2) -> Scalar {
        0.5 * der(a).norm_squared() + der(b).norm_squared() - 13.5 * a.norm_squared()
    }

    #[holonomic]
    fn weld(&self, a: Vec2, b: Vec2) -> Scalar {
        let apart = a - b;
        match self.form {
            0 => a.distance_squared(b),
            1 => apart.x.powi(2),
            2 => apart.x * apart.y,
            3 => apart.y.powi(3),
            4 => 1e-9 * apart.norm_squared(),
            _ => a.distance_squared(b) * (1.0 + a.x),
        }
    }
}

#[test]
fn a_row_that_is_a_square_is_refused_in_one_sentence_by_every_method() {
    fn refused<M: Method<Bound<Welded>>>(method: &M, system: &Bound<Welded>, start: &State) {
        let error = method.start(system, start.clone(), 1e-3).map(drop).unwrap_err();
        assert!(matches!(&error, StartError::NoGradient { row, .. } if row == "weld"), "{error}");
    }
    for (form, off) in (0..6).flat_map(|form| [(form, 0.0), (form, 1e-9)]) {
        let system = Welded { form }.bind().unwrap();
        for place in [[0.4, 0.3], [0.0, 0.3]] {
            let start = State::at_rest(vec![place[0], place[1], place[0] + off, place[1]]);
            refused(&Rattle::default(), &system, &start);
            refused(&Shake::default(), &system, &start);
            refused(&VariationalEuler::default(), &system, &start);
            refused(&VariationalMidpoint::default(), &system, &start);
            refused(&VariationalTrapezoid::default(), &system, &start);
            refused(&Reference::default(), &system, &start);
            refused(&Bdf::default(), &system, &start);
        }
    }
}
