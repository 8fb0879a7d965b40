"""Text in a terminal."""

from rich.text import Text

from bot.render.disarm import visible

WIDTH = 100  # maximum width of a page, because long lines are hard to read


def prose(text: str) -> Text:
    """Return text with its code spans in color."""
    prose = Text(visible(text.strip()))
    prose.highlight_regex(r"`[^`\n]+`", "cyan")
    return prose
