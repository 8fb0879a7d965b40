"""Resolve JavaScript and TypeScript modules: relative paths, `paths` of tsconfig files, and workspace packages."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.defaults import Member
from deeprepo.impact.language import Language
from deeprepo.impact.languages.javascript import manifest
from deeprepo.impact.languages.javascript.exports import (
    ASKED,
    ENDINGS,
    NESTED,
    Table,
    forms,
    mains,
    relative_paths,
    star_part,
    stem_of,
    targets_of,
)
from deeprepo.impact.languages.javascript.objects import members
from deeprepo.impact.languages.javascript.statements import import_lines
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, above_of, is_below, joined
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.text import tables
from deeprepo.impact.values import Clues, Import

# files that Node runs as written, and prefers when importing from such files
PLAIN = (".js", ".jsx", ".cjs", ".mjs")
RIVALS = (".ts", ".tsx", *PLAIN)  # suffixes that may compete for one name
COMPILED = ("tsconfig", "jsconfig")  # prefixes of compiler configuration files
QUOTED_END = r"""(\.[a-z.]+)?(\?[a-z]+)?["'`]"""

Alias = tuple[str, tuple[str, ...]]  # a pattern, and the paths that it may stand for
BLANK = re.compile(rb"[^\n]")
DECLARES = (".d.ts", ".d.cts", ".d.mts")  # suffixes of files that only declare
# Heads of objects that TypeScript does not extend: no spread and no computed member.
CLOSED = re.compile(r"\w+ = \{(?!.*(?:\.\.\.|\] ?:)).*\}( as const)?$")


class Modules(Resolver):
    """The modules of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._tables = {path: tables.json_table(source) for path, source in configs.items() if path.endswith(".json")}
        self._packages: dict[str, tuple[str, Table]] = {}
        self._aliases: dict[str, list[Alias]] = {}  # folder -> aliases of its configuration files
        for path, table in self._tables.items():
            folder, name = posixpath.split(path)
            if name == "package.json":
                if isinstance(table.get("name"), str) and "node_modules" not in path:
                    self._packages[str(table["name"])] = folder, table
            elif name.startswith(COMPILED):
                self._aliases.setdefault(folder, []).extend(self._of_config(path))
        self._asked = {
            name for table in self._tables.values() for key in ASKED for name in tables.table(table.get(key))
        }
        self._found: dict[tuple[str, bool, str], tuple[str, ...] | None] = {}

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a specifier."""
        key = posixpath.dirname(importer), importer.endswith(PLAIN), item.spec
        if key not in self._found:
            path, query, _ = item.spec.partition("?")
            found = self._search(importer, path)
            # a bundler decides what a module with a query exports
            self._found[key] = None if query and found else found
        return self._found[key]

    def specs(self, path: str) -> frozenset[str]:
        """Return the specifiers of a file other than relative paths."""
        stem = posixpath.splitext(path)[0].removesuffix(".d")
        rows = [row for known in self._aliases.values() for row in known if "*" in row[0] or _may_mean(row[1], path)]
        for name, (home, table) in self._packages.items():
            exports = {".": None, **tables.table(table.get("exports"))} if is_below(path, home) else {}
            rows += [(name + key[1:], _paths_of(home, value)) for key, value in exports.items()]
        plain = {pattern for pattern, _ in rows if "*" not in pattern}
        found = {pattern for pattern in plain if self.files(path, Import(pattern, 0)) == (path,)}
        for pattern, targets in rows:
            for target in targets if "*" in pattern else ():
                parts = [star_part(stem_of(target), one) for one in (stem, stem.removesuffix("/index"))]
                found.update(pattern.replace("*", part) for part in parts if part)
        return frozenset(found)

    def clues(self, path: str) -> Clues:
        """Return what imports of a file contain.

        A relative specifier ends with the file's name; others are an alias, a package or one of its exports.
        """
        folder, name = posixpath.split(path)
        stem = posixpath.splitext(name)[0].removesuffix(".d")
        up = posixpath.basename(folder)
        specs = self.specs(path)
        words = {stem, up} - {""} if stem == "index" else {stem}
        whole = [up] if stem == "index" and up else [] if up else [stem]
        far = [rf"""["'`/#]({re.escape(word)}){QUOTED_END}""" for word in whole]
        if specs:
            far.append(rf"""["'`]({"|".join(re.escape(spec) for spec in sorted(specs))}){QUOTED_END}""")
        if up:
            far.append(rf"({re.escape(up)}|src|\#[\w/]*)/{re.escape(stem)}{QUOTED_END}")
        near = (rf"""["'`]\.[./]*({"|".join(re.escape(word) for word in sorted(words))})?{QUOTED_END}""",)
        words |= {posixpath.basename(spec) for spec in specs} - {""}
        return Clues(frozenset(words), tuple(far), near, posixpath.dirname(folder) if stem == "index" else folder)

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the files in the folder of a missing one, with the suffix that the import writes."""
        before, mark, name = item.spec.rpartition("/")
        base = next(iter(self._bases(importer, item.spec)), "")
        ending = posixpath.splitext(name)[1]
        files = self._paths.names(posixpath.dirname(base))
        return before + mark, {one.partition(".")[0] + ending for one in files if one[0] != "."}

    def _search(self, importer: str, spec: str) -> tuple[str, ...] | None:
        bases = tuple(self._bases(importer, spec))
        for base in bases:
            if found := self._file(base):
                return self._declared(importer, found) if found == base else self._rivals(importer, found)
        if spec.startswith("."):
            return () if bases and not self._paths.is_folder(bases[0]) else None
        file = self._package(spec)
        if file:
            return (file,)
        return () if bases and not self._is_of_package(spec) else None

    def _bases(self, importer: str, spec: str) -> Iterator[str]:
        """Yield the paths that a specifier may refer to, relative or by the nearest alias."""
        if spec.startswith("."):
            yield joined(posixpath.dirname(importer), spec)
        else:
            yield from _of_aliases(self._aliases, importer, spec)

    def _file(self, base: str) -> str | None:
        """Return the file of a path without suffix, or with that of its output: `./x.js` may be written in x.ts."""
        if base in self._paths.files:
            return base
        stem = posixpath.splitext(base)[0] if base.endswith(PLAIN) else base
        tries = [stem + end for end in ENDINGS] if stem != base else []
        tries += [base + end for end in ENDINGS]
        table = self._tables.get(posixpath.join(base, "package.json"), {})
        for main in forms(mains(table)):
            named = joined(base, main)
            tries += [named, *(named + end for end in ENDINGS), *(f"{named}/index{end}" for end in ENDINGS)]
        tries += [posixpath.join(base, f"index{end}") for end in ENDINGS]
        return next((path for path in tries if path in self._paths.files), None)

    def _declared(self, importer: str, found: str) -> tuple[str, ...]:
        """Return a file, and for TypeScript the declarations beside it."""
        stem, ending = posixpath.splitext(found)
        typed = f"{stem}.d{ending.replace('js', 'ts')}"
        return (found,) if importer.endswith(PLAIN) or typed not in self._paths.files else (found, typed)

    def _rivals(self, importer: str, found: str) -> tuple[str, ...]:
        """Return the files that a specifier without suffix may refer to.

        Node, compilers and bundlers prefer different ones.
        """
        ending = next((end for end in (".d.ts", *RIVALS) if found.endswith(end)), "")
        is_plain = importer.endswith(PLAIN)
        if not ending or (ending == ".d.ts" and not is_plain):
            return (found,)
        stem = found.removesuffix(ending)
        others = [path for end in RIVALS if (path := stem + end) in self._paths.files]
        if is_plain:
            others.sort(key=lambda path: not path.endswith(PLAIN))
        return tuple(others[:1]) or (found,)

    def _is_of_package(self, spec: str) -> bool:
        return _package_name(spec) in self._packages or _package_name(spec) in self._asked

    def _package(self, spec: str) -> str | None:
        name = _package_name(spec)
        if name not in self._packages:
            return None
        folder, table = self._packages[name]
        below = spec[len(name) :].lstrip("/")
        targets = targets_of(table.get("exports"), below)
        usual = [below, f"src/{below}"] if below else [*mains(table), "src/index", "index"]
        tries = forms([*targets, *usual])
        return next((file for form in tries if (file := self._file(joined(folder, form)))), None)

    def _of_config(self, path: str, depth: int = 0) -> list[Alias]:
        """Return the aliases of a compiler configuration, including those that it extends."""
        table = self._tables.get(path, {})
        options = tables.table(table.get("compilerOptions"))
        found: list[Alias] = []
        home = posixpath.dirname(path)
        is_based = isinstance(options.get("baseUrl"), str)
        root = joined(home, str(options["baseUrl"])) if is_based else home
        for pattern, targets in tables.table(options.get("paths")).items():
            listed = [str(one).replace("${configDir}", ".") for one in targets] if isinstance(targets, list) else []
            if pattern != "*":  # which would match every package
                found.append((pattern, tuple(joined(root, one) for one in listed)))
        found += self._inside(root) if is_based else []
        extends = table.get("extends")
        for one in extends if isinstance(extends, list) else [extends]:
            if isinstance(one, str) and depth < NESTED and not found:
                base = self._extended(home, one)
                found += self._of_config(base, depth + 1) if base else []
        return found

    def _inside(self, root: str) -> Iterator[Alias]:
        """Yield the entries of a folder as specifiers; names of installed packages are excluded."""
        asked = {name for table in self._tables.values() for key in ASKED for name in tables.table(table.get(key))}
        for name in sorted(self._paths.names(root)):
            stem = stem_of(name)
            if stem and not stem.startswith(".") and stem not in asked and stem != "node_modules":
                yield stem, (joined(root, stem),)
                yield f"{stem}/*", (joined(root, f"{stem}/*"),)

    def _extended(self, home: str, spec: str) -> str | None:
        base = joined(home, spec) if spec.startswith(".") else None
        if base is None:
            name = _package_name(spec)
            base = joined(self._package_home(name), spec[len(name) :].lstrip("/")) if self._package_home(name) else None
        tries = (base, f"{base}.json", f"{base}/tsconfig.json") if base else ()
        return next((path for path in tries if path in self._tables), None)

    def _package_home(self, name: str) -> str:
        found = (posixpath.dirname(path) for path, table in self._tables.items() if table.get("name") == name)
        return next(found, "")


def _may_mean(targets: Sequence[str], path: str) -> bool:
    return any(path.startswith(stem_of(target).rstrip("/")) for target in targets)


def _of_aliases(known: Mapping[str, Sequence[Alias]], importer: str, spec: str) -> Iterator[str]:
    """Yield the paths of a specifier by the aliases in the folders above a file, nearest first."""
    for folder in (*above_of(importer), ""):
        for pattern, targets in known.get(folder, ()):
            part = star_part(pattern, spec)
            if part is not None:
                yield from (target.replace("*", part) for target in targets)


def _paths_of(folder: str, value: object) -> tuple[str, ...]:
    return tuple(joined(folder, form) for form in forms(relative_paths(value)))


def _package_name(spec: str) -> str:
    return "/".join(spec.split("/")[: 2 if spec.startswith("@") else 1])


class JavaScript(Language, frozen=True):
    """JavaScript and TypeScript, also in the scripts of pages."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    sees_own_members = False
    reads_all = "arguments"
    inline = frozenset(
        {"call_expression", "arguments", "parenthesized_expression", "unary_expression", "await_expression"}
    )

    @property
    def is_page(self) -> bool:
        """Whether only the scripts of a file are code."""
        return ".vue" in self.files.suffixes

    @property
    def shorter_overrides(self) -> bool:
        """Whether an override may take fewer parameters, which a compiler decides."""
        return self.name in ("typescript", "tsx") and not self.is_page

    def code(self, source: bytes) -> bytes:
        """Return the code of a file; of a page, its scripts."""
        return _scripts(source) if self.is_page else source

    def import_lines(self, source: bytes) -> bytes:
        """Return the import statements, and calls that import."""
        return import_lines(source)

    def members(self, value: Node) -> Iterator[Member]:
        """Yield the members of an object."""
        return members(value)

    def offers_all(self, path: str) -> bool:
        """Return whether a file only declares, so that it exports everything."""
        return path.endswith(DECLARES)

    def is_closed(self, head: str) -> bool:
        """Return whether a value is an object that TypeScript checks."""
        return self.shorter_overrides and CLOSED.match(head) is not None


def _scripts(page: bytes) -> bytes:
    """Blank out everything but the scripts of a page, without changing offsets."""
    low, pieces, at = page.lower(), list[bytes](), 0
    while (start := low.find(b"<script", at)) >= 0:
        body = low.find(b">", start) + 1
        end = low.find(b"</script", body) if body else -1
        if end < 0:
            break
        pieces += [BLANK.sub(b" ", page[at:body]), page[body:end]]
        at = end
    return b"".join([*pieces, BLANK.sub(b" ", page[at:])])
