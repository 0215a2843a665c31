//! Members of an ensemble side by side have the bits of each alone: in all registers, failures too.

#![expect(clippy::expect_used, reason = "tests of runs that are known to start")]

use least_action::binding::{Bound, Members, Model};
use least_action::error::{MemberError, MembersError};
use least_action::lanes::Width;
use least_action::method::{Composition, Method, Rattle, Stepper, StepsMembers, Verlet};
use least_action::prelude::*;
use least_action::system::{Constrained, Natural, State};

/// Beads on a ring of springs in a field that swings, with functions of all kinds.
#[derive(Clone)]
struct Beads {
    count: usize,
    stiffness: f64,
    field: f64,
    masses: Vec<f64>,
}

#[lagrangian]
impl Beads {
    fn lagrangian(&self, beads: [Vec2; self.count], turn: Angle, t: Time) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * self.masses[i] * der(beads[i]).norm_squared());
        let springs = sum(0..self.count, |i| {
            let apart = beads[i] - beads[(i + 1) % self.count];
            0.5 * self.stiffness * (apart.norm() - 1.0).powi(2) + 0.01 / apart.norm_squared()
        });
        let field = sum(0..self.count, |i| {
            self.field * beads[i].x * (t + turn).sin()
                + (0.1 * beads[i].y).exp()
                + beads[i].x.max(0.3).powf(1.5)
        });
        kinetic + 0.5 * der(turn).powi(2) - springs - field + (turn.cos() * self.field).tanh()
    }
}

impl Beads {
    fn member(k: usize) -> Self {
        let k = k as f64;
        let masses = (0..3).map(|i| 1.0 + 0.1 * k + 0.3 * f64::from(i)).collect();
        Self { count: 3, stiffness: 2.0 + 0.3 * k, field: 0.2 - 0.01 * k, masses }
    }

    fn start(k: usize) -> State {
        let k = k as f64;
        let q = vec![0.0, 0.1 * k, 1.0, -0.2, 0.5, 0.9 + 0.02 * k, 0.3 * k];
        State { t: 0.7 * k, v: q.iter().map(|q| (3.0 * q).sin()).collect(), q }
    }
}

/// A particle that is pulled into a hole, or pushed away from it.
struct Hole {
    pull: f64,
}

#[lagrangian]
impl Hole {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - self.pull * x + 0.01 / (x - 0.8).max(0.0)
    }
}

/// Points on rods that hang on one another, the first on a pivot that swings, and a bead on a wire.
struct Rods {
    lengths: Vec<f64>,
    masses: Vec<f64>,
    swing: f64,
    gravity: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, points: [Vec2; self.lengths.len()], bead: Vec3) -> Scalar {
        let all = sum(0..self.lengths.len(), |i| {
            0.5 * self.masses[i] * der(points[i]).norm_squared() - self.masses[i] * self.gravity * points[i].y
        });
        all + 0.5 * der(bead).norm_squared() - 0.5 * self.gravity * bead.norm_squared()
    }

    #[holonomic]
    fn rods(&self, points: [Vec2; self.lengths.len()], t: Time) -> [Scalar; self.lengths.len()] {
        each(0..self.lengths.len(), |i| {
            let pivot = if i == 0 { vec2(self.swing * t.sin(), 0.0 * t) } else { points[i - 1] };
            (points[i] - pivot).norm_squared() - self.lengths[i].powi(2)
        })
    }

    #[holonomic]
    fn wire(&self, bead: Vec3) -> Scalar {
        bead.z - 0.3 * bead.x.powi(2) - 0.2 * bead.y.sin()
    }
}

impl Rods {
    fn member(count: usize, k: usize) -> Self {
        let k = k as f64;
        let lengths: Vec<_> = (0..count).map(|i| 1.0 + 0.05 * k - 0.1 * i as f64).collect();
        let masses = (0..count).map(|i| 1.0 + 0.1 * k + 0.2 * i as f64).collect();
        Self { lengths, masses, swing: 0.1 + 0.01 * k, gravity: 1.0 + 0.05 * k }
    }

    /// Hanging down, with sideways velocities.
    fn start(&self, speed: f64) -> State {
        let (mut q, mut v, mut depth) = (Vec::new(), Vec::new(), 0.0);
        for (i, length) in self.lengths.iter().enumerate() {
            depth -= length;
            q.extend([0.0, depth]);
            v.extend([speed * (1.0 - 0.7 * i as f64), 0.0]);
        }
        let (x, y) = (0.4 * self.gravity, 0.3_f64);
        q.extend([x, y, 0.3 * x * x + 0.2 * y.sin()]);
        v.extend([speed, -speed, 0.6 * x * speed - 0.2 * y.cos() * speed]);
        State::new(q, v)
    }
}

/// Bodies that each turn about an axis of their own.
struct Apart {
    count: usize,
    radius: f64,
}

#[lagrangian]
impl Apart {
    fn lagrangian(&self, points: [Vec3; self.count]) -> Scalar {
        sum(0..self.count, |i| 0.5 * der(points[i]).norm_squared() - points[i].z)
    }

    #[holonomic]
    fn spheres(&self, points: [Vec3; self.count]) -> [Scalar; self.count] {
        each(0..self.count, |i| points[i].norm() - self.radius)
    }
}

/// All registers of this processor; none in a build with debug assertions.
/// A triangle of rods: its type shows its elements, and each rod meets the others.
struct Triangle {
    side: f64,
}

#[lagrangian]
impl Triangle {
    fn lagrangian(&self, a: Vec2, b: Vec2, c: Vec2) -> Scalar {
        let kinetic = 0.5 * (der(a).norm_squared() + 2.0 * der(b).norm_squared() + der(c).norm_squared());
        kinetic - (a.y + 2.0 * b.y + c.y) - 0.1 * (a.x * c.x).sin()
    }

    #[holonomic]
    fn rods(&self, a: Vec2, b: Vec2, c: Vec2) -> [Scalar; 3] {
        [(a - b).norm_squared() - self.side.powi(2), (b - c).norm() - self.side, (c - a).norm() - self.side]
    }
}

fn widths() -> impl Iterator<Item = Width> {
    Width::available().into_iter().filter(|width| width.lanes() > 1)
}

/// A member by itself, until it fails.
type Run = (Box<dyn Stepper>, Option<MemberError>);

/// Takes these steps with members side by side and alone, and compares all bits; returns who has failed.
fn compare<M: Model>(
    width: Width,
    bound: &'static [Bound<M>],
    starts: &[State],
    sizes: &[f64],
    method: &(impl StepsMembers + 'static),
    alone: impl Fn(&'static Bound<M>, State, f64) -> Run,
    steps: u64,
) -> Vec<usize> {
    let members = Members::bind_with(width, bound).expect("members that fit");
    let mut run = method.start_members(&members, starts.to_vec(), sizes).expect("members that fit");
    let mut each: Vec<Run> = bound
        .iter()
        .zip(starts)
        .zip(sizes)
        .map(|((bound, start), size)| alone(bound, start.clone(), *size))
        .collect();
    for step in 0..=steps {
        for (member, (alone, failure)) in each.iter_mut().enumerate() {
            assert_eq!(run.failure(member), failure.as_ref(), "member {member} at step {step}");
            assert_eq!(run.steps(member), alone.steps());
            let bits = |State { t, q, v }: &State| {
                [&[*t], &q[..], &v[..]].concat().iter().map(|number| number.to_bits()).collect::<Vec<_>>()
            };
            let (found, expected) = (run.state(member), alone.state());
            assert_eq!(bits(found), bits(expected), "member {member} of {} at step {step}", starts.len());
            if failure.is_none() {
                *failure = alone.step().err().map(MemberError::from);
            }
        }
        run.step();
    }
    // Two ways of stepping are compared.
    let (all, alone) = (0..each.len())
        .fold((0, 0), |(all, alone), member| (all + run.steps(member), alone + run.steps_alone(member)));
    assert!(10 * alone < all, "{alone} of {all} steps were taken alone");
    (0..each.len()).filter(|member| each[*member].1.is_some()).collect()
}

/// Instances that live as long as the test, and the examined ones.
fn bound<M: Model>(models: impl Iterator<Item = M>) -> &'static [Bound<M>] {
    Vec::leak(models.map(|model| model.bind().expect("a model")).collect())
}

fn verlet<M: Model>(bound: &'static Bound<M>, start: State, size: f64) -> Run {
    let natural: &'static dyn Natural = M::natural(bound).expect("a natural system");
    (Box::new(Verlet.start(natural, start, size).expect("a start")), None)
}

fn rattle<M: Model>(bound: &'static Bound<M>, start: State, size: f64) -> Run {
    let system: &'static dyn Constrained = M::constrained(bound).expect("a constrained system");
    (Box::new(Rattle::default().start(system, start, size).expect("a start")), None)
}

#[test]
fn verlet_has_the_bits_of_each_member() {
    let all = bound((0..19).map(Beads::member));
    let (starts, sizes): (Vec<_>, Vec<_>) =
        (0..19).map(|k| (Beads::start(k), 0.01 + 0.003 * k as f64)).unzip();
    for width in widths() {
        for count in (1..=9).chain([16, 17, 19]) {
            let failed =
                compare(width, &all[..count], &starts[..count], &sizes[..count], &Verlet, verlet, 60);
            assert_eq!(failed, [0; 0]);
        }
    }
}

#[test]
fn a_member_that_fails_has_its_own_error_and_the_others_go_on() {
    let all = bound((0..11).map(|k| Hole { pull: if k % 3 == 1 { 1.0 } else { -1.0 } }));
    // Some fall in, each at a time of its own.
    let starts: Vec<_> = (0..11).map(|k| State::at_rest(vec![1.5 + 0.1 * f64::from(k)])).collect();
    let sizes: Vec<_> = (0..11).map(|k| 0.05 + 0.001 * f64::from(k)).collect();
    for width in widths() {
        let failed = compare(width, all, &starts, &sizes, &Verlet, verlet, 200);
        assert_eq!(failed, [1, 4, 7, 10]);
    }
}

#[test]
fn rattle_has_the_bits_of_each_member() {
    for rods in [1, 2, 3, 6, 7] {
        let all = bound((0..17).map(|k| Rods::member(rods, k)));
        let (starts, sizes): (Vec<_>, Vec<_>) =
            (0..17).map(|k| (Rods::member(rods, k).start(0.1 * k as f64), 0.004 + 0.002 * k as f64)).unzip();
        for width in widths() {
            for count in (1..=8).chain([17]) {
                let (starts, sizes) = (&starts[..count], &sizes[..count]);
                let failed = compare(width, &all[..count], starts, sizes, &Rattle::default(), rattle, 120);
                assert_eq!(failed, [0; 0]);
            }
        }
    }
}

#[test]
fn rattle_of_constraints_apart_has_the_bits_of_each_member() {
    let all = bound((0..9).map(|k| Apart { count: 3, radius: 1.0 + 0.25 * f64::from(k) }));
    let start = |k: usize| {
        let radius = 1.0 + 0.25 * k as f64;
        let q = [radius, 0.0, 0.0, 0.0, 0.6 * radius, 0.8 * radius, 0.0, 0.0, radius];
        State::new(q.to_vec(), vec![0.0, 0.5, k as f64, 1.0, 0.0, 0.0, 0.3, 0.1, 0.0])
    };
    let (starts, sizes): (Vec<_>, Vec<_>) = (0..9).map(|k| (start(k), 0.01 + 0.001 * k as f64)).unzip();
    for width in widths() {
        assert_eq!(compare(width, all, &starts, &sizes, &Rattle::default(), rattle, 200), [0; 0]);
    }
}

#[test]
fn rattle_of_constraints_that_all_meet_has_the_bits_of_each_member() {
    let side = |k: usize| 1.0 + 0.25 * k as f64;
    let all = bound((0..11).map(|k| Triangle { side: side(k) }));
    let start = |k: usize| {
        let (side, speed) = (side(k), 0.2 * k as f64);
        let height = 0.75_f64.sqrt() * side;
        // It turns about its first corner.
        let corners = [[0.0, 0.0], [side, 0.0], [0.5 * side, height]];
        let turning = corners.map(|[x, y]| [-speed * y, speed * x]);
        State::new(corners.concat(), turning.concat())
    };
    let (starts, sizes): (Vec<_>, Vec<_>) = (0..11).map(|k| (start(k), 0.01 + 0.001 * k as f64)).unzip();
    for width in widths() {
        assert_eq!(compare(width, all, &starts, &sizes, &Rattle::default(), rattle, 200), [0; 0]);
    }
}

#[test]
fn a_member_of_rattle_that_fails_has_its_own_error_and_the_others_go_on() {
    let all = bound((0..10).map(|k| Rods::member(2, k)));
    // Some are too fast for their steps, at once or when they have swung.
    let speed = |k: usize| if k % 4 == 2 { 3.0 + 0.5 * k as f64 } else { 0.2 };
    let size = |k: usize| if k % 4 == 2 { 0.35 } else { 0.02 };
    let (starts, sizes): (Vec<_>, Vec<_>) =
        (0..10).map(|k| (Rods::member(2, k).start(speed(k)), size(k))).unzip();
    for width in widths() {
        let failed = compare(width, all, &starts, &sizes, &Rattle::default(), rattle, 100);
        assert_eq!(failed, [2, 6]);
    }
}

#[test]
fn a_member_that_cannot_start_says_so_and_the_others_go() {
    let all = bound((0..3).map(Beads::member));
    let starts = vec![Beads::start(0), State { t: f64::NAN, ..Beads::start(1) }, Beads::start(2)];
    for width in widths() {
        let members = Members::bind_with(width, all).expect("members that fit");
        let mut run = Verlet.start_members(&members, starts.clone(), &[0.01, 0.01, 0.02]).expect("members");
        run.step();
        assert!(matches!(run.failure(1), Some(MemberError::Start(_))), "{:?}", run.failure(1));
        assert_eq!([0, 1, 2].map(|member| run.steps(member)), [1, 0, 1]);
        let mut alone = Verlet.start(&all[2], starts[2].clone(), 0.02).expect("a start");
        alone.step().expect("a step");
        assert_eq!(run.state(2), alone.state());
    }
}

/// The members of a run that has failed by a part of a step have all of the state before it.
#[test]
fn compositions_have_the_bits_of_each_member() {
    let verlet = Composition::<Verlet, 6>::of(Verlet);
    let holes = bound((0..11).map(|k| Hole { pull: if k % 3 == 1 { 1.0 } else { -1.0 } }));
    let (starts, sizes): (Vec<_>, Vec<_>) = (0..11)
        .map(f64::from)
        .map(|k| (State { t: 0.1 * k, ..State::at_rest(vec![1.5 + 0.1 * k]) }, 0.05 + 0.001 * k))
        .unzip();
    let alone = |bound: &'static Bound<Hole>, start, size| -> Run {
        (Box::new(verlet.start(bound, start, size).expect("a start")), None)
    };
    for width in widths() {
        assert_eq!(compare(width, holes, &starts, &sizes, &verlet, alone, 200), [1, 4, 7, 10]);
    }

    let rattle = Composition::<Rattle, 4>::of(Rattle::default());
    let all = bound((0..10).map(|k| Rods::member(2, k)));
    let speed = |k: usize| if k % 4 == 2 { 3.0 + 0.5 * k as f64 } else { 0.2 };
    let size = |k: usize| if k % 4 == 2 { 0.5 } else { 0.02 };
    let (starts, sizes): (Vec<_>, Vec<_>) =
        (0..10).map(|k| (Rods::member(2, k).start(speed(k)), size(k))).unzip();
    let alone = |bound: &'static Bound<Rods>, start, size| -> Run {
        (Box::new(rattle.start(bound, start, size).expect("a start")), None)
    };
    for width in widths() {
        assert_eq!(compare(width, all, &starts, &sizes, &rattle, alone, 100), [2, 6]);
    }
}

#[test]
fn members_of_other_sizes_are_refused() {
    let all =
        bound([3, 4].into_iter().map(|count| Beads { count, masses: vec![1.0; count], ..Beads::member(0) }));
    for width in widths() {
        let error = Members::bind_with(width, all).expect_err("two sizes");
        assert!(matches!(error, MembersError::Different { member: 1, .. }), "{error}");
    }
    assert_eq!(Members::bind_with(Width::ONE, all).map(|_| ()), Err(MembersError::NoRegisters));
}
