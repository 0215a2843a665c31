//! Two motions side by side, under one clock.

use crate::document::{escaped, quoted};

const PAGE: &str = include_str!("page/pair.html");

/// The page of two pages, each with its title.
pub fn pair(pages: &[(String, String); 2]) -> String {
    let title = pages.each_ref().map(|(title, _)| escaped(title)).join(" · ");
    let section = |(title, page): &(String, String)| {
        let (name, title) = (quoted(&escaped(title)), escaped(title));
        let page = quoted(page);
        format!("<section><h2>{title}</h2><iframe title=\"{name}\" srcdoc=\"{page}\"></iframe></section>")
    };
    let (head, rest) = PAGE.split_once("{title}").unwrap_or((PAGE, ""));
    let (middle, foot) = rest.split_once("{pages}").unwrap_or((rest, ""));
    let [one, other] = pages.each_ref().map(section);
    [head, &title, middle, &one, &other, foot].concat()
}
