"""Read Terraform and OpenTofu files with the HCL grammar; a module is a folder."""

import posixpath
import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import NamedTuple

from tree_sitter import Node

from deeprepo.impact.declarations.reading import CallSite, DataReading, Paths, Scope, UnreadableDataError, beside
from deeprepo.impact.parsing import grammar, root_of, too_deep

_KINDS = ("variable", "local", "module", "output", "resource")
_OF_CALLS = frozenset({"source", "version", "providers", "count", "for_each", "depends_on"})  # for Terraform itself
_FORMER = frozenset({"moved", "removed", "import"})  # blocks that name something removed or not yet created
_ROOTS = {"var": "variable", "local": "local", "module": "module"}
_RESOURCE = re.compile(r"[a-z0-9]+_[\w-]*$")
_FOLDERS = Scope("module folder", "")


class _Attribute(NamedTuple):
    line: int
    text: str | None  # the value if it is a string


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add what a module's file declares and uses. Raises `UnreadableDataError`."""
    folder = posixpath.dirname(reading.path)
    reading.scopes |= {Scope(kind, folder) for kind in _KINDS}
    for block in _blocks(text):
        line = block.start_point[0] + 1
        heads = takewhile(lambda one: one.type in ("identifier", "string_lit"), block.named_children)
        kind, *labels = map(_plain, heads)
        attributes = dict(_attributes(block))
        if kind in ("variable", "output", "module") and labels:
            is_required = kind == "variable" and "default" not in attributes
            reading.declare(Scope(kind, folder), labels[0], line, is_required=is_required)
        if kind == "module" and labels:
            _call(reading, folder, labels[0], line, attributes, paths)
        for name, one in attributes.items() if kind == "locals" else ():
            reading.declare(Scope("local", folder), name, one.line)
        if kind in ("resource", "data") and len(labels) > 1:
            name = ".".join([*(["data"] if kind == "data" else []), *labels[:2]])
            reading.declare(Scope("resource", folder), name, line)
        if kind not in _FORMER:
            _uses(reading, folder, block)


def _blocks(text: str) -> Iterator[Node]:
    """Yield the outermost blocks. Raises `UnreadableDataError`."""
    source = text.encode()
    root = None if too_deep(source) else root_of(grammar("tree_sitter_hcl", "language"), source)
    if root is None or root.has_error:
        raise UnreadableDataError("it cannot be parsed")
    for body in root.named_children:
        yield from (one for one in body.named_children if one.type == "block")


def _plain(node: Node) -> str:
    """Return the text of a name or string."""
    return (node.text or b"").decode("utf-8", "replace").strip('"')


def _attributes(block: Node) -> Iterator[tuple[str, _Attribute]]:
    """Yield the attributes of a block by name, without nested ones."""
    for body in block.named_children:
        for one in body.named_children if body.type == "body" else ():
            if one.type == "attribute":
                name, value = one.named_children[0], one.named_children[-1]
                while value.named_child_count == 1:
                    value = value.named_children[0]
                text = _plain(value) if value.type == "string_lit" else None
                yield _plain(name), _Attribute(name.start_point[0] + 1, text)


def _call(
    reading: DataReading, folder: str, name: str, line: int, attributes: dict[str, _Attribute], paths: Paths
) -> None:
    """Add a call of a local module with the values that it provides."""
    outputs, source = Scope("output", f"{folder}#{name}"), attributes.get("source", _Attribute(line, None))
    target = beside(folder, source.text) if source.text and source.text.startswith(".") else None
    if target is None:
        reading.doubts.add(outputs)
        return
    reading.scopes.add(_FOLDERS)
    reading.use(_FOLDERS, target or ".", source.line)
    reading.aliases[outputs] = Scope("output", target)
    if any(one.endswith((".tf", ".tofu")) for one in paths.inside(target)):
        variables = Scope("variable", target)
        reading.declare(_FOLDERS, target or ".", 1)
        given = {key: one.line for key, one in attributes.items() if key not in _OF_CALLS}
        for key, at in given.items():
            reading.use(variables, key, at)
        reading.calls.append(CallSite(variables, frozenset(given), reading.path, line, f"{reading.path} {name}"))


def _uses(reading: DataReading, folder: str, block: Node) -> None:
    """Add the references in a block's expressions."""
    left = [block]
    while left:
        node = left.pop()
        left += reversed(node.named_children)
        if node.type != "variable_expr" or node.parent is None:
            continue
        root, line = _plain(node), node.start_point[0] + 1
        name, inner = [*islice(_members(node), 2), "", ""][:2]
        if name and root in _ROOTS:
            reading.use(Scope(_ROOTS[root], folder), name, line)
            if root == "module" and inner:
                reading.use(Scope("output", f"{folder}#{name}"), inner, line)
        elif inner and root == "data":
            reading.use(Scope("resource", folder), f"data.{name}.{inner}", line)
        elif name and _RESOURCE.match(root):
            reading.use(Scope("resource", folder), f"{root}.{name}", line)


def _members(node: Node) -> Iterator[str]:
    """Yield the names after a variable: `var.a[0].b` has two."""
    after = node.next_named_sibling
    while after is not None and after.type in ("get_attr", "index", "splat"):
        if after.type == "get_attr":
            yield _plain(after.named_children[0])
        after = after.next_named_sibling
