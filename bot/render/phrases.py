"""The phrases that comments and pages use, from `templates/words.toml` and the features' files."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases by key. A phrase with a number is a pair of the singular and the plural."""

    texts: Mapping[str, str | list[str]]

    def say(self, key: str, number: int | None = None, **values: object) -> str:
        """Return a phrase with its values filled in; {n} is the number.

        Raises KeyError for an unknown key.
        """
        form = self.texts[key]
        if isinstance(form, list):
            form = form[0 if number == 1 else 1]
        return form.format(n=self.number(number or 0), **values)

    def number(self, value: int) -> str:
        """Return a number with thousands separators."""
        return f"{value:,}"


@cache
def load() -> Phrases:
    """Load all phrases, from an installed package or a checkout."""
    package = Path(__file__).parents[1]
    folder = next(f for f in (package / "templates", package.parent / "templates") if f.is_dir())
    files = (folder / "words.toml", *sorted((package / "features").glob("*/words.toml")))
    texts = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return Phrases({key: text for part in texts for key, text in part.items()})
