"""Resolve PHP names with composer.json's PSR-4 and PSR-0.

They come from `use` statements, qualified names and includes. Classes of one namespace see each other without
a `use`, because they are in one folder.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from tree_sitter import Node

from deeprepo.impact.filetypes import parsed_by
from deeprepo.impact.languages.php import Autoload
from deeprepo.impact.paths import is_below, joined
from deeprepo.impact.reading import reader
from deeprepo.impact.reading.lexical import MOST_IMPORTS, mention
from deeprepo.impact.reading.nodes import ancestors, first_line, text
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.values import Clues, Link, Use

SUFFIXES = parsed_by("php")
KINDS = frozenset({"function", "const"})
INSIDE = ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "declaration_list")
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
        try:
            file = _File(path, source)
        except Unreadable:  # the search says so when it reads the file
            return
        for node in file.nodes("helper"):
            if not any(one.type in INSIDE for one in ancestors(node)):
                space = file.space(node)
                self._spaces.setdefault(path, set()).add(space)
                self._helpers.setdefault(space + text(node), {})[path] = None
        if path in self._paths and any(is_below(path, home) for home in self._class_homes):
            for node in file.nodes("class"):
                self._classes.setdefault(file.space(node) + text(node), path)
            self._found.clear()

    def name_in(self, source: bytes) -> str:
        """Return "": the path of a file shows its name."""
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

    def visible_files(self, path: str) -> Collection[str]:
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
        mentions = mention(words)
        if not mentions.search(source):
            return ()
        file, imports, aliases = _File(path, source), list[Link](), dict[str, str]()
        for statement in file.nodes("use"):
            is_mentioned = mentions.search(statement.text or b"") is not None
            for full, alias, is_function in _clauses(statement):
                aliases[alias] = full
                if is_mentioned:
                    imports += self._use_imports(full, alias, first_line(statement), is_function)
        for node in islice(file.nodes("qualified"), MOST_IMPORTS):
            is_import = node.parent is not None and node.parent.type == "namespace_use_clause"
            if not is_import and mentions.search(node.text or b""):
                imports += self._qualified_import(node, file.space(node), aliases)
        if not file.has_namespace:
            imports += self._global_imports(file, mentions)
        imports += self._global_calls(file, aliases)
        for node in file.nodes("loads"):
            target = self._loaded(node, path) if mentions.search(node.text or b"") else None
            imports += [Link(target, WHOLE, first_line(node))] if target is not None else []
        return tuple(item for item in dict.fromkeys(imports) if item.target != path)

    def _global_imports(self, file: "_File", mentions: re.Pattern[bytes]) -> Iterator[Link]:
        """Yield references to classes without a namespace, in files without one."""
        for full in sorted(full for full in self._classes if "\\" not in full and mentions.search(full.encode())):
            line = file.line_of(full)
            if line:
                yield Link(self._classes[full], frozenset({full}), line)

    def _global_calls(self, file: "_File", aliases: Collection[str]) -> Iterator[Link]:
        """Yield calls of functions without a namespace.

        A function of the file's namespace or an import takes precedence.
        """
        everywhere = {full: homes for full, homes in self._helpers.items() if "\\" not in full}
        named: set[str] = set()
        for node in islice(file.nodes("called"), MOST_IMPORTS) if everywhere else ():
            name = text(node)
            here = file.space(node)
            is_own = name in aliases or (here and here + name in self._helpers)
            if name in everywhere and name not in named and not is_own:
                named.add(name)
                yield from (Link(target, frozenset({name}), first_line(node)) for target in everywhere[name])

    def _use_imports(self, full: str, alias: str, line: int, function: bool) -> Iterator[Link]:
        short = full.rpartition("\\")[2]
        targets = self._loaded_for(full) if function else [self._class(full)]
        for target in dict.fromkeys([*targets, *(self._helpers.get(full, ()) if function else ())]):
            if target is not None:
                yield Link(target, frozenset({short}), line, ((short, alias),) if alias != short else ())

    def _qualified_import(self, node: Node, here: str, aliases: Mapping[str, str]) -> Iterator[Link]:
        r"""Yield the link of a qualified name: `\App\User` and `Models\User`."""
        name_text = text(node)
        head, _, rest = name_text.partition("\\")
        if head in aliases:
            full = f"{aliases[head]}\\{rest}"
        else:
            full = name_text[1:] if not head else here + (rest if head == "namespace" else name_text)
        short = full.rpartition("\\")[2]
        above = node.parent
        is_call = above is not None and above.type == "function_call_expression"
        line = first_line(node)
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

    def _loaded(self, node: Node, path: str) -> str | None:
        """Return the file that `require` or `include` loads: next to the file, or from the root of the tree."""
        folder, parts = posixpath.dirname(path), node
        while parts.type == "parenthesized_expression" and parts.named_children:
            parts = parts.named_children[0]
        is_anchored = parts.type == "binary_expression"
        anchor = text(parts.child_by_field_name("left")).replace(" ", "") if is_anchored else ""
        if is_anchored and anchor not in ("__DIR__", "dirname(__FILE__)"):
            return None
        last = parts.child_by_field_name("right") if is_anchored else parts
        content = last.named_children if last is not None and last.type in ("string", "encapsed_string") else []
        if [one.type for one in content] != ["string_content"]:
            return None
        name = text(content[0])
        tries = [joined(folder, name.lstrip("/"))] + ([] if is_anchored else [posixpath.normpath(name)])
        return next((one for one in tries if one in self._paths and one != path), None)


class _File:
    """The names that a file uses and defines, from its syntax tree."""

    def __init__(self, path: str, source: bytes) -> None:
        self._source = source
        self._root, self._rows = reader.names(path, source)
        self._namespaces = [(node, found["space"][0]) for node, found in self._rows.of("namespace")]

    @property
    def has_namespace(self) -> bool:
        """Whether the file declares a namespace."""
        return bool(self._namespaces)

    def nodes(self, key: str) -> Iterator[Node]:
        """Yield the nodes of a capture, in order."""
        return (node for node, _ in self._rows.of(key))

    def space(self, node: Node) -> str:
        """Return the namespace around a node with its trailing backslash, or ""."""
        above = [name for whole, name in self._namespaces if whole.start_byte <= node.start_byte]
        return f"{text(above[-1])}\\" if above else ""

    def line_of(self, name: str) -> int:
        """Return the first line of code with a name that is not qualified, or 0."""
        for match in re.finditer(rb"(?<![\w\\$>:])" + name.encode() + rb"\b", self._source):
            node = self._root.descendant_for_byte_range(*match.span())
            above = node.parent if node is not None and node.type == "name" else None
            if node is not None and above is not None and above.child_by_field_name("name") != node:
                return first_line(node)
        return 0


def _clauses(statement: Node) -> Iterator[tuple[str, str, bool]]:
    """Yield each clause of a `use`: the full name, the local name, and whether it is a function or constant."""
    group = statement.child_by_field_name("body")
    before = "".join(f"{text(one)}\\" for one in statement.named_children if one.type == "namespace_name")
    kinds = {one.type for one in statement.children}
    for clause in (group or statement).named_children:
        if clause.type == "namespace_use_clause" and clause.named_children:
            is_function = not kinds.isdisjoint(KINDS) or not KINDS.isdisjoint(one.type for one in clause.children)
            full = (before + text(clause.named_children[0])).strip("\\")
            alias = clause.child_by_field_name("alias")
            yield full, text(alias) if alias is not None else full.rpartition("\\")[2], is_function


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


project = Names


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    r"""Return the identifiers of a file that match one of the names; `Models\Order` is matched by its last part."""
    return read_uses(path, source, {name.rpartition("\\")[2] for name in names})
