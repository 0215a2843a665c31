//! `view`: recordings of every format, whole and damaged.

use std::fs;

use super::browser::Browser;
use super::workshop::Workshop;

const RUN: &str = "run chain --method rattle --step 0.05 --until 5 --observe all";

/// The positions of the last frame in units of the model.
const LAST: &str = "(() => {
    const { motion } = leastAction;
    const { centre, half } = motion.head;
    return [...motion.positions(motion.frames - 1, new Float32Array(3 * motion.points))].map((x, k) => centre[k % 3] + half * x);
})()";

pub(crate) fn recordings_are_played_as_far_as_they_go(browser: &mut Browser, workshop: &Workshop) {
    for ending in ["csv", "json", "parquet"] {
        workshop.done(&format!("{RUN} --out chain.{ending}"));
    }
    let last = workshop.rows("chain.json").pop().unwrap();
    let q: Vec<f64> = last["q"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    // A file of another program does not know its run.
    workshop.write("plain.csv", &workshop.read("chain.csv"));
    for (file, given, model) in [
        ("chain.csv", "", true),
        ("chain.json", "", true),
        ("chain.parquet", "", true),
        ("plain.csv", "--model chain", true),
        ("plain.csv", "", false),
    ] {
        workshop.done(&format!("view {file} {given} --out recording.html"));
        browser.open(&workshop.url("recording.html"));
        assert_eq!(browser.number("leastAction.motion.frames"), 101.0, "{file}");
        let rods = if model { 10.0 } else { 0.0 };
        assert_eq!(browser.number("leastAction.motion.head.scene.rods.length"), rods, "{file}");
        let shown = browser.evaluate(LAST);
        let quantum = browser.number("leastAction.motion.head.quantum");
        for (k, x) in q.iter().enumerate() {
            let shown = shown[k / 2 * 3 + k % 2].as_f64().unwrap();
            assert!((shown - x).abs() < quantum, "{file} {k}: {shown} {x}");
        }
        let strips = browser.evaluate("leastAction.motion.head.strips.map((s) => s.title).join()");
        assert_eq!(strips, "energy,constraint residual", "{file}");
    }

    // Cut in the midst of a line.
    let text = workshop.read("chain.csv");
    workshop.write("cut.csv", &text[..text.len() / 2]);
    let ended = workshop.command("view cut.csv --model chain --out cut.html");
    assert_eq!((ended.code, ended.err.lines().count()), (0, 1), "{}", ended.err);
    assert!(ended.err.starts_with("warning: cut.csv ends early: "), "{}", ended.err);
    browser.open(&workshop.url("cut.html"));
    let frames = browser.number("leastAction.motion.frames");
    assert!((40.0..60.0).contains(&frames), "{frames}");
    assert_eq!(
        browser.evaluate("document.getElementById('panel').textContent.includes('The recording ends early')"),
        true
    );
    let text = workshop.read("chain.json");
    workshop.write("cut.json", &text[..text.len() / 2]);
    let ended = workshop.command("view cut.json --model chain --out cut.html");
    assert!(ended.code == 0 && ended.err.contains("the file is cut short"), "{}", ended.err);

    // Places that are no numbers are not drawn.
    let rows: Vec<String> = workshop
        .read("chain.csv")
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if row > 50 {
                cells[1] = "NaN";
            }
            cells.join(",") + "\n"
        })
        .collect();
    workshop.write("holes.csv", &rows.concat());
    workshop.done("view holes.csv --model chain --out holes.html");
    let url = workshop.url("holes.html");
    browser.open(&url);
    assert_eq!(
        browser
            .evaluate("document.getElementById('panel').textContent.includes('51 positions are no numbers')"),
        true
    );
    let shown = browser.evaluate(LAST);
    assert!(shown[0].is_null() && shown[3].is_number(), "{shown}");
    browser.complain(&url);

    // A member of an ensemble, whose model and parameters the folder knows.
    workshop.write(
        "plan.toml",
        "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.05\nuntil = 1.0\npath = true\n[set]\nlinks = 4\n[grid]\n\"set.rod\" = [1.0, 2.0, 3.0]\n",
    );
    workshop.done("ensemble plan.toml --out data");
    workshop.write(
        "bad.toml",
        "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.05\nuntil = 1.0\npath = true\n[grid]\n\"set.rod\" = [1.0, -1.0]\n",
    );
    workshop.command("ensemble bad.toml --out bad");
    workshop.done("view data --member 2 --out member.html");
    browser.open(&workshop.url("member.html"));
    assert_eq!(browser.number("leastAction.motion.points"), 5.0);
    let first = browser.evaluate(&LAST.replace("motion.frames - 1", "0"));
    let length = first[0].as_f64().unwrap().hypot(first[1].as_f64().unwrap());
    assert!((length - 3.0).abs() < 1e-3, "{first}");
}

pub(crate) fn what_cannot_be_drawn_says_so(browser: &mut Browser, workshop: &Workshop) {
    // Nothing but the energy.
    workshop.write("energy.csv", "t,energy\n0,1\n1,1.5\n2,1.25\n");
    workshop.done("view energy.csv --out energy.html");
    browser.open(&workshop.url("energy.html"));
    assert_eq!(
        browser.evaluate("document.getElementById('panel').textContent.includes('There is nothing to draw')"),
        true
    );
    assert_eq!(browser.number("document.querySelectorAll('.strip').length"), 1.0);

    // Mistakes are one line.
    workshop.write("short.csv", "t\n0\n1\n");
    workshop.write("other.csv", "time,x\n0,1\n");
    workshop.write("empty.csv", "");
    workshop.write("rows.csv", "t,energy\n");
    workshop.write("words.csv", "t,energy\n0,1\nabc,2\n1,3\n");
    fs::write(workshop.path("broken.parquet"), b"PAR1 and no more").unwrap();
    let mistakes = [
        ("view short.csv --out x.html", "it has nothing beside the time"),
        ("view other.csv --out x.html", "it has no column `t`"),
        ("view empty.csv --out x.html", "it has no column `t`"),
        ("view rows.csv --out x.html", "it has no rows"),
        ("view words.csv --out x.html", "`abc` in row 2 of the column `t` is no number"),
        ("view broken.parquet --out x.html", "cut short"),
        ("view chain.csv --model kepler --out x.html", "its model is `chain`, and not `kepler`"),
        ("view plain.csv --model kepler --out x.html", "it has no column `q.x`"),
        ("view chain.json --model kepler --out x.html", "its model is `chain`, and not `kepler`"),
        ("view chain.csv --model chain --out x.svg", ".html"),
        ("view chain.csv --set links=3 --out x.html", "its `links` is 10, and not 3"),
        ("view plain.csv --set links=3 --out x.html", "--model"),
        ("view nowhere.csv --out x.html", "nowhere.csv"),
        ("view plain.csv --model chian --out x.html", "did you mean `chain`"),
        ("view data --member 7 --out x.html", "3 members"),
        (
            "view bad --member 1 --out x.html",
            "member 1 failed: parameter `rod` of `chain`: -1.0 is refused: it must be positive; choose a member without",
        ),
        ("view chain.csv --member 7 --out x.html", "--member"),
        (
            "run chain --method rattle --step 0.1 --until 1 --view x.html --checkpoint c --checkpoint-every 5",
            "needs --out",
        ),
    ];
    for (line, word) in mistakes {
        let ended = workshop.command(line);
        assert_eq!((ended.code, ended.err.lines().count()), (2, 1), "{line}: {}", ended.err);
        assert!(ended.err.contains(word), "{line}: {}", ended.err);
        assert!(!workshop.path("x.html").exists(), "{line}");
    }

    // A run that is gone on with has the same page as one that was not stopped.
    workshop.done("run chain --method rattle --step 0.05 --until 5 --out whole.csv --view whole.html --checkpoint w.ckpt");
    workshop.done("run chain --method rattle --step 0.05 --until 2 --out parts.csv --view parts.html --checkpoint p.ckpt");
    workshop.done("resume p.ckpt --until 5");
    let positions = |name: &str| {
        let page = workshop.read(name);
        let (_, rest) = page.split_once("id=\"times\">").unwrap();
        rest.split_once("<script>").unwrap().0.to_owned()
    };
    assert_eq!(positions("whole.html"), positions("parts.html"));
}

/// The commands of `docs/looking.md`, in their order.
#[test]
fn the_commands_of_the_chapter_make_their_pages() {
    let workshop = Workshop::new("chapter");
    let chapter = include_str!("../../../../docs/looking.md");
    let blocks = chapter.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let lines: Vec<&str> = blocks.flat_map(|(block, _)| block.lines()).collect();
    assert!(lines.len() >= 4, "{lines:?}");
    for line in lines {
        let line = line.strip_prefix("least-action ").unwrap();
        workshop.done(line);
        let file = line.split_whitespace().last().unwrap();
        assert!(workshop.path(file).exists(), "{line}");
    }
}
