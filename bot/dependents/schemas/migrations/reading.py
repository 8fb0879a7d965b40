"""The steps of a migration in code: of its calls, of the tools that write chains, and of SQL in its texts."""

import re
from collections.abc import Callable, Sequence

from bot.dependents.schemas.breaks import Document
from bot.dependents.schemas.migrations import chains
from bot.dependents.schemas.migrations.calls import call_steps
from bot.dependents.schemas.migrations.returns import calls_in_doubt, in_doubt, with_returns
from bot.dependents.schemas.migrations.rollbacks import forward
from bot.dependents.schemas.migrations.steps import MigrationStep
from bot.text.lines import line_number

_NEXT_TEXT = re.compile(
    r"\s{0,200}+(?:[+.\\]\s{0,200}+)?[rRbBuUfF]?(?:\"(?P<double>[^\"\n]{0,2000})\"|'(?P<single>[^'\n]{0,2000})')"
)
_SQL_TEXT = re.compile(
    r"(?P<open>\"\"\"|'''|[\"'`]|<<[-~]?[\"']?(?P<doc>[A-Z]{3,12})[\"']?[^\n]*+\n)\s*+(?=(?:ALTER|DROP|CREATE|RENAME)\s++(?:TABLE|VIEW|TEMP|MATERIALIZED)\b|(?:EXEC(?:UTE)?\s++)?(?:\w{1,40}\.){0,3}sp_rename\b)",
    re.IGNORECASE,
)
_MOST = 5_000  # steps of one file
SqlReader = Callable[[str, int, str], "Sequence[MigrationStep]"]


def added_steps(document: Document, sql: SqlReader) -> list[MigrationStep]:
    """Return the steps on lines that the change brings, without what takes the migration back."""
    text = forward(document.text, document.path)
    rows = [*call_steps(text, document.path), *chains.chain_steps(text, document.path)]
    rows = calls_in_doubt(with_returns(rows, text, document.path), text, document.path)
    for match in _SQL_TEXT.finditer(text):
        close = "\n" + match["doc"] if match["doc"] else match["open"]
        end = text.find(close, match.end())
        if match["doc"]:
            end = next(
                (
                    one.start()
                    for one in re.compile(rf"^[ \t]*+{match['doc']}\b", re.MULTILINE).finditer(text, match.end())
                ),
                -1,
            )
        literal = text[match.end() : end if end >= 0 else match.end() + 2_000]
        if not match["doc"]:
            literal += _continuation(text, end + len(close))
        mine = sql(literal, line_number(text, match.end()), document.path)
        rows += in_doubt(mine, rows, text, match.start(), document.path)
        if len(rows) > _MOST:
            break
    return [row for row in rows if row.line in document.added_lines]


def _continuation(text: str, at: int) -> str:
    """The texts that are joined to one that ends at a position."""
    parts: list[str] = []
    while match := _NEXT_TEXT.match(text, at):
        parts.append(match["double"] or match["single"] or "")
        at = match.end()
    return "".join(parts)
