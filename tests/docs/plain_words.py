"""Count discouraged words in templates, messages, docs and docstrings."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from doc_pages import FENCE, PAGES, ROOT

_PASS = r"(?:the|a|an|one|this|that|each|every|first|second|later|last|of|by|in|two|three|more|no|further)"
_STRANDED = r"(?=[.,;:)]|$| (?:of|in|for|with|by|on|to|is|are|was|were|and|or|at|from|here|there|holds?)\b)"
ADVISED_AGAINST = {
    "stand": r"stands?|stood",
    "hold": r"holds?|held",
    "told": r"told|telling|tells?",
    "said of": r"(?:is |was |are )?said (?:of|so|here|there)",
    "come to": r"(?:comes?|came) to (?:nothing|an end|its end)",
    "so many": r"so many",
    "in place of": r"in (?:the |its |their )?place of|took the place",
    "go by": r"go(?:es)? by|going by|went by",
    "beside": r"besides?",
    "apart": r"apart",
    "anew": r"anew",
    "alone": r"alone",
    "at once": r"at once",
    "for good": r"for good",
    "whoever": r"whoever|whatever|whichever",
    "nobody": r"nobody|somebody|no one",
    "out of sight": r"(?:out of|in) sight",
    "what is left": r"what is left|is left|are left",
    "by itself": r"by (?:itself|themselves)",
    "mended": r"mend(?:s|ed|ing)?",
    "heirs": r"heirs?",
    "the same": rf"the same{_STRANDED}",
    "look": rf"{_PASS} looks?|looks (?:of|at it)",
    "reading": rf"{_PASS} readings?|readings|readers?",
    "weight": r"weights?|weighs?|weighed",
    "witness": r"witness(?:es)?",
    "lone": r"lone|borne|bears?|fate|ties?|tied",
    "meant": r"meant",
    "foreign": r"foreign(?! key)",
    "bar": r"bars?",
    "ruling": r"rulings?",
    "unit": r"(?<!systemd )units?(?! tests?\b)",
    "claims": r"claims?",
    "by code": r"by code",
    "round": r"rounds?",
    "second opinion": r"second opinions?",
    "gone": r"(?:is|are|was|were|has|have) (?:gone|no more)|not? (?:\w+ ){1,6}any ?more",
}
_PATTERNS = {name: re.compile(rf"\b(?:{form})(?!\w)", re.IGNORECASE) for name, form in ADVISED_AGAINST.items()}
_CODE = re.compile(r"`[^`\n]*`|https?://\S+|\]\([^)\s]*\)")
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_MARKUP = re.compile(r"<(?:style|script).*?</(?:style|script)>|<[^>]*>", re.DOTALL)
_FOR_MODELS = ("prompts",)  # folders with texts for models only
_SPOKEN_TO_MODELS = (  # modules whose strings go to models: prompts, answer schemas and errors in the REPL
    "bot/review/agent",
    "bot/review/context",
    "bot/review/strategies/root.py",
    "bot/findings/claims.py",
    "bot/findings/issues.py",
    "bot/findings/joint_opinions.py",
    "bot/findings/quotes.py",
    "bot/findings/read.py",
    "bot/findings/verify.py",
    "bot/commands/answering.py",
    "bot/commands/conversation/answering.py",
    "bot/features/own_checks/asking.py",
    "bot/secrets/masking/masks.py",
    "deeprepo/rlm/repl",
    "deeprepo/rlm/loop",
    "deeprepo/texts",
)
_WORDS_IN_A_SENTENCE = 3  # shorter strings are keys and names
_GENERATED = ("docs/api.md",)  # generated from docstrings


def counts(text: str) -> dict[str, int]:
    """Return how often each discouraged word occurs in a text, ignoring code spans and addresses."""
    text = " ".join(_CODE.sub(" ", text).split())
    found = {name: len(pattern.findall(text)) for name, pattern in _PATTERNS.items()}
    return {name: number for name, number in found.items() if number}


def areas(root: Path = ROOT) -> dict[str, list[tuple[str, str]]]:
    """Return each area's texts, with the file and line of each text."""
    return {
        "templates": list(_templates(root)),
        "messages": list(_messages(root)),
        "docs": [(_name(page, root), FENCE.sub("", page.read_text())) for page in _pages(root)],
        "docstrings": list(_docstrings(root)),
    }


def _pages(root: Path) -> list[Path]:
    pages = [root / page.relative_to(ROOT) for page in PAGES]
    return [page for page in pages if page.is_file() and _name(page, root) not in _GENERATED]


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root))


def _templates(root: Path) -> Iterator[tuple[str, str]]:
    paths = [*root.glob("templates/**/*"), *root.glob("bot/features/**/*")]
    for path in sorted(paths):
        if set(path.relative_to(root).parts) & set(_FOR_MODELS):
            continue
        if path.suffix == ".j2":
            yield _name(path, root), _MARKUP.sub(" ", _JINJA.sub(" ", path.read_text()))
        elif path.name == "words.toml":
            values = re.findall(r'"((?:[^"\\]|\\.)*)"', path.read_text())
            yield _name(path, root), "\n".join(re.sub(r"\{\w+\}", "x", value) for value in values)


def _docstrings(root: Path) -> Iterator[tuple[str, str]]:
    for path in _modules(root):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                line = getattr(node, "lineno", 1)
                yield f"{_name(path, root)}:{line}", ast.get_docstring(node) or ""


def _modules(root: Path) -> list[Path]:
    return sorted([*root.glob("bot/**/*.py"), *root.glob("deeprepo/**/*.py")])


def _messages(root: Path) -> Iterator[tuple[str, str]]:
    for path in _modules(root):
        if _name(path, root).startswith(_SPOKEN_TO_MODELS):
            continue
        for line, text in strings(path):
            if len(re.findall(r"[A-Za-z]+", text)) >= _WORDS_IN_A_SENTENCE and " " in text.strip():
                yield f"{_name(path, root)}:{line}", text


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a module's strings, except docstrings, with their lines; values in f-strings become "x"."""
    tree = ast.parse(path.read_text())
    ignored = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            ignored |= {id(value) for value in node.values}
            yield node.lineno, "".join(str(one.value) if isinstance(one, ast.Constant) else "x" for one in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in ignored:
            yield node.lineno, node.value
