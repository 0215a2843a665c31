//! Pages to be read.

use least_action_pages::document::Document;

#[test]
fn texts_are_escaped_and_pages_within_are_quoted_once_more() {
    let mut document = Document::new("a < b & c");
    document.documentation("A *chain* of `T<f64>`.\n\nUnits: SI.\n\n# Source\nSomebody, *Some paper*.");
    document.motion("\"m\"", "<p title=\"x\">1 &lt; 2</p>", false);
    let page = document.finish();
    assert!(page.contains("<title>a &lt; b &amp; c</title>"), "{page}");
    assert!(
        page.contains("<p>A <em>chain</em> of <code>T&lt;f64&gt;</code>.</p>\n<p>Units: SI.</p>"),
        "{page}"
    );
    assert!(page.contains("<h3>Source</h3>\n<p>Somebody, <em>Some paper</em>.</p>"), "{page}");
    assert!(page.contains("srcdoc=\"<p title=&quot;x&quot;>1 &amp;lt; 2</p>\""), "{page}");
}
