from dataclasses import replace

import pytest
from families import few
from golden_reviews import HOSTILE
from sample_reviews import REVIEW

from bot.outputs import markdown
from bot.render import load, sandbox
from bot.stored import markers
from bot.values import Review

WORDS = load()


def with_own(source: str, name: str = "summary.md.j2", review: Review = REVIEW) -> str:
    """Render a summary with a template from the repository."""
    return markdown.render(replace(review, settings=replace(review.settings, templates=((name, source),))))


def test_custom_template_determines_the_wording() -> None:
    """The template sets the wording and uses our values."""
    page = with_own("Found {{ full | length }}: {{ say('what_was_read') }} {{ counts[0].all }}\n")

    assert page == "Found 2: What was checked 2\n"


def test_template_values_are_always_escaped() -> None:
    """Values are escaped without a filter, and `safe` does not disable that."""
    page = with_own("{{ title }} {{ title | safe }} {{ (title ~ '') }}", review=replace(REVIEW, pull=replace(REVIEW.pull, title=HOSTILE)))  # fmt: skip

    assert "@victim" not in page
    assert "<img" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("source", "why"),
    few(
        [
            ("{{ nothing }}", "is undefined"),
            ("{% if %}", "TemplateSyntaxError"),
            ("{{ ''.__class__.__mro__ }}", "SecurityError"),
            ("{{ say.__globals__ }}", "SecurityError"),
            ("{{ say('no such phrase') }}", "KeyError"),
            ("{% include 'finding.md.j2' %}", "TemplateNotFound"),
            ("{{ full.append(1) }}", "SecurityError"),
            ("{{ 'x' * 10 ** 10 }}", "512 MB"),
            ("{% for a in range(9000) %}{{ result * 9 }}{% endfor %}", "characters"),
            ("x" * 70_000, "longer than"),
            ("{{ 'x' * 65000 }}", "longer than"),
            ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "2 seconds"),
        ],
        *range(11),
    ),
)
def test_broken_template_falls_back_to_the_default(source: str, why: str) -> None:
    """The default template is used instead, with a note that says what is wrong."""
    page = with_own(source)

    assert page.startswith("## deeprepo: 🔴 3 findings")
    assert "The template summary.md.j2 in this repository failed" in page
    assert why in page.replace("\\_", "_")


def test_template_cannot_write_our_marker() -> None:
    """A marker in a template's text is broken up."""
    page = with_own('<!-- deeprepo:{"v":1} -->\n{{ result }}')

    assert markers.read(page) == markers.NO_MARKER
    assert "<!-- deeprepo" not in page


def test_template_process_has_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that renders templates has no environment."""
    monkeypatch.setenv("DEEPREPO_PLANTED", "secret")
    (text,) = sandbox.fill("{{ x }}", [{"x": "y"}], WORDS)

    assert text == "y"
    with pytest.raises(sandbox.BrokenTemplate, match="undefined"):
        sandbox.fill("{{ environ }}", [{}], WORDS)
