//! Declarations in LaTeX.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action_compiler::{Errors, Formulas, formulas, lower, parse};
use proc_macro2::TokenStream;

fn written(body: &str) -> Formulas {
    let mut errors = Errors::default();
    let item = syn::parse_str(&format!("impl Model {{ {body} }}")).expect("an impl");
    let declaration = parse(TokenStream::new(), item, &mut errors).expect("a declaration");
    let lowered = lower(&declaration, &mut errors);
    assert!(errors.is_empty(), "{body}: {:?}", errors.drain());
    let formulas = formulas(&declaration, &lowered);
    check(&formulas);
    formulas
}

/// Braces, `\left` and `\begin` have partners, and every line is aligned once.
fn check(formulas: &Formulas) {
    let Formulas { lagrangian, definitions, constraints, equations, abbreviations } = formulas;
    let all = [definitions, constraints, equations, abbreviations].into_iter().flatten();
    for line in all.chain([lagrangian]) {
        let mut depth = 0;
        for (at, letter) in line.char_indices() {
            if at > 0 && line[..at].ends_with('\\') {
                continue;
            }
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            assert!(depth >= 0, "{line}");
        }
        assert_eq!(depth, 0, "{line}");
        let count = |what: &str| line.matches(what).count();
        assert_eq!(count(r"\left"), count(r"\right"), "{line}");
        assert_eq!(count(r"\begin{"), count(r"\end{"), "{line}");
        assert_eq!(count("&="), 1, "{line}");
        assert!(!line.contains('?'), "{line}");
    }
}

#[test]
fn a_chain() {
    let chain = written(
        "fn lagrangian(&self, p: [Vec2; self.links]) -> Scalar {
            let kinetic = sum(0..self.links, |i| 0.5 * self.m * der(p[i]).norm_squared());
            let potential = sum(0..self.links, |i| self.m * self.g * p[i].y);
            kinetic - potential
        }
        #[holonomic]
        fn rods(&self, p: [Vec2; self.links]) -> [Scalar; self.links - 1] {
            each(0..self.links - 1, |i| (p[i + 1] - p[i]).norm_squared() - self.rod.powi(2))
        }",
    );
    assert_eq!(
        chain.lagrangian,
        r"L &= \sum_{i=0}^{\mathrm{links} - 1} \frac{1}{2} \, m \, \left|\dot{\mathbf{p}}_{i}\right|^{2} - \sum_{i=0}^{\mathrm{links} - 1} m \, g \, \mathbf{p}_{i, y}"
            .replace(r"\mathbf{p}", r"\boldsymbol{p}")
    );
    assert_eq!(
        chain.constraints,
        [
            r"0 &= \left|\boldsymbol{p}_{i + 1} - \boldsymbol{p}_{i}\right|^{2} - \mathrm{rod}^{2} \quad \left(i = 0, \dots, \mathrm{links} - 2\right)"
        ]
    );
    assert_eq!(
        chain.equations[1],
        r"m \, \ddot{p}_{k, y} + m \, g &= 2 \, \lambda^{\mathrm{rods}}_{k - 1} \, \left(p_{k, y} - p_{k - 1, y}\right) - 2 \, \lambda^{\mathrm{rods}}_{k} \, \left(p_{k + 1, y} - p_{k, y}\right)"
    );
}

#[test]
fn kepler() {
    let kepler = written(
        "fn lagrangian(&self, r: Scalar, phi: Angle) -> Scalar {
            0.5 * self.m * (der(r).powi(2) + (r * der(phi)).powi(2)) + self.k / r
        }",
    );
    assert_eq!(
        kepler.lagrangian,
        r"L &= \frac{1}{2} \, m \, \left(\dot{r}^{2} + \left(r \, \dot{\phi}\right)^{2}\right) + \frac{k}{r}"
    );
    assert_eq!(
        kepler.equations,
        [
            r"\frac{k}{r^{2}} + m \, \ddot{r} - m \, r \, \dot{\phi}^{2} &= 0",
            r"2 \, m \, r \, \dot{r} \, \dot{\phi} + m \, r^{2} \, \ddot{\phi} &= 0"
        ]
    );
}

/// Each row on velocities acts by its multiplier along A, a dissipation by its force, both on the right.
#[test]
fn a_skate_in_oil() {
    let skate = written(
        "fn lagrangian(&self, p: Vec2, phi: Angle) -> Scalar {
            0.5 * self.m * der(p).norm_squared() + 0.5 * self.j * der(phi).powi(2)
        }
        #[nonholonomic]
        fn skate(&self, p: Vec2, phi: Angle) -> Scalar { der(p.x) * phi.sin() - der(p.y) * phi.cos() }
        #[dissipation]
        fn oil(&self, p: Vec2, phi: Angle) -> Scalar { 0.5 * self.c * (der(p.x).powi(2) + der(phi).powi(2)) }",
    );
    assert_eq!(
        skate.constraints,
        [
            r"0 &= \dot{\boldsymbol{p}}_{x} \, \sin\left(\phi\right) - \dot{\boldsymbol{p}}_{y} \, \cos\left(\phi\right)"
        ]
    );
    assert_eq!(
        skate.definitions,
        [
            r"D^{\mathrm{oil}} &= \frac{1}{2} \, c \, \left(\dot{\boldsymbol{p}}_{x}^{2} + \dot{\phi}^{2}\right)"
        ]
    );
    assert_eq!(
        skate.equations,
        [
            r"m \, \ddot{p}_{x} &= -c \, \dot{p}_{x} + \mu^{\mathrm{skate}} \, \sin\left(\phi\right)",
            r"m \, \ddot{p}_{y} &= -\mu^{\mathrm{skate}} \, \cos\left(\phi\right)",
            r"j \, \ddot{\phi} &= -c \, \dot{\phi}",
        ]
    );
}

#[test]
fn tables_are_functions_of_time() {
    let driven = written(
        "fn lagrangian(&self, x: Scalar, t: Time) -> Scalar {
            0.5 * der(x * table(t, &self.u)).powi(2) - table(t, &self.w) * x.powi(2)
        }",
    );
    assert!(driven.lagrangian.contains(r"w\left(t\right) \, x^{2}"), "{}", driven.lagrangian);
    assert_eq!(
        driven.equations,
        [
            r"2 \, x \, w\left(t\right) + u\left(t\right) \, \left(2 \, \dot{u} \, \dot{x} + u\left(t\right) \, \ddot{x}\right) &= 0"
        ]
    );
}

#[test]
fn many_notations_are_balanced() {
    let all = written(
        "fn lagrangian(&self, p: [Vec3; self.n], theta: Angle, t: Time) -> Scalar {
            let upper = self.rod * vec2(theta.sin(), -theta.cos());
            let spring = |a, b| self.table[0][1] * (a - b).norm().exp();
            let bonds = sum(self.bonds.iter(), |&(i, j)| spring(p[i], p[j]));
            let ring = sum(0..self.n, |i| p[(i + 1) % self.n].dot(p[i]) * self.weights.get_a(i));
            let pairs = sum(pairs(self.n), |(i, j)| (p[i] - p[j]).norm().powi(-6) - (p[i].x - p[j].x).cosh().ln());
            let chosen = sum(0..self.n, |i| if i == 0 { p[i].x } else { p[i - 1].y * p[0].z });
            0.5 * sum(0..self.n, |i| der(p[i]).norm_squared()) + der(upper).norm_squared() + der(theta).powi(2)
                - bonds - ring - pairs - stiff(chosen) - theta * (self.omega_0 * t).sin() - self.f(theta)
        }
        fn f(&self, x: Scalar) -> Scalar { 1.0e-30 * x.tanh() + x.atan2(2.0) + x.powf(self.power) + x.cbrt().asin() }",
    );
    assert!(all.lagrangian.contains(r"\sum_{(i, j) \in \mathrm{bonds}}"), "{}", all.lagrangian);
    assert!(all.lagrangian.contains(r"\sum_{0 \le i < j < n}"), "{}", all.lagrangian);
    assert!(all.equations[0].contains(r"\sum_{j > k}"), "{}", all.equations[0]);
}

#[test]
fn branches_and_matrices_of_numbers_are_written_as_such() {
    let contact = written(
        "fn lagrangian(&self, x: Scalar, y: Vec3) -> Scalar {
            let gap = x - self.wall;
            let contact = if gap < 0.0 { gap.powi(2) } else { 0.0 };
            0.5 * der(x).powi(2) + 0.5 * der(y).norm_squared() - contact - (mat3(self.shape) * y).x
        }",
    );
    let all = [contact.lagrangian, contact.equations.concat()].concat();
    assert!(contact.equations.iter().any(|line| line.contains(r"\begin{cases}")), "{all}");
    assert!(all.contains(r"\mathrm{shape}_{0, 1}"), "{all}");
    assert!(!all.contains("Entries") && !all.contains("texttt"), "{all}");
}

#[test]
fn what_a_long_equation_repeats_has_a_name() {
    let solid = written(
        "fn lagrangian(&self, nodes: [Vec3; self.n]) -> Scalar {
            let energy = sum(self.elements.iter(), |element| {
                let a = nodes[element.nodes[1]] - nodes[element.nodes[0]];
                let b = nodes[element.nodes[2]] - nodes[element.nodes[0]];
                let c = nodes[element.nodes[3]] - nodes[element.nodes[0]];
                let x = element.shape[0][0] * a + element.shape[1][0] * b + element.shape[2][0] * c;
                let y = element.shape[0][1] * a + element.shape[1][1] * b + element.shape[2][1] * c;
                let z = element.shape[0][2] * a + element.shape[1][2] * b + element.shape[2][2] * c;
                x.dot(y.cross(z)).ln().powi(2) - x.dot(y.cross(z)).ln()
            });
            sum(0..self.n, |i| 0.5 * der(nodes[i]).norm_squared()) - energy
        }",
    );
    let Formulas { equations, abbreviations, .. } = &solid;
    let length: usize = equations.iter().chain(abbreviations).map(String::len).sum();
    assert!(length < 15_000, "{length} bytes in {equations:#?}, {abbreviations:#?}");
    for (place, line) in abbreviations.iter().enumerate() {
        let name = format!("s_{{{}}}", place + 1);
        let value =
            line.strip_prefix(&format!("{name} &= ")).unwrap_or_else(|| panic!("{line} is no {name}"));
        let later = (place..abbreviations.len()).find(|k| value.contains(&format!("s_{{{}}}", k + 1)));
        assert_eq!(later, None, "{line} needs what comes later");
        let users = equations.iter().chain(&abbreviations[place + 1..]);
        let uses: usize = users.map(|user| user.matches(&name).count()).sum();
        assert!(uses > 1, "{name} is used {uses} times");
    }
}

#[test]
fn error_functions_have_their_names() {
    let ions = written(
        "fn lagrangian(&self, r: Scalar) -> Scalar { 0.5 * der(r).powi(2) - self.a * r.erf() - (2.0 * r).erfc() }",
    );
    assert!(ions.lagrangian.contains(r"\operatorname{erf}\left(r\right)"), "{}", ions.lagrangian);
    assert!(ions.lagrangian.contains(r"\operatorname{erfc}\left(2 \, r\right)"), "{}", ions.lagrangian);
    assert!(ions.equations.iter().any(|line| line.contains("e^{-r^{2}}")), "{:?}", ions.equations);
}

#[test]
fn a_free_index_is_not_captured() {
    // The loop has a variable of the name that the free index would have, and so has a parameter.
    let mesh = written(
        "fn lagrangian(&self, p: [Vec2; self.n]) -> Scalar {
            let faces = sum(self.faces.iter(), |&[i, j, k]| (p[j] - p[i]).cross(p[k] - p[i]));
            sum(0..self.n, |i| 0.5 * self.m * der(p[i]).norm_squared()) - self.tension * faces
        }",
    );
    let line = &mesh.equations[0];
    // Where `j` is the free index, the `k` of the loop is another one.
    assert!(line.contains(r"\sum_{(i, k, k') \in \mathrm{faces}}"), "{line}");
    assert!(line.contains(r"p_{i, y} - p_{k', y}"), "{line}");
    let springs = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2) - 0.5 * self.k * x[i].powi(2))
        }",
    );
    assert_eq!(springs.equations, [r"k \, x_{l} + \ddot{x}_{l} &= 0"]);
}

#[test]
fn an_index_that_is_handed_on_is_put_in() {
    let chain = written(
        "fn lagrangian(&self, nodes: [Scalar; self.n]) -> Scalar {
            let node = |i| if i == 0 { 0.0 } else { nodes[i - 1] };
            let bend = sum(1..self.n, |i| (node(i - 1) - 2.0 * node(i) + node(i + 1)).powi(2));
            sum(0..self.n, |i| 0.5 * der(nodes[i]).powi(2)) - bend
        }",
    );
    let line = &chain.equations[0];
    for entry in ["k - 2", "k - 1", "k", "k + 1", "k + 2"] {
        assert!(line.contains(&format!(r"\mathrm{{nodes}}_{{{entry}}}")), "{entry}: {line}");
    }
}

#[test]
fn a_symbol_means_one_thing() {
    let shadowed = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let k = 2.0 * self.k;
            let pairs = sum(0..self.n, |i| {
                let here = x[i];
                sum(0..self.n, |i| (here - x[i]).powi(2))
            });
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2)) - k * pairs - k * x[0]
        }",
    );
    let Formulas { lagrangian, definitions, .. } = &shadowed;
    assert!(definitions.contains(&r"k' &= 2 \, k".to_owned()), "{definitions:?}");
    assert!(lagrangian.contains(r"\left(x_{i} - x_{i'}\right)^{2}"), "{lagrangian}");
}

#[test]
fn forces_stand_in_the_equations() {
    let cart = written(
        "fn lagrangian(&self, x: Scalar, p: Vec2) -> Scalar {
            0.5 * (der(x).powi(2) + der(p).norm_squared())
        }
        #[force(x)]
        fn motor(&self, x: Scalar, torque: Input, t: Time) -> Scalar { torque * t.cos() - self.c * der(x) }
        #[force(p)]
        fn wind(&self, p: Vec2) -> Vec2 { vec2(self.w, -p.x) }
        #[dissipation]
        fn drag(&self, p: Vec2) -> Scalar { 0.5 * self.b * der(p.y).powi(2) }
        #[nonholonomic]
        fn rolls(&self, x: Scalar, p: Vec2) -> Scalar { der(x) - p.y * der(p.x) }",
    );
    assert_eq!(
        cart.equations,
        [
            r"\ddot{x} &= \mu^{\mathrm{rolls}} + \mathrm{torque} \, \cos\left(t\right) - c \, \dot{x}",
            r"\ddot{p}_{x} &= -\mu^{\mathrm{rolls}} \, p_{y} + w",
            r"\ddot{p}_{y} &= -b \, \dot{p}_{y} - p_{x}",
        ]
    );
    let chain = written(
        "fn lagrangian(&self, p: [Scalar; self.n]) -> Scalar { sum(p, |p| 0.5 * der(p).powi(2)) }
        #[force]
        fn push(&self, p: [Scalar; self.n]) -> [Scalar; self.n] {
            each(0..self.n, |i| -self.c * der(p[i]) + sum(0..self.n, |j| self.pull * p[j]))
        }",
    );
    let line = &chain.equations[0];
    assert!(line.contains(r"\dot{p}_{k}") && line.contains(r"\sum_{j") && line.contains(r"p_{j}"), "{line}");
    let shifted = written(
        "fn lagrangian(&self, p: [Scalar; self.n]) -> Scalar { sum(p, |p| 0.5 * der(p).powi(2)) }
        #[force]
        fn push(&self) -> [Scalar; self.n] { each(self.loads.iter(), |load| 2.0 * load) }",
    );
    assert!(shifted.equations[0].contains(r"F^{\mathrm{push}}_{k}"), "{:?}", shifted.equations);
}
