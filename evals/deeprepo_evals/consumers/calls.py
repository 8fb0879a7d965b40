"""Parameter lists and the arguments of calls, counted in plain text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deeprepo_evals.consumers.syntax import Syntax

LONGEST = 4_000  # characters between two parentheses
OPENERS, CLOSERS = "([{", ")]}"
COMMENT = re.compile(r"^\s*(?:#(?!\[)|//)[^\n]*\n?", re.MULTILINE)
RECEIVER = re.compile(r"^(?:(?:&(?:'\w+ )?)?(?:mut )?self\b.*|self|cls|mcs)$")
REST = re.compile(r"^\*|\.\.\.|^params |^vararg |^&\w+$|^/$")
DEFINING = re.compile(
    r"(?:\b(?:def|func|fn|fun|function|class|void|public|protected|private|static|override)\s+(?:[\w<>\[\].]+\s+)*|func \([^)]*\) )$"
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes. `most` is None if there is no bound; `names` is None if any keyword fits."""

    least: int
    most: int | None
    names: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Call:
    """What a call gives."""

    line: int
    positional: int
    keywords: frozenset[str]

    def fits(self, parameters: Parameters) -> bool:
        """Whether the function would take it."""
        given = self.positional + len(self.keywords)
        return (
            (parameters.most is None or self.positional <= parameters.most)
            and given >= parameters.least
            and (parameters.names is None or self.keywords <= parameters.names)
        )


def _inside(text: str, start: int) -> str | None:
    """What is between the parenthesis before `start` and the one that closes it; strings and comments are not looked into closely."""
    depth, quote, at = 1, "", start
    end = min(len(text), start + LONGEST)
    while at < end:
        letter = text[at]
        if quote:
            if letter == "\\":
                at += 1
            elif letter == quote:
                quote = ""
        elif letter in '"`' or (letter == "'" and re.match(r"'(?:[^'\\\n]|\\.)*'", text[at : at + 200])):
            quote = letter
        elif letter in OPENERS:
            depth += 1
        elif letter in CLOSERS:
            depth -= 1
            if not depth:
                return text[start:at]
        at += 1
    return None


def _split(text: str) -> list[str]:
    """The parts between the commas at the top; `<` and `>` of types count as brackets if they are even."""
    openers, closers = (
        (OPENERS + "<", CLOSERS + ">")
        if text.count("<") == text.replace("->", "").replace("=>", "").count(">")
        else (OPENERS, CLOSERS)
    )
    bare = re.sub(
        r"->|=>",
        "  ",
        re.sub(
            r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|(?m:(?:^|\s)#[^\n]*)",
            lambda match: "_" * len(match[0]),
            text,
        ),
    )
    parts, depth, first = [], 0, 0
    for at, letter in enumerate(bare):
        if letter in openers:
            depth += 1
        elif letter in closers:
            depth -= 1
        elif letter == "," and not depth:
            parts.append(text[first:at])
            first = at + 1
    return [part for part in (COMMENT.sub("", part).strip() for part in [*parts, text[first:]]) if part]


def headers(text: str, syntax: Syntax) -> dict[str, set[Parameters]]:
    """The functions of a file by the name under which they are called: a constructor of Python by its class."""
    found: dict[str, set[Parameters]] = {}
    for match in syntax.header.finditer(text):
        inside = _inside(text, match.end())
        name = match[2]
        if name == "__init__":
            above = [
                one
                for one in re.finditer(r"^([ \t]*)class (\w+)", text[: match.start()], re.MULTILINE)
                if len(one[1]) < len(match[1])
            ]
            name = above[-1][2] if above else ""
        if inside is not None and name:
            found.setdefault(name, set()).add(_parameters(inside, syntax))
    return found


def _parameters(text: str, syntax: Syntax) -> Parameters:
    least, names, is_bounded, takes_any = 0, list[str](), True, False
    positional = 0
    only_keywords = False
    for part in _split(text):
        if RECEIVER.match(part):
            continue
        if REST.search(part):
            if part == "*":
                only_keywords = True
            elif part != "/":
                is_bounded, takes_any = is_bounded and part.startswith("**"), takes_any or part.startswith("**")
            continue
        # Go writes several names of one type: each part is a parameter, typed or not.
        word = (
            re.match(r"(\w+)", part)
            if ".py" in syntax.endings
            else re.search(r"\$?(\w+)\s*(?:=.*|:.*)?$", part, re.DOTALL)
        )
        names.append(word[1] if word else "")
        positional += not only_keywords
        is_keyword = ".rb" in syntax.endings and re.match(r"\w+:", part) is not None
        positional -= is_keyword
        least += (
            not (is_keyword and part[-1] != ":")
            and "=" not in re.sub(r"=>|==", "", part)
            and "?:" not in part.replace(" ", "")
        )
    return Parameters(least, positional if is_bounded else None, None if takes_any else frozenset(names))


def calls(text: str, name: str) -> Iterator[Call]:
    """The calls of a name in a file whose arguments can be counted."""
    for match in re.finditer(rf"(?<![\w$]){re.escape(name)}(?:::<[^(\n]*>|<[\w, .]*>)?\(", text):
        if DEFINING.search(text[max(0, match.start() - 80) : match.start()].rpartition("\n")[2]):
            continue
        inside = _inside(text, match.end())
        if inside is None or re.search(r"(?:^|[\s,(])\*|\.\.\.", inside):
            continue
        positional, keywords = 0, set[str]()
        for part in _split(inside):
            keyword = re.match(r"(\w+)\s*(?:=(?![=>])|:(?!:)\s)", part)
            if keyword:
                keywords.add(keyword[1])
            else:
                positional += 1
        yield Call(text.count("\n", 0, match.start()) + 1, positional, frozenset(keywords))
