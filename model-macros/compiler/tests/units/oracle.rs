//! The tokens that the oracle makes of a declaration.

use least_action_compiler::internals::oracle::{Roles, Shape, emit, ordinary};
use quote::ToTokens;
use syn::ItemImpl;

/// The emitted code without white space and without the path of the generic types.
fn emitted(code: &str) -> String {
    plain(emit(&parsed(code), &Roles::default(), &|_| None))
}

fn parsed(code: &str) -> ItemImpl {
    syn::parse_str(code).expect("the test is Rust")
}

fn plain(tokens: impl ToTokens) -> String {
    let text: String = tokens.to_token_stream().to_string().split_whitespace().collect();
    text.replace("::least_action::expr::", "").replace("::least_action::emitted::v1::", "")
}

#[track_caller]
fn assert_holds(code: &str, part: &str) {
    let part: String = part.split_whitespace().collect();
    assert!(code.contains(&part), "{part}\nis not in\n{code}");
}

#[test]
fn types_and_functions_become_generic() {
    let code = emitted(
        "impl Chain {
            fn lagrangian(&self, bobs: [Vec2; self.links], grid: [[Vec3; 2]; self.n], t: Time) -> Scalar {
                let first: Vec2 = vec2(0.0, t) + vec2(self.anchor);
                sum(0..self.links, |i| der(bobs[i]).norm_squared()) + first.dot(Vec2::ZERO)
            }
        }",
    );
    assert_holds(
        &code,
        "fn __lagrangian<T: Number>(&self, bobs: &[Vec2<T>], grid: &[Array<Vec3<T>>], t: Scalar<T>) -> Scalar<T>",
    );
    assert_holds(&code, "let first: Vec2<T> = vec2::<T, _, _>(0.0, t) + vec2_from::<T, _>(self.anchor);");
    assert_holds(&code, "sum(0..self.links, |i| der(bobs[i]).norm_squared()) + first.dot(<Vec2<T>>::zero())");
    assert_holds(&code, "let bobs = entries.array(self.links, Entries::vec2);");
    assert_holds(&code, "let grid = entries.array(self.n, |entries| entries.array(2, Entries::vec3));");
    assert_holds(&code, "self.__lagrangian(&bobs, &grid, Scalar::time(t))");
}

#[test]
fn branches_and_arguments_that_are_numbers_become_scalars() {
    let code = emitted(
        "impl M {
            fn lagrangian(&self, x: Scalar, p: [Scalar; self.n]) -> Scalar {
                let a = if self.on { x } else { 0.0 };
                let b = match self.n { 0 => 1.0, 1 => x, _ => if self.on { 2.0 } else { x } };
                let c = if self.on { 3.0 } else { 4.0 };
                self.spring(1.0, a, c) + b + Self::free(p, c)
            }
            fn spring(&self, a: Scalar, b: Scalar, k: f64) -> Scalar { k * (a - b) }
            fn free(p: [Scalar; 2], k: Scalar) -> Scalar { 1.0 }
        }",
    );
    assert_holds(&code, "let a = if self.on { x } else { lift::<T, _>(0.0) };");
    assert_holds(
        &code,
        "match self.n { 0 => lift::<T, _>(1.0), 1 => x, _ => if self.on { lift::<T, _>(2.0) } else { x } };",
    );
    assert_holds(&code, "let c = if self.on { 3.0 } else { 4.0 };");
    assert_holds(&code, "self.__spring(lift::<T, _>(1.0), a, c) + b + Self::__free(&p, lift::<T, _>(c))");
    assert_holds(&code, "-> Scalar<T> { lift::<T, _>(1.0) }");
}

#[test]
fn parameters_of_closures_are_typed_by_calls_and_uses_and_hints() {
    let declaration = "impl M {
            fn lagrangian(&self, p: [Vec2; self.n], x: Scalar) -> Scalar {
                let spring = |a, b, k| k * (a - b).norm_squared();
                let bond = |i, j| spring(p[i], p[j], 2.0);
                let twice = |y| y + y;
                let other = |z| self.table(z);
                bond(0, 1) + twice(x) + twice(1.0) + other(3)
            }
        }";
    let code = emitted(declaration);
    assert_holds(&code, "|a: Vec2<T>, b: Vec2<T>, k: f64| k * (a - b)");
    assert_holds(&code, "|i: usize, j: usize| spring(p[i], p[j], 2.0)");
    assert_holds(&code, "let twice = |y: Scalar<T>| y + y;");
    assert_holds(&code, "let other = |z| self.table(z);");
    assert_holds(&code, "twice(x) + twice(lift::<T, _>(1.0)) + other(3)");
    let hinted =
        plain(emit(&parsed(declaration), &Roles::default(), &|name| (name == "z").then_some(Shape::Number)));
    assert_holds(&hinted, "let other = |z: f64| self.table(z);");
}

#[test]
fn only_what_marks_a_stiff_part_carries_the_mark() {
    let code = emitted(
        "impl M {
            fn lagrangian(&self, x: Scalar) -> Scalar { self.soft(x) - self.hard(x) }
            fn soft(&self, x: Scalar) -> Scalar { x }
            fn hard(&self, x: Scalar) -> Scalar { stiff(x) }
            #[holonomic] fn on(&self, x: Scalar) -> Scalar { x }
        }",
    );
    assert_holds(&code, "self.__soft(x) - self.__hard(x, mark)");
    assert_holds(&code, "stiff(mark * (x))");
    assert_holds(&code, "Equations::append_to(self.__on(x), &mut values);");
}

#[test]
fn lengths_of_repeated_arrays_are_checked_by_rustc() {
    let code = emitted(
        "impl M {
            fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar { x[0] }
            #[holonomic] fn on(&self, x: [Scalar; self.m]) -> [Scalar; self.k] { each(0..self.k, |i| x[i]) }
        }",
    );
    assert_holds(&code, "{ let _: usize = self.m; let _: usize = self.k; lift::<T, _>(each(");
}

#[test]
fn own_names_hide_those_of_the_language() {
    let code = emitted(
        "impl M { fn lagrangian(&self, x: Scalar) -> Scalar { let sum = |a, b| a + b; sum(x, x) + other::der(x) } }",
    );
    assert_holds(&code, "sum(x, x) + other::der(x)");
}

#[test]
fn the_rest_of_the_impl_stays() {
    let item = parsed(
        "impl M {
            const G: f64 = 9.81;
            fn lagrangian(&self, x: Scalar) -> Scalar { x }
            pub fn total(&self) -> f64 { self.masses.iter().sum() }
            #[frequency] fn omega(&self) -> f64 { 1.0 }
        }",
    );
    assert_eq!(
        plain(ordinary(&item)),
        "implM{constG:f64=9.81;pubfntotal(&self)->f64{self.masses.iter().sum()}fnomega(&self)->f64{1.0}}"
    );
}

#[test]
fn nothing_fails() {
    for code in [
        "impl M {}",
        "impl M { fn lagrangian() {} }",
        "impl M { fn lagrangian(self: Box<Self>, (a, b): (Scalar, f64)) -> Scalar { a } }",
        "impl M { fn lagrangian(&self, x: [Scalar; 3]) {} #[holonomic] fn g(&self, y: Vec3) -> u8 { return 1; } }",
        "impl<T> M<T> { fn lagrangian(&self, x: Scalar) -> Scalar { let f = |x| f(x); loop { break f(x) } } }",
        "impl M { fn lagrangian(&self, x: Scalar) -> Scalar { let f = |x| f(x); let y = f(x); let f = |z| f(z) + y; f(y) } }",
        "impl M { fn lagrangian(&self, x: Mat3) -> Scalar { if x { } else if y { 1 } } fn a(&self, b: Vec2) -> Vec2 { self.a() } }",
    ] {
        emitted(code);
    }
}
