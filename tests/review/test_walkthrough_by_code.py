"""What code says of real changes: each sentence is true, and names what somebody who reads the change looks for."""

import asyncio
import re
from pathlib import Path

import pytest
from fakes import Repository
from markdown_it import MarkdownIt

from bot import wiring
from bot.outputs import console, json_file, markdown
from bot.values import Review, ReviewRequest, Walkthrough

Files = dict[str, str | bytes | None]
RATES = (
    "def quote(weight, express=False):\n    if express:\n        return weight * 3\n    return weight * 2\n\n\n"
    "def surcharge(region):\n    names = sorted(region)\n    first = names[0]\n    return len(names) + len(first)\n"
)
USERS: Files = {
    f"shop/user{n}.py": f"from shop.rates import quote, surcharge\n\n\ndef cost{n}(box):\n    return quote(box) + surcharge(box)\n"
    for n in range(3)
}
BEFORE: Files = {"shop/__init__.py": "", "shop/rates.py": RATES, "README.md": "# Shop\n", **USERS}


@pytest.fixture
def review(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Review a change offline."""
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)

    def reviewed(before: Files, after: Files) -> Review:
        repository.commit(before, "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit(after, "after")
        (tmp_path / "scratch").mkdir()
        return asyncio.run(wiring.local_review(ReviewRequest(str(repository.folder)), {}, str(tmp_path / "scratch")))

    return reviewed


def told(review: Review) -> Walkthrough:
    assert review.walkthrough is not None
    return review.walkthrough


def phrases(review: Review) -> dict[str, str]:
    return {row.path: row.phrase for theme in told(review).themes for row in theme.rows}


def test_a_new_signature_a_rename_and_their_users(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """The overview names both and counts the places outside the change; users know the old name."""
    after = (
        RATES.replace("express=False", "*, service").replace("if express", "if service").replace("surcharge", "extra")
    )
    done = review(BEFORE, {"shop/rates.py": after})
    said = told(done)

    assert said.by == "code"
    assert said.overview.startswith("1 file is edited (+3 -3).")
    assert "renames `surcharge` → `extra` and gives `quote` a new signature" in said.overview
    assert "Code outside the change uses `quote` and `surcharge` in 6 places (3 files)." in said.overview
    assert phrases(done) == {"shop/rates.py": "renames `surcharge` → `extra`; gives `quote` a new signature"}
    assert said.first is not None
    assert said.first.reason.startswith("finding 1 (high)")


def test_three_files_that_meet_are_drawn(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Each caller has an arrow to the changed file, with what it calls; the console and the JSON output have the same value."""
    done = review(BEFORE, {"shop/rates.py": RATES.replace("weight * 2", "weight * 4")})
    page = markdown.render(done)

    assert {(call.caller, call.callee, call.names) for call in told(done).calls} == {
        (f"shop/user{n}.py", "shop/rates.py", ("quote",)) for n in range(3)
    }
    assert page.count('-->|"quote"| f') == 3
    assert page.count("stroke-width:3px") == 1
    assert "Look first at shop/rates.py:" in console.render(done)
    assert '"caller": "shop/user0.py"' in json_file.render(done)


def test_two_files_are_not_drawn(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """One caller and what it calls need no sketch."""
    only: Files = {**BEFORE, "shop/user1.py": "", "shop/user2.py": ""}
    done = review(only, {"shop/rates.py": RATES.replace("weight * 2", "weight * 4")})

    assert told(done).calls == ()
    assert "mermaid" not in markdown.render(done)


def test_a_move_a_removal_and_a_renamed_file(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """A definition that moved is not one removed and one added; a file is told with its old name."""
    quote, surcharge = RATES.split("\n\n\n")
    done = review(
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

    assert "1 file is new, 1 file is deleted, 1 file is renamed and 2 files are edited" in overview
    assert "moves `surcharge` (`shop/rates.py` → `shop/regions.py`)" in overview
    assert "removes `gone`" in overview
    assert rows["shop/gone.py"] == "deleted: `gone`"
    assert rows["shop/new.py"].startswith("renamed from `shop/old.py`")
    assert [theme.title for theme in told(done).themes] == ["Code", "Documents"]


def test_what_moves_together_is_told_once(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """The members of a class that moved go without saying, and so does the pair of files after the first name."""
    quote, surcharge = RATES.split("\n\n\n")
    basket = "class Basket:\n    def add(self, item):\n        self.items.append(item)\n\n    def total(self):\n        return sum(self.items)\n"
    done = review(
        {**BEFORE, "shop/rates.py": f"{RATES}\n\n{basket}"},
        {"shop/rates.py": quote + "\n", "shop/regions.py": f"{surcharge}\n\n{basket}"},
    )

    assert "moves `surcharge` and `Basket` (`shop/rates.py` → `shop/regions.py`)" in told(done).overview
    assert "adds" not in told(done).overview


def test_a_change_of_documents_alone(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Nothing is made up where there are no definitions."""
    done = review(BEFORE, {"README.md": "# The shop\n"})

    assert told(done).overview == "1 file is edited (+1 -1)."
    assert phrases(done) == {"README.md": "+1 -1"}
    assert told(done).first is None


def test_a_workflow_that_runs_tests_is_settings(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Its name does not make it a test."""
    done = review(
        {**BEFORE, ".github/workflows/tests.yml": "on: push\n"}, {".github/workflows/tests.yml": "on: pull\n"}
    )

    assert [theme.title for theme in told(done).themes] == ["Settings"]


def test_names_of_the_change_break_out_of_nothing(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """A path with quotes, backticks, bars, brackets and a click stays a name in the table and in the drawing."""
    evil = 'shop/a"]`|<img src=x> click f0 "javascript:alert(1)".py'
    used: Files = {evil: RATES, "shop/b.py": "", **{f"shop/c{n}.py": "x = 1\n" for n in range(3)}}
    done = review({**BEFORE, **used}, {evil: RATES.replace("weight * 2", "weight * 4"), "shop/b.py": "y = 1\n"})
    page = markdown.render(done)

    assert phrases(done)[evil] == "edits `quote`"
    assert '| ``a"]`\\|<img src=x> click f0 ' in page
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    assert "<img" not in outside
    assert "javascript" not in outside


def test_many_files_are_grouped_and_cut_with_a_sentence(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """281 files: each folder is there with some of its files, and the sentences stay short."""
    after: Files = {f"src/part{n % 9}/module{n}.py": f"def work{n}(row):\n    return row\n" for n in range(240)}
    after |= {f"tests/test_{n}.py": f"def test_{n}():\n    assert {n} + 1\n" for n in range(41)}
    done = review(BEFORE, after)
    page = markdown.render(done)
    table = page[page.index("<details>") : page.index("</details>")]

    assert told(done).files == 281
    assert len(told(done).overview) < 500
    assert "<summary>What changes in 281 files</summary>" in page
    assert table.count("\n| ") <= 60
    assert "and 21 more files" in table
    assert len(page.encode()) < 64_000


def test_the_setting_switches_it_off(review) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """No walkthrough in any output."""
    done = review({**BEFORE, ".deeprepo.yml": "walkthrough: false\n"}, {"README.md": "# The shop\n"})

    assert done.walkthrough is None
    assert "1 file is edited" not in markdown.render(done) + console.render(done)
    assert '"walkthrough": null' in json_file.render(done)
