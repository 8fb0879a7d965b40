"""The walkthrough from static analysis: each sentence is true and useful to a reader."""

import re

from markdown_it import MarkdownIt
from small_changes import ByCode, Files

from bot.outputs import console, json_file, markdown
from bot.sections.walkthrough import WALKTHROUGH, Walkthrough
from bot.values import Review

RATES = (
    "def quote(weight, express=False):\n    if express:\n        return weight * 3\n    return weight * 2\n\n\n"
    "def surcharge(region):\n    names = sorted(region)\n    first = names[0]\n    return len(names) + len(first)\n"
)
USERS: Files = {
    f"shop/user{n}.py": f"from shop.rates import quote, surcharge\n\n\ndef cost{n}(box):\n    return quote(box) + surcharge(box)\n"
    for n in range(3)
}
BEFORE: Files = {"shop/__init__.py": "", "shop/rates.py": RATES, "README.md": "# Shop\n", **USERS}


def told(review: Review) -> Walkthrough:
    told = WALKTHROUGH.of(review)
    assert told is not None
    return told


def phrases(review: Review) -> dict[str, str]:
    return {row.path: row.phrase for theme in told(review).themes for row in theme.rows}


def test_overview_shows_renames_signatures_and_reference_counts(by_code: ByCode) -> None:
    """The overview names a rename and a new signature, and counts the uses outside the change."""
    after = (
        RATES.replace("express=False", "*, service").replace("if express", "if service").replace("surcharge", "extra")
    )
    done = by_code(BEFORE, {"shop/rates.py": after})
    said = told(done)

    assert said.by == "code"
    assert said.overview.startswith("1 edited file (+3 -3).")
    assert "renames `surcharge` → `extra` and gives `quote` a new signature" in said.overview
    assert (
        "Code outside the change uses `quote` and `surcharge` in 6 locations, including imports (3 files)."
        in said.overview
    )
    assert phrases(done) == {"shop/rates.py": "renames `surcharge` → `extra`; gives `quote` a new signature"}
    assert said.first is not None
    assert said.first.reason.startswith("see finding 1 (high)")


def test_documents_only_change_lists_only_the_files(by_code: ByCode) -> None:
    """A change without definitions only lists the files."""
    done = by_code(BEFORE, {"README.md": "# The shop\n"})

    assert told(done).overview == "1 edited file (+1 -1)."
    assert phrases(done) == {"README.md": "+1 -1"}
    assert told(done).first is None


def test_special_characters_in_paths_stay_inert(by_code: ByCode) -> None:
    """A path with quotes, backticks, pipes and HTML stays inert text in the table."""
    evil = 'shop/a"]`|<img src=x> click f0 "javascript:alert(1)".py'
    used: Files = {evil: RATES, "shop/b.py": "", **{f"shop/c{n}.py": "x = 1\n" for n in range(3)}}
    done = by_code({**BEFORE, **used}, {evil: RATES.replace("weight * 2", "weight * 4"), "shop/b.py": "y = 1\n"})
    page = markdown.render(done)

    assert phrases(done)[evil] == "edits `quote`"
    assert '| ``a"]`\\|<img src=x> click f0 ' in page
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    assert "<img" not in outside
    assert "javascript" not in outside


def test_constructor_without_a_name_is_not_named(by_code: ByCode) -> None:
    """A new field is named, but no constructor that the code does not have."""
    code = "package a\n\ntype Box struct {\n\tWide int\n}\n"
    done = by_code({"a.go": code}, {"a.go": code.replace("}", "\tHigh int\n}")})
    assert phrases(done) == {"a.go": "adds `Box.High`"}


def test_walkthrough_can_be_switched_off(by_code: ByCode) -> None:
    """With `walkthrough: false`, no output contains a walkthrough."""
    done = by_code({**BEFORE, ".deeprepo.yml": "walkthrough: false\n"}, {"README.md": "# The shop\n"})

    assert WALKTHROUGH.of(done) is None
    assert "1 edited file" not in markdown.render(done) + console.render(done)
    assert '"walkthrough": null' in json_file.render(done)
