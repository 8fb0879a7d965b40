"""Names that a module gets without a definition: by `exec`, through its globals, by its own `__getattr__`.

What can be read defines the names that are written in it and no others. What cannot be read may define any name, and then nothing can
be said to be missing from the module. Code that runs in a namespace of its own defines nothing here.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.languages.syntax import ancestors, first_line, text

HINT = re.compile(
    rb"\bexec_?\b|\bglobals\s*\(|\bsys\s*\.\s*modules|\bvars\s*\(\s*\)|\blocals\s*\(\s*\)|\b__getattr__\b"
)
EXEC = frozenset({"exec", "builtins.exec", "__builtins__.exec", "six.exec_", "exec_"})
COMPILE = frozenset({"compile", "builtins.compile"})
OWN = frozenset({"globals()", "None"})  # namespaces that are the module's own
NAMESPACES = frozenset({"globals()", "vars()", "locals()"})
READS = frozenset({"get", "keys", "values", "items", "copy", "pop", "__contains__", "__getitem__"})
MODULE = re.compile(r"sys\s*\.\s*modules\s*\[\s*__name__\s*\]$")
OTHERS = re.compile(r"globals\(|vars\(\)|locals\(\)|sys\s*\.\s*modules|__dict__|__globals__")
PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "dotted_name"})  # around a name that is bound
BINDINGS = {"assignment": "left", "aliased_import": "alias", "import_from_statement": "", "named_expression": "name"}
ANY = "any"  # name may be defined
LOOKED_UP = re.compile(r"\s*\[[^\[\]\n]{0,200}\](?!\s*(?:[-+*/|&@%]|//|\*\*)?=(?!=))")
LONG = 40  # characters of a call in a sentence


@dataclass(slots=True)
class Dynamic:
    """What the walk has met."""

    outline: Callable[[bytes], tuple[frozenset[str], str]]  # what a text defines, and what in it may define any name
    names: set[str] = field(default_factory=set)
    doubt: str = ""  # what may define any name, and where; "" if nothing does

    def unreadable(self, node: Node) -> None:
        """Something whose names are written nowhere."""
        code = " ".join(text(node).split())
        code = code if len(code) <= LONG else f"{code[:LONG]}..."
        self.doubt = self.doubt or f"`{code}` in line {first_line(node)}"

    def take(self, name: str | None, node: Node) -> None:
        """A name that is given a value, None if it is computed."""
        if name is None:
            self.unreadable(node)
        else:
            self.names.add(name)


def dynamic(root: Node, source: bytes, outline: Callable[[bytes], tuple[frozenset[str], str]]) -> Dynamic:
    """The names that a module gets so, and what may give it any."""
    dynamic_names = Dynamic(outline)
    for node in _every(root) if HINT.search(source) else ():
        if node.type == "call":
            _call(node, dynamic_names)
        elif node.type == "subscript" and MODULE.match(text(node)):
            _module(node, dynamic_names)
        elif node.type == "function_definition" and _literal_name(node) == "__getattr__" and not _inside(node):
            _on_demand(node, dynamic_names)
        elif node.type == "identifier" and text(node) == "__getattr__" and _is_bound(node) and not _inside(node):
            dynamic_names.unreadable(node.parent or node)  # to what another place makes
    return dynamic_names


def _literal_name(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def _every(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        node = left.pop()
        yield node
        left += reversed(node.named_children)


def _is_bound(node: Node) -> bool:
    """Whether a name gets its value here without a `def`: from an assignment, alone or among others, or an import."""
    above = node.parent
    while above is not None and above.type in PATTERNS:
        node, above = above, above.parent
    if above is None or above.type not in BINDINGS:
        return False
    target = above.child_by_field_name(BINDINGS[above.type])
    return target == node or (
        above.type == "import_from_statement" and above.child_by_field_name("module_name") != node
    )


def _inside(node: Node) -> bool:
    """Whether it stands in a function or a class, whose names are not the module's."""
    return any(above.type in ("function_definition", "class_definition", "lambda") for above in ancestors(node))


def _call(node: Node, dynamic_names: Dynamic) -> None:
    function = text(node.child_by_field_name("function"))
    argument_list = node.child_by_field_name("arguments")
    arguments = (
        [part for part in argument_list.named_children if part.type != "comment"] if argument_list is not None else []
    )
    if function in EXEC and arguments:
        _exec(node, arguments, dynamic_names)
    elif function == "setattr" and arguments and MODULE.match(text(arguments[0])):
        dynamic_names.take(_literal(arguments[1]) if len(arguments) > 1 else None, node)
    elif "".join(text(node).split()) in NAMESPACES and not arguments:
        _namespace(node, function, dynamic_names)


def _exec(node: Node, arguments: list[Node], dynamic_names: Dynamic) -> None:
    """`exec(code)` runs in the module, or in a function whose names nobody else sees; with a namespace, in that one."""
    keyword_values = {
        text(part.child_by_field_name("name")): part.child_by_field_name("value")
        for part in arguments
        if part.type == "keyword_argument"
    }
    plain = [part for part in arguments if part.type != "keyword_argument"]
    spaces = [*plain[1:], *(value for name, value in keyword_values.items() if name in ("globals", "locals"))]
    if any(part.type in ("list_splat", "dictionary_splat") for part in arguments):
        dynamic_names.unreadable(node)
        return
    spaces_text = ["".join(text(space).split()) for space in spaces if space is not None]
    if spaces_text and spaces_text[-1] not in OWN and not OTHERS.search(spaces_text[-1]):
        return  # what it defines goes there
    code = _code(plain[0]) if plain else None
    names, doubt = dynamic_names.outline(code.encode()) if code is not None else (frozenset[str](), ANY)
    if doubt or (spaces_text and OTHERS.search(spaces_text[-1]) and spaces_text[-1] not in OWN):
        dynamic_names.unreadable(node)
    elif spaces_text[:1] == ["globals()"] or not _inside(node):
        dynamic_names.names |= names
    else:
        dynamic_names.names |= {
            name for name in names if code is not None and re.search(rf"\bglobal\b[^\n]*\b{name}\b", code)
        }


def _code(node: Node) -> str | None:
    """The text that is executed: a literal, one that is compiled here, or a name that the file gives one literal and nothing else."""
    if node.type == "call" and text(node.child_by_field_name("function")) in COMPILE:
        argument_list = node.child_by_field_name("arguments")
        plain = [part for part in argument_list.named_children if part.type != "comment"] if argument_list else []
        return _code(plain[0]) if plain else None
    if node.type != "identifier":
        return _literal(node)
    root = node
    for above in ancestors(node):
        root = above
    name = text(node)
    statements = [part for child in root.named_children for part in child.named_children if part.type == "assignment"]
    values = [
        part.child_by_field_name("right") for part in statements if text(part.child_by_field_name("left")) == name
    ]
    is_bound_once = len(re.findall(rf"(?<![\w.]){re.escape(name)}(?!\w)", text(root))) == len(values) + 1 == 2  # noqa: PLR2004
    return _literal(values[0]) if is_bound_once else None


def _namespace(node: Node, function: str, dynamic_names: Dynamic) -> None:
    """`globals()`, and at the top of a module `vars()` and `locals()`: read, given names, or handed to somebody."""
    above = node.parent
    whole = function == "globals"
    if above is None or (not whole and _inside(node)) or above.type in ("comparison_operator", "expression_statement"):
        return
    if above.type == "subscript":
        holder = above.parent
        if holder is not None and holder.type == "assignment" and holder.child_by_field_name("left") == above:
            dynamic_names.take(_literal(above.child_by_field_name("subscript")), holder)
    elif above.type == "attribute" and above.parent is not None and above.parent.type == "call":
        _method(above.parent, text(above.child_by_field_name("attribute")), dynamic_names)
    elif above.type == "argument_list" and above.parent is not None:
        if text(above.parent.child_by_field_name("function")) not in (*EXEC, "eval", "len", "dict", "sorted") and whole:
            dynamic_names.unreadable(above.parent)
    elif (whole or above.type == "assignment") and not _only_read(above):
        dynamic_names.unreadable(above)


def _only_read(node: Node) -> bool:
    """Whether a namespace is kept under a name of which the file does nothing but look things up: `kept["a"]`."""
    name = node.child_by_field_name("left") if node.type == "assignment" else None
    if name is None or name.type != "identifier":
        return False
    root = node
    for above in ancestors(node):
        root = above
    code = text(root)
    places = re.finditer(rf"(?<![\w.])(?P<del>del[ \t]{{1,20}})?{re.escape(text(name))}(?!\w)", code)
    odd = [place for place in places if place["del"] or LOOKED_UP.match(code, place.end()) is None]
    return len(odd) == 1  # where it is kept


def _method(call: Node, name: str, dynamic_names: Dynamic) -> None:
    """`globals().update(...)` and what else a dictionary can do."""
    argument_list = call.child_by_field_name("arguments")
    arguments = argument_list.named_children if argument_list is not None else []
    if name in READS:
        return
    if name in ("setdefault", "__setitem__") and arguments:
        dynamic_names.take(_literal(arguments[0]), call)
    elif name == "update":
        for part in arguments:
            if part.type == "keyword_argument":
                dynamic_names.names.add(text(part.child_by_field_name("name")))
            elif part.type == "dictionary":
                for pair in part.named_children:
                    dynamic_names.take(_literal(pair.child_by_field_name("key")) if pair.type == "pair" else None, call)
            else:
                dynamic_names.unreadable(call)
    else:
        dynamic_names.unreadable(call)


def _module(node: Node, dynamic_names: Dynamic) -> None:
    """`sys.modules[__name__]`: asked, given an attribute, or handed to somebody."""
    above = node.parent
    if above is None:
        return
    if above.type == "argument_list" and above.parent is not None:
        function = text(above.parent.child_by_field_name("function"))
        if function not in ("setattr", "getattr", "hasattr", "help", "dir", "inspect.getmembers"):
            dynamic_names.unreadable(above.parent)
    elif above.type == "attribute":
        name, holder = text(above.child_by_field_name("attribute")), above.parent
        if name == "__dict__":
            dynamic_names.unreadable(above)
        elif holder is not None and holder.type == "assignment" and holder.child_by_field_name("left") == above:
            dynamic_names.names.add(name)
    else:
        dynamic_names.unreadable(above)


def _on_demand(node: Node, dynamic_names: Dynamic) -> None:
    """A module's `__getattr__`: readable if it answers to names that it compares with, and fails for every other."""
    parameter_list, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    parameter = re.match(r"\w+", text(parameter_list).lstrip("( ")) if parameter_list is not None else None
    names: set[str] = set()
    for part in body.named_children if body is not None else ():
        condition = part.child_by_field_name("condition") if part.type == "if_statement" else None
        if condition is not None and parameter is not None and part.child_by_field_name("alternative") is None:
            compared_names = _compared_names(condition, parameter[0])
            if compared_names is None:
                dynamic_names.unreadable(_head(node))
                return
            names |= compared_names
        elif part.type not in ("raise_statement", "import_statement", "import_from_statement", "comment") and not (
            part.type == "expression_statement" and part.named_children and part.named_children[0].type == "string"
        ):
            dynamic_names.unreadable(_head(node))
            return
    dynamic_names.names |= names


def _head(node: Node) -> Node:
    return node.child_by_field_name("name") or node


def _compared_names(condition: Node, parameter: str) -> set[str] | None:
    """The names in `name == "a"` and `name in ("a", "b")`; None for any other condition."""
    match = re.fullmatch(rf"{re.escape(parameter)}\s*(?:==|in)\s*(.+)", text(condition), re.DOTALL)
    value = _value(match[1]) if match else None
    if isinstance(value, str):
        return {value} if match and "==" in text(condition)[: match.start(1)] else None
    return {one for one in value if isinstance(one, str)} if isinstance(value, tuple | list | set | frozenset) else None


def _literal(node: Node | None) -> str | None:
    """The value of a string that is written out; None for one that is computed."""
    if node is None or node.type not in ("string", "concatenated_string", "parenthesized_expression"):
        return None
    value = _value(text(node))
    return value if isinstance(value, str) else None


def _value(literal: str) -> object:
    """What a literal means; None for anything else. Its escapes are a stranger's: Python's warnings about them are no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.literal_eval(literal.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
