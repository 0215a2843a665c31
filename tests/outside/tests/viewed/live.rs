//! Pages that compute: in the numbers of the command, under a hand, and beside a declaration that is
//! edited.

use std::process::Command;

use serde_json::{Value, json};

use super::browser::Browser;
use super::workshop::{Workshop, size};

const TARGET: &str = "wasm32-unknown-unknown";

/// Whether rustc here compiles for a page.
fn is_compiled() -> bool {
    let found = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    folder.is_ok_and(|folder| std::path::Path::new(&folder).is_dir())
}

/// Opens a page, and waits until it has computed.
fn open(browser: &mut Browser, url: &str) {
    browser.navigate("about:blank");
    browser.navigate(url);
    browser.wait("window.leastAction !== undefined && leastAction.motion !== undefined");
    browser.complain(url);
}

/// The numbers of a list, which are read back with their bits.
fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

pub(crate) fn pages_compute(browser: &mut Browser, workshop: &Workshop) {
    if !is_compiled() {
        println!(
            "rustc has no target {TARGET}: pages that compute are not opened; `rustup target add {TARGET}`"
        );
        return;
    }
    the_numbers_are_those_of_the_command(browser, workshop);
    a_hand_moves_bodies_along_their_constraints(browser);
    an_edit_runs_and_a_mistake_has_its_line(browser);
    an_address_has_the_whole_state(browser, workshop);
    what_does_not_end_is_stopped(browser);
}

fn the_numbers_are_those_of_the_command(browser: &mut Browser, workshop: &Workshop) {
    for (model, by, until) in [
        ("double-pendulum", "--method rattle --step 0.01", 10),
        ("chain", "--set links=20 --method rattle --step 0.02", 20),
        ("kepler", "--method verlet --step 0.001", 1),
    ] {
        workshop.done(&format!("live {model} {by} --out live.html"));
        let page = size(&workshop.path("live.html"));
        assert!(page < 2_600_000, "{model}: the page has {page} bytes");
        let run = workshop.done(&format!("run {model} {by} --until {until} --format json"));
        let run: Value = serde_json::from_str(&run).unwrap();
        open(browser, &format!("{}#paused", workshop.url("live.html")));
        let last = browser.evaluate("leastAction.advance(1000).then(() => leastAction.motion.state())");
        for part in ["q", "v"] {
            let (ours, theirs) = (numbers(&last[part]), numbers(&run[part]));
            // A command with debug assertions has no registers, and other last digits.
            if cfg!(debug_assertions) {
                let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
                assert!(ours.iter().zip(&theirs).all(is_near), "{model}: {part}: {ours:?}, {theirs:?}");
            } else {
                assert_eq!(ours, theirs, "{model}: {part}");
            }
        }
    }
}

fn a_hand_moves_bodies_along_their_constraints(browser: &mut Browser) {
    // The last page has no constraints; the declaration of another model has.
    let text = include_str!("../../../../models/src/double_pendulum.rs");
    browser.evaluate(&format!(
        "leastAction.editor.value = {}, leastAction.open({{ isEdit: true }})",
        json!(text)
    ));
    browser.wait("leastAction.opened.name === 'DoublePendulum'");
    browser.evaluate("leastAction.restart()");
    let to = browser.evaluate(
        "(() => {
            leastAction.draw();
            const [x, y] = leastAction.picture.projected.subarray(4, 6);
            const { left, top } = leastAction.canvas.getBoundingClientRect();
            return [x + left, y + top];
        })()",
    );
    let [x, y] = [0, 1].map(|k| to[k].as_f64().unwrap());
    browser.drag([x, y], [x - 60.0, y - 90.0]);
    browser.wait("!leastAction.isDragging && Math.abs(leastAction.motion.state().q[2] - 1) > 1e-3");
    let state = browser.evaluate("leastAction.motion.state().q");
    let q = numbers(&state);
    assert!((q[0].hypot(q[1]) - 1.0).abs() < 1e-12, "{q:?}");
    assert!(((q[2] - q[0]).hypot(q[3] - q[1]) - 2.0_f64.sqrt()).abs() < 1e-12, "{q:?}");
}

fn an_edit_runs_and_a_mistake_has_its_line(browser: &mut Browser) {
    let edit = |from: &str, to: &str| {
        format!(
            "leastAction.editor.value = leastAction.editor.value.replace({}, {}), leastAction.open({{ isEdit: true }})",
            json!(from),
            json!(to)
        )
    };
    browser.evaluate(&edit("upper.norm_squared()", "upper.norm_sqared()"));
    browser.wait("document.querySelectorAll('#messages li').length === 1");
    let told = browser.evaluate("document.getElementById('messages').textContent");
    let told = told.as_str().unwrap();
    assert!(
        told.starts_with("line 45 `norm_sqared` is not") && told.contains("did you mean `norm_squared`?"),
        "{told}"
    );
    assert_eq!(browser.evaluate("document.querySelector('#lines .fault').textContent.trim()"), "45");
    // What ran before goes on.
    assert_eq!(browser.evaluate("leastAction.advance(1).then(() => leastAction.motion.last[0] > 0)"), true);
    browser.evaluate(&edit("upper.norm_sqared()", "upper.norm_squared()"));
    browser.evaluate(&edit("self.gravity * (", "3.0 * self.gravity * ("));
    browser.wait("document.querySelectorAll('#messages li').length === 0");
    // The motion goes on, under three times the gravity.
    assert_eq!(browser.evaluate("leastAction.motion.last[1] > 0"), true);
}

fn an_address_has_the_whole_state(browser: &mut Browser, workshop: &Workshop) {
    browser.evaluate("leastAction.change({ set: ['gravity', 2.5], step: 0.005 })");
    browser.evaluate("leastAction.advance(7)");
    let before = browser.evaluate("leastAction.motion.state()");
    let hash = browser.evaluate("leastAction.rememberNow().then(() => location.hash)");
    open(browser, &format!("{}{}", workshop.url("live.html"), hash.as_str().unwrap()));
    assert_eq!(browser.evaluate("leastAction.motion.state()"), before);
    assert_eq!(browser.evaluate("leastAction.settings.values.gravity"), 2.5);
    assert_eq!(browser.evaluate("leastAction.opened.step"), 0.005);
    assert_eq!(browser.evaluate("leastAction.editor.value.includes('3.0 * self.gravity')"), true);
}

fn what_does_not_end_is_stopped(browser: &mut Browser) {
    browser.evaluate(
        "leastAction.editor.value = leastAction.editor.value.replace(
            'let [upper, lower] = self.rods;',
            'let [upper, lower] = self.rods; let _k = (0..4_000_000_000_000_u64).fold(0_u64, |a, b| a ^ b);',
        ), leastAction.open({ isEdit: true })",
    );
    browser.wait(
        "!document.getElementById('failure').hidden || document.querySelectorAll('#messages li').length > 0",
    );
    let told = browser.evaluate(
        "document.getElementById('failure').textContent + document.getElementById('messages').textContent",
    );
    assert!(
        told.as_str().unwrap().contains("stopped") || told.as_str().unwrap().contains("operations"),
        "{told}"
    );
    // It computes again when the text does.
    browser.evaluate("leastAction.editor.value = leastAction.head.text, leastAction.open({ isEdit: true })");
    browser.wait(
        "document.getElementById('failure').hidden && document.querySelectorAll('#messages li').length === 0",
    );
}
