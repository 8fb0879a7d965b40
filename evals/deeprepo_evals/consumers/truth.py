"""What really happened, told by plain text and by history alone: no parser, no resolver and no comparison of the product takes part.

A case is a commit of a library that takes something away, and the consumer on the last day before it (of some days of its history, at most
three years back) on which a file uses it; the newest commit of the consumer does not. It may have given the use up ahead of the loss, because
it was deprecated: then the case asks what would have broken otherwise. Three kinds of loss are cases:

- `name`: no source of the library binds a name any longer that it defined at the top, and the consumer imported it;
- `moved`: the module, package or namespace that defined a name no longer has the word, and the consumer imported it from exactly there;
- `member`: the same as `name` of a method, field or constant whose name has several words, which the consumer asked of something and does not bind itself;

A file that asks near one of the uses whether the name is there has foreseen its loss, and is no case.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.checkout import git
from deeprepo.impact.text.paths import is_sample, vendored_folder
from deeprepo_evals.clones import blobs
from deeprepo_evals.consumers import losses
from deeprepo_evals.consumers.losses import MOST_COMMITS, Loss
from deeprepo_evals.consumers.syntax import Syntax

DAYS = 36  # of a consumer's history
YEARS = 3 * 365 * 86_400  # seconds between the last use and the loss
WORD = re.compile(r"\w+")
# What asks whether a name is there, so many lines around its use: who asks has foreseen that it goes.
FORESEEN = re.compile(
    r"\bhas_?attr\b|\bgetattr\(|\bexcept (?:\(?\w+, )?(?:Import|Attribute|ModuleNotFound|Name|Type)Error|\brespond_to\?|\bdefined\?|const_defined\?"
    r"|\b(?:method|class|interface|function|property)_exists\(|\btypeof\b|\bin \w+\.(?:__dict__|prototype)"
)
BEFORE, BEHIND = 6, 4


@dataclass(frozen=True, slots=True)
class Case:
    """A loss with the lines of a consumer that used on that day what it gave up later."""

    loss: Loss
    consumer: str  # commit
    uses: Mapping[str, tuple[int, ...]]  # path -> lines


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text, and the words in it."""

    text: str
    words: frozenset[str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A consumer on one day: the files that name the library, as they were."""

    commit: str
    time: int
    files: Mapping[str, Source]  # by path

    def holding(self, word: str) -> list[tuple[str, str]]:
        """(path, text) of the files that have a word."""
        return [(path, one.text) for path, one in sorted(self.files.items()) if word in one.words]


async def snapshots(clone: Path, syntax: Syntax, library: str) -> list[Snapshot]:
    """A consumer on so many days of its history, the newest first."""
    listed = await git.output(
        "log", "--first-parent", f"--max-count={MOST_COMMITS}", "--format=%H %ct", "HEAD", cwd=str(clone)
    )
    rows = [row.split() for row in listed.decode().split("\n") if row]
    sources: dict[str, Source] = {}
    found = []
    for commit, time in rows[:: max(1, len(rows) // DAYS)]:
        done = await git.run(
            "grep", "-l", "-E", "-e", library, commit, "--", *(f"*{end}" for end in syntax.endings), cwd=str(clone)
        )
        paths = {row.partition(":")[2] for row in done.out.decode("utf-8", "replace").split("\n") if row}
        out = await git.run("ls-tree", "-r", "-z", commit, cwd=str(clone))
        ids = {
            path: meta.split()[2]
            for meta, _, path in (row.partition("\t") for row in out.out.decode("utf-8", "replace").split("\0") if row)
            if path in paths and not vendored_folder(path) and not is_sample(path)
        }
        new = [one for one in dict.fromkeys(ids.values()) if one not in sources]
        for one, blob in (await blobs(clone, new)).items():
            text = blob.decode("utf-8", "replace")
            sources[one] = Source(text, frozenset(WORD.findall(text)))
        found.append(Snapshot(commit, int(time), {path: sources[one] for path, one in ids.items() if one in sources}))
    return found


def last_use(days: Sequence[Snapshot], syntax: Syntax, library: str, loss: Loss) -> Case | None:
    """The last day before the loss (and no more than some years) on which a file used what no file uses today."""
    word = loss.name.rstrip("?!")
    if not days or any(_uses(text, syntax, library, loss) for _, text in days[0].holding(word)):
        return None
    for day in days:
        if loss.time - YEARS <= day.time < loss.time:
            uses = {path: lines for path, text in day.holding(word) if (lines := _uses(text, syntax, library, loss))}
            if uses:
                return Case(loss, day.commit, _joined(uses, _imports_of_home(days[0], day, loss)))
    return None


def _joined(one: Mapping[str, tuple[int, ...]], other: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {path: tuple(sorted({*one.get(path, ()), *other.get(path, ())})) for path in {**one, **other}}


def _imports_of_home(newest: Snapshot, day: Snapshot, loss: Loss) -> dict[str, tuple[int, ...]]:
    """The lines that name a module which no file names today, with those of the other names that it had."""
    if loss.kind != "moved" or any(loss.home in one.text for one in newest.files.values()):
        return {}
    home = re.compile(rf"(?<![\w.]){re.escape(loss.home)}\b|/{re.escape(loss.home)}\b")
    return {
        path: tuple(at for at, line in enumerate(one.text.split("\n"), 1) if home.search(line))
        for path, one in day.files.items()
        if loss.home in one.text
    }


async def case_of(
    library: Path, consumer: Path, days: Sequence[Snapshot], syntax: Syntax, pattern: str, loss: Loss
) -> Case | None:
    """The case of a loss, if the library really lost it and the consumer does not define it itself."""
    case = last_use(days, syntax, pattern, loss)
    if case is None or not await losses.is_lost(library, loss, syntax):
        return None
    is_own = loss.kind == "member" or syntax.bare
    if is_own and await losses.binds(consumer, case.consumer, loss.name, syntax):
        return None
    return case


async def at(clone: Path, time: int) -> str:
    """The commit that a consumer was at on a day."""
    done = await git.run("rev-list", "-1", "--first-parent", f"--before={time - 1}", "HEAD", cwd=str(clone))
    return done.out.decode().strip()


def _uses(text: str, syntax: Syntax, library: str, loss: Loss) -> tuple[int, ...]:
    """The lines that use what is lost, unless the code around them asks whether it is there."""
    rows = text.split("\n")
    lines = _found(text, syntax, library, loss)
    return lines if not any(FORESEEN.search("\n".join(rows[max(0, at - BEFORE) : at + BEHIND])) for at in lines) else ()


def _found(text: str, syntax: Syntax, library: str, loss: Loss) -> tuple[int, ...]:
    name = re.escape(loss.name)
    if loss.kind == "member":
        return _lines(text, rf"(?:\.|->|::){name}(?!\w)")
    forms = syntax.exact if loss.kind == "moved" else syntax.binds
    if not _matches(text, forms, library, loss):
        return ()
    # Of a name that moved, the import is given up as well as the uses.
    home = f"|{re.escape(loss.home)}\\b" if loss.kind == "moved" else ""
    return _lines(text, rf"\b{name}\b{home}")


def _matches(text: str, forms: Sequence[str], library: str, loss: Loss) -> bool:
    """Whether a file takes the name from the library. `DIR` is the folder that defined it, `LAST` what Go calls that folder."""
    folder = posixpath.dirname(loss.path)
    given = {
        "LIB": library,
        "NAME": re.escape(loss.name),
        "HOME": re.escape(loss.home),
        "DIR": re.escape(f"/{folder}") if folder else "",
        "LAST": re.escape(posixpath.basename(folder)) if folder else r"\w+",
    }
    if loss.path.endswith(".go") and folder not in text:
        return False
    filled = (re.sub("LIB|NAME|DIR|LAST|HOME", lambda match: given[match[0]], form) for form in forms)
    return any(re.search(form, text, re.MULTILINE) for form in filled)


def _lines(text: str, pattern: str) -> tuple[int, ...]:
    return tuple(number for number, line in enumerate(text.split("\n"), 1) if re.search(pattern, line))
