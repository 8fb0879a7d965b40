"""The chosen rules of ruff and what they mean, from the tables beside this file. Style is left to the project's own linter."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.values import Severity

TABLES = ("ruff_bugs.toml", "ruff_classes.toml", "ruff_security.toml")
SYNTAX = "invalid-syntax"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: how bad, how sure, in which words, and what a report must look like to count."""

    severity: Severity
    proven: bool
    title: str
    why: str
    effect: str
    security: bool = False
    message: str = ""  # a pattern that ruff's message must match
    code: str = ""  # a pattern that the quoted lines must match
    tests: bool = True  # whether it says something worth reading about a test
    anywhere: bool = False  # whether a new report counts on an unchanged line: its cause may lie elsewhere

    def fits(self, message: str, code: str, *, test: bool) -> bool:
        """Whether this report is one that the row is about."""
        return (self.tests or not test) and bool(re.search(self.message, message)) and bool(re.search(self.code, code))

    def words(self, message: str) -> tuple[str, str, str]:
        """Title, reason and effect, with the names that ruff's message puts in backticks."""
        names = re.findall(r"`([^`]*)`", message)
        texts = [text.replace("{message}", message.rstrip(".")) for text in (self.title, self.why, self.effect)]
        for at, name in enumerate(names):
            texts = [text.replace(f"{{{at}}}", name) for text in texts]
        title, why, effect = (re.sub(r"`?\{\d\}`?", "it", text) for text in texts)
        return title, why, effect


@cache
def rules() -> Mapping[str, Rule]:
    """Every chosen rule by its code."""
    rules_by_code: dict[str, Rule] = {}
    for table in TABLES:
        rows: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / table).read_text(encoding="utf-8"))["rule"]
        for row in rows:
            codes = row.pop("codes")
            rules_by_code.update({code: Rule(**row, security=code.startswith("S")) for code in codes})
    return rules_by_code
