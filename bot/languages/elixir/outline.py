"""What an Elixir file defines: its first module's functions and macros by their names, those of others below their module's name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from tree_sitter import Node

from bot.languages.syntax import DEPTH, ancestors, text
from bot.languages.walk import DefinitionWalk
from bot.values import COMPONENT, Outline, Parameter, Side, Signature

MODULES = frozenset({"defmodule", "defprotocol"})
BLOCKS = frozenset({"if", "unless", "quote"})  # calls whose block may define functions
PUBLIC = frozenset({"def", "defmacro", "defguard", "defdelegate"})
PRIVATE = frozenset({"defp", "defmacrop", "defguardp"})
# Functions that are written nowhere: made from a name that is computed, or by a `use` whose module is not one of Elixir's own.
DEFAULTS = frozenset({"\\\\", "//"})  # the second until Elixir 0.12
MOST_DYNAMIC = 200  # places of one file that are looked at
DYNAMIC = re.compile(
    rb"^[ \t]*(?:def(?:macro|delegate)?[ \t(]+unquote\b"
    rb"|use[ \t(]+(?!(?:GenServer|Agent|Supervisor|DynamicSupervisor|Application|Task|Bitwise|Mix\.\w+|Plug\.Builder|Plug\.Router"
    rb"|Plug\.ErrorHandler|ExUnit\.Case|ExUnit\.CaseTemplate|Ecto\.\w+|GenStage|Oban\.\w+)\b)[A-Z][\w.]*|@before_compile\b|Code\.eval_\w+)",
    re.MULTILINE,
)
# What the others define in who uses them, unless that defines it: a function of the name is there without a line that says so.
GIVEN = {
    "Agent": "child_spec",
    "Application": "stop",
    "DynamicSupervisor": "child_spec",
    "Ecto.Repo": (
        "aggregate all all_by checked_out? checkout child_spec config default_options delete delete! delete_all exists? explain get get! get_by "
        "get_by! get_dynamic_repo in_transaction? init insert insert! insert_all insert_or_update insert_or_update! load one one! preload "
        "prepare_query prepare_transaction put_dynamic_repo query query! query_many query_many! reload reload! rollback start_link stop stream "
        "to_sql transact transaction update update! update_all"
    ),
    "GenServer": "child_spec code_change handle_call handle_cast handle_info init terminate",
    "GenStage": "child_spec code_change handle_call handle_cast handle_info handle_subscribe handle_cancel terminate",
    "Oban.Worker": "backoff new timeout",
    "Plug.Builder": "call init",
    "Plug.ErrorHandler": "call handle_errors",
    "Plug.Router": "call dispatch init match",
    "Supervisor": "child_spec init",
    "Task": "child_spec",
}
TEXTS = frozenset({"string", "charlist", "sigil", "comment"})


@dataclass(slots=True)
class _ElixirWalk(DefinitionWalk):
    given_names: set[str] = field(default_factory=set)  # what the main module has by a `use` of one of Elixir's own
    main: str = ""  # the module that the file is named after: its functions are the file's own


def callee(node: Node) -> str:
    """The word that a call calls: `def`, `alias`, `total`; "" if it is a member or no call."""
    target = node.child_by_field_name("target") if node.type == "call" else None
    return text(target) if target is not None and target.type == "identifier" else ""


def arguments(node: Node) -> list[Node]:
    """The arguments of a call as written, without comments."""
    holder = next((part for part in node.named_children if part.type == "arguments"), None)
    return [part for part in holder.named_children if part.type != "comment"] if holder is not None else []


def body(node: Node) -> Node | None:
    """The block of a definition."""
    return next((part for part in node.named_children if part.type == "do_block"), None)


def head(node: Node) -> Node | None:
    """The name and the parameters in a definition, without its guard."""
    parts = arguments(node)
    first = parts[0] if parts else None
    while first is not None and first.type == "binary_operator" and first.named_children:
        first = first.named_children[0]  # `total(rows) when is_list(rows)`
    return first


def defined_name(node: Node) -> str:
    """What a definition is called; "" if its name is computed."""
    first = head(node)
    if first is None:
        return ""
    name = callee(first) if first.type == "call" else text(first) if first.type == "identifier" else ""
    return "" if name == "unquote" else name


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, in its order."""
    walk = _ElixirWalk(path, side)
    stack = [(part, "") for part in reversed(root.named_children)]
    while stack:
        node, inside = stack.pop()
        word = callee(node)
        if word in MODULES:
            name = _module(node, inside, walk)
            block = body(node)
            if name and block is not None:
                stack += [(part, name) for part in reversed(block.named_children)]
        elif word in PUBLIC | PRIVATE and inside:
            _function(node, inside, walk, is_private=word in PRIVATE)
        elif word == "defstruct" and inside:
            _fields(node, inside, walk)
        elif word == "import":
            walk.stars += 1
        elif word == "use" and inside == walk.main:
            used = arguments(node)[:1]
            walk.given_names.update(GIVEN.get(text(used[0]), "").split() if used else ())
        elif word in BLOCKS:
            stack += [(part, inside) for part in reversed(list(_statements(node)))]
    for name in walk.given_names:
        walk.exports.setdefault(name, "")
    is_dynamic = DYNAMIC.search(_without_texts(root, source)) is not None
    outline = walk.outline(not root.has_error and not is_dynamic)
    return replace(outline, stars=0, borrows=walk.stars, is_scoped=not root.has_error)


def _without_texts(root: Node, source: bytes) -> bytes:
    """The source without what only reads like code that defines names: the example in a documentation."""
    code = bytearray(source)
    for match in islice(DYNAMIC.finditer(source), MOST_DYNAMIC):
        node = root.descendant_for_byte_range(match.end() - 1, match.end() - 1)
        if node is not None and any(one.type in TEXTS for one in (node, *islice(ancestors(node), DEPTH))):
            code[match.start() : match.end()] = b" " * (match.end() - match.start())
    return bytes(code) if not root.has_error else source


def _statements(node: Node) -> Iterator[Node]:
    block = body(node)
    for part in block.named_children if block is not None else ():
        yield from part.named_children if part.type == "else_block" else (part,)


def _module(node: Node, inside: str, walk: _ElixirWalk) -> str:
    parts = arguments(node)
    name = text(parts[0]) if parts and parts[0].type == "alias" else ""
    if not name:
        return ""
    if not walk.main:
        walk.main = name
    else:
        name = name if inside in ("", walk.main) else f"{inside}.{name}"
        last = name.rpartition(".")[2]
        walk.define(last, "class", node)
        walk.exports.setdefault(last, last)
        walk.bases[last] = ()
    return name


def _fields(node: Node, inside: str, walk: _ElixirWalk) -> None:
    """The fields of a module's struct, as members of what its users call it."""
    left = list(reversed(arguments(node)))
    while left:
        part = left.pop()
        if part.type in ("list", "keywords"):
            left += reversed(part.named_children)
        elif part.type in ("atom", "pair"):
            name = text(part if part.type == "atom" else part.child_by_field_name("key")).strip(": ")
            walk.define(f"{inside.rpartition('.')[2]}.{name}", COMPONENT, part)


def _function(node: Node, inside: str, walk: _ElixirWalk, *, is_private: bool) -> None:
    name = defined_name(node)
    if not name:
        return
    is_main = inside == walk.main
    full_name = name if is_main else f"{inside.rpartition('.')[2]}.{name}"
    walk.define(
        full_name,
        "function" if is_main else "method",
        node,
        signature(node),
        visibility="self" if is_private else "anywhere",
    )
    if is_main and not is_private:
        walk.exports[name] = name


def signature(node: Node) -> Signature:
    """The parameters of one clause: a pattern stands for one argument."""
    first = head(node)
    parameters = []
    for at, part in enumerate(arguments(first) if first is not None else ()):
        has_default = part.type == "binary_operator" and any(child.type in DEFAULTS for child in part.children)
        name = text(part.named_children[0]) if has_default else text(part)
        parameters.append(
            Parameter(name if name.isidentifier() else f"argument {at + 1}", "positional-only", not has_default)
        )
    parameters.sort(key=lambda item: not item.is_required)  # only their number counts: defaults may stand anywhere
    opaque = first is None or any("unquote" in item.name for item in parameters)
    return Signature(tuple(parameters), f"{callee(node)} {' '.join(text(first).split())}"[:400], opaque)
