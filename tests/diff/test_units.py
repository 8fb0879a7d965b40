from itertools import groupby, pairwise

import step
from fakes import Repository
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import diff
from bot.checkout import Checkout
from bot.diff import units
from bot.diff.units import UNIT_TOKENS, Texts
from bot.values import ChangedFile, ChangedSymbol, Definition, Dependents, DiffLine, Hunk, PullRequest, Reference
from deeprepo.impact.values import Arguments, Signature


def read(pull: PullRequest) -> tuple[tuple[ChangedFile, ...], Texts]:
    async def run(tree: Checkout, files: step.Files) -> tuple[tuple[ChangedFile, ...], Texts]:
        return files, await step.texts(tree, files)

    return step.over(pull, run)


def function(path: str, name: str, start: int, end: int, change: str = "body") -> ChangedSymbol:
    symbol = Definition(name, path=path, start=start, end=end, signature=Signature(), head=f"def {name}()")
    return ChangedSymbol(symbol, symbol, change)  # type: ignore[arg-type]


def marked(repository: Repository, before: str, after: str) -> list[str]:
    """Return the notes in a change's diff as shown in a prompt."""
    files, texts = read(repository.change({"a.py": before}, {"a.py": after}))
    (one,) = diff.file_diffs(units.cut(files, Dependents(), texts), files)
    return [row.text for row in one.rows if not row.sign]


def test_changed_definition_is_one_region_with_old_and_new_lines(repository: Repository) -> None:
    """The whole definition is shown as a diff, unchanged lines too."""
    before = "import os\n\ndef f(x):\n    a = 1\n    return a\n"
    after = "import os\n\ndef f(x):\n    a = 2\n    return a\n"
    files, texts = read(repository.change({"a.py": before}, {"a.py": after}))
    (unit,) = units.cut(files, Dependents(symbols=(function("a.py", "f", 3, 5),)), texts)
    assert (unit.id, unit.start, unit.end, unit.side) == ("a.py:f", 3, 5, "head")
    assert unit.text == "def f(x):\n    a = 2\n    return a"
    assert unit.diff.split("\n") == [" 3 def f(x):", "-4     a = 1", "+4     a = 2", " 5     return a"]


def test_long_region_is_split_with_overlap(repository: Repository) -> None:
    """No part exceeds the limit, neighboring parts overlap, and the last part includes the last line."""
    body = "".join(f"    value_{number} = compute({number}, 'some text to fill the line')\n" for number in range(1500))
    files, texts = read(repository.change({}, {"a.py": "def f():\n" + body}))
    parts = sorted(
        units.cut(files, Dependents(symbols=(function("a.py", "f", 1, 1501, "added"),)), texts), key=lambda u: u.start
    )
    assert len(parts) > 3
    assert all(len(unit.text) <= UNIT_TOKENS * 3.5 for unit in parts)
    assert all(one.end >= other.start for one, other in pairwise(parts))
    assert (parts[0].start, parts[-1].end) == (1, 1501)


def test_definition_with_a_new_signature_and_callers_comes_first(repository: Repository) -> None:
    """A definition with a new signature and callers comes before one that only changes its body."""
    files, texts = read(
        repository.change(
            {"a.py": "def f():\n    1\n\n\ndef g():\n    1\n"}, {"a.py": "def f():\n    2\n\n\ndef g():\n    2\n"}
        )
    )
    reference = Reference("a.py:g", "g", "b.py", 1, "g()", "<module>", None, "bound", arguments=Arguments())
    symbols = (function("a.py", "f", 1, 2), function("a.py", "g", 5, 6, "signature"))
    found = units.cut(files, Dependents(symbols=symbols, references=(reference,)), texts)
    assert [unit.name for unit in found] == ["g", "f"]
    assert found[0].references == (reference,)


def test_changed_lines_are_in_file_order_with_notes_on_gaps(repository: Repository) -> None:
    """Changed lines are in file order, and a note states how many lines lie between and who has them."""
    body = "".join(f"    def m{n}(self):\n        a = {n}\n        b = {n}\n        return {n}\n\n" for n in range(40))
    after = body.replace("return 20\n", "return 0\n").replace("        b = 3\n", "").replace("a = 38", "a = 1")
    files, texts = read(repository.change({"a.py": f"class A:\n{body}"}, {"a.py": f"class A:\n{after}"}))
    found = [unit for unit in units.cut(files, Dependents(), texts) if "a = 1" not in unit.diff]
    (part,) = diff.file_diffs(found, files)
    assert part.body.split("\n") == [
        " 1 class A:",
        " [... 14 unchanged lines ...]",
        " 16 ",
        "      def m3(self):",
        "          a = 3",
        "-19         b = 3",
        "          return 3",
        "  ",
        " 21     def m4(self):",
        " [... 79 unchanged lines ...]",
        " 101     def m20(self):",
        "          a = 20",
        "          b = 20",
        "-105         return 20",
        "+104         return 0",
        "  ",
        "      def m21(self):",
        "          a = 21",
    ]
    assert "[... 165 lines, 2 of them changed: another reader has them ...]" in _hidden(files, texts)


def _hidden(files: tuple[ChangedFile, ...], texts: Texts) -> str:
    """Return the file's diff without the change in the middle."""
    others = [unit for unit in units.cut(files, Dependents(), texts) if "return 0" not in unit.diff]
    return diff.file_diffs(others, files)[0].body


edits = st.lists(
    st.tuples(st.sampled_from([" ", "+", "-"]), st.text("ab \u2028\t", max_size=5)), min_size=1, max_size=60
)
spans = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=4)


def test_file_with_thousands_of_changes_has_few_regions(repository: Repository) -> None:
    """Neighboring changes share a region, and every changed line is in one."""
    rows = [f"a{n} = 1" if n % 20 == 0 else "" for n in range(40_000)]
    before = "\n".join(rows)
    files, texts = read(repository.change({"a.py": before}, {"a.py": before.replace("= 1", "= 2")}))
    found = units.cut(files, Dependents(), texts)
    assert len(found) <= 600
    shown = "\n".join(unit.diff for unit in found)
    assert all(f"a{n} = 2" in shown and f"a{n} = 1" in shown for n in range(0, 40_000, 20))


@settings(max_examples=100, deadline=None)
@given(edits, spans)
def test_every_changed_line_is_in_a_region(rows: list[tuple[str, str]], wanted: list[tuple[int, int]]) -> None:
    """No added or removed line is lost, whichever definitions were found."""
    file, texts = _hand_made(rows)
    head = len(texts.head["f"].split("\n"))
    symbols = [function("f", f"s{n}", a, min(head, a + size)) for n, (a, size) in enumerate(wanted) if a <= head]
    found = units.cut((file,), Dependents(symbols=tuple(symbols)), texts)
    shown = {(row.sign, row.number) for unit in found for row in unit.rows}
    assert {("+", line) for line in file.added_lines} | {("-", line) for line in file.removed_lines} <= shown


@settings(max_examples=100, deadline=None)
@given(edits, spans, st.data())
def test_prompt_shows_every_changed_line_of_its_regions_once(
    rows: list[tuple[str, str]], wanted: list[tuple[int, int]], data: st.DataObject
) -> None:
    """A prompt contains all changed lines of its regions in order, and no others."""
    file, texts = _hand_made(rows)
    head = len(texts.head["f"].split("\n"))
    symbols = [function("f", f"s{n}", a, min(head, a + size)) for n, (a, size) in enumerate(wanted) if a <= head]
    found = units.cut((file,), Dependents(symbols=tuple(symbols)), texts)
    mine = [unit for unit in found if data.draw(st.booleans())] or list(found[:1])
    told = diff.file_diffs(mine, (file,))
    changed = [(row.sign, row.number) for part in told for row in part.rows if row.sign in ("+", "-")]
    assert sorted(changed) == sorted(
        {(row.sign, row.number) for unit in mine for row in (*unit.changed_rows, *unit.heads) if row.sign != " "}
    )
    whole = [(line.kind, line.new or line.old) for hunk in file.hunks for line in hunk.lines if line.kind != " "]
    assert changed == [place for place in whole if place in changed]


def _hand_made(rows: list[tuple[str, str]]) -> tuple[ChangedFile, Texts]:
    """Return a file whose single hunk covers all of it, with removed lines before added ones, as in git."""
    lines, old, new = [], 0, 0
    ordered = [
        row
        for _, run in groupby(rows, key=lambda row: row[0] == " ")
        for row in sorted(run, key=lambda row: row[0] != "-")
    ]
    for kind, text in ordered:
        old, new = old + (kind != "+"), new + (kind != "-")
        lines.append(DiffLine(kind, text, None if kind == "+" else old, None if kind == "-" else new))  # type: ignore[arg-type]
    sides = ["\n".join(line.text for line in lines if line.kind != drop) for drop in ("-", "+")]
    file = ChangedFile(
        "f",
        "f",
        "modified",
        (Hunk(1, old, 1, new, tuple(lines)),),
        added_lines=frozenset(line.new for line in lines if line.kind == "+" and line.new),
        removed_lines=frozenset(line.old for line in lines if line.kind == "-" and line.old),
    )
    return file, Texts({"f": sides[0]}, {"f": sides[1]})
