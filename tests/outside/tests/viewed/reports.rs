//! `--report` and `report`: pages that are read, with the motion and the figures in them.

use super::browser::Browser;
use super::workshop::Workshop;
use serde_json::Value;

/// The names of the axes of all figures: of each the lowest text, and that which stands upright.
const AXES: &str = "[...document.querySelectorAll('figure > svg')].map((svg) => {
    const texts = [...svg.querySelectorAll(':scope > text')];
    const upright = texts.filter((text) => (text.getAttribute('transform') ?? '').startsWith('rotate'));
    const lowest = texts.reduce((low, text) => (text.getBoundingClientRect().bottom > low.getBoundingClientRect().bottom ? text : low));
    return [lowest, ...upright].map((text) => text.textContent.trim());
})";

/// Runs something in the page of the motion.
fn inside(browser: &mut Browser, script: &str) -> Value {
    browser.evaluate(&format!(
        "((window) => {{ const {{ document, leastAction }} = window; return {script}; }})(document.querySelector('iframe').contentWindow)"
    ))
}

/// The number of pixels of the picture with another colour than its background.
fn painted(browser: &mut Browser, frame: usize) -> f64 {
    let script = format!(
        "(() => {{
            leastAction.player.seek({frame});
            leastAction.draw();
            const {{ context, canvas }} = leastAction.picture;
            const {{ data }} = context.getImageData(0, 0, canvas.width, canvas.height);
            let [count, place] = [0, 0];
            for (let k = 0; k < data.length; k += 4) {{
                if (data[k] !== data[0] || data[k + 1] !== data[1] || data[k + 2] !== data[2]) {{ count += 1; place += k; }}
            }}
            return count === 0 ? 0 : place / count;
        }})()"
    );
    inside(browser, &script).as_f64().unwrap()
}

pub(crate) fn reports_have_the_motion_and_figures_with_units(browser: &mut Browser, workshop: &Workshop) {
    browser.resize(1200, 900);
    workshop.done("run snakeboard --method variational-midpoint --step 0.02 --until 4 --observe all --out board.csv --report run.html");
    workshop.done("report board.csv --model snakeboard --out later.html");
    workshop.done("run liquid --set atoms=32 --set cutoff=1.5 --set on=1.2 --method verlet --step 0.002 --until 0.02 --observe radial_distribution,temperature --report liquid.html");
    for (page, title) in [
        ("run.html", "snakeboard, variational-midpoint"),
        ("later.html", "snakeboard, board.csv"),
        ("liquid.html", "liquid, verlet"),
    ] {
        let url = workshop.url(page);
        browser.open_report(&url);
        assert_eq!(browser.evaluate("document.querySelector('h1').textContent"), title);
        let words = browser.evaluate("document.body.textContent");
        let words = words.as_str().unwrap();
        let of_run = ["Units: ", "Parameters", "Measured", "largest change"];
        assert!(of_run.iter().all(|word| words.contains(word)), "{page}: {words}");

        // Figures, with a name at each axis.
        let axes = browser.evaluate(AXES);
        let measured = browser.number("document.querySelectorAll('table tbody tr, table tr').length - 1");
        assert!(axes.as_array().unwrap().len() as f64 >= measured, "{page}: {axes}, {measured}");
        for figure in axes.as_array().unwrap() {
            let names = figure.as_array().unwrap();
            assert_eq!(names.len(), 2, "{page}: {axes}");
            for name in names {
                let name = name.as_str().unwrap();
                assert!(name.starts_with(char::is_alphabetic) && !name.contains("unit"), "{page}: {name}");
            }
        }

        // The motion stands still, draws something that moves, and obeys its buttons.
        assert_eq!(inside(browser, "leastAction.player.isPlaying"), false, "{page}");
        let last = inside(browser, "leastAction.motion.frames - 1").as_u64().unwrap();
        let (first, then) = (painted(browser, 0), painted(browser, usize::try_from(last).unwrap()));
        assert!(first > 0.0 && then > 0.0 && first != then, "{page}: {first} {then}");
        inside(browser, "leastAction.player.seek(0)");
        inside(browser, "document.getElementById('forth').click()");
        assert_eq!(inside(browser, "leastAction.player.place"), 1.0, "{page}");
        inside(browser, "document.getElementById('play').click()");
        assert_eq!(inside(browser, "leastAction.player.isPlaying"), true, "{page}");
        inside(browser, "document.getElementById('play').click()");
        let over = browser.number("document.documentElement.scrollWidth - window.innerWidth");
        assert!(over <= 0.0, "{page}: nothing is beside the window: {over}");
        browser.complain(&url);
    }
    let axes = browser.evaluate(AXES).to_string();
    assert!(axes.contains("distance r") && axes.contains("g(r)"), "{axes}");
    let text = workshop.read("run.html");
    assert!(text.contains("<dt>keeps</dt><dd>symmetric"), "{text:.4000}");
}

pub(crate) fn reports_say_what_went_wrong(browser: &mut Browser, workshop: &Workshop) {
    let ended = workshop.command("run cube --method verlet --step 1e-7 --until 4e-6 --report failed.html");
    assert_eq!(ended.code, 1, "{}", ended.err);
    let said = ended.err.lines().find_map(|line| line.strip_prefix("error: ")).unwrap();
    let url = workshop.url("failed.html");
    browser.open_report(&url);
    let told = browser.evaluate("document.querySelector('[role=alert]').textContent");
    assert_eq!(told, format!("The run ended early: {said}"));
    // Once: the notes do not say it again.
    let times = format!("document.body.textContent.split({}).length - 1", Value::from(said));
    assert_eq!(browser.number(&times), 1.0);
    assert!(browser.number("document.querySelectorAll('figure > svg').length") >= 2.0);
    browser.complain(&url);
}

/// Parts of reports that need no browser.
#[test]
fn reports_of_recordings_are_whole_or_refused_in_a_line() {
    let workshop = Workshop::new("reports");
    // Cut in the midst of a line.
    workshop.done("run chain --method rattle --step 0.05 --until 5 --out whole.csv --report whole.html --checkpoint w.ckpt");
    let text = workshop.read("whole.csv");
    workshop.write("part.csv", &text[..text.len() / 2]);
    let ended = workshop.command("report part.csv --model chain --out part.html");
    assert_eq!((ended.code, ended.err.lines().count()), (0, 1), "{}", ended.err);
    assert!(workshop.read("part.html").contains("<li>The recording ends early, after "));

    // A run that is gone on with has the report of one that was not stopped.
    workshop.done("run chain --method rattle --step 0.05 --until 2 --out parts.csv --report parts.html --checkpoint p.ckpt");
    workshop.done("resume p.ckpt --until 5");
    assert_eq!(workshop.read("whole.html"), workshop.read("parts.html"));

    workshop.write("parameters.html", "{\"model\": {\"links\": 3}}");
    let mistakes = [
        ("run chain --method rattle --step 0.1 --until 1 --report x.svg", ".html"),
        ("report whole.csv --model chain --out x.svg", ".html"),
        ("report whole.csv --out", "--out"),
        ("report nowhere.csv --out x.html", "nowhere.csv"),
        ("report whole.csv --model kepler --out x.html", "its model is `chain`, and not `kepler`"),
        ("run chain --method rattle --step 0.1 --until 1 --view x.html --report x.html", "x.html"),
        (
            "run chain --params parameters.html --method rattle --step 0.1 --until 1 --report parameters.html",
            "parameters.html",
        ),
        (
            "run chain --method rattle --step 0.1 --until 1 --report x.html --checkpoint c --checkpoint-every 5",
            "--report of a run with --checkpoint needs --out",
        ),
    ];
    for (line, word) in mistakes {
        let ended = workshop.command(line);
        assert_eq!((ended.code, ended.err.lines().count()), (2, 1), "{line}: {}", ended.err);
        assert!(ended.err.contains(word), "{line}: {}", ended.err);
        assert!(!workshop.path("x.html").exists(), "{line}");
    }
    assert!(workshop.read("parameters.html").starts_with('{'));
}
