"""Our own words in the reader's language: one TOML file per language in templates/words, and one for the verdicts in all of them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words of one language. A phrase with a number is a pair: of one, of several."""

    language: str
    name: str  # as the language calls itself
    singular: tuple[int, ...]  # the numbers that take the first form
    thousands: str
    texts: Mapping[str, str | list[str]]

    def say(self, key: str, number: int | None = None, **values: object) -> str:
        """A phrase filled in; {n} is the number. A phrase that is not there is a KeyError: tests compare the files."""
        form = self.texts[key]
        if isinstance(form, list):
            form = form[0 if number in self.singular else 1]
        return form.format(n=self.number(number or 0), **values)

    def number(self, value: int) -> str:
        """A number as people write it."""
        return f"{value:,}".replace(",", self.thousands)


def folder() -> Path:
    """Where the files stand: in the wheel, or in a checkout."""
    package = Path(__file__).parents[1]
    return next(f for f in (package / "templates/words", package.parent / "templates/words") if f.is_dir())


@cache
def languages() -> tuple[str, ...]:
    """The languages that have words, by their codes."""
    return tuple(sorted(path.stem for path in folder().glob("*.toml")))


@cache
def load(language: str = FALLBACK) -> Phrases:
    """The words of a language: of "de-AT" those of "de"; of an unknown one the English ones."""
    known_language = next((name for name in (language, language.partition("-")[0]) if name in languages()), FALLBACK)
    data = tomllib.loads((folder() / f"{known_language}.toml").read_text(encoding="utf-8"))
    texts = {**data["phrases"], **{verdict: words[known_language] for verdict, words in _verdicts().items()}}
    return Phrases(known_language, data["name"], tuple(data["singular"]), data["thousands"], texts)


@cache
def _verdicts() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((folder().parent / "verdicts.toml").read_text(encoding="utf-8"))
