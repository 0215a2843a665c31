use least_action_core::advanced::sparse::SymmetricMatrix;
use least_action_core::internals::method::Ends;

/// True if a diagonal operator is told to be far below a bound, and the products that it takes.
fn is_far_below(eigenvalues: &[f64], masses: &[f64], bound: f64) -> (bool, usize) {
    let entries: Vec<_> = masses.iter().enumerate().map(|(i, mass)| (i, i, *mass)).collect();
    let mass = SymmetricMatrix::of_entries(masses.len(), &entries);
    let mut products = 0;
    let told = Ends::are_far_below(bound, &mass, |x, product| {
        products += 1;
        for ((product, x), eigenvalue) in product.iter_mut().zip(x).zip(eigenvalues) {
            *product = eigenvalue * x;
        }
        Some(())
    });
    (told, products)
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
fn a_dozen_products_tell_that_a_large_system_is_far_below_a_bound() {
    for (number, (eigenvalues, masses)) in spectra().iter().enumerate() {
        // h ω is half of what the method bears, and four fifths.
        let (few, more) =
            (is_far_below(eigenvalues, masses, 4.0), is_far_below(eigenvalues, masses, 1.0 / 0.64));
        assert!(few.0 && few.1 <= 12 && more.0, "{number}: {few:?} and {more:?} products");
    }
}

#[test]
fn no_spectrum_is_told_to_be_below_a_bound_that_it_exceeds() {
    for (number, (eigenvalues, masses)) in spectra().iter().enumerate() {
        for bound in [1e-9, 0.3, 0.9, 0.99] {
            let told = is_far_below(eigenvalues, masses, bound);
            assert!(!told.0 && told.1 <= 20, "{number}: {told:?} at {bound}");
        }
    }
    // An operator that is not finite is not told to be anything.
    assert!(!is_far_below(&[1.0, f64::NAN, 1.0], &[1.0; 3], 4.0).0);
}

#[test]
fn of_few_unknowns_nothing_is_told_soon() {
    // They are left to the accurate iteration, which is exhausted after as many products.
    for bound in [0.99, 1.01] {
        assert_eq!(is_far_below(&[1.0], &[1.0], bound), (false, 1));
    }
    assert_eq!(is_far_below(&[], &[], 1.0), (false, 0));
}
