"""What every grammar has in common: parse once, find identifiers, say what each one does where it stands.

Trees are parsed from bytes, so positions are bytes; a file with errors still gives a tree, only a poorer one.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Literal

from tree_sitter import Language as Grammar
from tree_sitter import Node

from bot.languages.grammars import is_installed
from bot.languages.unreadable import TOO_DEEP, Unreadable, check_nesting
from bot.text.filetypes import FileType
from bot.values import Call, SomeUses, Use
from impact import nodes, spots
from impact.arguments import arguments as passed_by
from impact.language import CallRules
from impact.parsing import grammar, root_of
from impact.values import Arguments

Form = Literal["name", "member", "import", "definition", "key"]
MAX_TEXT = 200  # of a receiver as written: longer ones are whole expressions, which name nothing
SAMPLED = 64  # one name in so many tells how deep the tree is
DEEPEST = 300  # levels of a syntax tree
MOST_USES = 2_000  # of one file
DEPTH = 200  # levels that are climbed: deeper code is generated, or an attack
UNKNOWN = ("?",)  # the class of a receiver that nothing in sight tells
# As in `impact`, for the languages that are still told by walks.
text, first_line, last_line, any_of = nodes.text, nodes.first_line, nodes.last_line, spots.any_of
CLIMB = 6  # levels from an identifier up to the statement that holds it
NESTED = 40  # the same to an import statement: groups of names may hold groups


def own_name(node: Node) -> str:
    """What a definition is called."""
    return text(node.child_by_field_name("name"))


@dataclass(frozen=True, slots=True)
class Shape:
    """Which nodes of a grammar mean what."""

    identifiers: frozenset[str]
    members: Mapping[str, tuple[str, str]]  # node -> (field of the object, field of the name)
    calls: Mapping[str, tuple[str, str]]  # node -> (field of what is called, field of the arguments)
    imports: frozenset[str]
    scopes: frozenset[str]  # definitions that can enclose a use
    arguments: Callable[[Node], Call]
    form: Callable[[Node], Form]  # of an identifier that is neither imported nor a member
    is_guarded: Callable[[Node, list[Node]], bool] = lambda _, __: False  # whether the code around foresees a failure
    types: Callable[[Node], tuple[str, ...]] = lambda _: ()  # classes that a receiver is known to be
    scope_name: Callable[[Node], str] = own_name
    own: Callable[[Node], tuple[str, ...]] = lambda _: ()  # the class whose member a name without a receiver is
    wraps: frozenset[str] = frozenset()  # what may stand around a name without changing what it does: `get<T>`


def grammar_of(file_type: FileType) -> Grammar | None:
    """The grammar of a type of file, if it is installed; it is loaded when the first file asks for it."""
    return grammar(*file_type.grammar) if file_type.grammar and is_installed(file_type) else None


def parse(file_type: FileType, source: bytes) -> Node:
    """The root of a file's syntax tree. Raises Unreadable for code that takes its parser more than its share of time."""
    language = grammar_of(file_type)
    root = root_of(language, source) if language is not None else None
    if root is None:
        raise Unreadable("its code takes a parser too long")
    return root


def shallow_root(file_type: FileType, source: bytes) -> Node:
    """The root of a file's syntax tree. Raises Unreadable for brackets that nest more deeply than people write them, too."""
    check_nesting(source)
    return parse(file_type, source)


def nodes_outside(types: Collection[str], node: Node) -> Iterator[Node]:
    """Yield a node and the named ones in it, without what nodes of these types hold."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if part.type not in types:
            stack += reversed(part.named_children)


def ancestors(node: Node) -> Iterator[Node]:
    """The nodes around a node, innermost first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def head(node: Node, *, end: int = -1, after: Collection[str] = (), trailing: str = "") -> str:
    """How a definition is written, on one line: up to a byte or to its body, behind its parts of the types in `after`."""
    body = node.child_by_field_name("body")
    if end < 0:
        end = body.start_byte if body is not None else node.end_byte
    start = max((part.end_byte for part in node.named_children if part.type in after), default=node.start_byte)
    code = (node.text or b"")[start - node.start_byte : max(end - node.start_byte, 0)]
    return " ".join(code.decode("utf-8", "replace").split()).rstrip(trailing)


def places(root: Node, source: bytes, names: Collection[str]) -> Iterator[tuple[re.Match[bytes], Node]]:
    """Each place of one of the names with the node that it is in, while the tree is as flat as what people write.

    A step down costs the depth of the tree, and a tree that a program wrote may be as deep as its file is long: Unreadable.
    """
    for count, match in enumerate(any_of(frozenset(names)).finditer(source)):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is None:
            continue
        if count % SAMPLED == SAMPLED - 1 and len(list(islice(ancestors(node), DEEPEST))) == DEEPEST:
            raise Unreadable(TOO_DEEP)
        yield match, node


def arguments(rules: CallRules, argument_list: Node | None) -> Call:
    """The arguments of a call; what nobody can count counts as spread."""
    passed = passed_by(rules, argument_list) if argument_list is not None else Arguments()
    return Call(passed.positional, passed.keywords, passed.spread) if passed is not None else Call(spread=True)


def uses(root: Node, source: bytes, names: Collection[str], shape: Shape) -> tuple[Use, ...]:
    """The identifiers that are spelt like one of the names, in the order of the file."""
    uses_found: list[Use] = []
    for match, node in places(root, source, names):
        whole = (node.start_byte, node.end_byte) == match.span()
        if whole and node.type in shape.identifiers:
            around = list(islice(ancestors(node), DEEPEST))
            if len(around) == DEEPEST or len(uses_found) == MOST_USES:  # the way up costs the square of the depth
                return SomeUses(uses_found)
            uses_found.append(_use(node, around, shape))
    return tuple(uses_found)


def _use(node: Node, around: list[Node], shape: Shape) -> Use:
    form, receiver, callee = _place(node, around, shape)
    call = _call(callee, shape)
    scopes = [above for above in around if above.type in shape.scopes and shape.scope_name(above)]
    if form == "definition" and scopes and shape.scope_name(scopes[0]) == text(node):
        scopes = scopes[1:]  # what a definition is called is bound around it, its parameters within
    types: tuple[str, ...] = ()
    if receiver is not None and form in ("member", "definition"):
        types = shape.types(receiver)
    elif form == "member":
        types = shape.own(node)
    use = use_at(node, form, receiver, scopes, shape.scope_name)
    is_guarded, is_receiver = shape.is_guarded(node, around), bool(around) and _is_receiver(node, around[0], shape)
    return replace(
        use,
        types=types,
        call=call,
        is_guarded=is_guarded,
        is_receiver=is_receiver,
    )


def use_at(
    node: Node, form: Form, receiver: Node | None, scopes: Sequence[Node], scope_name: Callable[[Node], str]
) -> Use:
    """The use of the name that a node is, in the definitions around it, innermost first."""
    return Use(
        name=text(node),
        line=first_line(node),
        form=form,
        receiver=" ".join(text(receiver).split())[:MAX_TEXT],
        function=".".join(scope_name(scope) for scope in reversed(scopes)) or "<module>",
        span=(first_line(scopes[0]), last_line(scopes[0])) if scopes else None,
        at=node.start_byte,
    )


def _place(node: Node, around: list[Node], shape: Shape) -> tuple[Form, Node | None, Node]:
    """The form of an identifier, its receiver where it is a member, and the node that a call would call."""
    if any(above.type in shape.imports for above in around[:NESTED]):
        return "import", None, node
    first = next((i for i, above in enumerate(around) if above.type not in shape.wraps), len(around))
    if first and all(_wrapped_name(outer) == inner for inner, outer in pairwise((node, *around[:first]))):
        form, receiver, callee = _place(around[first - 1], around[first:], shape)
        return ("name" if form == "definition" else form), receiver, callee  # a specialisation needs its template
    above = around[0] if around else None
    if above is not None and above.type in shape.members:
        owner, name = shape.members[above.type]
        if above.child_by_field_name(name) == node:
            form = shape.form(above)
            return (form if form in ("definition", "import") else "member"), above.child_by_field_name(owner), above
    return shape.form(node), None, node


def _is_receiver(node: Node, above: Node, shape: Shape) -> bool:
    """Whether a member of what a name means is meant."""
    return above.type in shape.members and above.child_by_field_name(shape.members[above.type][0]) == node


def _wrapped_name(wrap: Node) -> Node | None:
    """The name that a wrapping stands around; its arguments are no such name."""
    return wrap.child_by_field_name("name") or (wrap.named_children[0] if wrap.named_children else None)


def _call(callee: Node, shape: Shape) -> Call | None:
    above = callee.parent
    if above is None or above.type not in shape.calls:
        return None
    function, arguments = shape.calls[above.type]
    argument_list = above.child_by_field_name(arguments)
    if above.child_by_field_name(function) != callee:
        return None
    return shape.arguments(argument_list) if argument_list is not None else Call()
