//! Declarations in LaTeX.

use least_action_compiler::internals::latex::symbol;
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
            r"0 &= \left|\boldsymbol{p}_{i + 1} - \boldsymbol{p}_{i}\right|^{2} - \ell^{2} \quad \left(i = 0, \dots, \mathrm{links} - 2\right)"
        ]
    );
    assert_eq!(
        chain.equations[1],
        r"m \, \ddot{p}_{k, y} &= -m \, g + \sum_{i=0}^{\mathrm{links} - 2} 2 \, \lambda^{\mathrm{rods}}_{i} \, \left(\delta_{k, i + 1} - \delta_{k, i}\right) \, \left(p_{i + 1, y} - p_{i, y}\right)"
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
            r"m \, \ddot{r} &= m \, r \, \dot{\phi}^{2} - \frac{k}{r^{2}}",
            r"m \, r^{2} \, \ddot{\phi} &= -2 \, m \, r \, \dot{r} \, \dot{\phi}"
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
            r"u\left(t\right)^{2} \, \ddot{x} &= -2 \, \left(x \, w\left(t\right) + u\left(t\right) \, \dot{u} \, \dot{x}\right)"
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
    let line = &all.equations[0];
    // The δ of the read of `p[i]` takes the sum over the whole ring; the read of the next point keeps
    // it.
    for part in [
        r"\left(\delta_{k, j} - \delta_{k, i}\right) \, \frac{\mathrm{table}_{0, 1} \, \left(p_{i, x} - p_{j, x}\right)",
        r"\operatorname{get\_a}\left(\mathrm{weights}, k\right) \, p_{\left(k + 1\right) \bmod n, x}",
        r"\sum_{i=0}^{n - 1} \delta_{k, \left(i + 1\right) \bmod n} \, \operatorname{get\_a}\left(\mathrm{weights}, i\right) \, p_{i, x}",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
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

/// The function that ends a force and its derivatives are set aside, each as one choice of three lines.
#[test]
fn long_choices_have_names() {
    let liquid = written(
        "fn lagrangian(&self, atoms: [Vec3; self.n]) -> Scalar {
            let pairs = sum(within(self.cutoff, atoms), |(_, _, d)| switched(d.norm(), self.on, self.cutoff) / d.norm_squared());
            0.5 * sum(0..self.n, |i| der(atoms[i]).norm_squared()) - pairs
        }",
    );
    let Formulas { equations, abbreviations, .. } = &liquid;
    assert!(equations.iter().all(|line| !line.contains(r"\begin{cases}")), "{equations:#?}");
    let choices: Vec<&String> = abbreviations.iter().filter(|line| line.contains(r"\begin{cases}")).collect();
    // The function itself, and its derivative in each direction.
    assert_eq!(choices.len(), 4, "{choices:#?}");
    for choice in choices {
        assert_eq!(choice.matches(r"\begin{cases}").count(), 1, "{choice}");
        assert_eq!(choice.matches(r"\\").count(), 2, "{choice}");
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
    // Where `k` is the free index, the `k` of the loop is another one.
    assert!(line.contains(r"\sum_{(i, j, k') \in \mathrm{faces}}"), "{line}");
    assert!(
        line.contains(r"\delta_{k, k'} \, \mathrm{tension} \, \left(p_{j, y} - p_{i, y}\right)"),
        "{line}"
    );
    let springs = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2) - 0.5 * self.k * x[i].powi(2))
        }",
    );
    assert_eq!(springs.equations, [r"\ddot{x}_{l} &= -k \, x_{l}"]);
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
    for entry in ["i - 2", "i - 1", "i"] {
        assert!(line.contains(&format!(r"\mathrm{{nodes}}_{{{entry}}}")), "{entry}: {line}");
        assert!(line.contains(&format!(r"\delta_{{k, {entry}}}")), "{entry}: {line}");
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
    let twins = written("fn lagrangian(&self, x: Scalar) -> Scalar { self.m * self.mass * der(x).powi(2) }");
    assert_eq!(twins.lagrangian, r"L &= m \, \mathrm{mass} \, \dot{x}^{2}");
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

/// The sums are coordinates of their own, C = Σ w x and S = Σ (x − C)², and Λ are their multipliers:
/// with L = T − c √S and g = ln S − s
///   Λ_S = ∂(L + λ g)/∂S = −c/(2 √S) + λ/S,
///   Λ_C = Λ_S ∂S/∂C = −Σ 2 Λ_S (x_i − C),
///   m ẍ_k = Λ_C ∂C/∂x_k + Λ_S ∂S/∂x_k = Λ_C w_k + 2 Λ_S (x_k − C).
#[test]
fn sums_have_forces_of_their_own() {
    let held = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let centre = sum(0..self.n, |i| self.w[i] * x[i]);
            let spread = sum(0..self.n, |i| (x[i] - centre).powi(2));
            sum(0..self.n, |i| 0.5 * self.m * der(x[i]).powi(2)) - self.c * spread.sqrt()
        }
        #[holonomic]
        fn size(&self, x: [Scalar; self.n]) -> Scalar {
            let spread = sum(0..self.n, |i| (x[i] - sum(0..self.n, |i| self.w[i] * x[i])).powi(2));
            spread.ln() - self.s
        }",
    );
    assert_eq!(
        held.equations,
        [
            r"m \, \ddot{x}_{k} &= \Lambda^{\mathrm{centre}} \, w_{k} + 2 \, \Lambda^{\mathrm{spread}} \, \left(x_{k} - \Sigma^{\mathrm{centre}}\right)"
        ]
    );
    assert_eq!(
        held.abbreviations,
        [
            r"\Sigma^{\mathrm{centre}} &= \sum_{i=0}^{n - 1} w_{i} \, x_{i}",
            r"\Sigma^{\mathrm{spread}} &= \sum_{i=0}^{n - 1} \left(x_{i} - \Sigma^{\mathrm{centre}}\right)^{2}",
            r"\Lambda^{\mathrm{centre}} &= -\sum_{i=0}^{n - 1} 2 \, \Lambda^{\mathrm{spread}} \, \left(x_{i} - \Sigma^{\mathrm{centre}}\right)",
            r"\Lambda^{\mathrm{spread}} &= -\frac{1}{2} \, \frac{c}{\sqrt{\Sigma^{\mathrm{spread}}}} + \lambda^{\mathrm{size}} \, \frac{1}{\Sigma^{\mathrm{spread}}}",
        ]
    );
}

/// With ρ_i = Σ_{j near i} |x_i − x_j|² and L = T + Σ √ρ_i, Λ_i = 1/(2 √ρ_i). The point k is in its own
/// sum, as x_i, and in the sums of its neighbours, as x_j: ∂ρ_i/∂x_k = Σ_j 2 (δ_{k, i} − δ_{k, j}) (x_i
/// − x_j).
#[test]
fn a_point_acts_on_its_own_sum_and_on_those_of_its_neighbours() {
    let drop = written(
        "fn lagrangian(&self, x: [Vec2; self.n]) -> Scalar {
            let near = within(self.r, x);
            let density = each(0..self.n, |i| sum(near.of(i), |(_, d)| d.norm_squared()));
            sum(0..self.n, |i| 0.5 * self.m * der(x[i]).norm_squared() + density[i].sqrt())
        }",
    );
    assert_eq!(
        drop.equations[1],
        r"m \, \ddot{x}_{k, y} &= \sum_{i=0}^{n - 1} \sum_{j \ne i,\, \text{within } r} 2 \, \Lambda^{\mathrm{density}}_{i} \, \left(\delta_{k, i} - \delta_{k, j}\right) \, \left(x_{i, y} - x_{j, y}\right)"
    );
    assert_eq!(
        drop.abbreviations,
        [
            r"\Sigma^{\mathrm{density}}_{i} &= \sum_{j \ne i,\, \text{within } r} \left(\left(x_{i, x} - x_{j, x}\right)^{2} + \left(x_{i, y} - x_{j, y}\right)^{2}\right) \quad \left(i = 0, \dots, n - 1\right)",
            r"\Lambda^{\mathrm{density}}_{i} &= \frac{1}{2} \, \frac{1}{\sqrt{\Sigma^{\mathrm{density}}_{i}}}",
        ]
    );
}

/// The heights h_i = Σ_{j ≤ i} ℓ sin φ_j of a chain are coordinates of L = Σ ½ m ḣ_i² − m g h_i, whose
/// equations say Λ_i = ∂L/∂h_i − d/dt ∂L/∂ḣ_i = −m g − m ḧ_i. The equations of φ are 0 = Σ_i Λ_i
/// ∂h_i/∂φ_k, where φ_k is in h_i for i ≥ k.
#[test]
fn partial_sums_are_moved_by_all_their_items() {
    let chain = written(
        "fn lagrangian(&self, phi: [Angle; self.n]) -> Scalar {
            let height = each(0..self.n, |i| sum(0..=i, |j| self.rod * phi[j].sin()));
            sum(0..self.n, |i| 0.5 * self.m * der(height[i]).powi(2) - self.m * self.g * height[i])
        }",
    );
    assert_eq!(
        chain.equations,
        [r"0 &= \sum_{l \ge k} \Lambda^{\mathrm{height}}_{\le l} \, \ell \, \cos\left(\phi_{k}\right)"]
    );
    assert_eq!(
        chain.abbreviations,
        [
            r"\Sigma^{\mathrm{height}}_{\le k} &= \sum_{j=0}^{k} \ell \, \sin\left(\phi_{j}\right)",
            r"\Lambda^{\mathrm{height}}_{\le k} &= -m \, \ddot{\Sigma}^{\mathrm{height}}_{\le k} - m \, g",
        ]
    );
    // Sums from above, and sums without their last number: Σ_{k > i} is Σ_{k ≥ l} for l = i + 1.
    let ends = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let above = each(0..self.n, |i| sum(i + 1..self.n, |j| x[j]));
            let below = each(1..self.n, |i| sum(0..i, |j| x[j].sin()));
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2) - above[i].powi(4)) - sum(1..self.n, |i| below[i - 1].exp())
        }",
    );
    assert_eq!(
        ends.equations,
        [
            r"\ddot{x}_{k} &= \sum_{l \le k} \Lambda^{\mathrm{above}}_{\ge l} + \sum_{l \ge k} \Lambda^{\mathrm{below}}_{\le l} \, \cos\left(x_{k}\right)"
        ]
    );
    assert_eq!(
        ends.abbreviations,
        [
            r"\Sigma^{\mathrm{above}}_{\ge k} &= \sum_{j=k}^{n - 1} x_{j}",
            r"\Sigma^{\mathrm{below}}_{\le k} &= \sum_{j=0}^{k} \sin\left(x_{j}\right)",
            r"\Lambda^{\mathrm{above}}_{\ge k} &= -\sum_{i=0}^{n - 1} 4 \, \delta_{k, i + 1} \, \left(\Sigma^{\mathrm{above}}_{\ge i + 1}\right)^{3}",
            r"\Lambda^{\mathrm{below}}_{\le k} &= -\sum_{i=1}^{n - 1} \delta_{k, i - 1} \, e^{\Sigma^{\mathrm{below}}_{\le i - 1}}",
        ]
    );
}

/// F = Σ w x ẋ in L + c F⁴ has Λ = 4 c F³, and adds Λ ∂F/∂x_k − d/dt (Λ ∂F/∂ẋ_k) = Λ w_k ẋ_k − Λ̇ w_k
/// x_k − Λ w_k ẋ_k = −Λ̇ w_k x_k. The dissipation is ½ b (d√S/dt)² = b Ṡ²/(8 S) with S = Σ x², and
/// ∂Ṡ/∂ẋ_k = ∂S/∂x_k = 2 x_k: the force on S is −∂D/∂Ṡ = −b Ṡ/(4 S). In G = Σ x ẋ² velocities alone are
/// varied: with Ξ = −∂D/∂G = −½ b exp G the force is Ξ ∂G/∂ẋ_k = 2 Ξ x_k ẋ_k.
#[test]
fn sums_of_velocities_have_momenta() {
    let flow = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let flow = sum(0..self.n, |i| self.w[i] * x[i] * der(x[i]));
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2)) + self.c * flow.powi(4)
        }
        #[dissipation]
        fn oil(&self, x: [Scalar; self.n]) -> Scalar {
            let size = sum(0..self.n, |i| x[i].powi(2));
            let flow = sum(0..self.n, |i| x[i] * der(x[i]).powi(2));
            0.5 * self.b * (der(size.sqrt())).powi(2) + 0.5 * self.b * flow.exp()
        }",
    );
    assert_eq!(
        flow.equations,
        [
            r"\ddot{x}_{k} &= -\dot{\Lambda}^{\mathrm{flow}, 1} \, w_{k} \, x_{k} + 2 \, \Lambda^{\mathrm{size}} \, x_{k} + 2 \, \Xi^{\mathrm{flow}, 2} \, x_{k} \, \dot{x}_{k}"
        ]
    );
    assert_eq!(
        flow.abbreviations,
        [
            r"\Sigma^{\mathrm{flow}, 1} &= \sum_{i=0}^{n - 1} w_{i} \, x_{i} \, \dot{x}_{i}",
            r"\Sigma^{\mathrm{size}} &= \sum_{i=0}^{n - 1} x_{i}^{2}",
            r"\Sigma^{\mathrm{flow}, 2} &= \sum_{i=0}^{n - 1} x_{i} \, \dot{x}_{i}^{2}",
            r"\Lambda^{\mathrm{flow}, 1} &= 4 \, c \, \left(\Sigma^{\mathrm{flow}, 1}\right)^{3}",
            r"\Lambda^{\mathrm{size}} &= -\frac{1}{4} \, \frac{b \, \dot{\Sigma}^{\mathrm{size}}}{\Sigma^{\mathrm{size}}}",
            r"\Xi^{\mathrm{flow}, 2} &= -\frac{1}{2} \, b \, e^{\Sigma^{\mathrm{flow}, 2}}",
        ]
    );
}

/// The rows of `groups` are told apart by their items, and a number means the item that has it.
#[test]
fn rows_are_items_of_an_iterator() {
    let groups = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let groups = each(self.groups.iter(), |g| sum(g.iter(), |&a| x[a]));
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2)) - sum(0..self.q, |b| groups[b].powi(4)) - sum(self.ends.iter(), |&a| x[a])
        }",
    );
    assert_eq!(
        groups.equations,
        [
            r"\ddot{x}_{k} &= -\sum_{a \in \mathrm{ends}} \delta_{k, a} + \sum_{g \in \mathrm{groups}} \sum_{a \in g} \Lambda^{\mathrm{groups}}_{g} \, \delta_{k, a}"
        ]
    );
    assert_eq!(
        groups.abbreviations,
        [
            r"\Sigma^{\mathrm{groups}}_{g} &= \sum_{a \in g} x_{a} \quad \left(g \in \mathrm{groups}\right)",
            r"\Lambda^{\mathrm{groups}}_{g} &= -\sum_{b=0}^{q - 1} 4 \, \delta_{g, \mathrm{groups}_{b}} \, \left(\Sigma^{\mathrm{groups}}_{\mathrm{groups}_{b}}\right)^{3}",
        ]
    );
    let of_fields = written(
        "fn lagrangian(&self, x: [Scalar; self.n]) -> Scalar {
            let groups = each(self.groups.iter(), |Group { weights, .. }| sum(0..self.n, |i| weights[i] * x[i]));
            sum(0..self.n, |i| 0.5 * der(x[i]).powi(2)) - sum(0..self.q, |b| groups[b].powi(4))
        }",
    );
    assert_eq!(
        of_fields.equations,
        [
            r"\ddot{x}_{k} &= \sum_{(\mathrm{weights}) \in \mathrm{groups}} \Lambda^{\mathrm{groups}}_{\mathrm{weights}} \, \mathrm{weights}_{k}"
        ]
    );
}

/// A mass acts as m q̈ on one entry, and a coupling with two derivatives keeps both: ∂/∂x_i and
/// ∂/∂x_{i+1} of ½ (x_i x_{i+1})². A loop over a part of the array keeps its sum.
#[test]
fn a_loop_over_the_whole_array_is_summed() {
    let ring = written(
        "fn lagrangian(&self, x: [Scalar; self.n + 1]) -> Scalar {
            let (n, m) = (self.n, self.m);
            sum(0..=n, |i| 0.5 * m * der(x[i]).powi(2)) - sum(0..n, |i| 0.5 * (x[i] * x[i + 1]).powi(2)) - sum(1..=n, |i| x[i])
        }",
    );
    assert_eq!(
        ring.equations,
        [
            r"m \, \ddot{x}_{k} &= -\sum_{i=0}^{n - 1} \left(\delta_{k, i} \, x_{i} \, x_{i + 1}^{2} + \delta_{k, i + 1} \, x_{i}^{2} \, x_{i + 1}\right) - \sum_{i=1}^{n} \delta_{k, i}"
        ]
    );
}

#[test]
fn names_become_symbols() {
    assert_eq!(symbol("m", false), "m");
    assert_eq!(symbol("theta", false), r"\theta");
    assert_eq!(symbol("theta1", false), r"\theta_{1}");
    assert_eq!(symbol("omega_0", false), r"\omega_{0}");
    assert_eq!(symbol("bobs", true), r"\mathbf{bobs}");
    assert_eq!(symbol("spring_constant", false), r"\mathrm{spring\_constant}");
}
