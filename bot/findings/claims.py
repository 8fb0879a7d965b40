"""Claims about the whole tree, which models get wrong most often, are decided by code: the tree is searched.

A reader declares them beside its finding. A false one drops the finding with the reason; a true one becomes evidence; one that a
search cannot decide stays a claim, for the second opinion to judge. What counts against a claim is code of the product: a comment, a
text, a test or another thing of the same name refutes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from bot.values import Claim, Evidence, Finding, Query
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import block, code_of, defined_names, defines, definition, file_lines, is_comment
from deeprepo.impact.text.paths import is_output, is_prose, is_test

MAX_CLAIMS = 6
SEARCHED = "searched for in the repository"  # the note of a claim that holds
HELD = "the harness has searched all code but tests for that name: no line speaks against it"
UNDECIDED = "a search for that name decides nothing"
MAX_SEARCHED_ROWS = 400
MAX_OPENED = 40  # files read for one claim
MAX_CLASSES = 4
LONG_LINE = 300  # characters; a longer line was written by a program
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'|`(?:\\.|[^`\\])*+`")
_IMPORT = re.compile(r"\s*+(?:import|from|use|using|package|require|include|export\s*+\{|#\s*+include)\b")
_NOTHING = r"(?:None|null|nil|NULL|nullptr|undefined|\"\"|'')\s*+[,;)\]}]*+\s*+$"
_SENDS = r"\b(?:raise|throw|throws?\s+new|emit\w*|send\w*|dispatch\w*|publish\w*|fire\w*|trigger\w*|notify\w*|post\w*|enqueue\w*|return)\b"
_CATCHES = re.compile(
    r"\b(?:except|catch|rescue|instanceof|isinstance|errors\.(?:Is|As)|on|addEventListener|subscribe|listen\w*|case)\b"
)
Row = tuple[str, int, str]  # path, line, text


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """What a search says of a claim: the line against it, or that it holds; neither: it cannot be decided."""

    against: str = ""
    holds: bool = False


HOLDS, OPEN = ClaimCheck(holds=True), ClaimCheck()


async def check_claims(finding: Finding, tree: Tree) -> Finding | str:
    """Return the finding with what its claims were worth, or the sentence that says which of them is false.

    An analyser claims nothing of the tree: its "`x` is not defined" means one file, no matter what defines an `x` elsewhere.
    """
    if finding.rule:
        return finding
    evidence = list(finding.evidence)
    for claim in list(dict.fromkeys(finding.basis.claims))[:MAX_CLAIMS]:
        contradiction = await _looked_up(claim, finding, tree)
        if contradiction.against:
            return f"its claim is false: {describe(claim)}, but {contradiction.against}"
        if contradiction.holds:
            note = f"{SEARCHED}: {describe(claim)}"
            evidence.append(Evidence(finding.path, finding.quote, finding.start, finding.side, note=note))
    return replace(finding, evidence=tuple(evidence))


async def _looked_up(claim: Claim, finding: Finding, tree: Tree) -> ClaimCheck:
    if claim.says == "no-file":
        return ClaimCheck(f"{claim.name} is there") if claim.name in await tree.entries("head") else HOLDS
    owner, _, short = claim.name.rpartition(".")
    if not re.fullmatch(r"[A-Za-z_$][\w$]{0,200}", short):
        return OPEN
    search = _Search(claim, finding, tree, short, owner.rpartition(".")[2])
    match claim.says:
        case "undefined":
            return await search.is_undefined()
        case "not-overridden":
            return await search.not_overridden()
        case _:
            return await search.absent()


@dataclass(slots=True)
class _Search:
    """One claim, looked up."""

    claim: Claim
    finding: Finding
    tree: Tree
    short: str
    owner: str  # of a dotted name: the class or module before the last dot
    near: set[str] = field(default_factory=set)  # words of the finding, and what its file defines

    async def is_undefined(self) -> ClaimCheck:
        """Return a line that announces a definition in code of the product, or binds the name where others can see it."""
        name = re.escape(self.short)
        bound = rf"^(?:export\s+)?(?:(?:const|let|var)\s+)?{name}\s*(?::[^=]*)?=(?!=)"
        member = rf"^\s+(?:self\.|this\.)?{name}\s*(?::[^=]*)?=(?!=)"
        import_pattern = rf"\bimport\b.*\b{name}\b|\bas\s+{name}\b"
        rows = await self._rows([definition(self.short), bound, import_pattern] + ([member] if self.owner else []))
        return await self._first([hit for hit in rows if _IMPORT.match(hit[2]) is None or hit[0] == self.finding.path])

    async def not_overridden(self) -> ClaimCheck:
        """Return a definition of the method in the body of the class."""
        if not re.fullmatch(r"[A-Za-z_$][\w$.]{0,200}", self.claim.of):
            return OPEN
        holder = self.claim.of.rpartition(".")[2]
        heads = [hit for hit in await self._rows([definition(holder)]) if defines(hit[2], holder, hit[0])]
        if not 0 < len(heads) <= MAX_CLASSES:
            return OPEN
        for path, line, _ in heads:
            lines = file_lines(await self.tree.read(path))
            _, last = block(lines, line, most=2_000)
            for number in range(line + 1, min(last, len(lines)) + 1):
                text = lines[number - 1]
                if defines(text, self.short, path) and not _in_text(lines, number):
                    return ClaimCheck(_place(path, number, text)) if len(heads) == 1 else OPEN
        return HOLDS

    async def absent(self) -> ClaimCheck:
        """Return a line of the product that does what nobody is said to do."""
        rows = await self.tree.grep_lines(
            Query([self.short], word=bool(re.fullmatch(r"\w+", self.short)), limit=MAX_SEARCHED_ROWS)
        )
        quoted, about = _own_lines(self.finding), self.finding
        claim_texts = (about.title, about.why, about.quote, *(item.quote for item in about.evidence))
        self.near.update(re.findall(r"[\w$]+", " ".join(claim_texts)))
        self.near.update(name for text in file_lines(await self.tree.read(about.path)) for name in defined_names(text))
        left = await self._code_rows([hit for hit in rows if self._tells(hit) and (hit[0], hit[1]) not in quoted])
        if self.claim.says == "only-caller" and (not self.claim.of or len(await self._definers(rows)) > 1):
            return OPEN
        against = [hit for hit in left if self._does(hit)]
        counterexample = await self._first(against)
        if not counterexample.holds:
            return counterexample
        return OPEN if any(self._may(hit) for hit in left) or len(rows) >= MAX_SEARCHED_ROWS else HOLDS

    async def _code_rows(self, rows: Sequence[Row]) -> list[Row]:
        """Those of the rows that are no part of a docstring or of a long comment, as far as their files are opened."""
        paths = list(dict.fromkeys(path for path, _, _ in rows))[:MAX_OPENED]
        texts = await self.tree.read_many(paths)
        marks = {path: _inside_text(blob.decode("utf-8", "replace")) for path, blob in dict(texts).items()}
        return [hit for hit in rows if not any(marks.get(hit[0], ())[hit[1] - 1 : hit[1]])]

    async def _first(self, rows: Sequence[Row]) -> ClaimCheck:
        """The first of these lines that is code and of the scope that is meant; open where only others are left."""
        others = False
        texts: dict[str, Sequence[str]] = {}
        for path, line, text in rows:
            if path not in texts:
                if len(texts) >= MAX_OPENED:
                    return OPEN
                texts[path] = file_lines(await self.tree.read(path))
            if _in_text(texts[path], line):
                continue
            around = _around(texts[path], line)
            if self.claim.says == "only-caller":
                holder = self.claim.of.rpartition(".")[2]
                if holder in around or holder in path:
                    continue
            elif self.owner and self.owner not in {*around, *re.findall(r"\w+", path)} and not self._by_owner(text):
                others = True
                continue
            return ClaimCheck(_place(path, line, text))
        return OPEN if others else HOLDS

    async def _rows(self, patterns: Sequence[str]) -> list[Row]:
        rows = await self.tree.grep_lines(Query(patterns, syntax="perl", limit=MAX_SEARCHED_ROWS))
        return [hit for hit in rows if self._tells(hit)]

    async def _definers(self, rows: Sequence[Row]) -> set[str]:
        return {path for path, _, text in rows if self._tells((path, 0, text)) and defines(text, self.short, path)}

    def _tells(self, hit: Row) -> bool:
        """Whether a line is code of the product; of tests, where the finding is about a test."""
        path, _, text = hit
        if is_prose(path) or is_output(path) or len(text) > LONG_LINE or is_comment(text, path):
            return False
        return is_test(self.finding.path) or not is_test(path)

    def _does(self, hit: Row) -> bool:
        """Whether a line does what the claim says that nobody does."""
        path, _, text = hit
        name, code = re.escape(self.short), _STRINGS.sub('""', code_of(text, path))
        match self.claim.says:
            case "unused":
                key = rf"(?:\[|\bget\w*\(|\bpop\(|getattr\([^,]{{1,80}},)\s*[\"']{name}[\"']\s*[\]),](?!\s*=(?!=))"
                read = re.search(rf"(?<![\w$]){name}(?![\w$])", code) or re.search(key, text)
                assignment = re.match(rf"\s*(?:self\.|this\.)?{name}\s*(?::[^=]*)?=(?!=)", code)
                return (
                    bool(read) and not assignment and not defines(text, self.short, path) and not self._elsewhere(code)
                )
            case "unpassed":
                return self._passes(code)
            case "unset":
                assigned_value = re.search(
                    rf"(?:^\s*|[\w\])]\.){name}\s*(?::[^=]{{1,80}})?(?<![=!<>])=(?![=>])\s*(.*)$", code
                )
                mine = path == self.finding.path or not code[:1].isspace() or f".{self.short}" in code
                return (
                    bool(assigned_value)
                    and mine
                    and not re.match(_NOTHING, assigned_value[1] if assigned_value else "")
                )
            case "only-caller":
                return bool(re.search(rf"(?<![\w$]){name}\s*\(", code)) and not defines(text, self.short, path)
            case "unsent":
                sends = re.search(rf"{_SENDS}.{{0,200}}(?<![\w$]){name}(?![\w$])", code_of(text, path))
                return bool(sends) and not _CATCHES.search(text) and not _IMPORT.match(text)
        return False

    def _may(self, hit: Row) -> bool:
        """Whether a line that does not refute the claim leaves it open all the same: as a key, in a string, of another scope."""
        path, _, text = hit
        name = re.escape(self.short)
        if defines(text, self.short, path) or _IMPORT.match(text):
            return False
        match self.claim.says:
            case "unused":
                return self._elsewhere(code_of(text, path)) or bool(re.search(rf"[\"']{name}[\"']", text))
            case "unpassed":
                return bool(re.search(rf"(?<![\w$]){name}\s*(?:=(?!=)|:\s*[^:\s])|[\"']{name}[\"']|\*\*", text))
            case "unset":
                return bool(
                    re.search(
                        rf"(?<![\w$]){name}[\"']?\]?\s*(?::(?!:)|(?:[-+*/|&]|\?\?|:)?=(?![=>]))|[\"']{name}[\"']", text
                    )
                ) and not re.search(rf"{name}\s*(?::[^=]{{1,80}})?=\s*{_NOTHING}", text)
            case "unsent":
                return not _CATCHES.search(text)
        return False

    def _elsewhere(self, code: str) -> bool:
        """Whether a dotted name is reached through something that is not its owner: perhaps another thing of that name."""
        return bool(self.owner) and not self._by_owner(code) and bool(re.search(rf"\.{re.escape(self.short)}\b", code))

    def _by_owner(self, text: str) -> bool:
        return bool(re.search(rf"\b{re.escape(self.owner)}\s*(?:\(\s*\))?(?:\.|::|->){re.escape(self.short)}\b", text))

    def _passes(self, code: str) -> bool:
        """Whether a line hands the argument to the function that is meant; a parameter of a definition is no argument."""
        if re.search(r"\b(?:def|function|fn|func|fun|class)\s", code):
            return False
        call = re.search(
            rf"(?<![\w$])([\w$]++)\s*+\((?:[^()]|\([^()]*+\)){{0,300}}\b{re.escape(self.short)}\s*+=(?!=)", code
        )
        if call is None:
            return False
        of = self.claim.of.rpartition(".")[2] or self.owner
        return call[1] == of if of else call[1] in self.near


@lru_cache(maxsize=8)
def _inside_text(text: str) -> tuple[bool, ...]:
    """For each line whether it begins inside a text of several lines: a docstring, a block of a comment."""
    inside, marks = "", []
    for line in (row[:LONG_LINE] for row in text.split("\n")):
        marks.append(bool(inside))
        at = 0
        while at < len(line):
            if inside:
                end = line.find(inside, at)
                at, inside = (len(line), inside) if end < 0 else (end + len(inside), "")
                continue
            opening = _OPENS.search(line, at)
            if opening is None:
                break
            at = opening.end()
            inside = {"/*": "*/", "<!--": "-->"}.get(opening["mark"] or "", opening["mark"] or "")
    return tuple(marks)


_OPENS = re.compile(r"(?P<mark>\"\"\"|'''|/\*|<!--)|#[^\n]*|//[^\n]*|\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+'")


def _in_text(lines: Sequence[str], line: int) -> bool:
    """Whether a line is within a docstring or a comment of several lines."""
    marks = _inside_text("\n".join(lines))
    return 0 < line <= len(marks) and marks[line - 1]


def _around(lines: Sequence[str], line: int) -> set[str]:
    """The words of the lines that open the blocks around a line: its function, its class."""
    if line > len(lines):
        return set()
    indent, words = len(lines[line - 1]) - len(lines[line - 1].lstrip()), set[str]()
    for number in range(line - 1, 0, -1):
        text = lines[number - 1]
        left = len(text) - len(text.lstrip())
        if text.strip() and left < indent:
            indent = left
            words.update(re.findall(r"[\w$]+", text))
            if not indent:
                break
    return words


def _place(path: str, line: int, text: str) -> str:
    return f"{path}:{line} says `{text.strip()[:120]}`"


def _own_lines(finding: Finding) -> set[tuple[str, int]]:
    return {(finding.path, line) for line in range(finding.start, finding.end + 1)} | {
        (item.path, item.line) for item in finding.evidence
    }


def results(finding: Finding) -> dict[str, str]:
    """Return each sentence that a finding states about the whole tree, with the result of the search for it."""
    held = {item.note.removeprefix(f"{SEARCHED}: ") for item in finding.evidence if item.note.startswith(SEARCHED)}
    sentences = [describe(claim) for claim in list(dict.fromkeys(finding.basis.claims))[:MAX_CLAIMS]]
    return {sentence: HELD if sentence in held else UNDECIDED for sentence in sentences}


def describe(claim: Claim) -> str:
    """Return the sentence that a claim is."""
    words = {
        "undefined": "`{0}` is not defined",
        "unused": "nothing reads `{0}`",
        "unpassed": "no caller passes `{0}`",
        "unset": "nothing gives `{0}` a value",
        "not-overridden": "`{1}` does not override `{0}`",
        "only-caller": "`{1}` is the only caller of `{0}`",
        "unsent": "nothing sends or raises `{0}`",
        "no-file": "the file `{0}` does not exist",
    }
    return words[claim.says].format(claim.name, claim.of)
