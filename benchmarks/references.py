"""Break imports, members and arguments in real trees, and count which broken lines are found.

    python -m benchmarks.references --repos FOLDER [--repo NAME ...] [--files 400] [--broken 25] [--seed 1]

FOLDER: clones as NAME, NAME.git, OWNER+NAME or OWNER+NAME/repo. A tree that its authors use names next to nothing that does not exist, so each place
that is named in it is printed, to be read. Then one line of each of some files is broken as people and models break one: a misspelt
module, name or member, and in Python a keyword that nobody takes. The line must be named. Files below `tests/fixtures` and such, of
which the product says nothing, are left out.
"""

import argparse
import asyncio
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import places
from benchmarks.table import Row, report
from deeprepo import impact
from deeprepo_evals.reviews.build import clone_of

LEAST_NAMED = 90  # percent of the broken lines
MATERIAL = re.compile(
    r"(^|/)(fixtures|testdata|samples|playground|vendor|_vendor|node_modules)/|\.d\.ts$|(^|/)tests?/data/"
)
LONGEST = 300_000  # bytes of a file that is broken
# How a language imports a name: groups `spec` and `name`; and how it imports a module as a whole: `spec`, and `name` if that is given.
NAMES: Mapping[str, str] = {
    ".py": r"from (?P<spec>[\w.]+) import (?P<name>\w+)$",
    ".ts .tsx .js .jsx .mjs .vue .svelte": r"import \{ ?(?P<name>\w+) ?\} from ['\"](?P<spec>\.[^'\"]+)['\"];?$",
    ".java .kt": r"import (?P<spec>[a-z][\w.]*)\.(?P<name>[A-Z]\w*);?$",
    ".rs": r"(?:pub )?use (?P<spec>crate::[\w:]+)::(?P<name>\w+);$",
    ".php": r"use (?P<spec>\w[\w\\]*)\\(?P<name>[A-Z]\w*);$",
}
MODULES: Mapping[str, str] = {
    ".py": r"import (?P<spec>[\w.]+) as (?P<name>\w+)$",
    ".ts .tsx .js .jsx .mjs .vue .svelte": r"import \* as (?P<name>\w+) from ['\"](?P<spec>\.[^'\"]+)['\"];?$",
    ".cs": r"using (?P<spec>[A-Z][\w.]+);(?P<name>)$",
    ".go": r"\t(?:(?P<name>\w+) )?\"(?P<spec>[\w-]+\.[\w./-]+)\"$",
}


Break = tuple[
    str, int, int, int, str
]  # kind, index of the line, the part of it, what stands there then ("": a misspelling)


class Tree:
    """The newest tree of a clone, in which one file may be another. Satisfies `deeprepo.impact.SideTree`."""

    def __init__(self, repo: Path) -> None:
        self._repo, self.changed = repo, dict[str, bytes]()
        rows = self._git("ls-tree", "-rz", "HEAD").decode("utf-8", "replace").split("\0")
        found = (row.partition("\t") for row in rows if row)
        self._entries = {path: meta.split() for meta, _, path in found}

    def _git(self, *words: str, given: bytes = b"") -> bytes:
        return subprocess.run(
            ["git", "-C", str(self._repo), *words], check=True, capture_output=True, input=given
        ).stdout

    async def paths(self) -> Mapping[str, bool]:
        """Every path, and whether it is a plain file."""
        return {path: mode.startswith("100") for path, (mode, *_) in self._entries.items()}

    async def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The bytes of files, those of a changed one as they are now."""
        wanted = [path for path in paths if path in self._entries]
        out = self._git("cat-file", "--batch", given="".join(f"{self._entries[path][2]}\n" for path in wanted).encode())
        found: dict[str, bytes] = {}
        for path in wanted:
            head, _, out = out.partition(b"\n")
            if head.split()[1:2] == [b"blob"]:
                size = int(head.split()[2])
                found[path], out = out[:size], out[size + 1 :]
        return {**found, **{path: self.changed[path] for path in wanted if path in self.changed}}

    async def holding(self, pattern: str, under: str = "") -> Sequence[str]:
        """The text files with a line that matches a pattern."""
        search = ["git", "-C", str(self._repo), "grep", "-zlIP", "-e", pattern, "HEAD", "--", f":(literal){under}"]
        rows = subprocess.run(search, check=False, capture_output=True).stdout.decode("utf-8", "replace")
        return [row.removeprefix("HEAD:") for row in rows.split("\0") if row]


def main() -> int:
    """Print what is named in each tree and how many of the broken lines; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    parser.add_argument("--repo", action="append", help="OWNER+NAME (default: every clone of the folder)")
    parser.add_argument("--files", type=int, default=400, help="number of unmodified files checked per tree")
    parser.add_argument("--broken", type=int, default=25, help="number of files per tree in which a line is broken")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    names = asked.repo or sorted(one.name for one in asked.repos.iterdir() if one.is_dir())
    told, looked, hits, tries = 0, 0, Counter[str](), Counter[str]()
    for name in names:
        repo = clone_of(asked.repos, name.replace("+", "/"))
        if repo is None:
            continue
        tree = Tree(repo)
        chance = random.Random(f"{asked.seed} {name}")  # noqa: S311 - a choice that can be repeated
        paths = sorted(path for path in asyncio.run(tree.paths()) if impact.knows(path) and not MATERIAL.search(path))
        chance.shuffle(paths)
        sources = asyncio.run(tree.read(paths[: asked.files]))
        found = asyncio.run(
            impact.report(tree, {path: range(1, one.count(b"\n") + 2) for path, one in sources.items()})
        )
        print(f"{name}: {len(sources)} files, {len(found.places)} places", flush=True)
        for place in found.places:
            print(f"  {place.path}:{place.line} {place.rule} {place.name} {place.says}".rstrip())
        told, looked = told + len(found.places), looked + len(sources)
        for kind, path, lines, line in _broken(tree, paths, asked.broken, chance):
            tree.changed = {path: "\n".join(lines).encode()}
            named = asyncio.run(impact.report(tree, {path: {line}})).places
            tree.changed = {}
            tries[kind] += 1
            hits[kind] += bool(named)
            if not named:
                print(f"  not named: {path}:{line} {lines[line - 1].strip()[:150]}")
    rows = [Row("places named in trees as they stand", told, beside=f"in {looked} files; each is printed, to be read")]
    rows += [Row(f"broken: {kind}", hits[kind], unit=f"of {tries[kind]}") for kind in sorted(tries)]
    share = 100 * sum(hits.values()) / max(1, sum(tries.values()))
    rows.append(
        Row(
            "broken lines that are named",
            share,
            LEAST_NAMED,
            "%",
            f"{sum(hits.values())} of {sum(tries.values())}",
            least=True,
        )
    )
    return report("references", rows)


def _broken(
    tree: Tree, paths: Sequence[str], count: int, chance: random.Random
) -> Iterator[tuple[str, str, list[str], int]]:
    """Files with one broken line each: its kind, path, lines, and the line's number. The kinds take turns."""
    taken = Counter[str]()
    homes = {path.rpartition(".")[0].removesuffix("/__init__") for path in paths}
    homes |= {path.rpartition("/")[0] for path in paths}
    ends = {"/".join(home.split("/")[-2:]): home for home in homes}
    for path in paths:
        if sum(taken.values()) == count:
            return
        lines = asyncio.run(tree.read([path])).get(path, b"").decode("utf-8", "replace").split("\n")
        rows = list(_breaks(path, lines, ends, tree)) if sum(map(len, lines)) < LONGEST else []
        if rows:
            least = min({kind for kind, *_ in rows}, key=lambda kind: (taken[kind], kind))
            _, at, start, end, made_up = chance.choice([row for row in rows if row[0] == least])
            line = lines[at]
            lines[at] = line[:start] + (made_up or _misspelt(line[start:end], chance)) + line[end:]
            taken[least] += 1
            yield least, path, lines, at + 1


def _breaks(path: str, lines: list[str], ends: Mapping[str, str], tree: Tree) -> Iterator[Break]:
    """What can be broken in a file."""
    suffix = "." + path.rpartition(".")[2]
    modules, plain = set[str](), set[str]()
    for is_whole, at, found, parts, home in _imports(suffix, lines, ends):
        if suffix != ".py" or len(parts) > 1 or found["spec"].startswith("."):
            yield "module", at, found.end("spec") - len(parts[-1]), found.end("spec"), ""
        if is_whole:
            modules.add(found["name"] or parts[-1])
        else:
            yield "name", at, *found.span("name"), ""
            if suffix == ".py" and _is_plain(found["name"], home, tree):
                plain.add(found["name"])
    yield from _uses(suffix, lines, modules, plain)


def _uses(suffix: str, lines: list[str], modules: Collection[str], plain: Collection[str]) -> Iterator[Break]:
    """Members of modules, and calls of functions that take no keyword of any name."""
    for at, line in enumerate(lines):
        if re.match(r"\s*(#|//|\*|import|from|use|\")", line):
            continue
        for use in re.finditer(r"(?<![\w.\"'])(\w+)\.(\w+)", line):
            if use[1] in modules and (suffix != ".go" or use[2][0].isupper()):
                yield "member", at, *use.span(2), ""
        for use in re.finditer(r"(?<![\w.\"'])(\w+)\(([^()]*)\)", line):
            if use[1] in plain:
                yield "keyword", at, *use.span(2), f"{use[2]}{', ' if use[2].strip() else ''}invented=True"


def _imports(
    suffix: str, lines: list[str], ends: Mapping[str, str]
) -> Iterator[tuple[bool, int, re.Match[str], list[str], str]]:
    """The imports of the tree's own: of a module as a whole or not, index of the line, its match, the parts of the module, its path."""
    for table in (MODULES, NAMES):
        pattern = next((row for words, row in table.items() if suffix in words.split()), "(?!)")
        for at, line in enumerate(lines):
            found = re.fullmatch(pattern, line)
            parts = [one for one in re.split(r"[./:\\]+", found["spec"]) if one not in ("", "crate")] if found else []
            home = ends.get("/".join(parts[-2:]))
            if found is not None and parts and (home is not None or found["spec"].startswith((".", "crate"))):
                yield table is MODULES, at, found, parts, home or ""


def _is_plain(name: str, home: str, tree: Tree) -> bool:
    """Whether a module defines a function without a decorator that takes no keyword of any name."""
    source = asyncio.run(tree.read([f"{home}.py"])).get(f"{home}.py", b"").decode("utf-8", "replace")
    found = re.search(rf"(?m)^(?<!\w\n)(?:async )?def {name}\(([^)]*)\)", source)
    return found is not None and "**" not in found[1]


def _misspelt(word: str, chance: random.Random) -> str:
    """A word as people mistype it, or another that a model would make up."""
    at = chance.randrange(1, max(2, len(word) - 1))
    ways = (
        word[:at] + word[at + 1 :],
        f"{word}s",
        word[:at] + word[at] + word[at:] if at < len(word) else f"{word}x",
        f"{word[0]}{word[0].lower()}invented",
    )
    return chance.choice([one for one in ways if one != word])


if __name__ == "__main__":
    sys.exit(main())
