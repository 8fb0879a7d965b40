"""What a caller of a Python function has to know."""

from collections.abc import Sequence
from typing import Literal

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.values import Parameter, Signature

# Decorators that leave the parameters as they are written. Any other one makes them unreliable.
HARMLESS = frozenset({
    "staticmethod", "classmethod", "abstractmethod", "override", "final", "cache", "lru_cache", "contextmanager",
    "asynccontextmanager", "coroutine", "no_type_check", "deprecated", "typing_only", "dataclass", "total_ordering",
    "unique", "runtime_checkable", "overload",
})  # fmt: skip
Kind = Literal["positional", "positional-only", "keyword-only", "varargs", "kwargs"]


def signature(node: Node, method: bool, decorators: Sequence[str]) -> Signature:
    """The signature of a function; the receiver of a method is left out."""
    parameter_list = node.child_by_field_name("parameters")
    names = {item.partition("(")[0].rpartition(".")[2] for item in decorators}
    parameters, opaque = _parameters(parameter_list)
    if method and "staticmethod" not in names:
        opaque = opaque or not parameters
        parameters = parameters if parameters[:1] and parameters[0].kind == "varargs" else parameters[1:]
    return Signature(tuple(parameters), head(node, trailing=" :"), opaque or bool(names - HARMLESS))


def _parameters(parameter_list: Node | None) -> tuple[list[Parameter], bool]:
    parameters: list[Parameter] = []
    keywords_only, opaque = False, False
    for part in parameter_list.named_children if parameter_list is not None else ():
        star = _star(part)
        if part.type == "positional_separator":
            parameters = [Parameter(item.name, "positional-only", item.is_required) for item in parameters]
        elif part.type == "keyword_separator":
            keywords_only = True
        elif star:
            parameters.append(Parameter(text(part).lstrip("*").partition(":")[0].strip(), star, is_required=False))
            keywords_only = keywords_only or star == "varargs"
        elif part.type in ("tuple_pattern", "ERROR"):
            opaque = True
        elif part.type != "comment":
            kind: Kind = "keyword-only" if keywords_only else "positional"
            parameters.append(Parameter(_name(part), kind, "default" not in part.type))
    return parameters, opaque


def _star(part: Node) -> Kind | None:
    inner = part.named_children[0] if part.type == "typed_parameter" and part.named_children else part
    stars: dict[str, Kind] = {"list_splat_pattern": "varargs", "dictionary_splat_pattern": "kwargs"}
    return stars.get(inner.type)


def _name(part: Node) -> str:
    name_node = part.child_by_field_name("name")
    if name_node is None and part.named_children:
        name_node = part.named_children[0]
    return text(name_node if name_node is not None else part)
