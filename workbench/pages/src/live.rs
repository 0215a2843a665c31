//! A page that computes: the module of WebAssembly in one file of HTML, with the text of a model.

use std::collections::BTreeMap;
use std::io;

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
    /// The options of the method, as texts.
    pub options: BTreeMap<String, String>,
    pub step: f64,
    /// How long the motion takes to be seen.
    pub span: f64,
    /// Another start than the model's own.
    pub state: Option<Value>,
}

/// The file beside pages that share a module, of their version.
pub const SHARED: &str = concat!("least-action-live-", env!("CARGO_PKG_VERSION"), ".js");

/// The text of [`SHARED`]: a script that is the text of its own element.
pub fn shared(module: &[u8]) -> String {
    let text = Base64Display::new(module, &STANDARD);
    format!("document.currentScript.textContent = \"{text}\";\n")
}

/// The page with its module, which is packed by LZMA; without one it stands in [`SHARED`] beside.
///
/// # Errors
/// It cannot be written.
pub fn html(live: &Live, module: Option<&[u8]>) -> io::Result<String> {
    let head = serde_json::to_string(live).map_err(io::Error::other)?.replace('<', "\\u003c");
    let text = |bytes| format!(" type=\"text/plain\">{}", Base64Display::new(bytes, &STANDARD));
    // Pages without an origin, opened as files, name the scheme.
    let (policy, module) = match module {
        Some(bytes) => ("", text(bytes)),
        None => (" 'self' file:", format!(" src=\"{SHARED}\">")),
    };
    let script = [&DRAWING[..], &PARTS].concat().join("\n");
    let mut html = Vec::new();
    fill(
        &mut html,
        PAGE,
        &[
            ("{policy}", &policy),
            ("{title}", &escaped(&live.name)),
            ("{style}", &STYLE),
            ("{head}", &head),
            ("{module}", &module),
            ("{worker}", &WORKER),
            ("{script}", &script),
        ],
    )?;
    String::from_utf8(html).map_err(io::Error::other)
}
