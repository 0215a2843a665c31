//! Expressions have the values here that they have by rustc: each is compiled and interpreted.

#![allow(clippy::all, clippy::pedantic, clippy::restriction, unused, reason = "code as authors may write it")]

use least_action_declared::rust::{Alone, Model, Source};
use nalgebra::{Matrix3, Vector2, Vector3};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Compiles blocks, and keeps their text.
macro_rules! blocks {
    ($($name:ident: $type:ty = $body:block)*) => {
        const TEXTS: &[(&str, &str, &str)] = &[$((stringify!($name), stringify!($type), stringify!($body))),*];

        fn compiled() -> BTreeMap<&'static str, Json> {
            $(fn $name() -> $type $body)*
            BTreeMap::from([$((stringify!($name), serde_json::to_value($name()).expect("JSON"))),*])
        }
    };
}

/// Types that both have.
macro_rules! items {
    ($($item:item)*) => {
        $($item)*
        const ITEMS: &str = concat!($(stringify!($item), "\n"),*);
    };
}

items! {
    struct Counter { count: u32, list: Vec<f64> }

    impl Counter {
        fn new() -> Self { Self { count: 0, list: Vec::new() } }
        fn next(&mut self) -> u32 { self.count += 1; self.list.push(self.count as f64); self.count }
        fn total(&self) -> f64 { self.list.iter().sum() }
    }

    #[derive(Clone, PartialEq)]
    enum Shape { Point, Circle(f64), Box { width: f64, height: f64 } }

    impl Shape {
        fn area(&self) -> f64 {
            match self {
                Self::Point => 0.0,
                Shape::Circle(radius) if *radius < 0.0 => f64::NAN,
                Shape::Circle(radius) => std::f64::consts::PI * radius.powi(2),
                Self::Box { width, height: h } => width * h,
            }
        }
    }

    const LIMIT: usize = 3;
    const TABLE: [[f64; 2]; LIMIT] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];

    fn fibonacci(n: u64) -> u64 { if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) } }

    fn halves(x: i32) -> Option<i32> { if x % 2 == 0 { Some(x / 2) } else { None } }

    fn quarters(x: i32) -> Option<i32> { let half = halves(x)?; halves(half) }

    fn checked(x: f64) -> Result<f64, String> { if x > 0.0 { Ok(x.sqrt()) } else { Err("negative".to_owned()) } }

    fn grow(list: &mut Vec<f64>, by: &f64) { list.push(*by); for x in list.iter_mut() { *x *= 2.0; } }
}

blocks! {
    arithmetic: (i32, f64, u64) = { (7 / 2 - 7 % 4 * -3, 7.5 % 2.0 - 1e-3, (1_u64 << 40) ^ 12345 & 0xff | 3) }
    negative: (i32, i32, i32) = { (-7 / 2, -7 % 4, (-7_i32).rem_euclid(4)) }
    casts: (u8, i8, usize, f64, i32, u32, i64) = { (300_i32 as u8, 200_u8 as i8, 3.99 as usize, 7_usize as f64, -1.5 as i32, -1_i32 as u32, f64::NAN as i64) }
    wide: usize = { (3_usize as u128 * 18_446_744_073_709_551_615_u128 / 7_u128) as usize }
    wrapping: (u64, u32, i8) = { (0xBF58_476D_1CE4_E5B9_u64.wrapping_mul(0x9E37_79B9_7F4A_7C15), 3_u32.wrapping_sub(5), 100_i8.wrapping_add(100)) }
    saturating: (usize, i8, u8) = { (3_usize.saturating_sub(5), (-100_i8).saturating_sub(100), 200_u8.saturating_mul(2)) }
    integers: (u32, i32, bool, usize) = { (3_u32.pow(4), (-3_i32).abs(), 9_usize.is_multiple_of(3), 7_usize.max(2).min(5)) }
    floats: Vec<f64> = { vec![2.0_f64.powi(-3), 2.0_f64.powf(0.5), 1.0_f64.atan2(-2.0), 3.0_f64.hypot(4.0), 0.5_f64.sin_cos().1, 2.5_f64.fract(), (-0.5_f64).max(0.25), 7.0_f64.clamp(1.0, 3.0), 1e-9_f64.exp_m1(), 8.0_f64.log(2.0), 0.3_f64.mul_add(2.0, 1.0), 90.0_f64.to_radians(), (-2.5_f64).round(), (-7.5_f64).rem_euclid(2.0), 5.0_f64.recip(), f64::EPSILON.sqrt(), 0.1 + 0.2, (0.7_f64).tanh().asinh()] }
    booleans: (bool, bool, bool, bool) = { (1 < 2 && 2.0 <= 2.0, !(3 == 4) || panic!("no"), true ^ true, "a" < "b" && 'x' != 'y') }
    shadowing: f64 = { let x = 1.0; let x = x + { let x = 5.0; x * 2.0 }; x }
    branches: Vec<i32> = { (0..6).map(|k| if k < 2 { k } else if k == 3 { -k } else { 10 * k }).collect() }
    matching: Vec<i32> = { [0, 1, 2, 5, 9, 12].map(|k| match k { 0 => 100, 1 | 2 => 200, 3..=5 => 300, n if n % 3 == 0 => n, _ => -1 }).to_vec() }
    at_pattern: i32 = { match 7 { k @ (1..=3 | 6..=8) => k * 2, _ => 0 } }
    slices: (i32, i32, usize) = { let list = [1, 2, 3, 4]; let [first, .., last] = list; let [_, ..] = &list[..] else { return (0, 0, 0) }; (first, last, list[1..].len()) }
    let_else: i32 = { let Some(half) = halves(8) else { return -1 }; let Some(other) = halves(7) else { return half }; other }
    options: (Option<i32>, Option<i32>, i32, i32) = { (quarters(8), quarters(6), halves(3).unwrap_or(9), halves(4).map_or(0, |x| x + 1)) }
    results: (f64, bool, Vec<f64>) = { (checked(4.0).unwrap(), checked(-1.0).is_err(), [4.0, 9.0].iter().map(|x| checked(*x)).collect::<Result<Vec<_>, _>>().unwrap_or_default()) }
    failing: bool = { let all: Result<Vec<f64>, String> = [4.0, -9.0].into_iter().map(checked).collect(); all.is_err() }
    if_let: i32 = { let mut sum = 0; for k in 0..10 { if let Some(half) = halves(k) && half > 1 { sum += half; } } sum }
    loops: (i32, usize, i32) = { let mut n = 27; let mut steps = 0; while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; steps += 1; } let found = loop { steps += 1; if steps % 10 == 0 { break steps as i32; } }; (n, steps, found) }
    labels: Vec<(i32, i32)> = { let mut all = Vec::new(); 'outer: for i in 0..5 { for j in 0..5 { if j == 3 { continue 'outer; } if i + j == 6 { break 'outer; } all.push((i, j)); } } all }
    returns: i32 = { for k in 0.. { if k * k > 50 { return k; } } 0 }
    mutable: (Vec<f64>, [i32; 3], (i32, f64)) = { let mut list = vec![1.0; 3]; list[1] += 4.0; list.extend([7.0, 8.0]); list.swap(0, 4); let mut array = [1, 2, 3]; array[2] *= array[0] + 6; let mut pair = (1, 2.0); pair.0 -= 3; pair.1 /= 4.0; (list, array, pair) }
    nested: Vec<Vec<i32>> = { let mut grid = vec![vec![0; 3]; 2]; grid[1][2] = 5; let other = grid.clone(); grid[0][0] = 1; grid[1] = other[0].clone(); grid.push(vec![9]); grid }
    references: (Vec<f64>, f64) = { let mut list = vec![1.0]; let by = 3.0; grow(&mut list, &by); grow(&mut list, &1.0); let last = list.last_mut().unwrap(); *last += 0.5; let mut x = 1.0; { let y = &mut x; *y += 2.0; } (list, x) }
    by_reference: Vec<i32> = { let mut pairs = vec![(1, 2), (3, 4)]; for (a, b) in pairs.iter_mut() { *a += *b; } for pair in &mut pairs { pair.1 = -pair.1; } pairs.iter().flat_map(|(a, b)| [*a, *b]).collect() }
    counters: (u32, f64, Vec<u32>) = { let mut counter = Counter::new(); counter.next(); let all = (0..3).map(|_| counter.next()).collect(); (counter.count, counter.total(), all) }
    counter_by_reference: f64 = { fn_twice(&mut Counter::new()) }
    closures: (f64, Vec<i32>, i32) = { let scale = 2.0; let times = |x: f64| x * scale; let mut sum = 0; let mut add = |x: i32| { sum += x; sum }; let steps = (1..4).map(&mut add).collect(); (times(times(1.5)), steps, sum) }
    moving: (i32, i32) = { let mut k = 1; let mut own = move || { k += 10; k }; let first = own() + own(); k += 1; (first, k) }
    higher: Vec<f64> = { let twice = |f: &dyn Fn(f64) -> f64, x: f64| f(f(x)); vec![twice(&|x| x + 1.0, 0.0), twice(&f64::sqrt, 16.0)] }
    functions: Vec<f64> = { [1.0, 4.0].map(f64::sqrt).into_iter().chain([1, 2].map(f64::from)).collect() }
    recursion: u64 = { fibonacci(12) }
    constants: f64 = { TABLE.iter().map(|[a, b]| a * b).sum::<f64>() + TABLE[LIMIT - 1][1] }
    enums: Vec<f64> = { [Shape::Point, Shape::Circle(2.0), Shape::Box { width: 2.0, height: 1.5 }].iter().map(Shape::area).collect() }
    equal: (bool, bool, bool) = { (Shape::Circle(1.0) == Shape::Circle(1.0), Shape::Point == Shape::Circle(0.0), Shape::Circle(3.0) != Shape::Point) }
    adapters: Vec<usize> = { (0..20).filter(|k| k % 3 == 0).map(|k| k + 1).skip(1).step_by(2).take(2).chain(once(7)).collect() }
    zipped: Vec<(usize, (f64, char))> = { [1.5, 2.5].into_iter().zip(['a', 'b']).enumerate().collect() }
    whiles: Vec<i32> = { let list = [1, 3, 5, 4, 7]; list.iter().copied().take_while(|k| k % 2 == 1).collect() }
    lazily: Vec<i32> = { let mut seen = Vec::new(); let found = (1..).map(|k| { seen.push(k); k * k }).find(|k| *k > 10); seen.push(found.unwrap()); seen }
    folds: (i32, i32, i32) = { ((1..5).fold(1, |a, b| a * b), (1..=4).product(), (1..1).sum()) }
    empty_sum: (f64, f64) = { let none: Vec<f64> = Vec::new(); (none.iter().sum::<f64>(), 1.0 / none.iter().product::<f64>()) }
    searches: (Option<usize>, bool, bool, usize, Option<i32>, Option<i32>) = { let list = [4, 8, 2, 8]; (list.iter().position(|k| *k == 2), list.iter().any(|k| *k > 7), list.iter().all(|k| *k > 2), list.iter().filter(|k| **k == 8).count(), list.iter().copied().max(), list.first().copied()) }
    extremes: (usize, usize, f64) = { let list = [2.5_f64, -1.0, 7.0, 7.0]; let at = |best: Option<(usize, &f64)>| best.unwrap().0; (at(list.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))), at(list.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))), list.iter().fold(f64::MAX, |a, b| a.min(*b))) }
    windows: (Vec<i32>, Vec<usize>) = { let list = [1, 4, 9, 16, 25]; (list.windows(2).map(|pair| pair[1] - pair[0]).collect(), list.chunks(2).map(|part| part.len()).collect()) }
    sorting: (Vec<i32>, Vec<f64>, Vec<(i32, char)>) = { let mut a = vec![3, 1, 2]; a.sort(); let mut b: Vec<f64> = vec![2.5, -1.0, 0.0]; b.sort_by(|x, y| y.total_cmp(x)); let mut c = vec![(1, 'b'), (0, 'z'), (1, 'a')]; c.sort_by_key(|(k, _)| *k); (a, b, c) }
    changes: Vec<i32> = { let mut list: Vec<i32> = (0..8).collect(); list.retain(|k| k % 3 != 0); list.insert(1, 40); list.remove(0); list.reverse(); let last = list.pop(); list.push(last.unwrap() + 1); list.extend([7, 8]); list }
    unzipped: (Vec<f64>, Vec<i32>) = { (0..3).map(|k| (0.5 * k as f64, k)).unzip() }
    flat: Vec<i32> = { vec![vec![1], vec![], vec![2, 3]].into_iter().flatten().chain([Some(4), None].into_iter().flatten()).collect() }
    stepping: (Option<i32>, Option<i32>, Vec<i32>) = { let mut rest = [1, 2, 3, 4].into_iter(); let first = rest.next(); let second = rest.nth(1); (first, second, rest.collect()) }
    by_ref: (Vec<i32>, i32) = { let mut rest = 1..10; let head: Vec<i32> = rest.by_ref().take(3).collect(); (head, rest.sum()) }
    ranges: (bool, bool, usize, Vec<i32>) = { ((0.0..1.0).contains(&0.5), (1..=3).contains(&4), (2..7).len(), (0..4).rev().collect()) }
    vectors: (f64, f64, Vector3<f64>, Vector2<f64>) = { let a = Vector3::new(1.0, 2.0, 3.0); let b = Vector3::y(); (a.dot(&b), a.norm(), 2.0 * a.cross(&b) - b / 3.0, Vector2::from([1.0, -2.0]).normalize()) }
    components: (f64, f64, Vector3<f64>) = { let mut a = Vector3::repeat(1.5); a.y = 4.0; a[2] += 1.0; a.x *= 2.0; (a.x + a.y, a[1], -a) }
    matrices: (f64, Matrix3<f64>, Vector3<f64>) = { let m = Matrix3::new(2.0, 1.0, 0.5, -1.0, 3.0, 0.25, 0.0, 1.0, 4.0); let inverse = m.try_inverse().unwrap(); (m.determinant(), inverse * m.transpose(), inverse * Vector3::new(1.0, 2.0, 3.0) + m.column(1)) }
    building: (Matrix3<f64>, Matrix3<f64>, f64) = { let rows = Matrix3::from_columns(&[Vector3::x(), Vector3::new(1.0, 2.0, 3.0), Vector3::z()]); (rows, Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0)) - Matrix3::identity() * 0.5, rows[(1, 1)] + rows.norm_squared()) }
    sums_of_vectors: Vector3<f64> = { let all = [Vector3::x(), Vector3::y()]; all.iter().sum::<Vector3<f64>>() + all.iter().map(|v| v * 2.0).sum::<Vector3<f64>>() }
    from_fn: Vector3<f64> = { let mut k = 0.0; Vector3::from_fn(|i, _| { k += 1.0; k * i as f64 }) }
    literals: (u8, f64, i64, char, f64) = { (b'a', 1e3, -0x10, '\u{e9}', 1_000.5e-1) }
    late: i32 = { let x; if LIMIT > 2 { x = 3; } else { x = 4; } x }
    blocks_in_conditions: i32 = { let k = if { let y = 3; y > 2 } { 1 } else { 2 }; k + { 4 } }
    tuples: (i32, (f64, bool)) = { let t = (1, (2.0, true)); let (a, (b, _)) = t; (a + t.0, (b, t.1.1)) }
    defaults: (f64, Vec<i32>, bool) = { (f64::default(), Vec::default(), bool::default()) }
}

fn fn_twice(counter: &mut Counter) -> f64 {
    counter.next();
    counter.next();
    counter.total()
}

use std::iter::once;

#[test]
fn blocks_have_the_values_that_rustc_gives_them() {
    let expected = compiled();
    let mut text = String::from("use nalgebra::{Matrix3, Vector2, Vector3};\nuse std::iter::once;\n");
    text += ITEMS;
    text += "fn fn_twice(counter: &mut Counter) -> f64 { counter.next(); counter.next(); counter.total() }";
    text += "struct M {}\nimpl Default for M { fn default() -> Self { Self {} } }\n#[lagrangian] impl M { fn lagrangian(&self) -> f64 { 0.0 } }\nimpl M {\n";
    for (name, r#type, body) in TEXTS {
        text += &format!("fn {name}(&self) -> {type} {body}\n");
    }
    text += "}";
    let source = Source::parse("blocks.rs", &text).unwrap_or_else(|error| panic!("{error}"));
    let model = Model::new(&source, &Alone).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let own = model.default().expect("a default");
    let mut differences = Vec::new();
    for (name, ..) in TEXTS {
        match model.call(name, &own) {
            Ok(Some(value)) if model.write(&value) == expected[name] => {}
            Ok(value) => differences.push(format!(
                "{name}: {} for {}",
                value.map_or(Json::Null, |value| model.write(&value)),
                expected[name]
            )),
            Err(error) => differences.push(format!("{name}: {error}")),
        }
    }
    assert!(differences.is_empty(), "{} of {}:\n{}", differences.len(), TEXTS.len(), differences.join("\n"));
}
