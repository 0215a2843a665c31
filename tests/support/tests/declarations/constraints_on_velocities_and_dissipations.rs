//! Constraints on velocities and dissipations: their kernels, the findings about them, and refusals.

use declarations::Convoy;
use least_action::advanced::check::{check, nearby};
use least_action::expr::Oracle;
use least_action::method::{Method, Stepper, VariationalMidpoint};
use least_action::prelude::*;
use least_action::system::Forced;
use test_support::agreement::Seeded;
use test_support::oracle;

/// A train of carts with wheels on a table that turns, with rows of every kind.
struct Train {
    carts: usize,
    rate: f64,
    dampers: Vec<f64>,
}

#[lagrangian]
impl Train {
    fn lagrangian(
        &self,
        carts: [Vec2; self.carts],
        headings: [Angle; self.carts],
        weight: Vec3,
        t: Time,
    ) -> Scalar {
        let kinetic = sum(0..self.carts, |i| {
            (1.0 + 0.3 * headings[i].cos().powi(2)) * der(carts[i]).norm_squared()
                + 0.2 * der(headings[i]).powi(2)
        });
        let springs = sum(1..self.carts, |i| ((carts[i] - carts[i - 1]).norm() - 1.0).powi(2));
        kinetic + 0.5 * der(weight).norm_squared() - springs - weight.z * t.cos()
    }

    #[holonomic]
    fn on_a_sphere(&self, weight: Vec3) -> Scalar {
        weight.norm_squared() - 1.0
    }

    /// No cart slides sideways on the table.
    #[nonholonomic]
    fn wheels(&self, headings: [Angle; self.carts], carts: [Vec2; self.carts]) -> [Scalar; self.carts] {
        each(0..self.carts, |i| {
            let slip = der(carts[i]) - self.rate * vec2(-carts[i].y, carts[i].x);
            slip.cross(vec2(headings[i].cos(), headings[i].sin()))
        })
    }

    /// The mean heading is driven, the derivative of a position; the weight drifts, which is none.
    #[nonholonomic]
    fn driven(&self, headings: [Angle; self.carts], weight: Vec3, t: Time) -> [Scalar; 2] {
        [
            sum(0..self.carts, |i| der(headings[i]) * headings[i].cos()) - (0.3 * t).cos(),
            weight.y * der(weight).x - t * weight.z * der(weight.y)
                + if self.carts > 2 { t * t } else { weight.x },
        ]
    }

    #[dissipation]
    fn dampers(&self, carts: [Vec2; self.carts], t: Time) -> Scalar {
        sum(1..self.carts, |i| {
            let apart = carts[i] - carts[i - 1];
            0.5 * self.dampers[i] * der(apart).dot(apart).powi(2) / (1.0 + t * t)
        })
    }

    #[dissipation]
    fn air(&self, weight: Vec3) -> Scalar {
        (1.0 + der(weight).norm_squared()).powf(1.5) / 3.0
    }

    #[force(headings)]
    fn steering(&self, headings: [Angle; self.carts], t: Time) -> [Scalar; self.carts] {
        each(0..self.carts, |i| 0.1 * (t - headings[i]).sin())
    }
}

fn train(carts: usize) -> Train {
    Train { carts, rate: 0.7, dampers: (0..carts).map(|i| 0.4 + 0.2 * i as f64).collect() }
}

fn close(what: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (k, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!(
            (found - wanted).abs() <= 1e-13 * (1.0 + wanted.abs()),
            "{what}[{k}]: {found} instead of {wanted}"
        );
    }
}

fn agrees<M: Model + Oracle>(model: &M, system: &(impl Nonholonomic + Forced), q: &[f64], v: &[f64], t: f64) {
    let (n, rows) = (q.len(), system.nonholonomic_rows());
    let pattern = system.nonholonomic_pattern();
    let full = |pattern: &least_action::advanced::sparse::RowPattern, values: &[f64]| {
        let mut full = vec![vec![0.0; 2 * n]; pattern.height()];
        for ((row, column), value) in pattern.entries().zip(values) {
            full[row][column] += value;
        }
        full.concat()
    };
    let (mut values, mut derivatives) = (vec![f64::NAN; rows], vec![f64::NAN; pattern.len()]);
    system.nonholonomic_values(q, v, t, &mut values);
    close("c", &values, &oracle::nonholonomic(model, q, v, t));
    system.nonholonomic_derivatives(q, v, t, &mut values, &mut derivatives);
    close("c with its derivatives", &values, &oracle::nonholonomic(model, q, v, t));
    let wanted = oracle::nonholonomic_derivatives(model, q, v, t).concat();
    close("∂c/∂(q, v)", &full(pattern, &derivatives), &wanted);
    let mut rate = vec![f64::NAN; rows];
    system.nonholonomic_time_derivative(q, v, t, &mut rate);
    close("∂c/∂t", &rate, &oracle::nonholonomic_rate(model, q, v, t));

    let (mut force, mut derivatives) = (vec![0.0; n], vec![0.0; system.force_pattern().len()]);
    system.add_force(q, v, t, &mut force);
    close("F", &force, &oracle::forces(model, q, v, t));
    system.add_force_derivatives(q, v, t, &mut [0.0; 64][..n], &mut derivatives);
    let wanted = oracle::force_derivatives(model, q, v, t).concat();
    close("∂F/∂(q, v)", &full(system.force_pattern(), &derivatives), &wanted);
}

#[test]
fn through_sums_too() {
    let mut seeded = Seeded::new(12);
    for masses in [vec![1.3], vec![1.0, 0.7, 1.6]] {
        let model = Convoy { masses, rate: 0.4 };
        let system = model.bind().unwrap();
        let n = system.dimension();
        for _ in 0..3 {
            agrees(&model, &system, &seeded.numbers(n), &seeded.numbers(n), seeded.number());
        }
    }
}

#[test]
fn kernels_are_those_of_dual_numbers() {
    let mut seeded = Seeded::new(11);
    for carts in [1, 2, 3] {
        let model = train(carts);
        let system = model.bind().unwrap();
        let n = system.dimension();
        assert_eq!(system.nonholonomic_rows(), carts + 2);
        assert_eq!(system.nonholonomic_name(carts + 1), "driven[1]");
        for _ in 0..4 {
            let (q, v, t) = (seeded.numbers(n), seeded.numbers(n), seeded.number());
            agrees(&model, &system, &q, &v, t);
        }
    }
}

#[test]
fn checks_compare_them_and_do_not_accuse_them() {
    let model = train(3);
    let system = model.bind().unwrap();
    let mut state = State::new(vec![0.4; system.dimension()], vec![0.3; system.dimension()]);
    state.t = 0.8;
    for seed in 1..4 {
        let report = check(&model, &system, &nearby(system.layout(), &state, seed), seed);
        for wanted in ["constraints on velocities", "∂c/∂(q, v)", "∂c/∂t", "forces", "∂F/∂(q, v)"]
        {
            assert!(report.iter().any(|one| one.quantity == wanted), "{wanted}");
        }
        for one in &report {
            assert!(one.agrees, "{one:?}");
        }
    }
}

#[test]
fn rows_that_are_derivatives_of_positions_are_named() {
    let system = train(3).bind().unwrap();
    let description = system.description();
    let found: Vec<(&str, usize, &[usize])> = description
        .nonholonomic
        .iter()
        .map(|group| (&group.name[..], group.equations, &group.derivatives_of_positions[..]))
        .collect();
    assert_eq!(found, [("wheels", 3, &[][..]), ("driven", 2, &[0][..])]);
    assert_eq!(description.equations, 1 + 3 + 2);
}

struct Skate {
    turns: f64,
}

#[lagrangian(conserves(energy))]
impl Skate {
    fn lagrangian(&self, p: Vec2, phi: Angle) -> Scalar {
        0.5 * der(p).norm_squared() + 0.5 * self.turns * der(phi).powi(2)
    }

    #[nonholonomic]
    fn skate(&self, p: Vec2, phi: Angle, t: Time) -> Scalar {
        der(p).cross(vec2((phi + t).cos(), (phi + t).sin()))
    }
}

struct Ball {
    rate: f64,
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, p: Vec2, turned: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() + 0.2 * der(turned).norm_squared()
    }

    #[nonholonomic]
    fn rolls(&self, p: Vec2, turned: Vec2) -> Vec2 {
        der(vec2(p.x - turned.y, p.y + turned.x)) + self.rate * vec2(p.y, -p.x)
    }
}

/// Homogeneous rows do no work, whatever they read; momenta are claimed by none.
#[test]
fn energy_alone_is_conserved_and_only_beside_homogeneous_rows() {
    let names = |conserved: &[least_action::advanced::noether::ConservedQuantity]| {
        conserved.iter().map(|quantity| quantity.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(Skate { turns: 1.0 }.bind().unwrap().conserved()), ["energy"]);
    assert!(Ball { rate: 0.5 }.bind().unwrap().conserved().is_empty());
}

struct Hinged {
    along: f64,
    across: f64,
}

#[lagrangian]
impl Hinged {
    fn lagrangian(&self, x: Scalar, angle: Angle) -> Scalar {
        0.5 * der(x).powi(2) + 0.5 * der(angle).powi(2)
    }

    #[dissipation]
    fn losses(&self, x: Scalar, angle: Angle) -> Scalar {
        0.5 * self.along * (der(x).powi(2) + der(angle).powi(2)) + self.across * der(x) * der(angle)
    }

    #[force(angle)]
    fn motor(&self, angle: Angle) -> Scalar {
        self.along * angle.cos()
    }
}

#[test]
fn a_dissipation_that_drives_is_refused() {
    let start = |along, across| {
        let system = Hinged { along, across }.bind().unwrap();
        assert!(system.force_is_symmetric() && system.dissipates());
        let state = State::new(vec![0.1, 0.2], vec![0.3, 0.4]);
        let started = VariationalMidpoint::default().start(&system, state, 0.01);
        started.map(|mut stepper| stepper.step().unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(start(2.0, 1.5), Ok(()));
    assert_eq!(start(2.0, 2.0), Ok(()), "a direction without losses");
    let refused = |along, across, wanted: &str| {
        let error = start(along, across).unwrap_err();
        assert!(
            error.contains(wanted) && error.starts_with("the dissipation of `Hinged` is not convex"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    };
    refused(-1.0, 0.0, "in the velocity of `x` its second derivative is -1");
    refused(2.0, 2.1, "in some combination of the velocities its second derivative is -5");
    refused(0.0, 1.0, "in the velocity of `x` and the velocity of `angle` together");
}

/// A force that turns velocities, and one that does not.
#[test]
fn forces_that_are_not_symmetric_are_known() {
    let system = train(2).bind().unwrap();
    assert!(system.force_is_symmetric(), "torques without velocities, and dissipations");
    assert!(!Turning { rate: 1.0 }.bind().unwrap().force_is_symmetric());
}

struct Turning {
    rate: f64,
}

#[lagrangian]
impl Turning {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared()
    }

    #[force]
    fn coriolis(&self, p: Vec2) -> Vec2 {
        self.rate * vec2(der(p).y, -der(p).x)
    }
}
