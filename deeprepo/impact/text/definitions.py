"""Split the text of a definition, and compare two texts: heads, parameters, and code without formatting."""

import difflib
import re
from collections import Counter
from collections.abc import Sequence

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.text.lines import code_of, is_comment

HEAD_LINES = 40  # lines; a longer head is not one
OPENING, CLOSING = "([{<", ")]}>"
# String literals.
TEXTS = re.compile(r"(?s)\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`[^`]*+`")
UNSAFE = re.compile(r"\W")
RECEIVER = re.compile(r"\s*\w+\s*\([^)]*\)(?=\s*\w+\s*[(\[])")  # `func (c *Cart)` before the name of a method
BREAKS = re.compile(r"[\n()\[\]{}]")
FORMATTING = re.compile(r" (?!\w)|(?<!\w) |,(?= ?[)\]}])")
# The export before a name, which does not affect what is exported.
OFFERED_AS = re.compile(r"^\s*+(?:(?:module\.)?exports(?:\.[\w$]++)?\s*+=\s*+)++")
ANNOTATED = re.compile(r"^([*.]*+[\w$]++\??+)\s*+:[^=]++")
LONG_PARAMETER = 400  # characters; a longer one is compared unchanged
SHORT = 12  # lines of a definition in which one edited line matters
_TOKEN = re.compile(r"\w+|[^\w\s]")


def parts_of(head: str) -> tuple[str, list[str], str]:
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
    receiver = RECEIVER.match(head, at)
    return head.find("(", receiver.end() if receiver else at)


def head_of(text: str, path: str) -> str:
    """Return the declaration of a definition, without its body."""
    lines, ending = text.split("\n"), filetype(path).head
    depth, head_lines = 0, []
    for line in lines[:HEAD_LINES]:
        head_lines.append(line)
        depth += sum(line.count(one) for one in "([") - sum(line.count(one) for one in ")]")
        decorator = re.match(r"\s*[@#\[]", line) and not re.search(r"\b(?:def|class|function|fn)\b", line)
        if depth > 0 or decorator:
            continue
        ends = re.search(r"[{;]|=>|=\s*$" if ending != "colon" else r":\s*(?:#.*)?$|:\s", line)
        if ends or ending == "line":
            cut = re.search(r"[{;]|=>", line) if ending == "brace" else None
            if cut is not None and depth == 0 and ")" in line[: cut.start()]:
                head_lines[-1] = line[: line.find(cut[0], line.rfind(")", 0, cut.start()) if cut else 0)]
            break
    return "\n".join(head_lines)


def plain_code(text: str, path: str) -> str:
    """Return a definition without comments and empty lines, with normalized string literals."""
    plain = TEXTS.sub(_word, text)
    lines = (code_of(line, path).rstrip() for line in plain.split("\n") if not is_comment(line, path))
    return "\n".join(line for line in lines if line)


def _word(match: re.Match[str]) -> str:
    quotes = 3 if match[0].startswith(('"""', "'''")) else 1
    return f'"{UNSAFE.sub(lambda letter: f"_{ord(letter[0]):x}_", match[0][quotes:-quotes])}"'


def joined(text: str) -> str:
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


def without_name(text: str, names: set[str]) -> str:
    """Return a parameter as written, without its name."""
    word = next((word for word in re.findall(r"[\w$]+", text[:LONG_PARAMETER]) if word in names), None)
    return text if word is None else text.replace(word, "_", 1)


def is_same_parameter(old: str, new: str) -> bool:
    """Return whether a parameter is unchanged, except for an added or removed annotation."""
    if without_formatting(old) == without_formatting(new):
        return True
    if (":" in old and ":" in new) or max(len(old), len(new)) > LONG_PARAMETER:
        return False
    return without_formatting(ANNOTATED.sub(r"\1", old)) == without_formatting(ANNOTATED.sub(r"\1", new))


def is_same_around(
    old: tuple[str, Sequence[str], str], new: tuple[str, Sequence[str], str], granting: str = "(?!)"
) -> bool:
    """Return whether the code around the parameters is unchanged; an added return annotation does not count.

    `granting`: a pattern of words that take nothing from callers when they are added, so they don't count either.
    """
    ends = [
        without_formatting(side[2]).removesuffix("{").removesuffix("=>").removesuffix(":").removesuffix(";")
        for side in (old, new)
    ]
    arrows = [end.startswith("->") for end in ends]
    same_end = ends[0] == ends[1] or (arrows[0] != arrows[1] and {ends[0], ends[1]} & {""} != set())
    starts = [without_formatting(OFFERED_AS.sub("", side[0])) for side in (old, new)]
    added = Counter(re.findall(granting, starts[1])) - Counter(re.findall(granting, starts[0]))
    starts[1] = re.sub(granting, lambda match: "" if added[match[0]] else match[0], starts[1])
    return starts[0] == starts[1] and same_end


def token_likeness(old: str, new: str) -> float:
    """Return how similar the tokens of two short texts are, from 0 to 1.

    Return 0 if each has a word that the other lacks.
    """
    if min(old.count("\n"), new.count("\n")) > SHORT:
        return 0.0
    one, two = (_TOKEN.findall(text) for text in (old, new))
    words = [{token for token in side if token[0].isalpha() or token[0] == "_"} for side in (one, two)]
    if words[0] - words[1] and words[1] - words[0]:
        return 0.0
    return difflib.SequenceMatcher(None, one, two, autojunk=False).ratio()


def line_likeness(one: str, two: str) -> float:
    """Return how similar the lines of two texts are, from 0 to 1."""
    old, new = ([line.strip() for line in text.split("\n")] for text in (one, two))
    shorter, longer = sorted((len(old), len(new)))
    if shorter * 3 < longer:
        return 0.0
    return difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()
