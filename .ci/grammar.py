"""Print grammar mistakes in the docs and in `templates/words.toml`: `python .ci/grammar.py`. Needs the package harper-py."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
IGNORED = {
    "Spelling",
    "Capitalization",
    "Style",
    "Enhancement",
    "Readability",
    "WordChoice",
    "Formatting",
    "Punctuation",
}
GENERATED = {"api.md", "configuration.md"}
# Terms of this project that the checker takes for mistakes.
TERMS = re.compile(
    r"deeprepo|findings?|learnings?|metatable|taskset|rulesets?|podman|styleguide|cursorrules", re.IGNORECASE
)
CODE = re.compile(r"```.*?```|~~~.*?~~~|(?m:^ {4}.*$)", re.DOTALL)


def main() -> None:
    """Check every text, and print one line per mistake. A mistake changes no exit code, because a person decides."""
    try:
        from harper import Linter  # type: ignore[import-not-found]
    except ImportError:
        print("harper-py was not found, so the grammar was not checked", file=sys.stderr)  # noqa: T201
        return
    linter = Linter()
    for where, text in texts():
        for lint in linter.lint(text):
            if lint.lint_kind not in IGNORED and not TERMS.search(lint.problem_text):
                print(f"{where}: {lint.problem_text!r}: {lint.message}", file=sys.stderr)  # noqa: T201


def texts() -> Iterator[tuple[str, str]]:
    """Yield the pages without their code blocks, and our phrases with a word for each value."""
    for page in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if page.name not in GENERATED:
            yield str(page.relative_to(ROOT)), CODE.sub("", page.read_text("utf-8"))
    for name, phrase in tomllib.loads((ROOT / "templates/words.toml").read_text("utf-8")).items():
        for text in [phrase] if isinstance(phrase, str) else phrase:
            yield f"templates/words.toml {name}", re.sub(r"\{\w+\}", "`x`", text)


if __name__ == "__main__":
    main()
