"""Propose who may import a file: two greps per language, whatever the number of files."""

from collections.abc import Iterable, Sequence

from bot.machine.concurrency import together
from bot.ports import Language, Tree
from bot.values import Clues, Query, Side

EDGE = r"\b"
START = "^"
BEHIND_MARK = (
    r"^[^\x00-\x7F]{0,3}"  # a byte order mark may stand before the first line, as one letter or as three bytes
)
TOGETHER = 100  # alternatives in one pattern


def globs(language: Language, folder: str = "") -> list[str]:
    """The pathspecs of a language's files, below a folder where one is named."""
    if not folder:
        return [f"*{suffix}" for suffix in language.SUFFIXES]
    return [f":(glob){_escape(folder)}/**/*{suffix}" for suffix in language.SUFFIXES]


def _escape(folder: str) -> str:
    """Folders such as `[id]` are names here, not patterns."""
    return "".join(f"\\{letter}" if letter in r"\*?[" else letter for letter in folder)


async def propose(tree: Tree, language: Language, clues: Sequence[Clues], side: Side = "head") -> frozenset[str]:
    """Files that hold what an importer must hold. Most of them do import; `confirm` decides."""
    far = sorted({pattern for clue in clues for pattern in clue.far})
    near = sorted({pattern for clue in clues for pattern in clue.near})
    below = [
        spec for folder in _outer({clue.folder for clue in clues if clue.near}) for spec in globs(language, folder)
    ]
    everywhere, beside = await together(
        tree.grep(Query(_join(far), globs(language), syntax="perl", side=side)),
        tree.grep(Query(_join(near), below, syntax="perl", side=side)),
    )
    return everywhere | beside


def _outer(folders: Iterable[str]) -> list[str]:
    """The folders that lie in none of the others."""
    outer_folders: list[str] = []
    for folder in sorted(folders):
        if not any(not other or folder == other or folder.startswith(f"{other}/") for other in outer_folders):
            outer_folders.append(folder)
    return outer_folders


def _join(patterns: Sequence[str]) -> list[str]:
    """Alternatives in few patterns: git runs each pattern over every line, and looks for a word's edge once where all begin so."""
    joined_patterns = []
    for at in range(0, len(patterns), TOGETHER):
        group = [
            BEHIND_MARK + pattern.removeprefix(START) if pattern.startswith(START) else pattern
            for pattern in patterns[at : at + TOGETHER]
        ]
        edge = EDGE if all(pattern.startswith(EDGE) for pattern in group) else ""
        joined_patterns.append(f"{edge}(?:{'|'.join(f'(?:{pattern.removeprefix(edge)})' for pattern in group)})")
    return joined_patterns
