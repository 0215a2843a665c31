//! The measured figures of `docs/choosing/steps.md`: `BLESS=1` writes the table anew.

use least_action_tests::command::{Outcome, run};
use std::path::Path;

const HEAD: &str = "| method | believed up to h = | blows up from h = |";

/// The shortest steps, in thousandths, whose 1500 steps are not believed, and blow up.
fn shortest(method: &str) -> [u32; 2] {
    let mut found = [None; 2];
    for step in (50..400).step_by(5) {
        let (h, end) = (f64::from(step) / 1e3, 1.5 * f64::from(step));
        let line = format!(
            "run double-pendulum --method {method} --with omega=100 --step {h} --until {end} --format json"
        );
        let Outcome { code, err, .. } = run(&line);
        let blown_up = code == 1 && err.contains("the run has blown up");
        assert!(blown_up || code == 0, "{line}: {err}");
        let signs = [blown_up || err.contains("not to be believed"), blown_up];
        for (found, sign) in found.iter_mut().zip(signs) {
            *found = found.or(sign.then_some(step));
        }
        if let [Some(wrong), Some(blown_up)] = found {
            return [wrong, blown_up];
        }
    }
    panic!("{method}: {found:?}")
}

/// The double pendulum with ω = 100, in steps that are multiples of 0.005.
#[test]
fn implicit_methods_blow_up_from_the_steps_of_the_book() {
    let rows = ["newmark-linear-b", "zhang-skeel-simplified"].map(|method| {
        let [wrong, blown_up] = shortest(method);
        let [believed, blown_up] = [wrong - 5, blown_up].map(|step| format!("{:.3}", f64::from(step) / 1e3));
        format!("| `{method}` | {believed} | {blown_up} |")
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/choosing/steps.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| *line == HEAD).expect("the table of the page") + 2;
    let length = lines[first..].iter().take_while(|line| line.starts_with('|')).count();
    if std::env::var_os("BLESS").is_some() {
        lines.splice(first..first + length, rows.iter().map(String::as_str));
        std::fs::write(&path, lines.join("\n") + "\n").expect("the page can be written");
        return;
    }
    assert_eq!(lines[first..first + length], rows, "BLESS=1 writes them anew");
}
