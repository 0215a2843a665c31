//! The variational integrators on masses that depend on q and forces that depend on v.

use least_action::advanced::wrap::Penalized;
use least_action::error::StartError;
use least_action::lagrangian;
use least_action::method::{
    Composition, ImplicitMidpoint, Method, Newmark, PushForwardNewmark, Rattle, Reference, VariationalEuler,
    VariationalMidpoint, VariationalTrapezoid, Verlet,
};
use least_action::system::{Lagrangian, State};
use least_action::{Bound, Model};
use test_support::linkage::Linkage;
use test_support::structure::{
    advance, lagrangian_symplectic_defect, order_by_slope, reversal_defect, state_distance,
};

/// Two bobs on rods, in angles from the vertical: the mass depends on the angles.
struct Angles {
    rods: [f64; 2],
    gravity: f64,
}

#[lagrangian]
impl Angles {
    fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {
        let upper = self.rods[0] * vec2(theta.sin(), -theta.cos());
        let lower = upper + self.rods[1] * vec2(phi.sin(), -phi.cos());
        let bob = |place: Vec2| 0.5 * der(place).norm_squared() - self.gravity * place.y;
        bob(upper) + bob(lower)
    }
}

/// Rotors on a line, coupled through their mass and by a force as of a magnetic field, which makes L_vq
/// unsymmetric; the field swings with time.
struct Rotors {
    rotors: usize,
    field: f64,
}

#[lagrangian]
impl Rotors {
    fn lagrangian(&self, angle: [Scalar; self.rotors], t: Time) -> Scalar {
        let links = self.rotors - 1;
        let own = sum(0..self.rotors, |i| (1.0 + 0.3 * angle[i].cos()) * der(angle[i]).powi(2));
        let shared =
            sum(0..links, |i| 0.4 * (angle[i] - angle[i + 1]).cos() * der(angle[i]) * der(angle[i + 1]));
        let field =
            sum(0..links, |i| self.field * (1.0 + 0.2 * t.sin()) * angle[i].sin() * der(angle[i + 1]));
        let potential = sum(0..self.rotors, |i| 1.0 - angle[i].cos());
        own + shared + field - potential
    }
}

fn angles() -> (Bound<Angles>, State) {
    let system = Angles { rods: [1.0, 0.7], gravity: 9.81 }.bind().unwrap();
    (system, State::new(vec![0.7, -0.4], vec![0.3, 1.1]))
}

fn rotors(rotors: usize) -> (Bound<Rotors>, State) {
    let system = Rotors { rotors, field: 0.8 }.bind().unwrap();
    let q = (0..rotors).map(|i| 0.9 * (1.7 * i as f64).sin()).collect();
    let v = (0..rotors).map(|i| 0.8 * (2.3 * i as f64).cos()).collect();
    (system, State::new(q, v))
}

fn check_order<S: Lagrangian, M: Method<S>>(system: &S, start: &State, method: &M, steps: &[u64]) {
    let exact = advance(system, &Reference { tolerance: 1e-13 }, start, 1.0, 1);
    let slope = order_by_slope(steps, |steps| {
        state_distance(&advance(system, method, start, 1.0 / steps as f64, steps), &exact)
    });
    assert!((slope - f64::from(method.order())).abs() < 0.15, "{}: slope {slope}", M::NAME);
}

#[test]
fn the_error_falls_with_the_claimed_order() {
    let (system, start) = angles();
    check_order(&system, &start, &VariationalEuler::default(), &[400, 800, 1600]);
    check_order(&system, &start, &VariationalMidpoint::default(), &[40, 80, 160]);
    check_order(&system, &start, &VariationalTrapezoid::default(), &[40, 80, 160]);
    check_order(&system, &start, &Composition::of(VariationalMidpoint::default(), 4), &[80, 120, 160]);
    let (system, start) = rotors(4);
    check_order(&system, &start, &VariationalEuler::default(), &[200, 400, 800]);
    check_order(&system, &start, &VariationalMidpoint::default(), &[20, 40, 80]);
    check_order(&system, &start, &VariationalTrapezoid::default(), &[20, 40, 80]);
    check_order(&system, &start, &Composition::of(VariationalTrapezoid::default(), 4), &[20, 40, 80]);
}

fn check_symplectic<S: Lagrangian, M: Method<S>>(system: &S, start: &State, method: &M) {
    assert_eq!(M::SYMPLECTIC, Some(true));
    let defect = lagrangian_symplectic_defect(system, method, start, 0.1, 1e-3);
    assert!(defect < 1e-9, "{}: {defect:e}", M::NAME);
}

#[test]
fn one_step_is_a_symplectic_map_in_positions_and_momenta() {
    let ((system, start), (other, beginning)) = (angles(), rotors(3));
    check_symplectic(&system, &start, &VariationalEuler::default());
    check_symplectic(&system, &start, &VariationalMidpoint::default());
    check_symplectic(&system, &start, &VariationalTrapezoid::default());
    check_symplectic(&other, &beginning, &VariationalEuler::default());
    check_symplectic(&other, &beginning, &VariationalMidpoint::default());
    check_symplectic(&other, &beginning, &VariationalTrapezoid::default());
    // The measurement sees a map that is not: a run of low accuracy.
    let rough = lagrangian_symplectic_defect(&system, &Reference { tolerance: 1e-3 }, &start, 0.4, 1e-3);
    assert!(rough > 1e-7, "{rough:e}");
}

fn check_reversible<M: Method<Bound<Angles>>>(method: &M) {
    let (system, start) = angles();
    let defect = reversal_defect(&system, method, &start, 0.05, 20);
    match M::REVERSIBLE {
        Some(true) => assert!(defect < 1e-12, "{}: {defect:e}", M::NAME),
        Some(false) => assert!(defect > 1e-3, "{}: {defect:e}", M::NAME),
        None => panic!("{} claims nothing", M::NAME),
    }
}

#[test]
fn reversing_the_velocity_runs_backwards_where_it_is_claimed() {
    check_reversible(&VariationalEuler::default());
    check_reversible(&VariationalMidpoint::default());
    check_reversible(&VariationalTrapezoid::default());
}

fn check_momentum<M: Method<Bound<Angles>>>(method: &M) {
    let system = Angles { rods: [1.0, 0.7], gravity: 0.0 }.bind().unwrap();
    let momentum = |state: &State| {
        let mut gradient = vec![0.0; 5];
        system.first_derivatives(&state.q, &state.v, state.t, &mut gradient);
        gradient[2] + gradient[3]
    };
    let start = angles().1;
    let end = advance(&system, method, &start, 0.05, 500);
    let change = (momentum(&end) - momentum(&start)).abs();
    assert_eq!(M::MOMENTUM, Some(true));
    assert!(change < 1e-12, "{}: {change:e}", M::NAME);
}

#[test]
fn the_angular_momentum_is_kept_in_angles_too() {
    check_momentum(&VariationalEuler::default());
    check_momentum(&VariationalMidpoint::default());
    check_momentum(&VariationalTrapezoid::default());
}

/// For constant mass, midpoint is the implicit midpoint rule, trapezoid Verlet, Euler symplectic.
#[test]
fn on_natural_systems_they_are_methods_that_are_known() {
    let (chain, start) = Linkage::paper_chain(6, 1.0);
    let system = Penalized::new(&chain, 20.0).unwrap();
    let close = |a: &State, b: &State, name| {
        let distance = state_distance(a, b);
        assert!(distance < 1e-11, "{name}: {distance:e}");
    };
    let midpoint = advance(&system, &ImplicitMidpoint::default(), &start, 0.05, 10);
    close(&advance(&system, &VariationalMidpoint::default(), &start, 0.05, 10), &midpoint, "midpoint");
    let verlet = advance(&system, &Verlet, &start, 0.005, 100);
    close(&advance(&system, &VariationalTrapezoid::default(), &start, 0.005, 100), &verlet, "trapezoid");
    let h = 0.005;
    let mut euler = start.clone();
    let mut gradient = vec![0.0; 25];
    for _ in 0..100 {
        system.first_derivatives(&euler.q, &euler.v, 0.0, &mut gradient);
        for ((q, v), force) in euler.q.iter_mut().zip(&mut euler.v).zip(&gradient) {
            *v += h * force;
            *q += h * *v;
        }
        euler.t += h;
    }
    close(&advance(&system, &VariationalEuler::default(), &start, h, 100), &euler, "Euler");
}

#[test]
fn options_out_of_range_are_refused() {
    let error = VariationalTrapezoid { tolerance: 1.0, ..VariationalTrapezoid::default() }
        .start(&angles().0, angles().1, 0.1)
        .err()
        .unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "tolerance", .. }));
}

/// A run that starts from a state of another continues it to the same bits.
#[test]
fn nothing_but_the_state_enters_a_step() {
    let (system, start) = rotors(5);
    check_resumed(&system, &start, &VariationalMidpoint::default());
    let (chain, start) = Linkage::paper_chain(6, 1.0);
    let system = Penalized::new(&chain, 20.0).unwrap();
    check_resumed(&system, &start, &ImplicitMidpoint::default());
    check_resumed(&system, &start, &Newmark::default());
    check_resumed(&system, &start, &PushForwardNewmark::default());
    check_resumed(&chain, &start, &Composition::of(Rattle::default(), 4));
}

fn check_resumed<S, M: Method<S>>(system: &S, start: &State, method: &M) {
    let whole = advance(system, method, start, 0.0625, 20);
    let half = advance(system, method, start, 0.0625, 8);
    assert_eq!(advance(system, method, &half, 0.0625, 12), whole, "{}", M::NAME);
}
