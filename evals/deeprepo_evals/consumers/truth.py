"""What really happened, told by plain text and by history alone: no parser, no resolver and no comparison of the product takes part.

A case is a commit of a library after which no source of it holds a name that it defined at the top, and a file of the consumer as it
was on that day that imports this name from the library and, later, no longer does.
"""

import posixpath
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git
from bot.errors import GitError
from bot.text.paths import is_sample, is_test, vendored

SHORTEST = 4  # letters of a name
MOST_COMMITS = 12_000
MOST_BYTES = 400 << 20  # of a history's patches
# A line that may give a name to others: an import, an export, a definition, a value.
BINDING = (
    r"\b(?:def|class|func|fn|function|const|let|var|type|interface|struct|enum|trait|module|macro_rules!|define|record)\b[^\n]*\bNAME\b"
    r"|\b(?:import|export|use|as|alias\w*|include|extend)\b[^\n]*\bNAME\b|^\s*NAME\s*(?:,|=[^=]|:)|['\"]NAME['\"]"
)
TOO_MANY = 40  # definitions of one commit: a new layout, not a change


@dataclass(frozen=True, slots=True)
class Spoken:
    """How a language writes definitions, and the import of a name; LIB stands for the library, NAME for the name."""

    endings: tuple[str, ...]
    defines: re.Pattern[str]
    binds: tuple[str, ...]


LANGUAGES: Mapping[str, Spoken] = {
    "python": Spoken(
        (".py",),
        re.compile(r"^(?:async )?def ([A-Za-z]\w+)|^class ([A-Za-z]\w+)|^([A-Z][A-Z_0-9]{3,}) = "),
        (
            r"^[ \t]*from[ \t]+LIB(?:\.[\w.]+)?[ \t]+import[ \t]+(?:\([^)]*?\bNAME\b|[^\n(]*\bNAME\b)",
            r"\bLIB(?:\.\w+)*\.NAME\b",
        ),
    ),
    "javascript": Spoken(
        (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue"),
        re.compile(
            r"^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z]\w+)"
        ),
        (r"\bimport\b[^'\";]*\bNAME\b[^'\";]*\bfrom\s*['\"]LIB(?:/[^'\"]*)?['\"]", r"\{[^}]*\bNAME\b[^}]*\}\s*=\s*require\(['\"]LIB"),
    ),
    "go": Spoken(
        (".go",),
        re.compile(r"^func ([A-Z]\w+)|^type ([A-Z]\w+)|^\t?(?:var|const) ([A-Z]\w+)"),
        (r"\"LIB(?:/v\d+)?DIR\"[\s\S]*\bLAST\.NAME\b", r"(?P<here>\w+)\s+\"LIB(?:/v\d+)?DIR\"[\s\S]*\b(?P=here)\.NAME\b"),
    ),
    "rust": Spoken(
        (".rs",),
        re.compile(r"^\s*pub (?:async |const |unsafe )*(?:fn|struct|enum|trait|type|static) ([A-Za-z]\w+)"),
        (r"\buse\s+LIB::[^;]*\bNAME\b", r"\bLIB::(?:\w+::)*NAME\b"),
    ),
    "php": Spoken(
        (".php",),
        re.compile(r"^(?:abstract |final |readonly )*(?:class|interface|trait|enum) (\w+)"),
        (r"^use\s+\\?LIB\\[\w\\]*\bNAME\b", r"\\LIB\\[\w\\]*\bNAME\b"),
    ),
    "ruby": Spoken(
        (".rb",),
        re.compile(r"^\s*(?:class|module) (?:\w+::)*([A-Z]\w+)"),
        (r"\bLIB(?:::\w+)*::NAME\b",),
    ),
    "jvm": Spoken(
        (".java", ".kt"),
        re.compile(r"^public (?:abstract |final |static |sealed )*(?:class|interface|enum|record|@interface) (\w+)"),
        (r"^import (?:static )?LIB\.[\w.]*\bNAME\b",),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loss:
    """A name that a commit of a library takes away."""

    commit: str
    time: int
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Case:
    """A loss with a file of a consumer that used the name on that day and gave it up later."""

    loss: Loss
    consumer: str  # commit
    path: str
    lines: tuple[int, ...]


async def losses(clone: Path, spoken: Spoken) -> AsyncIterator[Loss]:
    """Every name that a commit takes away from all sources of a library."""
    for commit, time, removed in await _removals(clone, spoken):
        for name, path in removed.items():
            if not await _holds(clone, commit, name, spoken):
                yield Loss(commit, time, name, path)


async def _removals(clone: Path, spoken: Spoken) -> list[tuple[str, int, dict[str, str]]]:
    done = await git.search(
        "log", "-p", "-U0", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff", f"--max-count={MOST_COMMITS}",
        "--format=%x00%H %ct", "HEAD", "--", *(f"*{ending}" for ending in spoken.endings),
        cwd=str(clone), env=None, seconds=240.0, rows=None, most=MOST_BYTES,
    )  # fmt: skip
    found = []
    for text in done.out.decode("utf-8", "replace").split("\0")[1:]:
        head, _, rest = text.partition("\n")
        commit, _, time = head.partition(" ")
        removed, added, path = dict[str, str](), set[str](), ""
        for line in rest.split("\n"):
            if line.startswith("--- "):
                path = line[6:]
            elif line[:1] in "+-" and line[1:2] not in "+-":
                match = spoken.defines.match(line[1:])
                name = next(filter(None, match.groups()), "") if match else ""
                if name and line[0] == "+":
                    added.add(name)
                elif len(name) >= SHORTEST and not (is_test(path) or is_sample(path) or vendored(path)):
                    removed[name] = path
        left = {name: at for name, at in removed.items() if name not in added}
        if left and len(left) <= TOO_MANY and time.isdigit():
            found.append((commit, int(time), left))
    return found


async def _holds(clone: Path, commit: str, name: str, spoken: Spoken) -> bool:
    """Whether any source of the library still binds the word, tests and examples aside."""
    done = await git.run(
        "grep", "-z", "-w", "-F", "-e", name, commit, "--", *(f"*{ending}" for ending in spoken.endings), cwd=str(clone)
    )
    rows = (row.partition("\0") for row in done.out.decode("utf-8", "replace").split("\n") if row)
    binding = re.compile(BINDING.replace("NAME", re.escape(name)))
    return any(
        binding.search(line)
        for path, _, line in ((at.partition(":")[2], _, line) for at, _, line in rows)
        if not (is_test(path) or is_sample(path) or vendored(path))
    )


async def words(clone: Path, spoken: Spoken, library: str) -> frozenset[str]:
    """Every word on a line that names the library, at some days of the consumer's history: what it may ever have taken."""
    listed = await git.output("rev-list", "--first-parent", f"--max-count={MOST_COMMITS}", "HEAD", cwd=str(clone))
    commits = listed.decode().split()
    step = max(1, len(commits) // 24)
    found: set[str] = set()
    for commit in commits[::step]:
        done = await git.run(
            "grep", "-h", "-l", "-E", "-e", library, commit, "--", *(f"*{e}" for e in spoken.endings), cwd=str(clone)
        )
        for row in [row for row in done.out.decode("utf-8", "replace").split("\n") if row][:600]:
            blob = await git.run("cat-file", "blob", row, cwd=str(clone))
            found |= set(re.findall(r"[A-Za-z]\w{3,}", blob.out.decode("utf-8", "replace")))
    return frozenset(found)


async def at(clone: Path, time: int) -> str:
    """The commit that a consumer was at on a day."""
    done = await git.run("rev-list", "-1", "--first-parent", f"--before={time - 1}", "HEAD", cwd=str(clone))
    return done.out.decode().strip()


async def cases(clone: Path, spoken: Spoken, library: str, loss: Loss) -> list[Case]:
    """The files of a consumer that used what was lost, and gave it up."""
    commit = await at(clone, loss.time)
    if not commit:
        return []
    done = await git.run(
        "grep", "-l", "-w", "-F", "-e", loss.name, commit, "--", *(f"*{e}" for e in spoken.endings), cwd=str(clone)
    )
    found = []
    for path in (row.partition(":")[2] for row in done.out.decode("utf-8", "replace").split("\n") if row):
        if vendored(path) or is_sample(path):
            continue
        before, after = [await _text(clone, f"{side}:{path}") for side in (commit, "HEAD")]
        if before and after and _binds(before, spoken, library, loss) and not _binds(after, spoken, library, loss):
            found.append(Case(loss, commit, path, tuple(_lines(before, loss.name))))
    return found


def _binds(text: str, spoken: Spoken, library: str, loss: Loss) -> bool:
    """Whether a file takes the name from the library. `DIR` is the folder that defined it, `LAST` what Go calls that folder."""
    folder = posixpath.dirname(loss.path)
    given = {
        "LIB": library,
        "NAME": re.escape(loss.name),
        "DIR": re.escape(f"/{folder}") if folder else "",
        "LAST": re.escape(posixpath.basename(folder)) if folder else r"\w+",
    }
    forms = (re.sub("LIB|NAME|DIR|LAST", lambda found: given[found[0]], form) for form in spoken.binds)
    return any(re.search(form, text, re.MULTILINE) for form in forms)


def _lines(text: str, name: str) -> Iterator[int]:
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(rf"\b{re.escape(name)}\b", line):
            yield number


async def _text(clone: Path, name: str) -> str:
    try:
        done = await git.run("cat-file", "blob", name, cwd=str(clone))
    except GitError:
        return ""
    return done.out.decode("utf-8", "replace") if done.status == 0 else ""


async def ordinary(clone: Path, spoken: Spoken, seed: str, count: int) -> Sequence[tuple[str, int]]:
    """Commits of the library that change few lines of its sources, in an order that a seed decides."""
    import random

    listed = await git.output(
        "log", "--no-merges", "--min-parents=1", "--shortstat", f"--max-count={MOST_COMMITS}", "--format=%x00%H %ct", "HEAD", "--",
        *(f"*{ending}" for ending in spoken.endings), cwd=str(clone),
    )  # fmt: skip
    rows = []
    for text in listed.decode("utf-8", "replace").split("\0")[1:]:
        head, _, rest = text.partition("\n")
        changed = sum(int(number) for number in re.findall(r"(\d+) (?:insertion|deletion)", rest))
        commit, _, time = head.partition(" ")
        if 2 <= changed <= 300 and time.isdigit():  # noqa: PLR2004 - as in `mine.commits`
            rows.append((commit, int(time)))
    random.Random(seed).shuffle(rows)  # noqa: S311 - data, not secrets
    return rows[:count]
