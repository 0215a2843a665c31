//! Rates against formulas by hand and against differences in time; mixed arithmetic in all orders.

use least_action_core::emitted::v1::{Array, lift};
use least_action_core::expr::num_dual::HyperDual64;
use least_action_core::expr::{
    Number, Scalar, Vec2, Vec3, der, each, pairs, stiff, sum, vec2, vec2_from, vec3, vec3_from,
};

fn jet(value: f64, rate: f64) -> Scalar<f64> {
    Scalar::new(value, rate)
}

#[track_caller]
fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} is not {b}");
}

#[track_caller]
fn assert_jet(a: Scalar<f64>, value: f64, rate: f64) {
    assert_close(a.value(), value, 1e-15);
    assert_close(a.rate(), rate, 1e-15);
}

#[track_caller]
fn assert_vector(a: Vec3<f64>, components: [f64; 3]) {
    for (a, component) in a.components().into_iter().zip(components) {
        assert_close(a.value(), component, 1e-15);
    }
}

/// The rate of `f` at x = `at` + 0.7 t, t = 0, against the central difference of order 4 of its value.
#[track_caller]
fn assert_rate(name: &str, f: impl Fn(Scalar<f64>) -> Scalar<f64>, at: f64) {
    let h = 1e-3;
    let value = |t: f64| f(Scalar::constant(at + 0.7 * t)).value();
    let difference = (value(-2.0 * h) - 8.0 * value(-h) + 8.0 * value(h) - value(2.0 * h)) / (12.0 * h);
    let rate = der(f(jet(at, 0.7))).value();
    assert!(
        (rate - difference).abs() < 1e-9 * difference.abs().max(1.0),
        "{name}: {rate} is not {difference}"
    );
}

#[test]
fn elementary_functions() {
    type Function = fn(Scalar<f64>) -> Scalar<f64>;
    let functions: [(&str, Function); 34] = [
        ("sin", Scalar::sin),
        ("cos", Scalar::cos),
        ("sin_cos", |x| x.sin_cos().0 * x.sin_cos().1),
        ("tan", Scalar::tan),
        ("asin", Scalar::asin),
        ("acos", Scalar::acos),
        ("atan", Scalar::atan),
        ("sinh", Scalar::sinh),
        ("cosh", Scalar::cosh),
        ("tanh", Scalar::tanh),
        ("asinh", Scalar::asinh),
        ("acosh", |x| (x + 2.0).acosh()),
        ("atanh", Scalar::atanh),
        ("exp", Scalar::exp),
        ("exp2", Scalar::exp2),
        ("exp_m1", Scalar::exp_m1),
        ("ln", |x| (x + 2.0).ln()),
        ("ln_1p", Scalar::ln_1p),
        ("log2", |x| (x + 2.0).log2()),
        ("log10", |x| (x + 2.0).log10()),
        ("erf", Scalar::erf),
        ("erfc", Scalar::erfc),
        ("sqrt", |x| (x + 2.0).sqrt()),
        ("cbrt", |x| (x + 2.0).cbrt()),
        ("powi", |x| x.powi(5)),
        ("powi negative", |x| (x + 2.0).powi(-3)),
        ("powi zero", |x| x.powi(0) + x),
        ("powf", |x| (x + 2.0).powf(1.7)),
        ("recip", |x| (x + 2.0).recip()),
        ("hypot", |x| x.hypot(x * x + 1.0)),
        ("abs", Scalar::abs),
        ("min", |x| x.min(x * x)),
        ("max", |x| x.max(x * x)),
        ("atan2", |x| (x * x).atan2(x - 1.0)),
    ];
    for (name, function) in functions {
        assert_rate(name, function, 0.3);
        assert_rate(name, function, -0.4);
    }
}

#[test]
fn angles_of_points_have_derivatives_all_around() {
    fn angle<T: Number>([x, y]: [T; 2]) -> T {
        Scalar::constant(y).atan2(Scalar::constant(x)).value()
    }
    for (x, y) in [
        (2.0_f64, 0.0),
        (0.0, 2.0),
        (-2.0, 0.0),
        (0.0, -2.0),
        (1.0, 1.5),
        (-1.0, 1.5),
        (-1.5, -1.0),
        (1.5, -1.0),
    ] {
        let squared = x * x + y * y;
        assert_close(lift::<f64, _>(y).atan2(x).value(), y.atan2(x), 1e-15);
        // Along x and x, and along x and y.
        let along_x = HyperDual64::new(x, 1.0, 1.0, 0.0);
        let found = angle([along_x, HyperDual64::from_re(y)]);
        assert_close(found.eps1, -y / squared, 1e-15);
        assert_close(found.eps1eps2, 2.0 * x * y / (squared * squared), 1e-15);
        let found = angle([HyperDual64::new(x, 1.0, 0.0, 0.0), HyperDual64::new(y, 0.0, 1.0, 0.0)]);
        assert_close(found.eps2, x / squared, 1e-15);
        assert_close(found.eps1eps2, (y * y - x * x) / (squared * squared), 1e-15);
    }
}

#[test]
fn rates_by_hand() {
    let (x, y) = (jet(2.0, 3.0), jet(5.0, -1.0));
    assert_jet(x * y, 10.0, 13.0);
    assert_jet(x / y, 0.4, (3.0 * 5.0 + 2.0) / 25.0);
    assert_jet(1.0 / x, 0.5, -0.75);
    assert_jet(x - 1.0 + y, 6.0, 2.0);
    assert_jet(x.powi(0), 1.0, 0.0);
    assert_jet(Scalar::time(4.0), 4.0, 1.0);
    let a = vec2(x, 2.0);
    let b = vec2(y, x);
    assert_jet(a.dot(b), 14.0, 19.0);
    assert_jet(a.cross(b), 2.0 * 2.0 - 2.0 * 5.0, 2.0 * 2.0 * 3.0 + 2.0);
    assert_close(der(a).x.value(), 3.0, 0.0);
    assert_close(der(a).y.value(), 0.0, 0.0);
}

#[test]
fn rates_of_rates_are_unknown() {
    let speed = der(jet(2.0, 3.0));
    assert_close(speed.value(), 3.0, 0.0);
    assert!(speed.rate().is_nan());
    assert!(der(speed).value().is_nan());
    assert!(der(der(vec3(jet(1.0, 1.0), 2.0, 3.0)).norm_squared()).value().is_nan());
    assert!(der(0.5 * speed).value().is_nan());
    assert_close(der(2.5_f64), 0.0, 0.0);
}

#[test]
#[allow(clippy::op_ref, reason = "operators on references are what is tested")]
fn numbers_scalars_and_vectors_mix_in_all_orders() {
    let (f, s) = (2.0, jet(3.0, 1.0));
    for scalar in [f + s, s + f, &f + s, s + &f, f + &s, &s + f, &f + &s, &s + &f] {
        assert_jet(scalar, 5.0, 1.0);
    }
    for scalar in [f * s, s * f, &f * s, s * &f, f * &s, &s * f, s + s, &s + &s] {
        assert_jet(scalar, 6.0, 2.0);
    }
    assert_jet(f - s, -1.0, -1.0);
    assert_jet(s - f, 1.0, 1.0);
    assert_jet(&s / &f, 1.5, 0.5);
    assert_jet(-&s, -3.0, -1.0);
    let v = vec3(s, f, 1.0);
    for vector in [f * v, v * f, &v * f, f * &v, v + v, &v + &v, v / 0.5, -(v * -2.0)] {
        assert_vector(vector, [6.0, 4.0, 2.0]);
        assert_vector(der(vector), [2.0, 0.0, 0.0]);
    }
    for vector in [s * v, v * s, &s * &v, &v * &s, v / s.recip()] {
        assert_close(vector.x.rate(), 6.0, 1e-15);
        assert_close(vector[1].rate(), 2.0, 1e-15);
        assert_close(vector.z.rate(), 1.0, 1e-15);
    }
    let mut total = s;
    total += 1.0;
    total -= s;
    total *= 4.0;
    total /= f;
    total += &s;
    assert_jet(total, 5.0, 1.0);
    let mut moved = v;
    moved += v;
    moved -= &v;
    moved *= f;
    moved /= s;
    assert_jet(moved.x, 2.0, 0.0);
    assert!(s > f && s < 4.0 && s == 3.0 && s >= s);
}

#[test]
fn vectors() {
    let a = vec3_from::<f64, _>([1.0, 2.0, 2.0]);
    let b = vec3(0.0, 3.0, jet(4.0, 1.0));
    assert_jet(a.norm(), 3.0, 0.0);
    assert_jet(b.norm(), 5.0, 0.8);
    assert_jet(a.distance(b), 6.0_f64.sqrt(), 2.0 / 6.0_f64.sqrt());
    assert_jet(a.distance_squared(b), 6.0, 4.0);
    assert_jet(b.normalize().norm(), 1.0, 0.0);
    let c = a.cross(b);
    assert_jet(c.dot(a), 0.0, 0.0);
    assert_vector(c, [2.0, -4.0, 3.0]);
    assert_eq!(Vec2::<f64>::zero(), vec2_from([0.0, 0.0]));
    assert_jet(vec2_from::<f64, _>((1.0, 2.0)).y, 2.0, 0.0);
}

#[test]
fn sums_families_and_pairs() {
    assert_eq!(pairs(4).collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    assert_eq!(pairs(0).count() + pairs(1).count(), 0);
    assert_close(sum([1.0, 2.0, 4.0], |x| 0.5 * x), 3.5, 0.0);
    assert_eq!(sum(0..4, |i| i), 6_usize);
    assert_jet(sum(0..0, |_| jet(1.0, 1.0)), 0.0, 0.0);
    assert_jet(sum(pairs(3), |(i, j)| jet((i * j) as f64, j as f64)), 2.0, 5.0);
    let vectors: Vec3<f64> = sum(0..3, |i| vec3(f64::from(i), 1.0, jet(0.0, 2.0)));
    assert_vector(vectors, [3.0, 3.0, 0.0]);
    assert_close(vectors.z.rate(), 6.0, 0.0);
    let table = each(0..2, |i| each(0..3, |j| jet(f64::from(3 * i + j), f64::from(i))));
    assert_eq!((table.len(), table[1].len()), (2, 3));
    assert_jet(table[1][2], 5.0, 1.0);
    assert_close(der(table)[1][2].value(), 1.0, 0.0);
    assert_jet(stiff(jet(1.0, 2.0)), 1.0, 2.0);
    let mixed: Array<Scalar<f64>> = lift([1.0, 2.0]);
    assert_jet(mixed[1], 2.0, 0.0);
}

#[test]
fn compositions() {
    let bob = |x: Scalar<f64>| {
        let upper = vec2(x.sin(), -x.cos());
        let lower = upper + 0.5 * vec2((2.0 * x).sin(), -(x * x).cos());
        lower.norm() / (1.0 + x.exp()) + upper.cross(lower).atan2(lower.dot(upper))
    };
    assert_rate("composition", bob, 0.3);
    assert_rate("composition", bob, -1.2);
}
