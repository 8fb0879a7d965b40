"""Read Terraform and OpenTofu files with the HCL grammar; a module is a folder."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from tree_sitter import Node

from deeprepo.impact.declarations.reading import (
    MODULE_KINDS,
    CallSite,
    DataReading,
    Paths,
    Scope,
    UnreadableDataError,
    beside,
)
from deeprepo.impact.parsing import grammar, root_of, too_deep

SUFFIXES = (".tf", ".tofu")
# for Terraform itself
_OF_CALLS = frozenset({"source", "version", "providers", "count", "for_each", "depends_on"})
_FORMER = frozenset({"moved", "removed", "import"})  # blocks that name something removed or not yet created
_ROOTS = frozenset({"var", "local", "module", "data"})
_RESOURCE = re.compile(r"[a-z0-9]+_[\w-]*$")
Attribute = tuple[str, int, str | None]  # name, line, and the value if it is a string


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add what a module's file declares and uses. Raises `UnreadableDataError`."""
    folder = posixpath.dirname(reading.path)
    reading.scopes |= {Scope(kind, folder) for kind in MODULE_KINDS}
    reading.mates = paths.group("terraform", folder, lambda: _files(folder, paths))
    for block in _blocks(text):
        line = block.start_point[0] + 1
        kind, *labels = [_plain(child) for child in _until_body(block)]
        attributes = [*_attributes(block)]
        _declare(reading, folder, kind, labels, line, attributes)
        if kind == "module" and labels:
            _call(reading, folder, labels[0], line, attributes, paths)
        if kind not in _FORMER:
            _uses(reading, folder, block)


def _files(folder: str, paths: Paths) -> list[str]:
    return [one for one in paths.inside(folder) if one.endswith(SUFFIXES)]


def _blocks(text: str) -> Iterator[Node]:
    """Yield the outermost blocks. Raises `UnreadableDataError`."""
    source = text.encode()
    root = None if too_deep(source) else root_of(grammar("tree_sitter_hcl", "language"), source)
    if root is None or root.has_error:
        raise UnreadableDataError("it cannot be parsed")
    for body in root.named_children:
        yield from (one for one in body.named_children if one.type == "block")


def _until_body(block: Node) -> Iterator[Node]:
    """Yield the kind and labels of a block."""
    return takewhile(lambda one: one.type in ("identifier", "string_lit"), block.named_children)


def _plain(node: Node) -> str:
    """Return the text of a name or string."""
    return (node.text or b"").decode("utf-8", "replace").strip('"')


def _attributes(block: Node) -> Iterator[Attribute]:
    """Yield the attributes of a block, without nested ones."""
    for body in block.named_children:
        for one in body.named_children if body.type == "body" else ():
            if one.type == "attribute":
                name, value = one.named_children[0], one.named_children[-1]
                while value.named_child_count == 1:
                    value = value.named_children[0]
                is_text = value.type == "string_lit"
                yield _plain(name), name.start_point[0] + 1, _plain(value) if is_text else None


def _declare(
    reading: DataReading, folder: str, kind: str, labels: list[str], line: int, attributes: Sequence[Attribute]
) -> None:
    if kind in ("variable", "output", "module") and labels:
        is_required = kind == "variable" and all(name != "default" for name, _, _ in attributes)
        reading.declare(Scope(kind, folder), labels[0], line, is_required=is_required)
    elif kind == "locals":
        for name, at, _ in attributes:
            reading.declare(Scope("local", folder), name, at)
    elif kind in ("resource", "data") and len(labels) > 1:
        prefix = "data." if kind == "data" else ""
        reading.declare(Scope("resource", folder), f"{prefix}{labels[0]}.{labels[1]}", line)


def _call(
    reading: DataReading, folder: str, name: str, line: int, attributes: Sequence[Attribute], paths: Paths
) -> None:
    """Add a call of a local module with the values that it provides."""
    outputs = Scope("output", f"{folder}#{name}")
    source_line, source = next(((at, value) for key, at, value in attributes if key == "source"), (line, None))
    target = beside(folder, source) if source is not None and source.startswith(".") else None
    if target is None:
        reading.doubts.add(outputs)
        return
    reading.scopes.add(Scope("module folder", ""))
    reading.use(Scope("module folder", ""), target or ".", source_line, "removed")
    reading.aliases[outputs] = Scope("output", target)
    files = _files(target, paths)
    if not files:
        return
    reading.declare(Scope("module folder", ""), target or ".", 1)
    reading.needs.add(files[0])
    variables = Scope("variable", target)
    given = [(key, at) for key, at, _ in attributes if key not in _OF_CALLS]
    for key, at in given:
        reading.use(variables, key, at)
    reading.calls.append(
        CallSite(variables, frozenset(key for key, _ in given), reading.path, line, f"{reading.path} {name}")
    )


def _uses(reading: DataReading, folder: str, block: Node) -> None:
    """Add the references in a block's expressions."""
    left = [block]
    while left:
        node = left.pop()
        left += reversed(node.named_children)
        if node.type == "variable_expr" and node.parent is not None:
            root, line = _plain(node), node.start_point[0] + 1
            name, inner = [*islice(_members(node), 2), "", ""][:2]
            if root in _ROOTS and name:
                _use(reading, folder, root, name, inner, line)
            elif name and _RESOURCE.match(root):
                reading.use(Scope("resource", folder), f"{root}.{name}", line, "removed")


def _members(node: Node) -> Iterator[str]:
    """Yield the names after a variable: `var.a[0].b` has two."""
    after = node.next_named_sibling
    while after is not None and after.type in ("get_attr", "index", "splat"):
        if after.type == "get_attr":
            yield _plain(after.named_children[0])
        after = after.next_named_sibling


def _use(reading: DataReading, folder: str, root: str, name: str, inner: str, line: int) -> None:
    if root in ("var", "local"):
        reading.use(Scope("variable" if root == "var" else "local", folder), name, line)
    elif root == "module":
        reading.use(Scope("module", folder), name, line)
        if inner:
            reading.use(Scope("output", f"{folder}#{name}"), inner, line)
    elif inner:
        reading.use(Scope("resource", folder), f"data.{name}.{inner}", line, "removed")
