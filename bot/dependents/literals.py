"""What object literals of JavaScript hold by shorthand, and what patterns take out of an object: `return { items, total }`, `const { total } = load()`."""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?"
    r"|=>|===?|\.\.\.|[\w$]++|[^\s\w$]",
    re.DOTALL,
)
_VALUE = frozenset(("return", "(", "=", "=>", "[", ",", ":", "?", "default", "yield", "await", "&&", "|", "&"))
ATTRIBUTE = "an attribute of JSX"  # what stands before the braces of `value={total}`, which hold an expression
_LARGEST = 400_000  # characters of a file
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class _Bracket:
    opening: str
    before: str
    line: int
    names: list[tuple[str, int]] = field(default_factory=list)  # with the line
    keys: list[tuple[str, int]] = field(default_factory=list)  # the same of `name: value`
    inner: list["_Bracket"] = field(default_factory=list)  # braces that only what follows the round bracket explains


@dataclass(frozen=True, slots=True)
class Shorthands:
    """The names of one file, each with its lines."""

    gives: dict[str, list[int]]
    takes: dict[str, list[int]]


def shorthands(text: str) -> Shorthands:
    """Read the braces of a file: what is given and what is taken, told apart by what stands around them."""
    result = Shorthands({}, {})
    stack: list[_Bracket] = []
    last_brackets: list[_Bracket] = []  # the bracket that the part before this one closed
    line, at, before, last = 1, 0, "", ""
    start = 0
    for match in _TOKEN.finditer(text) if len(text) <= _LARGEST else ():
        part = match[0]
        line += text.count("\n", start, match.start())
        start = match.start()
        if part.startswith(("//", "/*")):
            continue
        for one in last_brackets:
            _resolve(one, part, stack, result)
        last_brackets = []
        if stack and stack[-1].opening == "{" and before in ("{", ",") and last.isidentifier() and part in ",}=:":
            (stack[-1].keys if part == ":" else stack[-1].names).append((last, at))
        if part in "([{":
            is_attribute = (
                part == "{" and last == "=" and text[start - 1] == "=" and text[start - 2 : start - 1].isalnum()
            )
            stack.append(_Bracket(part, ATTRIBUTE if is_attribute else last, line))
        elif part in _CLOSES and stack and stack[-1].opening == _CLOSES[part]:
            last_brackets = [stack.pop()]
        before, last, at = last, part, line
    for one in last_brackets:
        _resolve(one, "", stack, result)
    return result


def _resolve(one: _Bracket, after: str, stack: list[_Bracket], result: Shorthands) -> None:
    """Decide about the braces that were closed, by the part behind them."""
    if one.opening == "(":
        is_parameters = after in ("=>", "{", ":")
        for brace in one.inner:
            _note(result, brace, is_taken=is_parameters)
    elif one.opening == "{":
        if after == "=" or one.before in ("const", "let", "var"):
            _note(result, one, is_taken=True)
        elif stack and stack[-1].opening == "(" and one.before in ("(", ","):
            stack[-1].inner.append(one)
        elif one.before in _VALUE or (one.before == "{" and stack and stack[-1].before == ATTRIBUTE):
            _note(result, one, is_taken=False)


def _note(result: Shorthands, brace: _Bracket, *, is_taken: bool) -> None:
    lines_by_name = result.takes if is_taken else result.gives
    for name, line in (*brace.names, *(brace.keys if is_taken else ())):
        lines_by_name.setdefault(name, []).append(line)
