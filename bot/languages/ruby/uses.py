"""What a name does where it is in a Ruby file, and which class a receiver is known to be."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from tree_sitter import Node

from bot.languages.constructions import Construction, nodes_of
from bot.languages.ruby.outline import HOLDERS, last
from bot.languages.spots import Spot, SpotGrammar
from bot.languages.syntax import DEPTH, MOST_USES, UNKNOWN, ancestors, outermost, text, words
from bot.values import Call

LOCAL_BYTES = 20_000  # of a method in which its variables are looked for
CLASSES = frozenset({"class"})
METHODS = frozenset({"method", "singleton_method"})
BOUND = frozenset({
    "method_parameters", "block_parameters", "lambda_parameters", "splat_parameter",
    "hash_splat_parameter", "block_parameter", "destructured_parameter", "left_assignment_list", "exception_variable",
    "rest_assignment", "alias", "undef",
})  # fmt: skip
ASKING = frozenset({"if", "unless", "if_modifier", "unless_modifier", "conditional", "elsif"})
RESCUED = frozenset({"begin", "body_statement"})
DEFINED = re.compile(r"\bdefined\?[\s(]{0,8}([\w:.@$]*)")
WORD = re.compile(r"\w+")
FORESEEN = re.compile(r"rescue\b[^\n]*\b(NoMethodError|NameError|ArgumentError)\b")


def spot(node: Node) -> Spot | None:
    """What a name does where it stands. A symbol may stand for a method: it counts as one that defines it."""
    above = node.parent
    if above is None:
        return None
    if node.type == "simple_symbol":
        return Spot("definition", name=text(node)[1:])
    if node.type == "hash_key_symbol" or _is_name_given(node, above):
        return Spot("key" if node.type == "hash_key_symbol" else "definition")
    around = list(islice(ancestors(node), DEPTH))
    if node.type == "constant":
        return _constant(node, above, around)
    if above.type == "call" and above.child_by_field_name("method") == node:
        return _call(node, above, around)
    return _bare(node, None, around)


def _is_name_given(node: Node, above: Node) -> bool:
    """Whether a definition, a parameter or an assignment gives the name its meaning."""
    if above.type in ("optional_parameter", "keyword_parameter"):
        return above.child_by_field_name("name") == node
    if above.type in BOUND:
        return True
    if above.type in METHODS | HOLDERS and above.child_by_field_name("name") == node:
        return True
    if above.type == "scope_resolution" and above.child_by_field_name("name") == node:
        outer = above.parent
        return outer is not None and outer.type in HOLDERS and outer.child_by_field_name("name") == above
    return above.type in ("assignment", "operator_assignment", "for") and node in (
        above.child_by_field_name("left"),
        above.child_by_field_name("pattern"),
    )


def _constant(node: Node, above: Node, around: list[Node]) -> Spot | None:
    """A class or module by its name; `C.new(1)` carries the arguments of the construction. LIMIT is a member of its class."""
    whole = above if above.type == "scope_resolution" and above.child_by_field_name("name") == node else node
    holder = whole.parent
    is_guarded = _is_guarded(text(node), around, text(whole))
    if text(node).isupper() and len(text(node)) > 1:
        if whole is not node:
            scope = above.child_by_field_name("scope")
            return Spot(
                "member",
                receiver=scope,
                types=(last(text(scope)),) if scope is not None else UNKNOWN,
                is_guarded=is_guarded,
            )
        own = _own(node)
        if own != UNKNOWN:
            return Spot("member", types=own, is_guarded=is_guarded)
    call: Call | None = None
    is_call = holder is not None and holder.type == "call" and holder.child_by_field_name("receiver") == whole
    if is_call and holder is not None and text(holder.child_by_field_name("method")) == "new":
        call = arguments(holder)
    scope = above.child_by_field_name("scope") if whole is not node else None
    return Spot("name", types=(last(text(scope)),) if scope is not None else (), call=call, is_guarded=is_guarded)


@lru_cache(maxsize=MOST_USES)
def _local(scope: Node, name: str) -> bool:
    """Whether a name is given a value in this stretch of code, or is a parameter of a block."""
    binding_pattern = (
        rf"(?<![\w.@:]){re.escape(name)}\s*(?:=(?![=~>])|\|\||,[^()\n]{{0,200}}=(?!=)|[|,][^|\n]{{0,200}}\|)"
    )
    return re.search(rf"{binding_pattern}|\|\s*+{re.escape(name)}\b", words(scope).near(name, LOCAL_BYTES)) is not None


def _call(node: Node, above: Node, around: list[Node]) -> Spot | None:
    receiver = above.child_by_field_name("receiver")
    if receiver is None:
        return _bare(node, above, around)
    outer = above.parent
    is_assigned = (
        outer is not None
        and outer.type in ("assignment", "operator_assignment")
        and outer.child_by_field_name("left") == above
    )
    call = None if is_assigned else arguments(above)
    return Spot(
        "member", receiver=receiver, types=types(receiver), call=call, is_guarded=_is_guarded(text(node), around)
    )


def _bare(node: Node, call: Node | None, around: list[Node]) -> Spot | None:
    """A name without a receiver: a local variable, a method of the class around it, or a function."""
    name = text(node)
    method = next((above for above in around if above.type in METHODS), None)
    scope = method if method is not None else around[-1] if around else node
    if call is None and _local(scope, name):
        return Spot("definition")
    call_arguments = arguments(call) if call is not None else Call()
    own = _own(node)
    is_guarded = _is_guarded(name, around)
    if own != UNKNOWN:
        return Spot("member", types=own, call=call_arguments, is_guarded=is_guarded)
    return Spot("name", call=call_arguments, is_guarded=is_guarded)


def constructions(holder: Node) -> Iterator[Construction]:
    """The calls of constructors in a class that name none: `super(1)`, or `super`, which hands on what it was given; `new(1)`, `self.class.new(1)`."""
    clause = holder.child_by_field_name("superclass")
    base = clause.named_children[0] if clause is not None and clause.named_children else None
    if base is not None and base.type == "scope_resolution":
        base = base.child_by_field_name("name")
    own = holder.child_by_field_name("name")
    if own is not None and own.type == "scope_resolution":
        own = own.child_by_field_name("name")
    methods = list(_methods(holder))
    initializer = next((one for one in methods if text(one.child_by_field_name("name")) == "initialize"), None)
    for word in nodes_of(initializer, "super", HOLDERS | METHODS) if initializer is not None else ():
        call = word.parent
        is_call = call is not None and call.type == "call" and call.child_by_field_name("method") == word
        yield base, word, arguments(call) if is_call and call is not None else Call(spread=True)
    for method in methods:
        for word in nodes_of(method, "identifier", HOLDERS | METHODS):
            if text(word) == "new" and (call_arguments := _of_new(word, method)) is not None:
                yield own, word, call_arguments


def _methods(holder: Node) -> Iterator[Node]:
    """The methods of a class, those of the class itself included."""
    bodies = [holder.child_by_field_name("body")]
    for body in bodies:
        for member in body.named_children if body is not None else ():
            if member.type in METHODS:
                yield member
            elif member.type == "singleton_class" and text(member.child_by_field_name("value")) == "self":
                bodies.append(member.child_by_field_name("body"))


def _of_new(word: Node, method: Node) -> Call | None:
    """The arguments of `new` where it makes an object of the class around it: in a method of the class itself, or behind `self.class`."""
    body = method.parent
    holder = body.parent if body is not None else None
    is_of_class = method.type == "singleton_method" or (holder is not None and holder.type == "singleton_class")
    call = word.parent
    if call is not None and call.type == "call" and call.child_by_field_name("method") == word:
        receiver = call.child_by_field_name("receiver")
        owner_text = text(receiver) if receiver is not None else "self"
        return arguments(call) if owner_text == ("self" if is_of_class else "self.class") else None
    is_value = call is not None and call.type in (
        "body_statement",
        "then",
        "else",
        "parenthesized_statements",
        "argument_list",
    )
    return Call() if is_of_class and is_value else None


def arguments(call: Node) -> Call:
    """The arguments of a call as written: blocks do not count, a hash with other keys than words may be anything."""
    argument_list = call.child_by_field_name("arguments")
    positional, keywords, spread = 0, list[str](), False
    for part in argument_list.named_children if argument_list is not None else ():
        if part.type == "pair":
            key = part.child_by_field_name("key")
            if key is not None and key.type in ("hash_key_symbol", "simple_symbol"):
                keywords.append(text(key).lstrip(":"))
            else:
                spread = True
        elif part.type in ("splat_argument", "hash_splat_argument", "forward_argument"):
            spread = True
        elif part.type not in ("block_argument", "comment", "block"):
            positional += 1
    return Call(positional, tuple(keywords), spread)


def _is_guarded(name: str, around: list[Node], constant: str = "") -> bool:
    """Whether the code around it asks first if it exists, or rescues the error that its absence brings. `constant`: one with its whole path."""
    for above in around:
        if above.type in ASKING and _asks(text(above.child_by_field_name("condition"))[:500], name, constant):
            return True
        if above.type == "binary" and _asks(text(above.child_by_field_name("left"))[:300], name, constant):
            return True
        if above.type == "rescue_modifier" or (above.type in RESCUED and _rescues(above)):
            return True
    return False


def _asks(condition: str, name: str, constant: str) -> bool:
    """Whether a condition is about the existence of a name: `defined?(Rails)` foresees nothing about `Shop::Railtie`."""
    if re.search(
        rf"respond_to\?[ (]*:{re.escape(name)}\b|const_defined\?|method_defined\?|instance_methods", condition
    ):
        return True
    asked_names = [WORD.findall(match[1]) for match in DEFINED.finditer(condition)]
    own_words = set(WORD.findall(constant))
    return any(
        not constant or not "".join(words)[:1].isupper() or not own_words.isdisjoint(words) for words in asked_names
    )


@lru_cache(maxsize=256)
def _rescues(body: Node) -> bool:
    """Whether a body rescues the error that a missing name brings. Its statements are many, and so are the uses in it."""
    clauses = [part for part in body.named_children if part.type == "rescue"]
    return any(FORESEEN.search(text(part)[:200] + "\n") for part in clauses)


def types(receiver: Node) -> tuple[str, ...]:
    """The class that a receiver is known to be, its modules left away."""
    kind, receiver_text = receiver.type, text(receiver)
    if kind in ("constant", "scope_resolution"):
        return (last(receiver_text),)
    if kind == "self":
        return _own(receiver)
    if kind == "call":
        owner = receiver.child_by_field_name("receiver")
        is_construction = text(receiver.child_by_field_name("method")) == "new" and owner is not None
        return (
            (last(text(owner)),)
            if is_construction and owner is not None and owner.type in ("constant", "scope_resolution")
            else UNKNOWN
        )
    if kind == "identifier":
        return _class_of(outermost(receiver, METHODS), receiver_text) or UNKNOWN
    if kind == "instance_variable":
        return _class_of(outermost(receiver, HOLDERS), receiver_text) or UNKNOWN
    return UNKNOWN


def _own(node: Node) -> tuple[str, ...]:
    """The class around a node; inside a block that may run elsewhere, nobody knows."""
    for above in islice(ancestors(node), DEPTH):
        if above.type in HOLDERS:
            return (last(text(above.child_by_field_name("name"))),)
        if above.type in ("block", "do_block") and re.match(
            r"[\w.:]*\b(?:instance_eval|class_eval|instance_exec|class_exec|new|describe|context|it|configure|define\w*)\b",
            text(above.parent)[:200],
        ):
            return UNKNOWN
    return UNKNOWN


@lru_cache(maxsize=MOST_USES)
def _class_of(scope: Node, variable: str) -> tuple[str, ...]:
    """The one class that a variable is given in this stretch of code by `= Class.new`."""
    code = words(scope).near(variable.lstrip("@"))
    variable = re.escape(variable)
    class_names: set[str] = set()
    for value in re.findall(rf"(?<![\w@.]){variable}\s*+(?:\|\|)?=(?![=~>])\s*+([^\n]*+)", code):
        construction = re.match(r"((?:[A-Z]\w*::)*[A-Z]\w*)\.new\b(?!\([^()\n]*\)\.)", value)
        class_names.add(last(construction[1]) if construction else "?")
    class_names.update("?" for _ in re.finditer(rf"[|,(]\s*[*&]{{0,2}}{variable}\s*[|,):=]", code) if not class_names)
    return (class_names.pop(),) if len(class_names) == 1 and "?" not in class_names else ()


def _scope_name(node: Node) -> str:
    return last(text(node.child_by_field_name("name")))


READING = SpotGrammar(
    identifiers=frozenset({"identifier", "constant", "simple_symbol", "hash_key_symbol"}),
    scopes=HOLDERS | METHODS,
    scope_name=_scope_name,
    spot=spot,
)
