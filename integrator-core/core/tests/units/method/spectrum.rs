use least_action_core::advanced::sparse::SymmetricMatrix;
use least_action_core::internals::method::Ends;

/// The largest eigenvalue of a diagonal operator, or an estimate, and the number of products.
fn largest(eigenvalues: &[f64], masses: &[f64], bound: f64) -> (Option<f64>, usize) {
    let entries: Vec<_> = masses.iter().enumerate().map(|(i, mass)| (i, i, *mass)).collect();
    let mass = SymmetricMatrix::of_entries(masses.len(), &entries);
    let mut products = 0;
    let found = Ends::below(bound, &mass, |x, product| {
        products += 1;
        for ((product, x), eigenvalue) in product.iter_mut().zip(x).zip(eigenvalues) {
            *product = eigenvalue * x;
        }
        Some(())
    });
    (found.map(|ends| ends.largest), products)
}

/// Spectra of 30 000 eigenvalues: even, crowded at one end, with a single one far out, and with negative ones; masses from 1 to 10⁴.
fn spectra() -> Vec<(Vec<f64>, Vec<f64>)> {
    let n = 30_000;
    let shapes: [fn(f64) -> f64; 5] = [
        |x| x,
        |x| x.powi(8),
        |x| 1.0 - x.powi(8),
        |x| if x >= 1.0 { 1.0 } else { 0.1 * x },
        |x| 1.5 * x - 0.5,
    ];
    let place = |i: usize| i as f64 / (n - 1) as f64;
    let alike = vec![1.0; n];
    // Light where the eigenvalue is large, as hydrogen is.
    let spread: Vec<f64> = (0..n).map(|i| 1e4_f64.powf(1.0 - place(i))).collect();
    let spectrum = |shape: fn(f64) -> f64| (0..n).map(|i| shape(place(i))).collect::<Vec<f64>>();
    shapes
        .iter()
        .flat_map(|shape| [(spectrum(*shape), alike.clone()), (spectrum(*shape), spread.clone())])
        .collect()
}

#[test]
fn a_dozen_products_show_that_a_large_system_is_far_below_a_bound() {
    for (number, (eigenvalues, masses)) in spectra().iter().enumerate() {
        // h ω is half of the limit, and four fifths.
        for (bound, most) in [(4.0, 12), (1.0 / 0.64, 20)] {
            let (found, products) = largest(eigenvalues, masses, bound);
            assert!(found.is_some_and(|found| found < bound), "{number}: {found:?}");
            assert!(products <= most, "{number}: {products} products at {bound}");
        }
    }
}

#[test]
fn a_bound_below_the_largest_eigenvalue_does_not_end_the_iteration_below_it() {
    for (number, (eigenvalues, masses)) in spectra().iter().enumerate() {
        for bound in [1e-9, 0.3, 0.9, 0.99] {
            let (found, products) = largest(eigenvalues, masses, bound);
            assert!(
                found.is_some_and(|found| found > bound && found <= 1.0 + 1e-9),
                "{number}: {found:?} at {bound}"
            );
            assert!(products <= 200);
        }
    }
    // An operator that is not finite has no spectrum.
    assert_eq!(largest(&[1.0, f64::NAN, 1.0], &[1.0; 3], 4.0).0, None);
}

#[test]
fn few_unknowns_exhaust_the_iteration() {
    let (found, products) = largest(&[1.0], &[1.0], 1.01);
    assert!(products == 1 && found.is_some_and(|found| (found - 1.0).abs() < 1e-12), "{found:?}");
    assert_eq!(largest(&[], &[], 1.0), (None, 0));
}
