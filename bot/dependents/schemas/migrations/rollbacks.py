"""What takes a migration back: its functions and arguments for that, which a look at its steps leaves out. Pure."""

import ast
import re

from bot.dependents.schemas.migrations import reversals
from bot.dependents.schemas.reverse_arguments import without_reverse
from bot.text.filetypes import filetype
from bot.text.lines import line_number

# The head of a function that takes back.
_DOWN = re.compile(
    r"^(?P<indent>[ \t]*+)(?:def[ \t]++(?:self\.)?(?P<ruby>down)\b|(?:public[ \t]++|protected[ \t]++|override[ \t]++|async[ \t]++|export[ \t]++|const[ \t]++|exports\.)*+"
    r"(?:(?:function|void)[ \t]++)?(?P<plain>down|Down)[ \t]*+(?:[(=:])|(?:\w+\.)?(?P<block>down)[ \t]++do\b|(?P<go>Rollback|Down|down|rollback)[ \t]*+[:=][ \t]*+func)",
    re.MULTILINE,
)
_UP = re.compile(
    r"(?:(?<![\w$.>])|(?<=exports\.))(?:up|Up|upgrade|change)(?![\w$])(?=[ \t]*+[(=:\"'`\]]|[ \t]*+$|[ \t]++do\b)"
)
# The words that open and close a block, in languages where brackets do not.
_BLOCK_WORDS = {
    "ruby": (
        re.compile(r"^(?:def|if|unless|case|begin|class|module|while|until|for)\b|\bdo\b"),
        re.compile(r"(?<![\w.:])end\b"),
    ),
    "elixir": (re.compile(r"\bdo\b(?!:)|(?<![\w.:])fn\b"), re.compile(r"(?<![\w.:])end\b(?!:)")),
}
# Names that a module hands out: { up, down }
_HANDED_OUT = re.compile(r"\{\s*+(?:\w++\s*+,\s*+)*+(?:\w++\s*+)?\}")


def forward_lines(text: str, path: str) -> frozenset[int]:
    """The lines of a migration in code that do not take it back."""
    return frozenset(at for at, line in enumerate(forward(text, path).split("\n"), 1) if line)


def forward(text: str, path: str) -> str:
    """A text whose functions and arguments that take back are blank; lines stay where they are.

    The name of a function alone proves nothing: one that anything else in the file names, or that ends before its indentation does, may be carried out.
    """
    blank_lines = _down_of_python(text, path) if filetype(path).parser == "python" else _down_of_others(text, path)
    rest = without_reverse(text, path)
    text = "\n".join("" if at in blank_lines else line for at, line in enumerate(rest.split("\n"), 1))
    return reversals.forward_steps(text) if filetype(path).parser == "ruby" else text


def _down_of_python(text: str, path: str) -> set[int]:
    """The lines of the bodies of functions that take back."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    homes = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    nodes = [
        node
        for body in homes
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in ("down", "downgrade")
    ]
    return {
        line
        for node in nodes
        if len(nodes) == 1 and not node.decorator_list and not _is_named(node.name, text, 1, path)
        for line in range(max(node.body[0].lineno, node.lineno + 1), (node.end_lineno or node.lineno) + 1)
    }


def _is_named(name: str, text: str, times: int, path: str) -> bool:
    """Whether code names a function more often than it is defined; a list of names that a module hands out names nothing."""
    code = "\n".join(line for line in text.split("\n") if not is_remark(line, path))
    return len(re.findall(rf"(?<![\w$]){name}(?![\w$])", _HANDED_OUT.sub("", code))) > times


def is_remark(line: str, path: str) -> bool:
    """Whether a line is a comment by its own beginning: one that begins with a star may go on with an expression."""
    start, kind = line.lstrip(), filetype(path)
    if kind.slash_comments and start.startswith(("//", "#[")):
        return start.startswith("//")
    return kind.hash_comments and start.startswith("#")


def _down_of_others(text: str, path: str) -> set[int]:
    """The same in languages with brackets or an `end`: as far as the function goes by both its brackets and its indentation."""
    lines = text.split("\n")
    matches = [*_DOWN.finditer(text)]
    names = [next(filter(None, match.group("ruby", "plain", "block", "go"))) for match in matches]
    blank_lines: set[int] = set()
    for match, name in zip(matches, names, strict=True):
        if _is_named(name, text, names.count(name), path) or (match["block"] and reversals.turns(text)):
            continue
        first = line_number(text, match.start())
        indent, depth, last_line = len(match["indent"]), 0, ""
        for number in range(first, len(lines) + 1):
            line = lines[number - 1]
            code = line.strip()
            inner = len(line) - len(line.lstrip())
            is_over = number > first and not depth and not code.startswith((".", ")", "]", "}", "{", "?", ":"))
            is_over &= not last_line.endswith(("=", ",", "=>", "(", "."))
            if code and (_UP.search(line) or (number > first and (is_over or inner < indent))):
                break
            blank_lines.add(number)
            depth += _depth(code, path)
            last_line = code or last_line
            if number > first and code and inner == indent and code[0] not in ")}{":
                blank_lines.discard(number)
                break
            if depth < 0 or (not depth and code.endswith(("}", "};", "end", "},", ");"))):
                break
    return blank_lines


def _depth(code: str, path: str) -> int:
    """How much deeper a line goes by what it opens and closes."""
    if words := _BLOCK_WORDS.get(filetype(path).parser):
        opening, closing = words
        return len(opening.findall(code)) - len(closing.findall(code))
    return sum(code.count(one) for one in "([{") - sum(code.count(one) for one in ")]}")
