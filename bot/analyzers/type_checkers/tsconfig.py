"""Translate the import settings of a tree's compiler configurations and manifests for our configuration.

Only these are used: `paths`, `baseUrl`, relative `extends`, `lib`, `checkJs`, and the names and entries of
the tree's packages. Plug-ins, references, `types` and anything outside the tree are ignored.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deeprepo.impact.languages.javascript import read_json
from deeprepo.impact.languages.javascript.exports import BUILT_ENDING, star_part
from deeprepo.impact.paths import above_of
from deeprepo.impact.text import tables

FILE_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json")
SCRIPT_ENDING = re.compile(r"\.([cm]?)jsx?$")
BUILT = re.compile(r"^(\./)?(?:dist|build|lib|out|es|esm|cjs|types)/")
COMPILED = re.compile(r"(?:ts|js)config(?:\.[\w-]+)*\.json")
NESTED = 10  # configurations that extend each other
MOST_CONFIGS = 600  # configurations and manifests
PASSED_BY = frozenset({"node_modules", "dist", "build", "vendor", "coverage", ".next", "fixtures", "__fixtures__"})
Table = Mapping[str, object]
Aliases = Mapping[str, Sequence[str]]  # pattern -> paths of the tree, with the pattern's star


@dataclass(frozen=True, slots=True)
class Options:
    """What one configuration says about the files below its folder."""

    aliases: Aliases
    dom: bool = True  # whether its files run in a browser
    checks: bool | None = None  # whether types in JavaScript are checked; None if it says nothing


class Projects:
    """The configurations and packages of one tree."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._paths = paths if isinstance(paths, set | frozenset) else frozenset(paths)
        self._tables = {path: read_json(text) for path, text in configs.items()}
        self._options = {
            posixpath.dirname(path): self._of(path)
            for path in sorted(self._tables)
            if posixpath.basename(path) in ("tsconfig.json", "jsconfig.json")
        }
        self._homes: dict[str, tuple[str, bool]] = {}
        self._aliases: dict[str, Aliases] = {}
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}

    @cached_property
    def packages(self) -> Aliases:
        """The names of the tree's packages and their exports."""
        found: dict[str, list[str]] = {}
        for path, table in list(self._tables.items()):
            name, folder = table.get("name"), posixpath.dirname(path)
            if not path.endswith("package.json") or not isinstance(name, str) or not folder:
                continue
            exports = tables.table(table.get("exports"))
            entries = [*_texts(exports.get(".", table.get("exports") if not _is_map(exports) else None))]
            entries += [text for key in ("types", "typings", "module", "main") for text in _texts(table.get(key))]
            found[name] = list(self._sources(folder, [*entries, "src/index", "index"]))[:1]
            for key, value in exports.items():
                if key.startswith("./"):
                    found[f"{name}{key[1:]}"] = list(self._sources(folder, _texts(value)))
            found.setdefault(f"{name}/*", [posixpath.join(folder, "*"), posixpath.join(folder, "src/*")])
        return {pattern: targets for pattern, targets in found.items() if targets and pattern.count("*") <= 1}

    def home(self, path: str) -> tuple[str, bool]:
        """Return the folder whose aliases apply to a file ("" if none), and whether it runs in a browser."""
        above = posixpath.dirname(path)
        if above not in self._homes:
            self._homes[above] = self._home(above)
        return self._homes[above]

    def _home(self, folder: str) -> tuple[str, bool]:
        dom = None
        while True:
            options = self._options.get(folder)
            if options is not None:
                dom = options.dom if dom is None else dom
                if options.aliases:
                    return folder, dom
            if not folder:
                return "", dom is not False
            folder = posixpath.dirname(folder)

    def checks_javascript(self, path: str) -> bool:
        """Return whether the nearest configuration with `checkJs` turns it on."""
        around = (self._options[folder] for folder in (*above_of(path), "") if folder in self._options)
        return next((one.checks for one in around if one.checks is not None), False)

    def aliases(self, home: str) -> Aliases:
        """Return the patterns that apply below a folder, including those of packages."""
        if home not in self._aliases:
            self._aliases[home] = self._aliases_of(home)
        return self._aliases[home]

    def _aliases_of(self, home: str) -> Aliases:
        options = self._options.get(home)
        return {**self.packages, **(options.aliases if options is not None else {})}

    def files(self, importer: str, spec: str) -> tuple[str, ...]:
        """Return the files of the tree that a specifier may refer to."""
        key = posixpath.dirname(importer), spec.partition("?")[0]
        if key not in self._found:
            self._found[key] = tuple(self._files(importer, key[1]))
        return self._found[key]

    def _files(self, importer: str, spec: str) -> Iterator[str]:
        if spec.startswith("."):
            yield from self._file(posixpath.normpath(posixpath.join(posixpath.dirname(importer), spec)))
            return
        for pattern, targets in self.aliases(self.home(importer)[0]).items():
            part = star_part(pattern, spec)
            if part is not None:
                for target in targets:
                    yield from self._file(posixpath.normpath(target.replace("*", part)))

    def is_named(self, importer: str, spec: str) -> bool:
        """Return whether a specifier is relative or resolves in the tree."""
        if spec.startswith((".", "/", "#")):
            return True
        aliases = self.aliases(self.home(importer)[0])
        is_alias = any(pattern != "*" and star_part(pattern, spec) is not None for pattern in aliases)
        return is_alias or bool(self.files(importer, spec))

    def _of(self, path: str) -> Options:
        options = self._merged(path)
        folder = posixpath.dirname(path)
        root = str(options.get(".baseUrl", folder))
        aliases: dict[str, list[str]] = {}
        for pattern, targets in tables.table(options.get(".paths")).items():
            inside = [one for one in tables.strings(targets) if not one.startswith("..")]
            if pattern.count("*") <= 1 and inside:
                aliases[pattern] = [
                    one if one.count("*") <= 1 else one.replace("*", "", one.count("*") - 1) for one in inside
                ]
        if ".baseUrl" in options and not root.startswith(".."):
            aliases.setdefault("*", [posixpath.normpath(posixpath.join(root, "*"))])
        lib = [one.lower() for one in tables.strings(options.get("lib"))]
        checks = options.get("checkJs")
        return Options(
            aliases,
            dom=not lib or any(one.startswith("dom") for one in lib),
            checks=checks if isinstance(checks, bool) else None,
        )

    def _merged(self, path: str, depth: int = 0) -> dict[str, object]:
        """Return the compiler options with inherited ones.

        Paths relative to the tree have names with a dot.
        """
        table, folder = self._tables.get(path, {}), posixpath.dirname(path)
        merged: dict[str, object] = {}
        for base in _extended(path, table) if depth < NESTED else ():
            merged |= self._merged(base, depth + 1) if base in self._tables else {}
        own = dict(tables.table(table.get("compilerOptions")))
        references = table.get("references")
        for other in references if isinstance(references, list) and not own.get("paths") else ():
            base = posixpath.normpath(posixpath.join(folder, str(tables.table(other).get("path"))))
            if posixpath.dirname(base) == folder and base in self._tables and depth < NESTED:
                merged = {**self._merged(base, depth + 1), **merged}
        if isinstance(own.get("baseUrl"), str):
            merged[".baseUrl"] = posixpath.normpath(posixpath.join(folder, str(own["baseUrl"])))
        if own.get("paths"):
            root = str(merged.get(".baseUrl", folder))
            merged[".paths"] = {
                pattern: [
                    posixpath.normpath(posixpath.join(root, one.replace("${configDir}", ".")))
                    for one in tables.strings(targets)
                ]
                for pattern, targets in tables.table(own["paths"]).items()
            }
        return merged | {name: value for name, value in own.items() if name in ("lib", "checkJs")}

    def _sources(self, folder: str, targets: Sequence[str]) -> Iterator[str]:
        """Yield the files that a manifest's entry refers to: the built file, or its source."""
        for target in targets:
            for form in (target, BUILT.sub("src/", target), BUILT.sub("", target)):
                stem = BUILT_ENDING.sub("", form)
                base = posixpath.normpath(posixpath.join(folder, stem))
                if "*" in stem:
                    yield base
                else:
                    yield from list(self._file(base))[:1]

    def _file(self, base: str) -> Iterator[str]:
        stem = SCRIPT_ENDING.sub("", base)
        tries = [base, *(base + end for end in FILE_ENDINGS), *(f"{base}/index{end}" for end in FILE_ENDINGS)]
        tries += [stem + end for end in FILE_ENDINGS] if stem != base else []
        yield from (path for path in tries if path in self._paths)


def extended_by(path: str, source: bytes) -> tuple[str, ...]:
    """Return the files that a configuration may extend by a relative path."""
    return _extended(path, read_json(source)) if COMPILED.fullmatch(posixpath.basename(path)) else ()


def _extended(path: str, table: Table) -> tuple[str, ...]:
    extends = table.get("extends")
    bases = (
        posixpath.normpath(posixpath.join(posixpath.dirname(path), one))
        for one in (extends if isinstance(extends, list) else [extends])
        if isinstance(one, str) and one.startswith(".")
    )
    return tuple(form for base in bases for form in (base, f"{base}.json"))


def is_config(path: str) -> bool:
    """Return whether a file is a relevant configuration or manifest."""
    folder, _, name = path.rpartition("/")
    return (name == "package.json" or COMPILED.fullmatch(name) is not None) and PASSED_BY.isdisjoint(folder.split("/"))


def _is_map(exports: Table) -> bool:
    return any(key.startswith(".") for key in exports)


def _texts(value: object) -> list[str]:
    """Return the paths of an entry, those for types first."""
    if isinstance(value, str):
        return [value]
    table = tables.table(value)
    order = sorted(table, key=lambda key: (key != "types", key not in ("source", "import"), key != "default"))
    return [text for key in order for text in _texts(table[key])]
