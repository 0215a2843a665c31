//! `live`: a page that computes a motion itself.

mod module;

use least_action_pages::files::{Draft, apart};
use least_action_pages::live::{Live as Page, write};
use least_action_pages::view::check;
use serde_json::{Map, Value};

use crate::arguments::Live;
use crate::error::Error;
use crate::prepared::Prepared;
use crate::registry::Registry;
use crate::streams::Streams;

/// The flag that names the page.
const FLAG: &str = "--out";

/// Makes the page.
pub(crate) fn live(registry: &Registry, arguments: &Live, streams: &mut Streams<'_>) -> Result<(), Error> {
    let Live { request, out } = arguments;
    check(FLAG, out)?;
    let name = &request.model.name;
    let inputs = request.model.params.iter().chain(&request.start.file).map(|path| &**path);
    apart(inputs.chain([name.as_ref()]), &[(FLAG, out)])?;
    let files = registry.files(name)?;
    let motion = Prepared::new(registry, request)?;
    if motion.options.names().next().is_some() {
        return Err(Error::mistake("--with: methods have their usual options in a page"));
    }
    motion.notes().for_each(|note| streams.note(note));
    let defaults = registry.parameters(name)?;
    let is_set = |(name, value): &(String, Value)| defaults.get(name) != Some(value);
    let set: Map<String, Value> = motion.instance.system.parameters().into_iter().filter(is_set).collect();
    let is_own = request.start.is_own() && request.start.from.is_empty();
    let state = if is_own { None } else { serde_json::to_value(&motion.start).ok() };
    let stem = |file: &str| file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned();
    let mut files = files.into_iter().map(|(file, text)| (stem(&file), text));
    let (name, text) = files.next().unwrap_or_default();
    let modules = files.map(|(file, text)| [file.trim_end_matches(".rs").to_owned(), text]).collect();
    let (method, step, span) = (motion.method.name, motion.step, motion.until - motion.start.t);
    let page = Page { name, text, modules, defaults, set, method, step, span, state };
    let module = module::found(streams)?;
    let mut draft = Draft::create(FLAG, out)?;
    let mut html = Vec::new();
    write(&mut html, &page, &module).map_err(|error| Error::unwritable(out.display(), &error))?;
    draft.write(&String::from_utf8_lossy(&html))?;
    Ok(draft.complete()?)
}
