"""The walkthrough from static analysis: each sentence is true and useful to a reader."""

import re

from markdown_it import MarkdownIt
from small_changes import ByCode, Files

from bot.features.walkthrough.section import WALKTHROUGH
from bot.features.walkthrough.values import Walkthrough
from bot.outputs import console, json_file, markdown
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


def test_reformatting_is_not_a_new_signature(by_code: ByCode) -> None:
    """Neither new line breaks nor a trailing comma make a new signature."""
    before = {"a.py": "def f(a, b):\n    return a\n", "b.ts": "export function f(a: A, b: B) {\n  return 1;\n}\n"}
    done = by_code(
        dict(before), {path: text.replace("(a", "(\n  a").replace(")", ",\n)") for path, text in before.items()}
    )
    assert phrases(done) == {"a.py": "edits `f`", "b.ts": "edits `f`"}


def test_diagram_has_an_arrow_from_each_caller(by_code: ByCode) -> None:
    """The diagram has an arrow from each caller, and the console and the JSON output have the same data."""
    done = by_code(BEFORE, {"shop/rates.py": RATES.replace("weight * 2", "weight * 4")})
    page = markdown.render(done)

    assert {(call.caller, call.callee, call.names) for call in told(done).calls} == {
        (f"shop/user{n}.py", "shop/rates.py", ("quote",)) for n in range(3)
    }
    assert page.count('-->|"quote"| f') == 3
    assert page.count("stroke-width:3px") == 1
    assert "Start at shop/rates.py:" in console.render(done)
    assert '"caller": "shop/user0.py"' in json_file.render(done)


def test_moved_definition_is_not_listed_as_removed_and_added(by_code: ByCode) -> None:
    """A moved definition is not listed as removed and added; a renamed file is shown with its old name."""
    quote, surcharge = RATES.split("\n\n\n")
    done = by_code(
        {
            **BEFORE,
            "shop/old.py": "".join(f"LINE{n} = {n}\n" for n in range(30)),
            "shop/gone.py": "def gone():\n    return 1\n",
        },
        {
            "shop/rates.py": quote + "\n",
            "shop/regions.py": surcharge,
            "shop/old.py": None,
            "shop/new.py": "".join(f"LINE{n} = {n}\n" for n in range(30)) + "MORE = 1\n",
            "shop/gone.py": None,
            "README.md": "# The shop\n",
        },
    )
    overview, rows = told(done).overview, phrases(done)

    assert "1 new file, 1 deleted file, 1 renamed file and 2 edited files" in overview
    assert "moves `surcharge` (`shop/rates.py` → `shop/regions.py`)" in overview
    assert "removes `gone`" in overview
    assert rows["shop/gone.py"] == "deleted: `gone`"
    assert rows["shop/new.py"].startswith("renamed from `shop/old.py`")
    assert [theme.title for theme in told(done).themes] == ["Code", "Documents"]


def test_documents_only_change_lists_only_the_files(by_code: ByCode) -> None:
    """A change without definitions only lists the files."""
    done = by_code(BEFORE, {"README.md": "# The shop\n"})

    assert told(done).overview == "1 edited file (+1 -1)."
    assert phrases(done) == {"README.md": "+1 -1"}
    assert told(done).first is None


def test_special_characters_in_paths_stay_inert(by_code: ByCode) -> None:
    """A path with quotes, backticks, pipes and HTML stays inert text in the table and in the diagram."""
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


def test_large_file_list_is_grouped_by_folder_and_truncated(by_code: ByCode) -> None:
    """For 281 files, every folder is shown with some of its files, and the sentences stay short."""
    after: Files = {f"src/part{n % 9}/module{n}.py": f"def work{n}(row):\n    return row\n" for n in range(240)}
    after |= {f"tests/test_{n}.py": f"def test_{n}():\n    assert {n} + 1\n" for n in range(41)}
    done = by_code(BEFORE, after)
    page = markdown.render(done)
    table = page[page.index("<details>") : page.index("</details>")]

    assert told(done).files == 281
    assert len(told(done).overview) < 500
    assert "<summary>What changes in 281 files</summary>" in page
    assert table.count("\n| ") <= 60
    assert "and 21 more files" in table
    assert len(page.encode()) < 64_000


def test_walkthrough_can_be_switched_off(by_code: ByCode) -> None:
    """With `walkthrough: false`, no output contains a walkthrough."""
    done = by_code({**BEFORE, ".deeprepo.yml": "walkthrough: false\n"}, {"README.md": "# The shop\n"})

    assert WALKTHROUGH.of(done) is None
    assert "1 edited file" not in markdown.render(done) + console.render(done)
    assert '"walkthrough": null' in json_file.render(done)


def test_one_line_change_has_no_suggested_start(by_code: ByCode) -> None:
    """A change of a single settings line has no suggested location to start at."""
    done = by_code({"package.json": '{"version": "1"}\n'}, {"package.json": '{"version": "2"}\n'})
    assert told(done).first is None


def test_edits_that_nothing_uses_have_no_suggested_start(by_code: ByCode) -> None:
    before: Files = {f"jobs/{name}.py": f"def {name}():\n    return 1\n" for name in ("nightly", "weekly")}
    done = by_code(before, {path: str(text).replace("1", "2") for path, text in before.items()})
    assert told(done).first is None


def test_suggested_start_says_why(by_code: ByCode) -> None:
    first = told(by_code(BEFORE, {"shop/rates.py": RATES.replace("weight * 2", "weight * 4")})).first
    assert first is not None
    assert first.reason == "`quote` is edited and is used or imported in 6 locations."


def test_new_name_of_a_renamed_member_is_written_without_its_class(by_code: ByCode) -> None:
    before: Files = {"a.py": "class Cart:\n    def total(self):\n        return sum(self.rows) + 1\n"}
    done = by_code(before, {"a.py": str(before["a.py"]).replace("total", "amount")})
    assert phrases(done) == {"a.py": "renames `Cart.total` → `amount`"}


def test_region_that_only_removes_lines_is_not_counted_as_checked(by_code: ByCode) -> None:
    """The table of what was checked counts the same regions as the sentence below it."""
    done = by_code({"a.toml": "x = 1\ny = 2\n", "b.py": "x = 1\n"}, {"a.toml": "y = 2\n", "b.py": "x = 2\n"})
    page = console.render(done)
    assert re.search(r"Changed code regions +1 +1 ", page)
    assert "Checked 1 changed code region." in page
