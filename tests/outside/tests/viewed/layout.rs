//! Where things stand on a page: nothing is cut, nothing is stretched, and a motion is where it was
//! recorded between its frames too.

use serde_json::json;

use super::browser::Browser;
use super::workshop::Workshop;

/// The words that a redrawn page writes beyond the edges of their canvas, and captions that are wider
/// than their place.
const CUT: &str = "(() => {
    const cut = [];
    const canvas = CanvasRenderingContext2D.prototype;
    const own = canvas.fillText;
    canvas.fillText = function (text, x, y) {
        const width = this.measureText(text).width;
        const left = x - width * { right: 1, center: 0.5, left: 0, start: 0 }[this.textAlign];
        if (left < -0.5 || left + width > this.canvas.width + 0.5) cut.push(text);
        own.call(this, text, x, y);
    };
    leastAction.strips.forget();
    leastAction.draw();
    canvas.fillText = own;
    for (const caption of document.querySelectorAll('figcaption')) {
        const { right } = caption.getBoundingClientRect();
        const wide = [...caption.children].some((child) => child.getBoundingClientRect().right > right + 0.5);
        if (wide || caption.scrollHeight > caption.clientHeight + 1) cut.push(caption.textContent);
    }
    return cut.join(' | ');
})()";

pub(crate) fn nothing_is_cut_or_stretched(browser: &mut Browser, workshop: &Workshop) {
    workshop.done(
        "run snakeboard --method variational-midpoint --step 0.02 --until 4 --observe all --view board.html",
    );
    workshop.done("run dna --method verlet --step 0.05 --until 2 --view dna.html");
    workshop.done("run kepler --method reference --step 0.1 --until 20 --observe all --view change.html");
    // Four curves of an hmm page in place of a picture, and numbers of many letters.
    workshop.done("run oscillator --method reference --step 1e-4 --until 0.01 --view curves.html");
    for page in ["board", "dna", "change", "curves"] {
        let url = workshop.url(&format!("{page}.html"));
        for (width, height) in [(1280, 800), (800, 600), (390, 844)] {
            browser.resize(width, height);
            browser.open(&url);
            let stage = browser.number("document.getElementById('stage').clientHeight");
            assert!(stage >= 0.49 * f64::from(height), "{page}, {width} × {height}: a picture of {stage}");
            assert_eq!(browser.evaluate(CUT), "", "{page}, {width} × {height}");
            let wide = browser.number("document.documentElement.scrollWidth - window.innerWidth");
            assert!(wide <= 0.0, "{page}, {width} × {height}: {wide} beside the window");
        }

        // Paper: light, and pictures as wide as they are high on the screen.
        let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        browser.call("Emulation.setEmulatedMedia", &json!({ "media": "", "features": dark }));
        browser.resize(1280, 800);
        browser.open(&url);
        assert_eq!(browser.evaluate("leastAction.picture.theme.name"), "dark");
        browser.evaluate("window.dispatchEvent(new Event('beforeprint'))");
        browser.call("Emulation.setEmulatedMedia", &json!({ "media": "print", "features": dark }));
        browser.resize(700, 1000);
        let stretched = browser.number(
            "Math.max(...[...document.querySelectorAll('canvas')].map((canvas) => {
                const { width, height } = canvas.getBoundingClientRect();
                return Math.abs(Math.log((width / height) * (canvas.height / canvas.width)));
            }))",
        );
        assert!(stretched < 0.03, "{page}: {stretched}");
        let paper = "[...leastAction.picture.context.getImageData(1, 1, 1, 1).data].join()";
        assert_eq!(browser.evaluate(paper), "255,255,255,255", "{page}");
        browser.evaluate("window.dispatchEvent(new Event('afterprint'))");
        assert_eq!(browser.evaluate("leastAction.picture.theme.name"), "dark", "{page}");
        browser.complain(&url);
        browser.call("Emulation.setEmulatedMedia", &json!({ "media": "", "features": [] }));
    }
}

/// Tools stand in one row, a residual at rounding takes no strip, and bodies that leave are followed.
pub(crate) fn pages_fit_a_window_of_800_pixels(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("run chaplygin-sleigh --view sleigh.html");
    workshop.done("run double-pendulum --method rattle --step 0.01 --until 4 --view residual.html");
    workshop.done("run kepler --method reference --step 0.01 --until 20 --view turns.html");
    browser.resize(1200, 800);
    for (page, follows) in [("sleigh", true), ("residual", false), ("turns", false), ("board", false)] {
        browser.open(&workshop.url(&format!("{page}.html")));
        let bar = browser.number("document.getElementById('bar').offsetHeight");
        assert!(bar < 60.0, "{page}: tools of {bar} pixels");
        assert_eq!(browser.evaluate("leastAction.picture.follows"), follows, "{page}");
        let is_told = "[...document.querySelectorAll('aside dt')].some((name) => /^max .[gc].$/.test(name.textContent))";
        let has_strip =
            "[...document.querySelectorAll('figcaption b')].some((name) => /^max/.test(name.textContent))";
        assert_eq!(browser.evaluate(is_told), page != "turns", "{page}");
        assert_eq!(browser.evaluate(has_strip), false, "{page}");
    }
    // A body that is followed stays near the middle, where the whole picture would have it far outside.
    browser.open(&workshop.url("sleigh.html"));
    browser.evaluate("leastAction.player.seek(leastAction.motion.frames - 1); leastAction.draw()");
    let aside =
        browser.number("Math.abs(leastAction.picture.projected[0] / leastAction.picture.canvas.width - 0.5)");
    assert!(aside < 0.25, "{aside}");
    // Six moments of one turn, and not of the same place: a strip of three turns would have three of them.
    browser.open(&workshop.url("turns.html"));
    let period = browser.number("leastAction.motion.period()");
    assert!((period - std::f64::consts::TAU).abs() < 0.05, "{period}");
    browser.open(&workshop.url("sleigh.html"));
    assert_eq!(browser.evaluate("leastAction.motion.period()"), serde_json::Value::Null);
}

/// Kepler's planet near its sun: rows of a run with half the step are where the page is between its
/// frames.
pub(crate) fn between_frames_the_motion_is_where_it_was(browser: &mut Browser, workshop: &Workshop) {
    let run = "run kepler --method reference --until 6.4";
    workshop.done(&format!("{run} --step 0.1 --view between.html"));
    workshop.done(&format!("{run} --step 0.05 --out between.json"));
    browser.resize(1200, 900);
    browser.open(&workshop.url("between.html"));
    let at = browser.evaluate(
        "(() => {
            const { motion } = leastAction;
            const { centre, half, quantum } = motion.head;
            const into = new Float32Array(3 * motion.points);
            return Array.from({ length: motion.frames - 1 }, (_, k) => {
                const at = [...motion.positions(k + 0.5, into)].slice(0, 2).map((x, i) => half * x + centre[i]);
                const line = [0, 1].map((i) => 0.5 * quantum * (motion.whole[2 * motion.points * k + i] + motion.whole[2 * motion.points * (k + 1) + i]) + centre[i]);
                return [...at, ...line];
            });
        })()",
    );
    let rows = workshop.rows("between.json");
    let (mut cubic, mut line) = (0.0_f64, 0.0_f64);
    for (k, at) in at.as_array().unwrap().iter().enumerate() {
        let place = |i: usize| rows[2 * k + 1]["q"][i].as_f64().unwrap();
        let far = |first: usize| {
            let off = |i: usize| at[first + i].as_f64().unwrap() - place(i);
            off(0).hypot(off(1))
        };
        (cubic, line) = (cubic.max(far(0)), line.max(far(2)));
    }
    assert!(cubic < 0.012 && line > 0.04, "{cubic} {line}");
}

/// Kepler's planet is fastest at its perihelion, √((1 + e)/(1 − e)), and bodies of two species have two
/// colours.
pub(crate) fn colours_say_how_fast_and_what_bodies_are(browser: &mut Browser, workshop: &Workshop) {
    browser.open(&workshop.url("between.html"));
    let choose = |way: &str| {
        format!(
            "(() => {{ const select = document.getElementById('colour'); select.value = '{way}'; select.dispatchEvent(new Event('change')); leastAction.draw(); }})()"
        )
    };
    browser.evaluate(&choose("speed"));
    let fastest = browser.number("leastAction.picture.colouring.highest.speed");
    assert!((fastest / (1.85_f64 / 0.15).sqrt() - 1.0).abs() < 0.03, "{fastest}");
    browser.evaluate(&choose("energy"));
    let highest = browser.number("leastAction.picture.colouring.highest.energy");
    assert!((highest / (0.5 * 1.85 / 0.15) - 1.0).abs() < 0.06, "of a unit mass: {highest}");
    browser.evaluate(&choose("speed"));
    let colour = "leastAction.picture.colourOf(0)";
    browser.evaluate("leastAction.player.seek(0); leastAction.draw()");
    let fast = browser.evaluate(colour);
    browser.evaluate("leastAction.player.seek(31); leastAction.draw()");
    assert_ne!(browser.evaluate(colour), fast);
    workshop.done("run water --method rattle --step 0.001 --until 0.02 --view species.html");
    browser.open(&workshop.url("species.html"));
    browser.evaluate(&choose("species"));
    assert_eq!(browser.evaluate("leastAction.picture.colouring.kinds.join()"), "H,O");
    let same = "[0, 1, 2].map((point) => leastAction.picture.colourOf(point)).map((one, k, all) => all.indexOf(one)).join()";
    assert_eq!(browser.evaluate(same), "0,1,0");
}

/// A picture, a strip of moments and a film, which the browser writes.
pub(crate) fn what_is_saved_is_a_picture_or_a_film(browser: &mut Browser, workshop: &Workshop) {
    let url = workshop.url("between.html");
    browser.open(&url);
    browser.evaluate("leastAction.player.seek(0); window.saved = []; leastAction.saver.download = (blob, ending) => saved.push([ending, blob.size > 2000])");
    let size = "leastAction.saver.picture().then(createImageBitmap).then(({ width, height }) => width === leastAction.picture.canvas.width && height === leastAction.picture.canvas.height)";
    assert_eq!(browser.evaluate(size), true);
    let strip =
        "leastAction.saver.strip().then(createImageBitmap).then(({ width, height }) => width / height)";
    let shape = browser.number("leastAction.picture.canvas.width / leastAction.picture.canvas.height");
    assert!((browser.number(strip) / (6.0 * shape) - 1.0).abs() < 0.05);
    assert_eq!(browser.evaluate("leastAction.player.place"), 0.0, "the page stays where it was");
    browser.evaluate("leastAction.player.speed = 4");
    let kind = browser.evaluate("leastAction.saver.film().then((blob) => blob.type)");
    assert!(kind.as_str().unwrap().starts_with("video/"), "{kind}");
    assert_eq!(browser.evaluate("leastAction.player.place === leastAction.motion.frames - 1"), true);
    let saved = browser.evaluate("saved.flat().join()");
    assert!(
        saved.as_str().unwrap().starts_with("png,true,png,true,")
            && saved.as_str().unwrap().ends_with(",true"),
        "{saved}"
    );
    browser.complain(&url);
}

/// Two runs under one clock: whichever is moved, the other one is at the same time.
pub(crate) fn two_runs_have_one_clock(browser: &mut Browser, workshop: &Workshop) {
    workshop.done("run kepler --method reference --step 0.1 --until 6.4 --out one.csv");
    workshop.done("run kepler --set eccentricity=0.3 --method verlet --step 0.05 --until 9 --out two.json");
    workshop.done("view one.csv --beside two.json --out pair.html");
    let url = workshop.url("pair.html");
    browser.resize(1280, 800);
    browser.open_pair(&url);
    let titles = "[...document.querySelectorAll('h2')].map((title) => title.textContent).join(' | ')";
    assert_eq!(browser.evaluate(titles), "kepler, one.csv | kepler, two.json");
    let of = |which: usize, what: &str| {
        format!("document.querySelectorAll('iframe')[{which}].contentWindow.leastAction.{what}")
    };
    let time = |which: usize| format!("({}).time({})", of(which, "motion"), of(which, "player.place"));
    // The longer one plays by itself, and takes the other one along.
    browser.wait(&format!("{} > 0.2 && {} > 0.2", time(0), time(1)));
    for (moved, other, place, expected) in [(0, 1, 20.0, 2.0), (1, 0, 60.0, 3.0), (1, 0, 175.0, 6.4)] {
        browser.evaluate(&of(moved, &format!("player.seek({place})")));
        browser.wait(&format!("Math.abs({} - {expected}) < 1e-9", time(other)));
    }
    browser.complain(&url);
}
