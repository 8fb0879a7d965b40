from dataclasses import replace

import step
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import proof
from bot.values import (
    Basis,
    ChangedSymbol,
    Definition,
    Dependents,
    Evidence,
    Excerpt,
    Finding,
    Reference,
    Source,
)
from deeprepo.impact.values import Arguments
from deeprepo.rlm.values import tokens

BEFORE: dict[str, str | bytes | None] = {
    "a.py": "def f(x):\n    check(x)\n    return scale_rate(x)\n",
    "b.py": "def scale_rate(x):\n    return x * 3\n",
    "c.py": "from a import f\n\n\ndef g():\n    return f(3)\n",
    "d.txt": "\n" * 400 + "far away\n",
}
AFTER: dict[str, str | bytes | None] = {"a.py": "def f(x):\n    return scale_rate(x)\n"}


def gathered(repository: Repository, finding: Finding) -> list[tuple[str, str, str]]:
    """Return the path, the side and the text of each excerpt."""
    pull = repository.change(BEFORE, AFTER)
    symbol = Definition("f", path="a.py", start=1, end=2)
    use = Reference("a.py:f", "f", "c.py", 5, "    return f(3)", "g", (4, 5), "bound", arguments=Arguments())
    users = Dependents(symbols=(ChangedSymbol(symbol, symbol, "body"),), references=(use,))

    async def run(tree: Checkout, files: step.Files) -> list[tuple[str, str, str]]:
        found = await proof.gather(finding, tree, users, files)
        assert sum(tokens(e.body) for e in found) <= proof.TOKENS
        return [(e.path, e.side, e.body) for e in found]

    return step.over(pull, run)


def finding(path: str = "a.py", quote: str = "    return scale_rate(x)", title: str = "t", **fields: object) -> Finding:
    source = Source("model", "m")
    return Finding(path, quote, title, "w", "c", "high", "logic", Basis((source,)), start=2, end=2, **fields)  # type: ignore[arg-type]


def test_new_definition_comes_first_then_the_old_one(repository: Repository) -> None:
    """The proof starts with the new definition and the old one, which contains the removed check."""
    first, second, *_ = gathered(repository, finding())
    assert first[:2] == ("a.py", "head")
    assert second[:2] == ("a.py", "base")
    assert "2     check(x)" in second[2]


def test_added_and_removed_lines_have_their_signs(repository: Repository) -> None:
    pull = repository.change(
        {"a.py": "def f(x):\n    check(x)\n    return x\n"}, {"a.py": "def f(x):\n    return scale_rate(x)\n"}
    )

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*proof.with_signs(await proof.gather(finding(), tree, Dependents(), files), files)]

    head, base = step.over(pull, run)
    assert head.body == "1 def f(x):\n+2     return scale_rate(x)"
    assert base.body.startswith("1 def f(x):\n-2     check(x)\n-3     return x")


def test_only_removed_statements_near_the_claim_are_shown(repository: Repository) -> None:
    """If much was removed, only whole statements near the claim are shown."""
    steps = [f"def step_{n}(row):\n    return (\n        row.rate_of_year_{n}\n    )\n" for n in range(300)]
    text = "".join(steps)
    pull = repository.change({"steps.py": text}, {"steps.py": text.replace("row.rate", "row.share")})
    claim = replace(finding(), path="steps.py", quote="        row.share_of_year_200", start=803, end=803)

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    (shown,) = [one for one in step.over(pull, run) if one.title == "as it was"]
    assert "801 def step_200(row):\n802     return (\n803         row.rate_of_year_200\n804     )" in shown.body
    assert len(shown.rows) < proof.MAX_DEFINITION_LINES


def test_callers_are_shown(repository: Repository) -> None:
    """The proof contains callers, whatever the finding quotes."""
    texts = {path: body for path, side, body in gathered(repository, finding()) if side == "head"}
    assert "5     return f(3)" in texts["c.py"]


def test_evidence_is_shown_with_its_surroundings(repository: Repository) -> None:
    """The proof contains the finding's evidence at the line where it was found."""
    excerpts = gathered(repository, finding(evidence=(Evidence("d.txt", "far away", 401),)))
    assert any(path == "d.txt" and "401 far away" in body for path, _, body in excerpts)


def test_removed_definition_named_in_a_claim_is_shown(repository: Repository) -> None:
    """A removed definition that a claim names is shown, even if the claim is in another file."""
    pull = repository.change(
        {
            "lib.sh": "one() {\n  echo 1\n}\n\nfunction check_rate() {\n  test $1 -gt 0\n}\n",
            "run.sh": "one\ncheck_rate 3\n",
        },
        {"lib.sh": "one() {\n  echo 1\n}\n"},
    )
    gone = Definition("check_rate", path="lib.sh", start=5, end=7, side="base")
    users = Dependents(symbols=(ChangedSymbol(gone, None, "removed"),))
    claim = finding("run.sh", "check_rate 3", "`check_rate` is gone")

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, users, files)]

    (shown,) = [one for one in step.over(pull, run) if one.side == "base"]
    assert (shown.path, shown.title) == ("lib.sh", "removed: check_rate")
    assert "5 function check_rate() {\n6   test $1 -gt 0" in shown.body


def test_removed_local_name_in_a_test_is_not_shown(repository: Repository) -> None:
    """A removed local name in a test is not shown for a claim about product code."""
    pull = repository.change({"tests/test_a.py": "file = 1\n", "a.py": "x = 1\n"}, {"a.py": "x = open(1)\n"})
    gone = Definition("file", path="tests/test_a.py", start=1, end=1, side="base")
    users = Dependents(symbols=(ChangedSymbol(gone, None, "removed"),))

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        claim = finding("a.py", "x = open(1)", "The file is never closed")
        return [*await proof.gather(replace(claim, start=1, end=1), tree, users, files)]

    assert not [one for one in step.over(pull, run) if one.path != "a.py"]


def test_moved_code_is_also_shown_at_its_old_location(repository: Repository) -> None:
    """For a claim in moved code, the code is also shown where it was before the move."""
    body = "".join(f"    step_{n} = load({n})\n" for n in range(12))
    pull = repository.change(
        {
            "old.py": f"def first():\n{body}    return scale_rate(1)\n\n\ndef second():\n    return 2\n",
            "new.py": "import old\n",
        },
        {
            "old.py": "def second():\n    return 2\n",
            "new.py": f"import old\n\n\ndef first():\n{body}    return scale_rate(1)\n",
        },
    )
    claim = replace(finding(path="new.py", quote="    step_5 = load(5)"), start=10, end=10)

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    before = [one for one in step.over(pull, run) if one.side == "base"]
    assert [(one.path, one.title) for one in before] == [("old.py", "as it was before it was moved")]
    assert "return scale_rate(1)" in before[0].body
