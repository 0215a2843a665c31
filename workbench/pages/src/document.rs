//! A page to be read: one file of HTML with its style and its pictures, light or dark as the system, fit
//! for paper.

use std::fmt::{Arguments, Display, Write};
use std::io;

use serde::Serialize;

const STYLE: &str = include_str!("document/style.css");

/// The page loads nothing; its one script plays the motion.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'";

/// Names and values under a heading.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    pub heading: String,
    pub rows: Vec<[String; 2]>,
}

/// A page while it is written.
pub struct Document(String);

impl Document {
    /// A page that begins with its title.
    pub fn new(title: &str) -> Self {
        let title = escaped(title);
        Self(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        ))
    }

    /// Appends HTML, whose texts are [escaped].
    pub fn push(&mut self, html: Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.0.write_fmt(html);
    }

    /// A warning that no reader may overlook.
    pub fn alert(&mut self, text: &str) {
        self.push(format_args!("<p class=\"alert\" role=\"alert\">{}</p>\n", escaped(text)));
    }

    pub fn heading(&mut self, text: &str) {
        self.push(format_args!("<h2>{}</h2>\n", escaped(text)));
    }

    /// The documentation of an item of Rust: its paragraphs and headings, without the marks of code.
    pub fn documentation(&mut self, text: &str) {
        for part in text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) {
            let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
            let is_heading = first.starts_with('#');
            if is_heading {
                self.push(format_args!("<h3>{}</h3>\n", marked(first.trim_start_matches('#').trim())));
            }
            let text = if is_heading { rest } else { part };
            if !text.trim().is_empty() {
                self.push(format_args!("<p>{}</p>\n", marked(text)));
            }
        }
    }

    /// Tables of names and values side by side, each under a heading.
    pub fn facts(&mut self, sections: &[Section]) {
        self.push(format_args!("<div class=\"facts\">\n"));
        for Section { heading, rows } in sections.iter().filter(|section| !section.rows.is_empty()) {
            self.push(format_args!("<section><h3>{}</h3><dl>\n", escaped(heading)));
            for [name, value] in rows {
                self.push(format_args!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value)));
            }
            self.push(format_args!("</dl></section>\n"));
        }
        self.push(format_args!("</div>\n"));
    }

    /// A table of numbers behind names.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.push(format_args!("<div class=\"wide\"><table>\n<thead><tr>"));
        head.iter().for_each(|cell| self.push(format_args!("<th scope=\"col\">{}</th>", escaped(cell))));
        self.push(format_args!("</tr></thead>\n"));
        for row in rows {
            self.push(format_args!("<tr>"));
            row.iter().for_each(|cell| self.push(format_args!("<td>{}</td>", escaped(cell))));
            self.push(format_args!("</tr>\n"));
        }
        self.push(format_args!("</table></div>\n"));
    }

    /// Remarks on the run.
    pub fn notes(&mut self, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.push(format_args!("<ul class=\"notes\">\n"));
        items.iter().for_each(|item| self.push(format_args!("<li>{}</li>\n", escaped(item))));
        self.push(format_args!("</ul>\n"));
    }

    /// A picture, as the text of an SVG element, with its name for readers who cannot see it.
    pub fn figure(&mut self, name: &str, svg: &str) {
        let name = quoted(&escaped(name));
        self.push(format_args!("<figure aria-label=\"{name}\">\n{svg}\n</figure>\n"));
    }

    /// The page that plays a motion, whole and closed in itself; a tall one has curves below its
    /// picture.
    pub fn motion(&mut self, title: &str, page: &str, is_tall: bool) {
        let title = quoted(&escaped(title));
        let class = if is_tall { " class=\"tall\"" } else { "" };
        self.push(format_args!(
            "<figure class=\"motion\"><iframe{class} loading=\"lazy\" title=\"{title}\" srcdoc=\"{}\"></iframe></figure>\n",
            quoted(page)
        ));
    }

    /// The whole page.
    pub fn finish(mut self) -> String {
        self.0.push_str("</body>\n</html>\n");
        self.0
    }
}

/// Writes a page whose marks, in their order, are replaced.
pub(crate) fn fill(out: &mut impl io::Write, page: &str, marks: &[(&str, &dyn Display)]) -> io::Result<()> {
    let mut rest = page;
    for (mark, text) in marks {
        let (before, after) = rest
            .split_once(mark)
            .ok_or_else(|| io::Error::other(format!("the page has no place for {mark}")))?;
        rest = after;
        write!(out, "{before}{text}")?;
    }
    write!(out, "{rest}")
}

/// A text as it stands in HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// HTML as the value of an attribute.
pub fn quoted(html: &str) -> String {
    html.replace('&', "&amp;").replace('"', "&quot;")
}

/// A page within the page of a notebook.
pub fn framed(page: &str) -> String {
    let (page, style) = (quoted(page), "width: 100%; height: 720px; border: 0");
    format!("<iframe srcdoc=\"{page}\" style=\"{style}\" title=\"The motion\"></iframe>")
}

/// Prose with `code` and *emphasis*.
fn marked(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            html.push_str(&format!("<code>{}</code>", escaped(part)));
            continue;
        }
        for (number, part) in part.split('*').enumerate() {
            let part = escaped(part);
            html.push_str(&if number % 2 == 1 { format!("<em>{part}</em>") } else { part });
        }
    }
    html
}
