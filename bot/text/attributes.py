"""What the .gitattributes files of a tree say of a path. Pure."""

import re
from collections.abc import Callable, Mapping
from posixpath import dirname

from bot.text import globs

MOST_RULES = 2_000  # the last ones: each is held against each changed file


def generated_marks(files: Mapping[str, bytes]) -> Callable[[str], bool | None]:
    """What the .gitattributes files of the base say of a path: generated or vendored, explicitly not, or nothing.

    The base's, because a change must not be able to hide its own files from the review.
    """
    rules: list[tuple[str, str, bool]] = []
    for path in sorted(files, key=lambda name: name.count("/")):
        for line in files[path].decode("utf-8", "replace").splitlines():
            pattern, *words = line.split() or [""]
            attribute_words = [
                word for word in words if re.fullmatch(r"-?linguist-(generated|vendored)(=(true|false))?", word)
            ]
            if attribute_words and not pattern.startswith(("#", "[", "!")):
                on = not attribute_words[-1].startswith("-") and not attribute_words[-1].endswith("=false")
                rules.append((dirname(path), pattern, on))
    del rules[:-MOST_RULES]

    def is_marked(path: str) -> bool | None:
        is_on = None
        for folder, pattern, on in rules:
            inside = not folder or path.startswith(folder + "/")
            if inside and globs.matches([pattern], path[len(folder) + 1 :] if folder else path):
                is_on = on  # git: the last matching line decides
        return is_on

    return is_marked
