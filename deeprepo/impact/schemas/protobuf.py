"""Protocol Buffers: what goes over the wire is a number and a type; what code and JSON write is a name. A change of either breaks a program."""

import re
from collections.abc import Iterator, Mapping

from deeprepo.impact.schemas import breaks
from deeprepo.impact.structs import Struct, field

NAME = "protobuf"
_ASIDE = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"?|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_PACKAGE = re.compile(r"^[ \t]*+package\s++([\w.]++)", re.MULTILINE)
# The parts of a block. Strings and options are skipped; brackets open and close further blocks.
_PARTS = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|\b(?P<block>message|enum|service)\s++(?P<type>\w++)\s*+\{"
    r"|\brpc\s++(?P<call>\w++)\s*+(?P<messages>\([^;{]*+)|\breserved\s(?P<reserved>[^;{}]*+)"
    r"|(?<![\w.])(?:(?P<label>repeated|optional|required)\s++)?(?:(?P<kind>map\s*+<[^<>]*+>|[\w.]++)\s++)?"
    r"(?P<name>\w++)\s*+=\s*+(?P<number>-?\s*+\d\w*+)\s*+(?P<options>\[(?:[^\[\]]|\[[^\[\]]*+\])*+\])?\s*+;|(?P<open>(?:\boneof\s++\w++\s*+)?\{)|(?P<close>\})"
)
_DEEPEST = 60
# How a type is written: two of one kind are read alike.
_WIRE = {
    **dict.fromkeys(("int32", "uint32", "int64", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "64"),
    **dict.fromkeys(("string", "bytes"), "text"),
}
_UNSTABLE = re.compile(r"(?:^|\.)v\d+(?:p\d+)?(?:alpha|beta|test)\d*(?:\.|$)")
_GONE = "Code that was generated from the new schema has no such {}, and no longer reads JSON with its name."


class _Element(Struct):
    kind: breaks.Kind
    path: str
    line: int
    owner: str  # the message, enumeration, service or package that it belongs to, in full
    name: str
    type: str = ""  # of a field; of a call the messages, of a type its keyword
    number: str = ""
    is_repeated: bool = False
    is_deprecated: bool = False
    reserved: set[str] = field(default_factory=set)  # of a type: names and numbers

    @property
    def full_name(self) -> str:
        """Return its name with the package and the types around it."""
        return f"{self.owner}.{self.name}".lstrip(".")


_Schema = Mapping[tuple[str, str], _Element]  # by owner and name


def wants(path: str) -> bool:
    """Return whether it is a schema of the product: nobody's contract is a test's."""
    return path.endswith(".proto") and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Return whether a file may be such a schema: any file of that ending."""
    return wants(document.path)


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks of each file. What it no longer defines is not gone if another changed file does."""
    old, new = ({(one.owner, one.name): one for each in side for one in _elements(each)} for side in sides)
    numbers = {(one.owner, one.number): one for one in reversed(new.values()) if one.number}
    types = {one.full_name for one in (*old.values(), *new.values()) if one.kind == "type"}
    gone = types - {one.full_name for one in new.values() if one.kind == "type"}
    rows = [row for one in old.values() if one.owner not in gone for row in _of_element(one, new, numbers)]
    return list(dict.fromkeys(rows))


def _elements(document: breaks.Document) -> list[_Element]:
    """Every definition of a file, in order. Raises `UnreadableSchemaError`."""
    text, path = _ASIDE.sub(_without_comment, document.text), document.path
    package = _PACKAGE.search(text)
    rows: list[_Element] = []
    scopes = list[_Element | None]()  # the open blocks; None: one whose parts are nobody's
    line, at = 1, 0
    for match in _PARTS.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        scope = scopes[-1] if scopes else None
        around, kind = (scope.full_name, scope.type) if scope else (package[1] if package else "", "")
        if match["block"]:
            rows.append(_Element("type", path, line, around, match["type"], match["block"]))
            scopes.append(rows[-1])
        elif match["open"]:  # a oneof has the names of its message
            scopes.append(scope if match["open"].startswith("oneof") else None)
        elif match["close"]:
            del scopes[-1:]
        elif match["reserved"] and scope:
            scope.reserved |= _reserved(match["reserved"])
        elif match["call"] and kind == "service":
            rows.append(_Element("operation", path, line, around, match["call"], match["messages"]))
        elif match["number"] and kind in ("message", "enum"):
            rows.append(_member(match, "field" if kind == "message" else "value", path, line, around))
        if len(scopes) > _DEEPEST:
            raise breaks.UnreadableSchemaError(path, f"its messages are nested deeper than {_DEEPEST}")
    if scopes:
        raise breaks.UnreadableSchemaError(path, "a bracket is never closed")
    return rows


def _without_comment(match: re.Match[str]) -> str:
    return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])


def _member(match: re.Match[str], kind: breaks.Kind, path: str, line: int, owner: str) -> _Element:
    """A field, or a value of an enumeration."""
    is_deprecated = bool(re.search(r"\bdeprecated\s*=\s*true", match["options"] or ""))
    number, is_repeated = match["number"].replace(" ", ""), match["label"] == "repeated"
    return _Element(kind, path, line, owner, match["name"], match["kind"] or "", number, is_repeated, is_deprecated)


def _reserved(text: str) -> set[str]:
    """The names and the numbers that a message must not use again."""
    names = set(re.findall(r"\w+", text))
    for first, last in re.findall(r"(\d{1,9})\s+to\s+(\d{1,9})", text):
        names |= {str(number) for number in range(int(first), min(int(last), int(first) + 1_000) + 1)}
    return names


def _break(
    one: _Element, rule: str, change: str, law: str, at: _Element, *, is_planned: bool = False
) -> breaks.SchemaBreak:
    """Build the break, at the old element or at one of the new schema. An unstable package promises nothing."""
    owner, searched = one.owner.rpartition(".")[2], set[str]()
    element = one.full_name if one.kind == "type" else f"{owner}.{one.name}"
    if one.kind == "value":
        searched = {one.name, f"{owner}_{one.name}"}
    elif one.kind == "field":  # as the generators of the languages write it
        forms = breaks.spellings(one.name)
        pascal = [form for form in forms if form[:1].isupper() and "_" not in form and not form.isupper()]
        searched = {
            *forms,
            *(f"{verb}{form}" for form in pascal for verb in ("get", "Get", "set", "has", "add", "clear")),
        }
    return breaks.SchemaBreak(
        rule, one.kind, element, change, law, at.path, at.line, "base" if at is one else "head", one.name, owner,
        None if _UNSTABLE.search(one.owner) else "low", is_planned, searched=frozenset(searched),
    )  # fmt: skip


def _of_element(
    one: _Element, new: _Schema, numbers: Mapping[tuple[str, str], _Element]
) -> Iterator[breaks.SchemaBreak]:
    now = new.get((one.owner, one.name))
    if now is None:
        yield _gone(one, new, numbers.get((one.owner, one.number)))
    elif one.kind == "operation":
        if _messages(one.type) != _messages(now.type):
            change = f"is {now.type.strip()[:80]} instead of {one.type.strip()[:80]}"
            yield _break(one, "rpc-changed", change, "A client that calls it sends, or expects, another message.", now)
    elif one.number != now.number:
        change = f"has the number {now.number} instead of {one.number}"
        law = "Messages carry the number and not the name: a program that has the old schema reads another field."
        yield _break(one, "number-changed", change, law, now)
    elif one.kind == "field" and not _reads(one.type, now.type):
        law = "The two types are written differently, or mean different types in code."
        yield _break(one, "field-type-changed", f"is {now.type} instead of {one.type}", law, now)
    elif one.is_repeated != now.is_repeated:
        change = "is repeated now" if now.is_repeated else "is no longer repeated"
        yield _break(one, "field-label-changed", change, "One side writes a list and the other reads one value.", now)


def _messages(text: str) -> list[str]:
    """The request and the answer of a call without their package, which may be written or not."""
    return [word.rpartition(".")[2] for word in re.findall(r"[\w.]+", text)]


def _gone(one: _Element, new: _Schema, heir: _Element | None) -> breaks.SchemaBreak:
    """What is gone; another name may have its number."""
    if one.kind == "type":
        law = f"Code that was generated from the new schema has no such {one.type}."
        return _break(one, f"{one.type}-removed", "was removed", law, one)
    if one.kind == "operation":
        law = "A client that calls it gets the answer UNIMPLEMENTED."
        return _break(one, "rpc-removed", "was removed", law, one)
    if heir is None:
        owner = new.get((one.owner.rpartition(".")[0], one.owner.rpartition(".")[2]))
        is_planned = one.is_deprecated or (owner is not None and not owner.reserved.isdisjoint({one.name, one.number}))
        law = _GONE.format(one.kind)
        if not is_planned and one.kind == "field":
            law += f" Its number {one.number} is not reserved, so somebody may use it again."
        return _break(one, f"{one.kind}-removed", "was removed", law, one, is_planned=is_planned)
    if one.kind == "value" or _reads(one.type, heir.type):
        return _break(one, f"{one.kind}-renamed", f"was renamed to {heir.name}", _GONE.format(one.kind), heir)
    change = f"was replaced by {heir.name}, which reuses its number {one.number}"
    law = "Messages that were written before carry the old type under this number: the new schema misreads them."
    return _break(one, "number-reused", change, law, heir)


def _reads(was: str, now: str) -> bool:
    """Whether what was written as one type can be read as the other, and code that names the type stays."""
    return was.rpartition(".")[2] == now.rpartition(".")[2] or (was in _WIRE and _WIRE[was] == _WIRE.get(now))


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a schema names the type, or code the member of a message that it names too."""
    if place.path.endswith(".proto"):
        use = rf"(?:^|[\s.(<,]){re.escape(one.name)}(?:\s++\w++\s*+=|\s*+[,>)])"
        return "hint" if one.kind == "type" and re.search(use, place.text) else ""
    if one.kind == "value":
        return "hint" if len(one.name) > 5 and one.owner in place.whole else ""  # noqa: PLR2004 - shorter ones are words
    if one.kind == "type":
        is_near = one.owner and re.search(r"(?:pb|proto|grpc|_pb2|connect)\b", place.whole)
        return breaks.by_name(one, place, [one.name]) if is_near else ""
    return breaks.by_name(one, place)
