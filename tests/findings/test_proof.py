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


def test_callers_are_shown(repository: Repository) -> None:
    """The proof contains callers, whatever the finding quotes."""
    texts = {path: body for path, side, body in gathered(repository, finding()) if side == "head"}
    assert "5     return f(3)" in texts["c.py"]


def test_evidence_is_shown_with_its_surroundings(repository: Repository) -> None:
    """The proof contains the finding's evidence at the line where it was found."""
    excerpts = gathered(repository, finding(evidence=(Evidence("d.txt", "far away", 401),)))
    assert any(path == "d.txt" and "401 far away" in body for path, _, body in excerpts)
