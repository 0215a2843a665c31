//! Drag from rest, potentials at their centre, and the check there.

use least_action::advanced::check::check;
use least_action::drive::integrate;
use least_action::method::{
    Bdf, Newmark, Rattle, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet, ZhangSkeel,
};
use least_action::prelude::*;

/// A pendulum on a cart in the wind of its own motion.
struct AirPendulum {
    air: f64,
    form: usize,
}

#[lagrangian]
impl AirPendulum {
    fn bob(&self, x: Scalar, theta: Angle) -> Vec2 {
        vec2(x + theta.sin(), -theta.cos())
    }

    fn lagrangian(&self, x: Scalar, theta: Angle) -> Scalar {
        let bob = self.bob(x, theta);
        der(x).powi(2) + 0.5 * der(bob).norm_squared() - 9.81 * bob.y
    }

    #[dissipation]
    fn air(&self, x: Scalar, theta: Angle) -> Scalar {
        let v = der(self.bob(x, theta));
        match self.form {
            0 => self.air / 3.0 * v.norm().powi(3),
            1 => self.air / 3.0 * v.norm_squared().powf(1.5),
            2 => self.air / 3.0 * v.norm() * v.norm_squared(),
            _ => self.air / 3.0 * v.norm().powf(3.0),
        }
    }
}

/// Two stones on a rod, by places.
struct Stone {
    drag: f64,
}

#[lagrangian]
impl Stone {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm().powi(2) - 9.81 * p.y
    }

    #[force]
    fn drag(&self, p: Vec2) -> Vec2 {
        -self.drag * der(p).norm() * der(p)
    }
}

/// The same, hung up: a rod bears all of its weight.
struct Hung {
    drag: f64,
}

#[lagrangian]
impl Hung {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() - 9.81 * p.y
    }

    #[holonomic]
    fn rod(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }

    #[force]
    fn drag(&self, p: Vec2) -> Vec2 {
        -self.drag * der(p).norm() * der(p)
    }
}

/// A point in a well that is flat at its centre; the forms differ in the way of writing |p|³.
struct Well {
    form: usize,
}

#[lagrangian]
impl Well {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        let r = p.norm();
        let cube = match self.form {
            0 => r.powi(3),
            1 => p.norm_squared().powf(1.5),
            2 => r * p.norm_squared(),
            3 => r.powf(2.5),
            _ => (p.x.powi(2) + p.y.powi(2)).sqrt().powi(3),
        };
        0.5 * der(p).norm_squared() - cube - 0.5 * r.powi(2) - 0.3 * p.x
    }
}

/// A spring of no length has no slope in its middle.
struct Kink {}

#[lagrangian]
impl Kink {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() - p.norm()
    }
}

macro_rules! ends {
    ($system:expr, $start:expr, $until:expr, $step:expr; $($method:expr),+) => {
        [$(integrate($system, &$method, $start, $step).expect(stringify!($method)).until($until).record().expect(stringify!($method))),+]
    };
}

/// scipy, DOP853 at 1e-12, of equations by hand.
#[test]
fn a_pendulum_in_air_falls_from_rest_by_every_form_of_its_drag() {
    for form in 0..4 {
        let model = AirPendulum { air: 0.1, form };
        let system = model.bind().expect("bound");
        let start = State::at_rest(vec![0.0, 1.0]);
        for run in ends!(&system, start.clone(), 3.0, 1e-3; VariationalMidpoint::default(), VariationalTrapezoid::default(), Bdf::default())
        {
            let end = run.positions().last().expect("an end");
            assert!((end[0] - 0.589_638_147_169_733).abs() < 2e-4, "form {form}: {end:?}");
            assert!((end[1] + 0.643_810_572_986_304).abs() < 2e-4, "form {form}: {end:?}");
        }
        let still = AirPendulum { air: 0.0, form }.bind().expect("bound");
        let _ = ends!(&still, start.clone(), 0.1, 1e-2; VariationalMidpoint::default(), VariationalEuler::default());
        for compared in check(&model, &system, &start, 3) {
            assert!(compared.agrees, "form {form}: {compared:?}");
        }
    }
}

/// y = −(w²/g) ln cosh(g t / w), w² = g/k.
#[test]
fn a_stone_falls_from_rest() {
    let model = Stone { drag: 0.5 };
    let system = model.bind().expect("bound");
    let start = State::at_rest(vec![0.0, 0.0]);
    for run in ends!(&system, start.clone(), 2.0, 1e-3; VariationalMidpoint::default(), VariationalTrapezoid::default(), Verlet)
    {
        let end = run.positions().last().expect("an end");
        assert!((end[1] + 7.472_883_679_179_402).abs() < 1e-5, "{end:?}");
    }
    let run = &ends!(&system, start.clone(), 2.0, 1e-3; VariationalEuler::default())[0];
    assert!((run.positions().last().expect("an end")[1] + 7.472_883_679_179_402).abs() < 1e-2);
    for compared in check(&model, &system, &start, 1) {
        assert!(compared.agrees, "{compared:?}");
    }
    // At rest under a rod: it stays, by every method.
    let hung = Hung { drag: 0.5 }.bind().expect("bound");
    for run in ends!(&hung, State::at_rest(vec![0.0, -1.0]), 0.2, 1e-2; Rattle::default(), VariationalMidpoint::default(), Bdf::default())
    {
        assert!((run.positions().last().expect("an end")[1] + 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_well_that_is_flat_at_its_centre_has_a_hessian_there() {
    for form in 0..5 {
        let model = Well { form };
        let system = model.bind().expect("bound");
        let start = State::at_rest(vec![0.0, 0.0]);
        let mut runs = ends!(
            &system, start.clone(), 1.0, 1e-3;
            Newmark::default(), VariationalMidpoint::default(), Verlet
        )
        .to_vec();
        // The third derivative of |p|^2.5 is infinite.
        if form != 3 {
            runs.extend(ends!(&system, start.clone(), 1.0, 1e-3; ZhangSkeel::default()));
        }
        let ends: Vec<&[f64]> = runs.iter().map(|run| run.positions().last().expect("an end")).collect();
        assert!(ends.iter().all(|end| (end[0] - ends[2][0]).abs() < 1e-5), "form {form}: {ends:?}");
        for compared in check(&model, &system, &start, 5) {
            let is_third = compared.quantity.contains('‴');
            assert!(compared.agrees || is_third && compared.not_compared, "form {form}: {compared:?}");
        }
    }
}

#[test]
fn a_row_without_a_number_is_not_compared() {
    let system = Kink {}.bind().expect("bound");
    let found = check(&Kink {}, &system, &State::at_rest(vec![0.0, 0.0]), 1);
    let slope = found.iter().find(|compared| compared.quantity == "first derivatives of L").expect("a row");
    assert!(!slope.agrees && slope.not_compared && slope.entry == "p.x", "{slope:?}");
    assert!(integrate(&system, &Verlet, State::at_rest(vec![0.0, 0.0]), 0.1).is_err());
}

/// Three atoms on springs, straight at the start.
struct Straight {}

#[lagrangian]
impl Straight {
    fn angle(&self, a: Vec2, b: Vec2) -> Scalar {
        (a.dot(b) / (a.norm() * b.norm())).acos()
    }

    fn lagrangian(&self, atoms: [Vec2; 3]) -> Scalar {
        let bend =
            0.5 * (self.angle(atoms[0] - atoms[1], atoms[2] - atoms[1]) - std::f64::consts::PI).powi(2);
        sum(atoms.iter(), |atom| 0.5 * der(*atom).norm_squared()) - bend
    }
}

#[test]
fn a_term_without_a_force_is_named_by_every_method() {
    let system = Straight {}.bind().expect("bound");
    let start = || State::at_rest(vec![-1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    macro_rules! words {
        ($($method:expr),+) => {
            [$(integrate(&system, &$method, start(), 0.1).err().map(|error| error.to_string())),+]
        };
    }
    for words in words!(
        Verlet,
        VariationalMidpoint::default(),
        Newmark::default(),
        ZhangSkeel::default(),
        Bdf::default()
    ) {
        let words = words.expect("refused");
        assert!(
            words.contains("`atoms[0].x`") && words.contains("`acos` at ±1") && words.contains("cos θ"),
            "{words}"
        );
    }
}
