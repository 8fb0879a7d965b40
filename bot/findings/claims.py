"""Claims of existence and absence, which models get wrong most often, are decided by code: the tree is searched.

Only sentences that can mean nothing else are read as claims ("nothing reads `x`"), beside those that the worker declares. A
false one drops the finding with the reason; a true one becomes evidence.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.lines import defines, definition, is_comment
from bot.paths import is_output, is_prose
from bot.ports import Tree
from bot.values import Claim, Evidence, Finding

MAX_CLAIMS = 6
MAX_ROWS = 400
_NAME = r"`([A-Za-z_$][\w$.]*)(?:\(\))?`"
_PATH = r"`((?=[\w@.-]*+/)[\w@./-]{3,400}+|[\w-]++\.(?:py|js|ts|go|rs|java|md|ya?ml|toml|json|sql|html))`"
_EVERYWHERE = r"(?:\s+(?:anywhere|in the (?:whole )?(?:repository|repo|code ?base|project|tree))\b)"
_SENTENCES: tuple[tuple[str, str], ...] = (
    ("undefined", rf"{_NAME} (?:is|was|are) (?:not|never|no longer|nowhere) (?:defined|declared){_EVERYWHERE}?"),
    ("undefined", rf"(?:there is )?no definition of {_NAME}"),
    ("undefined", rf"{_NAME} does not exist{_EVERYWHERE}?"),
    (
        "unused",
        rf"(?:nothing|nobody|no one|no code|no other code) (?:else )?(?:reads|uses|calls|imports|references) {_NAME}",
    ),
    ("unused", rf"{_NAME} (?:is|was) (?:never|no longer|not) (?:read|used|called|imported|referenced){_EVERYWHERE}"),
    ("unpassed", rf"no (?:caller|call|call site) (?:passes|sets|gives|supplies) {_NAME}"),
    ("no-file", rf"(?:the )?file {_PATH} (?:does not exist|is missing|was not added)"),
)
_LOOKS = tuple((says, re.compile(pattern, re.IGNORECASE)) for says, pattern in _SENTENCES)


async def check(finding: Finding, tree: Tree) -> Finding | str:
    """The finding with what its claims were worth, or the sentence that says which of them is false.

    An analyser claims nothing of the tree: its "`x` is not defined" means one file, no matter what defines an `x` elsewhere.
    """
    if finding.rule:
        return finding
    evidence = list(finding.evidence)
    for claim in list(dict.fromkeys(stated(finding)))[:MAX_CLAIMS]:
        against = await _against(claim, finding, tree)
        if against is not None:
            return f"its claim is false: {_told(claim)}, but {against}"
        evidence.append(
            Evidence(
                finding.path,
                finding.quote,
                finding.start,
                finding.side,
                note=f"searched for in the tree: {_told(claim)}",
            )
        )
    return replace(finding, evidence=tuple(evidence))


def stated(finding: Finding) -> Iterator[Claim]:
    """What the worker declares, and what title and mechanism plainly say."""
    yield from finding.claims
    for text in (finding.title, finding.why):
        for says, look in _LOOKS:
            for found in look.finditer(text):
                yield Claim(says, found[1])


async def _against(claim: Claim, finding: Finding, tree: Tree) -> str | None:
    """Where the tree shows the opposite, None where the claim holds or cannot be decided."""
    if claim.says == "no-file":
        return f"{claim.name} is there" if claim.name in await tree.entries("head") else None
    short = claim.name.rpartition(".")[2]
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", short):
        return None
    if claim.says == "undefined":
        return await _defined(short, tree)
    rows = await tree.grep_lines([short], word=True, limit=MAX_ROWS)
    own = _own_lines(finding)
    for path, line, text in rows:
        if _says_nothing(path, text) or defines(text, short, path) or (path, line) in own:
            continue
        if claim.says == "unpassed" and not _passes(short, text):
            continue
        if re.match(rf"\s*(?:self\.|this\.)?{re.escape(short)}\s*(?::[^=]*)?=(?!=)", text) and claim.says == "unused":
            continue  # a write is no reading
        return f"{path}:{line} says `{text.strip()[:120]}`"
    return None


def _passes(name: str, text: str) -> bool:
    """Whether a line hands something over under this name; a parameter of a definition is no argument."""
    call = re.search(rf"\w\s*+\(.{{0,300}}\b{re.escape(name)}\s*+=(?!=)", text)
    return bool(call) and not re.search(r"\b(?:def|function|fn|func|class)\s", text)


async def _defined(name: str, tree: Tree) -> str | None:
    """Any line that announces a definition of the name, or binds it."""
    bound = rf"^\s*(?:(?:export\s+)?(?:const|let|var)\s+)?{re.escape(name)}\s*(?::[^=]*)?=(?!=)"
    imported = rf"\bimport\b.*\b{re.escape(name)}\b|\bas\s+{re.escape(name)}\b"
    rows = await tree.grep_lines([definition(name), bound, imported], syntax="perl", limit=MAX_ROWS)
    hit = next(((p, n, text) for p, n, text in rows if not _says_nothing(p, text)), None)
    return f"{hit[0]}:{hit[1]} says `{hit[2].strip()[:120]}`" if hit else None


def _says_nothing(path: str, text: str) -> bool:
    """Whether a line is for people alone, or written down by a program."""
    return is_prose(path) or is_output(path) or is_comment(text, path)


def _own_lines(finding: Finding) -> set[tuple[str, int]]:
    return {(finding.path, line) for line in range(finding.start, finding.end + 1)} | {
        (item.path, item.line) for item in finding.evidence
    }


def _told(claim: Claim) -> str:
    words = {
        "undefined": "`{}` is not defined",
        "unused": "nothing reads `{}`",
        "unpassed": "no caller passes `{}`",
        "no-file": "the file `{}` does not exist",
    }
    return words[claim.says].format(claim.name)
