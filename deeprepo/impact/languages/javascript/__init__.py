"""Resolve JavaScript and TypeScript modules: relative paths, `paths` of tsconfig files, and workspace packages."""

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.defaults import Member
from deeprepo.impact.language import Language
from deeprepo.impact.languages.javascript import aliases, manifest
from deeprepo.impact.languages.javascript.aliases import Alias
from deeprepo.impact.languages.javascript.exports import (
    ALIAS,
    ASKED,
    BUILT_ENDING,
    ENDINGS,
    NESTED,
    SCRIPT,
    Table,
    forms,
    mains,
    relative_paths,
    star_part,
    targets_of,
)
from deeprepo.impact.languages.javascript.objects import members
from deeprepo.impact.languages.javascript.statements import import_lines
from deeprepo.impact.languages.javascript.unnamed import loaded_defaults, stores
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, above_of, is_below, joined
from deeprepo.impact.reading.spellings import Spelling, quoted
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.importers import statements
from deeprepo.impact.text import tables
from deeprepo.impact.values import Clues, Import, Use

# files that Node runs as written, and prefers when importing from such files
PLAIN = (".js", ".jsx", ".cjs", ".mjs")
RIVALS = (".ts", ".tsx", *PLAIN)  # suffixes that may compete for one name
NOISE = re.compile(r'("(?:\\.|[^"\\\n])*+"?)|//[^\n]*+|/\*(?:.*?\*/|.*)', re.DOTALL)
# Paths that a framework or build generates.
MADE = re.compile(r"[$!:]|\+types|(^|/)\.|node_modules|generated|virtual|(^|/)(dist|build|out)/")
GENERATES = re.compile(r"codegen|generate|wasm-pack|protoc|prisma|relay-compiler")  # in a manifest's script
COMPILED = ("tsconfig", "jsconfig")  # prefixes of compiler configuration files
NATIVE = ("react-native", "expo")  # frameworks that prefer platform-specific files
PLATFORMS = ("ios", "android", "native", "web", "macos", "windows")
QUOTED_END = r"""(\.[a-z.]+)?(\?[a-z]+)?["'`]"""

BLANK = re.compile(rb"[^\n]")
DECLARES = re.compile(r"\.d\.[cm]?ts$")  # files that only declare
# Heads of objects that TypeScript does not extend: no spread and no computed member.
CLOSED = re.compile(r"\w+ = \{(?!.*(?:\.\.\.|\] ?:)).*\}( as const)?$")


class Modules(Resolver):
    """The modules of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._tables = {path: read_json(source) for path, source in configs.items() if path.endswith(".json")}
        self._packages: dict[str, tuple[str, Table]] = {}
        self._workspaces = {
            posixpath.dirname(path) for path in configs if path.endswith(("pnpm-workspace.yaml", "lerna.json"))
        }
        self._aliases: dict[str, list[Alias]] = {}  # folder -> aliases of its configuration files
        # the same for build tools; each applies only if it leads to a file
        self._built: dict[str, list[Alias]] = {}
        self._loose: set[str] = set()  # folders with `rootDirs`, which merge several trees
        for path, table in self._tables.items():
            folder, name = posixpath.split(path)
            if name == "package.json":
                if isinstance(table.get("name"), str) and "node_modules" not in path:
                    self._packages[str(table["name"])] = folder, table
                if table.get("workspaces"):
                    self._workspaces.add(folder)
            elif name.startswith(COMPILED):
                self._aliases.setdefault(folder, []).extend(self._of_config(path, folder))
        for path, source in configs.items():
            folder, name = posixpath.split(path)
            asked = (
                [one for key in ASKED for one in tables.table(self._tables[path].get(key))]
                if name == "package.json"
                else []
            )
            found = (
                []
                if name.startswith(COMPILED)
                else [*aliases.configured(folder, source), *aliases.of_frameworks(folder, asked)]
            )
            self._built.setdefault(folder, []).extend(
                row for row in found if "*" in row[0] or any(map(paths.is_folder, row[1]))
            )
        self._asked = {
            name for table in self._tables.values() for key in ASKED for name in tables.table(table.get(key))
        }
        self._called = {  # folder -> a manifest's local name of a package -> its real name
            posixpath.dirname(path): _renamed(table)
            for path, table in self._tables.items()
            if path.endswith("package.json")
        }
        suffixes = [
            one.strip(".")
            for path, table in self._tables.items()
            if posixpath.basename(path).startswith(COMPILED)
            for one in tables.strings(tables.table(table.get("compilerOptions")).get("moduleSuffixes"))
        ]
        is_native = not self._asked.isdisjoint(NATIVE)
        self._platforms = tuple(filter(None, dict.fromkeys([*suffixes, *(PLATFORMS if is_native else ())])))
        self._found: dict[tuple[str, bool, str], tuple[str, ...] | None] = {}
        scripts = (text for table in self._tables.values() for text in tables.table(table.get("scripts")).items())
        self._generates = any(GENERATES.search(f"{name} {text}") for name, text in scripts)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a specifier; several if it is unknown which one is built."""
        key = posixpath.dirname(importer), importer.endswith(PLAIN), item.spec
        if key not in self._found:
            path, query, _ = item.spec.partition("?")
            found = self._search(importer, re.sub(r"(?<!:)/{2,}", "/", path))
            # a bundler decides what a module with a query exports
            self._found[key] = None if query and found else found
        return self._found[key]

    def specs(self, path: str) -> frozenset[str]:
        """Return the specifiers of a file other than relative paths."""
        stem = self.without_platform(re.sub(r"\.d$", "", posixpath.splitext(path)[0]))
        rows = [
            row
            for known in (*self._aliases.values(), *self._built.values())
            for row in known
            if "*" in row[0] or _may_mean(row[1], path)
        ]
        for name, (home, table) in self._packages.items():
            exports = {".": None, **tables.table(table.get("exports"))} if is_below(path, home) else {}
            names = {
                name,
                *(here for renamed in self._called.values() for here, true in renamed.items() if true == name),
            }
            rows += [(one + key[1:], _paths_of(home, value)) for one in names for key, value in exports.items()]
        for folder, table in self._own_names():
            rows += [(key, _paths_of(folder, value)) for key, value in table.items() if is_below(path, folder)]
        plain = {pattern for pattern, _ in rows if "*" not in pattern}
        found = {pattern for pattern in plain if self.files(path, Import(pattern, 0)) == (path,)}
        for pattern, targets in rows:
            for target in targets if "*" in pattern else ():
                parts = [star_part(BUILT_ENDING.sub("", target), one) for one in (stem, stem.removesuffix("/index"))]
                found.update(pattern.replace("*", part) for part in parts if part)
        return frozenset(found)

    def _own_names(self) -> Iterator[tuple[str, Table]]:
        """Yield the `imports` of each package.json."""
        for path, table in self._tables.items():
            if path.endswith("package.json") and table.get("imports"):
                yield posixpath.dirname(path), tables.table(table["imports"])

    def clues(self, path: str) -> Clues:
        """Return what imports of a file contain.

        A relative specifier ends with the file's name; others are an alias, a package or one of its exports.
        """
        folder, name = posixpath.split(path)
        stem = self.without_platform(re.sub(r"\.d$", "", posixpath.splitext(name)[0]))
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

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return similar file names next to a missing file."""
        spec, mark, query = item.spec.partition("?")
        before, _, name = spec.rpartition("/")
        base = next(iter(self._bases(importer, spec)), "")
        names = {one.partition(".")[0] for one in self._paths.names(posixpath.dirname(base))} - {""}
        ending = name[name.rfind(".") :] if name.endswith(ENDINGS) else ""
        close = get_close_matches(name.removesuffix(ending), sorted(names), 3, 0.72)
        return tuple(f"{before}/{one}{ending}{mark}{query}" for one in close)

    def _search(self, importer: str, spec: str) -> tuple[str, ...] | None:
        bases = tuple(self._bases(importer, spec))
        for base in bases:
            if found := self._file(base):
                return (found,) if found == base else self._rivals(importer, found)
            if several := self._of_platforms(base):
                return several
        if built := self._of_builds(importer, spec):
            return built
        if spec.startswith("."):
            is_loose = any(folder in self._loose for folder in (*above_of(importer), ""))
            return () if bases and not is_loose and not self._may_be(bases[0], spec) else None
        file = self._package(importer, spec)
        if file:
            return (file,)
        is_alias = bool(bases) and not _is_of_template(importer)
        is_alias = is_alias and not any("node_modules" in base or self._may_be(base, spec) for base in bases)
        return () if is_alias and not self._is_of_package(spec) else None

    def _bases(self, importer: str, spec: str) -> Iterator[str]:
        """Yield the paths that a specifier may refer to, relative or by the nearest alias."""
        if spec.startswith("."):
            yield joined(posixpath.dirname(importer), spec)
            return
        yield from _of_aliases(self._aliases, importer, spec)
        near = [row for row in self._own_names() if is_below(importer, row[0])] if spec.startswith("#") else []
        for folder, table in sorted(near, key=lambda row: -len(row[0]))[:1]:
            for pattern, value in table.items():
                part = star_part(pattern, spec)
                yield from (one.replace("*", part) for one in _paths_of(folder, value) if part is not None)

    def _may_be(self, base: str, spec: str) -> bool:
        """Return whether a file may exist that is not in the tree."""
        folder, name = posixpath.split(base)
        if (
            _is_of_template(base)
            or base.startswith("..")
            or MADE.search(spec.lstrip("./"))
            or MADE.search(base)
            or self._paths.is_folder(base)
        ):
            return True
        # a generated folder, unless the name looks mistyped
        if self._generates and folder and not self._paths.is_folder(folder):
            up, _, own = folder.rpartition("/")
            if not get_close_matches(own, sorted(self._paths.names(up)), 1, 0.72):
                return True
        stem = SCRIPT.sub("", name)
        if any(one.startswith(f"{stem}.") for one in self._paths.names(folder)):
            return True
        return any(self._paths.is_open(base + end) for end in ("", ".ts", ".js", ".json", "/index.ts"))

    def _file(self, base: str) -> str | None:
        """Return the file of a path without suffix, or with that of its output: `./x.js` may be written in x.ts."""
        if base in self._paths.files:
            return base
        stem = SCRIPT.sub("", base)
        tries = [stem + end for end in ENDINGS] if stem != base else []
        tries += [base + end for end in ENDINGS]
        table = self._tables.get(posixpath.join(base, "package.json"), {})
        for main in forms(mains(table)):
            named = joined(base, main)
            tries += [named, *(named + end for end in ENDINGS), *(f"{named}/index{end}" for end in ENDINGS)]
        tries += [posixpath.join(base, f"index{end}") for end in ENDINGS]
        return next((path for path in tries if path in self._paths.files), None)

    def _of_builds(self, importer: str, spec: str) -> tuple[str, ...]:
        """Return the files that a specifier may refer to by the aliases of a folder's build or test tools."""
        if spec.startswith(".") or (self._is_of_package(spec) and _package_name(spec) not in self._packages):
            return ()
        found: dict[str, None] = {}
        for base in _of_aliases(self._built, importer, spec):
            file = self._file(base)
            found.update(dict.fromkeys((file,) if file else self._of_platforms(base)))
        return tuple(found)

    def without_platform(self, stem: str) -> str:
        """Return a file's name without its platform, as imports write it."""
        before, _, last = stem.rpartition(".")
        return before if last in self._platforms else stem

    def _of_platforms(self, base: str) -> tuple[str, ...]:
        """Return the platform-specific files of a path: `./storage` may be storage.ios.ts or storage.android.ts."""
        tries = (f"{base}.{one}{end}" for one in self._platforms for end in ENDINGS)
        return tuple(path for path in tries if path in self._paths.files)

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
        return tuple(others[:1] if self.guesses else dict.fromkeys([*others, found])) or (found,)

    def _is_of_package(self, spec: str) -> bool:
        """Return whether a package of that name is in the tree or required."""
        return _package_name(spec) in self._packages or _package_name(spec) in self._asked

    def _package(self, importer: str, spec: str) -> str | None:
        """Return a file of a workspace package, or the source of its built file."""
        first = _package_name(spec)
        name = self._true_name(importer, first)
        if name not in self._packages:
            return None
        folder, table = self._packages[name]
        if not self.guesses and not any(is_below(folder, root) for root in self._workspaces):
            return None
        below = spec[len(first) :].lstrip("/")
        targets = targets_of(table.get("exports"), below)
        usual = [below, f"src/{below}"] if below else [*mains(table), "src/index", "index"]
        tries = forms([*targets, *usual] if self.guesses else targets or usual)
        found = next((file for form in tries if (file := self._file(joined(folder, form)))), None)
        return found or (
            self._called_like(folder, [*targets, *([] if below else ["index", "main"])]) if self.guesses else None
        )

    def _called_like(self, folder: str, targets: list[str]) -> str | None:
        """Return the only source with the name of a built file, nearest to the top."""
        stems = {posixpath.basename(one).partition(".")[0] for one in targets}
        sources = [
            path
            for path in self._paths.files
            if posixpath.basename(path).partition(".")[0] in stems
            and is_below(path, folder)
            and BUILT_ENDING.search(path)
            and ".d." not in path
        ]
        top = min((path.count("/") for path in sources), default=0)
        near = [path for path in sources if path.count("/") == top]
        return near[0] if len(near) == 1 else None

    def _true_name(self, importer: str, name: str) -> str:
        """Return the real name of a package, by the nearest manifest; when guessing, by the only one."""
        near = [folder for folder, renamed in self._called.items() if name in renamed and is_below(importer, folder)]
        if near:
            return self._called[max(near, key=len)][name]
        others = {renamed[name] for renamed in self._called.values() if name in renamed}
        return others.pop() if self.guesses and name not in self._packages and len(others) == 1 else name

    def _of_config(self, path: str, folder: str, depth: int = 0) -> list[Alias]:
        """Return the aliases of a compiler configuration, including those that it extends."""
        table = self._tables.get(path, {})
        options = tables.table(table.get("compilerOptions"))
        if options.get("rootDirs"):
            self._loose.add(folder)
        found: list[Alias] = []
        home = posixpath.dirname(path)
        is_based = isinstance(options.get("baseUrl"), str)
        root = joined(home, str(options["baseUrl"])) if is_based else home
        for pattern, targets in tables.table(options.get("paths")).items():
            listed = [str(one).replace("${configDir}", ".") for one in targets] if isinstance(targets, list) else []
            if pattern != "*":
                found.append((pattern, tuple(joined(root, one) for one in listed)))
            else:  # what `baseUrl` says, in the form that TypeScript 7 requires
                found += [row for one in listed if one.endswith("*") for row in self._inside(joined(root, one[:-1]))]
        found += self._inside(root) if is_based else []
        extends = table.get("extends")
        for one in extends if isinstance(extends, list) else [extends]:
            if isinstance(one, str) and depth < NESTED and not found:
                base = self._extended(home, one)
                found += self._of_config(base, folder, depth + 1) if base else []
        return found

    def _inside(self, root: str) -> Iterator[Alias]:
        """Yield the entries of a folder as specifiers; names of installed packages are excluded."""
        asked = {name for table in self._tables.values() for key in ASKED for name in tables.table(table.get(key))}
        for name in sorted(self._paths.names(root)):
            stem = _stem(name)
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


def read_json(source: bytes) -> Table:
    """Return a configuration file with comments and trailing commas; empty if it is no object."""
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(source)
    if value is None:
        plain = NOISE.sub(lambda match: match[1] or "", source.decode("utf-8", "replace"))
        with suppress(ValueError, RecursionError):
            value = json.loads(re.sub(r",(\s*+[}\]])", r"\1", plain))
    return tables.table(value)


def _stem(path: str) -> str:
    return BUILT_ENDING.sub("", path)


def _may_mean(targets: Sequence[str], path: str) -> bool:
    """Return whether an alias leads to a file or a folder above it."""
    return any(path.startswith(BUILT_ENDING.sub("", target).rstrip("/")) for target in targets)


def _is_of_template(path: str) -> bool:
    """Return whether a file belongs to a template, which is completed where it is copied to."""
    return any(folder.startswith("template") for folder in path.split("/")[:-1])


def _of_aliases(known: Mapping[str, Sequence[Alias]], importer: str, spec: str) -> Iterator[str]:
    """Yield the paths of a specifier by the aliases in the folders above a file, nearest first."""
    for folder in (*above_of(importer), ""):
        for pattern, targets in known.get(folder, ()):
            part = star_part(pattern, spec)
            if part is not None:
                yield from (target.replace("*", part) for target in targets)


def _renamed(table: Table) -> Mapping[str, str]:
    """Return local name -> real name of the packages that a manifest renames."""
    wishes = (row for key in ASKED for row in tables.table(table.get(key)).items())
    rows = ((name, ALIAS.match(wish)) for name, wish in wishes if isinstance(wish, str))
    found = {name: alias[1] for name, alias in rows if alias is not None and alias[1] != name}
    own = tables.table(table.get("imports")).items()
    return found | {name: value for name, value in own if isinstance(value, str) and not value.startswith(".")}


def _paths_of(folder: str, value: object) -> tuple[str, ...]:
    """Return the paths of a manifest entry, and their sources."""
    return tuple(joined(folder, form) for form in forms(relative_paths(value)))


def _package_name(spec: str) -> str:
    return "/".join(spec.split("/")[: 2 if spec.startswith("@") else 1])


class JavaScript(Language, frozen=True):
    """JavaScript and TypeScript, also in the scripts of pages."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    sees_own_members = False
    default_import = r"\bdefault\s++as\s++([\w$]++)|^import\s++([\w$]++)\s*+(?:,|from\b)"
    implements = "implements"
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

    def used(self, path: str, source: bytes, names: Collection[str], uses: Sequence[Use]) -> Iterable[Use]:
        """Return the references with those to Svelte stores, and to lazily loaded default exports."""
        more = [*stores(source, names)] if path.endswith(".svelte") else []
        more += loaded_defaults(statements(self, source)) if "default" in names else ()
        return sorted((*uses, *more), key=lambda use: use.at) if more else uses

    def members(self, owner: str, value: Node) -> Iterator[Member]:
        """Yield the members of an object, or of the object that a function returns."""
        return members(owner, value)

    def offers_all(self, path: str) -> bool:
        """Return whether a file only declares, so that it exports everything."""
        return DECLARES.search(path) is not None

    def is_closed(self, head: str) -> bool:
        """Return whether a value is an object that TypeScript checks."""
        return self.shorter_overrides and CLOSED.match(head) is not None

    def spellings(self, importer: str, old: str, new: str) -> Iterator[Spelling]:
        """Yield paths in quotes, which may have the suffix of the compiled file."""
        return quoted(importer, old, new, self.suffixes if old.endswith(self.suffixes) else ())


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
