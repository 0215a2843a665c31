//! The same cells by the command.

use least_action_command::Workbench;
use serde_json::Value;

/// The verdict of the command on a method for a model.
pub(crate) enum Verdict {
    /// It ran.
    Ran {
        /// True if a penalty replaced the constraints.
        penalized: bool,
    },
    /// It was refused, in this line.
    Refused(String),
}

/// The verdicts on all methods for a model, by their names.
///
/// # Errors
/// `describe` and `run` disagree, or a run fails, in words.
pub(crate) fn verdicts(command: &Workbench, model: &str) -> Result<Vec<(String, Verdict)>, String> {
    let (_, described, _) = execute(command, &["describe", model, "--format", "json"]);
    let report: Value = serde_json::from_str(&described).map_err(|error| error.to_string())?;
    let constrained = report["equations"].as_u64().is_some_and(|rows| rows > 0);
    let methods = report["methods"].as_array().ok_or("describe lists methods")?;
    let mut found = Vec::new();
    for fit in methods {
        let method = fit["method"].as_str().ok_or("a method has a name")?;
        let fits = fit["fits"].as_bool().ok_or("a method fits or not")?;
        // Some conditions only the start of a run can judge.
        let conditional = fit["note"].as_str().is_some_and(|note| note.starts_with("if "));
        let asks_for_penalty = fit["note"].as_str().is_some_and(|note| note.contains("--with omega="));
        let mut arguments =
            vec!["run", model, "--method", method, "--step", "0.05", "--until", "0.2", "--format", "json"];
        match method {
            // One that does not fit is refused before its options are read.
            _ if !fits => {}
            _ if method.starts_with("hmm-") => arguments.extend(["--set", "omega=1e6"]),
            "projected-rk4" if constrained => arguments.extend(["--with", "omega=1e4"]),
            "projected-rk4" => arguments.extend(["--with", "omega=1e4", "--set", "stiffness=5e7"]),
            "force-stepping" => {
                arguments.extend(["--with", "grid=0.01", "--with", "vertex=random"]);
            }
            _ => {}
        }
        let penalized = asks_for_penalty && method != "projected-rk4";
        if penalized {
            arguments.extend(["--with", "omega=5"]);
        }
        let (code, out, err) = execute(command, &arguments);
        let verdict = match (fits, code) {
            (true, 0) => {
                let end: Value = serde_json::from_str(&out).map_err(|error| error.to_string())?;
                let finite = |q: &Value| q.as_f64().is_some_and(f64::is_finite);
                if !end["q"].as_array().is_some_and(|q| q.iter().all(finite)) {
                    return Err(format!("{method} on {model}: {out}"));
                }
                Verdict::Ran { penalized }
            }
            _ if code == 2 && (conditional || !fits) && err.trim_end().lines().count() == 1 => {
                Verdict::Refused(err.trim_end().replace(model, "MODEL"))
            }
            _ => return Err(format!("{method} on {model}: said to fit: {fits}, exit code {code}: {err}")),
        };
        found.push((method.to_owned(), verdict));
    }
    Ok(found)
}

/// The exit code and the text of both streams.
fn execute(command: &Workbench, arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = command.run(arguments.iter().copied(), &mut out, &mut err);
    (code, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}
