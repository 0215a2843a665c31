use least_action_core::advanced::sparse::{RowPattern, SymmetricMatrix};
use least_action_core::internals::sparse::KickSystem;

/// Deterministic values in (−1, 1) without a dependency.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64) / f64::from(1_u32 << 30) - 1.0
    }
}

/// Checks solutions for these entries of ∂F/∂v; true if S was formed.
fn check(mass: &SymmetricMatrix, velocities: &[(usize, usize)], jacobian: &RowPattern) -> bool {
    check_driven(mass, velocities, jacobian, None)
}

/// As [`check`], with this derivative in place of the first one.
fn check_driven(
    mass: &SymmetricMatrix,
    velocities: &[(usize, usize)],
    jacobian: &RowPattern,
    driving: Option<f64>,
) -> bool {
    let (n, m, c) = (mass.pattern.dimension(), jacobian.height(), 0.3);
    let mut random = noise(11);
    let mut system = KickSystem::new(mass, velocities, jacobian).unwrap();
    for _ in 0..3 {
        // Another matrix each time.
        let mut vector = |length: usize| (0..length).map(|_| random()).collect::<Vec<f64>>();
        let (mut derivatives, carrier) = (vector(velocities.len()), vector(jacobian.len()));
        if let (Some(first), Some(driving)) = (derivatives.first_mut(), driving) {
            *first = driving;
        }
        let left: Vec<f64> = carrier.iter().zip(vector(jacobian.len())).map(|(g, e)| g + 0.05 * e).collect();
        let (residual, rows) = (vector(n), vector(m));
        system.set(&mass.values, c, &derivatives).unwrap();
        system.factor(&carrier, &left, &[]).unwrap();
        let (mut delta, mut y) = (residual.clone(), vec![0.0; m]);
        system.solve(&rows, &mut delta, &mut y);
        // K δ − G₂ᵀ y + R and G₁ δ + r.
        let mut first = vec![0.0; n];
        jacobian.transpose_multiply_add(&carrier, &y, &mut first);
        first.iter_mut().for_each(|entry| *entry = -*entry);
        mass.pattern.multiply_add(&mass.values, &delta, &mut first);
        for (&(row, column), derivative) in velocities.iter().zip(&derivatives) {
            first[row] -= c * derivative * delta[column];
        }
        let mut second = rows.clone();
        jacobian.multiply_add(&left, &delta, &mut second);
        first.iter_mut().zip(&residual).for_each(|(entry, residual)| *entry += residual);
        let scale = y.iter().chain(&delta).fold(1.0_f64, |most, entry| most.max(entry.abs()));
        let all = first.iter().chain(&second);
        assert!(all.into_iter().all(|entry| entry.abs() < 1e-11 * scale), "{first:?} {second:?}");
    }
    system.is_reduced()
}

fn chain(rows: usize) -> RowPattern {
    let own = |i: usize| (i.saturating_sub(1)..=i).flat_map(move |k| [(i, 2 * k), (i, 2 * k + 1)]);
    RowPattern::new(rows, 2 * rows, (0..rows).flat_map(own))
}

#[test]
fn solutions_solve_whatever_couples_the_velocities() {
    let mass = SymmetricMatrix::diagonal((0..40).map(|i| 2.0 + f64::from(i % 3)).collect());
    let jacobian = chain(20);
    let diagonal: Vec<(usize, usize)> = (0..40).map(|i| (i, i)).collect();
    let blocks: Vec<(usize, usize)> =
        (0..20).flat_map(|k| [(2 * k, 2 * k + 1), (2 * k + 1, 2 * k)]).collect();
    let one_way: Vec<(usize, usize)> = (0..20).map(|k| (2 * k, 2 * k + 1)).collect();
    let neighbours: Vec<(usize, usize)> = (1..40).flat_map(|i| [(i, i - 1), (i - 1, i), (i, i)]).collect();
    assert!(check(&mass, &[], &jacobian));
    assert!(check(&mass, &diagonal, &jacobian));
    assert!(check(&mass, &blocks, &jacobian));
    assert!(check(&mass, &one_way, &jacobian));
    assert!(!check(&mass, &neighbours, &jacobian));
    // A mass that couples pairs, with drag across them.
    let coupled =
        (0..20).flat_map(|k| [(2 * k, 2 * k, 3.0), (2 * k + 1, 2 * k, 0.5), (2 * k + 1, 2 * k + 1, 2.0)]);
    let coupled = SymmetricMatrix::of_entries(40, &coupled.collect::<Vec<_>>());
    assert!(check(&coupled, &one_way, &jacobian));
    assert!(!check(&coupled, &neighbours, &jacobian));
}

/// Bands as wide as the matrix have no end to begin from.
#[test]
fn solutions_solve_where_all_velocities_are_coupled() {
    for n in 2..20 {
        let mass = SymmetricMatrix::diagonal(vec![4.0; n]);
        let all: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
        check(&mass, &all, &RowPattern::new(1, n, [(0, 0), (0, 1)]));
    }
}

/// M − c ∂F/∂v has a zero at its first place, where the order of the band divides.
#[test]
fn a_force_that_drives_makes_rows_change_places() {
    let n = 40;
    let mass = SymmetricMatrix::diagonal(vec![3.0; n]);
    let first = std::iter::once((0, 0));
    let neighbours: Vec<(usize, usize)> =
        first.chain((1..n).flat_map(|i| [(i, i - 1), (i - 1, i)])).collect();
    assert!(!check_driven(&mass, &neighbours, &chain(20), Some(10.0)));
}

#[test]
fn a_matrix_that_a_force_makes_singular_names_the_degree_of_freedom() {
    let mass = SymmetricMatrix::diagonal(vec![2.0; 4]);
    let mut system = KickSystem::new(&mass, &[(2, 2)], &chain(2)).unwrap();
    assert_eq!(system.set(&mass.values, 0.5, &[4.0]).unwrap_err().index, 2);
    let mut system = KickSystem::new(&mass, &[(2, 3), (3, 2)], &chain(2)).unwrap();
    assert_eq!(system.set(&mass.values, 0.5, &[4.0, 4.0]).unwrap_err().index, 3);
}
