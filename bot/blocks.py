"""Find the whole syntax block around a line by indentation.

Examples are a switch with its default, or a try with its handlers. A block that is too long is cut at
statement borders. It keeps the branch with the line, the heads of omitted parts, and a short last branch.
"""

import re
from collections.abc import Iterator, Sequence

from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import is_comment

MOST_SCANNED = 1_500  # lines that are searched upwards, and downwards
LONG_HEAD = 8  # lines of a signature
MAX_LEVELS = 40  # blocks around one line
NEAR = 4  # lines before and after a statement in a long block, in whole statements
LAST_BRANCH = 5  # lines of the last branch of a long block
MOST_HANDLERS = 12  # lines of all handlers of a long try
TAB = 4  # columns
LONGEST = 180  # lines of a block that is only found by indentation
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b|fi\b|done\b|esac\b)")
# The rest of a head: its brace on a separate line, or conditions on its types.
_GOES_ON = re.compile(r"\s*(?:\{\s*$|where\b)")
_BRANCH = re.compile(
    r"\s*(?:\}\s*)?(?:(?:elif|elsif|elseif|except|catch)\b|(?:else|finally|rescue|ensure|case|default|when|otherwise|with\s+_)\b(?!\s*[=.(]\w*\s*[;,]?$))"
    r"|\s*_\s*(?:if\b.*)?=>"
)
_LAST = re.compile(r"\s*(?:\}\s*)?(?:else|default|finally|otherwise|case\s+_)\b|\s*_\s*=>")
_HANDLER = re.compile(r"^\s*(?:\}\s*)?(?:except|catch|rescue|ensure|finally)\b")
# A decorator, an annotation or an attribute on a separate line.
_ANNOTATION = re.compile(r"\s*(?:@[\w$]|#!?\[|\[\[?[A-Za-z_][\w.:]*(?:[(,\]]|\s*$))")
MOST_ANNOTATIONS = 8  # lines of annotations above a definition
_DOCSTRING = re.compile(r"\s*[rbu]?(\"\"\"|''')")


class Block(Struct, frozen=True):
    """Lines of a file that belong together: a statement, a branch, an `if` with its `else`."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start + 1


def around(path: str, rows: Sequence[str], line: int, most: int, first: int = 0) -> list[int]:
    """Return the line numbers to show for a line: its largest whole block of at most `most` lines.

    `first`: the first line of the enclosing function, if known; it is shown, and nothing before it.
    """
    best = statement(rows, line)
    if len(best) > most:
        return [*({first} - {0, line}), *opening_lines(path, rows, line, most)]
    beyond: Block | None = None
    for level in _enclosing(rows, best):
        if first and level.start < first:
            break
        if len(level) > most:
            beyond = level
            break
        best = level
    numbers = {*range(best.start, best.end + 1)}
    if beyond is not None:
        if len(best) < NEAR:
            numbers |= {*_siblings(rows, best, beyond)}
        numbers |= {beyond.start, *_last_branch(rows, beyond), *_handlers(rows, beyond)}
    return sorted(numbers | ({first} - {0}))


def opening_lines(path: str, rows: Sequence[str], start: int, most: int) -> list[int]:
    """Return the lines of the statement that begins on a line.

    A long one is cut to its first statements without comments, and its last branch.
    """
    block = statement(rows, start)
    if len(block) <= most:
        return [*range(block.start, block.end + 1)]
    lines, number = [block.start], block.start + 1
    while number <= block.end:
        if _ends_head(rows, block, number):
            lines, number = [*lines, number], number + 1
            continue
        last = max(number, _doc(rows, number, block.end))
        if last == number and rows[number - 1].strip() and not is_comment(rows[number - 1], path):
            last = statement(rows, number).end
            if len(lines) + last - number + 1 > most:
                break
            lines += range(number, last + 1)
        number = last + 1
    return sorted({*lines, *_last_branch(rows, block)})


def statement(rows: Sequence[str], line: int) -> Block:
    """Return the statement that begins on a line, with all branches of its block."""
    end = _end(rows, line, line)
    if end > line and not _is_branch(rows[line - 1]):
        end = _chain_end(rows, line, end)
    return Block(line, end)


def openings(rows: Sequence[str], line: int, first: int) -> Iterator[int]:
    """Yield a line and the lines above it, down to `first`, that open its enclosing blocks, nearest first."""
    depth = indent(rows[line - 1])
    yield line
    for number in range(line - 1, max(1, first, line - MOST_SCANNED) - 1, -1):
        if rows[number - 1].strip() and indent(rows[number - 1]) < depth:
            depth = indent(rows[number - 1])
            yield number


def heads(rows: Sequence[str], line: int) -> list[int]:
    """Return the lines that open the blocks around a line, nearest first.

    A long signature is cut to its first and last line.
    """
    lines = list[int]()
    for number in openings(rows, line, 1):
        if number == line:
            continue
        first = _opening(rows, number) if _continues(rows[number - 1]) else number
        lines += [*range(first, number + 1)] if number - first <= LONG_HEAD else [first, number]
    return lines


def annotations(rows: Sequence[str], line: int) -> list[int]:
    """Return the lines of the decorators, annotations and attributes directly above a definition, in order."""
    depth, found, pending = indent(rows[line - 1]), list[int](), list[int]()
    for number in range(line - 1, max(0, line - 1 - MOST_ANNOTATIONS), -1):
        text = rows[number - 1]
        if not text.strip() or indent(text) < depth:
            break
        pending.append(number)
        if indent(text) == depth and _ANNOTATION.match(text):
            found, pending = [*found, *pending], []
        elif indent(text) == depth and not (_CLOSES.match(text) or text.lstrip().startswith(("#", "//"))):
            break
    return sorted(found)


def _enclosing(rows: Sequence[str], block: Block) -> Iterator[Block]:
    """Yield the blocks around a block, innermost first; for a branch, first the branch and then the whole."""
    for _ in range(MAX_LEVELS):
        head = _head(rows, block.start)
        if not head:
            return
        if _is_branch(rows[head - 1]):
            branch = Block(head, _end(rows, head, block.end))
            if branch != block:
                yield branch
            head = _opening(rows, head)
        elif _continues(rows[head - 1]):  # the end of a head of several lines
            head = _opening(rows, head)
        end = _chain_end(rows, head, _end(rows, head, block.end))
        whole = Block(head, max(end, block.end))
        if whole == block:
            return
        yield whole
        block = whole


def _head(rows: Sequence[str], start: int) -> int:
    """Return the nearest line above with less indentation, or 0."""
    return next((number for number in openings(rows, start, 1) if number != start), 0)


def _opening(rows: Sequence[str], branch: int) -> int:
    """Return the line that opens the statement to which a branch belongs."""
    depth = indent(rows[branch - 1])
    for number in range(branch - 1, max(0, branch - MOST_SCANNED), -1):
        text = rows[number - 1]
        if not text.strip() or indent(text) > depth:
            continue
        if indent(text) < depth or not (_is_branch(text) or _continues(text)):
            return number
    return branch


def _continues(text: str) -> bool:
    return bool(_CLOSES.match(text) or _GOES_ON.match(text))


def _ends_head(rows: Sequence[str], block: Block, number: int) -> bool:
    text = rows[number - 1]
    return indent(text) == indent(rows[block.start - 1]) and _continues(text) and number + 1 < block.end


def _end(rows: Sequence[str], head: int, least: int) -> int:
    """Return the last line of the block that a line opens, including its closing bracket."""
    depth, last = indent(rows[head - 1]), least
    for number in range(least + 1, min(len(rows), least + MOST_SCANNED) + 1):
        text = rows[number - 1]
        if not text.strip():
            continue
        if indent(text) > depth or (
            indent(text) == depth and _GOES_ON.match(text) and not _is_done(rows[last - 1], depth)
        ):
            last = number
        elif indent(text) == depth and _CLOSES.match(text) and not _is_branch(text):
            last = number
            if not re.search(r"[{(\[:]\s*$", text):  # `) {` closes the parameters and opens the body
                return last
        else:
            return last
    return last


def _is_done(text: str, depth: int) -> bool:
    return text.rstrip().endswith((";", "}") if indent(text) > depth else (";", "}", ","))


def _chain_end(rows: Sequence[str], head: int, end: int) -> int:
    """Return the end including the following branches and closing bracket."""
    depth = indent(rows[head - 1])
    for _ in range(MOST_SCANNED):
        number = end + 1
        while number <= len(rows) and not rows[number - 1].strip():
            number += 1
        if number > len(rows) or indent(rows[number - 1]) != depth or not _is_branch(rows[number - 1]):
            return end
        end = _end(rows, number, number)
    return end


def _siblings(rows: Sequence[str], best: Block, beyond: Block) -> Iterator[int]:
    """Yield up to NEAR lines of whole statements on each side of a block."""
    depth = indent(rows[best.start - 1])
    top = best.start
    for number in range(best.start - 1, max(beyond.start, best.start - NEAR - 1), -1):
        text = rows[number - 1]
        if text.strip() and indent(text) < depth:
            break
        if text.strip() and indent(text) == depth and not _CLOSES.match(text):
            top = number
    yield from range(top, best.start)
    bottom, number = best.end, best.end + 1
    while number <= min(beyond.end, best.end + NEAR):
        text = rows[number - 1]
        if text.strip() and indent(text) < depth:
            break
        end = statement(rows, number).end if text.strip() else number
        if end > best.end + NEAR:
            break
        bottom, number = (end if text.strip() else bottom), end + 1
    yield from range(best.end + 1, bottom + 1)


def _last_branch(rows: Sequence[str], whole: Block) -> range:
    """Return the last branch of a long block, such as a default, if it is short."""
    for number in range(whole.end, max(whole.start, whole.end - LAST_BRANCH - 1), -1):
        if _LAST.match(rows[number - 1]):
            return range(number, min(_end(rows, number, number), whole.end) + 1)
    return range(0)


def _handlers(rows: Sequence[str], whole: Block) -> Iterator[int]:
    """Yield the short handlers of a long try, which show the errors that escape."""
    depth, left = indent(rows[whole.start - 1]), MOST_HANDLERS
    for number in range(whole.start + 1, whole.end + 1):
        if indent(rows[number - 1]) == depth and _HANDLER.match(rows[number - 1]):
            end = min(_end(rows, number, number), whole.end)
            left -= end - number + 1
            if left < 0:
                return
            yield from range(number, end + 1)


def _doc(rows: Sequence[str], number: int, end: int) -> int:
    """Return the last line of the docstring that begins on a line, or 0."""
    match = _DOCSTRING.match(rows[number - 1])
    if not match:
        return 0
    if rows[number - 1].count(match[1]) > 1:
        return number
    return next((n for n in range(number + 1, end + 1) if match[1] in rows[n - 1]), 0)


def indent(text: str) -> int:
    """Return the indentation of a line in columns."""
    return len(text) - len(text.lstrip()) + (TAB - 1) * text[: len(text) - len(text.lstrip())].count("\t")


def _is_branch(text: str) -> bool:
    return bool(_BRANCH.match(text))


def span(rows: Sequence[str], line: int, most: int = LONGEST) -> tuple[int, int]:
    """Return the first and last line of the block around a line, by indentation; otherwise the line itself.

    A line that opens a block, such as a function head, represents that block.
    """
    if not 1 <= line <= len(rows):
        return line, line
    own = last_line(rows, line, most)
    if own > line:
        return line, own
    indent = _margin(rows[line - 1])
    for number in range(line - 1, max(0, line - most), -1):
        text = rows[number - 1]
        if text.strip() and _margin(text) < indent and text.strip()[0] not in ")]}#/*":
            return number, max(line, last_line(rows, number, most))
    return line, line


def last_line(rows: Sequence[str], start: int, most: int = LONGEST) -> int:
    """Return the last line of the block that a line opens, by indentation, or the line itself."""
    indent, last = _margin(rows[start - 1]), start
    for number in range(start + 1, min(len(rows), start + most) + 1):
        text = rows[number - 1]
        if not text.strip():
            continue
        if _margin(text) > indent:
            last = number
        elif not text.strip().startswith("{"):
            return number if last > start and text.strip()[0] in "})]" else last
    return last


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())
