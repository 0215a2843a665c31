use least_action_core::internals::describe::{broken, lines, width};

fn one(line: &str) -> String {
    lines([line].into_iter()).concat()
}

#[test]
fn short_lines_stay() {
    assert_eq!(one(r"L &= \frac{1}{2} \, m + k"), r"L &= \frac{1}{2} \, m + k");
    assert!((width(r"\frac{1}{22} \, x^{2} + \mathrm{ab}") - (2.0 + 0.4 + 1.7 + 2.0 + 2.0)).abs() < 1e-12);
}

#[test]
fn sums_are_broken_before_their_terms() {
    assert_eq!(broken("aaaa + bbbb - cccc", 8.0), ["aaaa", "+ bbbb", "- cccc"]);
    assert_eq!(broken("aaaa + bbbb - cccc", 12.0), ["aaaa + bbbb", "- cccc"]);
    // Not within a fraction, an index or cases.
    assert_eq!(
        broken(r"\frac{aaaa + bbbb}{c} + x_{aaaa + b}", 6.0),
        [r"\frac{aaaa + bbbb}{c}", "+ x_{aaaa + b}"]
    );
    let cases = r"\begin{cases} aaaa + bbbb \end{cases}";
    assert_eq!(broken(cases, 6.0), [cases]);
}

#[test]
fn parentheses_over_two_lines_do_not_stretch() {
    let text = r"2 \, \left(aaaa + \left|bbbb + c\right|\right) + \left(d + e\right)";
    let found = broken(text, 14.0);
    assert_eq!(found, [r"2 \, \bigl(aaaa", r"+ \left|bbbb + c\right|\bigr)", r"+ \left(d + e\right)"]);
    // Rather between two of them than in one.
    assert_eq!(
        broken(r"\left(a + b\right) + \left(c + d\right)", 10.0),
        [r"\left(a + b\right)", r"+ \left(c + d\right)"]
    );
}

#[test]
fn both_sides_may_be_long() {
    let side = |letter: &str| vec![letter.repeat(20); 6].join(" + ");
    let found = one(&format!("{} &= {}", side("a"), side("b")));
    assert_eq!(found.matches(r"\\").count(), 3, "{found}");
    assert!(found.starts_with("& a") && found.contains("\n&\\qquad = b"), "{found}");
    assert!(one(&format!("L &= {}", side("b"))).starts_with("L &= b"));
}

#[test]
fn a_long_left_side_leaves_the_column() {
    let (long, short) = (format!("{} &= 0", "a".repeat(40)), "b &= c");
    let found = lines([&*long, short].into_iter());
    assert_eq!(found, [format!("& {} = 0", "a".repeat(40)), short.to_owned()]);
}
