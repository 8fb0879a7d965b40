"""Fill comment templates.

The repository's own template is used if it works, else ours with a note about the error.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.render import Phrases, Safe, comment, load
from bot.render.sandbox import BrokenTemplate, fill
from bot.stored import markers
from bot.values import Review


class ReviewTemplates:
    """The templates of one review.

    Mutable, because it remembers which of the repository's templates are broken.
    """

    def __init__(self, review: Review) -> None:
        self.words: Phrases = load()
        self.notes: list[str] = []  # about the repository's templates, for readers of the review
        self._own = dict(review.settings.templates)

    def fill(self, name: str, each: Callable[[], Sequence[Mapping[str, Any]]], most: int) -> list[Safe]:
        """Return the filled template for each set of values, with at most `most` bytes each.

        `each` is called again if the repository's own template fails.
        """
        source = self._own.get(name)
        if source is not None and each():
            try:
                return _fill_own(source, each(), self.words, most)
            except BrokenTemplate as error:
                del self._own[name]
                self.notes.append(self.words.say("broken_template", name=name, why=str(error)))
        return [comment(name, self.words, **values) for values in each()]


def _fill_own(source: str, each: Sequence[Mapping[str, Any]], words: Phrases, most: int) -> list[Safe]:
    texts = [Safe(markers.without(text)) for text in fill(source, each, words)]
    if any(len(text.encode()) > most for text in texts):
        raise BrokenTemplate(f"a text of it is longer than {most:,} bytes")
    return texts
