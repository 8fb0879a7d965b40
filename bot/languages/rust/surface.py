"""What other crates can name of a file: its items without a narrower visibility, as far as modules that they can name lead to it."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from bot.languages.syntax import text
from impact.parsing import DEEPEST

LEAF = re.compile(r"(?<!\w)(\w++)\s*+(?=[,}]|$)")
OWN = re.compile(r"(?<!\w)(\w++)\s*+::\s*+\{[^{}]*\bself\b")
OUT = re.compile(r"pub(?!\s*+\()")
WORD = re.compile(r"[^\W\d]\w*")


def openness(root: Node) -> Mapping[str, bool]:
    """Each name that a file declares or takes, and whether it may be open to other crates; those of inline modules as module.name."""
    names: dict[str, bool] = {}
    for name, is_open in _declared(root, "", 0):
        names[name] = names.get(name, False) or is_open
    return names


def declaring(path: str, root: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """(files that may declare it, name) of each module from the root folder of a crate to a file; nothing for the root file."""
    inner = path.removesuffix(".rs")[len(root) :].strip("/")
    parts = [part for part in inner.split("/") if part]
    parts = parts[:-1] if parts[-1:] == ["mod"] else parts
    if parts in (["lib"], ["main"]):
        return ()
    steps = []
    for at, name in enumerate(parts):
        above = posixpath.join(root, *parts[:at])
        files = (f"{above}.rs", f"{above}/mod.rs") if at else (posixpath.join(root, "lib.rs"),)
        steps.append((files, name))
    return tuple(steps)


def _declared(holder: Node, inside: str, depth: int) -> Iterator[tuple[str, bool]]:
    for node in holder.named_children:
        is_open = any(
            part.type == "visibility_modifier" and OUT.fullmatch(text(part)) is not None for part in node.named_children
        )
        name = text(node.child_by_field_name("name"))
        if node.type == "use_declaration":
            argument = text(node.child_by_field_name("argument"))
            names = [*LEAF.findall(argument), *OWN.findall(argument)]
        elif node.type in ("macro_invocation", "expression_statement", "macro_definition"):
            names, is_open = WORD.findall(text(node)), True  # it may declare any name in it
        elif node.type == "extern_crate_declaration":
            names = [text(node.child_by_field_name("alias")) or name]
        elif node.type == "foreign_mod_item" and (body := node.child_by_field_name("body")) is not None:
            yield from _declared(body, inside, depth)
            continue
        else:
            names = [name] if name else []
        for one in names:
            yield inside + one, is_open
        body = node.child_by_field_name("body")
        if node.type == "mod_item" and body is not None and depth < DEEPEST:
            yield from _declared(body, f"{inside}{name}.", depth + 1)
