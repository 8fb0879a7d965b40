"""Find markup that uses parts of a component that the change removed.

The rows of `markup.toml` describe how a framework writes a property, event or slot. Frameworks may pass
unknown attributes on, for example to an element in the component, so nothing is proven.
"""

import posixpath
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from deeprepo.impact.changes import ChangedFile, Dependent, Reference
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.uses.sites import mention

ELEMENT = r"<(?:NAMES)(?=[\s/>])"
PASSES_ON = re.compile(
    r"\.\.\.\w+|\$\$(?:restProps|props)\b|\binheritAttrs\b|\$attrs\b"
)  # the component uses the rest of its attributes
REST = re.compile(r"\{\s*\.\.\.|v-bind=")
COMMENT = re.compile(r"<!--(?:.*?-->|.*)|/\*.{0,2000}?\*/|(?<![:\w])//[^\n]*", re.DOTALL)
LONGEST = 4_000  # characters of an element with its content


class Part(Struct, frozen=True):
    """How components in some files write one kind of part."""

    suffixes: tuple[str, ...]
    what: str
    gives: tuple[str, ...]
    names: str
    asks: str

    def names_in(self, text: str) -> frozenset[str]:
        """Return the names that a component provides."""
        plain = COMMENT.sub(" ", text)
        bodies = (
            body for pattern in self.gives for found in re.finditer(pattern, plain) for body in found.groups() if body
        )
        rows = (found.groups() for body in bodies for found in re.finditer(self.names, body))
        return frozenset(next(name for name in reversed(row) if name) for row in rows if any(row))


@cache
def _parts() -> tuple[Part, ...]:
    table = tomllib.loads((Path(__file__).parent / "markup.toml").read_text(encoding="utf-8"))
    return tuple(
        Part(tuple(row["suffixes"]), row["what"], tuple(row["gives"]), row["names"], row["asks"])
        for row in table["part"]
    )


async def lost_parts(tree: Tree, files: Sequence[ChangedFile], dependents: Iterable[Dependent]) -> list[Reference]:
    """Return unchanged lines of markup that use removed parts of a component."""
    components = {
        file.path: file.old_path
        for file in files
        if file.old_path
        and file.status != "deleted"
        and file.path.endswith(tuple(one for part in _parts() for one in part.suffixes))
    }
    if not components:
        return []
    before = await tree.read_many([*components.values()], "base")
    after = await tree.read_many([*components])
    lost = {path: parts for path, old in components.items() if (parts := _lost(path, before.get(old), after.get(path)))}
    users: dict[str, set[str]] = {path: {one.path for one in dependents if one.target == path} for path in lost}
    added = {file.path: file.added_lines for file in files}
    texts = await tree.read_many(sorted({user for some in users.values() for user in some}))
    found: dict[tuple[str, int, str], Reference] = {}
    for path, parts in lost.items():
        for user in sorted(users[path]):
            text = texts.get(user, b"").decode("utf-8", "replace")
            for name, line, said in _asked(text, path, parts):
                if line not in added.get(user, ()):
                    row = mention(f"{path}:{name}", name, user, line, said)
                    found[user, line, name] = replace(row, tie="bound", asks=True)
    return [*found.values()]


def _lost(path: str, before: bytes | None, after: bytes | None) -> list[tuple[Part, str]]:
    """Return the parts that a component no longer provides."""
    if before is None or after is None:
        return []
    old, new = before.decode("utf-8", "replace"), after.decode("utf-8", "replace")
    if PASSES_ON.search(new):
        return []
    return [
        (part, name)
        for part in _parts()
        if path.endswith(part.suffixes)
        for name in sorted(part.names_in(old) - part.names_in(new))
    ]


def _asked(text: str, path: str, parts: Sequence[tuple[Part, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield each lost name that an element uses, with its line and that line's text."""
    called = _called(text, path)
    lines = text.split("\n")
    for element in re.finditer(ELEMENT.replace("NAMES", "|".join(map(re.escape, sorted(called)))), text):
        head = _head(text, element.end())
        if REST.search(head):
            continue
        for part, name in parts:
            if part.what == "method":  # the script calls it, not the element
                yield from _called_by(lines, part, name)
                continue
            whole = text[element.end() : element.end() + LONGEST] if part.what == "slot" else head
            whole = whole.partition(f"</{element[0][1:]}")[0]
            names = "|".join(dict.fromkeys((re.escape(name), re.escape(_hyphened(name)))))
            asks = re.search(part.asks.replace("NAME", f"(?:{names})"), whole)
            if asks is not None:
                line = text.count("\n", 0, element.end() + asks.start() + len(asks[0]) - len(asks[0].lstrip())) + 1
                yield name, line, lines[line - 1].rstrip("\r")


def _called_by(lines: Sequence[str], part: Part, name: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines that call a method through a reference to the component."""
    asks = re.compile(part.asks.replace("NAME", re.escape(name)))
    yield from ((name, number, line.rstrip("\r")) for number, line in enumerate(lines, 1) if asks.search(line))


def _called(text: str, path: str) -> Collection[str]:
    """Return the names under which a file may use a component: imported names, or its file name."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    imports = re.findall(rf"import\s+(\w+)[^;\n]{{0,300}}/{re.escape(stem)}(?:\.\w+)?[\"']", text)
    names = {*imports, stem}
    return {*names, *map(_hyphened, names)}


def _hyphened(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower()


def _head(text: str, start: int) -> str:
    """Return the attributes of an element."""
    depth, quote = 0, ""
    for at, letter in enumerate(text[start : start + LONGEST], start):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'`":
            quote = letter
        elif letter in "{(":
            depth += 1
        elif letter in "})":
            depth -= 1
        elif letter == ">" and depth <= 0 and text[at - 1] != "=":
            return text[start : at + 1]
    return text[start : start + LONGEST]
