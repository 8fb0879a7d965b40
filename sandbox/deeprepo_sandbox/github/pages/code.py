"""Code in colours, line by line, as HTML."""

from functools import cache
from typing import Any

from markupsafe import Markup, escape

MOST = 2_000  # characters of a line that are coloured


@cache
def _lexer(name: str, *, language: bool) -> Any:  # noqa: ANN401 - of a library without types
    from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    find = get_lexer_by_name if language else get_lexer_for_filename
    try:
        return find(name or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False, ensurenl=False)


@cache
def _form() -> Any:  # noqa: ANN401 - the same
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

    return HtmlFormatter(nowrap=True)


def line(text: str, path: str) -> Markup:
    """One line of a file, coloured by the file's name."""
    return _colour(text, _lexer(path.rpartition("/")[2], language=False))


def block(text: str, language: str) -> Markup:
    """A block of a language that somebody named."""
    return _colour(text, _lexer(language, language=True))


def _colour(text: str, lexer: Any) -> Markup:  # noqa: ANN401 - the same
    from pygments import highlight  # type: ignore[import-untyped]

    if len(text) > MOST * (text.count("\n") + 1):
        return escape(text)
    done = highlight(text, lexer, _form())
    return Markup(done if text.endswith("\n") else done.rstrip("\n"))  # noqa: S704 - the formatter has escaped it
