"""Our own words in comments: `templates/words.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases by their keys. A phrase with a number is a pair: of one, of several."""

    texts: Mapping[str, str | list[str]]

    def say(self, key: str, number: int | None = None, **values: object) -> str:
        """Fill a phrase in; {n} is the number. A phrase that is not there is a KeyError."""
        form = self.texts[key]
        if isinstance(form, list):
            form = form[0 if number == 1 else 1]
        return form.format(n=self.number(number or 0), **values)

    def number(self, value: int) -> str:
        """Write a number as people do."""
        return f"{value:,}"


@cache
def load() -> Phrases:
    """Read the phrases, from the wheel or from a checkout."""
    package = Path(__file__).parents[1]
    folder = next(f for f in (package / "templates", package.parent / "templates") if f.is_dir())
    return Phrases(tomllib.loads((folder / "words.toml").read_text(encoding="utf-8")))
