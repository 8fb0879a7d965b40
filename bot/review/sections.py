"""Which parts of an owner's Markdown are rules for code and review: headings announce them, sentences say them. Pure.

A description of the product, a command to run, a link to another page and how to open an issue say nothing about a change.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST_EXAMPLE = 400  # characters of a code block that belongs to a rule
LONGEST_POINTER = 300  # characters of a paragraph that only names another page
FEWEST_WORDS = 2  # of a block, links left out
PART_OF_RULES = 3  # one sentence in so many makes a block a rule

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)$")
_FENCE = re.compile(r"[ \t]*(```|~~~)[ \t]*([\w-]*)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+\S")
_SHELL = frozenset({"bash", "sh", "shell", "console", "zsh", "fish", "powershell", "cmd", "terminal"})

_CODE_TITLE = re.compile(
    r"\b(?:cod(?:e|ing)(?! of conduct)|review\w*|style\w*|convention\w*|guideline\w*|principle\w*|pattern\w*|pitfall\w*|rules?|lint\w*"
    r"|tests?|testing|naming|architecture|design|security|performance|compatibility|error handling|logging|concurrency|invariants?|api)\b",
    re.IGNORECASE,
)
_RULES_TITLE = re.compile(  # what a list under it says is a rule, however it is worded
    r"\b(?:code reviews?|review\w*|styles?|style ?guides?|conventions?|principles?|pitfalls?|rules?|standards?|idioms?|naming|invariants?"
    r"|anti-?patterns?|best practices|error handling|never|always|avoid|don'?ts?|quality)\b",
    re.IGNORECASE,
)
_PROCESS_TITLE = re.compile(
    r"code of conduct|\b(?:issues?|bugs?|report\w*|install\w*|set(?:ting)?[ -]?up|getting started|quick ?start|licen[sc]e|cla|dco|sign\w*"
    r"|contents|releas\w*|commands?|running|run|build\w*|environment|prerequisites|requirements|deploy\w*|publish\w*|submit\w*|pull requests?"
    r"|prs?|commit\w*|branch\w*|fork\w*|clon\w*|help|support|questions?|translat\w*|maintainers?|communit\w*|donat\w*|sponsor\w*"
    r"|vulnerabilit\w*|changelogs?|changesets?|debug\w*|reproduc\w*|structure|layout|conversation\w*|persona|tone|response format\w*)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(?:must|shall|should(?:n't)?|never|always|do not|don[\u2019']t|may not|not allowed|forbidden|prohibited|(?:is|are|be) required|prefer\w*|avoid\w*|ensure"
    r"|make sure|instead of|rather than|mandatory|discouraged|disallowed|(?:has|have|needs?) to"
    # German, French, Spanish, Portuguese, Italian, Russian; then languages that write no spaces
    r"|muss|müssen|sollen?|niemals|nie|immer|vermeid\w*|bevorzug\w*|jamais|toujours|doit|doivent|évite\w*|éviter|nunca|siempre|deben?|evitar?"
    r"|sempre|devem?|deve|devono|evitare|mai|нельзя|всегда|никогда|долж\w+|избега\w+|обязательно)\b"
    r"|必须|必須|不要|不得|禁止|避免|应该|應該|优先|必ず|しない|すること|べき|避け|반드시|금지|하지 마",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"(?:use|write|keep|add|handle|return|check|validate|wrap|name|put|place|document|cover|limit|minimi[sz]e|maintain|preserve|follow"
    r"|treat|pass|throw|raise|catch|escape|saniti[sz]e|include|implement|define|declare|import|export|remove|respect|reuse|verify|mark"
    r"|guard|assert|close|stick|favou?r|extract|annotate|enforce|flag|update|no|nicht|kein\w*|verwend\w+|nutz\w+"
    r"|utilise[rz]?|usar|usa|use[mn]?|utilice)\s",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"`[^`\n]+`|\b(?:cod(?:e|ing)|func\w*|method\w*|class(?:es)?|types?|typed|typing|variables?|constants?|fields?|structs?|enums?|interfaces?"
    r"|traits?|modules?|imports?|apis?|arguments?|parameters?|errors?|exceptions?|panics?|returns?|null|nil|none|locks?|mutex\w*|threads?"
    r"|async\w*|await|concurren\w*|races?|memory|alloc\w*|buffers?|pointers?|unsafe|casts?|loops?|quer(?:y|ies)|sql|schemas?|migrations?"
    r"|tests?|tested|testing|mocks?|asserts?|assertions?|coverage|logs?|logging|comments?|docstrings?|documentation|indent\w*|spaces?|tabs?"
    r"|naming|names?|camelcase|snake_case|style|patterns?|dependenc\w+|secur\w+|secrets?|inputs?|validat\w+|saniti\w+|performance|latency"
    r"|cach\w+|compatib\w+|deprecat\w+|breaking|behaviou?rs?|edge cases?|regressions?|components?|hooks?|state|props|endpoints?|requests?"
    r"|responses?|headers?|logic|helpers?|abstractions?|floats?|strings?|integers?|invariants?|backwards?|overflow\w*|side effects?"
    r"|funktion\w*|methode\w*|klassen?|fehler\w*|variablen?|fonctions?|méthodes?|erreurs?|funci\w+|errores|métodos?|código|erros|функци\w+"
    r"|код\w*|тест\w*|ошибк\w*)\b"
    r"|函数|代码|類|类型|错误|测试|変数|関数|コード|エラー|テスト|함수|코드|오류",
    re.IGNORECASE,
)
_TOOL = r"npm|npx|pnpm|yarn|bun|cargo|make|go|pip|uv|poetry|tox|nox|mvn|gradle|gradlew|dotnet|bundle|rake|composer|docker|git|gh|pytest|pre-commit"
_PROCESS = re.compile(
    rf"\b(?:pull[- ]requests?|prs?|commit(?:s|ted|ting)?|merge[ds]?|merging|rebas\w+|branch(?:es)?|issues?|change ?logs?|changesets?|releases?"
    rf"|install\w*|clon(?:e|ing)|fork\w*|cla|dco|sign(?:ed)?[- ]off|licen[sc]e\w*|discord|slack|mailing list|e-?mail|run|runs|running|rerun"
    rf"|download\w*|prerequisites?|set ?up|skills?|subagents?|worktrees?|discuss\w*|contributors?|contributions?|reproduc\w+|push\w*|force-push\w*|the user asks|you (?:can|may))\b"
    rf"|`\.?/?(?:{_TOOL}) [^`\n]*`",
    re.IGNORECASE,
)
_IN_REVIEW = re.compile(r"\b(?:pull[- ]requests?|prs?|commits?|merge[ds]?|issues?|contributions?)\b", re.IGNORECASE)
_POINTER = re.compile(  # met by short texts only
    r"(?:(?:please|also|and|always|before \w+ing|for (?:more|further|details|additional)[^,.]{0,60},?)\s){0,3}(?:see|read|refer|consult|follow"
    r"|check out|visit|review|more (?:information|details))\b[^.]{0,200}(?:\.md\b|\]\(|https?://|readme|contributing)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"!?\[[^\[\]\n]{0,300}\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,100}\]|:\s*\S+)|<?https?://\S+|^@\S+$", re.MULTILINE
)
_SENTENCE = re.compile(r"(?<=[^\d][.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])|\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])")
_MARKS = re.compile(
    r"[\s*_>#~-]*(?:\d{1,3}[.)]\s)?(?:\[[ x]\]\s)?[*_\s]*(?:[^:`.\n]{1,60}(?::[*_]*|[*_]+\s[\u2014\u2013-])\s+)?[*_]*"
)


@dataclass(frozen=True, slots=True)
class RuleSection:
    """The rules under one heading."""

    titles: tuple[str, ...]  # of the headings around it, and its own
    head: str  # its heading as written; "" for what stands before the first one
    rules: tuple[str, ...]
    announces_rules: bool = False  # its heading says that these are rules

    @property
    def text(self) -> str:
        """The heading and its rules as they were written."""
        return "\n".join(filter(None, [self.head, *self.rules]))


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, an item of a list or a code block."""

    kind: str  # "text", "item", "code" or "command"
    text: str


def about_code(text: str, *, strict: bool) -> tuple[RuleSection, ...]:
    """The rules for code and review, by section.

    `strict`: of a text about contributing, what no heading announces as about code is left out whatever it says.
    """
    sections: list[RuleSection] = []
    above: list[
        tuple[int, str, bool, bool]
    ] = []  # of the headings around: level, title, whether wanted, whether announced
    for level, title, rows in _sections(_without_comments(text).split("\n")):
        while above and above[-1][0] >= level:
            above.pop()
        around, above_announces = (above[-1][2], above[-1][3]) if above else (not strict, False)
        process = bool(_PROCESS_TITLE.search(_IN_REVIEW.sub("", title) if "review" in title.lower() else title))
        is_wanted = not process and (around or bool(_CODE_TITLE.search(title)))
        announces_rules = not process and (above_announces or (level > 1 and bool(_RULES_TITLE.search(title))))
        above.append((level, title, is_wanted, announces_rules))
        titles = tuple(name for _, name, _, _ in above if name)
        reviewing = any("review" in name.lower() for name in titles)
        rules = _rules(list(_blocks(rows)), announces_rules=announces_rules, reviewing=reviewing) if is_wanted else ()
        if rules:
            sections.append(RuleSection(titles, f"{'#' * level} {title}" if title else "", rules, announces_rules))
    return tuple(sections)


def _rules(blocks: Sequence[_Block], *, announces_rules: bool, reviewing: bool) -> tuple[str, ...]:
    """The blocks that are rules, each list with what leads to it, each rule with its example."""
    rules_kept: list[str] = []
    lead, is_told, last = (
        "",
        announces_rules,
        False,
    )  # a paragraph that ends in a colon; does it announce rules; was the last block one
    for block in blocks:
        if block.kind == "text":
            last = _is_rule(block.text, announces_rules=False, reviewing=reviewing)
            leads = block.text.rstrip("* _").endswith((":", "\uff1a")) and not _PROCESS.search(block.text)
            lead, is_told = (block.text, announces_rules or _says(block.text)) if leads else ("", announces_rules)
            rules_kept += [block.text] if last and not leads else []
            continue
        if block.kind == "item":
            last = _is_rule(block.text, announces_rules=is_told, reviewing=reviewing)
        if last and (block.kind == "item" or (block.kind == "code" and len(block.text) <= LONGEST_EXAMPLE)):
            rules_kept += [lead, block.text] if lead else [block.text]
            lead = ""
    return tuple(rules_kept)


def _is_rule(text: str, *, announces_rules: bool, reviewing: bool) -> bool:
    """Whether enough of the sentences say what code has to be like, and no more of them how to go about a contribution."""
    bare = _LINK.sub(" ", text)
    if len(re.findall(r"\w+", bare)) < FEWEST_WORDS and not re.search(r"[぀-ヿ㐀-鿿가-힯]{4}", bare):
        return False
    if len(text) <= LONGEST_POINTER and _POINTER.match(_MARKS.sub("", text, count=1)) and not _CODE_TITLE.search(text):
        return False
    sentences = [one for one in _SENTENCE.split(text) if one.strip()]
    process = [one for one in sentences if _PROCESS.search(_IN_REVIEW.sub(" ", one) if reviewing else one)]
    others = [one for one in sentences if one not in process]
    rule_sentences = [one for one in others if announces_rules or (_says(one) and _CODE.search(one))]
    return len(rule_sentences) >= max(1, len(process)) and PART_OF_RULES * len(rule_sentences) >= len(sentences)


def _says(sentence: str) -> bool:
    """Whether a sentence demands or forbids something."""
    start = _MARKS.match(sentence)
    return bool(
        _RULE.search(sentence)
        or _IMPERATIVE.match(sentence.lstrip("-*_ \t>"))
        or (start and _IMPERATIVE.match(sentence, start.end()))
    )


def _blocks(rows: Sequence[str]) -> Iterator[_Block]:
    """The paragraphs, list items and code blocks of a section; what is indented under an item belongs to it."""
    kind, indent, held_rows, fence = "", 0, list[str](), ""
    for row in rows:
        mark, item = _FENCE.match(row), _ITEM.match(row)
        within = kind == "item" and len(row) - len(row.lstrip()) > indent
        begins = ""
        if fence:
            fence = "" if mark and mark[1] == fence else fence
        elif mark:
            fence = mark[1]
            begins = "" if within else "command" if mark[2].lower() in _SHELL else "code"
        elif item and not within:
            begins, indent = "item", len(item[1])
        elif row.strip() and not within and (kind in {"", "code", "command"} or not held_rows[-1].strip()):
            begins = "text"
        if begins:
            yield from _close(kind, held_rows)
            kind, held_rows = begins, []
        held_rows.append(row)
    yield from _close(kind, held_rows)


def _close(kind: str, held_rows: Sequence[str]) -> Iterator[_Block]:
    if kind:
        yield _Block(kind, "\n".join(held_rows).rstrip())


def _sections(rows: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Level, title and rows of each section; what stands before the first heading has no title."""
    level, title, body, fence = 0, "", list[str](), ""
    for row in rows:
        mark = _FENCE.match(row)
        if mark and fence in {"", mark[1]}:
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(row)
        if heading:
            yield level, title, body
            level, title, body = len(heading[1]), heading[2].strip(" #"), []
        else:
            body.append(row)
    yield level, title, body


def _without_comments(text: str) -> str:
    """Without comments that a page does not show."""
    pieces, at = list[str](), 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[at:start])
        at = end + len("-->")
    return "".join([*pieces, text[at:]])
