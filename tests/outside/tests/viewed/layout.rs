//! Where things stand on a page: nothing is cut, nothing is stretched, and a motion is where it was recorded between its frames too.

use serde_json::json;

use super::browser::Browser;
use super::workshop::Workshop;

/// The words that a redrawn page writes beyond the edges of their canvas, and captions that are wider than their place.
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

/// Kepler's planet near its sun: rows of a run with half the step are where the page is between its frames.
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
