"""Run ty (https://docs.astral.sh/ty) on Python files. The repository cannot configure it."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from posixpath import dirname, join
from typing import Any

from bot.analyzers import linter_run
from bot.analyzers.linters import Directives
from bot.analyzers.type_checkers.checker import TypeChecker
from bot.analyzers.type_checkers.diagnostics import Diagnostic
from bot.analyzers.type_checkers.layout import Contents, Sources, folders_of, gather
from bot.values import Side
from deeprepo.impact.language import leading
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.values import Import

NEWEST = "3.14"
OPTIONS = ("check", "--output-format", "gitlab", "--exit-zero", "--no-progress")
SETTINGS, PACKAGES, SENTINEL = "ty.toml", "packages", "last.py"  # beside the folder of the repository's files
CRASH = "panic"  # the name of the rule
UNCLEAR = "Divergent"  # in messages that differ between runs
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py")
MOST_ROOTS = 40
IMPORT = re.compile(
    rb"^[ \t]*+(?:from[ \t]++(\.*+[\w.]*+)[ \t]++import[ \t]*+(?:\(([^)]{0,20000})\)|([^\n#]*+))|import[ \t]++([^\n#;]++))",
    re.MULTILINE,
)
NAME = re.compile(rb"[A-Za-z_]\w*")


class Ty(TypeChecker):
    """Checks Python files."""

    NAME = "ty"
    SUFFIXES = (".py", ".pyi")
    RULES = "ty.toml"
    COMMENTS = Directives(rb"(?:type|ty):\s*ignore", b"#", whole=True)

    def program(self) -> str | None:
        """Return the program of the package installed here."""
        return linter_run.program(self.NAME)

    async def sources(self, tree: Tree, roots: Collection[str], changed: Mapping[Side, Contents]) -> Sources:
        """Return the files with their imports."""
        from deeprepo.impact.uses.reach import both  # imported here because it loads the parser

        entries = await tree.entries()
        modules = (await both(tree, leading("python")))[0].project.modules

        def imports(path: str, text: bytes) -> Iterator[str]:
            for item, names in _imported(text):
                inner = (modules.inner(path, item, name) for name in names)
                for file in chain.from_iterable(filter(None, (modules.files(path, item), *inner))):
                    folders = (file, *(f"{folder}/__init__.py" for folder in above_of(file)))
                    yield from (one for one in folders if one in entries)

        return replace(await gather(tree, roots, changed, imports), setup=_roots(entries))

    async def run(self, folder: Path, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        """Return the errors of some files."""
        contents = sources.of(side)
        paths = [path for path in checked if path in contents]
        folders = folders_of(contents)
        roots = [root or "." for root in sources.setup if not root or root in folders]
        own = {
            SETTINGS: f"[environment]\nroot = {json.dumps(roots)}\n".encode(),
            SENTINEL: b"last = 1()\n",
            f"{PACKAGES}/pyvenv.cfg": b"home = /nonexistent\n",
            f"{PACKAGES}/lib/python{NEWEST}/site-packages/README.txt": b"no package is installed\n",
        }
        options = [*OPTIONS, "--python-version", NEWEST]
        options += ["--config-file", f"../{SETTINGS}", "--python", f"../{PACKAGES}", "--", *paths, f"../{SENTINEL}"]
        return await self.reported(folder, own, contents, options, {"TY_MAX_PARALLELISM": "1"})

    def parsed(self, folder: Path, contents: Contents, status: int, out: bytes, log: str) -> list[Diagnostic]:
        """Return the errors in ty's GitLab report format."""
        try:
            rows = json.loads(out)
            crashes = "\n".join(row["description"] for row in rows if row["check_name"] == CRASH)
            found = [_parsed(row) for row in rows if row["check_name"] != CRASH and UNCLEAR not in row["description"]]
        except (ValueError, KeyError, TypeError) as error:
            how = f"ended with status {status} and an unreadable report: {log[-200:].strip()}"
            raise linter_run.ProgramError(self.NAME, how) from error
        if crashes:
            raise linter_run.ProgramError(
                self.NAME, "crashed", {path for path in contents if f"{folder / path}`" in crashes}
            )
        if not any(Path(one.path).is_absolute() and one.path.endswith(f"/{SENTINEL}") for one in found):
            raise linter_run.ProgramError(self.NAME, f"ended with status {status} before its last file")
        return found


def _parsed(row: Any) -> Diagnostic:  # noqa: ANN401 - parsed JSON
    code, positions = row["check_name"], row["location"]["positions"]
    begin, end = positions["begin"], positions["end"]
    span = (begin["column"], end["line"], end["column"])
    message = row["description"].removeprefix(f"{code}: ")
    return Diagnostic(row["location"]["path"], begin["line"], code, message, span=span)


def _roots(entries: Collection[str]) -> tuple[str, ...]:
    """Return the folders from which modules are imported: the top, those with a manifest, and their `src`."""
    homes = {dirname(path) for path in entries if path.rpartition("/")[2] in MANIFESTS}
    homes = {home for home in homes if f"{home}/__init__.py" not in entries}
    near = sorted({"", *homes}, key=lambda home: (home.count("/") + bool(home), home))[:MOST_ROOTS]
    folders = folders_of(entries)
    sources = {home for home in near if join(home, "src") in folders}
    return tuple(root for home in near for root in ((join(home, "src"), home) if home in sources else (home,)))


def _imported(text: bytes) -> Iterator[tuple[Import, list[str]]]:
    for match in IMPORT.finditer(text):
        home, several, names, modules = match.groups()
        for module in modules.split(b",") if modules is not None else (home,):
            spec = module.strip().partition(b" ")[0].decode("utf-8", "replace")
            yield Import(spec, 0), [name.decode("utf-8", "replace") for name in NAME.findall(several or names or b"")]


ANALYZER = Ty
