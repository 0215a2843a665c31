//! `live`: a page that computes a motion itself.

mod module;

#[cfg(feature = "python")]
use std::path::Path;

use least_action_pages::files::{apart, folder, replace};
use least_action_pages::live::{Live as Page, SHARED, html, shared};
use least_action_pages::view::check;
use serde_json::{Map, Value};

use crate::arguments::{Live, Request};
use crate::error::{Error, Result};
use crate::prepared::Prepared;
use crate::registry::{Registry, file};
use crate::streams::Streams;

/// The flag that names the page.
const FLAG: &str = "--out";

/// Makes the page.
pub(crate) fn live(registry: &Registry, arguments: &Live, streams: &mut Streams<'_>) -> Result {
    let Live { request, out, beside } = arguments;
    check(FLAG, out)?;
    let name = &request.model.name;
    let inputs = request.model.params.iter().chain(&request.start.file).map(|path| &**path);
    apart(inputs.chain([name.as_ref()]), &[(FLAG, out)])?;
    let program = std::env::current_exe().ok();
    let own = program.as_deref().map(folder);
    let page = page(registry, request, streams)?;
    let module = module::found(own, streams)?;
    if *beside {
        replace(FLAG, &folder(out).join(SHARED), &shared(&module))?;
    }
    let html = html(&page, (!beside).then_some(&*module));
    Ok(replace(FLAG, out, &html.map_err(|error| Error::unwritable("the page", &error))?)?)
}

/// The page of a motion, with its module, which may stand in a folder.
#[cfg(feature = "python")]
pub(crate) fn whole(
    registry: &Registry,
    request: &Request,
    own: Option<&Path>,
    streams: &mut Streams<'_>,
) -> Result<String> {
    let page = page(registry, request, streams)?;
    html(&page, Some(&module::found(own, streams)?)).map_err(|error| Error::unwritable("the page", &error))
}

/// What the page begins with.
fn page(registry: &Registry, request: &Request, streams: &mut Streams<'_>) -> Result<Page> {
    let files = registry.files(&request.model.name)?;
    let motion = Prepared::new(registry, request)?;
    let known = motion.method.options;
    if let Some((name, _)) = motion.options.given().find(|(name, _)| !known.contains(name)) {
        let reason = "constraints of a page have no penalty in their place";
        return Err(Error::Mistake(format!("--with {name}: {reason}")));
    }
    let options = motion.options.given().map(|(name, given)| (name.to_owned(), given.to_string())).collect();
    motion.notes().for_each(|note| streams.note(note));
    let defaults = registry.parameters(&request.model.name)?;
    let is_set = |(name, value): &(String, Value)| defaults.get(name) != Some(value);
    let set: Map<String, Value> = motion.instance.system.parameters().into_iter().filter(is_set).collect();
    let is_own = request.start.is_own() && request.start.from.is_empty();
    let state = if is_own { None } else { serde_json::to_value(&motion.start).ok() };
    let stem = |file: &str| file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned();
    let mut files = files.into_iter().map(|(file, text)| (stem(&file), text));
    let (name, text) = files.next().unwrap_or_default();
    // A text of a program or of a notebook has no file.
    let name =
        if file::is_file(&name) { name } else { format!("{}.rs", request.model.name.replace('-', "_")) };
    let text = text.trim_start_matches('\n').to_owned();
    let modules = files.map(|(file, text)| [file.trim_end_matches(".rs").to_owned(), text]).collect();
    let (method, step, span) = (motion.method.name, motion.step, motion.until - motion.start.t);
    Ok(Page { name, text, modules, defaults, set, method, options, step, span, state })
}
