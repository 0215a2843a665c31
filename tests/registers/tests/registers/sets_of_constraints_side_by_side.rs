//! Equations of many small sets, eight at a time in registers of every width, as one by one.

use least_action::advanced::wrap::Penalized;
use least_action::error::StepError;
use least_action::lanes::Width;
use least_action::method::{Method, Rattle, Shake, Stepper, ZhangSkeelStiff, project};
use least_action::prelude::*;
use least_action::system::Constrained;
use std::error::Error;
use test_support::structure::distance;

/// Triangles, the first of which breathes, and rods in the plane, in alternating equations.
#[derive(Debug)]
struct Molecules {
    triangles: usize,
    rods: usize,
    sides: Vec<[f64; 3]>,
    breathing: f64,
}

#[lagrangian]
impl Molecules {
    fn lagrangian(
        &self,
        corners: [[Vec3; 3]; self.triangles],
        free: Vec2,
        ends: [[Vec2; 2]; self.rods],
    ) -> Scalar {
        let triangles = sum(0..self.triangles, |m| {
            sum(0..3, |i| 0.5 * (1.0 + { i as f64 }) * der(corners[m][i]).norm_squared() - corners[m][i].z)
        });
        let rods = sum(0..self.rods, |m| sum(0..2, |i| 0.5 * der(ends[m][i]).norm_squared() - ends[m][i].y));
        let neighbours = sum(1..self.triangles, |m| 0.3 * (corners[m][0] - corners[m - 1][1]).norm_squared());
        triangles + rods - neighbours + 1.5 * der(free).norm_squared()
            - 0.5 * (free - ends[0][1]).norm_squared()
    }

    #[holonomic]
    fn first(&self, corners: [[Vec3; 3]; self.triangles], t: Time) -> [Scalar; self.triangles] {
        each(0..self.triangles, |m| {
            (corners[m][1] - corners[m][0]).norm() - self.sides[m][0] * (1.0 + self.breathing * t.sin())
        })
    }

    #[holonomic]
    fn length(&self, ends: [[Vec2; 2]; self.rods]) -> [Scalar; self.rods] {
        each(0..self.rods, |m| (ends[m][1] - ends[m][0]).norm_squared() - 1.0)
    }

    #[holonomic]
    fn others(&self, corners: [[Vec3; 3]; self.triangles]) -> [[Scalar; 2]; self.triangles] {
        each(0..self.triangles, |m| {
            [
                (corners[m][2] - corners[m][1]).norm_squared() - self.sides[m][1].powi(2),
                (corners[m][0] - corners[m][2]).norm_squared() - self.sides[m][2].powi(2),
            ]
        })
    }
}

impl Molecules {
    fn new(triangles: usize, rods: usize) -> Self {
        let sides = (0..triangles).map(|m| [1.0, 1.1 + 0.01 * m as f64, 0.9]).collect();
        Self { triangles, rods, sides, breathing: 0.1 }
    }

    /// Each turned otherwise, with velocities that suit the constraints at t = 0.
    fn start(&self) -> State {
        let triangles = self.sides.iter().enumerate().flat_map(|(m, [a, b, c])| {
            let (along, place) = ((a * a + c * c - b * b) / (2.0 * a), 2.0 * m as f64);
            let (sine, cosine) = (0.7 * place).sin_cos();
            let turned =
                move |[x, y]: [f64; 2]| [place + cosine * x - sine * y, sine * x + cosine * y, 0.1 * place];
            [[0.0, 0.0], [*a, 0.0], [along, (c * c - along * along).sqrt()]].into_iter().flat_map(turned)
        });
        let rods = (0..self.rods).flat_map(|m| {
            let (sine, cosine) = (0.4 * m as f64).sin_cos();
            [m as f64, 0.0, m as f64 + cosine, sine]
        });
        State::at_rest(triangles.chain([0.3, -0.4]).chain(rods).collect())
    }
}

/// The state and the multipliers after some steps.
fn run<M: for<'s> Method<dyn Constrained + 's>>(
    method: &M,
    model: &Molecules,
    width: Width,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let bound = model.bind()?.with_width(width);
    let mut start = model.start();
    project(&bound, &mut start)?;
    let mut stepper = method.start(&bound as &dyn Constrained, start, 0.02)?;
    for _ in 0..50 {
        stepper.step()?;
    }
    let State { q, v, .. } = stepper.state();
    Ok([q, v, stepper.multipliers().unwrap_or_default()].concat())
}

/// A run with the penalty of the constraints, whose first triangle is displaced.
fn run_stiff(model: &Molecules, width: Width) -> Result<Vec<f64>, Box<dyn Error>> {
    let bound = model.bind()?.with_width(width);
    let penalized = Penalized::new(&bound, 30.0)?;
    let mut start = model.start();
    start.q[0] += 0.01;
    let mut stepper = ZhangSkeelStiff::default().start(&penalized, start, 0.02)?;
    for _ in 0..50 {
        stepper.step()?;
    }
    let State { q, v, .. } = stepper.state();
    Ok([&q[..], v].concat())
}

#[test]
fn every_width_gives_the_same_motion_but_for_rounding() {
    for (triangles, rods) in [(8, 1), (3, 3), (11, 9)] {
        let model = Molecules::new(triangles, rods);
        let all = |width| {
            let rattle = run(&Rattle::default(), &model, width).expect("a run");
            let shake = run(&Shake::default(), &model, width).expect("a run");
            let stiff = run_stiff(&model, width).expect("a run");
            // Positions, velocities and multipliers; there are none of a penalty.
            let n = stiff.len();
            assert_eq!((rattle.len(), shake.len()), (n + 3 * triangles + rods, n + 3 * triangles + rods));
            [rattle, shake, stiff].concat()
        };
        let one = all(Width::ONE);
        for width in Width::available() {
            for (k, (several, one)) in all(width).iter().zip(&one).enumerate() {
                let error = (several - one).abs();
                assert!(error < 1e-10, "{width:?}, {triangles} and {rods}, entry {k}: {several}, not {one}");
            }
        }
    }
}

/// A start in which one triangle turns about its center at this rate.
fn turning(model: &Molecules, triangle: usize, rate: f64) -> State {
    let mut start = model.start();
    let corner = |k: usize| 9 * triangle + 3 * k;
    let masses = [1.0, 2.0, 3.0];
    for axis in 0..2 {
        let moments = masses.iter().enumerate().map(|(k, mass)| mass * start.q[corner(k) + axis]);
        let center = moments.sum::<f64>() / masses.iter().sum::<f64>();
        for k in 0..3 {
            let offset = start.q[corner(k) + axis] - center;
            start.v[corner(k) + 1 - axis] = if axis == 0 { rate * offset } else { -rate * offset };
        }
    }
    start
}

/// SHAKE begins with another matrix for sets side by side; that decides neither success nor result.
#[test]
fn large_steps_succeed_or_fail_in_every_width_alike() {
    let model = Molecules { breathing: 0.0, ..Molecules::new(9, 1) };
    let (mut reached, mut failed) = (0, 0);
    for step in (1..40).map(|k| 0.05 * f64::from(k)) {
        let outcome = |width| {
            let bound = model.bind().expect("a model").with_width(width);
            let mut stepper = Shake::default().start(&bound, turning(&model, 4, 1.0), step).expect("a start");
            (0..3).try_for_each(|_| stepper.step()).map(|()| stepper.state().clone())
        };
        let one = outcome(Width::ONE);
        for width in Width::available() {
            match (&one, outcome(width)) {
                (Ok(one), Ok(several)) => {
                    reached += 1;
                    let apart = distance(&one.q, &several.q);
                    assert!(apart < 1e-9, "{width:?}, h = {step}: {apart:e}");
                }
                (Err(_), Err(_)) => failed += 1,
                (one, several) => panic!("{width:?}, h = {step}: {several:?} instead of {one:?}"),
            }
        }
    }
    assert!(reached > 0 && failed > 0, "{reached} reached, {failed} failed");
}

/// A failure in one set of many is told of that set.
#[test]
fn a_triangle_among_many_is_named_in_every_width() {
    for width in Width::available() {
        let bind = |model: &Molecules| model.bind().expect("a model").with_width(width);

        // Its corners lie on a line, where three distances are not independent.
        let mut flat = Molecules { breathing: 0.0, ..Molecules::new(11, 2) };
        flat.sides[9] = [1.0, 2.0, 1.0];
        let bound = bind(&flat);
        let stepper = Shake::default().start(&bound, flat.start(), 0.02).expect("a flat triangle");
        let warning = stepper.warning().unwrap_or_default();
        let said = "`first[9]`, `others[18]` and `others[19]` depend on each other";
        assert!(warning.starts_with(said), "{width:?}: {warning}");

        // It turns, and the others hang still: one iteration is enough for them.
        let model = Molecules { breathing: 0.0, ..Molecules::new(11, 2) };
        let (bound, start) = (bind(&model), turning(&model, 9, 1.0));
        let impatient = Rattle { iterations: 1, ..Rattle::default() };
        let mut stepper = impatient.start(&bound, start.clone(), 0.1).expect("a start");
        let error = stepper.step().expect_err("one iteration");
        let StepError::Failed(failed) = &error else { panic!("{width:?}: {error}") };
        assert!(
            ["first[9]", "others[18]", "others[19]"].contains(&failed.place.as_str()),
            "{width:?}: {error}"
        );
        assert_eq!((stepper.steps(), stepper.state()), (0, &start));
    }
}
