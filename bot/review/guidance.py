"""What the repository's owner asks of a review: instructions per path, and the guideline files of the base branch.

Both come from the tip of the base branch, so that a change cannot bring its own. They may say what to look for and what to
leave alone; they cannot change what counts as evidence, and the prompt reports it.
"""

import posixpath
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot import globs, render
from bot.review import sections

PROCESS = (
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
)  # of these, only what is announced as about code
FILES = (  # the most telling first
    *(
        "REVIEW.md",
        "AGENTS.md",
        "CLAUDE.md",
        ".github/copilot-instructions.md",
        ".cursorrules",
        "STYLEGUIDE.md",
        "STYLE_GUIDE.md",
    ),
    *PROCESS,
)
NEAREST = ("AGENTS.md", "CLAUDE.md")  # also looked for in the folders of the changed files
MAX_CHARS = 2_400  # of guidance in one prompt
MAX_FILE = 1_600  # of one file
MAX_FOLDERS = 40  # looked into; a change of more folders gets the guidance of the root
MOST_READ = 200_000  # characters of one file
LEAST_PART = 200  # characters of a file that are worth showing
SHORTEST = 40  # characters; a shorter file is a link to another one


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of guidance and where it comes from."""

    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class Guidance:
    """Everything the owner asks, before it is known for which files."""

    instructions: tuple[tuple[str, str], ...] = ()  # (path pattern, text), as in .deeprepo.yml
    files: Mapping[str, str] = field(default_factory=dict)  # path -> text
    language: str = "en"  # in which models write what people read
    templates: tuple[tuple[str, str], ...] = ()  # of comments, the owner's own: (name, source)

    def of(self, paths: Iterable[str], room: int = MAX_CHARS) -> tuple[Advice, ...]:
        """What applies to these files: instructions first, then the nearest guideline file, then those of the root.

        `room`: characters of all of it.
        """
        wanted = list(dict.fromkeys(paths))
        found = [
            Advice(pattern, text.strip())
            for pattern, text in self.instructions
            if any(globs.matches([pattern], path) for path in wanted)
        ]
        found += [Advice(name, self.files[name]) for name in self._nearest(wanted)]
        return tuple(_fitting(found, room))

    def _nearest(self, paths: Sequence[str]) -> list[str]:
        near: dict[str, None] = {}
        for path in paths:
            for folder in [f for f in _folders(path) if f]:
                hits = [name for base in NEAREST if (name := f"{folder}/{base}") in self.files]
                if hits:
                    near[hits[0]] = None
                    break
        return [*near, *(name for name in FILES if name in self.files)]


async def gather(
    read: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]],
    paths: Iterable[str],
    instructions: Sequence[tuple[str, str]],
    *,
    guidelines: bool,
) -> Guidance:
    """The owner's guidance for a change of these paths. `read` reads files at the tip of the base branch."""
    if not guidelines:
        return Guidance(tuple(instructions))
    folders = list(dict.fromkeys(folder for path in paths for folder in _folders(path) if folder))[:MAX_FOLDERS]
    names = [*FILES, *(f"{folder}/{base}" for folder in folders for base in NEAREST)]
    found: dict[str, str] = {}
    for name, blob in (await read(names)).items():
        text = sections.about_code(blob.decode("utf-8", "replace")[:MOST_READ], strict=name in PROCESS)
        if len(text) >= SHORTEST and text not in found.values():
            found[name] = text
    return Guidance(tuple(instructions), found)


def tongue(language: str) -> str:
    """The line of a system prompt that asks for a language; none is needed for English."""
    return "" if language == "en" else "\n" + render.text("prompts/language.md.j2", language=language)


def _folders(path: str) -> list[str]:
    """The folders above a file, the nearest first; the root is ""."""
    found = []
    folder = posixpath.dirname(path)
    while folder:
        found.append(folder)
        folder = posixpath.dirname(folder)
    return [*found, ""]


def _fitting(advice: Iterable[Advice], room: int) -> Iterable[Advice]:
    for item in advice:
        most = min(room, MAX_FILE)
        text = item.text if len(item.text) <= most else item.text[:most].rpartition("\n")[0] + "\n[...]"
        if item.text and (text == item.text or len(text) >= LEAST_PART):
            room -= len(text)
            yield Advice(item.origin, text)
