"""How much of the code beside a change has a relation to it, judged without the code that chose it: a row of `make bench NAME=oracle`.

What a reader can use is a use of what changed in meaning, a definition of what new lines name, a reader or a writer of a key or a literal
of the change, an override, or a test of it. The rules below know nothing of weights and ranks, and ask only whether a run of
lines is one of these. docs/evaluation.md lists them.

    python -m benchmarks.relations --repos FOLDER --repo NAME [--repo NAME ...] [--commits 4] [--skip 0]

prints the same share for the newest commits of repositories, of those that change 2 to 200 lines.
"""

import argparse
import asyncio
import posixpath
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import labels, places
from benchmarks.clean import clone, commits
from benchmarks.table import Row, report
from bot import pipeline, wiring
from bot.context.builder import ContextBuilder
from bot.context.packing import pack
from bot.errors import GitError
from bot.ports import Tree
from bot.review.survey import Survey
from bot.values import DiffRow, Excerpt, ReviewRequest, Unit, tokens

UNRELATED = 0.15
ORDINARY = range(2, 201)  # changed lines of a commit that is looked at
TRIED = 8  # commits that are looked at for one
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_STRING = re.compile(r"\"([^\"\s]{3,80})\"|'([^'\s]{3,80})'|`([^`\s]{3,80})`")
_KEY = re.compile(r"^\s*(?:(?:let|const|var|val)\s+(?:mut\s+)?)?[\"']?([A-Za-z_][\w.-]*)[\"']?\s*(?::(?!:)|=(?![=>~]))")
_FIELD = re.compile(
    r"(?:\.|->|\[[\"'])([A-Za-z_]\w*)[\"']?\]?(?:\[[^\]]{0,80}\])?\s*(?::[^=]{0,40})?[-+|&*/]?=(?![=>~])"
)
_SPECIAL = re.compile(r"__\w+__|constructor")
_COMMENT = re.compile(r"^\s*(?:#(?!\[|!|\w+\s)|//|/\*|\*[\s/]|\*$|--\s|<!--)")
_IMPORT = re.compile(r"^\s*(?:import|from|use|using|#\s*include|export\s.*\bfrom|\}\s*from)\b|\brequire\(")
_FUNCTION = re.compile(
    r"\b(?:def|fn|fun|func|function|class|struct|enum|interface|trait|type|record|object|module|mod|macro_rules!|message)\b\*?\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_TYPED = re.compile(r"^\s*(?:[\w<>\[\],.?*&:@]+\s+){1,8}[*&]?([A-Za-z_]\w*)\s*\([^;=]*$")
_METHOD = re.compile(
    r"^\s*(?:(?:async|static|get|set|public|private|protected)\s+)*([A-Za-z_$#][\w$]*)\s*\([^;]*\{\s*$"
)
_VALUE = re.compile(
    r"^(?:export\s+)?(?:pub\s+)?(?:const|static|var|let|val)\s+(?:mut\s+)?([A-Za-z_$][\w$]*)|^([A-Za-z_]\w*)\s*(?::[^=]*)?="
)
_MEMBER = re.compile(
    r"^\s+(?:(?:public|private|protected|static|final|readonly|volatile|pub|const)\s+)+(?:[\w<>\[\],.?]+\s+)?([A-Za-z_]\w*)\s*[=;:]"
)
_NO_FUNCTION = frozenset(
    "if for while switch catch return function await new else throw match with assert elif except".split()  # noqa: SIM905
)
_DECIDES_NOTHING = re.compile(
    r"(^|/)(vendor|third[_-]party|node_modules|dist|examples?|samples?|docs?|fixtures?|testdata|assets|\.github|\.circleci)/"
    r"|(^|/)(mvnw|gradlew|configure)(\.\w+)?$|(^|/)(\.gitlab-ci|azure-pipelines|\.travis|appveyor)\.ya?ml$"
    r"|\.(lock|sum|css|scss|less|svg|snap|map|csv|tsv|xsd|ipynb|diff|patch|po|min\.\w+|md|rst|txt|adoc)$"
    r"|(^|/)(package-lock|pnpm-lock|npm-shrinkwrap)\.\w+$|_pb2\.py$|\.pb\.go$|\.generated\.",
    re.IGNORECASE,
)
_TEST = re.compile(r"(^|/)(tests?|__tests__|spec|testing)/|(^|/)test_|[._-](test|spec)s?\.|Tests?\.\w+$", re.IGNORECASE)
SHORT = 12  # lines of a function that may be a wrapper
_LOADS = re.compile(r"\b(?:pickle|marshal|shelve|joblib)\.(?:loads?|open)\b|\bObjectInputStream\b|\bunserialize\b")
_SHAPE = re.compile(r"^\s*(?:\w+\s+)*(?:class|struct|record)\s")


@dataclass(frozen=True, slots=True)
class Share:
    """Tokens of the code beside the changes of one case, and of these the ones without a relation."""

    id: str
    tokens: int
    unrelated: int
    changed: int  # lines


class Change:
    """What one change means to other code, by plain rules over its rows."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.paths = {unit.path for unit in units}
        self.kinds = {_kind(path) for path in self.paths}
        added = [row.text for unit in units for row in unit.added_rows if not _COMMENT.match(row.text)]
        removed = [row.text for unit in units for row in unit.removed_rows if not _COMMENT.match(row.text)]
        both = [*added, *removed]
        self.classes = {part for unit in units for part in _parts(unit.name)[:-1]}
        # Uses of these are uses of what changed in meaning.
        self.meant = {name for text in both for name in (*_defined(text), *_FIELD.findall(text), *_constants(text))}
        self.meant |= {_parts(unit.name)[-1] for unit in units if not unit.name.startswith("lines ")}
        self.meant |= {key for text in both for key in _KEY.findall(text) if _data(text)}
        self.meant |= {row.name for unit in units for row in unit.references}
        # The definitions of these are what new lines, or lost ones, rest upon.
        self.named = {word for text in added for word in _WORD.findall(text) if len(word) > 2}
        self.named |= {word for text in removed for word in _WORD.findall(text) if len(word) > 2}
        # The fields and keys in which callers keep what changed.
        calls = [row.text for unit in units for row in unit.references if row.call and not row.test]
        self.meant |= {
            name for text in calls for name in (*_FIELD.findall(text), *_KEY.findall(text)) if not _local(text)
        }
        # A name that every class may define says nothing without its class.
        self.meant = {name for name in self.meant if not _SPECIAL.fullmatch(name)}
        self.named = {name for name in self.named if not _SPECIAL.fullmatch(name)}
        self.shape = any(_SHAPE.match(text) for text in both)
        # A variable of one language is a key for another.
        self.keys = {name for text in both for name in _KEY.findall(text) if _compound(name)}
        self.literals = {said for text in both for said in _literals(text)}

    def sees(
        self, path: str, rows: Sequence[DiffRow], beside: bool, wrappers: Iterable[str], given: Iterable[str]
    ) -> bool:
        """Whether a run of lines of a file has a relation to the change.

        `beside`: the file is a neighbour of a changed one or names it; `wrappers`: short functions that use what changed;
        `given`: functions that get it from a line.
        """
        code = [row.text for row in rows if not _COMMENT.match(row.text) and not _IMPORT.match(row.text)]
        if _DECIDES_NOTHING.search(path) and _kind(path) not in self.kinds:
            return any(re.search(r"[^\w\s]", said) and said in text for said in self.literals for text in code)
        if not code:  # import lines alone: which files import what changed
            return any(_compound(name) and name in row.text for row in rows for name in self.meant)
        words = {word for text in code for word in _WORD.findall(text)}
        believed = {word for word in words if beside or _compound(word)}
        return bool(
            believed & (self.meant | {*wrappers})
            or believed & (self.named | {*given}) & _settled(code)
            or (words & self.keys and not any(_same_language(path, one) for one in self.paths))
            or (self.shape and any(_LOADS.search(text) for text in code))
            or {said for said in self.literals if beside or _compound(said)}
            & {s for text in code for s in _literals(text)}
            or any(_route(said, text) for said in self.literals if "/" in said for text in code)
            or any(_builds_on(text, self.classes & words) for text in code)
            or (_TEST.search(path) and any(_is_part(_stem(one), path) for one in self.paths))
        )


def measured(asked: argparse.Namespace) -> list[Share]:
    """The share of every case and of the `bad` variant of every twin for which there is a clone."""
    # The built repositories live as long as these loops, unless `--keep` names a folder for them.
    shares = [asyncio.run(_share(case.id, repo)) for case, repo in labels.cases(asked, lambda _: True)]
    return shares + [asyncio.run(_share(name, repos["bad"])) for name, repos, _ in labels.twins(asked)]


def row(shares: Sequence[Share]) -> Iterator[Row]:
    """The promise: how much of what is shown beside changes has no relation to them."""
    shown = sum(share.tokens for share in shares)
    if shown:
        unrelated = sum(share.unrelated for share in shares)
        beside = f"{unrelated:,} of {shown:,} tokens"
        yield Row("excerpts without a relation to the change", unrelated / shown, UNRELATED, beside=beside)


async def _share(name: str, repo: Path, base: str = "base", head: str = "head") -> Share:
    with tempfile.TemporaryDirectory(prefix="relations-") as scratch:
        parts = wiring.rehearsal({"strategy": "fanout"}, scratch, lambda _: None)
        async with pipeline.survey(ReviewRequest(str(repo), "range", base, head), parts) as (subject, _):
            shown = unrelated = 0
            changed = sum(len(unit.changed_rows) for unit in subject.units)
            for run, related in [item async for item in _runs(subject)]:
                shown += run
                unrelated += 0 if related else run
    return Share(name, shown, unrelated, changed)


async def _runs(subject: Survey) -> AsyncIterator[tuple[int, bool]]:
    groups = pack(subject.units)
    nearby = ContextBuilder(subject.tree, subject.files, len(groups))
    await nearby.prepare([unit for group in groups for unit in group])
    for group in groups:
        excerpts = await nearby.of(group)
        for item in await judged(Change(group), excerpts, subject.tree):
            yield item


async def judged(change: Change, excerpts: Sequence[Excerpt], tree: Tree) -> list[tuple[int, bool]]:
    """The tokens of each run of lines, and whether it has a relation."""
    texts = await tree.read_many([excerpt.path for excerpt in excerpts])
    beside = {path: _beside(path, texts.get(path, b"").decode("utf-8", "replace"), change.paths) for path in texts}
    runs = [(excerpt.path, rows) for excerpt in excerpts for rows in _split(excerpt.rows)]
    wrappers = {name for _, rows in runs for name in _wrappers(change, rows)}
    given = {name for _, rows in runs for name in _given(change, rows)}
    return [
        (tokens("\n".join(map(str, rows))), change.sees(path, rows, beside.get(path, False), wrappers, given))
        for path, rows in runs
    ]


def _split(rows: Sequence[DiffRow]) -> Iterator[list[DiffRow]]:
    """Runs of lines: without a gap, or of one function of which lines are left out."""
    run: list[DiffRow] = []
    for one in rows:
        if run and one.number != run[-1].number + 1 and not _inside(one, run):
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _inside(row: DiffRow, run: Sequence[DiffRow]) -> bool:
    """Whether a line is part of the block that a run begins, and begins no definition of its own."""
    return _indent(row.text) > _indent(run[0].text) and not _defined(row.text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _uses(change: Change, row: DiffRow) -> bool:
    """Whether a line uses a compound name that changed in meaning."""
    words = {*_WORD.findall(row.text)}
    return not _COMMENT.match(row.text) and any(_compound(name) for name in words & change.meant)


def _wrappers(change: Change, rows: Sequence[DiffRow]) -> Iterator[str]:
    """The short function around a line that uses what changed."""
    if len(rows) <= SHORT and any(_uses(change, row) for row in rows):
        yield from (name for name in _defined(rows[0].text) if _compound(name) and not _SPECIAL.fullmatch(name))


def _given(change: Change, rows: Sequence[DiffRow]) -> Iterator[str]:
    """To whom a line that uses what changed gives it."""
    for row in rows:
        if _uses(change, row):
            yield from (name for name in re.findall(r"([A-Za-z_$][\w$]*)\s*\(", row.text) if _compound(name))


def _is_part(stem: str, path: str) -> bool:
    """Whether a stem is a part of a path of its own."""
    return bool(re.search(rf"(?:^|[^A-Za-z0-9]){re.escape(stem)}(?:[^a-z0-9]|s?$)", path)) and len(stem) > 2


def _settled(code: Iterable[str]) -> set[str]:
    """What lines define, and the fields and keys to which they give a value."""
    found = {name for text in code for name in (*_defined(text), *_FIELD.findall(text))}
    return found | {key for text in code for key in _KEY.findall(text) if not _local(text)}


def _builds_on(text: str, classes: Iterable[str]) -> bool:
    return any(
        re.search(rf"\b(?:extends|implements|impl|class|for)\b.*\b{re.escape(name)}\b", text) for name in classes
    )


def _route(said: str, text: str) -> bool:
    """Whether a line holds the fixed parts of a path, two at least."""
    fixed = [part for part in re.split(r"[/{}<>:]", said) if part.isalpha() and len(part) > 3]
    return len(fixed) > 1 and all(part in text for part in fixed)


def _same_language(one: str, other: str) -> bool:
    kinds = [re.sub(r"^\.(?:[cm]?[jt]sx?|vue|svelte)$", ".js", posixpath.splitext(path)[1]) for path in (one, other)]
    return kinds[0] == kinds[1]


def _beside(path: str, text: str, changed: Iterable[str]) -> bool:
    """Whether a file is a changed one, is a neighbour of one, or names one in an import."""
    lines = [line for line in text.split("\n") if _IMPORT.match(line)] if len(text) < 500_000 else []
    words = {word for line in lines for word in _WORD.findall(line.replace("-", "_"))}
    return any(
        path == one or posixpath.dirname(path) == posixpath.dirname(one) or _stem(one).replace("-", "_") in words
        for one in changed
    )


def _defined(text: str) -> set[str]:
    """What a line defines, locals aside."""
    found = {*_FUNCTION.findall(text), *_TYPED.findall(text), *_METHOD.findall(text), *_MEMBER.findall(text)}
    found |= {name for groups in _VALUE.findall(text) for name in groups}
    return found - _NO_FUNCTION - {""}


def _constants(text: str) -> set[str]:
    return {name for name in _KEY.findall(text) if name.isupper()}


def _data(text: str) -> bool:
    """Whether `name:` or `name =` begins the line of a record rather than of a local variable."""
    return not _local(text)


def _local(text: str) -> bool:
    return bool(re.match(r"\s+(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?\w+\s*(?::[^=]*)?:?=(?![=>])", text))


def _literals(text: str) -> set[str]:
    found = {said for groups in _STRING.findall(text) for said in groups if said}
    return {said for said in found if re.fullmatch(r"[\w$@/.:-]+", said)}


def _compound(name: str) -> bool:
    """Whether a name is more than one plain word."""
    return not (name.isalpha() and (name.islower() or (name.istitle() and len(name) < 6))) or len(name) > 14


def _parts(name: str) -> list[str]:
    return re.sub(r"[@#]\d+$", "", name).split(".")


def _stem(path: str) -> str:
    folder, file = posixpath.split(path)
    stem = file.partition(".")[0]
    return posixpath.basename(folder) if stem in {"index", "mod", "__init__"} else stem


def _kind(path: str) -> str:
    found = _DECIDES_NOTHING.search(path)
    return found[0].lower() if found else ""


def main() -> int:
    """The share of ordinary commits; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    parser.add_argument("--repo", action="append", required=True)
    parser.add_argument("--commits", type=int, default=4, help="of each repository")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the newest commits")
    asked = parser.parse_args()
    shares: list[Share] = []
    for name in asked.repo:
        repo = clone(asked.repos, name)
        if repo is None:
            raise SystemExit(f"no clone of {name} in {asked.repos}: clone it there, or leave out --repo {name}")
        mine: list[Share] = []
        for commit, _ in commits(repo, TRIED * asked.commits, asked.skip):
            if len(mine) == asked.commits:
                break
            try:
                share = asyncio.run(_share(f"{name} {commit[:10]}", repo, f"{commit}^", commit))
            except GitError as error:
                print(f"not measured: {name} {commit[:10]}: {error}", flush=True)
                continue
            if share.changed in ORDINARY and share.tokens:
                mine.append(share)
                print(f"{share.unrelated:>6,} of {share.tokens:>6,} tokens  {share.id}", flush=True)
        shares += mine
    return report("relations", list(row(shares)), {"commits": [asdict(share) for share in shares]})


if __name__ == "__main__":
    raise SystemExit(main())
