"""What really happened, told by plain text and by history alone: no parser, no resolver and no comparison of the product takes part.

A case is a commit of a library after which no source of it binds a name that it defined at the top, and the consumer on the last day
before it (of some days of its history, at most three years back) on which a file imports this name from the library; today none does.
It may have given the name up ahead of the loss, because it was deprecated: then the case asks what would have broken otherwise.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git
from bot.text.paths import is_sample, is_test, vendored_folder
from deeprepo_evals.mine import commits

SHORTEST = 4  # letters of a name
MOST_COMMITS = 12_000
MOST_BYTES = 400 << 20  # of a history's patches
# A line that may give a name to others: an import, an export, a definition, a value.
BINDING = (
    r"\b(?:def|class|func|fn|function|const|let|var|type|interface|struct|enum|trait|module|macro_rules!|define|record)\b[^\n]*\bNAME\b"
    r"|\b(?:import|export|use|as|alias\w*|include|extend)\b[^\n]*\bNAME\b|^\s*NAME\s*(?:,|=[^=]|:)|['\"]NAME['\"]"
)
DAYS = 48  # of a consumer's history
YEARS = 3 * 365 * 86_400  # seconds between the last use and the loss
TOO_MANY = 40  # definitions of one commit: a new layout, not a change


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes definitions, and the import of a name; LIB stands for the library, NAME for the name."""

    endings: tuple[str, ...]
    defines: re.Pattern[str]
    binds: tuple[str, ...]


LANGUAGES: Mapping[str, Syntax] = {
    "python": Syntax(
        (".py",),
        re.compile(r"^(?:async )?def ([A-Za-z]\w+)|^class ([A-Za-z]\w+)|^([A-Z][A-Z_0-9]{3,}) = "),
        (
            r"^[ \t]*from[ \t]+LIB(?:\.[\w.]+)?[ \t]+import[ \t]+(?:\([^)]*?\bNAME\b|[^\n(]*\bNAME\b)",
            r"\bLIB(?:\.\w+)*\.NAME\b",
        ),
    ),
    "javascript": Syntax(
        (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue"),
        re.compile(
            r"^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z]\w+)"
        ),
        (r"\bimport\b[^'\";]*\bNAME\b[^'\";]*\bfrom\s*['\"]LIB(?:/[^'\"]*)?['\"]", r"\{[^}]*\bNAME\b[^}]*\}\s*=\s*require\(['\"]LIB"),
    ),
    "go": Syntax(
        (".go",),
        re.compile(r"^func ([A-Z]\w+)|^type ([A-Z]\w+)|^\t?(?:var|const) ([A-Z]\w+)"),
        (r"\"LIB(?:/v\d+)?DIR\"[\s\S]*\bLAST\.NAME\b", r"(?P<here>\w+)\s+\"LIB(?:/v\d+)?DIR\"[\s\S]*\b(?P=here)\.NAME\b"),
    ),
    "rust": Syntax(
        (".rs",),
        re.compile(r"^\s*pub (?:async |const |unsafe )*(?:fn|struct|enum|trait|type|static) ([A-Za-z]\w+)"),
        (r"\buse\s+LIB::[^;]*\bNAME\b", r"\bLIB::(?:\w+::)*NAME\b"),
    ),
    "php": Syntax(
        (".php",),
        re.compile(r"^(?:abstract |final |readonly )*(?:class|interface|trait|enum) (\w+)"),
        (r"^use\s+\\?LIB\\[\w\\]*\bNAME\b", r"\\LIB\\[\w\\]*\bNAME\b"),
    ),
    "ruby": Syntax(
        (".rb",),
        re.compile(r"^\s*(?:class|module) (?:\w+::)*([A-Z]\w+)"),
        (r"\bLIB(?:::\w+)*::NAME\b",),
    ),
    "csharp": Syntax(
        (".cs",),
        re.compile(r"^\s*public (?:abstract |static |sealed |partial |readonly )*(?:class|interface|enum|record|struct|delegate \w+) (\w+)"),
        (r"^\s*using LIB(?:\.[\w.]+)?;[\s\S]*\bNAME\b",),
    ),
    "jvm": Syntax(
        (".java", ".kt"),
        re.compile(r"^(?:public |open |abstract |final |static |sealed |data )*(?:class|interface|enum|record|@interface|object) (\w+)"),
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


async def removals(clone: Path, syntax: Syntax) -> list[tuple[str, int, dict[str, str]]]:
    """(commit, time, name -> path) of the commits whose patch takes definitions away, the newest first."""
    done = await git.search(
        "log", "-p", "-U0", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff", f"--max-count={MOST_COMMITS}",
        "--format=%x00%H %ct", "HEAD", "--", *(f"*{ending}" for ending in syntax.endings),
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
                match = syntax.defines.match(line[1:])
                name = next(filter(None, match.groups()), "") if match else ""
                if name and line[0] == "+":
                    added.add(name)
                elif len(name) >= SHORTEST and not (is_test(path) or is_sample(path) or vendored_folder(path)):
                    removed[name] = path
        left = {name: at for name, at in removed.items() if name not in added}
        if left and len(left) <= TOO_MANY and time.isdigit():
            found.append((commit, int(time), left))
    return found


async def holds(clone: Path, commit: str, name: str, syntax: Syntax) -> bool:
    """Whether any source of the library still binds the word, tests and examples aside."""
    done = await git.run(
        "grep", "-z", "-w", "-F", "-e", name, commit, "--", *(f"*{ending}" for ending in syntax.endings), cwd=str(clone)
    )
    rows = (row.partition("\0") for row in done.out.decode("utf-8", "replace").split("\n") if row)
    binding = re.compile(BINDING.replace("NAME", re.escape(name)))
    return any(
        binding.search(line)
        for path, _, line in ((at.partition(":")[2], _, line) for at, _, line in rows)
        if not (is_test(path) or is_sample(path) or vendored_folder(path))
    )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A consumer on one day: the files that name the library, as they were."""

    commit: str
    time: int
    files: Mapping[str, str]  # path -> content


async def snapshots(clone: Path, syntax: Syntax, library: str) -> list[Snapshot]:
    """A consumer on so many days of its history, the newest first."""
    listed = await git.output(
        "log", "--first-parent", f"--max-count={MOST_COMMITS}", "--format=%H %ct", "HEAD", cwd=str(clone)
    )
    rows = [row.split() for row in listed.decode().split("\n") if row]
    texts: dict[str, str] = {}
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
        new = [one for one in dict.fromkeys(ids.values()) if one not in texts]
        for one, blob in (await commits.blobs(clone, new)).items():
            texts[one] = blob.decode("utf-8", "replace")
        found.append(Snapshot(commit, int(time), {path: texts[one] for path, one in ids.items() if one in texts}))
    return found


def last_use(days: Sequence[Snapshot], syntax: Syntax, library: str, loss: Loss) -> Case | None:
    """The last day before the loss (and no more than some years) on which a file took the name that no file takes today."""
    if not days or any(_binds(text, syntax, library, loss) for text in days[0].files.values() if loss.name in text):
        return None
    for day in days:
        if loss.time - YEARS <= day.time < loss.time:
            for path, text in sorted(day.files.items()):
                if loss.name in text and _binds(text, syntax, library, loss):
                    return Case(loss, day.commit, path, tuple(_lines(text, loss.name)))
    return None


async def at(clone: Path, time: int) -> str:
    """The commit that a consumer was at on a day."""
    done = await git.run("rev-list", "-1", "--first-parent", f"--before={time - 1}", "HEAD", cwd=str(clone))
    return done.out.decode().strip()


def _binds(text: str, syntax: Syntax, library: str, loss: Loss) -> bool:
    """Whether a file takes the name from the library. `DIR` is the folder that defined it, `LAST` what Go calls that folder."""
    folder = posixpath.dirname(loss.path)
    given = {
        "LIB": library,
        "NAME": re.escape(loss.name),
        "DIR": re.escape(f"/{folder}") if folder else "",
        "LAST": re.escape(posixpath.basename(folder)) if folder else r"\w+",
    }
    forms = (re.sub("LIB|NAME|DIR|LAST", lambda match: given[match[0]], form) for form in syntax.binds)
    return any(re.search(form, text, re.MULTILINE) for form in forms)


def _lines(text: str, name: str) -> Iterator[int]:
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(rf"\b{re.escape(name)}\b", line):
            yield number


async def ordinary(clone: Path, syntax: Syntax, seed: str, count: int) -> Sequence[tuple[str, int]]:
    """Commits of the library that change few lines of its sources, in an order that a seed decides."""
    import random

    listed = await git.output(
        "log", "--no-merges", "--min-parents=1", "--shortstat", f"--max-count={MOST_COMMITS}", "--format=%x00%H %ct", "HEAD", "--",
        *(f"*{ending}" for ending in syntax.endings), cwd=str(clone),
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
