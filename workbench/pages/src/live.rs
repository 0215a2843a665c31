//! A page that computes: the module of WebAssembly in one file of HTML, with the text of a model.

use std::io::{self, Write};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::{escaped, fill};
use crate::view::DRAWING;

/// The page around style, module and script; words in braces are replaced.
const PAGE: &str = include_str!("live/page/live.html");
const STYLE: &str = concat!(include_str!("view/page/style.css"), include_str!("live/page/live.css"));
const WORKER: &str = concat!(include_str!("live/page/unpack.js"), include_str!("live/page/worker.js"));
/// The parts behind those that draw, each after the parts that it uses.
const PARTS: [&str; 9] = [
    include_str!("live/page/bridge.js"),
    include_str!("live/page/history.js"),
    include_str!("live/page/stage.js"),
    include_str!("live/page/running.js"),
    include_str!("live/page/editor.js"),
    include_str!("live/page/settings.js"),
    include_str!("live/page/hand.js"),
    include_str!("live/page/address.js"),
    include_str!("live/page/live.js"),
];

/// What the page begins with.
#[derive(Debug, Serialize)]
pub struct Live {
    /// The name of the file of the model, and its text.
    pub name: String,
    pub text: String,
    /// The files that it names as modules.
    pub modules: Vec<[String; 2]>,
    /// The parameters by default, and those that are set.
    pub defaults: Map<String, Value>,
    pub set: Map<String, Value>,
    pub method: &'static str,
    pub step: f64,
    /// How long the motion takes to be seen.
    pub span: f64,
    /// Another start than the model's own.
    pub state: Option<Value>,
}

/// Writes the page with its module, which is packed by LZMA.
///
/// # Errors
/// It cannot be written.
pub fn write(out: &mut impl Write, live: &Live, module: &[u8]) -> io::Result<()> {
    let head = serde_json::to_string(live).map_err(io::Error::other)?.replace('<', "\\u003c");
    let script = [&DRAWING[..], &PARTS].concat().join("\n");
    fill(
        out,
        PAGE,
        &[
            ("{title}", &escaped(&live.name)),
            ("{style}", &STYLE),
            ("{head}", &head),
            ("{module}", &Base64Display::new(module, &STANDARD)),
            ("{worker}", &WORKER),
            ("{script}", &script),
        ],
    )
}
