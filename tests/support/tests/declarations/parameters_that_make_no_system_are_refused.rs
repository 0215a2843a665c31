//! Parameters with which a declaration reads missing entries are an error of binding, not a panic.

use least_action::prelude::*;
use std::collections::BTreeMap;

fn message<M: Model>(model: &M) -> String {
    model.bind().err().map(|error| error.to_string()).unwrap_or_default()
}

/// Beads seen from a moving frame, of which one is held.
struct Held {
    beads: usize,
    held: usize,
}

#[lagrangian]
impl Held {
    fn lagrangian(&self, beads: [Scalar; self.beads], frame: Scalar) -> Scalar {
        let seen = each(0..self.beads, |i| beads[i] - frame);
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).powi(2));
        kinetic + 0.5 * der(frame).powi(2) - 0.5 * seen[self.held].powi(2) - 0.5 * beads[self.held].powi(2)
    }
}

#[test]
fn an_index_past_the_end_is_named() -> Result<(), Box<dyn std::error::Error>> {
    let system = Held { beads: 3, held: 2 }.bind()?;
    let energy = system.energy(&[0.0, 0.0, 3.0, 1.0], &[0.0; 4], 0.0);
    assert!((energy - (2.0 + 4.5)).abs() < 1e-15, "{energy}");

    let past = "index 3 is past the end of the `each(…)` that it reads: check the parameters of the model";
    assert_eq!(message(&Held { beads: 3, held: 3 }), past);
    Ok(())
}

/// Rotors on one axle whose parameters come from tables.
#[derive(Clone)]
struct Carousel {
    rotors: usize,
    inertia: Vec<f64>,
    /// The pairs of rotors that are coupled, each with the strength.
    couplings: Vec<(usize, usize, f64)>,
    /// The number of places from a rotor to the one that it feels apart from its couplings.
    skip: usize,
    /// The length of a period.
    period: usize,
    field: BTreeMap<i32, f64>,
    stops: Option<f64>,
}

#[lagrangian]
impl Carousel {
    fn lagrangian(&self, angles: [Angle; self.rotors]) -> Scalar {
        let kinetic = sum(0..self.rotors, |i| 0.5 * self.inertia[i] * der(angles[i]).powi(2));
        let coupled =
            sum(self.couplings.iter(), |&(i, j, strength)| strength * (angles[i] - angles[j]).cos());
        let apart = sum(0..self.rotors - self.skip, |i| (angles[i + self.skip] - angles[i]).sin());
        let periodic = sum(0..self.rotors, |i| (2.0 * angles[(i + 1) % self.period]).cos() * self.field[&7]);
        let share = 1.0 / (self.rotors - 1) as f64;
        let stopped = sum(0..self.rotors, |i| match self.stops {
            Some(stop) if stop > self.inertia[i] => share * angles[i].powi(2),
            _ => 0.0,
        });
        kinetic - coupled - apart - periodic - stopped
    }

    #[holonomic]
    fn first(&self, angles: [Angle; self.rotors]) -> Scalar {
        angles[self.rotors - 1] - self.inertia[1..3].iter().sum::<f64>()
    }
}

fn rotors() -> Carousel {
    Carousel {
        rotors: 3,
        inertia: vec![1.0, 2.0, 3.0],
        couplings: vec![(0, 2, 1.5)],
        skip: 1,
        period: 3,
        field: BTreeMap::from([(7, 0.5)]),
        stops: Some(2.5),
    }
}

#[test]
fn a_table_that_is_too_short_is_named() {
    assert_eq!(message(&rotors()), "");
    assert_eq!(
        message(&Carousel { inertia: vec![1.0, 2.0], ..rotors() }),
        "der(angles[i])^2 (0.5 * self.inertia[i]): index 2 is outside `self.inertia`, whose length is 2: \
         check the parameters of the model"
    );
    // A part of a table.
    let short = Carousel { rotors: 2, inertia: vec![1.0, 2.0], couplings: Vec::new(), period: 2, ..rotors() };
    assert!(
        message(&short).contains("index 1..3 is outside `self.inertia`, whose length is 2"),
        "{}",
        message(&short)
    );
}

#[test]
fn an_index_from_a_list_of_the_user_is_named() {
    let far = Carousel { couplings: vec![(0, 1, 1.0), (1, 3, 2.0)], ..rotors() };
    assert!(
        message(&far).ends_with("index 3 is outside `angles`, whose length in dimension 0 is 3"),
        "{}",
        message(&far)
    );
}

#[test]
fn whole_numbers_without_a_result_are_named() {
    assert_eq!(
        message(&Carousel { skip: 4, ..rotors() }),
        "sin(angles[i + self.skip] - angles[i]): `self.rotors - self.skip` is 3 - 4, which is below zero: \
         check the parameters of the model"
    );
    let without = message(&Carousel { period: 0, ..rotors() });
    assert!(without.contains("`(i + 1) % self.period` is 1 % 0, which is a division by zero"), "{without}");
    // One rotor has no other: `1 / (self.rotors - 1)` is infinite.
    let alone = Carousel { rotors: 1, couplings: Vec::new(), period: 1, skip: 0, ..rotors() };
    assert!(message(&alone).contains("is inf"), "{}", message(&alone));
}

#[test]
fn nothing_to_move_and_too_much_are_told_before_anything_is_read() {
    let none = message(&Carousel { rotors: 0, ..rotors() });
    assert_eq!(
        none,
        "`Carousel` has no degrees of freedom with these parameters: the length of an array is zero"
    );
    let many = message(&Carousel { rotors: usize::MAX, ..rotors() });
    assert_eq!(many, "`angles` is too long: a system can have at most 2147483647 degrees of freedom");
}

#[test]
fn what_is_not_a_number_is_named() {
    let unknown = message(&Carousel { inertia: vec![1.0, f64::NAN, 2.0], ..rotors() });
    assert!(unknown.contains("a coefficient of der(angles[i])^2") && unknown.contains("is NaN"), "{unknown}");
    let endless = message(&Carousel { couplings: vec![(0, 1, f64::INFINITY)], ..rotors() });
    assert!(endless.contains("is inf"), "{endless}");
    let massless = message(&Carousel { inertia: vec![1.0, 0.0, 2.0], ..rotors() });
    assert!(massless.contains("the mass of `angles[1]` is 0"), "{massless}");
}

/// Beads of one kind that attract each other, and some that are held by springs of their own.
struct Swarm {
    beads: usize,
    springs: usize,
}

#[lagrangian]
impl Swarm {
    fn lagrangian(&self, beads: [Vec2; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).norm_squared());
        let held = sum(0..self.springs, |k| (0.5 * k as f64).sin() * beads[k % self.beads].x.powi(4));
        kinetic - held + sum(pairs(self.beads), |(i, j)| 1.0 / (beads[i] - beads[j]).norm())
    }
}

/// No loop runs to see that it is too long, and no list is made to see that it does not fit.
#[test]
fn sizes_are_refused_before_they_are_spent() {
    let refused = |swarm: &Swarm, memory| swarm.bind_within(memory).err().map(|error| error.to_string());
    let many = Swarm { beads: 1_000_000, springs: 0 };
    let said = refused(&many, u64::MAX).unwrap();
    assert!(said.contains("has more than 4294967295 elements, which cannot be counted"), "{said}");
    let said = refused(&many, 100_000_000).unwrap();
    assert!(said.starts_with("the 2000000 degrees of freedom of `beads` would take 240 MB"), "{said}");
    let said = refused(&Swarm { beads: 100, springs: usize::MAX / 2 }, 10_000_000).unwrap();
    assert!(said.contains("has more than 4294967295 elements"), "{said}");
    // Coefficients that differ are stored: 16 bytes or so for each of a million.
    let springs = Swarm { beads: 100, springs: 1_000_000 };
    let said = refused(&springs, 10_000_000).unwrap();
    assert!(said.contains("elements and more, would take") && said.contains("10 MB may be taken"), "{said}");
    assert_eq!(refused(&springs, 100_000_000), None);
}

/// A million pairs of one kind cost nothing, until an engine asks for their second derivatives.
#[test]
fn second_derivatives_are_refused_by_those_who_need_them() -> Result<(), Box<dyn std::error::Error>> {
    use least_action::method::{Method, Newmark, Verlet};

    let system = Swarm { beads: 1500, springs: 0 }.bind_within(5_000_000)?;
    let grid = |k: usize| [(k % 40) as f64, (k / 40) as f64];
    let start = State::at_rest((0..1500).flat_map(grid).collect());
    assert!(Verlet.start(&system, start.clone(), 1e-3).is_ok());
    let refused = Newmark::default().start(&system, start, 1e-3).err().map(|error| error.to_string());
    let refused = refused.unwrap_or_default();
    assert!(refused.starts_with("the second derivatives of `Swarm` would take"), "{refused}");
    assert!(refused.contains("choose a method that needs the gradient alone"), "{refused}");
    Ok(())
}
