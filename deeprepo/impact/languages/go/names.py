"""Guess the local names of Go packages from their import paths, and from the code that uses them."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tree_sitter import Node

from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.values import Bound

DOTTED = re.compile(rb"(?<![\w\x80-\xff])([\w\x80-\xff]++)\.")


def local_name(spec: str, source: bytes) -> str:
    """Return the local name of a package imported without one: the likely name that is used before a dot."""
    names, dotted = likely_names(spec), _dotted(source)
    return next((name for name in names if name.encode() in dotted), names[0] if names else "")


@lru_cache(maxsize=16)
def _dotted(source: bytes) -> frozenset[bytes]:
    return frozenset(DOTTED.findall(source))


@lru_cache(maxsize=4)
def qualified(root: Node) -> Mapping[str, Sequence[Bound]]:
    """Return the names behind each package's name, unless something else in the file has the package's name."""
    found, others, nodes = defaultdict[str, list[Bound]](list), set[str](), [root]
    while nodes:
        node = nodes.pop()
        package = node.child_by_field_name("operand") or node.child_by_field_name("package")
        name = node.child_by_field_name("field") or node.child_by_field_name("name")
        if package is not None and name is not None and package.type in ("identifier", "package_identifier"):
            found[text(package)].append(Bound(text(name), "", first_line(name)))
        else:
            others.update([text(node)] if node.type == "identifier" else ())
            nodes += node.named_children
    return {package: rows for package, rows in found.items() if package not in others}


def _is_version(part: str) -> bool:
    return part[:1] == "v" and part[1:].isdigit()


@lru_cache(maxsize=4096)
def likely_names(spec: str) -> tuple[str, ...]:
    """Return the likely names of a package from its import path, likeliest first."""
    parts = [part for part in spec.split("/") if part]
    if len(parts) > 1 and _is_version(parts[-1]):
        parts.pop()
    last = parts[-1] if parts else ""
    last = last.rpartition(".")[0] if _is_version(last.rpartition(".")[2]) else last
    words = [word for word in last.replace(".", "-").split("-") if word not in ("go", "golang", "")]
    names = [last, *words[-1:], *words[:1], "".join(words), "_".join(words)]
    return tuple(dict.fromkeys(name for name in names if name.isidentifier()))
