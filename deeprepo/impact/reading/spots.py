"""Find references to given names in a file, with the same queries that check new lines."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from tree_sitter import Node

from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.reading.arguments import arguments
from deeprepo.impact.reading.lexical import has_words
from deeprepo.impact.reading.marks import (
    ARROW,
    CLASS,
    ELEMENTS,
    LAST,
    LONGEST_NAME,
    UNKNOWN,
    Class,
    Construction,
    Mark,
    Marks,
    Scope,
    bare,
    bodies_around,
    bound_class,
    classes_around,
    is_handled,
    marks_of,
)
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import SYMBOLS, first_line, last_line, name_of, text
from deeprepo.impact.reading.syntax import language_for, parse
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.structs import replace
from deeprepo.impact.values import MODULE, Arguments, Form, SomeUses, Use

MOST = 2_000  # references per file
INDEXED = ("index_expression", "subscript_expression", "subscript", "element_access_expression", "array_access")
PART = re.compile(r"(?:\.|::|->)([\w$]+)$")  # the last member of a receiver
WORD = re.compile(rb"\w+")
TYPE_ARGUMENTS = re.compile(r"(?<=\w)<[\w\s.,?:\[\]]{1,200}>(?=\.|$)|(?<=[\w<,])<[\w\s.,?:\[\]]{1,200}>(?=[\s,>])")
NESTED_ARGUMENTS = 4  # nesting levels of type arguments that are removed
OF_TYPES = ("type_identifier", "scoped_type_identifier")  # before the dot of a type: a type or its namespace
SIGNS = (".", "::")
PATH_WORDS = ("identifier", "type_identifier", "crate", "self", "super", "metavariable", "primitive_type")
DEEPEST = 20  # words in a path
VARIABLE = "@"  # prefix of an instance variable


def present(source: bytes, names: Collection[str]) -> frozenset[str]:
    """Return the names whose words a file contains, in code or elsewhere."""
    words = _words(source)
    return frozenset(name for name, parts in _parts(frozenset(names)) if words.issuperset(parts))


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that match one of the names, never in strings or comments.

    For unreadable code, it may return only some.
    """
    # a name may include its namespace, which code need not write
    words = present(source, {name.rpartition("\\")[2] for name in names})
    language = language_for(path, source) if words else rules_of(path)
    try:
        found = spots(language, source, words) if language is not None else None
        kind = SomeUses if found is None or len(found) >= MOST else tuple
        return kind(language.used(path, source, names, found or ()) if language is not None else ())
    except (Unreadable, RecursionError):
        return SomeUses()


def spots(language: Language, source: bytes, names: Collection[str]) -> tuple[Use, ...] | None:
    """Return the identifiers that match one of the names, in file order; None if the file is unreadable.

    At most `MOST` are returned.
    """
    there = present(source, names)
    return _spots_of(language, source, there) if there else ()


@lru_cache(maxsize=64)
def _words(source: bytes) -> frozenset[bytes]:
    return frozenset(WORD.findall(source))


@lru_cache
def _parts(names: frozenset[str]) -> tuple[tuple[str, list[bytes]], ...]:
    return tuple((name, WORD.findall(name.encode())) for name in names)


@memo
def _spots_of(language: Language, source: bytes, names: frozenset[str]) -> tuple[Use, ...] | None:
    """Return the references in a file to the names that it contains.

    None if the file can't be parsed. The cached result doesn't depend on other names in the change.
    """
    pattern = any_of(names)
    places = tuple(match.span() for match in pattern.finditer(source))
    root = parse(language, source) if places else None
    if root is None:
        return None if places else ()
    marks = marks_of(language, root, places)
    found = [*islice(_written(language, marks, places), MOST)]
    constructions = [one for one in marks.constructions if LAST.split(one.name)[-1] in names]
    if constructions:
        constructed = {(one.place.start_byte, LAST.split(one.name)[-1]) for one in constructions}
        found = [one for one in found if (one.at, one.name) not in constructed]
        found += [_constructed(language, marks, one) for one in constructions]
    return tuple(_as_written(language, one) for one in sorted(found, key=lambda one: one.at)[:MOST])


def _written(language: Language, marks: Marks, places: Iterable[tuple[int, int]]) -> Iterator[Use]:
    """Yield the references at these places, which are words. A word in a comment or a string is none."""
    for place in places:
        node = marks.root.descendant_for_byte_range(*place)
        if node is None or (node.start_byte + (node.type in SYMBOLS), node.end_byte) != place:
            continue
        named = language.named(node)
        mark = marks.at.get(named.start_byte) if named is not None else None
        if named is None or (mark is None and node.type not in language.nodes.identifiers):
            continue
        if not marks.silent.hold(node):
            yield _use(language, marks, node, mark or Mark("name"), named)


def _as_written(language: Language, use: Use) -> Use:
    """Normalize a reference: use dots as separators, and drop an unknown class if the name is specific."""
    receiver, types, form = use.receiver, use.types, use.form
    may_tell = receiver or language.receivers.free_functions  # without a receiver, it is always a member
    if (
        types == UNKNOWN
        and may_tell
        and language.receivers.specific_words
        and has_words(use.name, language.receivers.specific_words)
    ):
        types, form = (), form if receiver else "name"
    receiver, types = language.written(receiver, types)
    is_same = (receiver, types, form) == (use.receiver, use.types, use.form)
    return use if is_same else replace(use, receiver=receiver, types=types, form=form)


def _use(language: Language, marks: Marks, node: Node, mark: Mark, named: Node) -> Use:
    """Return the reference at a node. `named`: the node of its whole name."""
    place = node.start_byte, node.end_byte
    is_import = mark.form == "import" or marks.imports.hold(node)
    around = _scopes_of(marks, node, mark)
    name = text(named) if named is not node and not is_import else name_of(node)
    passed = _arguments(language, mark.args, has_more=mark.more)
    form, types = _meaning(language, marks, node, name, replace(mark, form="import") if is_import else mark)
    if language.receivers.bare_members == "own" and mark.receiver is None and mark.form == "name" and not is_import:
        is_call = form != "definition" and not name[:1].isupper()  # a member is called without parentheses
        passed = passed or (Arguments() if is_call else None)
    if language.receivers.unbound == "silent" and types == UNKNOWN:
        types = ()
    before = text(mark.receiver)
    # Asking for a node's parent takes as long as the tree is deep.
    around_receiver = mark.receiver.parent if mark.receiver is not None and language.tokens else None
    if around_receiver is not None and mark.receiver is not None and around_receiver.type == language.tokens:
        before, is_alone = _words_before(node, mark.receiver)
        types = types if is_alone else UNKNOWN
    return Use(
        name=name,
        line=first_line(node),
        at=node.start_byte + (node.type in SYMBOLS),
        form=form,
        receiver=mark.owner or ("" if is_import else without_types(" ".join(before.split()))[:LONGEST_NAME]),
        types=types,
        arguments=passed,
        is_guarded=is_handled(marks, node, form),
        is_receiver=place in marks.receivers,
        is_assigned=mark.is_assigned or form == "definition",
        function=".".join(one.name for one in reversed(around)) or MODULE,
        span=_lines(around[0].node) if around else None,
        is_in_class_body=bool(around) and around[0].is_class,
    )


def _meaning(language: Language, marks: Marks, node: Node, name: str, mark: Mark) -> tuple[Form, tuple[str, ...]]:
    """Return the form of a reference and the classes that its member may belong to."""
    form: Form = "member" if mark.owner and mark.form != "import" else mark.form
    if mark.receiver is not None and form != "import":
        types = _types(language, marks, mark.receiver)
        # a class's own member takes precedence over an inherited one
        return form, types[:1] if types and types[0] in marks.members.get(name, ()) else types
    if form == "name" and language.receivers.bare_members == "own":
        return _of_object(language, marks, node, is_call=mark.args is not None)
    if form == "name" and mark.args is not None:
        types = _own_member(language, marks, node, name)
        return "member" if types else form, types
    return form, (mark.owner,) if mark.owner else ()


def _scopes_of(marks: Marks, node: Node, mark: Mark) -> Sequence[Scope]:
    """Return the definitions around a name, innermost first. Its own definition is not one of them."""
    around = [*_scopes(marks, node)]
    is_own = bool(around) and (
        around[0].at == node.start_byte
        or (mark.form == "definition" and around[0].name.rpartition(".")[2] == name_of(node))
    )
    return around[1:] if is_own else around


def _words_before(node: Node, receiver: Node) -> tuple[str, bool]:
    """Return the path before a name among macro tokens, and whether it is a single word."""
    sign, last = node.prev_sibling, receiver
    parts: list[str] = []
    while sign is not None and text(sign) in SIGNS and last.type in PATH_WORDS and len(parts) < DEEPEST:
        parts.append(text(last).lstrip("$"))
        further = last.prev_sibling
        if further is None or text(further) != text(sign) or further.prev_sibling is None:
            break
        last = further.prev_sibling
    return text(sign).join(reversed(parts)), len(parts) == 1


def _own_member(language: Language, marks: Marks, node: Node, name: str) -> tuple[str, ...]:
    """Return the class of a member that is used without a receiver; () if it is no member."""
    if not language.receivers.bare_members or re.match(language.types.classes, name):
        return ()
    around = [*classes_around(marks, node)]
    if any(one.name in UNKNOWN for one in around):  # what an anonymous class inherits is unknown
        return UNKNOWN
    having = next((one.name for one in around if one.name in marks.members.get(name, ())), "")
    if having or name in marks.imported:
        return (having,) if having else ()
    is_open = around and (not language.receivers.free_functions or any(one.name in marks.subclasses for one in around))
    return UNKNOWN if is_open else ()


def _of_object(language: Language, marks: Marks, node: Node, *, is_call: bool) -> tuple[Form, tuple[str, ...]]:
    """Return the form and class of a bare name that may be a variable, a member or a name in the file.

    A symbol may name a method to define.
    """
    name = text(node)
    if node.type in SYMBOLS or (not is_call and bound_class(marks, node, name)):
        return "definition", ()
    own = next(classes_around(marks, node, with_objects=True), None)
    types = _of_own(own, is_above=False) if own is not None else UNKNOWN
    if re.match(language.types.classes, name):
        scope = node.parent.child_by_field_name("scope") if node.parent is not None else None
        if scope is None or scope == node:
            return "name", ()
        return "name", (text(scope.child_by_field_name("name") or scope),)
    if types == UNKNOWN:
        return "name", ()
    return "member", types[:1] if own is not None and own.name in marks.members.get(name, ()) else types


def _constructed(language: Language, marks: Marks, one: Construction) -> Use:
    around = [*_scopes(marks, one.place)]
    name = LAST.split(one.name)[-1]
    receiver = one.name[: -len(name)].rstrip(".:\\") if not language.types.unqualified else ""
    return Use(
        name=name,
        line=one.place.start_point[0] + 1,
        at=one.place.start_byte,
        form="member" if receiver else "name",
        receiver=receiver,
        arguments=_arguments(language, one.args) or Arguments(),
        function=".".join(scope.name for scope in reversed(around)) or MODULE,
        span=_lines(around[0].node) if around else None,
    )


def _lines(node: Node) -> tuple[int, int]:
    return node.start_point[0] + 1, last_line(node)


def _arguments(language: Language, node: Node | None, *, has_more: bool = False) -> Arguments | None:
    if node is None:
        return None
    passed = arguments(language, node) or Arguments(spread=True)
    return replace(passed, spread=True) if has_more else passed


def _scopes(marks: Marks, node: Node) -> Iterator[Scope]:
    """Return the definitions around a node, innermost first."""
    return (marks.scopes[one.id] for one in bodies_around(marks, node) if one.id in marks.scopes)


def _types(language: Language, marks: Marks, receiver: Node) -> tuple[str, ...]:
    """Return the known class of a receiver, as written; for the object itself, also its bases."""
    types = _known_types(language, marks, receiver)
    return () if types == UNKNOWN and language.receivers.unbound == "open" else types


def _known_types(language: Language, marks: Marks, receiver: Node) -> tuple[str, ...]:
    receiver = bare(receiver, but=marks.values.made)
    if (receiver.start_byte, receiver.end_byte) in marks.values.made:
        return (marks.values.made[receiver.start_byte, receiver.end_byte],)
    if held := _held(marks, receiver):
        return held
    if receiver.end_byte - receiver.start_byte > LONGEST_NAME or receiver.type in OF_TYPES:
        return () if receiver.type in OF_TYPES else UNKNOWN
    written = "".join(text(receiver).split())
    own = next(classes_around(marks, receiver, with_objects=True), None)
    if written in (*language.receivers.own, *language.receivers.base) and own is not None:
        return _of_own(own, is_above=written in language.receivers.base)
    part = PART.search(written)
    if part is not None or (written[:1] == VARIABLE and own is not None):
        holders = _known_types(language, marks, receiver.named_children[0]) if receiver.named_children else UNKNOWN
        holders = (own.name,) if own is not None and part is None else holders
        name = part[1] if part is not None else written
        found = {one for holder in holders for one in marks.values.fields.get((holder, name), ())}
        return (found.pop(),) if len(found) == 1 else _unbound(language, written)
    return bound_class(marks, receiver, written) or _unbound(language, written)


def _held(marks: Marks, receiver: Node) -> tuple[str, ...]:
    """Return the class of an indexed element or of a smart pointer's target; () for other receivers."""
    held = bound_class(marks, receiver, text(receiver) + ARROW)
    if held and (receiver.next_sibling is None or receiver.next_sibling.type != ARROW):
        held = ()
    if held or receiver.type not in INDEXED or not receiver.named_children:
        return held
    holder = receiver.named_children[0]
    return bound_class(marks, holder, text(holder) + ELEMENTS) or UNKNOWN


def _of_own(own: Class, *, is_above: bool) -> tuple[str, ...]:
    """Return the possible classes of a method's object; unknown inside an anonymous class."""
    types = own.bases if is_above else (own.name, *own.bases)
    return types if types and own.name not in UNKNOWN else UNKNOWN


def _unbound(language: Language, written: str) -> tuple[str, ...]:
    """Return the possible classes of an unbound receiver, which may be a class or a module."""
    last = LAST.split(without_types(written))[-1]
    if language.receivers.unbound == "named" and CLASS.fullmatch(written) and re.match(language.types.classes, last):
        return (last if language.types.unqualified else written,)
    is_open = language.receivers.unbound in ("open", "silent") or (
        language.receivers.unbound in ("class", "named") and re.match(language.types.classes, last)
    )
    return () if is_open else UNKNOWN


def without_types(written: str) -> str:
    """Return a receiver without type arguments: `Cache` for `Cache<T>`."""
    for _ in range(NESTED_ARGUMENTS if ">" in written else 0):
        written = TYPE_ARGUMENTS.sub("", written)
    return written


@lru_cache
def any_of(names: frozenset[str]) -> re.Pattern[bytes]:
    """Return a pattern that matches any of the names as a whole word; without names it matches nothing."""
    parts = sorted((re.escape(name.encode()) for name in names if name), key=lambda part: (-len(part), part))
    # Each alternative begins with a letter, which `re` finds ten times as fast as what is before it.
    words = (part + rb"(?<![\w$]" + part + rb")(?![\w$])" for part in parts)
    return re.compile(b"|".join(words) if parts else rb"(?!)")
