"""Which part of a changed definition's contract changed: what its users rely on, apart from how it works inside. Pure.

Only a change of the contract gives anybody reason to look at the uses. A new body is judged where it stands: a comment, a docstring,
other white space, another way to the same result change nothing that a user has written down. The kinds:

| kind | example |
|---|---|
| removed, renamed | the name is gone, or it moved to another file |
| parameters | one is gone, renamed, moved, or required now. A new optional one at the end breaks nobody |
| declaration | the rest of its head: a type, a default, the visibility, the bases of a class |
| errors | other `raise`, `throw` or `panic` statements |
| value | the value of a constant, a field or an enum member; not the number of a version |
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.text.filetypes import filetype
from bot.text.lines import binds, code_of, defines, is_comment, says
from bot.text.paths import is_test
from bot.values import COMPONENT, ChangedSymbol, Contract, Parameter, Signature

ERRORS = re.compile(r"\b(?:raise|throw|panic!?|unreachable!|todo!)\b[^;\n]*")
VERSION = re.compile(r"(^|[._])(version(_?info)?|__version__|release)(\$\d+)?$", re.IGNORECASE)
NUMBERED = re.compile(r"\d\.\d")
ATTRIBUTE = re.compile(r"(?:\b(?:self|this|cls)(?:\.|->)|@)([A-Za-z_]\w*)\s*(?::[^=\n]{1,80})?=(?![=>~])")
WORD = re.compile(r"\w+")
ASSIGNS = re.compile(r"(?<![=!<>])=(?![=>~])")
OWN = r"(?:\b(?:self|this|cls)(?:\.|->)|@)NAME\b"
FIELD = (
    r"^\s*+(?:public|private|protected|internal|static|readonly|final|var|val|let|const|declare|override|attr_accessor|attr_reader)\s"
    r"[\w$<>\[\]?|:, ]{0,120}?[#:$]?\bNAME\b|\bsetattr\(\s*+self\s*+,\s*+[\"']NAME[\"']|\b(?:as|for)\s++self\.NAME\b"
)
PLACES = frozenset({"positional", "positional-only"})
NAMED = re.compile(r"\$?[^\W_]")  # neither nameless nor taken apart
VALUE_LINES = 3  # of a value without code; what changes in a longer one may be a body
CODE = re.compile(r"=>|->|\b(?:function|lambda|func|fn|proc)\b")
TEXTS = re.compile(
    r"(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`[^`]*+`"
)  # what stands between quotes
UNSAFE = re.compile(r"\W")
BREAKS = re.compile(r"[\n()\[\]{}]")
HEAD = re.compile(r"[^{;]*?(?=[{;]|=>|:\s*(?:\n|$)|$)")  # of a class or a type, up to its body
TYPED = re.compile(r"\s*+(?::[^,=()]++|->[^{]*+)")
FORMATTING = re.compile(r" (?!\w)|(?<!\w) |,(?= ?[)\]}])")


def contract(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    """The parts of the contract that the change touches. `before`, `after`: the definition as it is written on each side."""
    if is_test((item.before or item.symbol).path):
        return ()  # nothing but tests rely on it, and they are run
    if item.change in ("removed", "renamed"):
        return (item.change,)
    if item.change == "added" or item.before is None or item.after is None:
        return ()
    was, now = item.before.signature, item.after.signature
    if was is None or now is None:
        return _written(item, before, after)
    changes = _callable(was, now, by_name=bool(filetype(item.symbol.path).named_arguments))
    raised = [_errors(_code(text, side.path)) for text, side in ((before, item.before), (after, item.after))]
    return changes if raised[0] == raised[1] else (*changes, "errors")


def _written(item: ChangedSymbol, before: str, after: str) -> tuple[Contract, ...]:
    """What changed of a definition that nobody calls."""
    kind, sides = item.symbol.kind, [_code(side, item.symbol.path) for side in (before, after)]
    if kind == COMPONENT:
        named = [[line for line in side.split("\n") if item.symbol.short in WORD.findall(line)] for side in sides]
        return ("value",) if named[0] != named[1] else ()
    if kind == "variable":
        is_version = VERSION.search(item.symbol.name) and NUMBERED.search(after)
        is_body = sides[1].count("\n") >= VALUE_LINES and CODE.search(after)
        return ("value",) if _squeeze(sides[0]) != _squeeze(sides[1]) and not is_version and not is_body else ()
    heads = [side if kind == "type" else side[: match.end()] for side in sides if (match := HEAD.match(side))]
    return ("declaration",) if _squeeze(heads[0]) != _squeeze(heads[1]) else ()


def with_contract(item: ChangedSymbol, before: str, after: str) -> ChangedSymbol:
    """The same definition with what changed for its users."""
    return replace(item, contract=contract(item, before, after))


def _callable(was: Signature, now: Signature, *, by_name: bool) -> tuple[Contract, ...]:
    """What changed between two heads. `by_name`: a call may write a parameter's name."""
    is_compatible = _extends(was.parameters, now.parameters, by_name=by_name) and not moved_places(was, now)
    if was.also != now.also or not is_compatible:
        return ("parameters",)
    if is_contested(was, now):
        return ("declaration",)
    one, other = TEXTS.sub(_word, was.text), TEXTS.sub(_word, now.text)
    if not TYPED.search(one) or not TYPED.search(other):  # the first notes for readers change no call
        one, other = TYPED.sub("", one), TYPED.sub("", other)
    many = len(was.parameters)
    is_longer = len(now.parameters) > many and now.parameters[:many] == was.parameters  # which breaks nobody
    return ("declaration",) if not is_longer and _squeeze(one) != _squeeze(other) else ()


def _errors(text: str) -> Counter[str]:
    """The statements that raise an error."""
    return Counter(_squeeze(statement.rstrip(" }")) for statement in ERRORS.findall(_joined(text)))


def is_contested(before: Signature, after: Signature) -> bool:
    """Whether the change leaves it to a run which of several definitions counts. Of one that says nothing of itself (a property) it may."""
    return after.ambiguous and not before.opaque and not (before.ambiguous and before.also == after.also)


def lost_attributes(before: str, after: str, path: str) -> frozenset[str]:
    """Attributes that a text sets on its own objects and that another one sets no more: a line that reads one, or says its name, sets none."""
    lost_names = set(ATTRIBUTE.findall(before))
    lines = after.split("\n") if lost_names else []
    outer = sorted({_indent(line) for line in lines if line.strip()})[:2]  # deeper is a function's own
    for line in lines:
        for name in lost_names.intersection(WORD.findall(line)):
            is_bound = defines(line, name) or (_indent(line) in outer and binds(line, name))
            if not is_comment(line, path) and (_sets_attribute(name, line) or is_bound):
                lost_names.discard(name)
    return frozenset(lost_names)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _sets_attribute(name: str, line: str) -> bool:
    """Whether a line assigns to the attribute, alone or among others, or declares it as a field."""
    left = ASSIGNS.split(line, maxsplit=1)
    return name in ATTRIBUTE.findall(line) or (len(left) > 1 and says(OWN, name, left[0])) or says(FIELD, name, line)


def _extends(before: Sequence[Parameter], after: Sequence[Parameter], *, by_name: bool) -> bool:
    """Whether every call that fitted still fits and means the same: what is new stands behind, or has a name, and is optional."""
    old = [item for item in before if item.kind in ("positional", "positional-only")]
    new = [item for item in after if item.kind in ("positional", "positional-only")]
    if len(new) < len(old) or any(item.is_required for item in new[len(old) :]):
        return False
    if not all(_fits(one, other, by_name=by_name) for one, other in zip(old, new, strict=False)):
        return False
    keywords = {item.name: item for item in before if item.kind == "keyword-only"}
    now = {item.name: item for item in after if item.kind in ("keyword-only", "positional")}
    if any(name not in now or (now[name].is_required and not item.is_required) for name, item in keywords.items()):
        return False
    if any(item.is_required and item.name not in keywords for item in after if item.kind == "keyword-only"):
        return False
    rest = {item.kind for item in before if item.kind in ("varargs", "kwargs")}
    return rest <= {item.kind for item in after} and not ("varargs" in rest and len(new) > len(old))


def moved_places(before: Signature, after: Signature) -> frozenset[int]:
    """The places at which a positional argument reaches another parameter than before: one that moved, or makes room, or collects the rest."""
    if before.also or after.also:
        return frozenset()  # which overload a call takes, its arguments decide
    old, new = ([item for item in side.parameters if item.kind in PLACES] for side in (before, after))
    names_before, names_after = (_own_names(side) for side in (before, after))
    rest = any(item.kind == "varargs" for item in after.parameters)
    collects = any(item.kind == "varargs" for item in before.parameters)
    places = set(range(len(old), len(new))) if collects else set[int]()  # what was collected has a name now
    for index, item in enumerate(old):
        other = new[index].name if index < len(new) else ""
        if other == item.name or (index >= len(new) and not rest):
            continue
        if item.name in names_after or other in names_before or (index >= len(new) and item.name in names_before):
            places.add(index)
    return frozenset(places)


def _own_names(signature: Signature) -> frozenset[str]:
    """The names that tell one parameter of a signature from the others."""
    many = Counter(item.name for item in signature.parameters)
    return frozenset(name for name, count in many.items() if count == 1 and NAMED.match(name))


def _fits(old: Parameter, new: Parameter, *, by_name: bool) -> bool:
    """Whether every argument for the old parameter also fits the new one."""
    is_rename = by_name and old.name != new.name and old.kind == "positional"
    is_hidden_name = old.kind == "positional" and new.kind == "positional-only"
    return not is_rename and not is_hidden_name and not (new.is_required and not old.is_required)


def _code(text: str, path: str) -> str:
    """A definition without comments and empty lines; what stands between quotes is a word, whichever quotes they are."""
    plain = TEXTS.sub(_word, text)
    lines = (code_of(line, path).rstrip() for line in plain.split("\n") if not is_comment(line, path))
    return "\n".join(line for line in lines if line)


def _word(match: re.Match[str]) -> str:
    quotes = 3 if match[0].startswith(('"""', "'''")) else 1
    return f'"{UNSAFE.sub(lambda letter: f"_{ord(letter[0]):x}_", match[0][quotes:-quotes])}"'


def _joined(text: str) -> str:
    """Join the lines within brackets, so that it does not matter where a formatter breaks them."""
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


def _squeeze(text: str) -> str:
    """Code without the white space, the commas and the last semicolon that a formatter decides about."""
    return FORMATTING.sub("", " ".join(text.split())).rstrip(";")
