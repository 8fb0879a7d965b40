"""One search of a tree's lines for what they hold: which of them count, how many are listed, and a sentence for whatever a limit leaves out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.sites import mention
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, Query, Reference

Row = tuple[str, int, str]  # path, line, text
LINES = 40  # of one name that are listed
BESIDE = "the others were not looked at"


def added_lines(files: Sequence[ChangedFile]) -> Mapping[str, Collection[int]]:
    """The lines that a change adds, by their file."""
    return {file.path: file.added_lines for file in files}


@dataclass(slots=True)
class LineSearch:
    """A tree, the lines that the change adds to it, and the sentences so far about what a limit cut."""

    tree: Tree
    fresh: Mapping[str, Collection[int]]
    cut: list[str] = field(default_factory=list)

    async def rows(self, query: Query, what: str, loss: str = BESIDE) -> Sequence[Row]:
        """The lines that match. `what` the lines beyond the limit do, and the `loss` if there are any, are for the sentence."""
        rows = await self.tree.grep_lines(query)
        if len(rows) >= query.limit:
            self.overflow(query.limit, what, loss)
        return rows

    def overflow(self, limit: int, what: str, loss: str = BESIDE) -> None:
        """Note that more lines match than are handed back."""
        self.cut.append(f"{limit:,} lines and more {what}: {loss}")

    def is_old(self, path: str, line: int) -> bool:
        """Whether a line was there before the change."""
        return line not in self.fresh.get(path, ())

    def mentions(self, key: str, name: str, rows: Sequence[Row], what: str, *, owner: str = "") -> list[Reference]:
        """The lines of one name as references, as many as are listed. `owner`: the file that the sentence begins with."""
        if len(rows) > LINES:
            of_owner = f"{owner}: " if owner else ""
            self.cut.append(f"{of_owner}{LINES} of the {len(rows)} lines that still {what} are listed")
        return [mention(key, name, path, line, text) for path, line, text in rows[:LINES]]

    def dependents(self, references: Sequence[Reference]) -> Dependents:
        """The outcome. What a limit cut is listed, and leaves nothing open: a line that only has the word need not mean it."""
        return Dependents(references=tuple(references), cut=tuple(self.cut))
