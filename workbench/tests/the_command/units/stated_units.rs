//! Units that a model states.

use least_action::system::{Kind, Layout};
use least_action_pages::plot::{Units, commented};

#[test]
fn units_are_those_of_the_documentation() {
    let units =
        Units::of("A gas.\n\nIts atoms attract. Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.\n\nMore. And more.");
    assert_eq!(units.time().to_string(), "time t, ns");
    assert_eq!(units.length("x").to_string(), "x, nm");
    assert_eq!(units.energy("E(t) − E(0)").to_string(), "E(t) − E(0), 10⁻²⁷ J");
    assert_eq!(units.length("bobs").to_string(), "bobs, nm");
    assert_eq!(units.measured("mean_square_displacement").to_string(), "mean square displacement, nm²");
    assert_eq!(units.measured("momentum_x").to_string(), "momentum x, 10⁻²⁷ kg nm/ns");
    // An unstated unit is not made up.
    assert_eq!(units.measured("constraint_residual").to_string(), "constraint residual");
    let none = Units::of("Balls of radius 2 m. A chain.");
    assert_eq!(none, Units::default());
    assert_eq!(none.time().to_string(), "time t");
    assert_eq!(Units::of("Units: kg, m").length("y").to_string(), "y, m");
    let water = Units::of("Units: Å, kcal/mol, amu, and so 48.888 fs; charges in elementary charges.");
    assert_eq!(water.energy("E").to_string(), "E, kcal/mol");
    assert_eq!(
        (water.time().to_string(), water.length("r").to_string()),
        ("time t, 48.888 fs".into(), "r, Å".into())
    );
}

/// The sizes of bodies in readers of atoms; a metre is no such size.
#[test]
fn lengths_of_matter_are_known_in_angstroms() {
    let of = |unit: &str| Units::of(&format!("Units: {unit}.")).angstroms();
    let known = [
        ("Å", 1.0),
        ("nm", 10.0),
        ("pm", 0.01),
        ("fm", 1e-5),
        ("µm", 1e4),
        ("0.5 nm", 5.0),
        ("10⁻¹ nm", 1.0),
    ];
    for (unit, angstroms) in known {
        assert_eq!(of(unit), Some(angstroms), "{unit}");
    }
    for unknown in ["SI", "none", "kg", "mm", "some nm", "10ⁿ nm"] {
        assert_eq!(of(unknown), None, "{unknown}");
    }
    assert_eq!(Units::of("A gas.").angstroms(), None);
    let argon = Units::of("Units: nm, ns, 10⁻²⁷ kg, and so 10⁻²⁷ J.");
    assert_eq!((argon.angstroms(), argon.length_and_time()), (Some(10.0), [Some("nm"), Some("ns")]));
}

#[test]
fn units_are_written_as_people_write_them() {
    let measured = |units: &Units, name: &str| units.measured(name).to_string();
    let si = Units::of("A pendulum. Units: SI.");
    assert_eq!(si.energy("E").to_string(), "E, J");
    assert_eq!(measured(&si, "power"), "power, W");
    assert_eq!(measured(&si, "momentum_x"), "momentum x, kg m/s");
    assert_eq!(measured(&si, "angular_momentum_z_balance"), "angular momentum z balance, kg m²/s");
    assert_eq!(measured(&si, "momentum_heading"), "momentum heading");
    let none = Units::of("Points.\n\nUnits: none.");
    assert_eq!((none.clone(), none.time().to_string()), (Units::none(), "time t".to_owned()));
    assert_eq!(measured(&none, "power"), "power");
    // A temperature is in kelvin where Boltzmann's constant is, and an energy where that is one.
    let molar = Units::of("Water. Units: nm, kJ/mol, u, and so ps.");
    let temperature = |constant: f64| measured(&molar.clone().with_boltzmann(constant), "temperature");
    assert_eq!(temperature(0.008_314_462_618), "temperature, K");
    assert_eq!(temperature(1.0), "temperature, kJ/mol");
    assert_eq!(
        (temperature(2.0), measured(&molar, "temperature")),
        ("temperature".into(), "temperature".into())
    );
    assert_eq!(measured(&molar, "power"), "power, kJ/mol/ps");
}

#[test]
fn an_angle_has_its_unit_in_every_model() {
    let mut layout = Layout::new();
    layout.push("theta", Kind::Angle, vec![2]).push("bobs", Kind::Vec2, vec![3]).push(
        "s",
        Kind::Scalar,
        vec![],
    );
    let of = |units: &Units, indices: &[usize]| {
        units.coordinate("one", &layout, indices.iter().copied()).to_string()
    };
    let si = Units::si();
    assert_eq!((of(&si, &[0, 1]), of(&si, &[2, 7])), ("one, rad".to_owned(), "one, m".to_owned()));
    assert_eq!(of(&Units::none(), &[0]), "one, rad");
    // A number may be anything, and so may several of different kinds.
    for indices in [&[8][..], &[1, 2], &[]] {
        assert_eq!(of(&si, indices), "one", "{indices:?}");
    }
    // Unless its author says.
    let told =
        si.with_comments([("s", "Way of the slider along its rail, measured by hand, mm.\n\nMore, N.")]);
    assert_eq!((of(&told, &[8]), of(&told, &[2, 8])), ("one, mm".to_owned(), "one".to_owned()));
}

#[test]
fn a_comment_ends_with_its_unit_or_has_none() {
    for (comment, unit) in [
        ("Length of each rod, m.", Some("m")),
        ("Masses of hydrogen, oxygen, hydrogen, amu.", Some("amu")),
        ("Moments of inertia, A across the axis and C along it, kg·m².", Some("kg·m²")),
        ("Force on the cart, N, a function of time.", Some("N")),
        ("Angular frequency, 1/s.", Some("1/s")),
        ("Mass, 10⁻²⁷ kg.", Some("10⁻²⁷ kg")),
        ("Amplitude ε/σ of the bumps, ε/σ².", Some("ε/σ²")),
        ("Eccentricity e of the orbit, in [0, 1).", None),
        ("Number of links, 2.", None),
        ("Mass of a bob.", None),
    ] {
        assert_eq!(commented(comment), unit, "{comment}");
    }
}
