"""Decide which parts of a definition's contract changed, that is, what its users depend on.

Only a changed contract requires checking the references. A new body is reviewed on its own, because comments,
white space and other ways to the same result do not affect users. The kinds:

| kind | example |
|---|---|
| removed, renamed | the name no longer exists, or it moved to another file |
| parameters | one was removed, renamed, moved, or is now required; not a new optional one at the end |
| declaration | a parameter's annotation or default, return type, visibility, `async`, decorators, `throws`, a
class's bases |
| errors | other `raise`, `throw` or `panic` statements |
| value | the value of a constant, a field or an enum member; not a version number |
"""

import re
from collections import Counter
from collections.abc import Sequence

from deeprepo.impact.changes import ChangedSymbol, Contract
from deeprepo.impact.filetypes import FileType, filetype
from deeprepo.impact.text.lines import code_of, is_comment
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.values import COMPONENT, Definition, Parameter

ERRORS = re.compile(r"\b(?:raise|throw|panic!?|unreachable!|todo!)\b[^;\n]*")
VERSION = re.compile(r"(^|[._])(version(_?info)?|__version__|release)(\$\d+)?$", re.IGNORECASE)
# The export before a name, which does not affect what is exported.
OFFERED_AS = re.compile(r"^\s*+(?:(?:module\.)?exports(?:\.[\w$]++)?\s*+=\s*+)++")
NUMBERED = re.compile(r"\d(?:\.|_2e_)\d")  # a text has its marks replaced
HEAD_LINES = 40  # lines; a longer head is not one
ANNOTATED = re.compile(r"^([*.]*+[\w$]++\??+)\s*+:[^=]++")
LONG_PARAMETER = 400  # characters; a longer one is compared unchanged
WORD = re.compile(r"\w+")
CALLABLE = frozenset({"function", "method", "declaration", "implementation"})
PLACES = frozenset({"positional", "only"})
NAMED = re.compile(r"\$?[^\W_]")  # neither unnamed nor destructured
OPENING, CLOSING = "([{<", ")]}>"
# String literals.
TEXTS = re.compile(r"(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`[^`]*+`")
UNSAFE = re.compile(r"\W")
# Words before a function that take nothing from its callers when they are added.
GRANTED = re.compile(r"\b(?:constexpr|inline|const(?=\s(?:unsafe\s)?fn\b))\s")
ENUM = re.compile(r"(?:^|\s)enum\s")
VALUE_LINES = 3  # lines of a value without code; a longer one may contain a body
CODE = re.compile(r"=>|->|\b(?:function|lambda|func|fn|proc)\b")
BREAKS = re.compile(r"[\n()\[\]{}]")
FORMATTING = re.compile(r" (?!\w)|(?<!\w) |,(?= ?[)\]}])")


def contract(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    """Return the parts of the contract that the change affects.

    `before` and `after` are the definition's source on each side.
    """
    if is_test((item.before or item.symbol).path):
        return ()  # only tests depend on it, and they are run
    if item.change in ("removed", "renamed"):
        return (item.change,)
    if item.change == "added" or item.before is None or item.after is None:
        return ()
    old, new = _code(before, item.before.path), _code(after, item.after.path)
    if without_formatting(old) == without_formatting(new):
        was, now = item.before.called, item.after.called
        return ("declaration",) if was is not None and now is not None and is_contested(was, now) else ()
    if item.symbol.kind == "variable":
        return _value(item, old, new)
    return _changes(item, old, new)


def _component(was: Definition, now: Definition, old: str, new: str) -> tuple[Contract, ...]:
    """Return the changed parts of the contract of a member that its class lists or used to declare."""
    if was.kind != now.kind:
        return ()
    if was.called and now.called:  # a constructor generated from fields
        is_same = _extends(was.listed, now.listed, by_name=False)
        if is_same and was.head == now.head:
            return ()
        return ("declaration",) if is_same else ("parameters",)
    one, other = (_of_head(side, was.short) for side in (old, new))
    return () if without_formatting(one) == without_formatting(other) else ("value",)


def _of_head(text: str, name: str) -> str:
    """Return one member as a class head writes it, among others or on its own line."""
    own = next((one for one in _parts(text)[1] if name in WORD.findall(one)), "")
    is_alone = name in WORD.findall(re.split(r"[(\[]", text, maxsplit=1)[0])
    return own or (text.rstrip(", ") if is_alone else "")


def is_contested(before: Definition, after: Definition) -> bool:
    """Return whether it is newly decided at run time which of several definitions is in effect."""
    return after.ambiguous and not before.opaque and not (before.ambiguous and before.also == after.also)


def _changes(item: ChangedSymbol, old: str, new: str) -> tuple[Contract, ...]:
    """Return the changed parts of the contract of a definition whose code differs between the sides."""
    before, after = (side.called if side is not None else None for side in (item.before, item.after))
    if item.before and item.after and COMPONENT in (item.before.kind, item.after.kind):
        return _component(item.before, item.after, old, new)
    language = filetype(item.symbol.path)
    if item.symbol.kind in CALLABLE or before is not None:
        return _callable(before, after, old, new, language)
    if item.symbol.kind == "type":
        return () if _gains_cases(old, new) else ("declaration",)
    return (
        ("declaration",) if without_formatting(_head(old, language)) != without_formatting(_head(new, language)) else ()
    )


def _gains_cases(old: str, new: str) -> bool:
    """Return whether an enum only gains members: code that must name each of them is searched on its own."""
    before, after = ([line.strip().rstrip(",;") for line in side.split("\n")] for side in (old, new))
    left = iter(after)
    return ENUM.search(old.partition("{")[0]) is not None and all(line in left for line in before)


def _value(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    if VERSION.search(item.symbol.name) and NUMBERED.search(after):
        return ()
    if after.count("\n") >= VALUE_LINES and CODE.search(after):
        return ()  # the body of a function among the values
    short = re.escape(item.symbol.name.rpartition(".")[2])
    heads = (without_formatting(re.split(rf"\b{short}\b", side, maxsplit=1)[0]) for side in (before, after))
    return ("value",) if len(set(heads)) == 1 else ("value", "declaration")  # `readonly`, another visibility


def _callable(
    before: Definition | None,
    after: Definition | None,
    old: str,
    new: str,
    language: FileType,
) -> tuple[Contract, ...]:
    changes: list[Contract] = []
    old_head, new_head = _head(old, language), _head(new, language)
    old_parts, new_parts = _parts(old_head), _parts(new_head)
    if before is not None and after is not None and before.also != after.also:
        changes.append("parameters")
    elif old_parts[1] != new_parts[1]:
        changes += _parameters(
            before, after, old_parts[1], new_parts[1], by_name=bool(language.arguments.named_arguments)
        )
    is_doubtful = before is not None and after is not None and is_contested(before, after)
    if is_doubtful or not _same_around(old_parts, new_parts):
        changes.append("declaration")
    if _errors(old) != _errors(new):
        changes.append("errors")
    return tuple(dict.fromkeys(changes))


def _errors(text: str) -> Counter[str]:
    """Return the statements that raise an error, with their counts."""
    return Counter(without_formatting(statement.rstrip(" }")) for statement in ERRORS.findall(_joined(text)))


def _parameters(
    before: Definition | None, after: Definition | None, old: Sequence[str], new: Sequence[str], *, by_name: bool
) -> list[Contract]:
    """Return what changed between two parameter lists. `by_name`: calls may name parameters."""
    if before is None or after is None:
        return ["parameters"]
    is_compatible = _extends(before.listed, after.listed, by_name=by_name)
    changes: list[Contract] = [] if is_compatible and not moved_places(before, after) else ["parameters"]
    was, now = ({item.name for item in side.listed} for side in (before, after))
    if by_name:
        one, other = _by_name(old, before.listed), _by_name(new, after.listed)
        same = all(_same_parameter(one.get(name, ""), other.get(name, "")) for name in was & now)
    else:
        pairs = zip(old, new, strict=False)
        same = all(_same_parameter(_nameless(one, was), _nameless(other, now)) for one, other in pairs)
    if not same:
        changes.append("declaration")
    if not changes and before.opaque:
        changes.append("parameters")  # unreadable parameters cannot count as compatible
    return changes


def _extends(before: Sequence[Parameter], after: Sequence[Parameter], *, by_name: bool) -> bool:
    """Return whether every former call still matches with the same meaning.

    New parameters must be optional, and last or named.
    """
    old = [item for item in before if item.kind in ("positional", "only")]
    new = [item for item in after if item.kind in ("positional", "only")]
    if len(new) < len(old) or any(item.is_required for item in new[len(old) :]):
        return False
    if not all(_fits(one, other, by_name=by_name) for one, other in zip(old, new, strict=False)):
        return False
    keywords = {item.name: item for item in before if item.kind == "keyword"}
    now = {item.name: item for item in after if item.kind in ("keyword", "positional")}
    if any(name not in now or (now[name].is_required and not item.is_required) for name, item in keywords.items()):
        return False
    if any(item.is_required and item.name not in keywords for item in after if item.kind == "keyword"):
        return False
    rest = {item.kind for item in before if item.kind in ("rest", "named_rest")}
    return rest <= {item.kind for item in after} and not ("rest" in rest and len(new) > len(old))


def moved_places(before: Definition, after: Definition) -> frozenset[int]:
    """Return the positions whose argument now reaches another parameter."""
    if before.also or after.also:
        return frozenset()  # the arguments decide which overload a call uses
    old, new = ([item for item in side.listed if item.kind in PLACES] for side in (before, after))
    names_before, names_after = (_own_names(side) for side in (before, after))
    rest = any(item.kind == "rest" for item in after.listed)
    collects = any(item.kind == "rest" for item in before.listed)
    places = set(range(len(old), len(new))) if collects else set[int]()  # what was collected has a name now
    for index, item in enumerate(old):
        other = new[index].name if index < len(new) else ""
        if other == item.name or (index >= len(new) and not rest):
            continue
        if item.name in names_after or other in names_before or (index >= len(new) and item.name in names_before):
            places.add(index)
    return frozenset(places)


def _own_names(one: Definition) -> frozenset[str]:
    """Return the parameter names that occur only once."""
    many = Counter(item.name for item in one.listed)
    return frozenset(name for name, count in many.items() if count == 1 and NAMED.match(name))


def _fits(old: Parameter, new: Parameter, *, by_name: bool) -> bool:
    """Return whether every argument for the old parameter also matches the new one."""
    is_rename = by_name and old.name != new.name and old.kind == "positional"
    is_hidden_name = old.kind == "positional" and new.kind == "only"
    return not is_rename and not is_hidden_name and not (new.is_required and not old.is_required)


def _nameless(text: str, names: set[str]) -> str:
    """Return a parameter as written, without its name."""
    word = next((word for word in re.findall(r"[\w$]+", text[:LONG_PARAMETER]) if word in names), None)
    return text if word is None else text.replace(word, "_", 1)


def _by_name(texts: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, str]:
    """Return the parameters as written, by name; the first text that contains a name is used."""
    texts_by_name: dict[str, str] = {}
    for text in texts:
        words = set(WORD.findall(text))
        name = next((one.name for one in parameters if one.name in words and one.name not in texts_by_name), "")
        if name:
            texts_by_name[name] = text
    return texts_by_name


def _same_parameter(old: str, new: str) -> bool:
    """Return whether a parameter is the same, except for an added or removed annotation."""
    if without_formatting(old) == without_formatting(new):
        return True
    if (":" in old and ":" in new) or max(len(old), len(new)) > LONG_PARAMETER:
        return False
    return without_formatting(ANNOTATED.sub(r"\1", old)) == without_formatting(ANNOTATED.sub(r"\1", new))


def _same_around(old: tuple[str, Sequence[str], str], new: tuple[str, Sequence[str], str]) -> bool:
    """Return whether the code around the parameters is the same; an added return annotation does not count.

    Neither does an added word that takes nothing from callers, such as `constexpr`.
    """
    ends = [
        without_formatting(side[2]).removesuffix("{").removesuffix("=>").removesuffix(":").removesuffix(";")
        for side in (old, new)
    ]
    arrows = [end.startswith("->") for end in ends]
    same_end = ends[0] == ends[1] or (arrows[0] != arrows[1] and {ends[0], ends[1]} & {""} != set())
    starts = [without_formatting(OFFERED_AS.sub("", side[0])) for side in (old, new)]
    added = Counter(GRANTED.findall(starts[1])) - Counter(GRANTED.findall(starts[0]))
    starts[1] = GRANTED.sub(lambda match: "" if added[match[0]] else match[0], starts[1])
    return starts[0] == starts[1] and same_end


def _parts(head: str) -> tuple[str, list[str], str]:
    """Return the text before the parameters, the parameters, and the text after them."""
    start = _opening(head)
    if start < 0:
        return head, [], ""
    depth, at, parts = 0, start + 1, []
    for index in range(start, len(head)):
        letter = head[index]
        if letter in OPENING and not (letter == "<" and head[index + 1 : index + 2] in "=< "):
            depth += 1
        elif letter in CLOSING and not (letter == ">" and head[index - 1] in "-=> "):
            depth -= 1
        if (letter == "," and depth == 1) or depth == 0:
            parts.append(" ".join(head[at:index].split()))
            at = index + 1
        if depth == 0:
            return head[:start], [text for text in parts if text], head[index + 1 :]
    return head, [], ""


def _opening(head: str) -> int:
    """Return where the parameters begin: after the name, not in a decorator or receiver."""
    lines, at = head.split("\n"), 0
    for line in lines:
        if not re.match(r"\s*[@#\[]", line):
            break
        at += len(line) + 1
    receiver = re.match(r"\s*func\s*\([^)]*\)", head[at:])
    return head.find("(", at + (receiver.end() if receiver else 0))


def _head(text: str, language: FileType) -> str:
    """Return the declaration of a definition, without its body."""
    lines = text.split("\n")
    depth, head_lines = 0, []
    for line in lines[:HEAD_LINES]:
        head_lines.append(line)
        depth += sum(line.count(one) for one in "([") - sum(line.count(one) for one in ")]")
        decorator = re.match(r"\s*[@#\[]", line) and not re.search(r"\b(?:def|class|function|fn)\b", line)
        if depth > 0 or decorator:
            continue
        ends = re.search(r"[{;]|=>|=\s*$" if language.head != "colon" else r":\s*(?:#.*)?$|:\s", line)
        if ends or language.head == "line":
            cut = re.search(r"[{;]|=>", line) if language.head == "brace" else None
            if cut is not None and depth == 0 and ")" in line[: cut.start()]:
                head_lines[-1] = line[: line.find(cut[0], line.rfind(")", 0, cut.start()) if cut else 0)]
            break
    return "\n".join(head_lines)


def _code(text: str, path: str) -> str:
    """Return a definition without comments and empty lines, with normalized string literals."""
    plain = TEXTS.sub(_word, text)
    lines = (code_of(line, path).rstrip() for line in plain.split("\n") if not is_comment(line, path))
    return "\n".join(line for line in lines if line)


def _word(match: re.Match[str]) -> str:
    quotes = 3 if match[0].startswith(('"""', "'''")) else 1
    return f'"{UNSAFE.sub(lambda letter: f"_{ord(letter[0]):x}_", match[0][quotes:-quotes])}"'


def _joined(text: str) -> str:
    """Join lines within brackets, so that a formatter's line breaks do not matter."""
    pieces, at, brackets = list[str](), 0, list[str]()
    for match in BREAKS.finditer(text):
        if match[0] == "\n":
            if brackets and brackets[-1] in "([":
                pieces += [text[at : match.start()], " "]
                at = match.end()
        elif match[0] in "([{":
            brackets.append(match[0])
        elif brackets:
            brackets.pop()
    return "".join([*pieces, text[at:]])


def without_formatting(text: str) -> str:
    """Return code without the white space, commas and last semicolon that a formatter controls."""
    return FORMATTING.sub("", " ".join(text.split())).rstrip(";")
