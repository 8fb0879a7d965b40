"""JavaScript's imports: relative paths, tsconfig `paths`, workspace packages, `exports`, `#imports`, built files to their sources."""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from bot.languages.javascript.clauses import STATEMENT, aliases_of, is_in_comment, names_of
from bot.languages.javascript.entries import (
    EVERY_STATEMENT,
    IMPORT,
    PNPM,
    REQUIRE,
    WORKSPACE,
    entry,
    files,
    is_member,
    members,
    members_of_pnpm,
    star_part,
)
from bot.languages.lexical import MOST_IMPORTS, Lines, config, mention
from bot.text.paths import is_test
from bot.values import Clues, Import

ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".json")
SOURCES = tuple(end for end in ENDINGS if end != ".json")
SCRIPT_ENDING = re.compile(r"\.([cm]?)jsx?$")
BUILT = re.compile(r"^(\./)?(dist|lib|build|out)/")
BUILT_ENDING = re.compile(r"(\.d)?\.[cm]?[jt]s$")
QUOTED_END = r"""(\.[a-z.]+)?(\?[a-z]+)?["'`]"""
JSON_NOISE = re.compile(r'("(?:\\.|[^"\\\n])*+"?)|//[^\n]*+|/\*(?:.*?\*/|.*)', re.DOTALL)
# A package under another name: `npm:@acme/shop@^1`, `workspace:shop@*`, `jsr:@acme/shop`.
ALIAS = re.compile(r"(?:npm|jsr|workspace|patch):/?(@[^@/]+/[^@/]+|[A-Za-z][^@/]*)(?:[@/](.*))?$")
ASKED = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
PLACE = re.compile(r"(?:(?:file|link|portal):)?(\.{1,2}(?:/.*)?)$")
INSTALLED = re.compile(r"(?:^|/)node_modules/(@[^/]+/[^/]+|[^@/]+)/?(.*)")
MOST_ALIASES = 2_000  # of all tsconfig files together: each import is compared with each of them
Manifest = dict[str, object]


def read_json(source: bytes) -> Manifest:
    """A configuration file that may hold comments and trailing commas; empty where it is not an object."""
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(source)
    if value is None:
        plain_json = JSON_NOISE.sub(lambda match: match[1] or "", config(source).decode("utf-8", "replace"))
        with suppress(ValueError, RecursionError):
            value = json.loads(re.sub(r",(\s*+[}\]])", r"\1", plain_json))
    return value if isinstance(value, dict) else {}


def _table(value: object) -> Manifest:
    return value if isinstance(value, dict) else {}


class JavaScriptModules:
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._paths = paths if isinstance(paths, frozenset) else frozenset(paths)
        self._found: dict[tuple[str, str], str | None] = {}
        self._grants: dict[tuple[str, str], frozenset[str]] = {}  # of what was found, what manifests say for it
        self._own_names: dict[str, Manifest] = {}  # folder -> `imports` of its package.json
        self._workspaces: dict[str, tuple[str, ...]] = {}  # folder -> the folders of packages that it lists
        self._packages: dict[str, tuple[str, Manifest]] = {}
        self._aliases: list[tuple[str, str, str]] = []
        self._renamed: dict[str, dict[str, str]] = {}  # what manifests call a package -> their folder -> its name
        self._placed: dict[str, dict[str, str]] = {}  # the same of folders
        self._scripts: dict[str, list[str]] | None = (
            None  # name of a file -> the sources of that name, from the top down
        )
        self._mains: dict[str, list[str]] = {}  # folder -> what its package.json names as the file that it stands for
        for path in sorted(configs):
            if "node_modules/" in path:
                continue
            folder = posixpath.dirname(path)
            if posixpath.basename(path) == PNPM:
                self._workspaces[folder] = members_of_pnpm(configs[path])
                continue
            table = read_json(configs[path])
            name = table.get("name")
            if posixpath.basename(path) == "package.json":
                self._mains[folder] = _mains(table)
                self._own_names[folder] = _table(table.get("imports"))
                self._rename(folder, table)
                if listed := members(table):
                    self._workspaces.setdefault(folder, listed)  # pnpm reads its own list alone
            if posixpath.basename(path) == "package.json" and isinstance(name, str):
                self._packages[name] = folder, table
            elif posixpath.basename(path) != "package.json":
                self._aliases += self._paths_of(folder, _table(table.get("compilerOptions")))
        self._aliases = sorted(self._aliases[:MOST_ALIASES], key=lambda alias: (-len(alias[2]), -len(alias[0])))
        self._settle()

    @property
    def settings(self) -> object:
        """What the manifests and the compiler's options say about imports."""
        return (
            {name: (home, table.get("exports")) for name, (home, table) in self._packages.items()},
            {folder: names for folder, names in self._own_names.items() if names},
            {folder: listed for folder, listed in self._mains.items() if listed},
            self._aliases,
            self._renamed,
            {folder: listed for folder, listed in self._workspaces.items() if listed},
        )

    def _rename(self, folder: str, table: Manifest) -> None:
        """Note the packages that a manifest asks for under another name: a version, or a folder of the tree."""
        for wishes in (_table(table.get(key)) for key in ASKED):
            for name, value_said in wishes.items():
                alias = ALIAS.match(value_said) if isinstance(value_said, str) else None
                place = PLACE.match(value_said) if isinstance(value_said, str) else None
                if alias and alias[1] != name:
                    self._renamed.setdefault(name, {})[folder] = alias[1]
                elif place:
                    home = posixpath.normpath(posixpath.join(folder, place[1]))
                    self._placed.setdefault(name, {})[folder] = "" if home == "." else home
        for name, value_said in _table(table.get("imports")).items():
            if isinstance(value_said, str) and not value_said.startswith("."):
                self._renamed.setdefault(name, {})[folder] = value_said

    def _settle(self) -> None:
        """The names of the packages that manifests ask for by their folders, and that compiler options lead to where they are installed."""
        by_home = {home: name for name, (home, _) in self._packages.items()}
        for name, names_by_folder in self._placed.items():
            for folder, home in names_by_folder.items():
                if by_home.get(home, name) != name:
                    self._renamed.setdefault(name, {})[folder] = by_home[home]
        for pattern, target, folder in self._aliases:
            package_match = INSTALLED.search(target)
            if package_match and package_match[2] in ("", "*"):
                self._renamed.setdefault(pattern.removesuffix("/*"), {})[folder] = package_match[1]

    def _true_name(self, name: str, here: str) -> str:
        """The package that a name means in a file, by the nearest manifest that says so; of others one that no package has."""
        names_by_folder = self._renamed.get(name, {})
        near = [folder for folder in names_by_folder if not folder or here.startswith(f"{folder}/")]
        if near:
            return names_by_folder[max(near, key=len)]
        names = {*names_by_folder.values()} if name not in self._packages else set()
        return names.pop() if len(names) == 1 else name

    @staticmethod
    def _paths_of(folder: str, options: Manifest) -> Iterator[tuple[str, str, str]]:
        root = options.get("baseUrl")
        for pattern, targets in _table(options.get("paths")).items():
            for target in targets if isinstance(targets, list) else ():
                if isinstance(target, str):
                    path_joined = posixpath.join(folder, root if isinstance(root, str) else ".", target)
                    yield pattern, posixpath.normpath(path_joined), folder

    def clues(self, path: str) -> Clues:
        """Relative imports end in the file's name below its folder's; others are an alias, a package or one of its exports."""
        folder, name = posixpath.split(path)
        stem, up = re.sub(r"\.d$", "", posixpath.splitext(name)[0]), posixpath.basename(folder)
        specs = self._specs(path)
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

    def _specs(self, path: str) -> set[str]:
        """What can be written for a file instead of a relative path."""
        stem = re.sub(r"\.d$", "", posixpath.splitext(path)[0])
        stems = [stem, stem.removesuffix("/index")] if stem.endswith("/index") else [stem]
        specs = {
            spec
            for pattern, target, _ in self._aliases
            for spec in self._matching_specs(pattern, [target], path, stems)
        }
        others: dict[str, list[str]] = {}
        for alias, names_by_folder in self._renamed.items():
            for package in {*names_by_folder.values()} & self._packages.keys():
                others.setdefault(package, []).append(alias)
        for name, (home, table) in self._packages.items():
            if home and not path.startswith(f"{home}/"):
                continue
            entries = {".": None, **_table(table.get("exports"))}
            own_exports = [(f"{name}{key[1:]}", value) for key, value in entries.items() if key.startswith(".")]
            own_exports += [
                (f"{alias}{key[1:]}", value)
                for alias in others.get(name, ())
                for key, value in entries.items()
                if key.startswith(".")
            ]
            for spec, value in own_exports:
                targets = [posixpath.normpath(posixpath.join(home, form)) for form in _forms(files(value))]
                specs |= self._matching_specs(spec, targets, path, stems)
        for home, names in self._own_names.items():
            for spec, value in names.items() if not home or path.startswith(f"{home}/") else ():
                targets = [posixpath.normpath(posixpath.join(home, form)) for form in _forms(files(value))]
                specs |= self._matching_specs(spec, targets, path, stems)
        return specs

    def _matching_specs(self, spec: str, targets: list[str], path: str, stems: list[str]) -> set[str]:
        """The specifiers of one pattern that lead to a file."""
        if "*" not in spec:
            return {spec} if self._resolve(spec, path) == path else set()
        bare = [BUILT_ENDING.sub("", target) for target in targets if "*" in target]
        parts = {part for target in bare for stem in stems if (part := star_part(target, stem))}
        return {spec.replace("*", part) for part in parts}

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree."""
        mentions, imports, lines = mention(words), [], Lines(source)
        for match in islice(STATEMENT.finditer(source), MOST_IMPORTS):
            spec = (match["from"] or match["load"]).decode("utf-8", "replace").partition("?")[0]
            bare = not spec.strip("./")
            if not spec or not (bare or mentions.search(spec.encode())) or is_in_comment(source, match.start()):
                continue
            target = self._resolve(spec, path)
            if target and target != path:
                pairs = names_of(match)
                line = lines.at(match.start())
                other = REQUIRE if match["from"] or b"import" in match[0] else IMPORT
                grants = self._grants.get((spec, posixpath.dirname(path)), frozenset()) - {other}
                names = frozenset(name for name, _ in pairs)
                imports.append(Import(target, names, line, aliases_of(pairs), grants=grants))
        return tuple(imports)

    def _resolve(self, spec: str, here: str) -> str | None:
        key = (spec, posixpath.dirname(here))
        if key not in self._found:
            self._found[key] = self._search(spec, here)
        return self._found[key]

    def _search(self, spec: str, here: str) -> str | None:
        if spec.startswith("."):
            return self._file(posixpath.normpath(posixpath.join(posixpath.dirname(here), spec)))
        for pattern, target, scope in self._aliases:
            part = star_part(pattern, spec) if not scope or here.startswith(f"{scope}/") else None
            file = self._target(target.replace("*", part), here) if part is not None else None
            if file:
                return file
        if spec.startswith("#"):
            return self._own_import(spec, here) or self._by_name(spec, here)
        return self._by_name(spec, here)

    def _by_name(self, spec: str, here: str) -> str | None:
        """A file of the package that a specifier names, under whatever name."""
        first_name = "/".join(spec.split("/")[: 2 if spec.startswith("@") else 1])
        name = self._true_name(first_name, here)
        below = spec[len(first_name) :].lstrip("/")
        return self._package(name, below, spec, here) if name in self._packages else None

    def _target(self, path: str, here: str) -> str | None:
        """The file that a path of the compiler's options means: in the tree, or of a package that is installed."""
        package_match = INSTALLED.search(path)
        return (
            self._by_name("/".join(filter(None, package_match.groups())), here) if package_match else self._file(path)
        )

    def _own_import(self, spec: str, here: str) -> str | None:
        """A name of the nearest package.json's `imports`."""
        around = [home for home in self._own_names if not home or here.startswith(f"{home}/")]
        if not around:
            return None
        home = max(around, key=len)
        for pattern, value in self._own_names[home].items():
            part = star_part(pattern, spec)
            for target in files(value) if part is not None else ():
                file = self._file(posixpath.normpath(posixpath.join(home, target.replace("*", part or ""))))
                if file:
                    return file
        return None

    def _package(self, name: str, below: str, spec: str, here: str) -> str | None:
        """A file of a workspace package, or the source that its built file is made from."""
        home, table = self._packages[name]
        exports = table.get("exports")
        entries, statements = entry(exports, below)
        places = [below, f"src/{below}"] if below else [*_mains(table), "src/index", "index"]
        for place in (*entries, *places):
            found = (self._file(posixpath.normpath(posixpath.join(home, form))) for form in _forms([place]))
            file = next(filter(None, found), None)
            if file:
                is_said = place in entries if exports is not None else not place.startswith("src/")
                grants = (statements if exports is not None else EVERY_STATEMENT) if is_said else frozenset[str]()
                if is_member(home, self._workspaces):
                    grants |= {WORKSPACE}
                self._grants[spec, posixpath.dirname(here)] = grants
                return file
        return self._named_like(home, [*entries, *([] if below else ["index", "main"])])

    def _named_like(self, home: str, targets: Iterable[str]) -> str | None:
        """The file of a package that a build makes into a target wherever it puts it: the one that is called so, nearest to the top."""
        if self._scripts is None:
            self._scripts = defaultdict(list)
            for path in sorted(self._paths, key=lambda one: (one.count("/"), one)):
                if path.endswith(SOURCES) and ".d." not in path and "node_modules/" not in path and not is_test(path):
                    self._scripts[_first_name(path)].append(path)
        for target in targets:
            near = [one for one in self._scripts.get(_first_name(target), ()) if not home or one.startswith(f"{home}/")]
            if near and [one.count("/") for one in near].count(near[0].count("/")) == 1:
                return near[0]
        return None

    def _file(self, base: str) -> str | None:
        """The file that a path without or with a misleading ending means: `./x.js` may be written in x.ts."""
        if base in self._paths:
            return base
        stem = SCRIPT_ENDING.sub("", base)
        tries = [stem + end for end in ENDINGS] if stem != base else []
        tries += [base + end for end in ENDINGS]
        for main in _forms(self._mains.get("" if base == "." else base, [])):
            named = posixpath.normpath(posixpath.join(base, main))
            tries += [named, *(named + end for end in ENDINGS), *(f"{named}/index{end}" for end in ENDINGS)]
        tries += [f"{base}/index{end}" if base != "." else f"index{end}" for end in ENDINGS]
        return next((path for path in tries if path in self._paths), None)


def _first_name(path: str) -> str:
    """What a file is called before its endings: `quotes` of dist/quotes.umd.min.js."""
    return path[path.rfind("/") + 1 :].partition(".")[0]


def _forms(files: list[str]) -> list[str]:
    """The built files that a manifest names, each followed by the source that it is made from."""
    return [form for path in files for form in (path, BUILT.sub("src/", BUILT_ENDING.sub("", path)))]


def exported_files(folder: str, table: Manifest, paths: Collection[str]) -> tuple[str, ...] | None:
    """The files that the `exports` of a manifest lead to, those that a build makes as the sources that they are made from.

    None where a script comes from no file of its name, as a bundle does: which sources it holds is not known.
    """
    found: set[str] = set()
    for target in files(table.get("exports")):
        sources = {path for form in _forms([target]) for path in _led_to(folder, form, paths)}
        if not sources and SCRIPT_ENDING.search(target):
            return None
        found |= sources
    found |= {path for form in _forms(_mains(table)) for path in _led_to(folder, form, paths)}
    return tuple(sorted(found))


def _led_to(folder: str, form: str, paths: Collection[str]) -> Iterator[str]:
    """The files of a tree that a path of a manifest means, with or without an ending or a star."""
    base = posixpath.normpath(posixpath.join(folder, form))
    if "*" in base:
        before, _, after = base.partition("*")
        has_ending = bool(posixpath.splitext(after)[1])
        yield from (path for path in paths if path.startswith(before) and (path.endswith(after) or not has_ending))
        return
    stem = SCRIPT_ENDING.sub("", BUILT_ENDING.sub("", base))
    yield from (path for end in ("", *ENDINGS) for path in (stem + end, f"{stem}/index{end}") if path in paths)


def _mains(table: Manifest) -> list[str]:
    entry_files = [table.get(key) for key in ("types", "module", "main")]
    return [value for value in entry_files if isinstance(value, str)]
