//! Conditions that exclude or imply each other.

use least_action_compiler::internals::form::{Answers, Fact, Question, may_hold};
use syn::parse::Parser;

fn fact(condition: &str) -> Fact {
    Fact::of(&syn::parse_str(condition).expect("a condition"))
}

fn exclude(conditions: &[&str]) -> bool {
    let facts: Vec<Fact> = conditions.iter().map(|condition| fact(condition)).collect();
    !may_hold(&facts.iter().collect::<Vec<_>>())
}

#[test]
fn conditions_that_exclude_each_other_are_seen() {
    for conditions in [
        &["i == 0", "i == 1"][..],
        &["i == 0", "i > 0"],
        &["i == 0", "i != 0"],
        &["i == self.n - 1", "i + 2 == self.n"],
        &["i < 3", "!(i < 4)"],
        &["i >= 1", "i < 3", "i != 1", "i != 2"],
        &["2 * i == 5"],
        &["i + 1 <= j", "j < k + 1", "k + 2 < i"],
        &["i == j", "j != i"],
        &["self.on[i]", "!self.on[i]"],
        &["self.a < self.b", "!(self.a < self.b)"],
        &["i == 0 || i == 1", "i == 2 || i == 3"],
        &["!(i == 0 && self.on)", "i == 0", "self.on"],
        &["i == 0", "j == 1", "i - j == 2"],
        &["false"],
    ] {
        assert!(exclude(conditions), "{conditions:?}");
    }
}

#[test]
fn conditions_that_may_hold_together_do() {
    for conditions in [
        &["i == 0", "i == self.n - 1"][..],
        &["i > 0", "i < 2"],
        // A number that is none is neither below nor above.
        &["!(self.a < self.b)", "!(self.a >= self.b)"],
        &["self.a + self.b == self.c", "self.a != self.c - self.b"],
        &["self.on[0]", "!self.on[1]"],
        &["x == 0.5", "x == 0.25 + 0.25"],
        &["i / 2 == 0", "i == 1"],
        &["i != 0", "i != 1"],
    ] {
        assert!(!exclude(conditions), "{conditions:?}");
    }
}

/// The answer that a set of random conditions is empty agrees with all small integers.
#[test]
fn what_is_excluded_has_no_solution() {
    let mut state = 7_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut excluded = 0;
    for _ in 0..2000 {
        let mut texts = Vec::new();
        let mut conditions: Vec<[i64; 5]> = Vec::new();
        for _ in 0..=below(4) {
            let [a, b, c] = [0, 1, 2].map(|_| below(5) as i64 - 2);
            let constant = below(9) as i64 - 4;
            let sign = below(6);
            conditions.push([a, b, c, constant, sign as i64]);
            let sign = ["==", "!=", "<", "<=", ">", ">="][sign as usize];
            texts.push(format!("{a} * i + {b} * j - {} * k {sign} {constant}", -c));
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        if !exclude(&texts) {
            continue;
        }
        excluded += 1;
        let range = || -6_i64..=6;
        let solution = range().flat_map(|i| range().flat_map(move |j| range().map(move |k| [i, j, k]))).find(
            |[i, j, k]| {
                conditions.iter().all(|[a, b, c, constant, sign]| {
                    let value = a * i + b * j + c * k;
                    match sign {
                        0 => value == *constant,
                        1 => value != *constant,
                        2 => value < *constant,
                        3 => value <= *constant,
                        4 => value > *constant,
                        _ => value >= *constant,
                    }
                })
            },
        );
        assert_eq!(solution, None, "{texts:?}");
    }
    assert!(excluded > 100, "{excluded}");
}

#[test]
fn a_choice_is_decided_by_those_before_it() {
    let answers =
        |condition: &str| Answers::of(&Question::If(syn::parse_str(condition).expect("a condition")));
    let (first, second) = (answers("i == 0"), answers("i + 1 == 1"));
    assert_eq!(second.decided([(&first, 0)].into_iter()), Some(0));
    assert_eq!(second.decided([(&first, 1)].into_iter()), Some(1));
    assert_eq!(answers("i > 1").decided([(&first, 0)].into_iter()), Some(1));
    assert_eq!(answers("i > 1").decided([(&first, 1)].into_iter()), None);
    let patterns = ["0", "1 | 2", "_"].map(|text| syn::Pat::parse_multi.parse_str(text).expect("a pattern"));
    let choice = Answers::of(&Question::Match(syn::parse_quote!(i), patterns.to_vec()));
    assert_eq!(choice.decided([(&first, 0)].into_iter()), Some(0));
    assert_eq!(choice.decided([(&answers("i == 2"), 0)].into_iter()), Some(1));
    assert_eq!(choice.decided([(&answers("i > 2"), 0)].into_iter()), Some(2));
    assert_eq!(choice.decided([(&answers("i > 1"), 0)].into_iter()), None);
}

#[test]
fn a_loop_says_where_its_variable_is() {
    let round = Fact::of_round(&syn::parse_quote!(i), &syn::parse_quote!((1..self.n - 1)));
    for condition in ["i == 0", "i < 1", "i == self.n - 1", "i + 1 == self.n", "i + 1 > self.n"] {
        assert!(!may_hold(&[&round, &fact(condition)]), "{condition}");
    }
    for condition in ["i == 1", "i + 2 == self.n", "i > 0"] {
        assert!(may_hold(&[&round, &fact(condition)]), "{condition}");
    }
}
