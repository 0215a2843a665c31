//! The compiler's findings in declarations with matrices, pieces, phases, forces; and their motion.

#![expect(clippy::float_cmp, reason = "numbers that are exact in binary")]

use declarations::{Balls, Damped, Frames, Kapitza, Pieces, Rotor, Shaken, Sinking};
use least_action::advanced::describe::{Part, Smoothness};
use least_action::binding::Model;
use least_action::error::BindError;
use least_action::method::{Method, Rattle, Reference, Stepper};
use least_action::prelude::*;
use least_action::system::Natural;

#[test]
fn a_symmetric_matrix_of_constraints_has_six_equations() {
    let model =
        Rotor { spread: [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]], field: 0.0, hook: [0.0; 3] };
    let system = model.bind().expect("a rotor");
    assert_eq!(system.constraints(), 6);
    let description = system.description();
    assert_eq!(description.constraints[0].kept_components, Some(vec![0, 1, 2, 4, 5, 8]));
    let model = Frames { frames: 2, rest: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };
    let description = model.bind().expect("frames").description();
    assert_eq!(description.constraints[1].equations, 6, "three of each antisymmetric matrix");
    assert_eq!(description.constraints[1].kept_components, Some(vec![1, 2, 5]));
    assert_eq!(description.coordinates[0].kind, least_action::system::Kind::Mat3);
}

/// Bodies whose spread about the origin and whose angular momenta in the plane are held as matrices.
struct Spread {
    bodies: usize,
}

#[lagrangian]
impl Spread {
    fn lagrangian(&self, x: [Vec3; self.bodies], y: [Vec3; self.bodies]) -> Scalar {
        sum(0..self.bodies, |i| 0.5 * der(x[i]).norm_squared() + 0.5 * der(y[i]).norm_squared())
    }

    #[holonomic]
    fn spread(&self, x: [Vec3; self.bodies]) -> Mat3 {
        sum(x.iter(), |x| x.outer(*x)) - Mat3::IDENTITY
    }

    #[holonomic]
    fn sheared(&self, x: [Vec3; self.bodies], y: [Vec3; self.bodies]) -> Mat3 {
        sum(0..self.bodies, |i| x[i].outer(y[i]) - y[i].outer(x[i]))
    }
}

#[test]
fn a_sum_of_symmetric_matrices_has_six_equations() {
    let description = Spread { bodies: 4 }.bind().expect("bodies").description();
    let kept = description.constraints.iter().map(|group| group.kept_components.clone());
    assert_eq!(kept.collect::<Vec<_>>(), [Some(vec![0, 1, 2, 4, 5, 8]), Some(vec![1, 2, 5])]);
}

/// Without field and spring the antisymmetric part of Σ (R D Ṙᵀ) stays, and R stays a rotation.
#[test]
fn a_rotation_matrix_moves_with_rattle() {
    let spread = [[0.5, 0.0, 0.0], [0.0, 0.75, 0.0], [0.0, 0.0, 1.25]];
    let system = Rotor { spread, field: 0.0, hook: [0.0; 3] }.bind().expect("a rotor");
    // Ṙ = ω × at R = 1, nearly about the middle axis; the spring is at rest.
    let (x, y, z) = (0.02, 1.0, 0.01);
    let q = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.5, -0.25].to_vec();
    let v = [0.0, -z, y, z, 0.0, -x, -y, x, 0.0, 0.0, 0.0, 0.0].to_vec();
    let momentum = |state: &State| {
        let (r, w) = (&state.q, &state.v);
        let entry = |i: usize, j: usize| {
            (0..3)
                .map(|k| spread[k][k] * (w[3 * i + k] * r[3 * j + k] - w[3 * j + k] * r[3 * i + k]))
                .sum::<f64>()
        };
        [entry(2, 1), entry(0, 2), entry(1, 0)]
    };
    let start = State::new(q, v);
    let expected = momentum(&start);
    let run = |step: f64| {
        let mut run = Rattle::default().start(&system, start.clone(), step).expect("a start");
        for _ in 0..(5.0 / step).round() as usize {
            run.step().expect("a step");
        }
        run.state().clone()
    };
    let end = run(0.01);
    for (found, expected) in momentum(&end).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-11, "{found} is not {expected}");
    }
    let mut values = vec![0.0; 6];
    system.constraint_values(&end.q, end.t, &mut values);
    assert!(values.iter().all(|value| value.abs() < 1e-12), "{values:?}");
    let mut reference = Reference::default().start(&system, start.clone(), 5.0).expect("a start");
    reference.step().expect("a step");
    let error = |state: &State| {
        state.q.iter().zip(&reference.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(&end), error(&run(0.005)));
    assert!(fine > 0.0 && (3.5..4.5).contains(&(coarse / fine)), "{coarse} and {fine}");
}

#[test]
fn smoothness_is_found() {
    let model = Balls { radii: vec![0.5, 0.25], stiffness: 1.0, walls: true };
    let description = model.bind().expect("balls").description();
    let of = |part: Part| {
        let families = description.families.iter().filter(move |family| family.part == part);
        families.map(|family| family.smoothness).collect::<Vec<_>>()
    };
    assert_eq!(of(Part::Kinetic), [Smoothness::Smooth]);
    // The floor, the pairs, and the walls, where the cube of a ramp begins.
    assert_eq!(of(Part::Potential), [Smoothness::Times(1), Smoothness::Times(1), Smoothness::Times(2)]);
    let model = Pieces { edges: vec![0.5], ask: true };
    let families = model.bind().expect("pieces").description().families;
    assert!(families.iter().any(|family| family.smoothness == Smoothness::Unknown));
}

#[test]
fn phases_are_found_even_or_not() {
    let model = Kapitza { rod: 1.0, gravity: 9.81, v_max: 2.0, omega: 50.0, phase: 0.25 };
    let system = model.bind().expect("a pendulum");
    let driven = system.faces().driven.expect("a phase");
    assert_eq!((driven.frequency(), driven.initial_phase(), driven.phase(2.0)), (50.0, 0.25, 100.25));
    assert!(driven.is_even_in_phase());
    assert_eq!(system.description().structure.even_in_phase, Some(true));
    let model = Shaken { rod: 1.0, gravity: 9.81, amplitudes: [0.1, 0.2], omega: 5.0 };
    let system = model.bind().expect("a pendulum");
    assert!(!system.is_even_in_phase());
    assert!(system.description().structure.time_dependent);
    let infinite = Shaken { rod: 1.0, gravity: 9.81, amplitudes: [0.1, 0.2], omega: f64::INFINITY };
    assert!(infinite.bind().is_err());
}

/// The velocity of a sinking body is −g/k (1 − exp(−k t)).
#[test]
fn the_reference_includes_forces() {
    let (drag, gravity) = (0.75, 2.0);
    let system = Sinking { drag, gravity }.bind().expect("a point");
    assert!(system.forced().is_some());
    assert!(
        system.faces().natural.is_some_and(|natural| natural.forced().is_some()),
        "its engines see the drag"
    );
    let mut run = Reference::default().start(&system, State::at_rest(vec![0.0]), 2.0).expect("a start");
    run.step().expect("a step");
    let expected = -gravity / drag * (1.0 - f64::exp(-drag * 2.0));
    assert!((run.state().v[0] - expected).abs() < 1e-10);
    assert!(system.conserved().is_empty(), "a force may take what the Lagrangian conserves");
    assert_eq!(system.description().forces[0].coordinate.as_deref(), Some("height"));
}

#[test]
fn forces_have_the_size_of_their_coordinate() {
    #[derive(Debug)]
    struct Short {
        links: usize,
        pushed: usize,
    }

    #[lagrangian]
    impl Short {
        fn lagrangian(&self, x: [Scalar; self.links]) -> Scalar {
            sum(x.iter(), |x| 0.5 * der(*x).powi(2))
        }

        #[force]
        fn push(&self, x: [Scalar; self.links]) -> [Scalar; self.links] {
            each(0..self.pushed, |i| -der(x[i]))
        }
    }

    assert!(Short { links: 3, pushed: 3 }.bind().is_ok());
    for pushed in [0, 2] {
        let Err(error) = (Short { links: 3, pushed }).bind() else { panic!("{pushed} of 3") };
        let expected = BindError::ForceLength {
            force: "push".to_owned(),
            coordinate: "x".to_owned(),
            expected: 3,
            found: pushed,
        };
        assert_eq!(error, expected);
    }
}

#[test]
fn forces_may_act_on_one_of_several() {
    let description = Damped { links: 2, drag: 0.5, load: 1.0 }.bind().expect("a chain").description();
    let targets: Vec<_> =
        description.forces.iter().map(|force| (force.name.as_str(), force.coordinate.as_deref())).collect();
    assert_eq!(targets, [("air", Some("bobs")), ("friction", Some("hinge"))]);
}

/// The power 2 of a parameter is the polynomial that it is, at 0 too.
#[test]
fn powers_by_parameters_are_polynomials_at_zero() {
    #[derive(Debug)]
    struct Well {
        power: f64,
    }

    #[lagrangian]
    impl Well {
        fn lagrangian(&self, x: Scalar) -> Scalar {
            0.5 * der(x).powi(2) - x.powf(self.power)
        }
    }

    for (power, expected) in [(2.0, 0.0), (3.0, 6.0), (4.0, 0.0)] {
        let system = Well { power }.bind().expect("a well");
        let mut third = [f64::NAN];
        system.potential_third(&[0.0], 0.0, &[1.0], &mut third);
        assert_eq!(third[0], expected, "x^{power}");
    }
}

#[test]
fn constant_matrices_come_as_rows_or_as_values_that_give_columns() {
    /// A matrix that hands out its columns, as matrices of linear algebra libraries do.
    #[derive(Debug, Clone, Copy)]
    struct Columns([[f64; 3]; 3]);

    impl From<Columns> for [[f64; 3]; 3] {
        fn from(matrix: Columns) -> Self {
            matrix.0
        }
    }

    #[derive(Debug)]
    struct Turned {
        rows: [[f64; 3]; 3],
        columns: Columns,
    }

    #[lagrangian]
    impl Turned {
        fn lagrangian(&self, x: Vec3) -> Scalar {
            0.5 * der(x).norm_squared() - (mat3(self.rows) * x).x - 10.0 * (mat3(self.columns) * x).x
        }
    }

    let entries = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    let system = Turned { rows: entries, columns: Columns(entries) }.bind().expect("a model");
    let mut gradient = [0.0; 3];
    system.potential_gradient(&[0.0; 3], 0.0, &mut gradient);
    assert_eq!(gradient, [11.0, 42.0, 73.0]);
}

/// Sites of three sorts, of which two have a strength.
#[derive(Debug, Clone, Copy)]
enum Sort {
    Empty,
    Soft(f64),
    Hard { strength: f64 },
}

/// Numbers held by the values at their sites.
struct Sites {
    sorts: Vec<Sort>,
}

#[lagrangian]
impl Sites {
    fn lagrangian(&self, x: [Scalar; self.sorts.len()]) -> Scalar {
        let n = self.sorts.len();
        let held = sum(1..n, |i| match (self.sorts[i], self.sorts[i - 1]) {
            (Sort::Empty, Sort::Empty) => x[i],
            (Sort::Soft(strength), _) | (_, Sort::Soft(strength)) if strength < 0.5 => {
                strength * x[i].powi(2)
            }
            _ => x[i].powi(3),
        });
        let raised = sum(0..n, |i| {
            let inner = if let Sort::Soft(strength) | Sort::Hard { strength } = self.sorts[i] {
                strength * x[i]
            } else {
                x[i].sin()
            };
            inner.exp()
        });
        sum(x.iter(), |x| 0.5 * der(*x).powi(2)) - held - raised
    }
}

#[test]
fn alternatives_of_a_pattern_bind_one_name() {
    let sorts =
        vec![Sort::Empty, Sort::Empty, Sort::Soft(0.25), Sort::Hard { strength: 0.75 }, Sort::Soft(0.8)];
    let x = [0.1, 0.2, 0.3, 0.4, 0.5_f64];
    let held = x[1] + 0.25 * x[2].powi(2) + 0.25 * x[3].powi(2) + x[4].powi(3);
    let inner = [x[0].sin(), x[1].sin(), 0.25 * x[2], 0.75 * x[3], 0.8 * x[4]];
    let expected = held + inner.iter().map(|inner| inner.exp()).sum::<f64>();
    let found = Sites { sorts }.bind().expect("sites").potential(&x, 0.0);
    assert!((found - expected).abs() < 1e-14 * expected, "{found}, not {expected}");
}
