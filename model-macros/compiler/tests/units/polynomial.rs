//! Polynomials with integer factors.

use least_action_compiler::internals::angle::{Polynomial, TERMS};

fn sum(terms: &[(i64, &[usize])]) -> Polynomial {
    terms.iter().fold(Polynomial::default(), |sum, (factor, variables)| {
        let product = variables.iter().fold(Polynomial::constant(1), |product, variable| {
            product.times(&Polynomial::variable(*variable)).unwrap()
        });
        sum.plus(*factor, &product).unwrap()
    })
}

#[test]
fn what_was_multiplied_divides() {
    // (x² + y z − 3)(2 x − z) by each of them.
    let a = sum(&[(1, &[0, 0]), (1, &[1, 2]), (-3, &[])]);
    let b = sum(&[(2, &[0]), (-1, &[2])]);
    let product = a.times(&b).unwrap();
    assert_eq!(product.divided(&a).unwrap(), b);
    assert_eq!(product.divided(&b).unwrap(), a);
    let more = product.plus(1, &Polynomial::constant(1)).unwrap();
    assert_eq!(more.divided(&a), None);
    assert_eq!(a.divided(&Polynomial::default()), None);
}

#[test]
fn halves_are_no_integers() {
    let (x, two_x) = (sum(&[(1, &[0])]), sum(&[(2, &[0])]));
    assert_eq!(two_x.divided(&x).unwrap().as_constant(), Some(2));
    assert_eq!(x.divided(&two_x), None);
}

#[test]
fn the_derivative_of_a_power_is_lower() {
    let cube = sum(&[(2, &[1, 1, 1]), (5, &[0])]);
    assert_eq!(cube.derivative(1).unwrap(), sum(&[(6, &[1, 1])]));
    assert!(cube.derivative(2).unwrap().is_zero());
}

#[test]
fn too_much_is_given_up() {
    let large = Polynomial::constant(i64::MAX);
    assert_eq!(large.times(&sum(&[(2, &[0])])), None);
    let mut power = sum(&[(1, &[0]), (1, &[1]), (1, &[2]), (1, &[3]), (1, &[4])]);
    while let Some(square) = power.times(&power) {
        power = square;
    }
    assert!(power.0.len() <= TERMS);
}
