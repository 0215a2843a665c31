//! The statements that are refused, and the terms that are blamed.

use least_action_compiler::{Errors, classify, lower, parse, prove};

/// The messages about `#[lagrangian(arguments)] impl Model { body }`, each with the underlined text.
fn mistakes(arguments: &str, body: &str) -> Vec<(String, String)> {
    let text = format!("impl Model {{ {body} }}");
    let lines: Vec<&str> = text.lines().collect();
    let underlined = |error: &syn::Error| {
        let (start, end) = (error.span().start(), error.span().end());
        let cut =
            |line: &str, from: usize, to: usize| line.chars().skip(from).take(to - from).collect::<String>();
        match lines.get(start.line - 1) {
            Some(line) if start.line == end.line => cut(line, start.column, end.column),
            _ => String::new(),
        }
    };
    let mut errors = Errors::default();
    let item = syn::parse_str(&text).expect("an impl");
    let declaration = parse(arguments.parse().expect("tokens"), item, &mut errors).expect("a declaration");
    let mut lowered = lower(&declaration, &mut errors);
    let classified = classify(&mut lowered, &declaration, &mut errors);
    prove(&declaration, &lowered, &classified, &mut errors);
    match errors.drain() {
        Ok(()) => Vec::new(),
        Err(all) => all
            .into_iter()
            .map(|error| {
                (underlined(&error), error.to_string().lines().next().unwrap_or_default().to_owned())
            })
            .collect(),
    }
}

/// The underlined texts alone.
fn blamed(arguments: &str, body: &str) -> Vec<String> {
    mistakes(arguments, body).into_iter().map(|(text, _)| text).collect()
}

const CLUSTER: &str = "fn lagrangian(&self, p: [Vec3; self.n], t: Time) -> Scalar {
    let kinetic = sum(0..self.n, |i| 0.5 * self.m * der(p[i]).norm_squared());
    let unused = p[0].x * t;
    let bonds = sum(pairs(self.n), |(i, j)| self.k * (p[i] - p[j]).norm_squared());
    kinetic - bonds MORE
}";

fn cluster(arguments: &str, more: &str) -> Vec<String> {
    blamed(arguments, &CLUSTER.replace("MORE", more))
}

#[test]
fn what_holds_is_accepted() {
    let all = "conserves(energy, linear_momentum, angular_momentum), mass = constant";
    assert_eq!(cluster(all, ""), [""; 0]);
    assert_eq!(cluster("conserves(angular_momentum)", "- self.e * p[0].norm()"), [""; 0]);
    assert_eq!(cluster("", "- self.e * p[0].x * t"), [""; 0]);
}

#[test]
fn the_term_that_breaks_it_is_underlined() {
    let all = "conserves(energy, linear_momentum, angular_momentum)";
    assert_eq!(
        cluster(all, "- (sum(0..self.n, |i| self.g * p[i].z) + 2.0 * sum(0..self.n, |i| p[i].norm().cos()))"),
        ["self.g * p[i].z", "self.g * p[i].z", "p[i].norm().cos()"]
    );
    assert_eq!(
        cluster("conserves(energy)", "+ (self.w * t).cos() * p[0].x - p[1].x"),
        ["(self.w * t).cos() * p[0].x"]
    );
}

#[test]
fn constraints_can_break_it_too() {
    let body = "fn lagrangian(&self, a: Vec2, b: Vec2, t: Time) -> Scalar { der(a).norm_squared() + der(b).norm_squared() }
        #[holonomic]
        fn rods(&self, a: Vec2, b: Vec2, t: Time) -> [Scalar; 2] {
            [(a - b).norm_squared() - self.rod, b.y - self.w * t]
        }";
    assert_eq!(blamed("conserves(energy)", body), ["self.w * t"]);
    assert_eq!(blamed("conserves(linear_momentum)", body), ["b.y"]);
    assert_eq!(blamed("conserves(angular_momentum)", body), ["b.y"]);
}

#[test]
fn angles_turn_with_the_plane() {
    let body = |more: &str| {
        format!(
            "fn lagrangian(&self, p: Vec2, theta: Angle, s: Scalar) -> Scalar {{
                der(p).norm_squared() + der(theta).powi(2) + der(s).powi(2)
                    - p.dot(vec2(theta.cos(), theta.sin())) - s * s {more}
            }}"
        )
    };
    assert_eq!(blamed("conserves(angular_momentum)", &body("")), [""; 0]);
    assert_eq!(blamed("conserves(angular_momentum)", &body("- theta.sin()")), ["theta.sin()"]);
    assert_eq!(blamed("conserves(momentum_s)", &body("")), ["s * s"]);
}

#[test]
fn a_mass_that_is_not_constant_is_underlined() {
    let body = "fn lagrangian(&self, a: Angle, b: Angle) -> Scalar {
        let coupling = self.c * der(a) * der(b) * (a - b).cos();
        der(a).powi(2) + der(b).powi(2) - coupling - a.cos()
    }";
    assert_eq!(
        mistakes("mass = constant", body),
        [(
            "self.c * der(a) * der(b) * (a - b).cos()".to_owned(),
            "this term makes the mass matrix depend on `a`, `b`, so it is not constant".to_owned()
        )]
    );
}

#[test]
fn arguments_are_checked() {
    let body = "fn lagrangian(&self, x: Scalar) -> Scalar { der(x).powi(2) }";
    let message = |arguments: &str| {
        let all = mistakes(arguments, body);
        all.into_iter().map(|(_, message)| message).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(message("conserve(energy)"), "#[lagrangian] has no argument `conserve`");
    assert_eq!(message("fast"), "this is no argument of #[lagrangian]");
    assert_eq!(message("conserves()"), "`conserves()` states nothing");
    assert_eq!(message("mass = diagonal"), "of the mass one can only state that it is constant");
    assert_eq!(message("conserves(enrgy)"), "`enrgy` is nothing that `conserves(…)` knows");
    assert_eq!(
        message("conserves(angular_momentum)"),
        "`angular_momentum` is that of vectors, and this model has no coordinate that is one"
    );
    assert_eq!(message("conserves(energy, momentum_x,), mass = constant,"), "");
}
