//! `bench`: work against precision.

use crate::support::{Directory, run, workbench};

#[test]
fn errors_fall_as_the_orders_say() {
    let line = "bench chain --method rattle --method rattle:order=4 --step 0.05 --until 1 --halvings 2 --format json";
    let outcome = run(line).json();
    let runs = outcome["runs"].as_array().unwrap();
    let error = |run: usize| runs[run]["error"].as_f64().unwrap();
    assert_eq!(runs.len(), 6);
    assert_eq!(runs[3]["method"], "rattle:order=4");
    for (first, factor) in [(0, 4.0), (1, 4.0), (3, 16.0), (4, 16.0)] {
        let found = error(first) / error(first + 1);
        assert!((found / factor - 1.0).abs() < 0.3, "{first}: {found} beside {factor}");
    }
    assert_eq!(runs[2]["steps"], 80);
}

#[test]
fn all_methods_that_fit_take_part() {
    let place = Directory::new();
    let picture = place.path("bench.svg");
    let line = format!("bench chain --with omega=20 --step 0.02 --until 0.1 --halvings 0 --plot {picture}");
    let outcome = run(&line);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    for method in ["verlet:omega=20", "rattle", "shake", "newmark-pushforward:omega=20", "reference:omega=20"]
    {
        assert!(outcome.out.contains(&format!("{method} ")), "{method}: {}", outcome.out);
    }
    assert!(outcome.out.contains("without force-stepping: "), "{}", outcome.out);
    assert!(outcome.out.contains("without so3-cayley, so3-penalty, so3-penalty-euler: "), "{}", outcome.out);
    assert!(std::fs::read_to_string(picture).unwrap().starts_with("<svg"));
}

/// Standard output that notes how many lines were printed by when it was flushed.
#[derive(Default)]
struct Flushed {
    text: Vec<u8>,
    lines: Vec<usize>,
}

impl std::io::Write for Flushed {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.text.extend(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.lines.push(self.text.split(|byte| *byte == b'\n').count() - 1);
        Ok(())
    }
}

#[test]
fn each_line_is_printed_when_it_is_known() {
    let (mut out, mut err) = (Flushed::default(), Vec::new());
    let line = "bench chain --method rattle --method shake --halvings 2 --until 1";
    assert_eq!(workbench().run(line.split_whitespace(), &mut out, &mut err), 0);
    let one_by_one = out.lines.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    assert!(one_by_one >= 6, "{:?}", out.lines);
}

/// The end and the steps follow the model: for ten thousand times the frequency they are as much
/// shorter.
#[test]
fn times_are_those_of_the_model() {
    let bench = |parameters: &str| {
        let line = format!("bench springs {parameters} --method verlet --halvings 1 --format json");
        let outcome = run(&line).json();
        let run = &outcome["runs"][0];
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        assert!(number(&run["error"]) < 1.0, "no two motions: {run}");
        (number(&outcome["until"]), number(&run["step"]))
    };
    let (slow, fast) = (bench("--set stiffness=[1,2]"), bench("--set stiffness=[1e8,2e8]"));
    assert!((slow.0 / fast.0 / 1e4 - 1.0).abs() < 0.1, "{slow:?} {fast:?}");
    assert!((slow.1 / fast.1 / 1e4 - 1.0).abs() < 0.1, "{slow:?} {fast:?}");
}

/// A step that is too long for a method is a line, and its shorter ones follow.
#[test]
fn a_method_that_fails_at_its_longest_step_goes_on() {
    let line = "bench chain --method rattle --step 4 --until 8 --halvings 9 --format json";
    let outcome = run(line).json();
    let runs = outcome["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 10);
    assert!(runs[0]["failure"].is_string() && runs[0]["error"].is_null(), "{}", runs[0]);
    assert!(runs[9]["error"].as_f64().unwrap() < 1e-2, "{}", runs[9]);
}

/// The step of energy-stepping is the step of its output: the height of its terraces makes it precise.
#[test]
fn energy_stepping_is_swept_in_its_height() {
    let place = Directory::new();
    let start = place.path("start.json");
    std::fs::write(&start, r#"{"t": 0.0, "q": [1.0, 0.3], "v": [0.3, 0.5]}"#).unwrap();
    let method = "--method energy-stepping:height=0.01";
    let line = format!("bench spring-pendulum {method} --until 1 --halvings 3 --start {start} --format json");
    let outcome = run(&line).json();
    let runs = outcome["runs"].as_array().unwrap();
    for (k, run) in runs.iter().enumerate() {
        assert_eq!((&run["swept"], &run["steps"]), (&"height".into(), &1.into()));
        assert_eq!(run["step"].as_f64().unwrap().to_bits(), (0.01 * 0.5_f64.powi(k as i32)).to_bits());
    }
    let gradients = |run: usize| runs[run]["evaluations"]["gradients"].as_u64().unwrap();
    assert!(gradients(3) > 4 * gradients(0), "finer terraces have more edges");
}

/// All names of the legend stand in the picture, each beside a sample that no other has.
#[test]
fn pictures_hold_their_legends() {
    let place = Directory::new();
    let picture = place.path("bench.svg");
    let line = format!("bench springs --halvings 1 --until 0.5 --plot {picture}");
    assert_eq!(run(&line).code, 0);
    let svg = std::fs::read_to_string(picture).unwrap();
    // The height in which it is drawn, four times that which is shown.
    let view = svg.split("viewBox=\"").nth(1).unwrap().split('"').next().unwrap();
    let drawn: Vec<f64> = view.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let attribute = |element: &str, name: &str| -> Option<f64> {
        element.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse().ok()
    };
    let texts: Vec<&str> = svg.split("<text").skip(1).collect();
    assert!(texts.iter().any(|text| text.contains("variational-trapezoid")), "a legend");
    assert!(texts.iter().any(|text| text.contains("10⁻")), "powers of ten at a logarithmic axis");
    for text in texts {
        let (x, y) = (attribute(text, "x").unwrap(), attribute(text, "y").unwrap());
        assert!((0.0..drawn[2]).contains(&x) && (0.0..drawn[3]).contains(&y), "{text}");
    }
    let mut samples: Vec<&str> = svg
        .lines()
        .filter(|line| line.starts_with("<path d=\"M") && line.contains("stroke-dasharray"))
        .collect();
    let look = |sample: &str| sample.split("stroke=").nth(1).unwrap().to_owned();
    let all = samples.len();
    assert!(all > 8, "more than there are colours");
    samples.sort_by_key(|sample| look(sample));
    samples.dedup_by_key(|sample| look(sample));
    assert_eq!(samples.len(), all);
}

#[test]
fn mistakes_are_refused() {
    let refused = |line: &str, message: &str| {
        let outcome = run(line);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}");
        assert_eq!(outcome.err, format!("error: {message}\n"));
    };
    refused(
        "bench chain --method ratle --until 1",
        run("run chain --method ratle --step 0.1 --until 1").err.trim_start_matches("error: ").trim_end(),
    );
    refused("bench chain --until -1", "--until -1: the time must be finite and later than the start");
    refused("bench chain --step 0", "--step 0: the step must be positive and finite");
    let outcome = run("bench chain --with omga=3");
    assert!(outcome.err.contains("`bench` has no option `omga` (did you mean `omega`?)"), "{}", outcome.err);
}
