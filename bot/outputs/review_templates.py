"""Fill the templates of comments.

If the repository's own template fails, our template is used, and a note reports the error.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.render import Phrases, Safe, comment, load
from bot.render.sandbox import BrokenTemplate, fill
from bot.stored import markers
from bot.values import Review


class Templates:
    """Fills the templates for one review.

    Mutable, because it records which of the repository's own templates have failed.
    """

    def __init__(self, review: Review) -> None:
        self.words: Phrases = load()
        self.notes: list[str] = []  # about the repository's templates, for readers of the review
        self._own = dict(review.settings.templates)

    def fill(self, name: str, each: Callable[[], Sequence[Mapping[str, Any]]], most: int) -> list[Safe]:
        """Return the filled template for each mapping of values.

        `each` returns the mappings. It is called again if the repository's own template fails, which includes
        texts with more than `most` bytes.
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
