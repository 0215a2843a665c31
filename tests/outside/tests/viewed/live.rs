//! Pages that compute: in the numbers of the command, under a hand, and beside a declaration that is
//! edited.

use std::fs;

use serde_json::{Value, json};

use super::browser::Browser;
use super::workshop::{Workshop, size};

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
    if !crate::workshop::pages_compute() {
        return;
    }
    pages_of_a_folder_share_what_computes(browser, workshop);
    a_page_computes_within_a_notebook(browser, workshop);
    the_numbers_are_those_of_the_command(browser, workshop);
    a_finger_pushes_an_input_on_a_phone(browser, workshop);
    open(browser, &format!("{}#paused", workshop.url("live.html")));
    a_hand_moves_bodies_along_their_constraints(browser);
    an_edit_runs_and_a_mistake_has_its_line(browser);
    an_address_has_the_whole_state(browser, workshop);
    what_does_not_end_is_stopped(browser);
}

/// The whole numbers of steps that a page has taken, when it goes on by itself.
fn goes_on(browser: &mut Browser, of: &str) {
    browser.wait(&format!("{of}.leastAction.motion.last[0] > 10"));
}

fn pages_of_a_folder_share_what_computes(browser: &mut Browser, workshop: &Workshop) {
    fs::create_dir_all(workshop.path("folder")).unwrap();
    for page in ["folder/chain.html", "folder/kepler.html"] {
        let model = page.trim_start_matches("folder/").trim_end_matches(".html");
        workshop.done(&format!("live {model} --beside --out {page}"));
        assert!(size(&workshop.path(page)) < 250_000, "{page}");
        open(browser, &workshop.url(page));
        goes_on(browser, "window");
    }
    fs::copy(workshop.path("folder/chain.html"), workshop.path("alone.html")).unwrap();
    browser.navigate(&workshop.url("alone.html"));
    browser.wait("document.getElementById('failure')?.hidden === false");
    let told = browser.evaluate("document.getElementById('failure').textContent");
    let told = told.as_str().unwrap();
    assert!(told.starts_with("Nothing can be computed: least-action-live-"), "{told}");
    assert!(told.ends_with(".js is not beside this page."), "{told}");
}

/// A page of a notebook is an attribute of another one, and has no address.
fn a_page_computes_within_a_notebook(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("live double-pendulum --out live.html");
    let page = workshop.read("live.html").replace('&', "&amp;").replace('"', "&quot;");
    workshop.write("notebook.html", &format!("<!DOCTYPE html><iframe srcdoc=\"{page}\"></iframe>"));
    let url = workshop.url("notebook.html");
    browser.navigate(&url);
    browser.wait("document.querySelector('iframe')?.contentWindow.leastAction !== undefined");
    goes_on(browser, "document.querySelector('iframe').contentWindow");
    browser.evaluate("document.querySelector('iframe').contentWindow.leastAction.rememberNow()");
    browser.complain(&url);
}

fn the_numbers_are_those_of_the_command(browser: &mut Browser, workshop: &Workshop) {
    for (model, by, until) in [
        ("double-pendulum", "--method rattle --step 0.01", 10),
        ("chain", "--set links=20 --method rattle --step 0.02", 20),
        ("kepler", "--method verlet --step 0.001", 1),
        ("kepler", "--method newmark --with beta=0.3 --step 0.001", 1),
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

fn a_finger_pushes_an_input_on_a_phone(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("live cart-pendulum --method variational-midpoint --step 0.01 --out cart.html");
    browser.resize(390, 844);
    open(browser, &format!("{}#paused", workshop.url("cart.html")));
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true);
    let moves = |browser: &mut Browser| {
        browser.evaluate("leastAction.restart()");
        browser.number("leastAction.advance(10).then(() => leastAction.motion.state().v[0])")
    };
    let free = moves(browser);
    let at = browser.evaluate(
        "(() => {
            const { left, top, width, height } = document.querySelector('.pads button:last-child').getBoundingClientRect();
            return [left + width / 2, top + height / 2];
        })()",
    );
    browser.call(
        "Input.dispatchTouchEvent",
        &json!({ "type": "touchStart", "touchPoints": [{ "x": at[0], "y": at[1] }] }),
    );
    let pushed = moves(browser);
    // A force of 1 N on a cart of 1 kg for 0.1 s.
    assert!((pushed - free - 0.1).abs() < 0.02, "{free}, {pushed}");
    browser.call("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] }));
    assert_eq!(moves(browser), free);
    browser.resize(1200, 800);
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
