"""What a function hands back, as its syntax shows: nothing, a value, what kind of one, what it yields, and whether it runs off its end.

For languages whose definitions need not tell it. What the functions inside one return is told apart: a callback's result often is
what its function comes to, and as often it is not.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from bot.languages.syntax import nodes_outside, text
from bot.ports import LanguageTraits
from bot.values import (
    ARRAY,
    AT_ONCE,
    BYTES,
    END,
    KIND,
    LIST,
    MAPPING,
    NOTHING,
    NUMBER,
    PERHAPS,
    PROMISE,
    SET,
    STREAM,
    SYMBOL,
    TABLE,
    TEXT,
    THERE,
    TRUTH,
    VALUE,
    Results,
)

FUNCTIONS = frozenset({
    "function_definition", "function_declaration", "function_expression", "generator_function", "generator_function_declaration",
    "arrow_function", "lambda", "method_definition", "method_declaration", "anonymous_function", "method", "singleton_method",
})  # fmt: skip
CLASSES = frozenset({
    "class_definition", "class_declaration", "class", "interface_declaration", "trait_declaration", "enum_declaration",
    "anonymous_class", "module", "singleton_class",
})  # fmt: skip
BLOCKS = frozenset({
    "block", "statement_block", "compound_statement", "colon_block", "else_clause", "else_statement", "finally_clause",
    "labeled_statement",
})  # fmt: skip
LEAVES = frozenset({
    "return_statement", "raise_statement", "throw_statement", "break_statement", "continue_statement", "exit_statement",
    "goto_statement",
})  # fmt: skip
LOOPS = frozenset({
    "while_statement", "for_statement", "for_in_statement", "foreach_statement", "do_statement", "repeat_statement",
})  # fmt: skip
ELSE = frozenset({"else_clause", "else_statement"})
CASES = frozenset({"switch_case", "switch_default", "case_statement", "default_statement"})
NULLS = frozenset({"none", "null", "undefined", "nil"})
WRAPS = frozenset({"parenthesized_expression", "await_expression", "await"})
TUPLES = frozenset({"tuple", "expression_list", "argument_list"})
SPREADS = frozenset({"list_splat", "splat_argument", "spread_element"})
OPERATORS = frozenset({"boolean_operator", "binary_expression", "binary"})
REACHING = frozenset({
    "attribute", "call", "subscript", "member_expression", "call_expression", "subscript_expression", "dot_index_expression",
    "bracket_index_expression", "method_index_expression", "function_call",
})  # fmt: skip
SETS = frozenset({"assignment", "assignment_expression", "variable_declarator"})
BINDS = frozenset({
    "augmented_assignment", "augmented_assignment_expression", "for_statement", "for_in_statement", "named_expression",
    "default_parameter", "typed_default_parameter",
})  # fmt: skip
VARIABLES = frozenset({"identifier", "variable_name"})
BASES = VARIABLES | {"this", "self"}  # what a chain of members begins with
YIELDED = frozenset({"yield", "yield_expression"})
LITERALS: Mapping[str, str] = {
    "list": LIST, "list_comprehension": LIST, "array": LIST, "set": SET, "set_comprehension": SET,
    "dictionary": MAPPING, "dictionary_comprehension": MAPPING, "object": MAPPING, "hash": MAPPING,
    "array_creation_expression": ARRAY, "table_constructor": TABLE, "simple_symbol": SYMBOL,
    "string": TEXT, "concatenated_string": TEXT, "template_string": TEXT, "encapsed_string": TEXT,
    "integer": NUMBER, "float": NUMBER, "number": NUMBER, "true": TRUTH, "false": TRUTH, "boolean": TRUTH,
    "generator_expression": STREAM, "subscript": THERE, "comparison_operator": TRUTH, "not_operator": TRUTH,
}  # fmt: skip
# What no promise is: arithmetic, a member unless its name says otherwise, an element of a page.
PLAIN = frozenset({
    "unary_expression", "update_expression", "augmented_assignment_expression", "member_expression", "subscript_expression",
    "jsx_element", "jsx_self_closing_element", "regex",
})  # fmt: skip
DEFERRED = re.compile(r"promise\W{0,3}\Z|\A\w{1,100}\s*+(?:\?\?|\|\|)=", re.IGNORECASE)
OF_BYTES = re.compile(r"[rR]?[bB]")
CALLS = frozenset({"call", "call_expression", "function_call", "function_call_expression", "member_call_expression", "scoped_call_expression"})  # fmt: skip
ARGUMENTS = frozenset({"arguments", "argument_list", "generator_expression"})
NAMED = frozenset({"keyword_argument", "pair"})  # arguments by their name
MAKERS = frozenset({"new_expression", "object_creation_expression"})
PARAMETER = re.compile(r"[:=].*", re.DOTALL)  # behind its name
MADE_OF = f"{KIND}new "
CALLED = "="  # how the form of a call begins, until its language tells what it comes to
MADE = re.compile(r"=(?:new )?([\w.:\\]++)\([^()]*\)$")
STOPS = {
    "expression_statement": re.compile(
        r"(?:throw\b|(?:(?:sys|os|process)\.)?_?(?:exit|quit|abort|die|assert_never)\b(?!\s*+[=.\[]))"
    ),
    "function_call": re.compile(r"(?:error|os\.exit)\b"),  # of Lua
    "assert_statement": re.compile(r"assert\s++(?:False|0)\b"),
}
ALWAYS = re.compile(r"\(?\s*+(?:True|true|1)\s*+\)?$")
LONGEST = 200  # characters of what a condition asks for
SPINE = ("function", "object", "value", "table", "name", "receiver")  # what stands before the last step of a chain
LISTED = 4  # arguments of a call
DEPTH = 60  # steps of a chain


def results(root: Node, begin: int, end: int, traits: LanguageTraits) -> Results:
    """What the functions between two bytes hand back; those of the methods of a class are their own."""
    all_results = Results()
    stack = [root.descendant_for_byte_range(begin, max(begin, end - 1)) or root]
    while stack:
        node = stack.pop()
        if node.end_byte <= begin or node.start_byte >= end:
            continue
        if node.start_byte >= begin and node.type in FUNCTIONS:
            own = (traits.results or _of_function)(node)
            all_results = all_results.with_others(_awaited(own, traits) if _is_async(node) else own)
        elif node.start_byte < begin or node.type not in CLASSES:
            stack += node.named_children
    returns = frozenset(_come_to(form, traits) for form in all_results.returns)
    if PROMISE not in traits.call_results.values():
        returns = frozenset(VALUE if form == AT_ONCE else form for form in returns)
    if sum(form.startswith(MADE_OF) for form in returns) > 1:  # who gets one of several classes relies on none
        returns = frozenset(VALUE if form.startswith(MADE_OF) else form for form in returns)
    return replace(
        all_results,
        returns=returns,
        yields=frozenset(_plain(_come_to(form, traits)) for form in all_results.yields),
    )


def _is_async(function: Node) -> bool:
    return any(part.type == "async" for part in function.children)


def _awaited(own: Results, traits: LanguageTraits) -> Results:
    """What a function hands back whose result is a promise whatever it returns: who uses it gets what the promise comes to."""
    return replace(own, returns=frozenset(VALUE if _come_to(form, traits) == PROMISE else form for form in own.returns))


def _come_to(form: str, traits: LanguageTraits) -> str:
    """The form of what a call comes to, as far as its language tells; any other as it is."""
    if not form.startswith(CALLED):
        return form
    known_forms = (result for pattern, result in traits.call_results.items() if re.search(pattern, form))
    return next(known_forms, _made(form))


def _made(form: str) -> str:
    """The class of which a call makes an object, as a form: by its name alone, or by `new`."""
    made = MADE.match(form)
    name = re.split(r"[.:\\]", made[1].removesuffix(".new"))[-1] if made else ""
    return f"{MADE_OF}{name}" if name[:1].isupper() and not name.isupper() else VALUE


def _plain(form: str) -> str:
    """The form without what kind of value it is."""
    return VALUE if form in (THERE, PERHAPS) or form.startswith((KIND, CALLED)) else form


def _of_function(node: Node) -> Results:
    body = node.child_by_field_name("body")
    if body is None:
        return Results()
    if body.type not in BLOCKS:
        return Results(frozenset(values(body)), chains=_chains([body], {}, ()))
    own = list(own_nodes(body))
    yields = [part for part in own if part.type in YIELDED]
    single_values = _given(own)
    return_values = [value_of(part) for part in own if part.type == "return_statement"]
    returns = {form for value in return_values for form in _forms_of(_told(value, single_values))}
    inner = frozenset(form for part in own if part.type in FUNCTIONS for form in _inner(part))
    if yields:
        yield_forms = frozenset(form for part in yields for form in _yielded(part))
        return Results(frozenset(returns - {NOTHING}), yield_forms, inner)
    chains = _chains(return_values, single_values, own)
    return Results(frozenset(returns | ({END} if _falls(body) else set())), inner=inner, chains=chains)


def _chains(
    return_values: Iterable[Node | None], single_values: Mapping[str, Node], nodes: Iterable[Node]
) -> frozenset[str]:
    """The chains of members and calls that are returned, each from the value of the variable with which it begins."""
    set_names = {_name_set(node) for node in nodes if node.type in SETS or node.type in BINDS} - {*single_values}
    chains: set[str] = set()
    for value in return_values:
        node = _unwrapped(value)
        base = list(_spine(node))[-1] if node is not None else None
        name = text(base)[:LONGEST]
        if node is None or base is None or base.type not in BASES or name in set_names:
            continue
        head = _unwrapped(single_values.get(name))
        chains.add((_call(head) if head is not None else name) + _call(node)[len(name) :])
    return frozenset(chains)


def _unwrapped(node: Node | None) -> Node | None:
    while node is not None and node.type in WRAPS and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def _name_set(node: Node) -> str:
    return text(node.child_by_field_name("left") or node.child_by_field_name("name"))[:LONGEST]


def _forms_of(value: Node | None) -> set[str]:
    """The forms of what is returned; a function has its parameters, and what it does with a result, for one."""
    if value is None or value.type not in FUNCTIONS:
        return values(value)
    has = _of_function(value)
    forms = sorted({NOTHING if form == END else _plain(form) for form in has.returns})
    parameters = value.child_by_field_name("parameters") or value.child_by_field_name("parameter")
    listed = parameters.named_children if parameters is not None and parameters.named_child_count else [parameters]
    names = [
        PARAMETER.sub("", text(part)[:LONGEST]).rstrip()
        for part in listed
        if part is not None and part.type != "comment"
    ]
    return {f"{KIND}function ({', '.join(names)}) {forms} {_is_async(value)} {bool(has.yields)}"}


def own_nodes(node: Node) -> Iterator[Node]:
    """Yield the nodes of a function, with the functions inside it and without what these hold."""
    return nodes_outside(FUNCTIONS, node)


def _given(nodes: Iterable[Node]) -> dict[str, Node]:
    """The variables of a function that one statement sets, each with its value."""
    single_values: dict[str, Node | None] = {}
    sums: dict[str, Node] = {}  # what is added to it is no promise
    for node in nodes:
        if node.type in SETS or node.type in BINDS:
            name = _name_set(node)
            value = node.child_by_field_name("right") or node.child_by_field_name("value")
            single_values[name] = value if node.type in SETS and name not in single_values else None
            if node.type == "augmented_assignment_expression" and not DEFERRED.search(text(node)[:LONGEST]):
                sums[name] = node
        elif node.type in FUNCTIONS and (name := text(node.child_by_field_name("name"))[:LONGEST]):
            single_values[name] = node if name not in single_values else None
    return {name: value for name, value in single_values.items() if value is not None} | sums


def _told(value: Node | None, single_values: Mapping[str, Node]) -> Node | None:
    """What is returned: of a variable that is set once, what it is set to."""
    return single_values.get(text(value)[:LONGEST], value) if value is not None and value.type in VARIABLES else value


def _inner(node: Node) -> Iterator[str]:
    """What the statements of a function inside another one return, however deep; what runs off an end there is not told."""
    stack = list(node.named_children)
    while stack:
        part = stack.pop()
        if part.type == "return_statement":
            value = value_of(part)
            forms = values(value)
            yield _plain(forms.pop()) if len(forms) == 1 else VALUE
        stack += part.named_children


def value_of(statement: Node) -> Node | None:
    """What a statement that returns hands back."""
    parts = [part for part in statement.named_children if part.type != "comment"]
    return parts[0] if parts else None


def _yielded(node: Node) -> set[str]:
    """What is yielded; what is handed on from another stream may be anything."""
    if any(part.type in ("from", "*", "yield from") for part in node.children):
        return {STREAM}
    parts = [part for part in node.named_children if part.type != "comment"]
    if parts and parts[0].type == "array_element_initializer" and parts[0].named_child_count > 1:
        return {"2 parts"}
    return {STREAM if form == STREAM else _plain(form) for form in values(parts[0] if parts else None)}


def values(node: Node | None) -> set[str]:  # noqa: PLR0911 - one line for each form
    """The forms of the value that an expression may have."""
    if node is None or node.type in NULLS:
        return {NOTHING}
    kind = node.type
    if kind in TUPLES:
        return _of_tuple(node)
    if kind in WRAPS and node.named_child_count == 1:
        return values(node.named_children[0])
    if kind == "sequence_expression":
        return values(node.named_children[-1])
    if kind == "unary_expression" and node.children[0].type == "void":
        return {NOTHING}
    if kind in ("conditional_expression", "ternary_expression", "conditional"):
        return _of_conditional(node)
    if kind in OPERATORS:
        return _of_operator(node)
    if kind == "match_expression":
        return _of_match(node)
    return {VALUE, NOTHING} if any(_is_optional(part) for part in _spine(node)) else _of_plain(node)


def _of_plain(node: Node) -> set[str]:
    """The form of a literal or a call."""
    kind = node.type
    if kind in CALLS | MAKERS:
        return {CALLED + _call(node)}
    if kind == "element_reference":  # `Set[1, 2]` makes one
        return {VALUE if node.named_children[0].type == "constant" else f"{CALLED}[_]"}
    if kind == "list_comprehension":
        return {LIST + _of_each(values(node.child_by_field_name("body")))}
    if kind == "hash":
        return {MAPPING + _by_keys(node)}
    form = LITERALS.get(kind, AT_ONCE if kind in PLAIN and not DEFERRED.search(text(node)) else VALUE)
    return {BYTES if form == TEXT and OF_BYTES.match(text(node)[:2]) else form}


def _call(node: Node) -> str:
    """A chain of calls in one line, each argument a word: `rows.values().map(=>)`, `next(_, None)`, `Order.get(_=_)`."""
    pieces: list[str] = []
    at = node.start_byte
    for step in reversed(list(_spine(node))):
        arguments = next((part for part in step.named_children if part.type in ARGUMENTS), None)
        for part in (arguments, step.child_by_field_name("block")):
            if part is not None and part.start_byte >= at:
                pieces += [_between(node, at, part.start_byte), _arguments(part) if part == arguments else "{_}"]
                at = part.end_byte
    return "".join([*pieces, _between(node, at, node.end_byte)])


def _arguments(node: Node) -> str:
    parts = [node] if node.type == "generator_expression" else node.named_children
    return f"({', '.join(_argument(part) for part in parts[:LISTED] if part.type != 'comment')})"


def _argument(node: Node) -> str:
    value = node.named_children[-1] if node.type == "argument" and node.named_child_count else node  # of PHP
    if node.type in NAMED or node.child_by_field_name("name") == value:
        return "_=_"
    if LITERALS.get(value.type) == MAPPING:
        return "{}"  # what a database is asked for
    return "=>" if value.type in FUNCTIONS else "None" if value.type in NULLS else "_"


def _of_each(forms: set[str]) -> str:
    """What is known of the elements of a list: how many parts each has, or its kind."""
    form = forms.pop() if len(forms) == 1 else VALUE
    return f" of {form}" if form.endswith(" parts") or form.startswith(KIND) else ""


def _by_keys(node: Node) -> str:
    """What the keys of a hash of Ruby are, where all are symbols or all are texts."""
    kinds = {_key_kind(part) for part in node.named_children if part.type != "comment"}
    return f" by {kinds.pop()}" if kinds in ({TEXT}, {SYMBOL}) else ""


def _key_kind(pair: Node) -> str:
    key = pair.child_by_field_name("key")
    if key is None or key.type not in ("string", "simple_symbol", "hash_key_symbol"):
        return VALUE
    return TEXT if key.type == "string" and any(part.type == "=>" for part in pair.children) else SYMBOL


def _between(node: Node, begin: int, end: int) -> str:
    return (
        re.sub(
            r"\s++",
            " ",
            text(node).encode()[begin - node.start_byte : end - node.start_byte].decode("utf-8", "replace")[:LONGEST],
        ).strip()
        if end > begin
        else ""
    )


def _of_tuple(node: Node) -> set[str]:
    parts = [part for part in node.named_children if part.type != "comment"]
    if any(part.type in SPREADS for part in parts):
        return {VALUE}
    is_one = len(parts) == 1 and not any(part.type == "," for part in node.children)
    return values(parts[0]) if is_one else {f"{len(parts)} parts"} if parts else {VALUE}


def _of_conditional(node: Node) -> set[str]:
    parts = [part for part in node.named_children if part.type != "comment"]
    other = node.child_by_field_name("alternative")
    if other is None:  # of Python, whose grammar names no parts: `x if y else z`
        return values(parts[0]) | values(parts[-1])
    one = node.child_by_field_name("consequence") or node.child_by_field_name("body")
    return (values(one) if one is not None else {VALUE}) | values(other)


def _of_operator(node: Node) -> set[str]:
    """`x or None` may be nothing, and so may `x and x.total`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = next((part.type for part in node.children if not part.is_named), "")
    if left is None or right is None:
        return {VALUE}
    if sign in ("or", "||", "??"):
        return (values(left) - {NOTHING} or {VALUE}) | values(right)
    if sign not in ("and", "&&"):
        return {AT_ONCE}
    return values(right) | ({NOTHING} if _reaches_into(left, right) else {VALUE})


def _of_match(node: Node) -> set[str]:
    body = node.child_by_field_name("body")
    arms = body.named_children if body is not None else []
    results = (arm.child_by_field_name("return_expression") for arm in arms)
    return {form for result in results if result is not None for form in values(result)} or {VALUE}


def _reaches_into(left: Node, right: Node) -> bool:
    """Whether what follows `and` asks for a part of what stands before it, whose absence then is the result. PHP makes true or false of it."""
    if left.type in OPERATORS and left.child_by_field_name("right") is not None:
        left = left.child_by_field_name("right") or left
    condition = text(left)[:LONGEST]
    return right.type in REACHING and any(text(part)[:LONGEST] == condition for part in list(_spine(right))[1:])


def _spine(node: Node) -> Iterator[Node]:
    """A chain of members and calls, from its last step to what it begins with."""
    step: Node | None = node
    for _ in range(DEPTH):
        if step is None:
            return
        yield step
        fields = (step.child_by_field_name(name) for name in SPINE)
        step = next((part for part in fields if part is not None), None)


def _is_optional(node: Node) -> bool:
    """Whether a step of a chain is left out where there is nothing: `?.`, `?->`, `&.`."""
    return node.type.startswith("nullsafe_") or any(part.type in ("optional_chain", "&.") for part in node.children)


def _falls(node: Node | None) -> bool:
    """Whether a statement lets what follows it run: whether its function may end there without a result."""
    if node is None:
        return True
    if node.type in LEAVES or (node.type in STOPS and STOPS[node.type].match(text(node)[:LONGEST])):
        return False
    decides = DECIDES.get("block" if node.type in BLOCKS else "loop" if node.type in LOOPS else node.type)
    return decides is None or decides(node)


def _block_falls(node: Node) -> bool:
    return all(map(_falls, node.named_children))


def _with_falls(node: Node) -> bool:
    return _suppresses(node) or _falls(node.child_by_field_name("body"))


def _if_falls(node: Node) -> bool:
    others = node.children_by_field_name("alternative")
    if not any(part.type in ELSE for part in others):
        return True
    return _falls(_branch(node)) or any(_falls(part if part.type in ELSE else _branch(part)) for part in others)


def _branch(node: Node) -> Node | None:
    return node.child_by_field_name("consequence") or node.child_by_field_name("body")


def _loop_falls(node: Node) -> bool:
    body, condition = node.child_by_field_name("body"), node.child_by_field_name("condition")
    has_break = _has_break(body)
    if node.type == "do_statement" and condition is None:  # of Lua: a block
        return _falls(body)
    if ALWAYS.match(text(condition)[:LONGEST]) or _is_endless_for(node):
        return has_break
    if node.type in ("do_statement", "repeat_statement"):
        return has_break or _falls(body)
    other = next((part for part in node.children_by_field_name("alternative") if part.type in ELSE), None)
    return has_break or other is None or _falls(other)


def _is_endless_for(node: Node) -> bool:
    if node.type != "for_statement" or node.child_by_field_name("left") or node.child_by_field_name("clause"):
        return False
    condition = node.child_by_field_name("condition")
    return condition is None or condition.type == "empty_statement"


def _has_break(body: Node | None) -> bool:
    """Whether a statement leaves the loop, or a loop around it by its label."""
    stack = [(body, False)] if body is not None else []
    while stack:
        node, is_inner = stack.pop()
        if node.type == "break_statement" and not (is_inner and not node.named_children):
            return True
        inner = is_inner or node.type in LOOPS or node.type == "switch_statement"
        stack += [(part, inner) for part in node.named_children if part.type not in FUNCTIONS | CLASSES]
    return False


def _try_falls(node: Node) -> bool:
    parts = {part.type: part for part in node.named_children}
    finish = parts.get("finally_clause")
    if finish is not None and not _falls(finish):
        return False
    handlers = [part for part in node.named_children if part.type.startswith(("except", "catch"))]
    own = _falls(node.child_by_field_name("body")) and _falls(parts.get("else_clause"))
    return own or any(_falls(_block_of(part)) for part in handlers)


def _block_of(clause: Node) -> Node | None:
    return next((part for part in reversed(clause.named_children) if part.type in BLOCKS), None)


def _suppresses(node: Node) -> bool:
    """Whether errors inside a `with` end it without one: `contextlib.suppress`."""
    clauses = [part for part in node.named_children if part.type == "with_clause"]
    return any(re.search(r"\bsuppress\(", text(clause)[:LONGEST]) for clause in clauses)


def _match_falls(node: Node) -> bool:
    body = node.child_by_field_name("body")
    clauses = [part for part in body.named_children if part.type == "case_clause"] if body is not None else []
    if not any(map(_takes_all, clauses)):
        return True
    return any(_falls(clause.child_by_field_name("consequence")) for clause in clauses)


def _takes_all(clause: Node) -> bool:
    """Whether a case takes whatever comes: `case _:`, `case other:`."""
    patterns = [part for part in clause.named_children if part.type == "case_pattern"]
    is_guarded = clause.child_by_field_name("guard") is not None
    return not is_guarded and len(patterns) == 1 and text(patterns[0]).isidentifier()


def _switch_falls(node: Node) -> bool:
    """One without a default, or that a `break` leaves, or whose last case lets it end."""
    body = node.child_by_field_name("body") or node.named_children[-1]
    cases = [part for part in body.named_children if part.type in CASES]
    if not any("default" in case.type for case in cases) or any(map(_has_break, cases)):
        return True
    return all(map(_falls, _statements(cases[-1])))


def _statements(case: Node) -> list[Node]:
    value = case.child_by_field_name("value")
    return [part for part in case.named_children if part != value]


DECIDES: Mapping[str, Callable[[Node], bool]] = {
    "block": _block_falls, "if_statement": _if_falls, "loop": _loop_falls, "try_statement": _try_falls, "with_statement": _with_falls,
    "match_statement": _match_falls, "switch_statement": _switch_falls,
}  # fmt: skip
