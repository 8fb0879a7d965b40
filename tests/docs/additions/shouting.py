"""An analyser for `test_additions`: a line of text files that ends in three exclamation marks."""

from collections.abc import Sequence
from typing import Literal

from bot.ports import Tree
from bot.values import ChangedFile, Dependents, Finding, Judgement, Silence, Source, Verdict

NAME = "shouting"
READS = "text files"
ROWS: Literal["git", "other"] = "git"


def wants(file: ChangedFile) -> bool:
    """The text files."""
    return file.path.endswith(".txt") and file.status != "deleted"


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
    """One finding for each line that shouts."""
    del dependents
    texts = {file.path: await tree.read(file.path) or b"" for file in files}
    found = tuple(
        Finding(
            path=path,
            quote=line,
            title="This line shouts",
            why="It ends in three exclamation marks.",
            consequence="Readers are startled.",
            severity="medium",
            category="style",
            sources=(Source("analyser", NAME),),
            rule="shout",
            start=number,
            end=number,
            verdict=Verdict.PROVEN,
        )
        for path, text in texts.items()
        for number, line in enumerate(text.decode("utf-8", "replace").split("\n"), 1)
        if line.endswith("!!!")
    )
    return Judgement(found, frozenset(texts))


def silence(finding: Finding, dependents: Dependents) -> Silence:
    """Fixed: it reads every text."""
    del finding, dependents
    return "fixed"
