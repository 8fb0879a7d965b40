"""A function that gives another result, and the calls that can no longer take it."""

import pytest

from deeprepo.impact.language import language_of
from deeprepo.impact.results import misuse, results


def said(path: str, before: str, after: str, call: str) -> str:
    """What is wrong with the call of `f` in the last text, "" if nothing is."""
    language = language_of(path)
    assert language is not None
    one, other, caller = (results(language, text.encode(), range(1, 99)) for text in (before, after, call))
    assert one is not None
    assert other is not None
    assert caller is not None
    was, now = (side.result("f", 1, 99) for side in (one, other))
    if was is None or now is None:
        return "unknown"
    line = next(number for number, row in enumerate(call.split("\n"), 1) if "f(" in row and "def " not in row)
    wrong = misuse(language, was, now, caller.ways("f", line))
    return f"{wrong.says}: {wrong.happens}" if wrong is not None else ""


GO = ("a/a.go", "package a\n\nfunc f(n int) %s {\n\tpanic(1)\n}\n")
CALL = "package a\n\nfunc g() %s {\n\t%s\n}\n"
ONE, TWO = "string", "(string, error)"


@pytest.mark.parametrize(
    ("home", "before", "after", "call", "message"),
    [
        (GO, ONE, TWO, CALL % ("", "s := f(1)"), "assigns 2 results to 1 name"),
        (GO, ONE, TWO, CALL % ("", 'if f(1) == "a" {\n\t}'), "uses 2 results as one value"),
        (GO, ONE, TWO, CALL % ("", "h(1, f(1))"), "uses 2 results as one value"),
        (GO, ONE, TWO, CALL % ("string", "return f(1)"), "returns 2 results from a function that returns 1"),
        (GO, TWO, ONE, CALL % ("", "s, err := f(1)"), "assigns 1 result to 2 names"),
        (GO, TWO, "(a, b string, err error)", CALL % ("", "s, err := f(1)"), "assigns 3 results to 2 names"),
        (GO, ONE, "", CALL % ("", "s := f(1)"), "assigns no result to 1 name"),
        (GO, ONE, TWO, CALL % ("", "f(1)"), ""),
        (GO, ONE, TWO, CALL % ("", "fmt.Println(f(1))"), ""),
        (GO, ONE, TWO, CALL % ("(string, error)", "return f(1)"), ""),
        (GO, ONE, TWO, CALL % ("", "s, err := f(1)"), ""),
        (GO, "error", "*Error", CALL % ("", "err := f(1)"), ""),
    ],
)  # fmt: skip
def test_what_no_longer_compiles(home: tuple[str, str], before: str, after: str, call: str, message: str) -> None:
    """Each call that does not fit the new result is told, with what comes of it where that is something else."""
    path, text = home
    found = said(path, text % before, text % after, call).removesuffix(": does not compile")
    assert found == message
