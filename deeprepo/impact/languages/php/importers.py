"""Resolve PHP names with composer.json's PSR-4 and PSR-0.

They come from `use` statements, qualified names and includes. Classes of one namespace see each other without
a `use`, because they are in one folder.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from deeprepo.impact.filetypes import parsed_by
from deeprepo.impact.languages.php import Autoload
from deeprepo.impact.parsing import Lines
from deeprepo.impact.paths import is_below, joined
from deeprepo.impact.reading.lexical import MOST_IMPORTS, line_until, mention
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.values import Clues, Link, Use

SUFFIXES = parsed_by("php")
NAMESPACE = re.compile(rb"^[ \t]*namespace[ \t]+([A-Za-z_][\w\\]*)", re.MULTILINE)
FIRST_CLASS = re.compile(
    rb"^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+\w", re.MULTILINE
)
TAG = rb"[ \t]*+(?:<\?php[ \t]++)?"  # the opening tag may begin the line
USE = re.compile(
    rb"^"
    + TAG
    + rb"use[ \t]++(?:(?P<kind>function|const)[ \t]++)?(?P<what>[\w\\](?:[^;(\n]|\n(?!"
    + TAG
    + rb"use\b))*+);",
    re.MULTILINE,
)
QUALIFIED = re.compile(rb"(?<![\w\\$'\"])\\?[A-Za-z_]\w*(?:\\\w+)+|(?<![\w\\$'\"])\\[A-Za-z_]\w*")
CLASS = re.compile(
    rb"^[ \t]*+(?:namespace[ \t]++(?P<space>[A-Za-z_][\w\\]*+)"
    rb"|(?:(?:abstract|final|readonly)[ \t]++)*+(?:class|interface|trait|enum)[ \t]++(?P<name>[A-Za-z_]\w*+))",
    re.MULTILINE,
)
# Functions and constants outside classes: at the top level, or in a namespace's braces above the first class.
HELPER = re.compile(
    rb"^(?P<indent>[ \t]*+)(?:namespace[ \t]++(?P<space>[A-Za-z_][\w\\]*)|(?:function[ \t]++&?|const[ \t]++)(?P<name>[A-Za-z_]\w*))",
    re.MULTILINE,
)
LOADED = re.compile(
    rb"\b(?:require|include)(?:_once)?[ \t(]++(?P<here>__DIR__[ \t]*+\.|dirname[ \t]*+\([ \t]*+__FILE__[ \t]*+\)[ \t]*+\.)?"
    rb"[ \t]*+(?P<mark>['\"])(?P<path>[^'\"$\n]++)(?P=mark)"
)
LEFT_OUT = re.compile(rb"^[ \t]*(\*|//|#(?!\[)|/\*|use\b|namespace\b(?!\\))")
NO_CALL = re.compile(rb"\b(?:function|new)[ \t]++&?[ \t]*+$")
WHOLE = frozenset({"*"})
MOST_PREFIXES = 1_000  # in all composer.json files together; each name is compared with each prefix


class Names:
    """The classes and files of one tree.

    Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfNamed`.
    """

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._paths = paths if isinstance(paths, frozenset) else frozenset(paths)
        loads = Autoload(configs)
        # Namespace with its trailing backslash -> folder.
        self._prefixes = sorted([*loads.psr4, *loads.psr0][:MOST_PREFIXES], key=lambda row: (-len(row[0]), row))
        self._functions, self._class_homes = loads.files, loads.homes
        self._classes: dict[str, str] = {}  # class of a changed file -> the file
        self._named: dict[str, list[str]] | None = None
        self._folders: dict[str, list[str]] | None = None
        self._found: dict[str, str | None] = {}
        # function or constant of a changed file -> files that define it
        self._helpers: dict[str, dict[str, None]] = {}
        # changed file -> the namespaces of its functions and constants
        self._spaces: dict[str, set[str]] = {}

    def note(self, path: str, source: bytes) -> None:
        """Register the functions and constants of a changed file, since no path shows their full names."""
        first, here = FIRST_CLASS.search(source), ""
        end = first.start() if first else len(source)
        for match in islice(HELPER.finditer(source), MOST_IMPORTS):
            if match["space"]:
                here = match["space"].decode() + "\\"
            elif match.start() < end or not match["indent"]:
                self._spaces.setdefault(path, set()).add(here)
                self._helpers.setdefault(here + match["name"].decode("utf-8", "replace"), {})[path] = None
        if path in self._paths and any(is_below(path, home) for home in self._class_homes):
            self._note_classes(path, source)

    def _note_classes(self, path: str, source: bytes) -> None:
        space = ""
        for match in islice(CLASS.finditer(source), MOST_IMPORTS):
            if match["space"]:
                space = match["space"].decode("utf-8", "replace") + "\\"
            else:
                self._classes.setdefault(space + match["name"].decode("utf-8", "replace"), path)
        self._found.clear()

    def name_in(self, source: bytes) -> str:
        """Return "": the path of a file shows its name."""
        del source
        return ""

    def clues(self, path: str) -> Clues:
        """Return the stem of a class as in qualified names or groups, and the quoted name of a file."""
        name = posixpath.basename(path)
        stem = name.partition(".")[0]
        word = re.escape(stem)
        far = [rf"\\{word}\b|[{{,]\s*{word}\b[^;()]*[,}}]|^\s*{word}(\s+as\s+\w+)?\s*[,}}]", rf"{re.escape(name)}['\"]"]
        words = {stem, name}
        if self._loads(path):
            far.append(r"^\s*use\s+(function|const)\b")
            words |= {"function", "const"}
        if classes := {full for full, home in self._classes.items() if home == path}:
            words |= (shorts := {full.rpartition("\\")[2] for full in classes})
            far.append(rf"(?:\\|[{{,]\s*|^\s*)(?:{'|'.join(sorted(shorts))})\b")
            far += [rf"\b{full}\b" for full in sorted(classes) if "\\" not in full]
        if helpers := {full.rpartition("\\")[2] for full, homes in self._helpers.items() if path in homes}:
            far.append(rf"\\({'|'.join(sorted(helpers))})\b|^\s*use\s+(function|const)\b")
            words |= helpers
        if everywhere := {full for full, homes in self._helpers.items() if path in homes and "\\" not in full}:
            far.append(rf"(?<![\w\\$>:])(?:{'|'.join(sorted(everywhere))})\s*\(")
        return Clues(frozenset(words), tuple(far))

    def mates(self, path: str) -> Collection[str]:
        """Return the files of the same namespace.

        They share its folder if composer.json maps folders to namespaces.
        """
        folder = posixpath.dirname(path)
        homes = [*(home for _, home in self._prefixes), *self._class_homes]
        if not path.endswith(".php") or not any(is_below(folder, home) for home in homes):
            return ()
        if self._folders is None:
            self._folders = defaultdict(list)
            for one in self._paths:
                if one.endswith(".php"):
                    self._folders[posixpath.dirname(one)].append(one)
        return [one for one in self._folders.get(folder, ()) if one != path]

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the names and files that a file uses from others in the tree."""
        mentions, imports, lines = mention(words), list[Link](), Lines(source)
        namespace = NAMESPACE.search(source)
        here = namespace[1].decode() + "\\" if namespace else ""
        aliases: dict[str, str] = {}
        first = FIRST_CLASS.search(source)
        for match in USE.finditer(source, 0, first.start() if first else len(source)):
            line = lines.at(match.start())
            for full, alias in _clauses(match["what"].decode("utf-8", "replace")):
                aliases[alias] = full
                if mentions.search(match[0]):
                    imports += self._use_imports(full, alias, line, match["kind"] is not None)
        for match in islice(QUALIFIED.finditer(source), MOST_IMPORTS):
            if mentions.search(match[0]) and not LEFT_OUT.match(_line(source, match.start())):
                imports += self._qualified_import(match, here, aliases, source, lines)
        if namespace is None:
            imports += self._global_imports(source, mentions, lines)
        imports += self._global_calls(source, here, aliases, lines)
        for match in islice(LOADED.finditer(source), MOST_IMPORTS):
            target = self._file(match["path"].decode("utf-8", "replace"), path, match["here"] is not None)
            if target and mentions.search(match[0]) and not LEFT_OUT.match(_line(source, match.start())):
                imports.append(Link(target, WHOLE, lines.at(match.start())))
        return tuple(item for item in dict.fromkeys(imports) if item.target != path)

    def _global_imports(self, source: bytes, mentions: re.Pattern[bytes], lines: Lines) -> Iterator[Link]:
        """Yield references to classes without a namespace, in files without one."""
        for full in sorted(full for full in self._classes if "\\" not in full and mentions.search(full.encode())):
            match = re.search(rb"(?<![\w\\$>:])" + full.encode() + rb"\b", source)
            if match:
                yield Link(self._classes[full], frozenset({full}), lines.at(match.start()))

    def _global_calls(self, source: bytes, here: str, aliases: Collection[str], lines: Lines) -> Iterator[Link]:
        """Yield calls of functions without a namespace.

        A function of the file's namespace or an import takes precedence.
        """
        everywhere = {full: homes for full, homes in self._helpers.items() if "\\" not in full}
        names = [name for name in everywhere if name not in aliases and (not here or here + name not in self._helpers)]
        if not names:
            return
        call = re.compile(rb"(?<![\w\\$>:])(" + "|".join(sorted(map(re.escape, names))).encode() + rb")[ \t]*+\(")
        named: set[str] = set()
        for match in islice(call.finditer(source), MOST_IMPORTS):
            name, before = match[1].decode("utf-8", "replace"), line_until(source, match.start())
            if name in named or LEFT_OUT.match(before) or NO_CALL.search(before):
                continue
            named.add(name)
            for target in everywhere[name]:
                yield Link(target, frozenset({name}), lines.at(match.start()))

    def _use_imports(self, full: str, alias: str, line: int, function: bool) -> Iterator[Link]:
        short = full.rpartition("\\")[2]
        targets = self._loaded_for(full) if function else [self._class(full)]
        for target in dict.fromkeys([*targets, *(self._helpers.get(full, ()) if function else ())]):
            if target is not None:
                yield Link(target, frozenset({short}), line, ((short, alias),) if alias != short else ())

    def _qualified_import(
        self, match: re.Match[bytes], here: str, aliases: Mapping[str, str], source: bytes, lines: Lines
    ) -> Iterator[Link]:
        r"""Yield the link of a qualified name: `\App\User` and `Models\User`."""
        name_text = match[0].decode("utf-8", "replace")
        head, _, rest = name_text.partition("\\")
        if head in aliases:
            full = f"{aliases[head]}\\{rest}"
        else:
            full = name_text[1:] if not head else here + (rest if head == "namespace" else name_text)
        short = full.rpartition("\\")[2]
        is_call = source[match.end() : match.end() + 1] == b"("
        line = lines.at(match.start())
        # `\count(` is no class, and as a function it only matters if a changed file defines it.
        is_plain = not head and rest.isidentifier() and not rest[:1].isupper()
        file = None if is_plain else self._class(full)
        targets = [file] if file is not None else self._loaded_for(full) if is_call and not is_plain else []
        space = full.removesuffix(short)
        near = [one for one in targets if one == file or space in self._spaces.get(one, (space,))]
        for target in dict.fromkeys([*near, *self._helpers.get(full, ())]):
            yield Link(target, frozenset({short}), line, ((short, name_text),))

    def _class(self, full: str) -> str | None:
        if full not in self._found:
            self._found[full] = self._search(full)
        return self._found[full]

    def _search(self, full: str) -> str | None:
        fits = [
            (prefix, home) for prefix, home in self._prefixes if full.startswith(prefix) and len(full) > len(prefix)
        ]
        for prefix, home in fits:
            path = joined(home, full[len(prefix) :].strip("\\").replace("\\", "/") + ".php")
            if path in self._paths:
                return path
        if full in self._classes:
            return self._classes[full]
        if (self._prefixes and not self._class_homes) or "\\" not in full:
            return None
        if self._named is None:
            self._named = defaultdict(list)
            for path in self._paths:
                self._named[path[path.rfind("/") + 1 :]].append(path)
        tail = full.split("\\")[-2:]  # without a map: the class's file in a folder named like its namespace
        ending = "/" + "/".join(tail) + ".php"
        folders = self._class_homes if self._prefixes else [""]
        named = [
            path
            for path in self._named.get(f"{tail[-1]}.php", ())
            if any(is_below(posixpath.dirname(path), folder) for folder in folders)
        ]
        paths = [path for path in named if f"/{path}".endswith(ending)]
        paths = paths or [path for path in named if _holds(path, full)]  # the namespace omits some folders
        return paths[0] if len(paths) == 1 else None

    def _loads(self, path: str) -> bool:
        return any(path in _twins(one) for one in self._functions)

    def _loaded_for(self, full: str) -> list[str]:
        """Return the always-loaded files that may define a function, preferably in its namespace's folder."""
        space = full.rpartition("\\")[0] + "\\"
        homes = [home for prefix, home in self._prefixes if space.startswith(prefix)]
        near = [
            one for one in self._functions if not homes or any(is_below(posixpath.dirname(one), home) for home in homes)
        ]
        return [twin for one in near for twin in _twins(one) if twin in self._paths]

    def _file(self, name: str, path: str, is_anchored: bool) -> str | None:
        folder = posixpath.dirname(path)
        tries = [joined(folder, name.lstrip("/"))] + ([] if is_anchored else [posixpath.normpath(name)])
        return next((one for one in tries if one in self._paths and one != path), None)


def _clauses(what: str) -> Iterator[tuple[str, str]]:
    """Yield full name and local name of every clause in a `use`, including groups."""
    before, brace, inside = what.partition("{")
    for part in (inside.replace("}", "") if brace else what).split(","):
        words = re.sub(r"^\s*(function|const)\s+", "", part).split()
        if words and re.fullmatch(r"[\w\\]+", words[0]):
            full = ((before.strip() if brace else "") + words[0]).strip("\\")
            alias = words[2] if len(words) > 2 and words[1].lower() == "as" else full.rpartition("\\")[2]  # noqa: PLR2004
            yield full, alias


def _holds(path: str, full: str) -> bool:
    """Return whether a file's folders contain the parts of a namespace in order.

    The first part, the project's name, does not count.
    """
    folders = iter(path.split("/")[:-1])
    parts = full.split("\\")[1:-1]
    return bool(parts) and all(part in folders for part in parts)


def _twins(path: str) -> tuple[str, ...]:
    """Return an always-loaded file, and the one that it loads in turn: functions_include.php, functions.php."""
    return (path, path.replace("_include.php", ".php")) if path.endswith("_include.php") else (path,)


def _line(source: bytes, at: int) -> bytes:
    return line_until(source, at) + source[at : at + 80]


project = Names


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    r"""Return the identifiers of a file that match one of the names; `Models\Order` is matched by its last part."""
    return read_uses(path, source, {name.rpartition("\\")[2] for name in names})
