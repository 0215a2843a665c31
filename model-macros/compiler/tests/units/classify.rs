//! The kind of system that a declaration is found to be.

use least_action_compiler::Errors;
use least_action_compiler::Lowered;
use least_action_compiler::internals::classify::{Classified, Dependence, classify};
use least_action_compiler::internals::smoothness::{Smoothness, smoothness};

fn classified(body: &str) -> Classified {
    let text = format!(
        "impl Model {{ fn lagrangian(&self, x: Scalar, y: [Scalar; self.n], t: Time) -> Scalar {{
            0.5 * der(x).powi(2) + sum(0..self.n, |i| 0.5 * self.m * der(y[i]).powi(2)) + {body}
        }} }}"
    );
    let mut errors = Errors::default();
    let item = syn::parse_str(&text).expect("an impl");
    let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
        .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    let classified = classify(&mut lowered, &declaration, &mut errors);
    assert!(errors.is_empty(), "{body}");
    classified
}

fn sizes(classified: &Classified) -> [usize; 4] {
    let Classified { mass, potential, stiff, general, .. } = classified;
    [mass.len(), potential.len(), stiff.len(), general.len()]
}

fn proven(coordinates: &[usize]) -> Dependence {
    Dependence::Proven(coordinates.iter().copied().collect())
}

#[test]
fn natural_systems() {
    let found = classified("0.25 * der(x) * der(y[0]) - x.cos()");
    assert_eq!((&found.facts.mass, &found.facts.force), (&Dependence::None, &Dependence::None));
    assert_eq!(sizes(&found)[2..], [0, 0]);
}

#[test]
fn a_mass_that_depends_on_coordinates() {
    let found = classified("(1.0 + y[0].powi(2)) * der(x).powi(2)");
    assert_eq!(found.facts.mass, proven(&[1]));
    assert_eq!(found.facts.force, Dependence::None);
}

#[test]
fn a_mass_that_depends_on_the_velocity() {
    assert_eq!(classified("0.1 * der(x).powi(4)").facts.mass, proven(&[0]));
}

#[test]
fn a_force_that_depends_on_the_velocity() {
    let found = classified("x * y[0] * der(y[1])");
    assert_eq!(found.facts.mass, Dependence::None);
    assert_eq!(found.facts.force, proven(&[1]));
    assert_eq!(sizes(&found), [2, 0, 0, 1]);
}

#[test]
fn a_moving_frame_keeps_its_constant_mass() {
    let found = classified("0.5 * (der(x) + self.wind).powi(2)");
    assert_eq!((&found.facts.mass, &found.facts.force), (&Dependence::None, &Dependence::None));
    assert_eq!(sizes(&found), [2, 1, 0, 1], "mass, the constant, and what is linear in the velocity");
}

#[test]
fn a_mass_that_cancels_is_constant() {
    let found = classified("(x.sin().powi(2) + x.cos().powi(2)) * der(x).powi(2)");
    assert!(matches!(found.facts.mass, Dependence::None | Dependence::Unproven(_)));
}

#[test]
fn time_is_found() {
    assert!(classified("x * t").facts.time);
    assert!(!classified("x").facts.time);
    assert!(classified("der(x * t)").facts.time);
}

#[test]
fn stiff_parts_are_apart() {
    let found = classified("0.5 * x - stiff(sum(0..self.n, |i| y[i].powi(2)))");
    assert!(found.facts.stiff);
    assert_eq!(sizes(&found), [2, 1, 1, 0]);
}

#[test]
fn parts_that_read_different_entries_are_families_of_their_own() {
    let found = classified("x.powi(2) + sum(0..self.n, |i| y[i].cos() + x * y[i] + y[i])");
    assert_eq!(sizes(&found)[1], 3, "x alone, y[i] alone, both");
}

#[test]
fn a_sum_that_meets_itself_moves_its_coordinate() {
    let text = "impl Model { fn lagrangian(&self, y: [Scalar; self.n]) -> Scalar {
        let total = sum(0..self.n, |i| der(y[i]) * y[i].cos());
        0.5 * total * total
    } }";
    let mut errors = Errors::default();
    let declaration = least_action_compiler::parse(
        proc_macro2::TokenStream::new(),
        syn::parse_str(text).expect("an impl"),
        &mut errors,
    )
    .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    let found = classify(&mut lowered, &declaration, &mut errors);
    assert!(errors.is_empty());
    assert_eq!(found.facts.mass, proven(&[0]));
}

/// A product that cannot be taken apart: each element reads n numbers in about 4 n operations.
fn large(n: usize) -> usize {
    let factors = (0..n).map(|k| format!("(1.0 + y[{k}].sin() * y[{}].cos())", (k + 1) % n));
    let text = format!(
        "impl Model {{ fn lagrangian(&self, y: [Scalar; self.n]) -> Scalar {{
            sum(0..self.n, |i| 0.5 * der(y[i]).powi(2)) - {}
        }} }}",
        factors.collect::<Vec<_>>().join(" * ")
    );
    let mut errors = Errors::default();
    let item = syn::parse_str(&text).expect("an impl");
    let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
        .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    classify(&mut lowered, &declaration, &mut errors);
    errors.count()
}

#[test]
fn elements_that_are_too_large_are_refused_by_their_size() {
    assert_eq!(large(20), 0);
    assert_eq!(large(90), 1);
}

/// The body of a `lagrangian` with two angles and a position of a bead.
fn of_angles(body: &str) -> Classified {
    let text = format!(
        "impl Model {{ fn lagrangian(&self, theta: Angle, phi: Angle) -> Scalar {{
            let sphere = self.r * vec3(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
            {body}
        }} }}"
    );
    let mut errors = Errors::default();
    let item = syn::parse_str(&text).expect("an impl");
    let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
        .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    let classified = classify(&mut lowered, &declaration, &mut errors);
    assert!(errors.is_empty(), "{body}");
    classified
}

/// ½ m r² (θ̇² + sin²θ φ̇²): of both angles, θ alone is left.
#[test]
fn squares_of_sine_and_cosine_are_added() {
    let found = of_angles("0.5 * self.m * der(sphere).norm_squared() - self.g * theta.cos()");
    assert_eq!(found.facts.mass, proven(&[0]));
    // Beside a product of both velocities, which is left as it is.
    let found = of_angles("0.5 * der(sphere).norm_squared() + der(theta) * der(phi) * phi");
    assert_eq!(found.facts.mass, proven(&[0, 1]));
}

/// A bead at an angle on a hoop at rest has a constant mass, however the hoop is written.
#[test]
fn a_mass_that_is_constant_is_known_to_be() {
    let found = of_angles(
        "let place = vec2(self.r * theta.sin(), self.r * theta.cos());
         0.5 * der(place).norm_squared() + 0.5 * der(phi).powi(2) - place.y * phi.cos()",
    );
    assert_eq!((&found.facts.mass, &found.facts.force), (&Dependence::None, &Dependence::None));
    assert_eq!(sizes(&found)[3], 0);
    // The angle turns with a motor: a term linear in the velocities stays.
    let found = of_angles(
        "let place = vec2((theta + self.w * phi).sin(), (theta + self.w * phi).cos());
         0.5 * der(place).norm_squared() + 0.5 * der(phi).powi(2)",
    );
    assert_eq!(found.facts.mass, Dependence::None);
}

/// The same where the argument follows from the time: a hoop that turns, at a rate or by a signal, and
/// a slot in a table that sways.
#[test]
fn squares_of_sine_and_cosine_of_the_time_are_added() {
    let turned = |turn: &str, place: &str| {
        classified(&format!(
            "{{ let turn = {turn}; let place = {place}; 0.5 * self.m * der(place).norm_squared() }}"
        ))
    };
    let hoop = "self.r * vec3(x.sin() * turn.cos(), x.sin() * turn.sin(), -x.cos())";
    let found = turned("self.spin * t", hoop);
    assert_eq!((&found.facts.mass, &found.facts.force), (&Dependence::None, &Dependence::None));
    assert_eq!((sizes(&found)[3], found.facts.time), (0, false), "½ m r² Ω² sin²x is left, without the time");
    for turn in ["(self.spin * t).sin() + 0.3 * t", "self.sway * t.powi(2)", "table(t, &self.turn)"] {
        for place in [hoop, "x * vec2(turn.cos(), turn.sin())"] {
            let found = turned(turn, place);
            assert_eq!(found.facts.mass, Dependence::None, "{turn}, {place}");
            assert_eq!(found.facts.force, Dependence::None, "{turn}, {place}");
            assert!(found.facts.time, "{turn}, {place}");
        }
    }
    for mass in ["(t.sin().powi(2) + 1.1 * t.cos().powi(2))", "(1.0 + t.powi(2).sqrt() / t)", "(1.0 + t)"] {
        assert_ne!(classified(&format!("{mass} * der(x).powi(2)")).facts.mass, Dependence::None, "{mass}");
    }
}

/// An expression that is equal at the samples only, or constant with jumps, is not simplified.
#[test]
fn what_varies_is_not_taken_for_constant() {
    for mass in [
        "(theta.sin().powi(2) + theta.cos().powi(2) + 1e-6 * theta.sin())",
        "(1.0 + theta.powi(2).sqrt() / theta)",
        "(if theta < 10.0 { 1.0 } else { 2.0 })",
        "(theta.cosh().powi(2) + theta.sinh().powi(2))",
    ] {
        let found = of_angles(&format!("0.5 * {mass} * der(theta).powi(2) + 0.5 * der(phi).powi(2)"));
        assert_ne!(found.facts.mass, Dependence::None, "{mass}");
    }
    let found = of_angles(
        "0.5 * (theta.cosh().powi(2) - theta.sinh().powi(2)) * der(theta).powi(2) + 0.5 * der(phi).powi(2)",
    );
    assert_eq!(found.facts.mass, Dependence::None);
}

/// The one family in range of a liquid, with the parts of its pairs.
fn in_range(element: &str) -> (Lowered, Classified) {
    let text = format!(
        "impl Model {{ fn lagrangian(&self, x: [Vec3; self.n]) -> Scalar {{
            let kinetic = sum(0..self.n, |i| 0.5 * self.m * der(x[i]).norm_squared());
            kinetic - sum(within(self.off, x), |(i, j, d)| {element})
        }} }}"
    );
    let mut errors = Errors::default();
    let item = syn::parse_str(&text).expect("an impl");
    let declaration = least_action_compiler::parse(proc_macro2::TokenStream::new(), item, &mut errors)
        .expect("a declaration");
    let mut lowered = least_action_compiler::lower(&declaration, &mut errors);
    let classified = classify(&mut lowered, &declaration, &mut errors);
    assert!(errors.is_empty(), "{element}");
    assert_eq!(classified.potential.len(), 1, "{element}");
    (lowered, classified)
}

/// The smoothness of the one family in range of a liquid.
fn where_it_ends(element: &str) -> Smoothness {
    let (lowered, classified) = in_range(element);
    smoothness(&lowered.graph, classified.potential[0].whole_of(classified.potential[0].node))
}

#[test]
fn sums_in_range_are_as_smooth_as_their_ends() {
    for (element, order) in [
        ("d.norm().powi(-6)", Smoothness::Unknown),
        ("shifted(d.norm(), self.off, |r| r.powi(-6))", Smoothness::Times(0)),
        ("force_shifted(d.norm(), self.off, |r| r.powi(-6))", Smoothness::Times(1)),
        ("switched(d.norm(), self.on, self.off) * d.norm_squared().powi(-3)", Smoothness::Times(2)),
        ("(self.off - d.norm()).powi(4)", Smoothness::Times(3)),
    ] {
        assert_eq!(where_it_ends(element), order, "{element}");
    }
}

/// An element that is the same from both of its ends is computed with less than one that is not.
#[test]
fn what_all_pairs_share_does_not_tell_their_ends_apart() {
    let is_exchangeable = |element: &str| {
        let (_, classified) = in_range(element);
        classified.potential[0].near.as_ref().is_some_and(|near| near.exchangeable)
    };
    assert!(is_exchangeable("self.k * self.charges[i] * self.charges[j] / d.norm()"));
    assert!(is_exchangeable("self.charges[i] * (2.0 * self.k * self.charges[j]) / d.norm()"));
    assert!(is_exchangeable(
        "self.k * (self.sizes[i] + self.sizes[j]) * self.charges[j] * self.charges[i] / d.norm()"
    ));
    assert!(!is_exchangeable("self.k * self.charges[i] * self.sizes[j] / d.norm()"));
    assert!(!is_exchangeable("self.k * (self.sizes[i] - self.sizes[j]) * d.norm()"));
}

/// How many sums are added up together, group by group.
fn together(body: &str) -> Vec<usize> {
    let found = classified(body);
    let groups = found.stages.iter().map(|sums| {
        let reads: Vec<usize> = sums.families[0].reads_of_sums.iter().map(|(sum, _)| *sum).collect();
        assert_eq!(reads.last(), Some(&(sums.stages.len() - 1)), "{body}: every sum depends on something");
        sums.stages.len()
    });
    groups.collect()
}

#[test]
fn sums_over_the_same_items_are_added_up_together() {
    let sine = "sum(0..self.n, |i| y[i].sin())";
    // Under other variables, and with `let`s, too.
    assert_eq!(together(&format!("({sine}.powi(2) + sum(0..self.n, |k| y[k].cos()).powi(2)).sqrt()")), [2]);
    let spelled = "sum(0..self.n, |k| { let weight = self.m; weight * y[k] })";
    let again = "sum(0..self.n, |j| { let factor = self.m; factor * y[j].powi(3) })";
    assert_eq!(together(&format!("{spelled}.exp() * {again}.exp()")), [2]);
    // Over others, one by one.
    assert_eq!(together(&format!("{sine}.exp() + sum(1..self.n, |i| y[i].cos()).exp()")), [1, 1]);
    // A sum that reads another is evaluated after it.
    assert_eq!(
        together(&format!("sum(0..self.n, |i| (y[i] - {sine}).powi(4)).exp() + {sine}.exp()")),
        [1, 1]
    );
    // So many that their elements would not stay in registers are several loops.
    let many: Vec<String> =
        (1..20).map(|k| format!("sum(0..self.n, |i| ({k}.0 * y[i]).sin()).exp()")).collect();
    assert_eq!(together(&many.join(" + ")), [8, 8, 3]);
}

#[test]
fn a_factor_that_is_a_sum_over_one_item_is_a_number_of_its_own() {
    let places = |of: &str| format!("each(0..self.n, |i| sum(once(i), |k| {of}))");
    let lets = format!("let (a, b) = ({}, {});", places("y[k].sin()"), places("y[k].cos()"));
    // Two such factors, three, and beside a coordinate: all sines and cosines are of the places alone.
    for product in ["a[i] * b[i]", "a[i] * b[i] * a[i]", "y[i] * a[i] * b[i]", "b[i] * y[i] * a[i]"] {
        let found = together(&format!("{{ {lets} sum(0..self.n, |i| {product}).powi(2) }}"));
        assert_eq!(found, [2, 1], "{product}");
    }
    // A term is no factor.
    assert_eq!(together(&format!("{{ {lets} sum(0..self.n, |i| a[i] + b[i]).powi(2) }}")), [1]);
}

#[test]
fn partial_sums_of_the_same_items_are_added_up_together() {
    let partial = |of: &str| format!("each(0..self.n, |i| sum(0..i + 1, |k| {of}))");
    let body = format!(
        "{{ let (a, b) = ({}, {}); sum(0..self.n, |i| (a[i].powi(2) + b[i].powi(2)).sqrt()) }}",
        partial("y[k].sin()"),
        partial("y[k].cos()")
    );
    assert_eq!(together(&body), [2]);
}
