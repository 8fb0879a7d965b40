"""The tokens of a schema file with their lines, for the languages that are parsed here."""

import re

from bot.dependents.schemas.breaks import UnreadableSchemaError

MAX_TOKENS = 2_000_000


class TokenReader:
    """A position in the tokens of one file. `pattern` has a group `lexeme` for what is a token; the rest is skipped."""

    def __init__(self, path: str, text: str, pattern: re.Pattern[str]) -> None:
        self.path = path
        self.tokens: list[tuple[str, int]] = []
        line = 1
        for match in pattern.finditer(text):
            if match["lexeme"] is not None:
                self.tokens.append((match["lexeme"], line))
            line += match[0].count("\n")
            if len(self.tokens) > MAX_TOKENS:
                raise UnreadableSchemaError(path, f"it has more than {MAX_TOKENS:,} words")
        self.at = 0

    @property
    def lexeme(self) -> str:
        """The next token, "" at the end of the file."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def line(self) -> int:
        """The line of the next token, or of the last one."""
        return self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 1
