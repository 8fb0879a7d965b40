"""Report sentences that do not read as plain English: `python .ci/prose.py [FILE ...]`, without files the whole repository.

The rules are few and name words that have a plain alternative; CONTRIBUTING.md explains them. Code in Markdown is not read.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PUBLIC = ("bot", "benchmarks", ".ci")

# A pattern, and what to write instead. `~` matches inside one sentence.
RULES = {
    r"who(so)?ever": "name the person: anyone who ..., a person who ..., the operator",
    r"(?<!there )is (?-i:none)\b": "is not set, has no ..., is not one of",
    r"(?<!there )(?<!where )(?:is|are) no (?!longer|more\b|less|fewer|better|different|doubt)\w+": "is not a ..., has no ...",
    r"of ours": "our own, or the owner's name",
    r"stands? (?:against|in|on|at|there|here|below|above|beside|behind|under|outside|as|between)": "is, appears, is stored",
    r"(?<!risk )lies? (?:in|on|at|there|below|above|beside|under|outside)": "is, is stored",
    r"leaves? with (?=\d|exit)": "exits with",
    r"(?:findings?|more|them|one) in short|(?<!whitespace )folded": "collapsed",
    r"(?:is|are|was|were|be) (?:not )?(?:said|told)(?! apart| to| that)|told (?:in full|once|aloud)": "reported, shown, posted",
    r"says so": "reports it, states it",
    r"(?:else|only|but|even|except|also) where(?= (?:an?|the|it|no|one|that|this) )": "if, when",
    r"(?-i:Where) [^.:?|]+?, (?=(?:the|it|an?|this|that|they|no|nothing|none|each|all|git|GitHub|everything) )": "If, When",
    r"goes? on (?:with|from|at)|gone on with": "continues, resumes",
    r"anew": "again, from the start",
    r"harmless(?! functions)": "escaped, neutralised",
    r"unasked": "automatically, without a command",
    r"before its time": "The review is incomplete: ...",
    r"(?:strategy )?\w+: asked for": "Strategy: ... (requested)",
    r"not carried out\. The next": "Rate limit reached (...). Try again in ...",
    r"is renamed to": "was renamed to",
    r"^cut: |of its \d+ uses": "Showing 40 of 229 uses of ...",
    r"makes? (?:the|an|your) (?:GitHub )?App(?! page)": "registers the App",
}
COMPILED = [(re.compile(rf"(?<![\w-])(?:{rule})", re.IGNORECASE), plain) for rule, plain in RULES.items()]

CODE = re.compile(r"```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs and table cells of a page, with the line each begins in; code is blanked out."""
    text = CODE.sub(lambda code: re.sub(r"[^\n]", "·", code[0]), text)
    line = 1
    for block in re.split(r"(\n(?=\n|[|#*-] |- |\d+\. )| \| )", text):
        if not block.startswith("#") and not block.lstrip("\n").startswith("#"):
            yield line + len(block) - len(block.lstrip("\n")), " ".join(block.split())
        line += block.count("\n")


def python(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings of public names, help texts, and the sentences of errors."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if (doc := ast.get_docstring(node)) and not getattr(node, "name", "").startswith("_"):
                    yield node.body[0].lineno, " ".join(CODE.sub("·", doc).split())
            case ast.keyword(arg="help" | "description" | "epilog", value=ast.Constant(value=str(words))) as keyword:
                yield keyword.value.lineno, words
            case ast.Raise(exc=ast.Call(args=[*args])):
                for part in (part for argument in args for part in ast.walk(argument)):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.lineno, part.value


def words(text: str) -> Iterator[tuple[int, str]]:
    """The phrases of a language, by their keys."""
    for key, phrase in tomllib.loads(text)["phrases"].items():
        line = text[: text.index(f"\n{key} = ")].count("\n") + 2
        yield from ((line, form) for form in (phrase if isinstance(phrase, list) else [phrase]))


READERS = {".md": markdown, ".py": python, ".toml": words}


def problems(path: Path, text: str) -> Iterator[str]:
    """What the rules find in a file, one line each."""
    if path.name == "CHANGELOG.md":
        text = "\n## ".join(text.split("\n## ")[:2])
    for line, sentence in READERS[path.suffix](text):
        for rule, plain in COMPILED:
            for found in rule.finditer(sentence):
                yield f"{path}:{line}: {found[0].strip()!r}: write: {plain}"


def files() -> list[Path]:
    """Every file of the repository with words that a user or a contributor reads."""
    code = [path for folder in PUBLIC for path in (ROOT / folder).rglob("*.py")]
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("templates/words/en*.toml"), *code])


def main() -> int:
    """Print the problems; 1 if there are any."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or files()
    found = [line for path in paths for line in problems(path, path.read_text(encoding="utf-8"))]
    sys.stdout.write("".join(f"{line.removeprefix(f'{ROOT}/')}\n" for line in found) or "prose: no problem\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
