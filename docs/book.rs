//! The preprocessor of the book: formulas become MathML, and the gallery plays.
//!
//! `mdbook build docs` calls it. Pages that play stand in `docs/gallery/play`, made by the commands of the gallery,
//! and are made again when this program is newer.

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
    let players = Path::new(&root).join("gallery/play");
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
            let is_of_gallery =
                fields.get("path").and_then(Value::as_str).is_some_and(|path| path.starts_with("gallery/"));
            if let Some(Value::String(content)) = fields.get_mut("content") {
                *content = formulas(content)?;
                if is_of_gallery {
                    *content = played(content, players)?;
                }
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

/// A page of the gallery whose pictures play at a click.
fn played(text: &str, players: &Path) -> Result<String, Box<dyn Error>> {
    let mut whole = String::new();
    for line in text.lines() {
        let name = line.strip_prefix("![A frame of the page of ").and_then(|rest| rest.split_once(']'));
        let Some((name, _)) = name else {
            whole.push_str(line);
            whole.push('\n');
            continue;
        };
        let command = text.lines().find(|line| line.starts_with(&format!("least-action run {name} ")));
        let still = text.split_once(&format!("/{name}.html#")).and_then(|(_, rest)| rest.split_once('"'));
        let ((still, _), command) = still.zip(command).ok_or("a picture has no commands")?;
        play(command, &players.join(format!("{name}.html")))?;
        let still = still.replace('&', "&amp;");
        whole.push_str(&format!(
            "<iframe class=\"play\" loading=\"lazy\" title=\"{name}\" src=\"play/{name}.html#{still}\"></iframe>\n\n\
             A click plays it; [its page](play/{name}.html) has curves, too.\n"
        ));
    }
    Ok(whole)
}

/// Makes the page of a command, unless it is newer than this program.
fn play(command: &str, page: &Path) -> Result<(), Box<dyn Error>> {
    let made = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    if made(page) > made(&std::env::current_exe()?) {
        return Ok(());
    }
    let (name, page) = (page.file_name().unwrap_or_default(), page.display().to_string());
    let words = command.split_whitespace().skip(1);
    let words: Vec<&str> = words.map(|word| if *word == *name { page.as_str() } else { word }).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    match Workbench::new("least-action").ready_models().run(words, &mut out, &mut err) {
        0 => Ok(()),
        _ => Err(format!("{command}: {}", String::from_utf8_lossy(&err)).into()),
    }
}
