"""Gather evidence for a confirmation, so that it doesn't depend only on what the finder quoted.

The evidence contains the function around the quote, the previous code, the finder's evidence with its block,
definitions of the names in the claim, and the callers. Each line appears once, within a token limit.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from bot import blocks
from bot.diff import moves
from bot.diff.units import ShownLines
from bot.file_kinds import irrelevant_kind
from bot.values import (
    ChangedFile,
    Definition,
    Dependents,
    DiffRow,
    Excerpt,
    Finding,
    Query,
    Reference,
    Side,
)
from bot.values.finding import AGAINST
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import binds, defines, definition, file_lines, is_comment
from deeprepo.impact.text.paths import is_product
from deeprepo.rlm.values import tokens

TOKENS = 5_000  # tokens of all excerpts for one finding
# Of these, for what else the quoted files contain: a small file whole, else the lines near the quote and the top
REST_TOKENS, SMALL_FILE = 2_500, 1_500
NEAR_LINES, TOP_LINES = 40, 24
NEARBY_TOKENS = 1_500  # of TOKENS, for code in other files that decides about the changed lines
MAX_NAMED_FILES, MAX_FILE_NAMES = 2, 20  # small files that a finding names; words that may be the name of a file
# Lines of the definition that the claim is about; a longer one is cut to the blocks around the quote.
MAX_DEFINITION_LINES = 160
BLOCK = 40  # lines of the block around a quote outside known definitions, or in a very short one
EVIDENCE = 80  # lines of the block around a piece of evidence
CALLER = 24  # lines of the block around a call
LINES_OF_ANY_BLOCK = 12  # lines of any block if there is no room for more
BEFORE = 60  # lines of the block around removed lines
MAX_CALLERS, MAX_DEFINITIONS, MAX_REMOVED = 3, 6, 3
MAX_MENTIONS, MENTIONS_PER_NAME = 4, 2  # lines with a name that a claim depends on
MAX_NAMED, NAMED_PER_NAME = 8, 3  # other lines with a name that a claim mentions
# Lines in which at least two names meet, files shown with such lines, and lines that one search may return
MEETING_LINES, MAX_MEETINGS, MAX_NAMED_ROWS = 10, 3, 2_000
COMMON = 5  # files; a removed name that more files contain is a library's or an everyday word
DEFINITION_LINES = 120
MEANT = 2  # definitions allowed per name: one, or one and its declaration
MAX_HEADS = 8  # lines that open what encloses an excerpt, such as its function and class
_CALLED = re.compile(r"(?<![\w$])\$*+([A-Za-z_][\w$]{2,}+)\s*+\(")
_CONSTANT = re.compile(r"(?<![\w$])[A-Z][A-Z0-9]*+_[A-Z0-9_]{1,100}+(?![\w$(])")
_NAMED_LINES = re.compile(
    r"`(?:[\w$]++(?:\.|::|->|#))*+([A-Za-z_$][\w$]{2,100}+)(?:\(\))?`|(?<![\w$.])([A-Za-z_$][\w$]{2,100}+)\(\)"
)
# Words in prose that are spelled like code.
_SPELLED = re.compile(r"(?<![\w$])_*+[A-Za-z$][a-z0-9$]{0,100}+(?:_|[A-Z])[\w$]{1,100}+")
_FILE_NAME = re.compile(r"(?<![\w/.-])(?:[\w@.-]{1,60}/){0,8}[\w-][\w.-]{0,60}\.[A-Za-z]\w{0,9}(?![\w/(])")
_KEY_LITERAL = re.compile(r"[\"'`]([A-Za-z][\w$]*[-.:/][\w$.:/-]{2,80})[\"'`]")  # such as "assert-no-changes"
_GETTER = re.compile(r"(?:get|set|is)[A-Z]")
_VALUE = r"^\s*NAME\s*(?::[^=]{1,60})?=(?!=)"
_TYPE = re.compile(
    r"\s*(?:(?:export|public|abstract|final|pub|data|sealed)\s+){0,3}(?:class|struct|impl|interface|trait|module|enum)\b"
)


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Important lines, and how much of their surroundings to show."""

    path: str
    side: Side
    first: int  # the important lines
    last: int
    most: int  # lines of the blocks around them; 0 shows only these lines
    title: str
    start: int = 0  # of the definition around them; 0 if unknown
    end: int = 0


async def gather(
    finding: Finding,
    tree: Tree,
    dependents: Dependents,
    files: Sequence[ChangedFile] = (),
    room: int = TOKENS,
    rest: int = 0,
    nearby: Sequence[Excerpt] = (),
) -> tuple[Excerpt, ...]:
    """Return the excerpts for one finding within `room` tokens, the most informative first.

    - `rest`: of these, the tokens for what else the quoted files contain
    - `nearby`: unchanged code that decides about the changed lines, of which up to `NEARBY_TOKENS` are shown
    """
    places = [_around(finding, dependents), *_before(finding, files), *_removed_definitions(finding, dependents)]
    product_evidence = [item for item in finding.evidence if not item.repository]
    places += [
        CodeSpan(one.path, one.side, one.line, one.line, EVIDENCE, AGAINST if one.note == AGAINST else "evidence")
        for one in product_evidence
    ]
    places += [*await _mentions(finding, files, tree), *await _definitions(finding, tree)]
    places += [*_callers(finding, dependents), *await _named(finding, files, tree), *await _named_files(finding, tree)]
    excerpts, shown_lines = list(_of_consumers(finding)), ShownLines()
    left = room - sum(tokens(one.body) for one in excerpts)
    excerpts += await _excerpts(tree, places, left, shown_lines)
    left = min(NEARBY_TOKENS, room - sum(tokens(one.body) for one in excerpts))
    excerpts += _of_other_files(finding, nearby, left, shown_lines)
    left = min(rest, room - sum(tokens(one.body) for one in excerpts))
    if left > 0:
        excerpts += await _excerpts(tree, await _rest_of_files(finding, tree), left, shown_lines)
    return tuple(excerpts)


async def _excerpts(tree: Tree, places: Iterable[CodeSpan], room: int, shown_lines: ShownLines) -> list[Excerpt]:
    """Return the excerpts of these spans, each line once, as many as fit."""
    excerpts = list[Excerpt]()
    for place in places:
        excerpt = await _excerpt(tree, place, room, shown_lines)
        if excerpt is not None:
            room -= tokens(excerpt.body)
            shown_lines.add(excerpt)
            excerpts.append(excerpt)
    return excerpts


def _of_other_files(
    finding: Finding, nearby: Iterable[Excerpt], room: int, shown_lines: ShownLines
) -> Iterator[Excerpt]:
    """Yield the excerpts of other files that are not shown yet, first those that share a name with the finding."""
    claim_words = _claim_words(finding)
    others = [one for one in nearby if one.path != finding.path]
    for one in sorted(others, key=lambda one: claim_words.isdisjoint(re.findall(r"[\w$]+", one.title))):
        numbers = {*shown_lines.left(one.path, [diff_row.number for diff_row in one.rows], one.side)}
        rows = tuple(diff_row for diff_row in one.rows if diff_row.number in numbers)
        excerpt = replace(one, rows=rows)
        if any(diff_row.text.strip() for diff_row in rows) and tokens(excerpt.body) <= room:
            room -= tokens(excerpt.body)
            shown_lines.add(excerpt)
            yield excerpt


async def _rest_of_files(finding: Finding, tree: Tree) -> list[CodeSpan]:
    """Return what else the quoted files contain: small files whole, else the lines near the quotes and the top.

    Most requests for more code ask for that.
    """
    quotes = {(finding.path, finding.side): finding.start}
    for item in finding.evidence:
        if not item.repository:
            quotes.setdefault((item.path, item.side), item.line)
    spans = list[CodeSpan]()
    for (path, side), line in quotes.items():
        lines = file_lines(await tree.read(path, side))
        if tokens("\n".join(lines)) <= SMALL_FILE:
            spans.append(CodeSpan(path, side, 1, len(lines), 0, "the rest of the file"))
        else:
            spans.append(CodeSpan(path, side, line - NEAR_LINES, line + NEAR_LINES, 0, "near it"))
            spans.append(CodeSpan(path, side, 1, TOP_LINES, 0, "the top of the file"))
    return spans


def with_signs(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """Return the excerpts with a sign at each added or removed line."""
    changed: dict[tuple[str, Side], tuple[Literal["+", "-"], Collection[int]]] = {}
    for file in files:
        changed[file.path, "head"] = "+", file.added_lines
        changed[file.old_path or file.path, "base"] = "-", file.removed_lines
    return tuple(_with_signs(excerpt, *changed.get((excerpt.path, excerpt.side), ("+", ()))) for excerpt in excerpts)


def _with_signs(excerpt: Excerpt, sign: Literal["+", "-"], lines: Collection[int]) -> Excerpt:
    rows = tuple(replace(diff_row, sign=sign) if diff_row.number in lines else diff_row for diff_row in excerpt.rows)
    return replace(excerpt, rows=rows)


def _of_consumers(finding: Finding) -> Iterator[Excerpt]:
    """Yield the lines of other repositories that the finding quotes, as read from there."""
    for place in finding.evidence:
        if place.repository:
            lines = place.quote.strip("\n").split("\n")[:LINES_OF_ANY_BLOCK]
            rows = tuple(DiffRow("", text, place.line + index) for index, text in enumerate(lines))
            title = f"evidence, in the repository {place.repository}, which uses this one"
            yield Excerpt(place.path, place.line, place.line + len(lines) - 1, rows, place.side, title)


def _around(finding: Finding, dependents: Dependents) -> CodeSpan:
    """Return the smallest changed definition around the quote, else the block around it."""
    spans = [(s.end - s.start, s.start, s.end) for s in _holding(finding, dependents)]
    last = max(finding.end, finding.start)
    _, start, end = min(spans, default=(0, 0, 0))
    title = "what the claim is about"
    return CodeSpan(
        finding.path, finding.side, finding.start, last, MAX_DEFINITION_LINES if start else BLOCK, title, start, end
    )


def _holding(finding: Finding, dependents: Dependents) -> Iterator[Definition]:
    """Yield the changed definitions that contain the quote, on its side."""
    both = (symbol for changed_symbol in dependents.symbols for symbol in (changed_symbol.after, changed_symbol.before))
    for symbol in both:
        same = symbol is not None and (symbol.path, symbol.side) == (finding.path, finding.side)
        if symbol is not None and same and symbol.start <= finding.start <= symbol.end:
            yield symbol


def _before(finding: Finding, files: Sequence[ChangedFile]) -> Iterator[CodeSpan]:
    """Yield the code before the change: the removed lines nearest to the finding, within one block."""
    for file in (f for f in files if f.path == finding.path and f.old_path and finding.side == "head"):
        near: list[int] = []
        for _, number in sorted(_removed_lines(finding, file)):
            if max([*near, number]) - min([*near, number]) < BLOCK:
                near.append(number)
        if near:
            yield CodeSpan(file.old_path or file.path, "base", min(near) - 3, max(near) + 3, BEFORE, "as it was")
    for move in moves.find(files) if finding.side == "head" else ():
        if move.path == finding.path and move.start <= finding.start <= move.end:
            at = move.old_start + finding.start - move.start
            yield CodeSpan(
                move.old_path,
                "base",
                at,
                min(at + finding.end - finding.start, move.old_end),
                BEFORE,
                "as it was before it was moved",
            )


def _removed_lines(finding: Finding, file: ChangedFile) -> Iterator[tuple[int, int]]:
    """Yield the removed lines in the hunks around a finding, each with its distance and number."""
    for hunk in file.hunks:
        at = hunk.new_start  # the position of the line in the new file
        if at <= finding.end + 1 and finding.start <= at + hunk.new_lines:
            for line in hunk.lines:
                if line.kind == "-" and line.old is not None:
                    yield max(finding.start - at, at - finding.end, 0), line.old
                at = at + 1 if line.new is None else line.new + 1


async def _mentions(finding: Finding, files: Sequence[ChangedFile], tree: Tree) -> list[CodeSpan]:
    """Return unchanged lines of product code with a name that the claim depends on.

    These are the names in its claims about the whole repository, and those in few files that the change removes
    next to the quote. A sentence such as "nothing reads it" can only be judged together with the lines that may do so.
    """
    claimed = dict.fromkeys(claim.name.rpartition(".")[2] for claim in finding.basis.claims)
    removed = dict.fromkeys(_names_removed_nearby(finding, files))
    names = [name for name in (*claimed, *removed) if re.fullmatch(r"[\w$.:/-]{4,100}", name)][: 2 * MAX_MENTIONS]
    if not names:
        return []
    changed = {(file.path, number) for file in files for number in file.added_lines}
    quoted = {(finding.path, finding.start), *(item.location for item in finding.evidence)}
    rows = await tree.grep_lines(Query(names, word=True, limit=400))
    mentions: list[CodeSpan] = []
    for name in names:
        is_named = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search
        hits = [
            (path, line)
            for path, line, text in rows
            if is_named(text)
            and is_product(path)
            and irrelevant_kind(path) in ("", "CI")
            and not is_comment(text, path)
        ]
        is_common = len({path for path, _ in hits}) > COMMON and name not in claimed
        other_hits = [hit for hit in hits if hit not in changed and hit not in quoted and not is_common]
        for path, line in other_hits[:MENTIONS_PER_NAME]:
            note = ", which the change removes here" if name in removed and name not in claimed else ""
            mentions.append(CodeSpan(path, "head", line, line, CALLER, f"names {name}{note}"))
    return mentions[:MAX_MENTIONS]


async def _named(finding: Finding, files: Sequence[ChangedFile], tree: Tree) -> list[CodeSpan]:
    """Return other lines with a name that a finding mentions or quotes and few files contain, each without its block.

    Where something is set, registered, documented or read often decides whether it is wrong.
    """
    names = list(dict.fromkeys(_names_in(f"{_prose(finding)}\n{finding.quote}")))[: 2 * MAX_DEFINITIONS]
    if not names:
        return []
    changed = {(file.path, number) for file in files for number in file.added_lines}
    rows = await tree.grep_lines(Query(names, word=True, limit=MAX_NAMED_ROWS))
    named = list[CodeSpan]()
    names_by_line: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))  # path -> line -> names
    for name in names:
        is_named = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search
        hits = [(path, line) for path, line, text in rows if is_named(text) and (path, line) not in changed]
        hits.sort(key=lambda hit: (hit[0] == finding.path, not _is_relevant(hit[0])))
        if len({path for path, _ in hits}) <= COMMON:
            named += [CodeSpan(path, "head", line, line, 0, f"names {name}") for path, line in hits[:NAMED_PER_NAME]]
        for path, line in hits:
            if path != finding.path and _is_relevant(path):
                names_by_line[path][line].add(name)
    return [*_meetings(names_by_line), *named][:MAX_NAMED]


def _meetings(names_by_line: Mapping[str, Mapping[int, Collection[str]]]) -> list[CodeSpan]:
    """Return the lines in which most of a finding's names are close to each other, at most one span for each file.

    Each of these names may be too common to be shown, such as `results` and `next`.
    """
    best = list[tuple[int, CodeSpan]]()
    for path, lines in names_by_line.items():
        for first in sorted(lines):
            near = [line for line in lines if first <= line < first + MEETING_LINES]
            met = sorted({name for line in near for name in lines[line]})
            if len(met) > 1 and (not best or best[-1][1].path != path or len(met) > -best[-1][0]):
                if best and best[-1][1].path == path:
                    best.pop()
                title = f"names {', '.join(met[:3])}"
                best.append((-len(met), CodeSpan(path, "head", first, max(near), 0, title)))
    return [span for _, span in sorted(best, key=lambda item: (item[0], item[1].path))][:MAX_MEETINGS]


async def _named_files(finding: Finding, tree: Tree) -> list[CodeSpan]:
    """Return the small files that a finding names, such as the package.json next to it or above it.

    They often decide whether something is published or configured.
    """
    names = list(dict.fromkeys(_FILE_NAME.findall(_prose(finding))))[:MAX_FILE_NAMES]
    folders = [parent.as_posix() for parent in PurePosixPath(finding.path).parents]
    candidates = {name: [posixpath.normpath(f"{folder}/{name}") for folder in folders] for name in names}
    texts = await tree.read_many([path for paths in candidates.values() for path in paths])
    nearest = [next((path for path in paths if path in texts), "") for paths in candidates.values()]
    lines = {path: file_lines(texts[path]) for path in dict.fromkeys(nearest) if path not in ("", finding.path)}
    small = [path for path, rows in lines.items() if tokens("\n".join(rows)) <= SMALL_FILE]
    return [
        CodeSpan(path, "head", 1, len(lines[path]), 0, "which the finding names") for path in small[:MAX_NAMED_FILES]
    ]


def _prose(finding: Finding) -> str:
    """Return a finding's own words, without its trigger, which contains invented names."""
    return f"{finding.title}\n{finding.why}\n{finding.consequence}"


def _names_in(text: str) -> Iterator[str]:
    """Yield the words that are spelled or marked as code."""
    yield from (one or other for one, other in _NAMED_LINES.findall(text))
    yield from _CONSTANT.findall(text)
    yield from _SPELLED.findall(text)


def _names_removed_nearby(finding: Finding, files: Sequence[ChangedFile]) -> Iterator[str]:
    """Yield the names in the removed lines of code around a finding that no added line of the change has."""
    lines = [line for file in files for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    kept = {word for line in lines for word in (*re.findall(r"[\w$]+", line.text), *_KEY_LITERAL.findall(line.text))}
    for file in (f for f in files if f.path == finding.path and finding.side == "head"):
        near = sorted(_removed_lines(finding, file))[:BLOCK]
        texts = {line.old: line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-"}
        near = [item for item in near if not is_comment(texts.get(item[1], ""), file.path)]
        for _, number in near:
            for shape in (_CONSTANT, _SPELLED, _KEY_LITERAL):
                for name in (name for name in shape.findall(texts.get(number, "")) if name not in kept):
                    yield name
                    if getter := _GETTER.match(name):  # a template calls it by the property's name
                        yield name[getter.end() - 1].lower() + name[getter.end() :]


def _removed_definitions(finding: Finding, dependents: Dependents) -> Iterator[CodeSpan]:
    """Yield the removed or renamed definitions that the claim mentions.

    For a claim about product code, test definitions are left out.
    """
    claim_words = _claim_words(finding)
    gone_symbols = [c.before for c in dependents.symbols if c.before is not None and c.change in {"removed", "renamed"}]
    meant = [one for one in gone_symbols if is_product(one.path) or not is_product(finding.path)]
    for symbol in [one for one in meant if one.short in claim_words][:MAX_REMOVED]:
        yield CodeSpan(
            symbol.path,
            "base",
            symbol.start,
            symbol.start,
            MAX_DEFINITION_LINES,
            f"removed: {symbol.name}",
            symbol.start,
            symbol.end,
        )


def _claim_words(finding: Finding) -> set[str]:
    """Return the words in a claim and in the lines that it quotes."""
    quotes = " ".join([finding.quote, *(item.quote for item in finding.evidence)])
    return {*re.findall(r"[\w$]+", f"{finding.title} {finding.why} {finding.trigger} {finding.consequence} {quotes}")}


def _callers(finding: Finding, dependents: Dependents) -> Iterator[CodeSpan]:
    keys = {f"{finding.path}:{symbol.name}" for symbol in _holding(finding, dependents)}
    claim_words = _claim_words(finding)
    rows = [
        reference
        for reference in dependents.references
        if reference.symbol in keys
        and _telling(reference, claim_words)
        and (_is_relevant(reference.path) or not _is_relevant(finding.path))
    ]
    for reference in sorted(rows, key=lambda r: (not r.missing, not r.is_bound, r.test, not r.call))[:MAX_CALLERS]:
        title = f"uses {reference.name}" + ("" if reference.is_bound else " (by name only)")
        yield CodeSpan(reference.path, "head", reference.line, reference.line, CALLER, title, *(reference.span or ()))


def _is_relevant(path: str) -> bool:
    return is_product(path) and not irrelevant_kind(path)


def _telling(reference: Reference, claim_words: Collection[str]) -> bool:
    """Return whether a reference shows how a definition is used.

    Imports don't, and neither do namesakes that the claim doesn't mention.
    """
    if reference.missing:
        return True
    return reference.form != "import" and (
        reference.is_bound or (reference.name in claim_words and not (reference.everyday or reference.test))
    )


async def _definitions(finding: Finding, tree: Tree) -> list[CodeSpan]:
    """Return the definitions of names in the claim and in the quoted lines.

    A name with many definitions is ambiguous and left out. For a claim about product code, so are definitions
    in tests and samples.
    """
    claim_text = _prose(finding)
    claim_names = [one or other for one, other in _NAMED_LINES.findall(claim_text)]
    quotes = finding.quote, *(item.quote for item in finding.evidence)
    quote_names = [name for text in quotes for shape in (_CONSTANT, _CALLED) for name in shape.findall(text)]
    names = list(dict.fromkeys([*claim_names, *quote_names, *_SPELLED.findall(claim_text)]))[: 2 * MAX_DEFINITIONS]
    quoted_paths = {finding.path, *(place.path for place in finding.evidence)}
    if not names:
        return []
    constants = {name for name in names if _CONSTANT.fullmatch(name)}
    values = [_VALUE.replace("NAME", name) for name in constants]
    rows = await tree.grep_lines(Query([*(definition(name) for name in names), *values], syntax="perl", limit=400))
    definition_places: list[CodeSpan] = []
    for name in names:
        hits = _meanings(
            (
                (path, line)
                for path, line, text in rows
                if (defines(text, name, path) or (name in constants and binds(text, name)))
                and (is_product(path) or not is_product(finding.path))
                # A single word called in a quote, such as `get` or `compile`, means something else elsewhere.
                and (path in quoted_paths or name in claim_names or not (name.isalpha() and name.islower()))
            ),
            quoted_paths,
        )
        for path, line in hits if len(definition_places) < MAX_DEFINITIONS else ():
            definition_places.append(CodeSpan(path, "head", line, line, DEFINITION_LINES, f"defines {name}"))
    return definition_places


def _meanings(hits: Iterable[tuple[str, int]], near: Collection[str]) -> list[tuple[str, int]]:
    """Return the definitions that a name may refer to, preferably in product source code; none if many.

    If there are many, those in the files `near` are preferred, then those in the same folders.
    """
    every = list(hits)
    sources = [hit for hit in every if not irrelevant_kind(hit[0])] or every
    mine = [hit for hit in sources if is_product(hit[0])] or sources
    folders = {posixpath.dirname(path) for path in near}
    nearer = (mine, [hit for hit in mine if hit[0] in near], [h for h in mine if posixpath.dirname(h[0]) in folders])
    return next((hits for hits in nearer if 0 < len(hits) <= MEANT), [])


async def _excerpt(tree: Tree, place: CodeSpan, room: int, shown_lines: ShownLines) -> Excerpt | None:
    """Return the lines of a span that are not shown yet, fewer if they don't fit; None if there are none."""
    lines = file_lines(await tree.read(place.path, place.side))
    first, last = max(1, place.first), min(len(lines), place.last)
    if first > last:
        return None
    if shown_lines.has(place.path, first, place.side) and _TYPE.match(lines[first - 1]):
        return None  # its relevant part is already shown
    for most in dict.fromkeys((place.most, *(min(place.most, fewer) for fewer in (BLOCK, LINES_OF_ANY_BLOCK)), 0)):
        block = sorted({*range(first, last + 1), *_block(lines, place, most)})
        block = [*(blocks.annotations(lines, block[0]) if most else ()), *block]
        new = shown_lines.left(place.path, block, place.side)
        if not any(lines[number - 1].strip() for number in new):
            return None
        heads = [number for number in blocks.heads(lines, first) if number not in block] if most else []
        opening = shown_lines.left(place.path, heads[:MAX_HEADS], place.side)
        numbers = sorted([*new, *opening])
        rows = tuple(DiffRow("", lines[number - 1], number) for number in numbers)
        excerpt = Excerpt(place.path, numbers[0], numbers[-1], rows, place.side, place.title)
        if tokens(excerpt.body) <= room:
            return excerpt
    return None


def _block(lines: Sequence[str], place: CodeSpan, most: int) -> Sequence[int]:
    """Return the definition around a span's lines if it is short enough, else the blocks around them.

    If it is very short, return both.
    """
    if not most:
        return ()
    start, end = place.start, min(place.end, len(lines))
    if start and start <= place.first <= end and end - start < most:
        around = (
            blocks.around(place.path, lines, place.first, min(most, BLOCK)) if end - start < LINES_OF_ANY_BLOCK else ()
        )
        return sorted({*range(start, end + 1), *around})
    ends = {max(1, place.first), min(len(lines), place.last)}
    block_start = start if start < place.first else 0
    return sorted({n for at in ends for n in blocks.around(place.path, lines, at, most, block_start)})
