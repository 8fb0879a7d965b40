"""Renamed keys in real trees: a key, a name of the environment, a route or a column is renamed in one file, and others still say it.

    python -m benchmarks.renamed --repos FOLDER [--repo NAME ...] [--count 40] [--seed 1] [--verbose]

FOLDER: clones as NAME, NAME.git, OWNER+NAME or OWNER+NAME/repo. Of each the newest tree is searched for names that one file sets or declares and 1 to 5
other files say; a seeded choice of them is renamed, each in a commit of its own, and reviewed without a model. Each review must name
a line of one of the files that were left behind, as a finding or among the places that rely on the change.
"""

import argparse
import asyncio
import io
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import places
from benchmarks.table import Row, report
from bot import wiring
from bot.outputs import facts
from bot.text.lines import is_comment
from bot.text.paths import is_output, is_prose, is_test, vendored_folder
from bot.values import ReviewRequest

MOST_READERS = 5
MOST_HOLDERS = 30  # files that may contain a name in any form
HEAD = 400  # characters in which a program says that it wrote the file
MAX_BYTES = 400_000  # of a file that is searched
TEXT = re.compile(
    r"\.(?:py|[cm]?[jt]sx?|vue|go|java|kt|rb|php|rs|cs|html?|j2|jinja2?|erb|ejs|hbs|sql|prisma|graphql|ya?ml|toml|ini|cfg|json|env|sh|tf|properties)$"
    r"|(?:^|/)(?:\.env[\w.-]*|Dockerfile[\w.-]*|Makefile)$"
)
# How each kind is written where it is set or declared; the group is the name.
KINDS: Mapping[str, str] = {
    "environment": r"(?:\benv\.|\benviron(?:\.get)?[\[(]\s*[\"']|getenv\(\s*[\"']|\bENV\[[\"']|^\s*(?:-\s+|export\s+|ENV\s+|ARG\s+)?)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?=[\"'\])=:,;)\s])",
    "key": r"[\"']([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)[\"'](?=\s*(?::(?!:)|=>|\]\s*=(?!=)))",
    "setting": r"^\s*[\"']?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)[\"']?\s*[:=](?![:=])",
    "route": r"(?:route|path|get|post|put|patch|delete|Get|Post|GET|POST|Handle\w*)\(\s*r?[\"'`]\^?(/?[a-z][\w-]*(?:/[a-z][\w-]*)+|[a-z]+(?:-[a-z]+)+|/[a-z][\w-]{4,})[\"'`/$]",
    "part": r"(?:@(?:Get|Post|Put|Patch|Delete|Controller|\w*Mapping)|(?<![\w.])(?:re_)?path)\(\s*r?[\"'`]\^?([a-z][\w-]{3,})/?[\"'`$]",
    "deep": r"(?:@\w+(?:\.\w+)?|(?<![\w.])(?:re_)?path|(?:app|\w*[rR]outer|\bg|group)\.\w+|\.add_\w+)\([^\n\"'`]{0,60}[\"'`][\w/.-]*(?::\w+|\{\w+\}|<[\w:]+>)/([a-z][\w-]{3,})",
    "column": r"(?:[cC]olumn|Field|addColumn|createIndex|dropColumn|string|integer|text|timestamp\w*|boolean|uuid)\(\s*[\"']([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)[\"']|@map\(\"(\w+_\w+)\"|^\s+[\"`]?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[\"`]?\s+(?:VARCHAR|TEXT|INTEGER|INT|BOOLEAN|TIMESTAMP|DATETIME|UUID|BIGINT)\b",
}
ROUTES = ("part", "deep")  # segments: others write a slash in front of them, and a word that is none is left as it is
SETTINGS = re.compile(r"\.(?:ya?ml|toml|ini|cfg|json|properties)$")
CODE = re.compile(r"\.(?:py|[cm]?[jt]sx?|vue|go|java|kt|rb|php|rs|cs)$")


@dataclass(frozen=True, slots=True)
class Rename:
    """One name, the file in which it is renamed, and the files that still say it."""

    repo: str
    kind: str
    name: str
    path: str
    readers: tuple[str, ...]
    conclusion: str = ""
    names_reader: bool = False  # whether the review names a line of a reader


def main() -> int:
    """Rename and review; the exit code says whether none was clean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    parser.add_argument("--repo", action="append", help="OWNER+NAME (default: those of clean)")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: all")
    parser.add_argument("--verbose", action="store_true", help="print every rename")
    asked = parser.parse_args()
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        os.environ.pop(variable, None)
    found = {name: at for name in asked.repo or places.SIX if (at := places.clone(asked.repos, name)) is not None}
    if not found:
        print(f"no clone in {asked.repos}", file=sys.stderr)
        return 2
    results: list[Rename] = []
    wanted = {
        name: [one for one in _names(name, at) if not asked.kind or one.kind in asked.kind]
        for name, at in found.items()
    }
    chosen = _chosen(wanted, asked.count, asked.seed)
    for one in chosen:
        with tempfile.TemporaryDirectory(prefix="deeprepo-renamed-") as scratch:
            result = _reviewed(one, found[one.repo], Path(scratch))
        results.append(result)
        if asked.verbose or not result.names_reader:
            print(
                f"{result.conclusion:<10} {one.kind:<11} {one.name:<30} {one.repo} {one.path} -> {', '.join(one.readers)}",
                flush=True,
            )
    for kind, number in Counter(one.kind for one in results).most_common():
        mine = [one for one in results if one.kind == kind]
        print(f"{kind}: {number}, {sum(one.names_reader for one in mine)} with a reader's line")
    named = sum(one.names_reader for one in results)
    rows = [
        Row("renames reviewed", len(results)),
        Row("reviews that name a line left behind", named, len(results), least=True),
    ]
    return report("renamed", rows, {"renames": [asdict(one) for one in results]})


def _names(repo: str, at: Path) -> Iterator[Rename]:
    """The names of the newest tree that one file sets or declares and 1 to 5 other files say, in quotes, as a member or outside code."""
    texts = dict(_texts(at))
    holders: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        for form in (r"/?[A-Za-z][\w-]*(?:/[\w-]+)*", r"[A-Za-z]\w*(?:-\w+)*", r"(?<=/)[A-Za-z][\w-]*"):
            for word in set(re.findall(form, text)):
                holders[word].add(path)
    for path, text in texts.items():
        code = "\n".join("" if is_comment(line, path) else line for line in text.split("\n"))
        for kind, pattern in KINDS.items():
            if (kind == "setting") != bool(SETTINGS.search(path)) and kind in ("setting", "key"):
                continue
            names = {next(filter(None, match.groups())) for match in re.finditer(pattern, code, re.MULTILINE)}
            for name in sorted(names):
                if len(holders[name]) > MOST_HOLDERS and kind not in ROUTES:
                    continue
                readers = sorted(other for other in holders[name] - {path} if _says(name, texts[other], other, kind))
                if 1 <= len(readers) <= MOST_READERS:
                    yield Rename(repo, kind, name, path, tuple(readers))


def _texts(at: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(fileobj=io.BytesIO(_git(at, "archive", "HEAD"))) as archive:
        for entry in archive:
            held = archive.extractfile(entry) if entry.isfile() and entry.size <= MAX_BYTES else None
            if held is None or not TEXT.search(entry.name) or not _product(entry.name):
                continue
            text = held.read().decode("utf-8", "replace")
            if not re.search("generated", text[:HEAD], re.IGNORECASE):
                yield entry.name, text


def _product(path: str) -> bool:
    return not (is_prose(path) or is_test(path) or is_output(path) or vendored_folder(path))


def _says(name: str, text: str, path: str, kind: str) -> bool:
    """Whether a file says the name as a text, a member or, where no program stands, anywhere outside a comment."""
    word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    rows = [row for row in text.split("\n") if name in row and not re.match(r"\s*(?:#|//|\*|/\*|--|<!--|\{#)", row)]
    rows = [row for row in rows if kind not in ROUTES or not re.search(r"\bimport\b|\brequire\(|\bfrom\s+[\"']", row)]
    form = rf"[\"'`]{re.escape(name)}[\"'`]" + (rf"|\.{re.escape(name)}\b(?!\s*\()" if name.isidentifier() else "")
    form = form if CODE.search(path) else word
    form = rf"[\"'`][^\"'`\s]*/{re.escape(name)}(?![\w.-])" if kind in ROUTES else form
    return any(re.search(form, row.partition(" #")[0].partition(" //")[0]) for row in rows)


def _chosen(found: Mapping[str, list[Rename]], count: int, seed: int) -> list[Rename]:
    """A seeded choice, the kinds and the repositories in turn, no name of a repository twice."""
    dice = random.Random(seed)  # noqa: S311 - a choice that can be repeated
    piles: dict[tuple[str, str], list[Rename]] = defaultdict(list)
    for repo, listed in found.items():
        names = set[str]()
        for one in dice.sample(listed, len(listed)):
            if one.name not in names:
                names.add(one.name)
                piles[one.kind, repo].append(one)
    chosen: list[Rename] = []
    while len(chosen) < count and any(piles.values()):
        for kind in KINDS:
            left = sorted(key for key, pile in piles.items() if pile and key[0] == kind)
            if left and len(chosen) < count:
                chosen.append(piles[dice.choice(left)].pop())
    return chosen


def _reviewed(one: Rename, at: Path, scratch: Path) -> Rename:
    """The name replaced everywhere in its file, committed beside a clone that shares the objects, and reviewed without a model."""
    copy = scratch / "repo"
    _git(at, "clone", "--quiet", "--shared", "--bare", str(at), str(copy))
    before = _git(copy, "show", f"HEAD:{one.path}").decode("utf-8", "surrogateescape")
    fresh = re.sub(r"\w+$", lambda last: f"{last[0]}_renamed" if "_" in last[0] else f"{last[0]}Renamed", one.name)
    fresh = fresh.upper() if one.name.isupper() else fresh
    word = re.compile(rf"(?<![\w-]){re.escape(one.name)}(?![\w-])")
    if one.kind in ROUTES:
        written = re.compile(KINDS[one.kind], re.MULTILINE)
        after = written.sub(lambda match: word.sub(fresh, match[0]), before)
    else:
        after = word.sub(lambda _: fresh, before)
    blob = _git(copy, "hash-object", "-w", "--stdin", given=after.encode("utf-8", "surrogateescape")).decode().strip()
    mode = _git(copy, "ls-tree", "HEAD", "--", one.path).split()[0].decode()
    _git(copy, "read-tree", "HEAD")
    _git(copy, "update-index", "--cacheinfo", f"{mode},{blob},{one.path}")
    tree = _git(copy, "write-tree").decode().strip()
    identity = ("-c", "user.name=rename", "-c", "user.email=rename@example.org")
    head = _git(copy, *identity, "commit-tree", tree, "-p", "HEAD", "-m", f"Rename {one.name}").decode().strip()
    _git(copy, "update-ref", "refs/heads/renamed", head)
    request = ReviewRequest(str(copy), base=f"{head}^", head=head)
    review = asyncio.run(wiring.local_review(request, {"strategy": "offline"}, str(scratch)))
    places = (*review.coverage.open, *review.coverage.relying)
    paths = {row.path for row in places} | {placed.finding.path for placed in review.reported}
    paths |= {item.path for placed in review.reported for item in placed.finding.evidence}
    names_reader = not paths.isdisjoint({*one.readers})
    return Rename(one.repo, one.kind, one.name, one.path, one.readers, facts.conclusion(review), names_reader)


def _git(at: Path, *arguments: str, given: bytes | None = None) -> bytes:
    command = ["git", "-C", str(at), *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=given).stdout


if __name__ == "__main__":
    sys.exit(main())
