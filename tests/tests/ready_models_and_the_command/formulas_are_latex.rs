//! `describe --format latex` is whole: each brace, parenthesis and environment is closed, in each line.

use least_action_tests::command::{json, run};
use std::collections::BTreeSet;

/// The commands of LaTeX with amsmath that are used.
const COMMANDS: &str = r"\partial \mathrm \mathbf \mathsf \boldsymbol \texttt \text \left \right \bigl \bigr \frac \sqrt \sum \dot \ddot
    \begin \end \underbrace \sin \cos \ln \operatorname \det \in \ne \le \ge \bmod \cdot \dots \quad \qquad \, \\ \_ \alpha \beta \gamma \delta \ell \epsilon \eta \theta \lambda \mu \rho \sigma \tau \phi \omega \Lambda \Sigma";

/// The commands in a text, with their places.
fn commands(text: &str) -> Vec<(usize, &str)> {
    let starts = text.match_indices('\\');
    let mut after = 0;
    starts
        .filter_map(|(at, _)| {
            if at < after {
                return None;
            }
            let rest = &text[at + 1..];
            let letters = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
            after = at + 1 + letters.max(1);
            Some((at, &text[at..after]))
        })
        .collect()
}

#[test]
fn formulas_of_every_ready_model_are_whole() {
    let listed = json("models --format json");
    for model in listed["models"].as_array().expect("models") {
        let name = model["name"].as_str().expect("a name");
        let latex = run(&format!("describe {name} --format latex")).out;
        let body = latex
            .strip_prefix("\\begin{align*}\n")
            .and_then(|rest| rest.strip_suffix("\n\\end{align*}\n"))
            .unwrap_or_else(|| panic!("{name}: one display"));
        for line in body.split(" \\\\\n") {
            let mut depth = 0_i32;
            for letter in line.replace("\\{", "").replace("\\}", "").chars() {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                assert!(depth >= 0, "{name}: {line}");
            }
            assert_eq!(depth, 0, "{name}: {line}");
            let count = |word: &str| commands(line).iter().filter(|(_, command)| *command == word).count();
            assert_eq!(count("\\left"), count("\\right"), "{name}: {line}");
            assert_eq!(
                line.matches("\\begin{cases}").count(),
                line.matches("\\end{cases}").count(),
                "{name}: {line}"
            );
            assert!(!line.contains("\n\n") && !line.contains('$') && !line.contains('#'), "{name}: {line}");
        }
        let unknown: BTreeSet<&str> = commands(body)
            .into_iter()
            .map(|(_, command)| command)
            .filter(|command| COMMANDS.split_whitespace().all(|known| known != *command))
            .collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}
