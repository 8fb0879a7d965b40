"""Mine histories of schemas and ask the product about each commit, with no model."""

import asyncio
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot import checkout, diff
from bot.analyzers import ANALYZERS
from bot.checkout import git
from bot.dependents.roles import changes_role
from bot.dependents.schemas.languages import SCHEMAS
from bot.errors import DeepRepoError
from bot.text.paths import is_prose, is_sample, is_test, vendored_folder
from bot.values import Dependents, Finding, ReviewRequest
from deeprepo_evals.clones import clones
from deeprepo_evals.schemas import truth
from deeprepo_evals.schemas.truth import Syntax

MOST_BYTES = 300 << 20  # of a history's patches
MOST_FILES = 40  # schemas of one commit: more are a new layout
OF_FILE = 3  # names of a commit that are asked for


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured."""

    repos: Path
    out: Path
    each: int = 8  # breaking commits of a repository and language
    ordinary: int = 12
    half: str = ""
    languages: tuple[str, ...] = ()
    commits: int = 1_500  # of a history that are looked at
    earlier: Mapping[str, int] = field(default_factory=dict)  # commits of each kind that an earlier draw has looked at

    def most(self, kind: str) -> int:
        """How many commits of a kind are drawn of a repository, with those that are passed over."""
        return self.earlier.get(kind, 0) + (self.each if kind == "case" else self.ordinary)

    def takes(self, kind: str, counts: Counter[str]) -> bool:
        """Whether one more commit of a kind is asked about."""
        counts[kind] += 1
        return self.earlier.get(kind, 0) < counts[kind] <= self.most(kind)


def half_of(language: str, repository: str) -> str:
    """Which half a repository is in: told by its name alone, so that it never changes."""
    return "build" if hashlib.sha256(f"schemas {language} {repository}".encode()).digest()[0] % 2 else "test"


def read_list(path: Path) -> list[tuple[str, str]]:
    """(language, repository) of each line of a file."""
    rows = (line.split() for line in path.read_text().split("\n") if line.strip() and not line.startswith("#"))
    return [(row[0], row[1]) for row in rows]


async def measure(
    plan: Plan, rows: Sequence[tuple[str, str]], say: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """A row for each commit that was asked about. What is already written is kept."""
    known = clones(plan.repos)
    results: list[dict[str, Any]] = []
    for language, repository in rows:
        is_asked = not plan.languages or language in plan.languages
        if not is_asked or (plan.half and half_of(language, repository) != plan.half) or repository not in known:
            continue
        file = plan.out / f"{language}--{repository}.json".replace("/", "+")
        if not file.exists():
            say(f"{language} of {repository}")
            done = [
                {"language": language, "repository": repository} | row
                for row in await _of_repository(plan, language, known[repository])
            ]
            file.write_text(json.dumps(done, indent=1))
        results += json.loads(file.read_text())
    return results


@dataclass(frozen=True, slots=True)
class _Commit:
    name: str
    removed_lines: Mapping[str, list[str]]  # path -> lines
    added_lines: Mapping[str, list[str]]


async def _commits(plan: Plan, clone: Path, syntax: Syntax) -> list[_Commit]:
    done = await git.search(
        "log", "-p", "-U0", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff", f"--max-count={plan.commits}",
        "--format=%x00%H", "HEAD", "--", *syntax.globs,
        cwd=str(clone), env=None, seconds=240.0, rows=None, most=MOST_BYTES,
    )  # fmt: skip
    found = []
    for text in done.out.decode("utf-8", "replace").split("\0")[1:]:
        name, _, rest = text.partition("\n")
        removed: dict[str, list[str]] = {}
        added: dict[str, list[str]] = {}
        path = old = ""
        for line in rest.split("\n"):
            if line.startswith("--- "):
                old = line[6:]
            elif line.startswith("+++ "):
                path = old if line == "+++ /dev/null" else line[6:]
            elif line.startswith("-"):
                removed.setdefault(path, []).append(line[1:])
            elif line.startswith("+"):
                added.setdefault(path, []).append(line[1:])
        found.append(_Commit(name.strip(), removed, added))
    return found


def _counts(path: str) -> bool:
    return not (is_test(path) or is_sample(path) or vendored_folder(path))


async def _of_repository(plan: Plan, language: str, clone: Path) -> list[dict[str, Any]]:
    syntax = truth.SYNTAXES[language]
    results: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    for commit in await _commits(plan, clone, syntax):
        if all(counts[kind] >= plan.most(kind) for kind in ("case", "ordinary")):
            break
        paths = [path for path in {*commit.removed_lines, *commit.added_lines} if _counts(path)]
        if (
            not paths
            or len(paths) > MOST_FILES
            or (await git.run("rev-parse", "-q", "--verify", f"{commit.name}~1", cwd=str(clone))).status
        ):
            continue
        if language == "sql":
            results += await _of_migration(plan, clone, commit, paths, counts)
            continue
        texts = [await _text(clone, commit.name, path) for path in paths]
        before = [await _text(clone, f"{commit.name}~1", path) for path in paths]
        if language == "jsonschema" and not any('"additionalProperties": false' in text for text in texts):
            continue  # a schema that is open accepts what it no longer describes
        if not any(syntax.is_schema.search(text[:20_000]) for text in (*texts, *before)):
            continue
        paths, lost = await _lost(
            clone, language, commit, dict(zip(paths, zip(before, texts, strict=True), strict=True))
        )
        kind = "case" if lost else "ordinary"
        is_told = bool(lost) or not any(
            truth.declared_name(line, syntax) for path in paths for line in commit.removed_lines.get(path, [])
        )
        if is_told and plan.takes(kind, counts):
            results.append(
                _row(language, kind, commit.name, lost, await _asked(clone, f"{commit.name}~1", commit.name))
            )
    return results


async def _lost(
    clone: Path, language: str, commit: _Commit, sides: Mapping[str, tuple[str, str]]
) -> tuple[list[str], dict[str, str]]:
    """The schemas among files that a commit changes, and what they lost: name -> path."""
    syntax = truth.SYNTAXES[language]
    paths = list(sides)
    if language == "graphql":  # what clients ask for is in files of the same names
        paths = [path for path in paths if any(syntax.is_schema.search(text) for text in sides[path])]
    after = [*(text for _, text in sides.values()), *await _moved_texts(clone, commit, paths)]
    lost = truth.losses({path: commit.removed_lines.get(path, []) for path in paths}, "\n".join(after), syntax)
    if language == "jsonschema":
        refused = {path: truth.refused_names(*sides[path]) for path in paths}
        lost = {name: path for name, path in lost.items() if name in refused[path]}
    return paths, lost


async def _of_migration(
    plan: Plan, clone: Path, commit: _Commit, paths: Sequence[str], counts: Counter[str]
) -> list[dict[str, Any]]:
    """The migration alone, if it drops what code names; and the whole commit."""
    new = [path for path in paths if path not in commit.removed_lines and truth.MIGRATION.search(path)]
    if not new:
        return []
    results = []
    old_drops = {
        name for lines in commit.removed_lines.values() for name in truth.drops(lines)
    }  # steps that only moved
    drops = {
        name: path
        for path in new
        if "down" not in path
        for name in truth.drops(truth.forward(commit.added_lines[path]))
        if name not in old_drops
    }
    if drops and counts["case"] < plan.most("case"):
        texts = "\n".join(line for path in new for line in commit.added_lines[path])
        used = [
            name
            for name in drops
            if not truth.returns(name, texts) and await _names(clone, f"{commit.name}~1", name, truth.tables(texts))
        ]
        if used and plan.takes("case", counts):
            with tempfile.TemporaryDirectory(prefix="deeprepo-schemas-") as scratch:
                head = await _alone(clone, Path(scratch), commit.name, new)
                outcome = await _asked(Path(scratch), f"{commit.name}~1", head)
            results.append(_row("sql", "case", commit.name, {name: drops[name] for name in used}, outcome))
    if plan.takes("ordinary", counts):
        results.append(
            _row("sql", "ordinary", commit.name, drops, await _asked(clone, f"{commit.name}~1", commit.name))
        )
    return results


async def _names(clone: Path, commit: str, name: str, tables: Sequence[str]) -> bool:
    """Whether code names it: a query on a line that names the table too, a model's field, or a member if the name has several words."""
    table = "|".join(tables) or "-"
    query = rf"(select|insert|update|delete|where).*\b({table})\b.*\b{name}\b|(select|insert|update|delete).*\b{name}\b.*\b({table})\b"
    # A field of a form or a serializer is not a column.
    field = rf"^\s+{name}\s*(=\s*((models|db|sa|orm)\.)?\w*(Column|column|Field|ForeignKey)\(|->|\s[A-Z][a-zA-Z]+\??\s)"
    forms = [query, field, *([rf"[.>]{name}\b"] if "_" in name else [])]
    done = await git.run(
        "grep", "-z", "-l", "-i", "-E", *(part for form in forms for part in ("-e", form)), commit, cwd=str(clone)
    )
    rows = [row.partition(":")[2] for row in done.out.decode("utf-8", "replace").split("\0") if row]
    return any(_counts(path) and not truth.MIGRATION.search(path) and not is_prose(path) for path in rows)


async def _alone(clone: Path, scratch: Path, commit: str, paths: Sequence[str]) -> str:
    """A commit on the parent that brings these files alone."""
    folder = str(scratch)
    await git.output("init", "-q", "--bare", ".", cwd=folder)
    objects = (await git.output("rev-parse", "--git-path", "objects", cwd=str(clone))).decode().strip()
    (scratch / "objects/info/alternates").write_text(f"{(clone / objects).resolve()}\n")
    env = {"GIT_INDEX_FILE": str(scratch / "index")}
    await git.output("read-tree", f"{commit}~1", cwd=folder, env=env)
    for path in paths:
        meta = (await git.output("ls-tree", commit, "--", path, cwd=folder)).decode().split()
        if meta:
            await git.output("update-index", "--add", "--cacheinfo", f"{meta[0]},{meta[2]},{path}", cwd=folder, env=env)
    tree = (await git.output("write-tree", cwd=folder, env=env)).decode().strip()
    named = {f"GIT_{who}_{what}": "a@b.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return (
        (await git.output("commit-tree", tree, "-p", f"{commit}~1", "-m", "alone", cwd=folder, env=named))
        .decode()
        .strip()
    )


async def _moved_texts(clone: Path, commit: _Commit, paths: Sequence[str]) -> list[str]:
    """The other files of such forms that the commit adds or changes: a schema that has another name now is not lost."""
    ends = tuple({f".{path.rpartition('.')[2]}" for path in paths})
    changed = await git.run(
        "diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "--diff-filter=AM", commit.name, cwd=str(clone)
    )
    names = [name for name in changed.out.decode("utf-8", "replace").split("\0") if name.endswith(ends)]
    return [await _text(clone, commit.name, name) for name in names[:MOST_FILES] if name not in paths]


async def _text(clone: Path, commit: str, path: str) -> str:
    done = await git.run("cat-file", "blob", f"{commit}:{path}", cwd=str(clone))
    return done.out.decode("utf-8", "replace") if not done.status else ""


async def _asked(clone: Path, base: str, head: str) -> tuple[Finding, ...] | str:
    from bot.languages import LANGUAGES

    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-schemas-") as scratch:
            pull = await checkout.pull(ReviewRequest(str(clone), "range", base, head), scratch)
            async with asyncio.timeout(120), checkout.Checkout(pull) as tree:
                files = diff.read(await tree.change(changes_role))
                check = ANALYZERS["schemas"](LANGUAGES)
                judged = await check.check(tree, [file for file in files if check.wants(file)], Dependents())
                return judged.findings if judged.findings or not judged.open else f"open: {judged.open[0]}"
    except (DeepRepoError, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"


def _row(
    language: str, kind: str, commit: str, losses: Mapping[str, str], findings: tuple[Finding, ...] | str
) -> dict[str, Any]:
    rows = [] if isinstance(findings, str) else [one for one in findings if SCHEMAS[language].wants(one.path)]
    said = "\n".join(f"{one.title} {one.why}" for one in rows).lower()
    named = any(re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", said) for name in losses)
    named |= any(one.path in losses.values() and re.search(r"removed|renamed|reused", one.rule) for one in rows)
    return {
        "kind": kind,
        "commit": commit,
        "lost": dict(list(losses.items())[:12]),
        "reported": named,
        "failure": findings if isinstance(findings, str) else "",
        "findings": [
            {
                "title": one.title,
                "severity": one.severity,
                "rule": one.rule,
                "proven": one.proven,
                "uses": [f"{item.path}:{item.line}: {item.quote.strip()[:160]}" for item in one.evidence[:4]],
            }
            for one in rows
        ],
    }


COLUMNS = ("cases", "reported", "with users", "proven", "ordinary", "false", "open")


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each language and half."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["language"], half_of(row["language"], row["repository"])), []).append(row)
    lines = ["| language | half | repositories | " + " | ".join(COLUMNS) + " |", "|" + "---|" * (len(COLUMNS) + 3)]
    for key in sorted(groups):
        mine = _counted(groups[key])
        repositories = len({row["repository"] for row in groups[key]})
        lines.append(
            f"| {key[0]} | {key[1]} | {repositories} | " + " | ".join(str(mine[name]) for name in COLUMNS) + " |"
        )
    return "\n".join(lines)


def _counted(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    cases = [row for row in rows if row["kind"] == "case"]
    plain = [row for row in rows if row["kind"] == "ordinary"]
    return Counter(
        {
            "cases": len(cases),
            "reported": sum(row["reported"] for row in cases),
            "with users": sum(row["reported"] and any(one["uses"] for one in row["findings"]) for row in cases),
            "proven": sum(row["reported"] and any(one["proven"] for one in row["findings"]) for row in cases),
            "ordinary": len(plain),
            "false": sum(bool(row["findings"]) for row in plain),
            "open": sum(bool(row["failure"]) for row in rows),
        }
    )
