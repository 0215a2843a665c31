"""Pages that compute."""

import html
import json
import pathlib
import subprocess

import pytest

import least_action as la

MODULE = pathlib.Path(__file__).resolve().parents[3] / "target/live/least-action-live.lzma"
needs_the_module = pytest.mark.skipif(
    not MODULE.is_file(), reason="what computes in a page is not built: `least-action live chain --out chain.html` does so"
)

SPRING = """
/// A mass on a spring: a < b.
struct Spring {
    stiffness: f64,
}

impl Default for Spring {
    fn default() -> Self {
        Self { stiffness: 4.0 }
    }
}

#[lagrangian]
impl Spring {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * self.stiffness * x.powi(2)
    }
}
"""


def head(page):
    """What a page begins with."""
    return json.loads(page.split('id="head">')[1].split("</script>")[0])


def shown(page):
    """The page that a notebook keeps in its frame."""
    frame = page._repr_html_()
    assert frame.startswith('<iframe srcdoc="') and frame.count('"') == 6
    return html.unescape(frame.split('"')[1])


@needs_the_module
def test_a_page_is_that_of_the_command(tmp_path, request):
    page = la.live(la.Chain(links=3), "rattle", step=0.01, until=5, start={"bobs[0]": (0.6, -0.8)})
    page.save(tmp_path / "ours.html")
    ours = (tmp_path / "ours.html").read_text()
    assert shown(page) == ours
    begins = head(ours)
    assert (begins["set"], begins["method"], begins["step"], begins["span"]) == ({"links": 3}, "rattle", 0.01, 5.0)
    assert len(begins["state"]["q"]) == 6
    command = request.config.getoption("--command")
    if command:
        line = "live chain --set links=3 --method rattle --step 0.01 --until 5 --from bobs[0]=(0.6,-0.8) --out theirs.html"
        subprocess.run([command, *line.split()], cwd=tmp_path, check=True)
        assert (tmp_path / "theirs.html").read_text() == ours


@needs_the_module
def test_a_class_is_shown_with_its_defaults():
    assert la.live(la.Kepler)._repr_html_() == la.live(la.Kepler())._repr_html_()
    assert repr(la.live(la.Kepler)).startswith("<page that computes Kepler: ")


@needs_the_module
def test_a_text_is_on_its_page():
    begins = head(shown(la.live(la.declare(SPRING)(stiffness=9.0), step=0.01, until=6)))
    assert (begins["name"], begins["text"]) == ("spring.rs", SPRING.lstrip("\n"))
    assert begins["defaults"] == {"stiffness": 4.0} and begins["set"] == {"stiffness": 9.0}


def test_mistakes_are_told_before_anything_is_built(tmp_path):
    with pytest.raises(ValueError, match="is the class of no model"):
        la.live(3)
    with pytest.raises(ValueError, match="the step must be positive"):
        la.live(la.Chain(), step=-1)
    with pytest.raises(ValueError, match="`rattle` has no option `evry`"):
        la.live(la.Chain(), "rattle", evry=2)


@needs_the_module
def test_a_page_is_a_file_of_html(tmp_path):
    with pytest.raises(ValueError, match=".html"):
        la.live(la.Kepler).save(tmp_path / "kepler.svg")
    assert list(tmp_path.iterdir()) == []
