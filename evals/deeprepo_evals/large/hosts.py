"""Real pull requests of a size that nobody reads in one go, from the first-parent history of a clone. Git objects are read only."""

import random
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.checkout import git
from bot.text.paths import is_generated, is_output, is_test, vendored_folder

COMMITS = 1_500  # of the first-parent line that are looked at
FILES, LINES = (12, 80), (400, 4_000)
LEAST_CODE = 8  # files of code: an update of lock files is no pull request to review
ENDINGS = {
    "python": (".py",),
    "typescript": (".ts",),
    "javascript": (".js", ".mjs"),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "csharp": (".cs",),
    "php": (".php",),
    "ruby": (".rb",),
}
RAW = re.compile(r":\d+ \d+ \w+ \w+ (\w)\d*\t(.+)$")
COUNTED = re.compile(r"(\d+|-)\t(\d+|-)\t(.+)$")
CODE = frozenset(ending for endings in ENDINGS.values() for ending in endings) | {
    ".tsx",
    ".jsx",
    ".vue",
    ".svelte",
    ".c",
    ".h",
    ".kt",
}


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """A file of a pull request and its changed lines."""

    path: str
    lines: int
    status: str  # A, M, D, R


@dataclass(frozen=True, slots=True)
class Host:
    """One pull request: a merge or a squashed one, against its first parent."""

    base: str
    head: str
    title: str
    date: str
    files: tuple[ChangedLines, ...]

    @property
    def lines(self) -> int:
        """Changed lines."""
        return sum(file.lines for file in self.files)

    def fits(self, language: str) -> bool:
        """Whether it has the size, is mostly code, and changes a file of this language that is there before and after."""
        code = sum(PurePosixPath(file.path).suffix in CODE for file in self.files)
        size = FILES[0] <= len(self.files) <= FILES[1] and LINES[0] <= self.lines <= LINES[1]
        return size and code >= LEAST_CODE and bool(self.of(language))

    def of(self, language: str) -> list[str]:
        """The changed files of a language in which something can be added, the most changed first."""
        fitting = [
            file
            for file in self.files
            if file.status == "M"
            and file.path.endswith(ENDINGS[language])
            and not (
                is_test(file.path) or is_generated(file.path) or is_output(file.path) or vendored_folder(file.path)
            )
        ]
        return [file.path for file in sorted(fitting, key=lambda file: (-file.lines, file.path))]


async def one(clone: Path, commit: str) -> Host:
    """The pull request of a commit. Raises GitError if the clone does not have it or its parent."""
    return next(iter(await _read(clone, commit, 1)))


async def some(clone: Path, language: str, seed: int) -> list[Host]:
    """The pull requests of the newest history that fit a language, in an order that the seed decides."""
    found = [host for host in await _read(clone, "HEAD", COMMITS) if host.fits(language)]
    random.Random(f"large {seed} {clone.name}").shuffle(found)  # noqa: S311 - data, not secrets
    return found


async def _read(clone: Path, start: str, most: int) -> list[Host]:
    # Renames are not looked for: that would compare contents, which a clone may lack in part.
    form = "--format=%x01%H%x00%P%x00%ad%x00%s"
    asked = ("--first-parent", "--diff-merges=first-parent", "--date=short", "--no-renames", "--min-parents=1")
    out = await git.output(
        "log", *asked, f"--max-count={most}", "--raw", "--numstat", form, start, "--", cwd=str(clone)
    )
    return [_host(block) for block in out.decode("utf-8", "replace").split("\x01")[1:]]


def _host(block: str) -> Host:
    head, _, rows = block.partition("\n")
    commit, parents, date, title = head.split("\0", 3)
    states = {found[2]: found[1] for row in rows.splitlines() if (found := RAW.match(row))}
    counts = [found for row in rows.splitlines() if (found := COUNTED.match(row))]
    files = [
        ChangedLines(found[3], sum(int(n) for n in found.group(1, 2) if n != "-"), states.get(found[3], "M"))
        for found in counts
    ]
    return Host(parents.split()[0], commit, title, date, tuple(files))
