//! Buttons, keys, pointers, another size of the window; and the page of a run that failed.

use serde_json::{Value, json};

use super::browser::Browser;
use super::models::{drawn, frame_of_reference, projected};
use super::workshop::Workshop;

fn click(browser: &mut Browser, id: &str) {
    browser.evaluate(&format!("document.getElementById('{id}').click()"));
}

fn camera(browser: &mut Browser) -> Value {
    browser.evaluate("leastAction.camera.state()")
}

/// The middle of the picture in the window.
fn middle(browser: &mut Browser) -> [f64; 2] {
    let place = browser.evaluate(
        "(() => { const r = document.getElementById('picture').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()",
    );
    [0, 1].map(|k| place[k].as_f64().unwrap())
}

pub(crate) fn buttons_keys_pointers_and_sizes(browser: &mut Browser, workshop: &Workshop) {
    workshop.done(
        "run jointed-boxes --method rattle --step 0.002 --until 0.4 --view boxes.html --out boxes.json",
    );
    let url = workshop.url("boxes.html");
    browser.open(&url);
    let place = |browser: &mut Browser| browser.number("leastAction.player.place");

    // Buttons.
    browser.evaluate("leastAction.player.seek(0)");
    click(browser, "forth");
    click(browser, "forth");
    click(browser, "back");
    assert_eq!(place(browser), 1.0);
    click(browser, "play");
    browser.wait("leastAction.player.place > 3");
    click(browser, "play");
    let stopped = place(browser);
    browser.evaluate("new Promise((done) => setTimeout(() => done(1), 60))");
    assert_eq!(place(browser), stopped, "it stands still");
    assert_eq!(browser.evaluate("document.getElementById('play').getAttribute('aria-label')"), "Play");
    browser.evaluate("(() => { const s = document.getElementById('scrub'); s.value = 100; s.dispatchEvent(new Event('input')); })()");
    assert_eq!(place(browser), 100.0);
    browser.evaluate("(() => { const s = document.getElementById('speed'); s.value = '4'; s.dispatchEvent(new Event('change')); })()");
    assert_eq!(browser.number("leastAction.player.speed"), 4.0);
    click(browser, "loop");
    assert_eq!(browser.evaluate("leastAction.player.loops"), false);
    let theme = browser.evaluate("document.documentElement.dataset.theme");
    click(browser, "theme");
    assert_ne!(browser.evaluate("document.documentElement.dataset.theme"), theme);

    // Without its loop, the motion ends at its end.
    browser.evaluate("leastAction.player.seek(190)");
    click(browser, "play");
    browser.wait("!leastAction.player.isPlaying");
    assert_eq!(place(browser), 200.0);

    // Keys.
    for (key, expected) in [("Home", 0.0), (".", 1.0), (".", 2.0), (",", 1.0), ("End", 200.0)] {
        browser.key(key);
        assert_eq!(place(browser), expected, "{key}");
    }
    browser.key(" ");
    assert_eq!(browser.evaluate("leastAction.player.isPlaying"), true);
    browser.key(" ");
    assert_eq!(browser.evaluate("leastAction.player.isPlaying"), false);
    let before = camera(browser);
    browser.key("ArrowLeft");
    assert_ne!(camera(browser)["turn"], before["turn"]);
    browser.key("+");
    assert!(camera(browser)["scale"].as_f64() > before["scale"].as_f64());
    browser.key("f");
    let again = camera(browser);
    let numbers = |camera: &Value| -> Vec<f64> {
        let all = ["target", "turn"].iter().flat_map(|name| camera[*name].as_array().unwrap());
        all.chain([&camera["scale"]]).map(|x| x.as_f64().unwrap()).collect()
    };
    for (x, y) in numbers(&again).iter().zip(numbers(&before)) {
        assert!((x - y).abs() < 1e-6 * y.abs().max(1.0), "framed again: {again} {before}");
    }

    // A mouse turns, a wheel zooms where it is, two fingers zoom.
    let [x, y] = middle(browser);
    browser.drag([x, y], [x + 50.0, y + 20.0]);
    assert_ne!(camera(browser)["turn"], before["turn"]);
    browser.key("f");
    browser.call(
        "Input.dispatchMouseEvent",
        &json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -200 }),
    );
    browser.wait(&format!("leastAction.camera.scale > 1.2 * {}", before["scale"]));
    browser.key("f");
    let touch = |browser: &mut Browser, kind: &str, points: &[[f64; 2]]| {
        let points: Vec<Value> =
            points.iter().enumerate().map(|(id, [x, y])| json!({ "id": id, "x": x, "y": y })).collect();
        browser.call("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
    };
    touch(browser, "touchStart", &[[x - 40.0, y], [x + 40.0, y]]);
    touch(browser, "touchMove", &[[x - 90.0, y], [x + 90.0, y]]);
    touch(browser, "touchEnd", &[]);
    browser.wait(&format!("leastAction.camera.scale > 1.5 * {}", before["scale"]));
    browser.key("f");

    // In any size of the window, bodies are where the camera says.
    let rows = workshop.rows("boxes.json");
    let q: Vec<f64> = rows[200]["q"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for (width, height) in [(480, 900), (1500, 700)] {
        browser.resize(width, height);
        browser.evaluate("leastAction.player.seek(200)");
        let (camera, centre, half) = frame_of_reference(browser);
        let pixels: Vec<[f64; 2]> =
            q[..12].chunks(3).map(|c| projected(&camera, centre, half, [c[0], c[1], c[2]])).collect();
        assert_eq!(drawn(browser, &pixels), 4, "{width} × {height}: {pixels:?}");
        let over = browser.number("document.documentElement.scrollWidth - window.innerWidth");
        assert!(over <= 0.0, "nothing is beside a window of {width} pixels: {over}");
    }
    browser.resize(1200, 900);

    // Everything that can be used has a name.
    let nameless = browser.evaluate(
        "[...document.querySelectorAll('button, input, select, canvas')].filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).length",
    );
    assert_eq!(nameless, 0);
    browser.complain(&url);
}

pub(crate) fn an_address_chooses_the_picture_and_the_time(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("run kepler --method verlet --step 0.01 --until 2 --view slide.html");
    let shown = |part: &str| format!("getComputedStyle(document.querySelector('{part}')).display !== 'none'");
    let height = "document.getElementById('picture').clientHeight / innerHeight";
    browser.open(&workshop.url("slide.html#picture&t=1.5"));
    assert_eq!(browser.number("leastAction.motion.time(leastAction.player.place)"), 1.5);
    for part in ["header", "#bar", "#strips", "aside"] {
        assert_eq!(browser.evaluate(&shown(part)), false, "{part}");
    }
    assert_eq!(browser.number(height), 1.0);
    workshop.done("run kepler --method verlet --step 0.01 --until 2 --view whole.html");
    browser.open(&workshop.url("whole.html"));
    assert_eq!(browser.evaluate(&shown("#bar")), true);
    assert!(browser.number(height) < 1.0);
}

/// A run that ends early leaves a page that says so, with all that was before.
pub(crate) fn a_run_that_failed_says_so(browser: &mut Browser, workshop: &Workshop) {
    let runs = [
        "run cube --method verlet --step 1e-7 --until 4e-6",
        "run double-pendulum --method newmark-linear-a --with omega=100 --step 0.3 --until 20",
    ];
    for run in runs {
        let ended = workshop.command(&format!("{run} --view failed.html"));
        assert_eq!(ended.code, 1, "{}", ended.err);
        let url = workshop.url("failed.html");
        browser.open(&url);
        let told = browser.evaluate("document.getElementById('failure').textContent");
        let said = ended.err.lines().find_map(|line| line.strip_prefix("error: ")).unwrap();
        assert_eq!(told, format!("The run ended early: {said}"));
        assert_eq!(browser.evaluate("document.getElementById('failure').hidden"), false);
        assert!(browser.number("leastAction.motion.frames") >= 4.0, "{run}");
        browser.complain(&url);
    }
}
