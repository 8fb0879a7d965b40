"""No module outside `deeprepo/impact/languages/NAME` mentions a language."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from deeprepo.impact import table

IMPACT = Path(__file__).parents[2] / "deeprepo" / "impact"
PROSE = re.compile(
    r"(?<![\w.])(?:Python|JavaScript|TypeScript|Java|Kotlin|Scala|Go(?!\s+back)|Golang|Rust|Ruby|PHP|C#|C\+\+|Swift|Lua|Elixir|Vue|Svelte|Astro|Razor)(?!\w)"
)


def _words(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and strings in a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


def test_engine_mentions_no_language() -> None:
    """Comments and strings in the engine mention no language, and its code checks for none by name."""
    names = {f'"{folder}"' for folder in table.folders()}
    found = [
        f"{path.relative_to(IMPACT)}:{line}: {word[:80]}"
        for path in sorted(IMPACT.rglob("*.py"))
        if path.parent.parent.name != "languages"
        for line, word in _words(path)
        if PROSE.search(word) or word in names
    ]
    assert not found, "\n".join(found)
