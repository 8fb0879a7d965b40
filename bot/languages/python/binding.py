"""What binds a name of a Python module once more, below the definition or from a function, and what a class asks of its users."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from tree_sitter import Node

from bot.languages.conditions import ALL, Binding
from bot.languages.syntax import first_line, text

BLOCKS = frozenset({
    "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "except_group_clause", "finally_clause",
    "with_statement", "for_statement", "while_statement", "match_statement", "case_clause", "block",
})  # fmt: skip
WALRUS = re.compile(r"(?<![\w.])(\w{1,200})\s{0,10}:=")
AS = re.compile(r"\bas\s{1,10}\(?\s{0,10}([\w, ]{1,200})")
CAPTURE = re.compile(r"(?<![\w.])(\w{1,200})(?![\w.(=])")
GLOBAL = re.compile(rb"^[ \t]*global[ \t]+([\w, \t]+)", re.MULTILINE)
# `A.name = ...`, also in a function that somebody calls.
MEMBER = re.compile(
    rb"^[ \t]*((?:[A-Za-z_]\w{0,99}\.){1,4}\w{1,100})[ \t]*(?::[^=\n]{0,200})?=(?!=)[^\n]*", re.MULTILINE
)
SET = re.compile(
    rb"(?:\b(?:(?:del|set)attr|(?:mocker\.)?patch\.object)|\.__(?:del|set)attr__)\([ \t]*([\w.]{1,100})[ \t]*,[ \t]*[\"'](\w{1,100})[\"'][^\n]*"
)
DELETED = re.compile(rb"^[ \t]*del[ \t]+((?:[A-Za-z_]\w{0,99}\.){1,4}\w{1,100})", re.MULTILINE)
SPACE = re.compile(
    rb"(?:\b(?:globals|vars|locals)\(\)(?:\.(?:__setitem__|pop|setdefault)\(|\[)|setattr\([ \t]*sys\.modules\[[^\]\n]{1,80}\][ \t]*,)[ \t]*(?:[\"'](\w{1,100})[\"'])?[^\n]*"
)
TARGETS = frozenset({
    "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "parenthesized_expression", "expression_list",
})  # fmt: skip
TARGET_FIELDS = {"assignment": "left", "augmented_assignment": "left", "for_statement": "left", "for_in_clause": "left"}
SPACE_OF = r"(?:(?<![\w.])NAME\.__dict__|\bvars\([ \t]*NAME[ \t]*\))[ \t]*"  # the members of one instance
ON_INSTANCE = (  # group 1: the names, or what computes them
    SPACE_OF + r"\[([^\]\n]{1,100})\][ \t]*[-+*/|&]?=(?!=)[^\n]*",
    SPACE_OF + r"(?:\|?=(?!=)|\.(?:update|setdefault|pop|clear|__\w{1,20}__)\()([^\n]*)",
    r"(?:\b(?:del|set)attr|\.__(?:del|set)attr__)\([ \t]*(?:NAME[ \t]*,[ \t]*)?([\"']\w{1,100}[\"'])[^\n]*",
)
WRITTEN = re.compile(r"[\"'](\w{1,100})[\"']|(?<![\w.])(\w{1,100})[ \t]*=(?!=)")
LOOKUPS = frozenset({"__getattribute__", "__new__"})  # what decides of every member of an instance
RUN = re.compile(rb"\bexec\(([^\n]*)")
MODULE = re.compile(
    rb"^[ \t]*(?:sys\.modules\[[^\]\n\"']{1,80}\][ \t]*=|del[ \t]+sys\.modules\[(?![\"'])|sys\.modules\.pop\((?![\"'])|(?:globals|vars)\(\)\.(?:clear|update)\()[^\n]*",
    re.MULTILINE,
)
NAMED = re.compile(rb"\bsys\.modules(?:\[|\.pop\()[ \t]*[\"']((?:\w{1,100}\.){0,9}\w{1,100})[\"'][^\n]*")
UNLISTED = re.compile(rb"^[ \t]*__all__\.(?:remove|pop|clear)\(([^\n]*)|^[ \t]*(del[ \t]+__all__)", re.MULTILINE)
LISTED = re.compile(rb"^__all__\b(?!\.)[^\[(\n]{0,80}[\[(]([^\])]*)[\])]", re.MULTILINE)
LISTED_BY = re.compile(rb"(?<![\w.])((?:[A-Za-z_]\w{0,99}\.){1,4})__all__\b")  # the list of another module
MADE = re.compile(r"(?:dataclasses\.)?dataclass|(?:attrs?\.)?(?:s|attrs|define|frozen|mutable|dataclass)")
FIELD = re.compile(r"(?:\w+\.)?(?:NamedTuple|TypedDict|BaseModel|BaseSettings|Struct|SQLModel)")
DEFAULT = re.compile(
    r"=\s*(?:(?:dataclasses\.)?field\((?![^\n]*default)|(?:attrs?\.)?(?:ib|field)\((?![^\n]*(?:default|factory))|\.\.\.|Field\(\s*(?:\.\.\.|\)))"
)


def bindings(root: Node, source: bytes) -> Iterator[Binding]:
    """The statements that bind the names of a module and of its classes again."""
    yield from _of_block(root, "")
    for match in _matches(GLOBAL, source, b"global"):
        for name in match[1].decode("utf-8", "replace").replace(",", " ").split():
            yield Binding(name, 0, f"global {name}")
    for match in chain(MEMBER.finditer(source), _matches(SET, source, b"attr", b"patch.object")):
        name = ".".join(one.decode("utf-8", "replace") for one in match.groups())
        yield Binding(name, 0, match[0].decode("utf-8", "replace"))
    for match in _matches(SPACE, source, b"globals()", b"vars()", b"locals()", b"sys.modules["):
        if match[0].startswith(b"setattr") or b"=" in match[0] or b"(" in match[0][10:]:  # else it is read
            yield Binding(match[1].decode() if match[1] else ALL, 0, match[0].decode("utf-8", "replace"))
    for match in _matches(RUN, source, b"exec("):
        for name in dict.fromkeys(re.findall(r"\w+", match[1].decode("utf-8", "replace"))):
            yield Binding(name, 0, match[0].decode("utf-8", "replace"))
    for match in _matches(MODULE, source, b"sys.modules", b"globals()", b"vars()"):
        yield Binding(ALL, 0, match[0].decode("utf-8", "replace"))


def _matches(pattern: re.Pattern[bytes], source: bytes, *words: bytes) -> Iterable[re.Match[bytes]]:
    """The matches of a pattern that holds one of these words: few files do, and a look for a word takes next to nothing."""
    return pattern.finditer(source) if any(word in source for word in words) else ()


def _of_block(node: Node, inside: str) -> Iterator[Binding]:
    for child in node.named_children:
        is_decorated = child.type == "decorated_definition"
        inner = (child.child_by_field_name("definition") or child) if is_decorated else child
        if inner.type == "class_definition":
            body = inner.child_by_field_name("body")
            if body is not None:
                yield from _of_block(body, f"{inside}{text(inner.child_by_field_name('name'))}.")
                yield from _of_instances(body, f"{inside}{text(inner.child_by_field_name('name'))}.")
        elif inner.type == "function_definition":
            continue
        else:
            head = _head(child)
            yield from (
                Binding(name if name == ALL else inside + name, first_line(child), head) for name in _names(child, head)
            )
            if child.type in BLOCKS:
                yield from _of_block(child, inside)


def _of_instances(body: Node, inside: str) -> Iterator[Binding]:
    """What the methods of a class set on their instances under the name of a method, and what answers for all of these."""
    methods = [(part.child_by_field_name("definition") or part) for part in body.named_children]
    methods = [part for part in methods if part.type == "function_definition"]
    names = frozenset(text(part.child_by_field_name("name")) for part in methods)
    for part in methods:
        if text(part.child_by_field_name("name")) in LOOKUPS:
            yield Binding(inside + ALL, 0, _head(part))
        parameters = part.child_by_field_name("parameters")
        receiver = text(parameters.named_children[0]) if parameters is not None and parameters.named_children else ""
        if receiver.isidentifier():
            yield from _on_instance(part, receiver, names, inside)


def _on_instance(method: Node, receiver: str, names: frozenset[str], inside: str) -> Iterator[Binding]:
    """The same for one method, whose first parameter is the instance."""
    code = method.text or b""
    for match in re.finditer(rb"(?<![\w.])" + re.escape(receiver.encode()) + rb"\s*\.\s*(\w{1,100})", code):
        name = match[1].decode("utf-8", "replace")
        if name not in names:
            continue
        start = method.start_byte + match.start()
        node = method.descendant_for_byte_range(start, method.start_byte + match.end())
        above = node.parent if node is not None else None
        while above is not None and above.type in TARGETS:
            node, above = above, above.parent
        if above is None or node is None:
            continue
        field = TARGET_FIELDS.get(above.type, "")
        has_no_value = above.type == "assignment" and above.child_by_field_name("right") is None
        is_target = bool(field) and above.child_by_field_name(field) == node and not has_no_value
        if is_target or above.type in ("delete_statement", "as_pattern_target"):
            yield Binding(inside + name, 0, _head(above).partition("\n")[0])
    if b"__dict__" in code or b"vars(" in code or b"attr" in code:
        plain = code.decode("utf-8", "replace")
        for row in (row for pattern in _on_instance_patterns(receiver) for row in pattern.finditer(plain)):
            words = {one or other for one, other in WRITTEN.findall(row[1])}
            for name in sorted(words & names) or ([] if words else [ALL]):
                yield Binding(inside + name, 0, row[0])


@lru_cache(maxsize=64)
def _on_instance_patterns(receiver: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern.replace("NAME", re.escape(receiver))) for pattern in ON_INSTANCE)


def _head(node: Node) -> str:
    """A statement without the block below it."""
    body = next((part for part in node.named_children if part.type == "block"), None)
    end = body.start_byte - node.start_byte if body is not None else len(node.text or b"")
    return (node.text or b"")[:end].decode("utf-8", "replace")


def _names(node: Node, head: str) -> Iterator[str]:
    """The names that one statement binds."""
    if node.type in ("import_statement", "import_from_statement"):
        yield from _imports(node)
    elif node.type in ("with_statement", "except_clause", "except_group_clause"):
        for names in AS.findall(head):
            yield from re.findall(r"\w+", names)
    elif node.type == "case_clause":
        yield from CAPTURE.findall(head)
    elif node.type in ("for_statement", "type_alias_statement"):
        yield from CAPTURE.findall(text(node.child_by_field_name("left")))
    elif node.type == "expression_statement":
        for part in node.named_children:
            left = part.child_by_field_name("left") if part.type == "assignment" else None
            yield from CAPTURE.findall(text(left)) if left is not None else ()
    yield from WALRUS.findall(head) if ":=" in head else ()


def _imports(node: Node) -> Iterator[str]:
    module = node.child_by_field_name("module_name")
    for part in node.named_children:
        if part.type == "wildcard_import":
            yield ALL
        elif part.type == "aliased_import":
            yield text(part.child_by_field_name("alias"))
        elif part.type == "dotted_name" and part != module:
            yield text(part).partition(".")[0]


def replacements(path: str, source: bytes) -> Iterator[str]:
    """The statements that put something else in the place of the module by its name."""
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for match in _matches(NAMED, source, b"sys.modules"):
        if f".{dotted}".endswith(f".{match[1].decode()}"):
            yield match[0].decode("utf-8", "replace")


def names_listed(source: bytes) -> frozenset[str] | None:
    """The names that `from it import *` brings, where the file lists them; what it computes of the list as it is written, behind a star."""
    if b"__all__" not in source:
        return None
    lists, patterns = LISTED.findall(source), {f"*{match[1].decode()}" for match in LISTED_BY.finditer(source)}
    if not lists and not patterns:
        return None
    removals = {name for match in UNLISTED.finditer(source) for name in re.findall(r"\w+", (match[1] or b"").decode())}
    return frozenset((set(re.findall(r"\w+", b" ".join(lists).decode("utf-8", "replace"))) - removals) | patterns)


def names_left_out(listing: frozenset[str] | None, names: frozenset[str]) -> frozenset[str]:
    """The names that `from it import *` does not bring; none where the whole list is computed."""
    if listing is None:
        return frozenset(name for name in names if name[:1] == "_")
    return names - listing if any(name[:1] != "*" for name in listing) else frozenset()


def fields(node: Node, decorators: list[str], bases: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """The fields that the constructor of a class takes, and whether it has to be given each: of a dataclass and its like."""
    made = any(MADE.fullmatch(one.partition("(")[0]) for one in decorators) or any(FIELD.match(one) for one in bases)
    body = node.child_by_field_name("body")
    for statement in body.named_children if made and body is not None else ():
        part = statement.named_children[0] if statement.named_children else None
        if part is None or part.type != "assignment" or part.child_by_field_name("type") is None:
            continue
        name, annotation = text(part.child_by_field_name("left")), text(part.child_by_field_name("type"))
        if name.isidentifier() and "ClassVar" not in annotation:
            right = part.child_by_field_name("right")
            yield name, right is None or bool(DEFAULT.match(f"= {text(right)}"))


def mounts(path: str, root: Node) -> dict[str, str]:
    """The modules of a package that another thing of their name hides from `from package import name`."""
    folder, _, name = path.rpartition("/")
    if name != "__init__.py":
        return {}
    names: dict[str, str] = {}
    for node in _statements(root):
        for bound_name in _bound(node):
            for child in (f"{folder}/{bound_name}.py", f"{folder}/{bound_name}/__init__.py"):
                names[child.lstrip("/")] = f"{bound_name} of {path}"
    return names


def _statements(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        if child.type in BLOCKS:
            yield from _statements(child)


def _bound(node: Node) -> Iterator[str]:
    """The names that a statement of a package binds to anything but its own modules."""
    inner = node.child_by_field_name("definition") or node if node.type == "decorated_definition" else node
    if inner.type in ("function_definition", "class_definition"):
        yield text(inner.child_by_field_name("name"))
    elif not (inner.type == "import_from_statement" and text(inner.child_by_field_name("module_name")) == "."):
        yield from (name for name in _names(inner, _head(inner)) if name != ALL)


def patches(source: bytes) -> frozenset[tuple[str, str]]:
    """The statements that set or delete a member, by what they name."""
    return frozenset(
        (
            ".".join(one.decode("utf-8", "replace") for one in match.groups()),
            match[0].decode("utf-8", "replace").strip(),
        )
        for pattern in (MEMBER, SET, DELETED)
        for match in pattern.finditer(source)
        if not match[1].startswith((b"self.", b"cls."))
    )
