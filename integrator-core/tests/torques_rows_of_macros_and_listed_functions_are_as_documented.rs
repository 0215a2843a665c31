//! A torque on a matrix, rows that a macro's caller adds, losses of scalars, and the functions of the
//! language.

use least_action::advanced::check::check;
use least_action::drive::gradient::{Function, differentiate};
use least_action::drive::integrate;
use least_action::method::{Composition, Rattle, Verlet};
use least_action::prelude::*;

/// A link out of a URDF: inertia diag(2, 1, 2.5), spread ½ tr(I) − I, and a motor about its own axis x.
struct Link {
    spread: [[f64; 3]; 3],
}

#[lagrangian]
impl Link {
    fn lagrangian(&self, p: Vec3, r: Mat3) -> Scalar {
        0.5 * der(p).norm_squared() + 0.5 * (der(r) * mat3(self.spread)).dot(der(r))
    }

    #[holonomic]
    fn rigid(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }

    #[force(r)]
    fn motor(&self, r: Mat3) -> Vec3 {
        r * vec3(1.0, 0.0, 0.0)
    }

    #[force]
    fn wind(&self, p: Vec3) -> Vec3 {
        vec3(0.0, 2.0, 0.0) - 0.0 * p
    }
}

/// Two wheels about z, pushed by torques that the room holds.
struct Wheels {
    count: usize,
}

#[lagrangian]
impl Wheels {
    fn lagrangian(&self, r: [Mat3; self.count]) -> Scalar {
        sum(0..self.count, |i| 0.5 * der(r[i]).norm_squared())
    }

    #[holonomic]
    fn rigid(&self, r: [Mat3; self.count]) -> [Mat3; self.count] {
        each(0..self.count, |i| r[i].transpose() * r[i] - Mat3::IDENTITY)
    }

    #[force]
    fn push(&self) -> [Vec3; self.count] {
        each(0..self.count, |i| vec3(0.0, 0.0, 1.0 + i as f64))
    }
}

#[test]
fn a_torque_turns_a_body_in_the_axes_of_the_room() {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let model = Link { spread: [[0.75, 0.0, 0.0], [0.0, 1.75, 0.0], [0.0, 0.0, 0.25]] };
    let system = model.bind().expect("bound");
    let start = State::at_rest([&[0.0; 3][..], &identity].concat());
    let run =
        integrate(&system, &Rattle::default(), start.clone(), 1e-3).expect("a start").until(1.0).record();
    let run = run.expect("a run");
    let end = run.positions().last().expect("an end");
    assert!((end[7] - 0.25_f64.cos()).abs() < 1e-7 && (end[1] - 1.0).abs() < 1e-12, "{end:?}");
    assert!(check(&model, &system, &start, 1).iter().all(|compared| compared.agrees));

    // I = tr(S) − S = 2 about z.
    let model = Wheels { count: 2 };
    let system = model.bind().expect("bound");
    let start = State::at_rest([identity, identity].concat());
    let run =
        integrate(&system, &Rattle::default(), start.clone(), 1e-3).expect("a start").until(1.0).record();
    let run = run.expect("a run");
    let end = run.positions().last().expect("an end");
    assert!((end[0] - 0.25_f64.cos()).abs() < 1e-7 && (end[9] - 0.5_f64.cos()).abs() < 1e-7, "{end:?}");
    assert!(check(&model, &system, &start, 1).iter().all(|compared| compared.agrees));
}

macro_rules! rod {
    ($Name:ident, { $($more:tt)* }) => {
        struct $Name {}

        #[lagrangian]
        impl $Name {
            fn height(&self, p: Vec2) -> Scalar {
                p.y
            }

            fn lagrangian(&self, p: Vec2) -> Scalar {
                0.5 * der(p).norm_squared() - 9.81 * self.height(p)
            }

            $($more)*
        }
    };
}

rod!(Place, {
    #[holonomic]
    fn rod(&self, p: Vec2) -> Scalar {
        p.norm_squared() - 1.0
    }
});
rod!(Velocity, {
    #[nonholonomic]
    fn rod(&self, p: Vec2) -> Scalar {
        2.0 * p.dot(der(p))
    }
});

#[test]
fn a_coordinate_is_one_whoever_writes_its_name() {
    let place = Place {}.bind().expect("bound");
    let mut residual = [1.0_f64];
    Holonomic::constraint_values(&place, &[0.6, 0.8], 0.0, &mut residual);
    assert!(residual[0].abs() < 1e-15);
    let velocity = Velocity {}.bind().expect("bound");
    let rows = velocity.nonholonomic().expect("a row");
    rows.nonholonomic_values(&[0.6, 0.8], &[1.0, 2.0], 0.0, &mut residual);
    assert!((residual[0] - 4.4).abs() < 1e-15);
}

/// A grain of dust about the sun, with radiation pressure and drag. Units: au, yr.
struct Dust {
    mu: f64,
    beta: f64,
}

#[lagrangian(sensitive(mu, beta))]
impl Dust {
    fn lagrangian(&self, p: Vec2) -> Scalar {
        0.5 * der(p).norm_squared() + self.mu * (1.0 - self.beta) / p.norm()
    }

    #[force]
    fn drag(&self, p: Vec2) -> Vec2 {
        let r = p.norm();
        let out = p / r;
        -self.beta * self.mu / r.powi(2) / 63_241.077 * (der(p).dot(out) * out + der(p))
    }
}

/// scipy: a = 0.98743601777 after 1000 years; here 10 years, a ≈ 1 − 2 β μ t/c by the closed form.
#[test]
fn the_axis_of_an_orbit_is_a_loss() {
    let model = Dust { mu: 39.478_417_604_357_43, beta: 0.01 };
    let reduced = model.mu * (1.0 - model.beta);
    let start = State::new(vec![1.0, 0.0], vec![0.0, reduced.sqrt()]);
    let mut axis = Function::end(|q, v| {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        (2.0 / r - (v[0] * v[0] + v[1] * v[1]) / reduced).recip()
    });
    let system = model.bind().expect("bound");
    let motion = differentiate(&system, &Composition::of(Verlet, 8), start.clone(), 0.01);
    let found = motion.expect("a start").until(10.0).gradient(&mut axis).expect("a gradient");
    let lost = 2.0 * model.beta * model.mu * 10.0 / 63_241.077;
    assert!((1.0 - found.value - lost).abs() < 1e-6, "{}", found.value);
    assert!((found.v[1] - 2.0 / reduced.sqrt()).abs() < 1e-2, "{:?}", found.v);
    // On the axis y the angle has a slope, and at the origin it has none.
    let mut angle = Function::end(|q, _| q[0].atan2(q[1]));
    let motion = || differentiate(&system, &Verlet, start.clone(), 1e-3).expect("a start").until(1e-3);
    let found = motion().gradient(&mut angle).expect("a gradient");
    assert!((found.value - std::f64::consts::FRAC_PI_2).abs() < 0.01 && found.q[1].is_finite());
    let mut kink = Function::end(|q, _| (q[0] * 0.0).sqrt());
    let refused = motion().gradient(&mut kink).expect_err("no slope").to_string();
    assert!(refused.contains("its derivative by the state is not finite"), "{refused}");
}

/// One list of terms for declarations, with and without parameters that are coordinates, and for
/// numbers.
macro_rules! listed {
    ($x:ident, $y:ident: $($term:expr),+) => {
        struct Plain {}

        #[lagrangian]
        impl Plain {
            fn lagrangian(&self, $x: Scalar, $y: Scalar) -> Scalar {
                0.5 * (der($x).powi(2) + der($y).powi(2)) - (0.0 $(+ $term)+) - $x.erf() - $y.erfc() - $x.sin_cos().0
            }
        }

        #[derive(Clone)]
        struct Weighed {
            weight: f64,
        }

        #[lagrangian(sensitive(weight))]
        impl Weighed {
            fn lagrangian(&self, $x: Scalar, $y: Scalar) -> Scalar {
                let $x = self.weight * $x;
                0.5 * (der($x).powi(2) + der($y).powi(2)) - (0.0 $(+ $term)+) - $x.erf() - $y.erfc() - $x.sin_cos().0
            }
        }

        fn of_numbers($x: f64, $y: f64) -> f64 {
            use least_action::expr::{erf, erfc};
            (0.0 $(+ $term)+) + erf($x) + erfc($y) + $x.sin_cos().0
        }
    };
}

listed! { x, y:
    x.powi(2), x.powf(1.5), x.sqrt(), x.cbrt(), x.recip(), x.hypot(y), x.mul_add(y, x), x.mul_add(2.0, 1.0),
    x.exp(), x.exp2(), x.exp_m1(), x.ln(), x.ln_1p(), x.log2(), x.log10(), x.log(3.0), x.sin(), x.cos(), x.tan(),
    x.asin(), x.acos(), x.atan(), x.atan2(y), x.sinh(), x.cosh(), x.tanh(), x.asinh(), (x + 2.0).acosh(), x.atanh(),
    x.to_radians(), x.to_degrees(), x.abs(), x.min(y), x.max(y), x.clamp(-0.1, 0.1), x.signum()
}

/// The methods of vectors and matrices.
struct Shapes {
    rows: [[f64; 3]; 3],
}

#[lagrangian]
impl Shapes {
    fn lagrangian(&self, a: Vec3, b: Vec3, c: Vec2, d: Vec2) -> Scalar {
        let m =
            a.outer(b) + Mat3::from_diagonal(a) + Mat3::from_rows([a, b, a]) + Mat3::from_columns([b, a, b])
                - 0.5 * Mat3::IDENTITY
                + Mat3::ZERO;
        let inner = m.row(0).dot(m.column(1))
            + m.diagonal().dot(a)
            + m[(2, 1)]
            + a[0]
            + m.dot(m.transpose())
            + m.inverse().trace();
        let lengths = a.norm() + a.norm_squared() + a.distance(b) + a.distance_squared(b) + a.normalize().x;
        let plane =
            c.cross(d) + c.dot(d) + c.norm() + c.distance(d) + c.normalize().y + (c / 2.0 + Vec2::ZERO).x;
        0.5 * (der(a).norm_squared() + der(b).norm_squared() + der(c).norm_squared() + der(d).norm_squared())
            - inner
            - lengths
            - plane
            - m.determinant()
            - m.norm()
            - m.norm_squared()
            - (a.cross(b) + Vec3::ZERO).z
            - (mat3(self.rows) * vec3(a.x, b.y, c.x)).dot(a)
            - vec2(a.x, b.z).dot(c)
    }
}

#[test]
fn every_listed_function_compiles_and_agrees_with_numbers() {
    let (x, y) = (0.3, 0.7);
    let start = State::new(vec![x, y], vec![0.2, -0.1]);
    let (plain, weighed) = (Plain {}, Weighed { weight: 1.0 });
    let (of_plain, of_weighed) = (plain.bind().expect("bound"), weighed.bind().expect("bound"));
    let expected = of_numbers(x, y);
    assert!((Natural::potential(&of_plain, &[x, y], 0.0) - expected).abs() < 1e-13 * expected.abs());
    let rest = of_weighed.lagrangian(&[x, y], &[0.0, 0.0], 0.0);
    assert!((rest + expected).abs() < 1e-13 * expected.abs(), "{rest} is not −{expected}");
    assert!(check(&plain, &of_plain, &start, 1).iter().all(|compared| compared.agrees));
    assert!(check(&weighed, &of_weighed, &start, 1).iter().all(|compared| compared.agrees));
    let model = Shapes { rows: [[0.1, 0.2, 0.3]; 3] };
    let shapes = model.bind().expect("bound");
    let start = State::at_rest(vec![0.3, 0.5, 0.9, -0.2, 0.4, 0.1, 1.1, 0.6, -0.3, 0.8]);
    assert!(check(&model, &shapes, &start, 1).iter().all(|compared| compared.agrees));
    // Each method and constructor of the tables stands above.
    let page = include_str!("../../docs/language/vectors.md");
    let here = include_str!("torques_rows_of_macros_and_listed_functions_are_as_documented.rs");
    for row in page.lines().filter(|line| line.starts_with('|')) {
        for code in row.split('`').skip(1).step_by(2) {
            let Some((name, _)) = code.split_once('(').filter(|(name, _)| !name.ends_with('[')) else {
                continue;
            };
            let name = name.rsplit('.').next().unwrap_or(name);
            assert!(here.contains(&format!("{name}(")), "{code}");
        }
    }
}
