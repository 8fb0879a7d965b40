"""What a name does where it is in an Elixir file, and how many arguments a call gives: a pipe and a block give one more."""

import re
from itertools import islice

from tree_sitter import Node

from bot.languages.elixir.outline import MODULES, PRIVATE, PUBLIC, arguments, body, callee, defined_name, head
from bot.languages.spots import Spot, SpotGrammar
from bot.languages.syntax import DEPTH, ancestors, text
from bot.values import Call

DEFINING = PUBLIC | PRIVATE
GUARDS = re.compile(r"\b(?:function_exported|macro_exported)\?|Code\.ensure_(?:loaded|compiled)")
RESCUED = re.compile(r"\brescue\b[^\n]*\n?[^\n]*\b(?:UndefinedFunctionError|_\s*->|e\s+in\s+UndefinedFunctionError)")
ASKING = frozenset({"if", "unless", "cond", "case"})


def spot(node: Node) -> Spot | None:
    """What a name does where it stands; None for keys, atoms and names of types."""
    above = node.parent
    if above is None or _is_attribute(node):
        return None
    around = list(islice(ancestors(node), DEPTH))
    delegate = _delegate(node, around)
    if delegate is not None or node.type == "atom":
        return delegate
    if above.type == "dot":
        return _member(node, above, around)
    is_called = above.type == "call" and above.child_by_field_name("target") == node
    if _is_head(above if is_called else node, around) or (not is_called and _is_bound(node, around)):
        return Spot("definition")
    call = call_of(above) if is_called else _captured(node, above) or (Call(1) if _is_piped(node) else None)
    if call is None and node.type == "identifier" and above.type not in ("do_block", "binary_operator"):
        return None  # a variable, as far as anybody can tell
    return Spot("name", call=call, is_guarded=_is_guarded(around))


def _member(node: Node, dot: Node, around: list[Node]) -> Spot | None:
    if dot.child_by_field_name("right") != node:
        return None
    receiver = dot.child_by_field_name("left")
    if receiver is None or (receiver.type != "alias" and text(receiver) != "__MODULE__"):
        return None  # a field of a map, or a module in a variable
    outer = dot.parent
    call: Call | None = None
    if outer is not None and outer.type == "call" and outer.child_by_field_name("target") == dot:
        call = _captured(outer, outer.parent) or call_of(outer)
    else:
        call = _captured(dot, outer)
    is_guarded = _is_guarded(around)
    if text(receiver) == "__MODULE__":
        return Spot("name", call=call, is_guarded=is_guarded)
    return Spot(
        "member", receiver=receiver, types=(text(receiver).rpartition(".")[2],), call=call, is_guarded=is_guarded
    )


def _is_attribute(node: Node) -> bool:
    """`@total` is an attribute of the module, and `@spec total(...)` no call."""
    for above in islice(ancestors(node), DEPTH):
        if above.type == "unary_operator" and above.children and above.children[0].type == "@":
            return True
        if above.type in ("do_block", "stab_clause"):
            return False
    return False


def _is_head(node: Node, around: list[Node]) -> bool:
    """Whether a call or a name is the head of a definition."""
    for above in around:
        if callee(above) in DEFINING:
            return head(above) == node
        if above.type not in ("arguments", "binary_operator", "call"):
            return False
    return False


def _delegate(node: Node, around: list[Node]) -> Spot | None:
    """What a definition hands each of its calls to: `defdelegate total(cart), to: Cart`, `defdelegate sum(cart), to: Cart, as: :total`."""
    definition = next((above for above in around if callee(above) in DEFINING), None)
    first = head(definition) if definition is not None and callee(definition) == "defdelegate" else None
    if definition is None or first is None:
        return None
    options = {
        text(pair.child_by_field_name("key")).strip(": "): pair.child_by_field_name("value")
        for part in arguments(definition)[1:]
        for pair in part.named_children
        if pair.type == "pair"
    }
    module, name = options.get("to"), options.get("as")
    is_meant = name == node if name is not None else node in (first, first.child_by_field_name("target"))
    if module is None or module.type != "alias" or not is_meant:
        return None
    call = call_of(first) if first.type == "call" else Call()
    types = (text(module).rpartition(".")[2],)
    return Spot("member", name=text(node).removeprefix(":"), receiver=module, types=types, call=call)


def _is_bound(node: Node, around: list[Node]) -> bool:
    """Whether a parameter, a match or a clause gives the name its meaning here."""
    for below, inner, above in zip((None, node, *around), (node, *around), around, strict=False):
        if above.type == "binary_operator" and above.children[1:2] and above.children[1].type in ("=", "<-"):
            return above.child_by_field_name("left") == inner
        if above.type == "stab_clause":
            return above.child_by_field_name("left") == inner
        if callee(above) in DEFINING:
            return inner.type == "arguments" and not (below is not None and below.type == "keywords")  # `do: ...`
        if above.type in ("do_block", "body"):
            return False
    return False


def _captured(node: Node, above: Node | None) -> Call | None:
    """`&total/2` and `&Cart.total/2` call with as many arguments as they name."""
    if above is None or above.type != "binary_operator" or not above.children[1:2] or above.children[1].type != "/":
        return None
    outer = above.parent
    count = above.child_by_field_name("right")
    is_capture = outer is not None and outer.type == "unary_operator" and outer.children[0].type == "&"
    if not is_capture or count is None or not text(count).isdigit() or above.child_by_field_name("left") != node:
        return None
    return Call(int(text(count)))


def _is_piped(node: Node) -> bool:
    """Whether `|>` hands something in as the first argument."""
    above = node.parent
    return (
        above is not None
        and above.type == "binary_operator"
        and above.children[1:2] != []
        and above.children[1].type == "|>"
        and above.child_by_field_name("right") == node
    )


def call_of(call: Node) -> Call:
    """The arguments of a call, with what a pipe or a block gives it."""
    parts = arguments(call)
    spread = any("unquote_splicing" in text(part)[:200] for part in parts)
    count = len(parts) + _is_piped(call) + (body(call) is not None and not _has_keywords(parts))
    return Call(count, spread=spread)


def _has_keywords(parts: list[Node]) -> bool:
    """Whether a block joins the keywords that are the last argument."""
    return bool(parts) and parts[-1].type == "keywords"


def _is_guarded(around: list[Node]) -> bool:
    """Whether the code around it asks first whether the function exists, or rescues its absence."""
    return any(_foresees(above) for above in around)


def _foresees(above: Node) -> bool:
    if callee(above) in ASKING and GUARDS.search(text(above)[:500]):
        return True
    return above.type == "do_block" and any(
        part.type == "rescue_block" and RESCUED.search(text(part)[:500]) for part in above.named_children
    )


def _scope_name(node: Node) -> str:
    word = callee(node)
    if word in MODULES:
        return next((text(part) for part in arguments(node) if part.type == "alias"), "").rpartition(".")[2]
    return defined_name(node) if word in DEFINING else ""


READING = SpotGrammar(
    identifiers=frozenset({"identifier", "alias", "atom"}),
    scopes=frozenset({"call"}),  # every definition is a call in this grammar
    scope_name=_scope_name,
    spot=spot,
)
