"""Lines that a change moves are recognized, whatever their indentation is."""

import step
from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.diff import moves, units
from bot.diff.units import Texts
from bot.values import ChangedFile, Dependents

BODY = [f"step_{n} = load({n})" for n in range(12)]
Files = dict[str, str | bytes | None]


def read(repository: Repository, before: Files, after: Files) -> tuple[tuple[ChangedFile, ...], Texts]:
    """Return the changed files, and their texts on both sides."""

    async def run(tree: Checkout, files: step.Files) -> tuple[tuple[ChangedFile, ...], Texts]:
        return files, await step.texts(tree, files)

    return step.over(repository.change(before, after), run)


def test_moved_lines_have_a_note_with_their_old_location(repository: Repository) -> None:
    """A note in the diff says where moved lines were before the change."""
    old = "def first():\n" + "".join(f"    {line}\n" for line in BODY) + "\n\ndef stays():\n    return 1\n"
    new = "class Loader:\n    def first(self):\n" + "".join(f"        {line}\n" for line in BODY)
    before: Files = {"a.py": old, "b.py": "import a\n"}
    files, texts = read(repository, before, {"a.py": "def stays():\n    return 1\n", "b.py": "import a\n" + new})
    (move,) = moves.find(files)
    assert (move.path, move.start, move.end, move.old_path, move.old_start) == ("b.py", 4, 15, "a.py", 2)
    shown = {one.path: one.body for one in diff.file_diffs(units.cut(files, Dependents(), texts), files)}
    assert "[lines 4 to 15 were moved from a.py:2-13; only their indentation may have changed]\n" in shown["b.py"]
    assert "moved from" not in shown["a.py"]
