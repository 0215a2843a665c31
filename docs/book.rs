//! The preprocessor of the book: formulas become MathML, and models compute.
//!
//! `mdbook build docs` calls it. Pages that compute stand in `docs/play`, made by commands
//! `least-action live` at the beginning of a line, and are made again when this program is newer.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use least_action_command::Workbench;
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    // mdbook asks whether the book may have HTML.
    if std::env::args().nth(1).is_some_and(|word| word == "supports") {
        return Ok(());
    }
    let mut both: [Value; 2] = serde_json::from_reader(io::stdin())?;
    let root = both[0]["root"].as_str().ok_or("mdbook names no root")?.to_owned();
    let players = Path::new(&root).join("play");
    fs::create_dir_all(&players)?;
    chapters(&mut both[1], &players)?;
    serde_json::to_writer(io::stdout(), &both[1])?;
    Ok(())
}

/// Rewrites the chapters in a part of the book.
fn chapters(part: &mut Value, players: &Path) -> Result<(), Box<dyn Error>> {
    match part {
        Value::Array(parts) => parts.iter_mut().try_for_each(|part| chapters(part, players)),
        Value::Object(fields) => {
            let path = fields.get("path").and_then(Value::as_str).unwrap_or_default();
            let up = "../".repeat(path.matches('/').count());
            if let Some(Value::String(content)) = fields.get_mut("content") {
                *content = played(&formulas(content)?, players, &up)?;
            }
            fields.values_mut().try_for_each(|part| chapters(part, players))
        }
        _ => Ok(()),
    }
}

/// Text whose fences named `math` are MathML.
fn formulas(text: &str) -> Result<String, Box<dyn Error>> {
    let mut parts = text.split("```math\n");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (formula, rest) = part.split_once("```").ok_or("a formula has no end")?;
        let storage = Storage::new();
        let config = RenderConfig { display_mode: DisplayMode::Block, ..RenderConfig::default() };
        let mut display = String::new();
        push_mathml(&mut display, Parser::new(formula, &storage), config)?;
        if display.contains("<merror") {
            return Err(format!("no MathML of\n{formula}\n{display}").into());
        }
        // Signs and attributes as HTML has them: the crate escapes no sign, and sets no space.
        let display = display.replace("><<", ">&lt;<").replace("\"m", "\" m").replace("=\" m", "=\"m");
        // Within a block of HTML nothing is Markdown.
        whole.push_str(&format!("<div>{}</div>\n", display.replace('\n', " ")));
        whole.push_str(rest);
    }
    Ok(whole)
}

/// A chapter with the pages of its commands `least-action live` below them, in place of pictures;
/// `up` leads to the book.
fn played(text: &str, players: &Path, up: &str) -> Result<String, Box<dyn Error>> {
    let mut whole = String::new();
    for line in text.lines() {
        whole.push_str(line);
        whole.push('\n');
        let Some((command, _)) = line.strip_prefix("`least-action ").and_then(|rest| rest.split_once('`'))
        else {
            continue;
        };
        let words: Vec<&str> = command.split(' ').collect();
        let ["live", model, .., "--out", page] = words[..] else { continue };
        if !play(&words, &players.join(page))? {
            continue;
        }
        let frame = format!("![A frame of the page of {model}](");
        whole = whole.split_inclusive('\n').filter(|line| !line.starts_with(&frame)).collect();
        whole.push_str(&format!(
            "\n<iframe class=\"play\" loading=\"lazy\" title=\"{model}\" src=\"{up}play/{page}#paused\"></iframe>\n\n\
             [The page in a window of its own]({up}play/{page})\n"
        ));
    }
    Ok(whole)
}

/// Makes the page of a command, unless it is newer than this program; false where nothing builds what
/// computes in it.
fn play(words: &[&str], page: &Path) -> Result<bool, Box<dyn Error>> {
    let made = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    if made(page) > made(&std::env::current_exe()?) {
        return Ok(true);
    }
    let page = page.display().to_string();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = words[..words.len() - 1].iter().copied().chain([&*page, "--beside"]);
    let code = Workbench::new("least-action").ready_models().run(words, &mut out, &mut err);
    let said = String::from_utf8_lossy(&err);
    match said.lines().find(|line| line.contains("least-action-live")) {
        _ if code == 0 => Ok(true),
        Some(reason) => {
            eprintln!("{page} is left out, and its picture stays: {reason}");
            Ok(false)
        }
        None => Err(format!("{page}: {said}").into()),
    }
}
