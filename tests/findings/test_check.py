import pytest
import step
from fakes import Repository

from bot.findings.quotes import check_quotes, locate
from bot.values import Basis, Evidence, Finding, PullRequest, Source


def finding(path: str, quote: str, start: int = 0, **fields: object) -> Finding:
    return Finding(
        path, quote, "t", "w", "c", "high", "logic", Basis((Source("model", "m", "worker"),)), start=start, **fields
    )  # type: ignore[arg-type]


def checked(pull: PullRequest, item: Finding) -> Finding | str:
    return step.over(pull, lambda tree, _: check_quotes(item, tree))


def test_finding_is_placed_where_its_quote_is_found(repository: Repository) -> None:
    """A finding's line is where its quote is found, whatever line the model reported."""
    pull = repository.change({}, {"a.py": "x = 1\n\nif x:\n    go(x)\n"})
    found = checked(pull, finding("a.py", "if x:\n    go(x)", start=77))
    assert isinstance(found, Finding)
    assert (found.start, found.end, found.side) == (3, 4, "head")


def test_finding_with_an_unknown_quote_is_rejected(repository: Repository) -> None:
    """A finding whose quote is not in the file is rejected with the reason."""
    pull = repository.change({}, {"a.py": "x = 1\n"})
    assert "does not occur in a.py" in str(checked(pull, finding("a.py", "y = 1")))
    assert "does not occur in b.py" in str(checked(pull, finding("b.py", "x = 1")))
    assert "quotes nothing" in str(checked(pull, finding("a.py", " \n")))


def test_finding_that_quotes_removed_code_is_on_the_base_side(repository: Repository) -> None:
    """A finding that quotes removed code is placed on the base side."""
    pull = repository.change({"a.py": "check_quotes()\nx = 1\n"}, {"a.py": "x = 1\n"})
    found = checked(pull, finding("a.py", "check_quotes()"))
    assert isinstance(found, Finding)
    assert (found.side, found.start) == ("base", 1)


def test_unknown_evidence_is_dropped_but_the_finding_stays(repository: Repository) -> None:
    """Evidence that can't be found is dropped; other evidence gets its line number."""
    pull = repository.change({"b.py": "\ncall(1)\n"}, {"a.py": "x = 1\n"})
    evidence = (Evidence("b.py", "call(1)"), Evidence("b.py", "invented()"), Evidence("none.py", "call(1)"))
    found = checked(pull, finding("a.py", "x = 1", evidence=evidence))
    assert isinstance(found, Finding)
    assert [(item.path, item.line) for item in found.evidence] == [("b.py", 2)]


def test_evidence_with_several_matches_uses_the_nearest_line(repository: Repository) -> None:
    pull = repository.change(
        {}, {"a.py": "def f(x):\n    go(x)\n\n\ndef g(x):\n    if x:\n        stop()\n    go(x)\n"}
    )
    found = checked(pull, finding("a.py", "    if x:", evidence=(Evidence("a.py", "    go(x)"),)))
    assert isinstance(found, Finding)
    assert [item.line for item in found.evidence] == [8]


@pytest.mark.parametrize(
    ("text", "quote", "near", "lines"),
    [
        ("a\nb\na\n", "a", 3, (3, 3)),
        ("a\nb\na\n", "a", 0, (1, 1)),
        ("def f():\n    return  1\n", "return 1", 0, (2, 2)),
        ("if x:\n\treturn 1\n", "if x:\n    return 1", 0, (1, 2)),
        ("a = fetch(x)  # why\n", "fetch(x)", 0, (1, 1)),
        ("print(1)\n", "in", 0, None),
        ("a\r\nb\r\n", "a\nb", 0, (1, 2)),
        ("", "a", 0, None),
    ],
)
def test_quote_is_matched_exactly_then_loosely(text: str, quote: str, near: int, lines: tuple[int, int] | None) -> None:
    """A quote is matched exactly, then ignoring whitespace, then as part of a line."""
    assert locate(text, quote, near) == lines
