use least_action_core::error::StartError;
use least_action_core::internals::method::trees;
use least_action_core::method::slow_manifold::Tableau;

/// The coefficients a and b of a method.
fn coefficients<const STAGES: usize, const ORDER: u32>(
    tableau: &Tableau<STAGES, ORDER>,
) -> ([[f64; STAGES]; STAGES], [f64; STAGES]) {
    let entry = |row: usize, column: usize| tableau.stage(row).get(column).copied().unwrap_or(0.0);
    let a = std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)));
    (a, std::array::from_fn(|stage| tableau.weights()[stage]))
}

/// The method has the order that its type names.
#[track_caller]
fn is_taken<const STAGES: usize, const ORDER: u32>(tableau: &Tableau<STAGES, ORDER>) {
    let (a, b) = coefficients(tableau);
    assert_eq!(Tableau::<STAGES, ORDER>::new(a, b).map(|_| ()), Ok(()));
}

#[test]
fn the_named_methods_have_their_orders() {
    is_taken(&Tableau::CLASSICAL);
    is_taken(&Tableau::THREE_EIGHTHS);
    is_taken(&Tableau::MIDPOINT);
    is_taken(&Tableau::HEUN);
    is_taken(&Tableau::DORMAND_PRINCE);
    assert_eq!(Tableau::CLASSICAL.nodes(), [0.0, 0.5, 0.5, 1.0]);
}

#[test]
fn there_are_as_many_conditions_as_rooted_trees() {
    let all = trees(&coefficients(&Tableau::CLASSICAL).0, 8);
    let of_order = |order| all.iter().filter(|tree| tree.order == order).count();
    assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(of_order), [1, 1, 2, 4, 9, 20, 48, 115]);
}

#[test]
fn a_wrong_claim_is_refused() {
    let (a, b) = coefficients(&Tableau::CLASSICAL);
    assert!(matches!(Tableau::<4, 5>::new(a, b), Err(StartError::TableauOrder { failed: 5, .. })));
    let mut wrong = b;
    wrong[0] = 0.5;
    assert!(matches!(Tableau::<4, 4>::new(a, wrong), Err(StartError::TableauOrder { failed: 1, .. })));
    let mut implicit = a;
    implicit[1][1] = 0.5;
    assert!(matches!(
        Tableau::<4, 4>::new(implicit, b),
        Err(StartError::TableauNotExplicit { row: 1, column: 1, .. })
    ));
    let mut infinite = a;
    infinite[3][0] = f64::NAN;
    assert!(matches!(Tableau::<4, 4>::new(infinite, b), Err(StartError::TableauNotFinite { row: 3, .. })));
}
