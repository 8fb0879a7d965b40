from collections.abc import Sequence
from dataclasses import replace

import step
from fakes import Repository

from bot.findings.placing import place
from bot.findings.suggest import suggest
from bot.values import Basis, Finding, PlacedFinding, Source

BASE = Finding("", "", "t", "w", "c", "high", "logic", Basis((Source("model", "m", "worker"),)))
PYTHON = "import os\n\n\ndef load(path, strict):\n    if strict == None:\n        strict = False\n    for row in open(path):\n        print(row)\n    return strict\n"
TABS = "package shop\n\nfunc Total(rows []int) int {\n\tsum := 0\n\tfor _, row := range rows {\n\t\tsum = sum + row\n\t}\n\treturn sum\n}\n"
SCRIPT = "export function total(rows) {\n  let sum = 0;\n  for (const row of rows) {\n    sum = sum - row;\n  }\n  return sum;\n}\n"


Case = tuple[str, str | bytes, str, int, str | None]  # path, file content, quote, its first line, suggestion


def tried(repository: Repository, cases: Sequence[Case]) -> list[PlacedFinding]:
    """Return a finding about a new file for each case, after placing it and testing the suggestion."""
    files: dict[str, str | bytes | None] = {f"{at}/{case[0]}": case[1] for at, case in enumerate(cases)}
    findings = [
        replace(BASE, path=path, quote=quote, start=start, end=start + quote.strip("\n").count("\n"), suggestion=said)
        for path, (_, _, quote, start, said) in zip(files, cases, strict=True)
    ]
    pull = repository.change({"README": "x\n"}, files)

    return list(step.over(pull, lambda tree, files: suggest(place(findings, files), tree)))


OFFERED: list[tuple[str, str, str, int, str, str]] = [
        ("a.py", PYTHON, "    if strict == None:", 5, "    if strict is None:", "    if strict is None:"),
        ("a.py", PYTHON, "if strict == None:", 5, "if strict is None:", "    if strict is None:"),
        ("a.py", PYTHON, "    if strict == None:\n        strict = False", 5, "strict = bool(strict)", "    strict = bool(strict)"),
        (
            "a.py", PYTHON, "    for row in open(path):\n        print(row)", 7,
            "with open(path) as rows:\n    for row in rows:\n        print(row)",
            "    with open(path) as rows:\n        for row in rows:\n            print(row)",
        ),
        (
            "a.py", PYTHON, "    for row in open(path):\n        print(row)", 7,
            "with open(path) as rows:\n        for row in rows:\n            print(row)",
            "    with open(path) as rows:\n        for row in rows:\n            print(row)",
        ),
        ("a.py", PYTHON, "    return strict", 9, "```python\n    return bool(strict)\n```", "    return bool(strict)"),
        ("a.py", PYTHON, "import os", 1, "", ""),
        ("a.py", PYTHON, "    for row in open(path):", 7, "    for row in list(open(path)):\n        print(row)", "    for row in list(open(path)):"),
        ("a.py", PYTHON, "        strict = False", 6, "if strict == None:\n    strict = True", "        strict = True"),
        ("t.go", TABS, "\t\tsum = sum + row", 6, "        sum += row", "\t\tsum += row"),
        ("t.go", TABS, "\tfor _, row := range rows {\n\t\tsum = sum + row\n\t}", 5, "for i := range rows {\n    sum += rows[i]\n}", "\tfor i := range rows {\n\t\tsum += rows[i]\n\t}"),
        ("t.ts", SCRIPT, "    sum = sum - row;", 4, "sum += row;", "    sum += row;"),
        ("a.sh", "if x; then\n  run $1\nfi\n", "  run $1", 2, 'run "$1"', '  run "$1"'),
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', '  "a": 1,', 2, '"a": "1",', '  "a": "1",'),
        ("a.md", "# T\n\nSee `a`.\n", "See `a`.", 3, "See ```a```.", "See ```a```."),
]  # fmt: skip


def test_valid_suggestion_is_offered(repository: Repository) -> None:
    """A suggestion is offered as whole lines with the file's indentation."""
    found = tried(repository, [case[:5] for case in OFFERED])
    assert [(row.replacement, row.refused) for row in found] == [(case[5], "") for case in OFFERED]


REFUSED: list[tuple[str, str, str, int, str, str]] = [
        ("a.py", PYTHON, "    if strict == None:", 5, "    if strict is None", "syntax"),
        ("a.py", PYTHON, "    if strict == None:\n        strict = False", 5, "    if strict is None:", "syntax"),
        ("a.py", PYTHON, "    if strict == None:", 5, "    if strict == None:\n", "same"),
        ("a.py", PYTHON, "strict == None", 5, "strict is None", "part"),
        ("a.py", PYTHON, "    return strict", 9, "    return strict\u200b or 1", "unseen"),
        ("a.py", PYTHON, "    return strict", 9, "    return '\u202estrict'", "unseen"),
        ("a.py", PYTHON, "    return strict", 9, "-    return strict\n+    return bool(strict)", "shape"),
        ("a.py", PYTHON, "    return strict", 9, "    # ... rest unchanged\n    return bool(strict)", "shape"),
        ("a.py", PYTHON, "    return strict", 9, "        print(row)", "shape"),
        ("a.md", "# T\n\nSee `a`.\n", "See `a`.", 3, "<!-- DeepRepo:{} -->", "shape"),
        ("a.py", PYTHON, "    return strict", 9, "    x = 1\n" * 300, "long"),
        ("t.go", TABS, "\treturn sum", 8, "\treturn sum +", "syntax"),
        ("t.ts", SCRIPT, "    sum = sum - row;", 4, "    sum = (sum + row;", "syntax"),
        ("a.sh", "if x; then\n  run $1\nfi\n", "  run $1", 2, "  run $(date", "shape"),
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', '  "a": 1,', 2, '  "a": 1', "syntax"),
        ("a.toml", "[a]\nb = 1\n", "b = 1", 2, "b = ", "syntax"),
        ("a.yml", "a:\n  - b\n", "  - b", 2, "  - [b", "syntax"),
]  # fmt: skip


def test_invalid_suggestion_is_kept_as_text(repository: Repository) -> None:
    """A suggestion that doesn't apply is kept as text, with the reason for its rejection."""
    found = tried(repository, [case[:5] for case in REFUSED])
    assert [row.refused for row in found] == [case[5] for case in REFUSED]
    assert [(row.replacement, row.finding.suggestion) for row in found] == [(None, case[4]) for case in REFUSED]


def test_existing_syntax_error_does_not_reject_a_suggestion(repository: Repository) -> None:
    """In a file that already has a syntax error, only a new one rejects a suggestion."""
    broken = "def f(:\n    pass\n\n\ndef g(x):\n    return x == None\n"
    cases: list[Case] = [
        ("a.py", broken, "    return x == None", 6, "    return x is None"),
        ("a.py", broken, "    return x == None", 6, "    return x is (None"),
    ]
    assert [row.refused for row in tried(repository, cases)] == ["", "syntax"]


def test_suggestion_is_offered_only_for_exact_head_lines(repository: Repository) -> None:
    """A suggestion for a cut range, a removed line or a file comment is not offered."""
    pull = repository.change({"a.py": "a = 1\nb = 2\n" + "#\n" * 20}, {"a.py": "a = 1\n" + "#\n" * 20})
    base = replace(BASE, path="a.py", quote="b = 2", start=2, end=2, side="base", suggestion="b = 3")
    far = replace(base, side="head", quote="#", start=18, end=18, suggestion="# x")
    long = replace(base, side="head", quote="a = 1\n" + "#\n" * 20, start=1, end=21, suggestion="a = 2")

    found = step.over(pull, lambda tree, files: suggest(place([base, far, long], files), tree))
    assert [(row.place, row.refused) for row in found] == [("inline", "place"), ("file", "place"), ("inline", "place")]


def test_suggestion_of_several_passes_is_a_fix(repository: Repository) -> None:
    """A suggestion is applied as a fix if several passes reported the finding, unless the confirmation could not decide."""
    (alone,) = tried(repository, [("a.py", PYTHON, "    if strict == None:", 5, "    if strict is None:")])
    agreed = Basis((*BASE.basis.sources, Source("model", "m", "root", view="diff")))
    bases = (BASE.basis, agreed, replace(agreed, unsettled="why"), replace(agreed, unconfirmed=True))
    placed = [replace(alone, finding=replace(alone.finding, basis=basis)) for basis in bases]
    assert [len(each.rewrites) for each in placed] == [0, 1, 0, 0]
